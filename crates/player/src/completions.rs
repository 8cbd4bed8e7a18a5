//! Completion times of flows and queries that were under way in the recording.
//!
//! **Decision**     all flows and queries under way in the recording count, even if they started before it or
//!                  ended after it, so that the slowest are not missing. Those without an end are counted.
//! **Units**        picoseconds.
//! **Source**       slowdown divides by the time of `crates/lab/src/ideal.rs`: the flow's segments leave back
//!                  to back and are stored and forwarded at each hop of a shortest path, without a window, a
//!                  queue or an acknowledgement.
//! **Deviations**   a recording does not state the segment size: the largest payload in it is used for every
//!                  flow.

use crate::chunks::{Chunks, Sizes, time_to_send};
use crate::paths;
use serde::Serialize;
use sidestep_recording::{Flow, Link, Query};
use std::collections::BTreeMap;

/// Completed flows and queries.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Completions {
    /// Completed flows of known size.
    pub flows: Vec<FlowDone>,
    /// Completed queries.
    pub queries: Vec<QueryDone>,
    /// Counts of flows and queries without an end.
    pub unfinished: Unfinished,
}

/// Flows and queries under way in the recording that did not end within the run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Unfinished {
    /// Flows of known size.
    pub flows: u32,
    /// Queries.
    pub queries: u32,
}

/// Completed flow.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FlowDone {
    /// Number of the flow.
    pub id: u32,
    /// Traffic class, by number.
    pub class: u32,
    /// Payload, bytes.
    pub bytes: u64,
    /// Flow completion time, ps: from the start to the arrival of the last byte.
    pub fct: u64,
    /// Slowdown: `fct` over the time the flow would take alone; 0 if no path joins its hosts.
    pub slowdown: f64,
    /// Detours and deflections of the flow's packets and acknowledgements within the recording.
    pub detours: u32,
    /// Query to which the flow belongs, as question or answer.
    pub query: Option<u32>,
}

/// Completed query.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct QueryDone {
    /// Number of the query.
    pub id: u32,
    /// Traffic class, by number.
    pub class: u32,
    /// Query completion time, ps: from the question to the completion of the last response.
    pub qct: u64,
    /// Number of responses that completed the query.
    pub responses: u32,
}

pub(crate) fn of(chunks: &Chunks<'_>) -> Completions {
    let tail = chunks.tail();
    let (from, to) = (chunks.head().from, tail.to);
    let under_way = |start: u64, end: Option<u64>| start < to && end.is_none_or(|end| end >= from);
    let mut unfinished = Unfinished::default();
    let network = &chunks.head().network;
    let out = paths::out(network);
    let mut far = BTreeMap::new();
    let mut flows = Vec::new();
    for flow in &tail.flows {
        let Some(bytes) = flow.bytes.filter(|_| under_way(flow.start, flow.end)) else {
            continue;
        };
        let Some(end) = flow.end else {
            unfinished.flows += 1;
            continue;
        };
        let far = far
            .entry(flow.dst)
            .or_insert_with(|| paths::distances(network, flow.dst));
        let path = paths::path(&out, far, flow.src);
        let ideal = path.map_or(0, |path| ideal(&path, bytes, &chunks.sizes));
        let fct = end.saturating_sub(flow.start);
        flows.push(FlowDone {
            id: flow.id,
            class: flow.class,
            bytes,
            fct,
            slowdown: match ideal {
                0 => 0.0,
                ideal => fct as f64 / ideal as f64,
            },
            detours: chunks.detours.get(&flow.id).copied().unwrap_or(0),
            query: flow.query,
        });
    }
    let mut queries = Vec::new();
    let asked = |query: &&Query| under_way(query.start, query.end);
    for query in tail.queries.iter().filter(asked) {
        let Some(end) = query.end else {
            unfinished.queries += 1;
            continue;
        };
        queries.push(QueryDone {
            id: query.id,
            class: query.class,
            qct: end.saturating_sub(query.start),
            responses: query.responses,
        });
    }
    Completions {
        flows,
        queries,
        unfinished,
    }
}

/// Returns the flow that completed a query: the answer that ended last.
pub(crate) fn last(flows: &[Flow], query: u32, target: u32) -> Option<&Flow> {
    let answers = flows
        .iter()
        .filter(|flow| flow.query == Some(query) && flow.dst == target && flow.end.is_some());
    // The first of several that end at one instant.
    answers.rev().max_by_key(|flow| flow.end)
}

/// Returns the completion time of a flow alone on its path, ps.
fn ideal(path: &[&Link], bytes: u64, sizes: &Sizes) -> u64 {
    // Without data in the recording: the payload of TCP over Ethernet.
    let payload = if sizes.payload == 0 {
        1460
    } else {
        sizes.payload
    };
    let headers = sizes.buffer.saturating_sub(sizes.payload);
    let payload = u64::from(payload);
    let wire = |bytes: u64| {
        let buffer = bytes.saturating_add(headers.into()).max(sizes.least.into());
        buffer.saturating_add(sizes.unbuffered.into())
    };
    let segments = bytes.div_ceil(payload).max(1);
    let last = wire(bytes.saturating_sub((segments - 1).saturating_mul(payload)));
    let full = wire(payload);
    let sum = |times: &mut dyn Iterator<Item = u64>| times.fold(0, u64::saturating_add);
    let delays = sum(&mut path.iter().map(|link| link.delay_ps));
    let rest = |from: usize| {
        let links = path[from..].iter();
        sum(&mut links.map(|link| time_to_send(last, link.rate_bps)))
    };
    if segments == 1 {
        return delays.saturating_add(rest(0));
    }
    let (mut along, mut slowest, mut longest) = (0_u64, 0, 0);
    for (i, link) in path.iter().enumerate() {
        let one = time_to_send(full, link.rate_bps);
        along = along.saturating_add(one);
        slowest = one.max(slowest);
        let waits = slowest.saturating_mul(segments - 2);
        longest = along
            .saturating_add(waits)
            .saturating_add(rest(i))
            .max(longest);
    }
    delays.saturating_add(longest)
}
