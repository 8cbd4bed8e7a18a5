//! Events of a recording, as sentences.

use crate::chunks::Chunks;
use crate::cursor::{Step, known, walk};
use crate::flags::{CHANGE_MARKED, CHANGE_TRIMMED};
use crate::refused::Refused;
use crate::sentences;
use serde::{Deserialize, Serialize};
use sidestep_recording::{Event, EventKind, Head};
use std::collections::BTreeMap;
use std::ops::ControlFlow;

/// Event, with a sentence about it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct DescribedEvent {
    /// Time, ps.
    pub at: u64,
    /// Most specific word for the event: a kind of event; `detour`, `deflect`, `trim` and `mark` for an
    /// enqueue; `timeout` and `again` for the state of a sender.
    pub kind: &'static str,
    /// Port of the event.
    pub port: Option<u32>,
    /// Packet of the event.
    pub packet: Option<u32>,
    /// Flow of the event.
    pub flow: Option<u32>,
    /// Sentence about the event.
    pub says: String,
}

/// Filter of events: an event must match every condition given.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct EventFilter {
    /// Events at this port, or of packets routed to it.
    pub port: Option<u32>,
    /// Events of this packet.
    pub packet: Option<u32>,
    /// Events of this flow.
    pub flow: Option<u32>,
    /// Events at a port of this node, or packets sent by it.
    pub node: Option<u32>,
    /// Events of these kinds: the words of [`Happening::kind`], and `enqueue` for every enqueue, `window` for
    /// every state of a sender.
    pub kinds: Option<Vec<String>>,
}

/// Returns the most specific word for an event.
pub(crate) fn kind(event: &Event) -> &'static str {
    match event.what {
        EventKind::Enqueue {
            port,
            wanted,
            changes,
            moved,
            ..
        } => match (port != wanted, moved == 1) {
            (true, true) => "deflect",
            (true, false) => "detour",
            _ if changes & CHANGE_TRIMMED != 0 => "trim",
            _ if changes & CHANGE_MARKED != 0 => "mark",
            _ => "enqueue",
        },
        EventKind::Window { cause: 2, .. } => "timeout",
        EventKind::Window { cause: 3, .. } => "again",
        what => what.kind().word(),
    }
}

fn is_kind(event: &Event, word: &str) -> bool {
    match event.what {
        // One packet may be detoured and marked at once.
        EventKind::Enqueue { changes, .. } if word == "mark" => changes & CHANGE_MARKED != 0,
        EventKind::Enqueue { changes, .. } if word == "trim" => changes & CHANGE_TRIMMED != 0,
        _ => kind(event) == word || event.what.kind().word() == word,
    }
}

impl EventFilter {
    fn lets(&self, head: &Head, event: &Event, flow: u32, sent: u32) -> bool {
        let port = event.port();
        let also = match event.what {
            EventKind::Enqueue { wanted, .. } => Some(wanted),
            _ => port,
        };
        let packet = match event.what {
            EventKind::Send { .. } => Some(sent),
            _ => event.packet(),
        };
        let at_node = |node: u32| {
            let links = &head.network.links;
            let owner = |port: u32| links.get(port as usize).is_some_and(|l| l.from == node);
            match event.what {
                EventKind::Send { host, .. } => host == node,
                _ => port.is_some_and(owner),
            }
        };
        let kinds = |kinds: &Vec<String>| kinds.iter().any(|word| is_kind(event, word));
        self.port
            .is_none_or(|want| port == Some(want) || also == Some(want))
            && self.packet.is_none_or(|want| packet == Some(want))
            && self.flow.is_none_or(|want| known(flow) == Some(want))
            && self.node.is_none_or(at_node)
            && self.kinds.as_ref().is_none_or(kinds)
    }
}

/// Describes the event of a step.
pub(crate) fn of(head: &Head, step: &Step<'_>, ends: Option<(u32, u32)>) -> DescribedEvent {
    let packet = match step.event.what {
        EventKind::Send { .. } => Some(step.before.state.next()),
        _ => step.event.packet(),
    };
    DescribedEvent {
        at: step.event.at,
        kind: kind(step.event),
        port: step.event.port(),
        packet,
        flow: known(step.flow),
        says: sentences::sentence(head, step, ends),
    }
}

/// Returns source and destination of each flow in the tail.
pub(crate) fn ends(chunks: &Chunks<'_>) -> BTreeMap<u32, (u32, u32)> {
    let flows = chunks.tail().flows.iter();
    flows.map(|flow| (flow.id, (flow.src, flow.dst))).collect()
}

pub(crate) fn find(
    chunks: &mut Chunks<'_>,
    span: (u64, u64),
    most: usize,
    only: &EventFilter,
) -> Result<Vec<DescribedEvent>, Refused> {
    let mut found = Vec::new();
    if most == 0 {
        return Ok(found);
    }
    let ends = ends(chunks);
    let head = chunks.head().clone();
    let has = |chunks: &Chunks<'_>, i: usize| only.flow.is_none_or(|flow| chunks.has_flow(i, flow));
    walk(chunks, span, has, |step| {
        let sent = step.before.state.next();
        if only.lets(&head, step.event, step.flow, sent) {
            found.push(of(&head, &step, ends.get(&step.flow).copied()));
        }
        match found.len() < most {
            true => ControlFlow::Continue(()),
            false => ControlFlow::Break(()),
        }
    })?;
    Ok(found)
}
