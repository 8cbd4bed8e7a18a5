//! Breakdown of a query's completion time: the waits of the flow that completed it last, instant by instant.
//!
//! **Decision**     the chain of packets to follow: the one whose arrival completed the flow; the one that made
//!                  the sender send it (the last acknowledgement, or the end of a timer); the one that made the
//!                  receiver send that acknowledgement; and so on back to the flow's start.
//! **State**        none.
//! **Units**        picoseconds.
//! **Deviations**   the chain shows cause and effect as far as the recording does. A sender that is paced, or
//!                  whose program has nothing to send, looks like one that waits for its window. A timeout is
//!                  recognised by the sender's window; if windows are not recorded, by a retransmission at an
//!                  instant without an acknowledgement.

mod chain;
mod log;
mod sentence;

use crate::chunks::Chunks;
use crate::completions;
use crate::refused::Refused;
use chain::Chain;
use log::Log;
use serde::Serialize;
use sidestep_recording::{Flow, Query};
use std::collections::BTreeMap;

/// Breakdown of a query's completion time: `Breakdown` of `web/src/engine/api.ts`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Breakdown {
    /// Query.
    pub query: Query,
    /// Flow that completed the query last; `None` if none is complete.
    pub last: Option<u32>,
    /// Parts from the query's start to its end, without a gap; to the end of the recording if the query is not
    /// complete.
    pub parts: Vec<Part>,
    /// Total time of each kind.
    pub sums: Vec<Sum>,
    /// Waiting time of packets in queues of switches, by port.
    pub hops: Vec<HopSum>,
    /// Sentence that explains the time.
    pub says: String,
}

/// Part of the time, spent on one wait.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Part {
    /// Kind of the wait: `before`, `host`, `timeout`, `queue`, `detour`, `link`, or `unknown` if the recording
    /// does not show it.
    pub kind: &'static str,
    /// Start of the part, ps.
    pub from: u64,
    /// End of the part, ps.
    pub to: u64,
    /// Sentence about the wait.
    pub says: String,
}

/// Total time of one kind of wait.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Sum {
    /// Kind, as in [`Part`].
    pub kind: &'static str,
    /// Total time, ps.
    pub ps: u64,
}

/// Waiting time of packets in a queue.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct HopSum {
    /// Port of the queue.
    pub port: u32,
    /// Waiting time, ps.
    pub ps: u64,
    /// Number of packets that waited.
    pub packets: u32,
}

/// Kinds of waits, in the order in which sums are listed.
const KINDS: [&str; 7] = [
    "before", "host", "timeout", "queue", "detour", "link", "unknown",
];

pub(crate) fn of(chunks: &mut Chunks<'_>, id: u32) -> Result<Breakdown, Refused> {
    let known = chunks.tail().queries.iter().find(|query| query.id == id);
    let Some(query) = known.cloned() else {
        return Err(Refused::new(format!("query {id} is not in the recording")));
    };
    let last = completions::last(&chunks.tail().flows, id, query.target).cloned();
    let end = query.end.unwrap_or(chunks.tail().to).max(query.start);
    let Some(flow) = last else {
        let parts = fill(Vec::new(), (query.start, end), chunks);
        let says = sentence::of_none(&query, end.saturating_sub(query.start));
        return Ok(Breakdown {
            query,
            last: None,
            sums: sums(&parts),
            parts,
            hops: Vec::new(),
            says,
        });
    };
    let log = Log::read(chunks, &flow, end)?;
    let chain = Chain::follow(chunks, &log, &flow, end.min(flow.end.unwrap_or(end)));
    let mut parts = chain.parts;
    parts.push(before(&query, &flow));
    parts.reverse();
    let parts = fill(parts, (query.start, end), chunks);
    let sums = sums(&parts);
    let mut hops: Vec<HopSum> = chain
        .waits
        .into_iter()
        .filter(|(_, (ps, _))| *ps > 0)
        .map(|(port, (ps, packets))| HopSum { port, ps, packets })
        .collect();
    hops.sort_by_key(|hop| (std::cmp::Reverse(hop.ps), hop.port));
    let told = sentence::SentenceFacts {
        query: &query,
        flow: &flow,
        all: end.saturating_sub(query.start),
        sums: &sums,
        hops: &hops,
        log: &log,
        timeout_after: chain.timeout_after.as_ref(),
        deepest: chain.deepest,
    };
    let says = sentence::of(chunks.head(), &told);
    Ok(Breakdown {
        query,
        last: Some(flow.id),
        parts,
        sums,
        hops,
        says,
    })
}

fn before(query: &Query, flow: &Flow) -> Part {
    Part {
        kind: "before",
        from: query.start,
        to: flow.start,
        says: format!("flow {} has not started", flow.id),
    }
}

/// Makes ordered parts contiguous from `start` to `end`: clips parts outside, and fills gaps with unknown
/// parts.
fn fill(parts: Vec<Part>, (start, end): (u64, u64), chunks: &Chunks<'_>) -> Vec<Part> {
    let (from, to) = (chunks.head().from, chunks.tail().to);
    let mut whole = Vec::new();
    let mut at = start;
    let unknown = |at: u64, until: u64, whole: &mut Vec<Part>| {
        if at >= until {
            return;
        }
        let says = match (at < from, at >= to) {
            (true, _) => "before the recording, or not recorded",
            (_, true) => "after the end of the recording",
            _ => "not recorded",
        };
        whole.push(Part {
            kind: "unknown",
            from: at,
            to: until,
            says: says.into(),
        });
    };
    for part in parts {
        let (begins, ends) = (part.from.clamp(at, end), part.to.clamp(at, end));
        if begins >= ends {
            continue;
        }
        unknown(at, begins, &mut whole);
        at = ends;
        whole.push(Part {
            from: begins,
            to: ends,
            ..part
        });
    }
    unknown(at, end, &mut whole);
    whole
}

fn sums(parts: &[Part]) -> Vec<Sum> {
    let mut by_kind: BTreeMap<&str, u64> = BTreeMap::new();
    for part in parts {
        *by_kind.entry(part.kind).or_default() += part.to - part.from;
    }
    let known = KINDS.iter().filter_map(|kind| {
        let ps = *by_kind.get(kind)?;
        Some(Sum { kind, ps })
    });
    known.collect()
}
