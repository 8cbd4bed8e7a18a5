//! Priority flow control: a switch that runs out of room for packets from one port pauses the sender there.
//!
//! **Decision**     every packet counts for the port it came in by, from its arrival until its
//!                  last bit has left. Once that sum is `xoff` or more, a pause goes back over the
//!                  same cable; once it is `xon` or less again, a resume.
//! **State**        per directed link: the bytes held of it, by output port; whether its sender is
//!                  paused; the frames on their way to it.
//! **Units**        bytes of buffer.
//! **Errors**       none; a packet that finds `xoff` and the headroom used up is dropped as `Full`.
//! **Source**       IEEE 802.3 annex 31B and 802.1Qbb, as DIBS section 6 compares with.
//! **Deviations**   one priority; a pause lasts until its resume (no quanta); a frame waits for
//!                  the packet on the wire and takes its own time, but none from later packets.

use crate::config::PfcConfig;
use crate::layout::{FarEnd, LinkEnds, backs, port_ranges};
use sidestep_switch::ports::{NONE, Wire};
use sidestep_types::{BitRate, Bytes, Framing, Longest, Time};
use std::collections::{BTreeSet, VecDeque};

/// Returns the headroom that loses nothing, for a cable of this rate and delay and packets of `full` bytes of
/// link time: the packet that crosses `xoff`, one on the wire back that the pause waits for, one that the
/// sender has just begun, the pause itself, and what the cable holds both ways.
pub fn headroom_needed(rate: BitRate, delay: Time, full: u32) -> Bytes {
    let bits = u128::from(rate.as_bps()) * u128::from(delay.ps()) * 2;
    let on_the_cable = bits.div_ceil(8 * 1_000_000_000_000);
    let rest = 3 * u64::from(full) + u64::from(frame_bytes(Framing::Ethernet));
    Bytes(
        u64::try_from(on_the_cable)
            .unwrap_or(u64::MAX)
            .saturating_add(rest),
    )
}

/// Returns the link time of a pause or resume, a frame of 64 bytes.
fn frame_bytes(framing: Framing) -> u32 {
    64 + framing.unbuffered()
}

/// Ports that wait for each other forever.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deadlock {
    /// Time at which the last of them stopped.
    pub at: Time,
    /// Indices into the outcome's ports, each paused by the switch where it waits for the next, the last for
    /// the first.
    pub ports: Vec<u32>,
}

/// Pauses of a whole network, by directed link. The gate of a link is state of the switch at its far end, the
/// brake is state of its sender. Only frames on the cable pass between them: [`Pfc::send`] puts them into the
/// brake's queue when the gate's switch sends them, with the time at which they arrive.
#[derive(serde::Serialize, serde::Deserialize)]
pub(crate) struct Pfc {
    gates: Vec<Gate>,
    brakes: Vec<Brake>,
    /// Per parcel: the link by which it came to the switch that holds it.
    came_by: Vec<u32>,
    xoff: u64,
    xon: u64,
    /// Link time of a pause or resume, bytes.
    frame: u32,
}

/// Bytes that the switch at a link's far end holds of it.
#[derive(serde::Serialize, serde::Deserialize)]
struct Gate {
    /// Other direction of the cable.
    back: u32,
    /// Link of port 0 of the switch at the far end.
    first_out: u32,
    /// Bytes held, their peak, and the bytes there is room for.
    held: u64,
    peak: u64,
    room: u64,
    /// Bytes held, by the port they wait for.
    waiting_for: Vec<u32>,
    /// Set while a pause was sent and no resume since.
    asked: bool,
    /// Arrival time of the frame sent last.
    last_frame: Time,
    /// Pauses sent.
    pauses: u64,
}

/// Pause state of a link's sender.
#[derive(Default, serde::Serialize, serde::Deserialize)]
struct Brake {
    /// Arrival times of pauses (`true`) and resumes on their way here, and the number scheduled so far.
    frames: VecDeque<(Time, bool)>,
    planned: u64,
    /// Pause state: whether it is paused, since when, how often it was, and for how long before.
    paused: bool,
    since: Time,
    pauses: u64,
    paused_before: Time,
    /// Time at which it last stopped: paused, with no packet being sent.
    stopped: Time,
}

/// Frame that arrives at the sender of a link: its time, and its number among those there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FramePlan {
    pub at: Time,
    pub count: u64,
}

impl Pfc {
    /// Copies everything that does not change from `built`, the same pauses before the run.
    pub fn restore_constants(&mut self, built: Pfc) -> Result<(), String> {
        (self.xoff, self.xon, self.frame) = (built.xoff, built.xon, built.frame);
        let links = built.gates.len();
        let mut same = self.gates.len() == links && self.brakes.len() == links;
        for (kept, built) in self.gates.iter_mut().zip(built.gates) {
            (kept.back, kept.first_out, kept.room) = (built.back, built.first_out, built.room);
            same &= kept.waiting_for.len() == built.waiting_for.len();
        }
        let known = |link: &u32| *link == NONE || (*link as usize) < links;
        match same && self.came_by.iter().all(known) {
            true => Ok(()),
            false => Err("saved pauses do not match the network of the scenario".into()),
        }
    }

    /// Returns true if a pause or a resume is on its way to the sender of `link`.
    pub fn expects_frame(&self, link: u32) -> bool {
        !self.brakes[link as usize].frames.is_empty()
    }

    /// Returns the pauses of a network with packets of up to `longest`. `wires` and `fars` give the rate, delay
    /// and far end of each link.
    pub fn new(
        config: PfcConfig,
        wires: &[Wire],
        fars: &[FarEnd],
        ends: &[LinkEnds],
        framing: Framing,
        longest: Longest,
    ) -> Pfc {
        let full = framing.wire(longest.ip());
        let ports = port_ranges(ends);
        let gate = |(link, back): (usize, u32)| {
            let wire = &wires[link];
            let headroom = config.headroom;
            let headroom = headroom.unwrap_or_else(|| headroom_needed(wire.rate, wire.delay, full));
            let out = match fars[link] {
                FarEnd::Host(_) => 0..0,
                FarEnd::Switch(s) => ports[s as usize].clone(),
            };
            Gate {
                back,
                first_out: out.start,
                held: 0,
                peak: 0,
                room: config.xoff.0.saturating_add(headroom.0),
                waiting_for: vec![0; out.len()],
                asked: false,
                last_frame: Time::ZERO,
                pauses: 0,
            }
        };
        let two_full = 2 * u64::from(full - framing.unbuffered());
        Pfc {
            gates: backs(ends).into_iter().enumerate().map(gate).collect(),
            brakes: ends.iter().map(|_| Brake::default()).collect(),
            came_by: Vec::new(),
            xoff: config.xoff.0,
            xon: (config.xon).map_or(config.xoff.0.saturating_sub(two_full), |xon| xon.0),
            frame: frame_bytes(framing),
        }
    }

    /// Returns true if the sender of `link` is paused.
    pub fn paused(&self, link: u32) -> bool {
        self.brakes[link as usize].paused
    }

    /// Returns true if there is room for `bytes` more that come in by `ingress`.
    pub fn has_room(&self, ingress: u32, bytes: u32) -> bool {
        let gate = &self.gates[ingress as usize];
        gate.held + u64::from(bytes) <= gate.room
    }

    /// Returns the most bytes held of packets that came in by `ingress`.
    pub fn peak(&self, ingress: u32) -> u64 {
        self.gates[ingress as usize].peak
    }

    /// Returns the number of pauses that switches have sent.
    pub fn pauses(&self) -> u64 {
        self.gates.iter().map(|gate| gate.pauses).sum()
    }

    /// Returns how often and how long the sender of `link` has been paused by `now`.
    pub fn seen(&self, link: u32, now: Time) -> (u64, Time) {
        let brake = &self.brakes[link as usize];
        let open = if brake.paused {
            now - brake.since
        } else {
            Time::ZERO
        };
        (brake.pauses, brake.paused_before + open)
    }

    /// Returns the cable's other direction, and the bytes of link time of a pause or resume there.
    pub fn way_back(&self, ingress: u32) -> (u32, u32) {
        (self.gates[ingress as usize].back, self.frame)
    }

    /// Counts `bytes` of `parcel`, now queued for `out`, against the link it came in by. Returns true if a
    /// pause is due there.
    pub fn hold(&mut self, ingress: u32, out: u32, parcel: u32, bytes: u32) -> bool {
        if self.came_by.len() <= parcel as usize {
            self.came_by.resize(parcel as usize + 1, NONE);
        }
        self.came_by[parcel as usize] = ingress;
        let gate = &mut self.gates[ingress as usize];
        gate.held += u64::from(bytes);
        gate.peak = gate.peak.max(gate.held);
        gate.waiting_for[(out - gate.first_out) as usize] += bytes;
        gate.held >= self.xoff && gate.ask()
    }

    /// Handles a packet that came over `ingress` and found no room. Below xoff that happens when the headroom
    /// is smaller than a packet: a pause is due all the same, since queued packets will leave. Returns true if
    /// one must be sent.
    pub fn turned_away(&mut self, ingress: u32) -> bool {
        let gate = &mut self.gates[ingress as usize];
        gate.held > self.xon && gate.ask()
    }

    /// Stops counting `bytes` of `parcel`, which left by `out` or was taken out of its queue. Returns the link
    /// it came by if a resume is due there.
    pub fn release(&mut self, out: u32, parcel: u32, bytes: u32) -> Option<u32> {
        let ingress = std::mem::replace(&mut self.came_by[parcel as usize], NONE);
        let gate = &mut self.gates[ingress as usize];
        gate.held -= u64::from(bytes);
        gate.waiting_for[(out - gate.first_out) as usize] -= bytes;
        let resumes = gate.asked && gate.held <= self.xon;
        gate.asked &= !resumes;
        resumes.then_some(ingress)
    }

    /// Sends a pause or resume to the sender of `ingress`, to arrive at `arrives` or after one already on its
    /// way. Returns what to schedule, if no frame was on its way.
    pub fn send(&mut self, ingress: u32, pause: bool, arrives: Time) -> Option<FramePlan> {
        let gate = &mut self.gates[ingress as usize];
        gate.last_frame = gate.last_frame.max(arrives);
        let at = gate.last_frame;
        let brake = &mut self.brakes[ingress as usize];
        brake.frames.push_back((at, pause));
        (brake.frames.len() == 1).then(|| brake.plan(at))
    }

    /// Handles a frame that has reached the sender of `link`. Returns whether it is a pause, and what to
    /// schedule next.
    pub fn frame_arrived(&mut self, link: u32, now: Time) -> (bool, Option<FramePlan>) {
        let brake = &mut self.brakes[link as usize];
        let (_, pause) = brake.frames.pop_front().expect("a frame under way");
        brake.paused = pause;
        if pause {
            brake.pauses += 1;
            brake.since = now;
        } else {
            brake.paused_before += now - brake.since;
        }
        let next = brake.frames.front().map(|frame| frame.0);
        (pause, next.map(|at| brake.plan(at)))
    }

    /// Takes `link` down: frames on their way to its sender are lost, and its pause ends. Bytes that the switch
    /// at its far end holds of it stay counted.
    pub fn cut(&mut self, link: u32, now: Time) {
        let gate = &mut self.gates[link as usize];
        (gate.asked, gate.last_frame) = (false, Time::ZERO);
        let brake = &mut self.brakes[link as usize];
        brake.frames.clear();
        if std::mem::take(&mut brake.paused) {
            brake.paused_before += now - brake.since;
        }
    }

    /// Marks that the sender of `link`, which is paused, has stopped sending.
    pub fn stopped(&mut self, link: u32, now: Time) {
        self.brakes[link as usize].stopped = now;
    }

    /// Returns the cycles of links that wait for each other forever, at the end of the run, each with the time
    /// at which the last of its links stopped. `idle` returns true for a link that sends nothing.
    ///
    /// A stopped link is resumed only when the far switch holds `xon` or less of it. Packets that wait there
    /// for other stopped links do not leave. So a set of links in which each has more than `xon` waiting for
    /// others of the set never changes, and a look at the end finds every such set there ever was.
    pub fn deadlocks(&self, idle: impl Fn(u32) -> bool) -> Vec<(Time, Vec<u32>)> {
        let stands = |link: &u32| {
            let brake = &self.brakes[*link as usize];
            brake.paused && brake.frames.is_empty() && idle(*link)
        };
        let still: BTreeSet<u32> = (0..self.brakes.len() as u32).filter(stands).collect();
        let mut order: Vec<u32> = self.held_up(still).into_iter().collect();
        order.sort_by_key(|link| (self.brakes[*link as usize].stopped, *link));
        let mut deadlocks = Vec::new();
        let mut doomed = BTreeSet::new();
        for (i, &link) in order.iter().enumerate() {
            let by_then = order[..=i].iter().copied().collect();
            let set = self.held_up(by_then);
            if doomed.contains(&link) || !set.contains(&link) {
                continue;
            }
            let cycle = self.cycle_from(link, &set);
            if !cycle.iter().any(|link| doomed.contains(link)) {
                deadlocks.push((self.brakes[link as usize].stopped, cycle));
            }
            doomed.extend(set);
        }
        deadlocks
    }

    /// Returns the largest set of stopped links in which each waits for others of the set.
    fn held_up(&self, mut set: BTreeSet<u32>) -> BTreeSet<u32> {
        loop {
            let stays = |link: &u32| {
                let inside = self.waits_for(*link).filter(|(out, _)| set.contains(out));
                inside.map(|(_, bytes)| u64::from(bytes)).sum::<u64>() > self.xon
            };
            let left: BTreeSet<u32> = set.iter().copied().filter(stays).collect();
            if left.len() == set.len() {
                return set;
            }
            set = left;
        }
    }

    /// Returns the cycle that `link` leads to, each link waiting for the next in `set`.
    fn cycle_from(&self, link: u32, set: &BTreeSet<u32>) -> Vec<u32> {
        let mut path = vec![link];
        loop {
            let last = path[path.len() - 1];
            let mut inside = self.waits_for(last).map(|(out, _)| out);
            let next = inside.find(|out| set.contains(out));
            let next = next.expect("every link of the set waits for another");
            if let Some(begins) = path.iter().position(|seen| *seen == next) {
                return path.split_off(begins);
            }
            path.push(next);
        }
    }

    /// Returns what the switch at the far end of `link` holds of it: the outgoing links, and the bytes for
    /// each.
    fn waits_for(&self, link: u32) -> impl Iterator<Item = (u32, u32)> {
        let gate = &self.gates[link as usize];
        let waiting = (gate.first_out..).zip(gate.waiting_for.iter().copied());
        waiting.filter(|(_, bytes)| *bytes > 0)
    }
}

impl Gate {
    /// Counts a pause, unless one is in force; returns true if it must be sent.
    fn ask(&mut self) -> bool {
        let first = !self.asked;
        self.asked = true;
        self.pauses += u64::from(first);
        first
    }
}

impl Brake {
    fn plan(&mut self, at: Time) -> FramePlan {
        self.planned += 1;
        FramePlan {
            at,
            count: self.planned,
        }
    }
}
