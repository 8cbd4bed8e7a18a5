//! Pauses: a switch that runs out of room for what one port brings stops the sender there.
//!
//! **Decision**     every packet counts for the port it came in by, from its arrival until its
//!                  last bit has left. Once that is `xoff` or more, a pause goes back over the
//!                  same cable; once it is `xon` or less again, a resume.
//! **State**        per directed link: what is held of it, by output port; whether its sender is
//!                  paused; the frames on their way to it.
//! **Units**        bytes of buffer.
//! **Errors**       none; a packet that finds `xoff` and the headroom used up is dropped as `Full`.
//! **Source**       IEEE 802.3 annex 31B and 802.1Qbb, as DIBS section 6 compares with.
//! **Deviations**   one priority; a pause lasts until its resume (no quanta); a frame waits for
//!                  the packet on the wire and takes its own time, but none from later packets.

use crate::config::PfcConfig;
use crate::layout::{Far, LinkEnds, backs, port_ranges};
use sidestep_switch::ports::{NONE, Wire};
use sidestep_types::{BitRate, Bytes, Framing, Longest, Time};
use std::collections::{BTreeSet, VecDeque};

/// The headroom that loses nothing, for a cable of this rate and delay and packets of `full`
/// bytes of link time: the packet that crosses `xoff`, one on the wire back that the pause
/// waits for, one that the sender has just begun, the pause itself, and what the cable holds
/// both ways.
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

/// Link time of a pause or resume, a frame of 64 bytes.
fn frame_bytes(framing: Framing) -> u32 {
    64 + framing.unbuffered()
}

/// Ports that wait for each other and will for ever.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deadlock {
    /// When the last of them came to a stop.
    pub at: Time,
    /// Indices into the outcome's ports, each paused by the switch where it waits for the next,
    /// the last for the first.
    pub ports: Vec<u32>,
}

/// Pauses of a whole network, by directed link. The gate of a link is state of the switch at its
/// far end, the brake is state of its sender. Frames on the cable are all that passes between
/// them: [`Pfc::send`] puts them into the brake's queue when the gate's switch sends them, with
/// the time at which they arrive.
#[derive(serde::Serialize, serde::Deserialize)]
pub(crate) struct Pfc {
    gates: Vec<Gate>,
    brakes: Vec<Brake>,
    /// Per parcel: the link it came in by to the switch that holds it.
    came_by: Vec<u32>,
    xoff: u64,
    xon: u64,
    /// Link time of a pause or resume, in bytes.
    frame: u32,
}

/// What the switch at a link's far end holds of it.
#[derive(serde::Serialize, serde::Deserialize)]
struct Gate {
    /// The same cable's other direction.
    back: u32,
    /// The link of port 0 of the switch at the far end.
    first_out: u32,
    /// Bytes held, the most there ever were, and the most there is room for.
    held: u64,
    peak: u64,
    room: u64,
    /// The same bytes by the port they wait for.
    waiting_for: Vec<u32>,
    /// The switch has sent a pause, and no resume since.
    asked: bool,
    /// When the frame that was sent last arrives.
    last_frame: Time,
    /// Pauses sent.
    pauses: u64,
}

/// The pause of a link's sender.
#[derive(Default, serde::Serialize, serde::Deserialize)]
struct Brake {
    /// Pauses (`true`) and resumes on their way here, and how many have been planned.
    frames: VecDeque<(Time, bool)>,
    planned: u64,
    /// The sender is paused, since when, how often it was, and for how long before.
    paused: bool,
    since: Time,
    pauses: u64,
    paused_before: Time,
    /// When it last came to a stop: paused, with nothing being sent any more.
    stopped: Time,
}

/// A frame that arrives at the sender of a link: when, and the how many-th it is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FramePlan {
    pub at: Time,
    pub count: u64,
}

impl Pfc {
    /// Takes the place of `built`, the same before the run: all that does not change.
    pub fn stand_as(&mut self, built: Pfc) -> Result<(), String> {
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

    /// Is a pause or a resume on its way to the sender of `link`?
    pub fn expects_frame(&self, link: u32) -> bool {
        !self.brakes[link as usize].frames.is_empty()
    }

    /// Pauses for a network whose longest packet is `longest`. Per link, `wires` and `fars` say how
    /// it is laid.
    pub fn new(
        config: PfcConfig,
        wires: &[Wire],
        fars: &[Far],
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
                Far::Host(_) => 0..0,
                Far::Switch(s) => ports[s as usize].clone(),
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

    /// Is the sender of `link` paused?
    pub fn paused(&self, link: u32) -> bool {
        self.brakes[link as usize].paused
    }

    /// Is there room for `bytes` more of what comes in by `ingress`?
    pub fn has_room(&self, ingress: u32, bytes: u32) -> bool {
        let gate = &self.gates[ingress as usize];
        gate.held + u64::from(bytes) <= gate.room
    }

    /// The most that was held of what came in by `ingress`.
    pub fn peak(&self, ingress: u32) -> u64 {
        self.gates[ingress as usize].peak
    }

    /// Pauses that switches have sent.
    pub fn pauses(&self) -> u64 {
        self.gates.iter().map(|gate| gate.pauses).sum()
    }

    /// How often and how long the sender of `link` has been paused by `now`.
    pub fn seen(&self, link: u32, now: Time) -> (u64, Time) {
        let brake = &self.brakes[link as usize];
        let open = if brake.paused {
            now - brake.since
        } else {
            Time::ZERO
        };
        (brake.pauses, brake.paused_before + open)
    }

    /// The cable's other direction, and the bytes of link time of a pause or resume there.
    pub fn way_back(&self, ingress: u32) -> (u32, u32) {
        (self.gates[ingress as usize].back, self.frame)
    }

    /// Counts `bytes` of `parcel`, which waits for `out` now, for the link it came in by. Says
    /// whether a pause is due there.
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

    /// A packet that came over `ingress` found no room. Below xoff that happens when the headroom
    /// is smaller than a packet: the pause is due all the same, since what waits will leave. Says
    /// whether one is to be sent.
    pub fn turned_away(&mut self, ingress: u32) -> bool {
        let gate = &mut self.gates[ingress as usize];
        gate.held > self.xon && gate.ask()
    }

    /// `bytes` of `parcel` have left by `out`, or were taken out of its queue: they count no more.
    /// Says by which link it came when a resume is due there.
    pub fn release(&mut self, out: u32, parcel: u32, bytes: u32) -> Option<u32> {
        let ingress = std::mem::replace(&mut self.came_by[parcel as usize], NONE);
        let gate = &mut self.gates[ingress as usize];
        gate.held -= u64::from(bytes);
        gate.waiting_for[(out - gate.first_out) as usize] -= bytes;
        let resumes = gate.asked && gate.held <= self.xon;
        gate.asked &= !resumes;
        resumes.then_some(ingress)
    }

    /// Sends a pause or resume to the sender of `ingress`, to arrive at `arrives` or behind one
    /// that is under way already. Says what is to be planned, if nothing was under way.
    pub fn send(&mut self, ingress: u32, pause: bool, arrives: Time) -> Option<FramePlan> {
        let gate = &mut self.gates[ingress as usize];
        gate.last_frame = gate.last_frame.max(arrives);
        let at = gate.last_frame;
        let brake = &mut self.brakes[ingress as usize];
        brake.frames.push_back((at, pause));
        (brake.frames.len() == 1).then(|| brake.plan(at))
    }

    /// A frame has reached the sender of `link`. Says whether it is a pause, and what is to be
    /// planned next.
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

    /// `link` goes down: frames on their way to its sender are lost, and no pause stands. What the
    /// switch at its far end holds of it stays counted.
    pub fn cut(&mut self, link: u32, now: Time) {
        let gate = &mut self.gates[link as usize];
        (gate.asked, gate.last_frame) = (false, Time::ZERO);
        let brake = &mut self.brakes[link as usize];
        brake.frames.clear();
        if std::mem::take(&mut brake.paused) {
            brake.paused_before += now - brake.since;
        }
    }

    /// The sender of `link`, which is paused, sends nothing any more.
    pub fn stopped(&mut self, link: u32, now: Time) {
        self.brakes[link as usize].stopped = now;
    }

    /// The cycles of links that wait for each other and will for ever, as the run leaves them,
    /// each with the time at which the last of its links came to a stop. `idle` says of a link
    /// whether it sends nothing.
    ///
    /// A link that stands still is resumed only when the far switch holds `xon` or less of
    /// it. What waits there for links that stand still as well does not leave. So a set of
    /// them in which each has more than `xon` waiting for others of the set stays as it is, and a
    /// look at the end finds every such set there ever was.
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

    /// Of links that stand still, the largest set in which each waits for others of the set.
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

    /// The cycle that one comes to from `link`, each link waiting for the next in `set`.
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

    /// What the switch at the far end of `link` holds of it: for which of its own links, and how
    /// many bytes.
    fn waits_for(&self, link: u32) -> impl Iterator<Item = (u32, u32)> {
        let gate = &self.gates[link as usize];
        let waiting = (gate.first_out..).zip(gate.waiting_for.iter().copied());
        waiting.filter(|(_, bytes)| *bytes > 0)
    }
}

impl Gate {
    /// Notes that a pause is sent; not when one stands.
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
