//! Head and tail of a recording, as JSON.

use serde::{Deserialize, Serialize};

/// Head: the source of the recording and its network. A reader ignores unknown keys.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Head {
    /// `simulator` or `testbed`; in a recording of the testbed, times are measured, and packets that were not
    /// captured are missing.
    pub source: String,
    /// Unit of every time: `ps`.
    pub time_unit: String,
    /// Name of the scenario.
    pub scenario: String,
    /// Name of the scheme.
    pub scheme: String,
    /// Seed, in decimal digits: numbers in JSON are not exact from 2⁵³ on.
    pub seed: String,
    /// Start of the recording, ps; events of this instant are included.
    pub from: u64,
    /// Origin of the window, as text for people.
    pub window: String,
    /// Flows of which windows are recorded, as text for people.
    pub flows: String,
    /// Packets that are recorded, as text for people; empty if all are.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub packets: String,
    /// True if only some packets are recorded; `depth` events then carry the lengths of queues.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub measured: bool,
    /// Words for the reasons of drops, by number.
    pub reasons: Vec<String>,
    /// Clauses for people that explain the same reasons; empty in recordings older than this field.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub clauses: Vec<String>,
    /// Hosts, switches and links.
    pub network: Network,
}

/// Network of a recording.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Network {
    /// Kind of topology, for drawing: `fat_tree`, `leaf_spine`, or any other word.
    pub kind: String,
    /// Hosts first, then switches.
    pub nodes: Vec<Node>,
    /// Directed links. The number of the link that a port feeds identifies the port; the two directions of
    /// cable `i` are `2i` and `2i + 1`.
    pub links: Vec<Link>,
}

/// A host or a switch.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Node {
    /// Name of the node.
    pub name: String,
    /// True for a host.
    pub host: bool,
    /// Tier of a switch: `edge`, `core`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tier: Option<String>,
    /// Pod of the node, or its row in a grid.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pod: Option<String>,
    /// Capacity that all queues of the node share, bytes; `None` if no limit is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shared_bytes: Option<u64>,
}

/// Direction of a cable.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Link {
    /// Node whose port feeds the link.
    pub from: u32,
    /// Number of that port at the node.
    pub port: u16,
    /// Node at which the link ends.
    pub to: u32,
    /// Rate when the run begins, bit/s.
    pub rate_bps: u64,
    /// Propagation delay, ps.
    pub delay_ps: u64,
    /// Capacity of the queue before the link, packets; `None` if the queue has no separate limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub queue_packets: Option<u64>,
    /// Capacity of that queue in bytes of buffer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub queue_bytes: Option<u64>,
}

/// Tail: the index of chunks, and the results of the run's flows and queries.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tail {
    /// End of the recording, ps; events of this instant are excluded.
    pub to: u64,
    /// Reason for the end, as text for people.
    pub ended: String,
    /// Chunks, in order of time.
    pub chunks: Vec<Span>,
    /// Events of each kind, in the order of the kinds.
    pub counts: Vec<EventCount>,
    /// Number of packets recorded.
    pub packets: u64,
    /// Traffic classes, to which flows and queries refer by number.
    pub classes: Vec<String>,
    /// Flows under way in the window.
    pub flows: Vec<Flow>,
    /// Queries under way in the window.
    pub queries: Vec<Query>,
    /// Flows and queries missing from the lists for lack of room.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub left_out: Option<LeftOut>,
}

/// Counts of flows and queries under way in the window but missing from the tail: those with the highest
/// numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeftOut {
    /// Flows.
    pub flows: u64,
    /// Queries.
    pub queries: u64,
}

/// Index entry of a chunk.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Span {
    /// Position in the file, bytes from the beginning.
    pub offset: u64,
    /// Time of the first event, ps.
    pub from: u64,
    /// Time of the last event, ps.
    pub to: u64,
    /// Number of events.
    pub events: u64,
}

/// Number of events of one kind.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct EventCount {
    /// Word for the kind.
    pub kind: String,
    /// Number of events.
    pub events: u64,
}

/// A flow.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Flow {
    /// Number of the flow.
    pub id: u32,
    /// Sending node.
    pub src: u32,
    /// Receiving node.
    pub dst: u32,
    /// Payload, bytes; `None` if the flow has no end or its size is not known.
    pub bytes: Option<u64>,
    /// Traffic class, by number.
    pub class: u32,
    /// Query to which the flow belongs, as question or answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub query: Option<u32>,
    /// Start of the flow, ps.
    pub start: u64,
    /// Arrival of the last byte, ps; `None` if the run ended before.
    pub end: Option<u64>,
    /// Protocol, addresses and ports, where these identify the packets of a flow, as in `tcp 10.0.0.1:4711
    /// 10.0.0.2:80`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tuple: Option<String>,
}

/// A query.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Query {
    /// Number of the query.
    pub id: u32,
    /// Node that asks.
    pub target: u32,
    /// Traffic class, by number.
    pub class: u32,
    /// Number of responses that complete the query.
    pub responses: u32,
    /// Time of the question, ps.
    pub start: u64,
    /// Completion of the last response, ps; `None` if the run ended before.
    pub end: Option<u64>,
}
