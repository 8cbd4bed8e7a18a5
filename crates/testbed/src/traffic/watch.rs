//! Kernel statistics of flows' senders during a run, queried every 10 ms.
//!
//! **Decision**     a flow is queried from its hand-over on, and for the last time when its last byte has been
//!                  read or the run is over. So each flow that was handed over has at least one answer. A late
//!                  query is not made up for: the next one is made when it is due.
//! **State**        the answers so far, at most [`MOST`]; further answers are counted, not kept.
//! **Units**        nanoseconds since the run's time zero, as measured; segments; alpha in 1024ths.
//! **Errors**       a socket that does not answer ends the run.
//! **Deviations**   flows that share a connection each have the answers of the socket at their sender.

use super::alpha::{self, Alpha};
use super::clock::now_ns;
use super::connect::Connection;
use super::info::{self, TcpInfo};
use super::multipath;
use super::shared::{ENDED, IDLE, Shared};
use crate::error::{Error, failed};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

/// Interval of queries about one flow.
pub const EVERY_NS: u64 = 10_000_000;

/// Largest number of answers that a run keeps: some 150 MB. Assumed.
pub const MOST: usize = 1_000_000;

/// Answer about one sender.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Answer {
    /// Index of the flow in the job.
    pub flow: usize,
    /// Index of the subflow in the kernel's list, for MPTCP.
    pub subflow: Option<usize>,
    /// Time of the query.
    pub at_ns: u64,
    /// Kernel's state of the connection.
    pub info: TcpInfo,
    /// DCTCP's alpha, if in use.
    pub alpha: Option<u32>,
}

/// Answers about a run's senders, in the order of the queries.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Answers {
    /// Kept answers.
    pub list: Vec<Answer>,
    /// Number of answers that were not kept.
    pub left_out: u64,
}

impl Answers {
    fn keep(&mut self, answer: Answer) {
        match self.list.len() < MOST {
            true => self.list.push(answer),
            false => self.left_out += 1,
        }
    }
}

/// Source of each connection's alpha; found before a run, since that starts a program.
pub struct Watch(Vec<Arc<Alpha>>);

impl Watch {
    /// Finds the sources for these connections.
    pub fn of(connections: &[Connection]) -> Result<Watch, Error> {
        let mut known: BTreeMap<String, Arc<Alpha>> = BTreeMap::new();
        let mut all = Vec::new();
        for connection in connections {
            // The sockets of subflows cannot be queried.
            if connection.multipath {
                all.push(Arc::new(Alpha::Nobody));
                continue;
            }
            let name = alpha::control(&connection.sender);
            let name = name.map_err(failed("cannot read TCP_CONGESTION"))?;
            let alpha = match known.get(&name) {
                Some(alpha) => Arc::clone(alpha),
                None => Arc::new(Alpha::of(&connection.sender)?),
            };
            known.insert(name, Arc::clone(&alpha));
            all.push(alpha);
        }
        Ok(Watch(all))
    }

    /// Queries until the run is over.
    pub fn run(&self, connections: &[Connection], shared: &Shared<'_>) -> Result<Answers, Error> {
        let mut answers = Answers::default();
        let mut told = vec![false; connections.len()];
        let mut due = shared.zero_ns;
        loop {
            // Read before the queries, so that the last ones are made after the end.
            let over = shared.over.load(Ordering::Acquire);
            for (flow, connection) in connections.iter().enumerate() {
                let phase = shared.phases[flow].load(Ordering::Acquire);
                if phase == IDLE || told[flow] {
                    continue;
                }
                told[flow] = phase == ENDED;
                self.ask(flow, connection, shared.zero_ns, &mut answers)?;
            }
            if over {
                return Ok(answers);
            }
            let now = now_ns();
            while due <= now {
                due += EVERY_NS;
            }
            std::thread::sleep(Duration::from_nanos(due - now));
        }
    }

    fn ask(
        &self,
        flow: usize,
        connection: &Connection,
        zero_ns: u64,
        answers: &mut Answers,
    ) -> Result<(), Error> {
        let at_ns = now_ns().saturating_sub(zero_ns);
        let mut keep = |subflow, info, alpha| {
            answers.keep(Answer {
                flow,
                subflow,
                at_ns,
                info,
                alpha,
            });
        };
        if connection.multipath {
            let subflows = multipath::subflows(&connection.sender)?;
            for (number, info) in subflows.into_iter().enumerate() {
                keep(Some(number), info, None);
            }
            return Ok(());
        }
        let info = info::of(&connection.sender)?;
        keep(None, info, self.0[flow].read(&connection.sender));
        Ok(())
    }
}
