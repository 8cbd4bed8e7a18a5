//! Event loop of one host in a run: hands flows over when they are due and reads arriving data.

use super::clock::now_ns;
use super::connect::Connection;
use super::job::Start;
use super::ran::FlowRan;
use super::shared::{ENDED, Shared, UNDER_WAY};
use crate::error::{Error, failed};
use sidestep_softswitch::process::priority;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};
use std::io;
use std::net::{Shutdown, TcpStream};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::sync::atomic::Ordering;

/// Time to wake up before a flow is due, to poll the clock from then on. A real-time thread wakes at most 5 us
/// late in 99 of 100 cases; longer polling would keep a switch from its core.
const AHEAD_NS: u64 = 10_000;

/// Event number of the bell, beside those of flows.
const BELL: u64 = u64::MAX;

/// Sends and receives host `h`'s flows until the run is over. Returns its measurements of each flow.
pub fn run(
    h: usize,
    connections: &[Connection],
    shared: &Shared<'_>,
) -> Result<BTreeMap<usize, FlowRan>, Error> {
    priority::no_timer_slack();
    // If the real-time priority is refused, hand-overs are late, and the run reports the lateness.
    let _ = priority::Priority::realtime();
    let mut host = Host::new(h, connections, shared).map_err(failed(format!("host {h}")))?;
    host.run().map_err(failed(format!("host {h}")))?;
    Ok(host.seen)
}

struct Host<'a> {
    connections: &'a [Connection],
    shared: &'a Shared<'a>,
    poll: OwnedFd,
    /// Times at which flows are due, by the clock.
    due: BinaryHeap<Reverse<(u64, usize)>>,
    /// For each flow that ends here, the flows that wait for it: the delay, and the latest start.
    waiting: BTreeMap<usize, Vec<(usize, u64, u64)>>,
    /// Bytes not yet handed over, by flow in progress.
    unwritten: BTreeMap<usize, u64>,
    seen: BTreeMap<usize, FlowRan>,
    /// Data to write.
    zeros: Vec<u8>,
}

impl<'a> Host<'a> {
    fn new(
        h: usize,
        connections: &'a [Connection],
        shared: &'a Shared<'a>,
    ) -> io::Result<Host<'a>> {
        let mut host = Host {
            connections,
            shared,
            // SAFETY: creates a descriptor, which is then owned.
            poll: owned(unsafe { libc::epoll_create1(libc::EPOLL_CLOEXEC) })?,
            due: BinaryHeap::new(),
            waiting: BTreeMap::new(),
            unwritten: BTreeMap::new(),
            seen: BTreeMap::new(),
            zeros: vec![0; 1 << 18],
        };
        host.watch(shared.bell.as_raw_fd(), BELL, libc::EPOLLIN, false)?;
        for (i, flow) in shared.job.flows.iter().enumerate() {
            if flow.dst == h {
                host.seen.insert(i, FlowRan::default());
                let fd = connections[i].receiver.as_raw_fd();
                host.watch(fd, i as u64, libc::EPOLLIN, false)?;
            }
            if flow.src == h {
                host.seen.insert(i, FlowRan::default());
                match flow.start {
                    Start::At(ns) => host.due.push(Reverse((shared.zero_ns + ns, i))),
                    Start::After { flow, wait_ns } => {
                        let waiting = host.waiting.entry(flow).or_default();
                        waiting.push((i, wait_ns, u64::MAX));
                    }
                    Start::Replace { flow, until_ns } => {
                        let waiting = host.waiting.entry(flow).or_default();
                        waiting.push((i, 0, until_ns));
                    }
                }
            }
        }
        Ok(host)
    }

    fn run(&mut self) -> io::Result<()> {
        while !self.shared.over.load(Ordering::Acquire) {
            let now = now_ns();
            while let Some(&Reverse((at, flow))) = self.due.peek() {
                if at > now {
                    break;
                }
                self.due.pop();
                self.start(flow, at)?;
            }
            self.listen()?;
        }
        Ok(())
    }

    fn start(&mut self, flow: usize, at: u64) -> io::Result<()> {
        let since = |ns: u64| Some(ns - self.shared.zero_ns);
        let seen = self.seen.get_mut(&flow).expect("one of this host's");
        seen.due_ns = since(at);
        seen.started_ns = since(now_ns());
        self.shared.phases[flow].store(UNDER_WAY, Ordering::Release);
        let bytes = self.shared.job.flows[flow].bytes.unwrap_or(u64::MAX);
        self.unwritten.insert(flow, bytes);
        if self.write(flow)? {
            let fd = self.connections[flow].sender.as_raw_fd();
            self.watch(fd, flow as u64, libc::EPOLLOUT, false)?;
        }
        Ok(())
    }

    /// Hands over as many bytes as the kernel accepts; returns true if some are left.
    fn write(&mut self, flow: usize) -> io::Result<bool> {
        let Some(left) = self.unwritten.get_mut(&flow) else {
            return Ok(false);
        };
        while *left > 0 {
            let most = (*left).min(self.zeros.len() as u64) as usize;
            match send(&self.connections[flow].sender, &self.zeros[..most]) {
                Ok(n) => *left -= n as u64,
                Err(e) if e.kind() == io::ErrorKind::WouldBlock => return Ok(true),
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) => {
                    self.broken(flow, &e);
                    self.unwritten.remove(&flow);
                    return Ok(false);
                }
            }
        }
        self.unwritten.remove(&flow);
        if self.shared.ends {
            let closed = self.connections[flow].sender.shutdown(Shutdown::Write);
            if let Err(why) = closed {
                self.broken(flow, &why);
            }
        }
        Ok(false)
    }

    /// Waits for an event, at most until shortly before the next flow is due.
    fn listen(&mut self) -> io::Result<()> {
        let span = match self.due.peek() {
            Some(Reverse((at, _))) => at.saturating_sub(now_ns()).saturating_sub(AHEAD_NS),
            None => 1_000_000_000,
        };
        // SAFETY: an all-zero event is valid.
        let mut events: [libc::epoll_event; 64] = unsafe { std::mem::zeroed() };
        let wait = libc::timespec {
            tv_sec: (span / 1_000_000_000) as i64,
            tv_nsec: (span % 1_000_000_000) as i64,
        };
        // SAFETY: the kernel writes at most as many events as the array holds.
        let n = unsafe {
            libc::epoll_pwait2(
                self.poll.as_raw_fd(),
                events.as_mut_ptr(),
                events.len() as i32,
                &raw const wait,
                std::ptr::null(),
            )
        };
        if n < 0 {
            let why = io::Error::last_os_error();
            return match why.kind() {
                io::ErrorKind::Interrupted => Ok(()),
                _ => Err(why),
            };
        }
        for event in &events[..n as usize] {
            let (flow, what) = (event.u64, event.events);
            if flow == BELL {
                continue;
            }
            let flow = flow as usize;
            if what & libc::EPOLLOUT as u32 != 0 {
                if !self.write(flow)? {
                    let fd = self.connections[flow].sender.as_raw_fd();
                    self.watch(fd, flow as u64, 0, true)?;
                }
            } else {
                self.read(flow)?;
            }
        }
        Ok(())
    }

    /// Reads and discards all data that has arrived.
    fn read(&mut self, flow: usize) -> io::Result<()> {
        let fd = self.connections[flow].receiver.as_raw_fd();
        let size = self.shared.job.flows[flow].bytes;
        loop {
            // SAFETY: with MSG_TRUNC a TCP socket writes no data: tcp(7).
            let n = unsafe { libc::recv(fd, std::ptr::null_mut(), 1 << 20, libc::MSG_TRUNC) };
            let at = now_ns() - self.shared.zero_ns;
            // End of the stream, after all of its bytes.
            if n == 0 && self.shared.ends && Some(self.seen[&flow].delivered) == size {
                return self.watch(fd, flow as u64, 0, true);
            }
            if n <= 0 {
                let why = io::Error::last_os_error();
                match why.kind() {
                    io::ErrorKind::WouldBlock if n < 0 => return Ok(()),
                    io::ErrorKind::Interrupted if n < 0 => continue,
                    _ => {}
                }
                self.watch(fd, flow as u64, 0, true)?;
                self.broken(flow, &why);
                return Ok(());
            }
            let seen = self.seen.get_mut(&flow).expect("one of this host's");
            seen.delivered += n as u64;
            if Some(seen.delivered) == size {
                seen.finished_ns = Some(at);
                self.shared.phases[flow].store(ENDED, Ordering::Release);
                for (next, wait, until) in self.waiting.remove(&flow).unwrap_or_default() {
                    if at < until {
                        let due = self.shared.zero_ns + at + wait;
                        self.due.push(Reverse((due, next)));
                        // Stored now, as the run may end before the flow starts.
                        let seen = self.seen.get_mut(&next).expect("one of this host's");
                        seen.due_ns = Some(at + wait);
                    }
                }
                if self.shared.awaited[flow] {
                    self.shared.left.fetch_sub(1, Ordering::AcqRel);
                }
            }
        }
    }

    fn broken(&self, flow: usize, why: &io::Error) {
        if self.shared.over.load(Ordering::Acquire) {
            return;
        }
        let mut warnings = self.shared.warnings.lock().expect("no host panicked");
        warnings.push(format!("the connection of flow {flow} broke: {why}"));
    }

    fn watch(&self, fd: i32, name: u64, what: i32, known: bool) -> io::Result<()> {
        let mut event = libc::epoll_event {
            events: what as u32,
            u64: name,
        };
        let how = match known {
            true => libc::EPOLL_CTL_MOD,
            false => libc::EPOLL_CTL_ADD,
        };
        // SAFETY: the kernel reads the event during the call.
        match unsafe { libc::epoll_ctl(self.poll.as_raw_fd(), how, fd, &raw mut event) } {
            0 => Ok(()),
            _ => Err(io::Error::last_os_error()),
        }
    }
}

fn send(stream: &TcpStream, bytes: &[u8]) -> io::Result<usize> {
    let fd = stream.as_raw_fd();
    // SAFETY: reads the slice during the call.
    let n = unsafe { libc::send(fd, bytes.as_ptr().cast(), bytes.len(), libc::MSG_NOSIGNAL) };
    match n {
        0.. => Ok(n as usize),
        _ => Err(io::Error::last_os_error()),
    }
}

/// Creates the descriptor that wakes all hosts at the end.
pub fn bell() -> io::Result<OwnedFd> {
    // SAFETY: creates a descriptor, which is then owned.
    owned(unsafe { libc::eventfd(0, libc::EFD_CLOEXEC | libc::EFD_NONBLOCK) })
}

/// Wakes all hosts. The descriptor is never read, so it stays readable.
pub fn ring(bell: &OwnedFd) {
    let one = 1u64;
    // SAFETY: reads eight bytes.
    unsafe { libc::write(bell.as_raw_fd(), (&raw const one).cast(), 8) };
}

fn owned(fd: i32) -> io::Result<OwnedFd> {
    match fd {
        // SAFETY: just created, with no other owner.
        0.. => Ok(unsafe { OwnedFd::from_raw_fd(fd) }),
        _ => Err(io::Error::last_os_error()),
    }
}
