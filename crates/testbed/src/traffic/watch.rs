//! What the kernel says of the senders of flows while a run lasts, asked every 10 ms.
//!
//! **Decision**     a flow is asked about from its hand-over on, and for the last time when its last byte has been read or
//!                  the run is over. So each flow that was handed over has at least one answer. A question that the
//!                  machine comes to late is not made up for: the next one is asked when it is due.
//! **State**        the answers so far, at most [`MOST`] of them; what is not kept is counted.
//! **Units**        nanoseconds since the run's time zero, as measured; segments; alpha in 1024ths.
//! **Errors**       a socket that does not answer ends the run.
//! **Deviations**   flows that share a connection have each the answers of its socket at their sender.

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

/// Between two questions about one flow.
pub const EVERY_NS: u64 = 10_000_000;

/// The most answers that a run keeps: some 150 MB. Assumed.
pub const MOST: usize = 1_000_000;

/// An answer about one sender.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Answer {
    /// The flow, by its index in the job.
    pub flow: usize,
    /// Of MPTCP, the subflow by its place among those of the kernel.
    pub subflow: Option<usize>,
    /// When it was asked.
    pub at_ns: u64,
    /// What the kernel said.
    pub info: TcpInfo,
    /// DCTCP's, if it has one.
    pub alpha: Option<u32>,
}

/// What a run's senders answered, in the order of asking.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Answers {
    /// Those that are kept.
    pub list: Vec<Answer>,
    /// Those that were too many to keep.
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

/// Who says the alpha of each connection; found before a run, since it takes a program to find it.
pub struct Watch(Vec<Arc<Alpha>>);

impl Watch {
    /// Of these connections.
    pub fn of(connections: &[Connection]) -> Result<Watch, Error> {
        let mut known: BTreeMap<String, Arc<Alpha>> = BTreeMap::new();
        let mut all = Vec::new();
        for connection in connections {
            // No question reaches the sockets of subflows.
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

    /// Asks until the run is over.
    pub fn run(&self, connections: &[Connection], shared: &Shared<'_>) -> Result<Answers, Error> {
        let mut answers = Answers::default();
        let mut told = vec![false; connections.len()];
        let mut due = shared.zero_ns;
        loop {
            // Looked at before the questions: the last ones are asked when it is over.
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
