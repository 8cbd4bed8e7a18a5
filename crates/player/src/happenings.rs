//! What happened, in sentences.

use crate::chunks::Chunks;
use crate::cursor::{Step, known, walk};
use crate::flags::{CHANGE_MARKED, CHANGE_TRIMMED};
use crate::refused::Refused;
use crate::words;
use serde::{Deserialize, Serialize};
use sidestep_recording::{Event, Head, What};
use std::collections::BTreeMap;
use std::ops::ControlFlow;

/// One thing that happened.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Happening {
    /// When, in picoseconds.
    pub at: u64,
    /// The word that says most of it: a kind of event, or `detour`, `deflect`, `trim` and `mark` of those that join a queue, and `timeout` and
    /// `again` of those that say how a sender stands.
    pub kind: &'static str,
    /// The port that it is about.
    pub port: Option<u32>,
    /// The packet that it is about.
    pub packet: Option<u32>,
    /// The flow that it is about.
    pub flow: Option<u32>,
    /// A sentence.
    pub says: String,
}

/// Which of the things that happened are asked for: those that fit all that is given.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Only {
    /// At this port, or wanting it.
    pub port: Option<u32>,
    /// Of this packet.
    pub packet: Option<u32>,
    /// Of this flow.
    pub flow: Option<u32>,
    /// At a port of this node, or sent by it.
    pub node: Option<u32>,
    /// Of these kinds: the words of [`Happening::kind`], and `enqueue` of all that join a queue, `window` of all that say how a sender stands.
    pub kinds: Option<Vec<String>>,
}

/// The word that says most of an event.
pub(crate) fn kind(event: &Event) -> &'static str {
    match event.what {
        What::Enqueue {
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
        What::Window { cause: 2, .. } => "timeout",
        What::Window { cause: 3, .. } => "again",
        what => what.kind().word(),
    }
}

fn is_kind(event: &Event, word: &str) -> bool {
    match event.what {
        // A packet may be detoured and marked at once.
        What::Enqueue { changes, .. } if word == "mark" => changes & CHANGE_MARKED != 0,
        What::Enqueue { changes, .. } if word == "trim" => changes & CHANGE_TRIMMED != 0,
        _ => kind(event) == word || event.what.kind().word() == word,
    }
}

impl Only {
    fn lets(&self, head: &Head, event: &Event, flow: u32, sent: u32) -> bool {
        let port = event.port();
        let also = match event.what {
            What::Enqueue { wanted, .. } => Some(wanted),
            _ => port,
        };
        let packet = match event.what {
            What::Send { .. } => Some(sent),
            _ => event.packet(),
        };
        let at_node = |node: u32| {
            let links = &head.network.links;
            let owner = |port: u32| links.get(port as usize).is_some_and(|l| l.from == node);
            match event.what {
                What::Send { host, .. } => host == node,
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

/// The thing that happens in a step.
pub(crate) fn of(head: &Head, step: &Step<'_>, ends: Option<(u32, u32)>) -> Happening {
    let packet = match step.event.what {
        What::Send { .. } => Some(step.before.state.next()),
        _ => step.event.packet(),
    };
    Happening {
        at: step.event.at,
        kind: kind(step.event),
        port: step.event.port(),
        packet,
        flow: known(step.flow),
        says: words::sentence(head, step, ends),
    }
}

/// Source and destination of each flow that the tail knows.
pub(crate) fn ends(chunks: &Chunks<'_>) -> BTreeMap<u32, (u32, u32)> {
    let flows = chunks.tail().flows.iter();
    flows.map(|flow| (flow.id, (flow.src, flow.dst))).collect()
}

pub(crate) fn find(
    chunks: &mut Chunks<'_>,
    span: (u64, u64),
    most: usize,
    only: &Only,
) -> Result<Vec<Happening>, Refused> {
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
