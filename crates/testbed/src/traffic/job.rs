//! What hosts are to send, and when.

use crate::network::blueprint::Blueprint;

/// What hosts are to send.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Job {
    /// The flows; others are named by their index here.
    pub flows: Vec<Flow>,
    /// Endless flows last until here, and so does the run if there is one.
    pub lasts_ns: u64,
    /// The run ends here at the latest; flows that are not finished then never are.
    pub horizon_ns: u64,
}

/// A message from one host to another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Flow {
    /// Who sends it.
    pub src: usize,
    /// Who reads it.
    pub dst: usize,
    /// How much; `None` is as much as the network takes.
    pub bytes: Option<u64>,
    /// When it is handed over.
    pub start: Start,
    /// The flow on whose connection it goes back, if it has none of its own: one before it.
    pub back_on: Option<usize>,
}

/// When a flow is handed over.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Start {
    /// At this instant.
    At(u64),
    /// So long after the last byte of a flow that ends at this one's source.
    After {
        /// The flow waited for.
        flow: usize,
        /// And this long after.
        wait_ns: u64,
    },
}

/// Connections that a run may have: each is two descriptors, made one after the other. Assumed.
const MOST_FLOWS: usize = 8192;

/// Says what these hosts cannot run.
pub fn check(print: &Blueprint, job: &Job) -> Result<(), String> {
    if job.flows.len() > MOST_FLOWS {
        return Err(format!(
            "flows of a run: expected at most {MOST_FLOWS}, each a connection made beforehand, got {}",
            job.flows.len()
        ));
    }
    for (i, flow) in job.flows.iter().enumerate() {
        if flow.src >= print.hosts || flow.dst >= print.hosts || flow.src == flow.dst {
            return Err(format!(
                "flow {i}: expected two of {} hosts, got {} and {}",
                print.hosts, flow.src, flow.dst
            ));
        }
        if let Some(first) = flow.back_on {
            let found = job.flows[..i].get(first);
            let turned = |f: &Flow| (f.src, f.dst) == (flow.dst, flow.src) && f.back_on.is_none();
            if !found.is_some_and(turned) {
                return Err(format!(
                    "flow {i} goes back on the connection of flow {first}: expected one before it, the other way, \
                     with a connection of its own"
                ));
            }
        }
        if let Start::After { flow: first, .. } = flow.start {
            let found = job.flows.get(first);
            if found.is_none_or(|f| f.dst != flow.src || f.bytes.is_none()) {
                return Err(format!(
                    "flow {i} waits for flow {first}: expected one that ends, at host {}",
                    flow.src
                ));
            }
        }
    }
    Ok(())
}
