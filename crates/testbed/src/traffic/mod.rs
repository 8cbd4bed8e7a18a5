//! Traffic of one run: connections made beforehand, flows handed over on time, last bytes noted.
//!
//! **Decision**     a thread for each host. Each flow has its own connection, or that of a flow in the opposite
//!                  direction, made before time zero. At its start all its bytes are given to the kernel; a
//!                  flow is finished when the application at its destination has read its last byte. A separate
//!                  thread orders changes of the network.
//! **State**        nothing outlives a run: the next one makes fresh connections.
//! **Units**        nanoseconds since the run's time zero, one clock (CLOCK_MONOTONIC) for all hosts.
//! **Errors**       a connection that cannot be made fails the run; one that breaks is a warning, and its flow
//!                  is unfinished.

mod alpha;
mod announce;
mod changes;
mod clock;
mod connect;
mod counters;
mod host;
mod info;
mod job;
mod multipath;
mod ran;
mod shared;
mod socket;
mod watch;

pub use alpha::{Alpha, ONE as ALPHA_ONE, control};
pub use counters::HostCounters;
pub use info::{CaState, TcpInfo, of as tcp_info};
pub use job::{Flow, Job, LEAST_MSS, Start};
pub use ran::{FlowRan, Ran};
pub use watch::{Answer, Answers, EVERY_NS, MOST as MOST_ANSWERS};

use crate::error::{Error, failed};
use crate::network::blueprint::Blueprint;
use crate::network::changes::Step;
use crate::network::{agent, marks};
use shared::Shared;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering};
use std::time::Duration;

/// Time between the last connection and time zero, in which acknowledgements in flight arrive.
const SETTLE: Duration = Duration::from_millis(60);

/// Runs a job on a testbed that is up; ends early when `stop` becomes true.
pub fn run(print: &Blueprint, job: &Job, stop: &AtomicBool) -> Result<Ran, Error> {
    run_with(print, job, RunActivities::default(), stop)
}

/// Activities during a run, beside its flows.
#[derive(Clone, Copy, Debug, Default)]
pub struct RunActivities<'a> {
    /// Changes of the network, each at its time.
    pub steps: &'a [Step],
    /// True to query the kernel about senders every [`EVERY_NS`].
    pub asks: bool,
}

/// Runs a job with changes or queries during it.
pub fn run_with(
    print: &Blueprint,
    job: &Job,
    during: RunActivities<'_>,
    stop: &AtomicBool,
) -> Result<Ran, Error> {
    job::check(print, job).map_err(Error::Input)?;
    marks::renew(print)?;
    agent::renew(print)?;
    let connections = connect::all(print, job)?;
    announce::all(print, job, &connections)?;
    let watch = during.asks.then(|| watch::Watch::of(&connections));
    let watch = watch.transpose()?;
    let before = counters::all(print)?;
    let awaited = job.awaited();
    let settle_ns = SETTLE.as_nanos() as u64 + print.settle_ns;
    let shared = Shared {
        job,
        zero_ns: clock::now_ns() + settle_ns,
        left: AtomicU64::new(awaited.iter().filter(|is| **is).count() as u64),
        awaited,
        ends: print
            .settings
            .marks
            .as_ref()
            .is_some_and(|marks| !marks.by_sent),
        phases: job.flows.iter().map(|_| AtomicU8::default()).collect(),
        over: AtomicBool::new(false),
        bell: host::bell().map_err(failed("cannot make an eventfd"))?,
        warnings: Mutex::default(),
    };
    let mut flows = vec![FlowRan::default(); job.flows.len()];
    let (end_ns, changed_ns, answers) = std::thread::scope(|scope| {
        let mut hosts = Vec::new();
        for h in 0..print.hosts {
            let (shared, connections) = (&shared, &connections);
            hosts.push(scope.spawn(move || host::run(h, connections, shared)));
        }
        let changing = scope.spawn(|| changes::run(print, during.steps, &shared));
        let (shared, connections) = (&shared, &connections);
        let asking = watch.map(|watch| scope.spawn(move || watch.run(connections, shared)));
        let end = wait(shared, stop);
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
        let changed = changing.join().expect("changes do not panic")?;
        let answers = asking.map(|asking| asking.join().expect("asking does not panic"));
        Ok::<_, Error>((end, changed, answers.transpose()?.unwrap_or_default()))
    })?;
    let after = counters::all(print)?;
    for (flow, connection) in flows.iter_mut().zip(&connections) {
        let info = match connection.multipath {
            true => multipath::info,
            false => info::of,
        };
        flow.sender = info(&connection.sender)?;
        flow.receiver = info(&connection.receiver)?;
    }
    let mut warnings = shared.warnings.into_inner().expect("no host panicked");
    if answers.left_out > 0 {
        warnings.push(format!(
            "kernel.parquet has the first {MOST_ANSWERS} rows; {} later rows are left out",
            answers.left_out
        ));
    }
    Ok(Ran {
        timeouts_known: flows.iter().all(|f| f.sender.total_rto.is_some()),
        flows,
        ends: connections.iter().map(connect::Connection::ends).collect(),
        zero_ns: shared.zero_ns,
        hosts: after.iter().zip(&before).map(|(a, b)| a.since(b)).collect(),
        end_ns,
        changed_ns,
        answers,
        interrupted: stop.load(Ordering::Relaxed),
        warnings,
    })
}

/// Waits until all is delivered, the horizon is reached, or `stop` is set; then rings the bell.
fn wait(shared: &Shared<'_>, stop: &AtomicBool) -> u64 {
    let least = shared.job.least_ns();
    let now = || clock::now_ns().saturating_sub(shared.zero_ns);
    loop {
        let at = now();
        let all = shared.left.load(Ordering::Acquire) == 0 && at >= least;
        if all || at >= shared.job.horizon_ns || stop.load(Ordering::Relaxed) {
            shared.over.store(true, Ordering::Release);
            host::ring(&shared.bell);
            return now();
        }
        // The last look is at the horizon.
        let left = Duration::from_nanos(shared.job.horizon_ns.saturating_sub(at));
        std::thread::sleep(left.min(Duration::from_millis(2)));
    }
}
