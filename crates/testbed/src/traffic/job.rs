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
    /// What it says that it has, which may be wrong: its sockets' class goes by that. `None` without an end.
    pub says: Option<u64>,
    /// Payload of a full segment of its connection; `None` is what its hosts were told.
    pub mss: Option<u32>,
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
    /// In a closed loop: at once after the last byte of a flow that ends at this one's source, if that
    /// was before `until_ns`, and otherwise never.
    Replace {
        /// The flow whose place it takes.
        flow: usize,
        /// The end of the loop.
        until_ns: u64,
    },
}

impl Start {
    /// The flow that it waits for.
    fn follows(self) -> Option<usize> {
        match self {
            Start::At(_) => None,
            Start::After { flow, .. } | Start::Replace { flow, .. } => Some(flow),
        }
    }
}

impl Job {
    /// For each flow, whether the run waits for it: it ends, and is in no closed loop.
    pub fn awaited(&self) -> Vec<bool> {
        let mut awaited: Vec<bool> = self.flows.iter().map(|f| f.bytes.is_some()).collect();
        for (i, flow) in self.flows.iter().enumerate() {
            if let Start::Replace { flow: before, .. } = flow.start {
                awaited[i] = false;
                awaited[before] = false;
            }
        }
        awaited
    }

    /// The run ends here at the earliest: endless flows and loops last until then.
    pub fn least_ns(&self) -> u64 {
        let lasts = |f: &Flow| f.bytes.is_none() || matches!(f.start, Start::Replace { .. });
        match self.flows.iter().any(lasts) {
            true => self.lasts_ns,
            false => 0,
        }
    }
}

/// The least that `TCP_MAXSEG` takes (TCP_MIN_MSS of the kernel).
pub const LEAST_MSS: u32 = 88;
/// What an Ethernet frame holds beside headers without options.
pub const MOST_MSS: u32 = 1460;

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
        if let Some(mss) = flow.mss.filter(|mss| !(LEAST_MSS..=MOST_MSS).contains(mss)) {
            return Err(format!(
                "flow {i}: mss: expected {LEAST_MSS} B to {MOST_MSS} B, which the kernel's TCP_MAXSEG takes and an \
                 Ethernet frame holds, got {mss} B"
            ));
        }
        if let Some(first) = flow.start.follows() {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_waits_for_no_flow_of_a_loop_but_for_its_end() {
        let flow = |start| Flow {
            src: 0,
            dst: 1,
            bytes: Some(10),
            start,
            back_on: None,
            says: None,
            mss: None,
        };
        let until_ns = 500;
        let mut job = Job {
            flows: vec![flow(Start::At(0)), flow(Start::At(0))],
            lasts_ns: 1_000,
            horizon_ns: 2_000,
        };
        assert_eq!((job.awaited(), job.least_ns()), (vec![true, true], 0));
        job.flows.push(flow(Start::Replace { flow: 1, until_ns }));
        assert_eq!(job.awaited(), [true, false, false]);
        assert_eq!(job.least_ns(), 1_000);
    }
}
