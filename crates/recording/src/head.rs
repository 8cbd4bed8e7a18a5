//! What a recording says at its beginning and at its end, as JSON.

use serde::{Deserialize, Serialize};

/// The beginning: what was recorded, and of which network. A reader passes over keys that it does not know.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Head {
    /// `simulator`, or `testbed`: then times are measured, and what was not seen is not there.
    pub source: String,
    /// The unit of every time: `ps`.
    pub time_unit: String,
    /// The name of the scenario.
    pub scenario: String,
    /// The name of the scheme.
    pub scheme: String,
    /// The seed, in decimal digits: numbers in JSON are not exact from 2⁵³ on.
    pub seed: String,
    /// When the recording begins, in picoseconds: with what happens at this instant.
    pub from: u64,
    /// Where the window comes from, in words for people.
    pub window: String,
    /// Of which flows windows are recorded, in words for people.
    pub flows: String,
    /// Which packets are recorded, in words for people, where that is not all.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub packets: String,
    /// Packets are recorded in part, and the lengths of queues are those of `depth` events.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub measured: bool,
    /// The words for the reasons of drops, by number.
    pub reasons: Vec<String>,
    /// The same reasons as clauses for people; empty in recordings that were made before there were any.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub clauses: Vec<String>,
    /// Hosts, switches and links.
    pub network: Network,
}

/// The network.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Network {
    /// The kind of topology, to draw it by: `fat_tree`, `leaf_spine`, or any other word.
    pub kind: String,
    /// Hosts first, then switches.
    pub nodes: Vec<Node>,
    /// Directed links. A port is known by the number of the link that it feeds; the two directions of cable `i` are
    /// `2i` and `2i + 1`.
    pub links: Vec<Link>,
}

/// A host or a switch.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Node {
    /// What it is called.
    pub name: String,
    /// Is it a host?
    pub host: bool,
    /// The tier of a switch: `edge`, `core`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tier: Option<String>,
    /// Its pod, or the row of a grid.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pod: Option<String>,
    /// What all its queues may hold together; `None` is no limit that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shared_bytes: Option<u64>,
}

/// One direction of a cable.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Link {
    /// The node whose port feeds it.
    pub from: u32,
    /// The number of that port there.
    pub port: u16,
    /// The node where it ends.
    pub to: u32,
    /// Its rate in bits per second, when the run begins.
    pub rate_bps: u64,
    /// Its delay in picoseconds.
    pub delay_ps: u64,
    /// What the queue before it may hold; `None` is no limit of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub queue_packets: Option<u64>,
    /// The same in bytes of buffer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub queue_bytes: Option<u64>,
}

/// The end: where chunks are, and what the run's flows and queries came to.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tail {
    /// When the recording ends, in picoseconds: before what happens at this instant.
    pub to: u64,
    /// Why it ends there, in words for people.
    pub ended: String,
    /// Chunks, in the order of time.
    pub chunks: Vec<Span>,
    /// Events by kind, in the order of the kinds.
    pub counts: Vec<Crowd>,
    /// Packets with a number.
    pub packets: u64,
    /// The traffic classes that flows and queries name by number.
    pub classes: Vec<String>,
    /// Flows that were under way in the window.
    pub flows: Vec<Flow>,
    /// Queries that were under way in the window.
    pub queries: Vec<Query>,
    /// What the lists of flows and queries do not say, since there was no room.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub left_out: Option<LeftOut>,
}

/// How many flows and queries were under way in the window and are not in the tail: the last by number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeftOut {
    /// Flows.
    pub flows: u64,
    /// Queries.
    pub queries: u64,
}

/// Where a chunk is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Span {
    /// Its place in the file, in bytes from the beginning.
    pub offset: u64,
    /// The instant of its first event.
    pub from: u64,
    /// The instant of its last event.
    pub to: u64,
    /// How many events it has.
    pub events: u64,
}

/// How many events of a kind there are.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Crowd {
    /// The word for the kind.
    pub kind: String,
    /// How many.
    pub events: u64,
}

/// A flow.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Flow {
    /// Its number.
    pub id: u32,
    /// The node that sends it.
    pub src: u32,
    /// The node that receives it.
    pub dst: u32,
    /// Its payload in bytes; `None` of one without an end, or of which that is not known.
    pub bytes: Option<u64>,
    /// Its traffic class, by number.
    pub class: u32,
    /// The query that it asks or answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub query: Option<u32>,
    /// When it starts.
    pub start: u64,
    /// When its last byte arrives; `None` when the run ended before.
    pub end: Option<u64>,
    /// Protocol, addresses and ports where packets are told apart by these, as in `tcp 10.0.0.1:4711 10.0.0.2:80`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tuple: Option<String>,
}

/// A query.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Query {
    /// Its number.
    pub id: u32,
    /// The node that asks.
    pub target: u32,
    /// Its traffic class, by number.
    pub class: u32,
    /// How many responses complete it.
    pub responses: u32,
    /// When it is asked.
    pub start: u64,
    /// When its last response is complete; `None` when the run ended before.
    pub end: Option<u64>,
}
