//! Latency of an idle switch: an echo request (ping) and its answer, by the kernel's own stamps.
//!
//! **Set-up**   as [`super::throughput`]: two hosts and a switch, each in a namespace. One host sends a
//!              request of 64 bytes from its own core, and the other host's kernel answers it.
//! **There**    from before the call that sends the request until the kernel of the other host has it: once
//!              through the switch.
//! **Back**     until the kernel of the first host has the answer: twice through the switch, as `ping` shows
//!              it.
//! **Gaps**     the next request is sent at once after the answer, or after a random silence with a given mean:
//!              long silences let cores fall asleep, which delays a bridge as well.
//! **Costs**    CPU time of the switch's main thread, as a share of one core, over the whole run.

use super::flood::{echo_request, pin};
use super::throughput::{Between, Running, bridge, start, tempdir};
use super::wiring::{Wiring, mac};
use crate::io::Port;
use crate::io::interface::Inquiry;
use crate::process::clock::Clock;
use sidestep_types::{Rng, Seed};
use std::path::Path;
use std::time::{Duration, Instant};

/// Rate of the links: a request of 64 bytes is under way for 0.7 us.
const RATE: &str = "1 Gbps";
/// Time after which a request without an answer counts as lost.
const PATIENCE: Duration = Duration::from_secs(1);
/// Uncounted requests at the start: they fill caches, and make the kernel allocate what it needs.
const FIRST: u16 = 20;

/// Mean silence between two requests, and number of requests.
pub const GAPS: [(Duration, u16); 3] = [
    (Duration::ZERO, 2000),
    (Duration::from_millis(1), 500),
    (Duration::from_millis(10), 200),
];

/// Result of the requests with one gap.
#[derive(Clone, Debug)]
pub struct Latency {
    /// Device between the hosts.
    pub between: Between,
    /// Mean silence between an answer and the next request.
    pub gap: Duration,
    /// Time to the other host, in nanoseconds, in the order of sending.
    pub there_ns: Vec<u64>,
    /// Time there and back, in nanoseconds.
    pub back_ns: Vec<u64>,
    /// Requests without an answer.
    pub lost: u64,
    /// CPU time of the switch's main thread, as a share of the time.
    pub cpu: f64,
}

/// Sends requests through the device `between`, with each of [`GAPS`]. `command` is the `sidestep` program.
pub fn latency(command: &Path, between: Between, seed: u64) -> Result<Vec<Latency>, String> {
    let wiring = Wiring::new(2)?;
    let room = tempdir()?;
    let result = measure(command, between, seed, &wiring, &room);
    let _ = std::fs::remove_dir_all(&room);
    result
}

fn measure(
    command: &Path,
    between: Between,
    seed: u64,
    wiring: &Wiring,
    room: &Path,
) -> Result<Vec<Latency>, String> {
    let switch = match between.mode(RATE) {
        Some(mode) => Some(start(command, wiring, room, &mode)?),
        None => {
            bridge(wiring)?;
            None
        }
    };
    // So that the answer needs no address resolution.
    let known = format!("neigh replace 10.9.0.1 lladdr {} dev eth0", mac(0));
    wiring.hosts[1].ip(&known)?;
    let open = |number: usize| -> Result<Port, String> {
        wiring.hosts[number].within(|| {
            let inquiry = Inquiry::new().map_err(|e| e.to_string())?;
            Port::open(&inquiry, "eth0").map_err(|e| e.to_string())
        })
    };
    let mut pinger = Pinger {
        ends: [open(0)?, open(1)?],
        next: 0,
    };
    let mut rng = Seed(seed).stream("latency");
    wiring.hosts[0].within(|| {
        pin(1);
        for _ in 0..FIRST {
            pinger.ping();
        }
        (GAPS.iter())
            .map(|&(gap, requests)| series(&mut pinger, between, gap, requests, &switch, &mut rng))
            .collect()
    })
}

fn series(
    pinger: &mut Pinger,
    between: Between,
    gap: Duration,
    requests: u16,
    switch: &Option<Running>,
    rng: &mut Rng,
) -> Result<Latency, String> {
    let cpu_ns = || switch.as_ref().map_or(Ok(0), Running::cpu_ns);
    let mut latency = Latency {
        between,
        gap,
        there_ns: Vec::new(),
        back_ns: Vec::new(),
        lost: 0,
        cpu: 0.0,
    };
    let (before, began) = (cpu_ns()?, Instant::now());
    for _ in 0..requests {
        if !gap.is_zero() {
            // From half the mean to one and a half, so that requests are in step with no clock.
            let half = gap.as_nanos() as u64 / 2;
            std::thread::sleep(Duration::from_nanos(half + rng.below(2 * half)));
        }
        match pinger.ping() {
            Some([there, back]) => {
                latency.there_ns.push(there);
                latency.back_ns.push(back);
            }
            None => latency.lost += 1,
        }
    }
    let spent = (cpu_ns()? - before) as f64;
    latency.cpu = spent / began.elapsed().as_nanos() as f64;
    Ok(latency)
}

/// Ends of the cables at the two hosts.
struct Pinger {
    ends: [Port; 2],
    next: u16,
}

impl Pinger {
    /// Sends a request; returns the nanoseconds until the other host had it, and until this one had the answer.
    fn ping(&mut self) -> Option<[u64; 2]> {
        const REQUEST: u8 = 8;
        const ANSWER: u8 = 0;
        let number = self.next;
        self.next = number.wrapping_add(1);
        let request = echo_request(0, 1, number);
        let clock = Clock::start();
        let began = Instant::now();
        let sent_ns = clock.read().day_ns;
        self.ends[0].send(std::iter::once(&request[..]));
        let back = loop {
            if let Some(stamp) = self.find(0, ANSWER, number) {
                break stamp;
            }
            if began.elapsed() > PATIENCE {
                return None;
            }
            std::hint::spin_loop();
        };
        let there = self.find(1, REQUEST, number)?;
        Some([there, back].map(|stamp| stamp.saturating_sub(sent_ns)))
    }

    /// Returns the time at which the kernel of host `end` had the echo of this kind and number, if it has it.
    fn find(&mut self, end: usize, kind: u8, number: u16) -> Option<u64> {
        while let Some(stamp) = self.ends[end].stamp() {
            let mut found = false;
            self.ends[end].receive(1, &mut |frame| {
                let is_icmp = frame.len() >= 42 && frame[12..14] == [8, 0] && frame[23] == 1;
                found |= is_icmp && frame[34] == kind && frame[40..42] == number.to_be_bytes();
            });
            if found {
                return Some(stamp);
            }
        }
        None
    }
}

/// Returns the value that a share `quantile`, 0 to 1, of `values` does not exceed, by nearest rank; `None` for
/// no values.
pub fn quantile(values: &[u64], quantile: f64) -> Option<u64> {
    let mut sorted = values.to_vec();
    sorted.sort_unstable();
    let rank = (quantile * sorted.len() as f64).ceil() as usize;
    sorted.get(rank.max(1) - 1).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quantile_is_the_nearest_rank() {
        let values: Vec<u64> = (1..=200).rev().collect();
        assert_eq!(quantile(&values, 0.5), Some(100));
        assert_eq!(quantile(&values, 0.99), Some(198));
        assert_eq!(quantile(&values, 1.0), Some(200));
        assert_eq!(quantile(&[7], 0.01), Some(7));
        assert_eq!(quantile(&[], 0.5), None);
    }
}
