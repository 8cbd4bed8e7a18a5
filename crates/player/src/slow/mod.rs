//! Why a query took so long: what the flow that completed it last was waiting for, instant by instant.
//!
//! **Decision**     which packet everything waited for: the one whose arrival completed the flow, before it what made its sender send it (the
//!                  acknowledgement that came last, or the end of a timer), before that what made the receiver send that, back to the flow's start.
//! **State**        none.
//! **Units**        picoseconds.
//! **Deviations**   the chain is one of cause and effect as far as a recording shows it. A sender that is paced, or whose program has nothing to send,
//!                  looks as one that waits for its window. A timeout is known by the sender's window, and where windows are not recorded by a packet
//!                  that is sent again at an instant at which no acknowledgement arrives.

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

/// Why a query took so long: `Breakdown` of `web/src/engine/api.ts`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Breakdown {
    /// The query.
    pub query: Query,
    /// The flow that completed it last; `None` where none is complete.
    pub last: Option<u32>,
    /// From the query's start to its end, without a gap. Of a query that is not complete: to the end of the recording.
    pub parts: Vec<Part>,
    /// How long each kind took.
    pub sums: Vec<Sum>,
    /// How long packets waited in queues of switches, by port.
    pub hops: Vec<HopSum>,
    /// Why it was slow.
    pub says: String,
}

/// One thing that was waited for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Part {
    /// `before`, `host`, `timeout`, `queue`, `detour`, `link`, and `unknown` where the recording does not say.
    pub kind: &'static str,
    /// From this instant.
    pub from: u64,
    /// To this one.
    pub to: u64,
    /// What it was.
    pub says: String,
}

/// How long a kind of waiting took.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Sum {
    /// As in [`Part`].
    pub kind: &'static str,
    /// Picoseconds.
    pub ps: u64,
}

/// How long packets waited in a queue.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct HopSum {
    /// Of this port.
    pub port: u32,
    /// Picoseconds.
    pub ps: u64,
    /// How many of them.
    pub packets: u32,
}

/// The kinds, in the order in which sums are told.
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
    let told = sentence::Told {
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

/// Parts in their order become parts that follow each other from `start` to `end`: what is outside is cut off, and what is missing is not known.
fn fill(parts: Vec<Part>, (start, end): (u64, u64), chunks: &Chunks<'_>) -> Vec<Part> {
    let (from, to) = (chunks.head().from, chunks.tail().to);
    let mut whole = Vec::new();
    let mut at = start;
    let unknown = |at: u64, until: u64, whole: &mut Vec<Part>| {
        if at >= until {
            return;
        }
        let says = match (at < from, at >= to) {
            (true, _) => "the recording has not begun, or does not say",
            (_, true) => "the recording has ended",
            _ => "the recording does not say",
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
