//! Completion times of flows and queries that were under way in the recording.
//!
//! **Decision**     all flows and queries under way in the recording count, even if they started before it or
//!                  ended after it, so that the slowest are not missing. Those without an end are counted.
//! **Units**        picoseconds.
//! **Source**       slowdown divides by the time of [`sidestep_recording::idle`], as that of tables does: the
//!                  flow's segments leave back to back and are stored and forwarded at each hop of shortest
//!                  paths, without a window, a queue or an acknowledgement.
//! **Deviations**   a recording does not state the segment size: the largest payload in it is used for every
//!                  flow.

use crate::chunks::{Chunks, Sizes};
use serde::Serialize;
use sidestep_recording::idle::{Idle, Segments};
use sidestep_recording::{Flow, Query};

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
    let hosts = network.nodes.iter().take_while(|node| node.host).count();
    let mut idle = Idle::new(hosts, network.nodes.len(), network.links.iter().cloned());
    let mut flows = Vec::new();
    for flow in &tail.flows {
        let Some(bytes) = flow.bytes.filter(|_| under_way(flow.start, flow.end)) else {
            continue;
        };
        let Some(end) = flow.end else {
            unfinished.flows += 1;
            continue;
        };
        let alone = idle.completion(flow.src, flow.dst, segments(bytes, &chunks.sizes));
        let fct = end.saturating_sub(flow.start);
        flows.push(FlowDone {
            id: flow.id,
            class: flow.class,
            bytes,
            fct,
            slowdown: match alone {
                None | Some(0) => 0.0,
                Some(alone) => fct as f64 / alone as f64,
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

/// Returns the segments of a flow of `bytes`.
fn segments(bytes: u64, sizes: &Sizes) -> Segments {
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
    let count = bytes.div_ceil(payload).max(1);
    Segments {
        count,
        full: wire(payload),
        last: wire(bytes.saturating_sub((count - 1).saturating_mul(payload))),
    }
}
