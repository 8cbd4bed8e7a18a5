//! Soak: a switch that runs for long at a load below its paced rate may lose no frame (RFC 2544's sense), and
//! may not grow.
//!
//! **Load**    a share of the rate of both ports, from both hosts at once, as evenly as the machine lets a
//!             sleeping thread send. Frames that could not be sent on time are left out, not sent in a burst
//!             later, and reported: `left_out`.
//! **Rounds**  one frame size each, RFC 2544's sizes for Ethernet in turn. After each the queues run empty.
//! **Lost**    sent by one host's interface and not received by the other's, by their kernels' own counters.

use super::account::{all_reasons, count, leaks};
use super::flood::{Source, udp_frame};
use super::throughput::{Between, start, tempdir};
use super::wiring::Wiring;
use crate::process::control;
use serde_json::Value;
use std::path::Path;
use std::time::{Duration, Instant};

/// Frame sizes with FCS, RFC 2544 section 9.1.
pub const SIZES: [usize; 7] = [64, 128, 256, 512, 1024, 1280, 1518];

/// Bytes of preamble, gap and FCS.
const AROUND: usize = 24;
/// Sleep of the source between two looks at the clock.
const STEP: Duration = Duration::from_millis(1);
/// Longest burst of the source, as a time at its load.
const BURST: Duration = Duration::from_millis(2);
/// Time that frames may be on their way after a round, on a busy machine.
const PATIENCE: Duration = Duration::from_secs(20);

/// Rounds and load of a soak.
#[derive(Clone, Copy, Debug)]
pub struct SoakPlan {
    /// Number of rounds.
    pub rounds: u32,
    /// Time that each round sends.
    pub time: Duration,
    /// Paced rate of the ports, in bits per second.
    pub rate_bps: u64,
    /// Share of that rate that is sent.
    pub load: f64,
}

/// Result of one round.
#[derive(Clone, Copy, Debug)]
pub struct Round {
    /// Bytes of each frame, with FCS.
    pub bytes: usize,
    /// Time that the round sent.
    pub seconds: f64,
    /// Frames that the interface of each host accepted.
    pub sent: [u64; 2],
    /// Lost frames of each direction; negative if more arrived than were sent.
    pub lost: [i64; 2],
    /// Frames that were due while the source was off its core, and were not sent.
    pub left_out: u64,
    /// Paced rate of the ports, in bits per second.
    pub rate_bps: u64,
}

impl Round {
    /// Returns the share of the paced rate that was sent, in the busier direction.
    pub fn load(&self) -> f64 {
        let frames = self.sent[0].max(self.sent[1]) as f64;
        let bits = ((self.bytes - 4 + AROUND) * 8) as f64;
        frames * bits / self.seconds / self.rate_bps as f64
    }
}

/// Result of a soak.
#[derive(Clone, Debug)]
pub struct Soak {
    /// Results of all rounds.
    pub rounds: Vec<Round>,
    /// Growth of the switch in the second half, in kB.
    pub grown_kb: u64,
    /// CPU time of the switch's main thread, as a share of one core.
    pub cpu: f64,
    /// Last counters of the switch.
    pub counters: Value,
    /// Losses, and sums that do not add up; empty if there are none.
    pub wrong: Vec<String>,
}

/// Makes two hosts send to each other by a switch of the program `command`, whose ports or datapath are `io`,
/// and passes each round to `told`. An error says that the switch ended, or cannot be run here.
pub fn soak(
    command: &Path,
    io: &str,
    plan: SoakPlan,
    told: &mut dyn FnMut(&Round),
) -> Result<Soak, String> {
    let wiring = Wiring::new(2)?;
    let room = tempdir()?;
    let result = run(command, io, plan, &wiring, &room, told);
    let _ = std::fs::remove_dir_all(&room);
    result
}

fn run(
    command: &Path,
    io: &str,
    plan: SoakPlan,
    wiring: &Wiring,
    room: &Path,
    told: &mut dyn FnMut(&Round),
) -> Result<Soak, String> {
    let rate = format!("{} bps", plan.rate_bps);
    // A switch that polls would take as much of a core as half of a link takes at ten times the rate.
    let mut mode = Between::Sleep.mode(&rate).expect("a switch");
    mode.io = io;
    let mut switch = start(command, wiring, room, &mode)?;
    let socket = room.join("s.sock");
    let open = |host: usize| wiring.hosts[host].within(|| Source::open("eth0"));
    let mut sources = [open(0)?, open(1)?];
    let (cpu_ns, began) = (switch.cpu_ns()?, Instant::now());
    let (mut rounds, mut wrong, mut half_kb) = (Vec::new(), Vec::new(), None);
    for number in 0..plan.rounds as usize {
        if half_kb.is_none() && number as u32 >= plan.rounds / 2 {
            half_kb = Some(switch.resident_kb()?);
        }
        let before = InterfaceCounts::now(wiring, &socket, &mut sources)?;
        let bytes = SIZES[number % SIZES.len()];
        let (seconds, left_out) = send(&mut sources, bytes, plan);
        let sent = Instant::now();
        let round = loop {
            if switch.ended() {
                return Err(format!("the switch has ended in round {}", number + 1));
            }
            let now = InterfaceCounts::now(wiring, &socket, &mut sources)?;
            let round = Round {
                bytes,
                seconds,
                sent: [0, 1].map(|host| now.sent[host] - before.sent[host]),
                lost: [0, 1].map(|host| before.lost(&now, host)),
                left_out,
                rate_bps: plan.rate_bps,
            };
            if round.lost == [0, 0] || sent.elapsed() > PATIENCE {
                break round;
            }
            std::thread::sleep(Duration::from_millis(20));
        };
        if round.lost != [0, 0] {
            wrong.push(format!(
                "round {}, {bytes} bytes: lost {:?}",
                number + 1,
                round.lost
            ));
        }
        told(&round);
        rounds.push(round);
    }
    let cpu = (switch.cpu_ns()? - cpu_ns) as f64 / began.elapsed().as_nanos() as f64;
    let grown_kb = match half_kb {
        Some(half) => switch.resident_kb()?.saturating_sub(half),
        None => 0,
    };
    let frames: u64 = rounds.iter().flat_map(|round| round.sent).sum();
    wrong.extend(leaks(frames / 2, grown_kb));
    let counters = control::ask(&socket, "counters")?;
    for number in 0..2 {
        let dropped = all_reasons(&counters, number)?;
        if dropped > 0 {
            wrong.push(format!("p{number}: {dropped} frames dropped or refused"));
        }
    }
    Ok(Soak {
        rounds,
        grown_kb,
        cpu,
        counters,
        wrong,
    })
}

/// Sends frames of `bytes` from both hosts for the time of the plan; returns the real time, and the number of
/// frames left out.
fn send(sources: &mut [Source; 2], bytes: usize, plan: SoakPlan) -> (f64, u64) {
    let frames = [udp_frame(bytes - 4, 0, 1), udp_frame(bytes - 4, 1, 0)];
    let per_s = plan.load * plan.rate_bps as f64 / ((bytes - 4 + AROUND) * 8) as f64;
    let mut pace = Pace::new(per_s);
    let began = Instant::now();
    while began.elapsed() < plan.time {
        let now = pace.due(began.elapsed());
        for (source, frame) in sources.iter_mut().zip(&frames) {
            source.send(std::iter::repeat_n(&frame[..], now as usize));
        }
        std::thread::sleep(STEP);
    }
    (began.elapsed().as_secs_f64(), pace.left_out)
}

/// Number of frames due over time.
struct Pace {
    per_s: f64,
    most: u64,
    done: u64,
    left_out: u64,
}

impl Pace {
    fn new(per_s: f64) -> Pace {
        Pace {
            per_s,
            most: ((per_s * BURST.as_secs_f64()) as u64).max(1),
            done: 0,
            left_out: 0,
        }
    }

    /// Returns the frames to send now, `elapsed` after the start.
    fn due(&mut self, elapsed: Duration) -> u64 {
        // A thousandth of a frame too early, so that rounding makes none late.
        let all = (elapsed.as_secs_f64() * self.per_s + 1e-3) as u64;
        let owed = all.saturating_sub(self.done);
        let now = owed.min(self.most);
        self.left_out += owed - now;
        self.done = all.max(self.done);
        now
    }
}

/// Counters of the interfaces at one instant.
struct InterfaceCounts {
    /// Frames that each host's interface accepted from its source.
    sent: [u64; 2],
    /// Frames that each host's interface received, without those that the switch flooded.
    received: [i64; 2],
}

impl InterfaceCounts {
    fn now(
        wiring: &Wiring,
        socket: &Path,
        sources: &mut [Source; 2],
    ) -> Result<InterfaceCounts, String> {
        let counters = control::ask(socket, "counters")?;
        let received = |host: usize| -> Result<i64, String> {
            let copies = count(&counters, &format!("/ports/p{host}/copies"))?;
            Ok(wiring.received(host)? as i64 - copies as i64)
        };
        Ok(InterfaceCounts {
            sent: [sources[0].sent(), sources[1].sent()],
            received: [received(0)?, received(1)?],
        })
    }

    /// Returns the frames that host `from` has sent since and that did not arrive at the other.
    fn lost(&self, now: &InterfaceCounts, from: usize) -> i64 {
        let to = 1 - from;
        (now.sent[from] - self.sent[from]) as i64 - (now.received[to] - self.received[to])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pace_sends_what_is_due_and_leaves_out_what_was_missed() {
        let mut pace = Pace::new(10_000.0);
        assert_eq!(pace.due(Duration::from_micros(450)), 4);
        assert_eq!(pace.due(Duration::from_micros(450)), 0);
        assert_eq!(pace.due(Duration::from_micros(1000)), 6);
        // 100 ms off the core: as much as two milliseconds bring is sent, the rest never.
        assert_eq!(pace.due(Duration::from_millis(101)), 20);
        assert_eq!(pace.left_out, 980);
        assert_eq!(pace.due(Duration::from_millis(102)), 10);
        assert_eq!(pace.left_out, 980);
    }

    #[test]
    fn what_did_not_arrive_is_lost_in_its_own_direction() {
        let before = InterfaceCounts {
            sent: [5, 7],
            received: [9, 3],
        };
        let now = InterfaceCounts {
            sent: [25, 17],
            received: [19, 20],
        };
        assert_eq!([0, 1].map(|host| before.lost(&now, host)), [3, 0]);
    }

    #[test]
    fn the_load_is_that_of_frames_with_all_that_is_around_them() {
        // 1518 bytes are 1538 on the wire: half of 100 Mbps is 4063.7 frames a second.
        let round = Round {
            bytes: 1518,
            seconds: 10.0,
            sent: [40_637, 40_000],
            lost: [0, 0],
            left_out: 0,
            rate_bps: 100_000_000,
        };
        assert!((round.load() - 0.5).abs() < 1e-4, "{}", round.load());
    }
}
