//! The loop: frames come in, the switch decides, frames leave when they are due.
//!
//! Everything done to the switch happens at the switch's time ([`Arrivals::now`]), which arrivals set, not at
//! the clock's. The loop sleeps in `ppoll` until a frame arrives, the next one is due, an order is given or a
//! link changes, unless the sleep would be short ([`super::polling`]); under load it makes no system calls but
//! those that move frames.

use super::arrivals::Arrivals;
use super::capture::{Capture, Counts};
use super::clock::{Clock, END};
use super::lateness::Lateness;
use super::log::Log;
use super::notes::Notes;
use super::notices::told as told_of;
use super::orders::{Order, Orders};
use super::polling::{Idle, Polling};
use super::priority::Priority;
use super::snapshot::{PortSnapshot, Snapshot};
use crate::io::interface::Inquiry;
use crate::io::links::LinkNews;
use crate::io::{self, Port};
use crate::machine::{Change, Departure, Machine, Watcher};
use sidestep_types::{PortSet, Time};
use std::os::fd::{AsFd, AsRawFd};

/// Interval between looks at links when the loop never sleeps.
const LOOK_EVERY: Time = Time::from_ms(10);
/// Most frames held between leaving the switch and the interface.
const HELD: usize = 256;
/// Most frames passed to an interface in one system call.
const CALL: usize = 64;

/// The loop and everything it owns.
pub struct Engine {
    /// Switch. Declared first: it feeds the capture, so it must be dropped before it.
    pub machine: Machine,
    /// Ports of the switch, in the order of their numbers.
    pub ports: Vec<Port>,
    /// Names of the ports in the config.
    pub names: Vec<String>,
    /// Clock of the switch.
    pub clock: Clock,
    /// Orders from other threads.
    pub orders: Orders,
    /// Notifications of link changes.
    pub news: LinkNews,
    /// Socket for queries about links.
    pub inquiry: Inquiry,
    /// True if the loop never sleeps.
    pub busy: bool,
    /// Behaviour between frames if the loop is not busy.
    pub polling: Polling,
    /// Scheduling class: SCHED_FIFO or ordinary.
    pub priority: Priority,
    /// Log of events.
    pub log: Log,
    capture: Option<Capture>,
    notes: Option<Notes>,
    held: Vec<Departure>,
    by_port: Vec<Vec<Departure>>,
    lateness: Lateness,
    arrivals: Arrivals,
    polled: Vec<libc::pollfd>,
}

impl Engine {
    /// Returns a loop that sleeps and does not poll, as an ordinary thread.
    pub fn new(
        machine: Machine,
        ports: Vec<Port>,
        orders: Orders,
        news: LinkNews,
        inquiry: Inquiry,
        log: Log,
    ) -> Engine {
        let count = ports.len();
        Engine {
            machine,
            names: ports.iter().map(|p| p.name().to_string()).collect(),
            ports,
            clock: Clock::start(),
            orders,
            news,
            inquiry,
            busy: false,
            polling: Polling::new(Time::ZERO),
            priority: Priority::ordinary(),
            log,
            capture: None,
            notes: None,
            held: Vec::with_capacity(HELD),
            by_port: (0..count).map(|_| Vec::with_capacity(HELD)).collect(),
            lateness: Lateness::default(),
            arrivals: Arrivals::default(),
            polled: Vec::with_capacity(2 * count + 2),
        }
    }

    /// Describes the behaviour without frames.
    pub fn idle(&self) -> String {
        match self.busy {
            true => "polls all the time".into(),
            false => self.polling.to_string(),
        }
    }

    /// Starts writing frames and their events to `capture`.
    pub fn watch(&mut self, capture: Capture) {
        self.capture = Some(capture);
        self.rewatch();
    }

    /// Connects the switch to the current capture and notes.
    fn rewatch(&mut self) {
        let capture = self.capture.as_ref();
        let capture = capture.map(|capture| capture.watcher(self.clock, &self.names));
        let notes = self.notes.as_ref();
        let notes = notes.map(|notes| notes.watcher(self.clock));
        let some = capture.is_some() || notes.is_some();
        self.machine
            .watch(some.then(|| -> Watcher { Box::new((capture, notes)) }));
    }

    /// Moves frames until an order to stop. Returns an error at the end of time, 213 days after the start.
    pub fn run(&mut self) -> Result<(), String> {
        let mut looked = self.clock.now();
        self.arrivals.begin(looked);
        loop {
            let now = self.clock.now();
            if now >= END {
                return Err("the switch's clock ends after 213 days: restart the switch".into());
            }
            let got = self.receive();
            let sent = self.send();
            while let Some(order) = self.orders.next() {
                if !self.obey(order) {
                    return Ok(());
                }
            }
            while let Some(notice) = self.machine.poll_notice() {
                self.log.say(told_of(&notice, &self.names));
            }
            if now.saturating_sub(looked) > LOOK_EVERY {
                looked = now;
                self.look(false);
                self.hint();
            }
            if got + sent > 0 {
                self.polling.worked(now);
            }
            if self.busy || got + sent > 0 || !self.wait() {
                self.priority.ran(now);
            }
        }
    }

    /// Reads a round of arrivals, in their order.
    fn receive(&mut self) -> usize {
        let clock = self.clock;
        let (ports, machine) = (&mut self.ports, &mut self.machine);
        (self.arrivals).take(&mut || clock.read(), ports, machine, &mut self.held)
    }

    /// Sends all frames due by the switch's time, in calls of up to [`HELD`] frames. The clock's time will not
    /// do: frames that arrived in between have not been decided on yet.
    fn send(&mut self) -> usize {
        let mut sent = 0;
        let now = self.arrivals.now();
        loop {
            while self.held.len() < HELD
                && let Some(departure) = self.machine.poll_send(now)
            {
                self.held.push(departure);
            }
            if self.held.is_empty() {
                return sent;
            }
            sent += self.held.len();
            self.give();
        }
    }

    /// Passes the held frames to their interfaces.
    fn give(&mut self) {
        for departure in self.held.drain(..) {
            self.by_port[departure.port.index()].push(departure);
        }
        for (port, departures) in self.ports.iter_mut().zip(&mut self.by_port) {
            if departures.is_empty() {
                continue;
            }
            for call in departures.chunks(CALL) {
                let machine = &self.machine;
                port.send(call.iter().map(|d| machine.frame(d.handle)));
                // Read after the call, so that a stall within the call counts, also for the frames before it.
                let now = self.clock.now();
                for departure in call {
                    self.lateness.record(departure.due, now);
                    self.machine.release(departure.handle);
                }
            }
            departures.clear();
        }
    }

    /// Sleeps until there is something to do, if the sleep is long enough; returns true if it slept.
    fn wait(&mut self) -> bool {
        let now = self.clock.now();
        let due = self.machine.next_departure();
        if due.is_some_and(|due| due <= now) {
            return false;
        }
        let Idle::Sleep(timeout) = self.polling.idle(now, due) else {
            std::hint::spin_loop();
            return false;
        };
        self.polled.clear();
        let fds = (self.ports.iter().flat_map(Port::descriptors))
            .chain([self.orders.as_fd(), self.news.as_fd()]);
        for fd in fds {
            self.polled.push(libc::pollfd {
                fd: fd.as_raw_fd(),
                events: libc::POLLIN,
                revents: 0,
            });
        }
        // Rounded up: waking a nanosecond early would waste a round.
        let ns = timeout.as_ns() + 1;
        let timeout = libc::timespec {
            tv_sec: (ns / 1_000_000_000) as i64,
            tv_nsec: (ns % 1_000_000_000) as i64,
        };
        // SAFETY: the kernel reads and writes `polled`, and reads the timeout; no signal mask.
        let ready = unsafe {
            libc::ppoll(
                self.polled.as_mut_ptr(),
                self.polled.len() as libc::nfds_t,
                &raw const timeout,
                std::ptr::null(),
            )
        };
        let hurt = libc::POLLERR | libc::POLLHUP;
        if ready > 0 {
            let links = self.polled.last().is_some_and(|p| p.revents != 0);
            if links || self.polled.iter().any(|p| p.revents & hurt != 0) {
                self.look(true);
            }
        }
        let woken = self.clock.now();
        self.polling.slept(now, woken);
        self.priority.slept(woken);
        true
    }

    /// Queries all ports, if there was news, one is down or `always` is set, and logs changes.
    fn look(&mut self, always: bool) {
        let news = self.news.any();
        if !news && !always && self.ports.iter().all(Port::running) {
            return;
        }
        for port in &mut self.ports {
            let Some(change) = port.look(&self.inquiry) else {
                continue;
            };
            let what = match change {
                io::Change::Up => "is up".to_string(),
                io::Change::Down => "is down: frames to it are dropped".into(),
                io::Change::Gone => "is gone: frames to it are dropped until it is back".into(),
                io::Change::New(None) => "was recreated and is in use again".into(),
                io::Change::New(Some(e)) => format!("was recreated, but {e}"),
            };
            self.log.say(format!("interface {} {what}", port.name()));
        }
    }

    /// Logs once where frames with unfinished checksums come from: a network silent for this reason is the most
    /// common first problem with veth pairs.
    fn hint(&mut self) {
        for (port, name) in self.ports.iter_mut().zip(&self.names) {
            if port.hinted || port.counters().unfinished_checksum == 0 {
                continue;
            }
            port.hinted = true;
            self.log.say(format!(
                "port {name}: drops frames whose checksum the sender left to hardware; run on the \
                 host at the other end: ethtool -K INTERFACE tx off sg off tso off gso off gro off \
                 rx off"
            ));
        }
    }

    /// Executes an order; returns false to end.
    fn obey(&mut self, order: Order) -> bool {
        match order {
            Order::Counters(answer) => {
                let _ = answer.send(self.snapshot());
            }
            Order::Reset(answer) => {
                self.lateness = Lateness::default();
                self.arrivals.forget();
                self.machine.forget_peaks(self.arrivals.now());
                let _ = answer.send(());
            }
            Order::Reload(setup, answer) => {
                let now = self.arrivals.now();
                let _ = answer.send(self.machine.reload(now, &setup));
            }
            Order::Capture(capture, answer) => {
                let before = std::mem::replace(&mut self.capture, capture);
                self.rewatch();
                let counts = before.as_ref().map_or(Counts::default(), Capture::counts);
                // The capture's thread completes the file; the loop does not wait for it.
                let _ = answer.send((counts, before.and_then(Capture::finish)));
            }
            Order::Note(notes, answer) => {
                let before = std::mem::replace(&mut self.notes, notes);
                self.rewatch();
                let _ = answer.send(before);
            }
            Order::Change(change, answer) => {
                let done = self.machine.change(self.arrivals.now(), &change);
                if let Ok(dropped) = &done {
                    self.log.say(told(&change, *dropped, &self.names));
                }
                let _ = answer.send(done);
            }
            Order::Announce(port, all, answer) => {
                let _ = answer.send(self.machine.announce(self.arrivals.now(), port, &all));
            }
            Order::Stop => return false,
        }
        true
    }

    /// Returns a snapshot of all counters.
    pub fn snapshot(&mut self) -> Snapshot {
        Snapshot {
            uptime: self.clock.now(),
            machine: self.machine.counters(self.arrivals.now()),
            ports: (self.ports.iter_mut())
                .zip(&self.names)
                .map(|(port, name)| PortSnapshot {
                    name: name.clone(),
                    interface: port.name().to_string(),
                    running: port.running(),
                    io: port.counters(),
                })
                .collect(),
            lateness: self.lateness.clone(),
            read_lateness: self.arrivals.late().clone(),
            overtaken: self.arrivals.overtaken(),
            lowered: self.priority.lowered(),
            captured: (self.capture.as_ref()).map_or(Counts::default(), Capture::counts),
        }
    }
}

/// Describes a change.
fn told(change: &Change, dropped: u64, names: &[String]) -> String {
    let named = |ports: &PortSet| -> String {
        let names: Vec<&str> = ports.iter().map(|port| &*names[port.index()]).collect();
        names.join(", ")
    };
    match change {
        Change::Rate(ports, rate) => format!("change: {} at {rate}", named(ports)),
        Change::Down(ports) => {
            format!("change: {} down, {dropped} frames dropped", named(ports))
        }
        Change::Up(ports) => format!("change: {} up", named(ports)),
        Change::Ways { stations, .. } => {
            format!("change: new next hops for {} stations", stations.len())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::process::orders::orders;
    use crate::setup::Setup;

    #[test]
    fn a_loop_polls_after_work_and_sleeps_without_any() {
        let text = "[switch]\n[[port]]\ninterface = \"none\"\nrate = \"1 Gbps\"\n";
        let machine = Machine::new(&Setup::read("s.toml", text).unwrap()).unwrap();
        let (sender, orders) = orders().unwrap();
        let (news, inquiry) = (LinkNews::listen().unwrap(), Inquiry::new().unwrap());
        let mut engine = Engine::new(machine, vec![], orders, news, inquiry, Log::new("s"));
        // An order that would end a sleep at once.
        sender.give(Order::Stop);
        assert!(engine.wait(), "it does not poll unless it is told to");
        // Longer than any stall of the machine.
        let day = Time::from_s(24 * 3600);
        engine.clock = Clock::started(day);
        engine.polling = Polling::new(day);
        assert!(engine.wait(), "there was no work yet");
        engine.polling.worked(engine.clock.now());
        assert!(!engine.wait(), "there was work");
    }

    #[test]
    fn a_loop_ends_with_a_reason_before_its_clock_does() {
        let text = "[switch]\n[[port]]\ninterface = \"none\"\nrate = \"1 Gbps\"\n";
        let machine = Machine::new(&Setup::read("s.toml", text).unwrap()).unwrap();
        let (sender, orders) = orders().unwrap();
        let (news, inquiry) = (LinkNews::listen().unwrap(), Inquiry::new().unwrap());
        let mut engine = Engine::new(machine, vec![], orders, news, inquiry, Log::new("s"));
        sender.give(Order::Stop);
        engine.clock = Clock::started(Time::from_s(200 * 24 * 3600));
        assert_eq!(engine.run(), Ok(()));
        engine.clock = Clock::started(END);
        let reason = engine.run().unwrap_err();
        assert!(reason.contains("213 days"), "{reason}");
    }
}
