//! Process beside the program: it loads and attaches the program, answers requests, and ends.
//!
//! **Decision**     none: no frame passes this process.
//! **State**        the maps' descriptors; privileges are dropped once the program is at its ports.
//! **Errors**       what could not be opened; requests that the program cannot serve.

use super::attach::{Attached, attach, interfaces};
use super::buckets::drops;
use super::compile::need;
use super::counts::Copied;
use super::plan::ProgramConfig;
use super::program::Loaded;
use crate::io::IoCounters;
use crate::process::control::ControlHandler;
use crate::process::lateness::Lateness;
use crate::process::log::Log;
use crate::process::orders::{Order, Orders, orders};
use crate::process::question::Question;
use crate::process::signals::Signals;
use crate::process::snapshot::{PortSnapshot, Snapshot};
use crate::process::start::{ListeningSockets, drop_privileges, heed, thread};
use crate::setup::Setup;
use sidestep_types::Time;
use std::cell::Cell;
use std::os::fd::{AsFd, AsRawFd};
use std::sync::Arc;

/// Runs the switch that `setup` describes in the kernel until SIGTERM, SIGINT or an order to stop; returns its
/// last counters.
pub fn run(setup: &Setup) -> Result<Snapshot, String> {
    let signals = Signals::block();
    let log = Log::new(&setup.name);
    let plan = ProgramConfig::of(setup)?;
    need()?;
    let (sender, orders) = orders().map_err(|e| e.to_string())?;
    let interfaces = interfaces(setup)?;
    let loaded = Loaded::new(plan.sizes)?;
    let started = now_ns();
    loaded.tell(&plan, started, &interfaces)?;
    let attached = attach(&loaded, &plan, setup, interfaces)?;
    let running = Running {
        setup,
        plan,
        loaded,
        attached,
        started,
        forget: Cell::new(0),
    };
    let doors = ListeningSockets::open(setup)?;
    drop_privileges(setup, &log)?;
    let handler = ControlHandler {
        setup: Arc::new(setup.clone()),
        log: log.clone(),
        sender,
        reread: Arc::new(|| Err(RELOAD.into())),
        refuses: refused,
    };
    doors.serve(&handler)?;
    thread("signals", move || heed(&signals, &handler))?;
    if setup.process.seccomp {
        log.say(
            "runs without a system-call filter: it reads the program's maps by bpf(2), which a \
             filter could not tell from other uses",
        );
    }
    log.say(format!(
        "switches {} ports in the kernel",
        setup.ports.len()
    ));
    let ended = running.serve(&orders);
    let last = running.snapshot(running.forget.get());
    match &ended {
        Ok(()) => log.say("stopped"),
        Err(why) => log.say(format!("stopped: {why}")),
    }
    ended?;
    last
}

/// Last usable time: the program compares times below 2^63 picoseconds. An hour before, it ends, so that its
/// supervisor starts it again.
const LAST_NS: u64 = (1 << 63) / 1000 - 3_600_000_000_000;

const RELOAD: &str =
    "reload: the program in the kernel is built for one config; another config needs a restart";

/// Returns the reason why a request cannot be served by the program, if it cannot.
fn refused(question: &Question) -> Option<String> {
    let word = match question {
        Question::Counters | Question::Reset | Question::Stop => return None,
        Question::Reload => return Some(RELOAD.into()),
        Question::Capture { .. } => "capture",
        Question::Note { .. } => "note",
        Question::Change(_) => "change",
        Question::Announce { .. } => "announce",
    };
    Some(format!(
        "{word}: not available with the datapath in the kernel, which answers counters, reset and \
         stop; use --datapath packet"
    ))
}

struct Running<'a> {
    setup: &'a Setup,
    plan: ProgramConfig,
    loaded: Loaded,
    attached: Attached,
    started: u64,
    /// Number of the last order to forget peaks.
    forget: Cell<u64>,
}

impl Running<'_> {
    /// Executes orders until the end.
    fn serve(&self, orders: &Orders) -> Result<(), String> {
        loop {
            match orders.next() {
                Some(Order::Counters(answer)) => {
                    let _ = answer.send(self.snapshot(self.forget.get())?);
                }
                Some(Order::Reset(answer)) => {
                    self.forget.set(self.forget.get() + 1);
                    self.loaded.forget(self.forget.get()).map_err(maps)?;
                    let _ = answer.send(());
                }
                Some(Order::Stop) => return Ok(()),
                // Refused before they are ordered.
                Some(_) => {}
                None if now_ns().saturating_sub(self.started) > LAST_NS => {
                    return Err(
                        "the switch's clock ended after 106 days: restart the switch".into(),
                    );
                }
                None => wait(orders)?,
            }
        }
    }

    fn snapshot(&self, forget: u64) -> Result<Snapshot, String> {
        let machine = self.loaded.machine().map_err(maps)?;
        let queues = self.loaded.queues().map_err(maps)?;
        let now = now_ns().saturating_sub(self.started).saturating_mul(1000);
        let copied = Copied {
            plan: &self.plan,
            machine: &machine,
            queues: &queues,
            forget,
        };
        let machine = copied.counters(self.setup, now);
        let dropped =
            drops().map_err(|e| format!("cannot read the drops of the token buckets: {e}"))?;
        let ports = self.setup.ports.iter().zip(&machine.ports);
        let ports = ports.zip(&self.attached.interfaces);
        let ports = ports.map(|((port, counts), index)| {
            // Limited to frames that have left the queue: a frame may wait longer in its bucket than in the
            // queue.
            let refused = dropped
                .get(index)
                .map_or(0, |n| *n)
                .min(counts.frames.tx_frames);
            PortSnapshot {
                name: port.name.clone(),
                interface: port.interface.clone(),
                running: runs(&port.interface, *index),
                io: IoCounters {
                    received: counts.frames.rx_frames,
                    received_bytes: counts.frames.rx_bytes,
                    sent: counts.frames.tx_frames - refused,
                    sent_bytes: counts.frames.tx_bytes,
                    tx_refused: refused,
                    ..IoCounters::default()
                },
            }
        });
        Ok(Snapshot {
            uptime: Time::from_ps(now),
            ports: ports.collect(),
            machine,
            lateness: Lateness::default(),
            read_lateness: Lateness::default(),
            overtaken: Default::default(),
            lowered: 0,
            captured: Default::default(),
        })
    }
}

/// Returns true if the interface that the program was attached to still exists, and is up.
fn runs(name: &str, index: i32) -> bool {
    let inquiry = crate::io::interface::Inquiry::new().ok();
    let state = inquiry.and_then(|inquiry| inquiry.interface(name).ok());
    state.is_some_and(|state| state.index == index && state.running)
}

fn maps(e: std::io::Error) -> String {
    format!("cannot read or write the program's maps: {e}")
}

/// Sleeps until there is an order, or for a minute.
fn wait(orders: &Orders) -> Result<(), String> {
    let mut fds = [libc::pollfd {
        fd: orders.as_fd().as_raw_fd(),
        events: libc::POLLIN,
        revents: 0,
    }];
    // SAFETY: one entry is read and written.
    let ready = unsafe { libc::poll(fds.as_mut_ptr(), 1, 60_000) };
    match std::io::Error::last_os_error() {
        e if ready < 0 && e.kind() != std::io::ErrorKind::Interrupted => {
            Err(format!("cannot wait for orders: {e}"))
        }
        _ => Ok(()),
    }
}

/// Returns CLOCK_MONOTONIC, as the program reads it.
fn now_ns() -> u64 {
    // SAFETY: the kernel fills the whole of `now`.
    let now = unsafe {
        let mut now: libc::timespec = std::mem::zeroed();
        libc::clock_gettime(libc::CLOCK_MONOTONIC, &raw mut now);
        now
    };
    now.tv_sec as u64 * 1_000_000_000 + now.tv_nsec as u64
}
