//! Job of a run: the flows that hosts send, and their times.

use crate::network::blueprint::Blueprint;

/// Flows for hosts to send.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Job {
    /// Flows, which refer to each other by index.
    pub flows: Vec<Flow>,
    /// End of endless flows, and the earliest end of a run that has one.
    pub lasts_ns: u64,
    /// Latest end of the run; flows that are unfinished then stay unfinished.
    pub horizon_ns: u64,
}

/// Message from one host to another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Flow {
    /// Sending host.
    pub src: usize,
    /// Receiving host.
    pub dst: usize,
    /// Size in bytes; `None` for an endless flow.
    pub bytes: Option<u64>,
    /// Time of the hand-over.
    pub start: Start,
    /// Earlier flow whose connection it uses in the opposite direction, if it has no connection itself.
    pub back_on: Option<usize>,
    /// Announced size, which may be wrong: the class of its sockets depends on it. `None` for an endless flow.
    pub says: Option<u64>,
    /// Payload of a full segment of its connection; `None` for the hosts' setting.
    pub mss: Option<u32>,
}

/// Time of a flow's hand-over.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Start {
    /// At this instant.
    At(u64),
    /// After the last byte of a flow that ends at this one's source.
    After {
        /// Flow to wait for.
        flow: usize,
        /// Delay after its last byte.
        wait_ns: u64,
    },
    /// In a closed loop: immediately after the last byte of a flow that ends at this one's source, if that is
    /// before `until_ns`; otherwise never.
    Replace {
        /// Flow to replace.
        flow: usize,
        /// End of the loop.
        until_ns: u64,
    },
}

impl Start {
    /// Returns the flow it waits for.
    fn follows(self) -> Option<usize> {
        match self {
            Start::At(_) => None,
            Start::After { flow, .. } | Start::Replace { flow, .. } => Some(flow),
        }
    }
}

impl Job {
    /// Returns for each flow whether the run waits for it: the flow is finite, and in no closed loop.
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

    /// Returns the earliest end of the run: that of endless flows and loops.
    pub fn least_ns(&self) -> u64 {
        let lasts = |f: &Flow| f.bytes.is_none() || matches!(f.start, Start::Replace { .. });
        match self.flows.iter().any(lasts) {
            true => self.lasts_ns,
            false => 0,
        }
    }
}

/// Smallest value that `TCP_MAXSEG` accepts (TCP_MIN_MSS of the kernel).
pub const LEAST_MSS: u32 = 88;
/// Payload of a full Ethernet frame with headers without options.
pub const MOST_MSS: u32 = 1460;

/// Largest number of connections of a run: each has two descriptors, and they are made one after the other.
/// Assumed.
const MOST_FLOWS: usize = 8192;

/// Refuses a job that these hosts cannot run.
pub fn check(print: &Blueprint, job: &Job) -> Result<(), String> {
    if job.flows.len() > MOST_FLOWS {
        return Err(format!(
            "flows of a run: expected at most {MOST_FLOWS}, since each needs a connection, got {}",
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
                    "flow {i} shares the connection of flow {first}: expected an earlier flow in \
                     the opposite direction that opens a connection"
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
                    "flow {i} waits for flow {first}: expected a finite flow to host {}",
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
