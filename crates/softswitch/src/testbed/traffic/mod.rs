//! The traffic of one run: connections made beforehand, flows handed over on time, last bytes noted.
//!
//! **Decision**     a thread for each host; each flow has a connection of its own, made before time zero; at its
//!                  start all its bytes are given to the kernel; a flow is finished when its
//!                  last byte has been read by the application at its destination.
//! **State**        nothing outlives a run: the next one makes fresh connections.
//! **Units**        nanoseconds since the run's time zero, one clock (CLOCK_MONOTONIC) for all hosts.
//! **Errors**       a connection that cannot be made fails the run; one that breaks is a warning, and its
//!                  flow is unfinished.

mod clock;
mod connect;
mod counters;
mod host;
mod info;

pub use counters::HostCounters;
pub use info::TcpInfo;

use super::blueprint::Blueprint;
use super::{Error, failed};
use std::os::fd::OwnedFd;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

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

/// What became of a job.
#[derive(Clone, Debug, Default)]
pub struct Ran {
    /// One for each flow.
    pub flows: Vec<FlowRan>,
    /// One for each host: what its kernel counted during the run.
    pub hosts: Vec<HostCounters>,
    /// When it ended.
    pub end_ns: u64,
    /// It was stopped.
    pub interrupted: bool,
    /// The kernel counts timeouts of single connections (Linux 6.7 on).
    pub timeouts_known: bool,
    /// What must be read before trusting its numbers.
    pub warnings: Vec<String>,
}

/// What became of a flow.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FlowRan {
    /// When it was due; `None` if it waited for a flow that did not finish.
    pub due_ns: Option<u64>,
    /// When it was handed over.
    pub started_ns: Option<u64>,
    /// When its last byte had been read.
    pub finished_ns: Option<u64>,
    /// Bytes read.
    pub delivered: u64,
    /// What the kernel says of its sender in the end.
    pub sender: TcpInfo,
    /// And of its receiver.
    pub receiver: TcpInfo,
}

/// What the threads of a run share.
struct Shared<'a> {
    job: &'a Job,
    /// CLOCK_MONOTONIC at the run's time zero.
    zero_ns: u64,
    /// Flows that end and have not yet.
    left: AtomicU64,
    over: AtomicBool,
    /// Readable when it is over.
    bell: OwnedFd,
    warnings: Mutex<Vec<String>>,
}

/// From the last connection until time zero: acknowledgements under way arrive.
const SETTLE: Duration = Duration::from_millis(60);

/// Runs a job on a testbed that is up. When `stop` becomes true it ends where it is.
pub fn run(print: &Blueprint, job: &Job, stop: &AtomicBool) -> Result<Ran, Error> {
    check(print, job).map_err(Error::Input)?;
    let connections = connect::all(print, job)?;
    let before = counters::all(print)?;
    let shared = Shared {
        job,
        zero_ns: clock::now_ns() + SETTLE.as_nanos() as u64,
        left: AtomicU64::new(job.flows.iter().filter(|f| f.bytes.is_some()).count() as u64),
        over: AtomicBool::new(false),
        bell: host::bell().map_err(failed("cannot make an eventfd"))?,
        warnings: Mutex::default(),
    };
    let mut flows = vec![FlowRan::default(); job.flows.len()];
    let end_ns = std::thread::scope(|scope| {
        let mut hosts = Vec::new();
        for h in 0..print.hosts {
            let (shared, connections) = (&shared, &connections);
            hosts.push(scope.spawn(move || host::run(h, connections, shared)));
        }
        let end = wait(&shared, stop);
        for joined in hosts {
            let seen = joined.join().expect("a host's thread does not panic");
            for (flow, what) in seen? {
                let to = &mut flows[flow];
                to.due_ns = what.due_ns.or(to.due_ns);
                to.started_ns = what.started_ns.or(to.started_ns);
                to.finished_ns = what.finished_ns.or(to.finished_ns);
                to.delivered += what.delivered;
            }
        }
        Ok::<u64, Error>(end)
    })?;
    let after = counters::all(print)?;
    for (flow, connection) in flows.iter_mut().zip(&connections) {
        flow.sender = info::of(&connection.sender)?;
        flow.receiver = info::of(&connection.receiver)?;
    }
    Ok(Ran {
        timeouts_known: flows.iter().all(|f| f.sender.total_rto.is_some()),
        flows,
        hosts: after.iter().zip(&before).map(|(a, b)| a.since(b)).collect(),
        end_ns,
        interrupted: stop.load(Ordering::Relaxed),
        warnings: shared.warnings.into_inner().expect("no host panicked"),
    })
}

/// Waits until all is delivered, the horizon has come or someone stops it; rings the bell.
fn wait(shared: &Shared<'_>, stop: &AtomicBool) -> u64 {
    let endless = shared.job.flows.iter().any(|f| f.bytes.is_none());
    let least = if endless { shared.job.lasts_ns } else { 0 };
    let now = || clock::now_ns().saturating_sub(shared.zero_ns);
    loop {
        let at = now();
        let all = shared.left.load(Ordering::Acquire) == 0 && at >= least;
        if all || at >= shared.job.horizon_ns || stop.load(Ordering::Relaxed) {
            shared.over.store(true, Ordering::Release);
            host::ring(&shared.bell);
            return now();
        }
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// Connections that a run may have: each is two descriptors, made one after the other. Assumed.
const MOST_FLOWS: usize = 8192;

fn check(print: &Blueprint, job: &Job) -> Result<(), String> {
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
