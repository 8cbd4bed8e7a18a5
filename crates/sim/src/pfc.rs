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

use crate::agenda::Agenda;
use crate::fabric::{Fabric, Far};
use crate::layout::{LinkEnds, backs, port_ranges};
use crate::pool::NONE;
use sidestep_types::{BitRate, Bytes, Framing, HEADER_BYTES, Time};
use std::collections::{BTreeSet, VecDeque};

/// When switches pause those who send to them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PfcConfig {
    /// A port that has brought this much, still held, is paused.
    pub xoff: Bytes,
    /// It is resumed at this much or less; `None` is two full packets below `xoff`.
    pub xon: Option<Bytes>,
    /// Room beyond `xoff` for what a pause comes too late for; `None` is [`headroom_needed`].
    pub headroom: Option<Bytes>,
}

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

/// Pauses of a whole network.
pub(crate) struct Pfc {
    links: Vec<Hold>,
    /// Per parcel: the link it came in by to the switch that holds it.
    came_by: Vec<u32>,
    xoff: u64,
    xon: u64,
    frame: u32,
    /// Pauses that switches have sent.
    pub pauses: u64,
    /// Cycles, by link.
    pub deadlocks: Vec<(Time, Vec<u32>)>,
}

/// One directed link: what the switch at its far end holds of it, and the pause of its sender.
struct Hold {
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
    /// Pauses (`true`) and resumes on their way to the sender, and how many there were.
    frames: VecDeque<(Time, bool)>,
    sent_frames: u64,
    /// The sender is paused, since when, how often it was, and for how long before.
    paused: bool,
    since: Time,
    pauses: u64,
    paused_before: Time,
    /// It waits in a cycle, or for one.
    doomed: bool,
}

impl Pfc {
    /// Pauses for the network of `fabric`, whose packets have `mss` bytes of payload at most.
    pub fn new<A: Agenda>(
        config: PfcConfig,
        fabric: &Fabric<A>,
        ends: &[LinkEnds],
        framing: Framing,
        mss: u32,
    ) -> Pfc {
        let full = framing.wire(HEADER_BYTES + mss);
        let ports = port_ranges(ends);
        let hold = |(link, back): (u32, u32)| {
            let wire = fabric.wire(link);
            let headroom = config.headroom;
            let headroom = headroom.unwrap_or_else(|| headroom_needed(wire.rate, wire.delay, full));
            let out = match fabric.links[link].far() {
                Far::Host(_) => 0..0,
                Far::Switch(s) => ports[s as usize].clone(),
            };
            Hold {
                back,
                first_out: out.start,
                held: 0,
                peak: 0,
                room: config.xoff.0.saturating_add(headroom.0),
                waiting_for: vec![0; out.len()],
                asked: false,
                frames: VecDeque::new(),
                sent_frames: 0,
                paused: false,
                since: Time::ZERO,
                pauses: 0,
                paused_before: Time::ZERO,
                doomed: false,
            }
        };
        let two_full = 2 * u64::from(full - framing.unbuffered());
        Pfc {
            links: (0..).zip(backs(ends)).map(hold).collect(),
            came_by: Vec::new(),
            xoff: config.xoff.0,
            xon: (config.xon).map_or(config.xoff.0.saturating_sub(two_full), |xon| xon.0),
            frame: frame_bytes(framing),
            pauses: 0,
            deadlocks: Vec::new(),
        }
    }

    /// Is the sender of `link` paused?
    pub fn paused(&self, link: u32) -> bool {
        self.links[link as usize].paused
    }

    /// Is there room for `bytes` more of what comes in by `ingress`?
    pub fn has_room(&self, ingress: u32, bytes: u32) -> bool {
        let link = &self.links[ingress as usize];
        link.held + u64::from(bytes) <= link.room
    }

    /// The most that was held of what came in by `ingress`.
    pub fn peak(&self, ingress: u32) -> u64 {
        self.links[ingress as usize].peak
    }

    /// How often and how long the sender of `link` has been paused by `now`.
    pub fn seen(&self, link: u32, now: Time) -> (u64, Time) {
        let link = &self.links[link as usize];
        let open = if link.paused {
            now - link.since
        } else {
            Time::ZERO
        };
        (link.pauses, link.paused_before + open)
    }
}

impl<A: Agenda> Fabric<A> {
    /// Counts `parcel`, which waits for `out` now, for the link it came in by, and sends a pause there.
    pub fn hold(&mut self, ingress: u32, out: u32, parcel: u32) {
        let bytes = u32::from(self.pool.get(parcel).packet.wire) - self.unbuffered;
        let Some(pfc) = &mut self.pfc else { return };
        if pfc.came_by.len() <= parcel as usize {
            pfc.came_by.resize(parcel as usize + 1, NONE);
        }
        pfc.came_by[parcel as usize] = ingress;
        let link = &mut pfc.links[ingress as usize];
        link.held += u64::from(bytes);
        link.peak = link.peak.max(link.held);
        link.waiting_for[(out - link.first_out) as usize] += bytes;
        if link.held >= pfc.xoff {
            self.ask(ingress);
        }
        if self.stands_still(ingress) && self.stands_still(out) {
            self.look_for_a_cycle(ingress);
        }
    }

    /// A packet that came over `ingress` found no room. Below xoff that happens when the headroom
    /// is smaller than a packet: the pause is due all the same, since what waits will leave.
    pub fn turned_away(&mut self, ingress: u32) {
        let Some(pfc) = &self.pfc else { return };
        if pfc.links[ingress as usize].held > pfc.xon {
            self.ask(ingress);
        }
    }

    /// Sends a pause to the sender of `ingress`, unless one stands.
    fn ask(&mut self, ingress: u32) {
        let Some(pfc) = &mut self.pfc else { return };
        let link = &mut pfc.links[ingress as usize];
        if !link.asked {
            link.asked = true;
            pfc.pauses += 1;
            self.send_frame(ingress, true);
        }
    }

    /// `parcel` has left by `out`, or was taken out of its queue: it counts no more. Sends a resume.
    pub fn release(&mut self, out: u32, parcel: u32) {
        let bytes = u32::from(self.pool.get(parcel).packet.wire) - self.unbuffered;
        let Some(pfc) = &mut self.pfc else { return };
        let ingress = std::mem::replace(&mut pfc.came_by[parcel as usize], NONE);
        let link = &mut pfc.links[ingress as usize];
        link.held -= u64::from(bytes);
        link.waiting_for[(out - link.first_out) as usize] -= bytes;
        if link.asked && link.held <= pfc.xon {
            link.asked = false;
            self.send_frame(ingress, false);
        }
    }

    /// Sends a pause or resume to the sender of `ingress`: behind the packet on the wire, ahead of all others.
    fn send_frame(&mut self, ingress: u32, pause: bool) {
        let Some(pfc) = &mut self.pfc else { return };
        let link = &mut pfc.links[ingress as usize];
        let back = link.back;
        let sending = self.wiring.sending(back);
        let mut begins = self.now;
        if sending != NONE {
            begins = begins.max(self.pool.get(sending).departs);
        }
        let wire = self.links[back].wire(&self.wiring.wires);
        let arrives = begins + wire.time_to_send(pfc.frame) + wire.delay;
        // Behind one that is under way already.
        let arrives = link
            .frames
            .back()
            .map_or(arrives, |last| arrives.max(last.0));
        link.frames.push_back((arrives, pause));
        if link.frames.len() == 1 {
            self.plan_frame(ingress, arrives);
        }
    }

    fn plan_frame(&mut self, ingress: u32, arrives: Time) {
        let Some(pfc) = &mut self.pfc else { return };
        let link = &mut pfc.links[ingress as usize];
        link.sent_frames += 1;
        let count = link.sent_frames;
        let slot = self.inner_slot(ingress);
        let tie = self.tie(slot, count);
        self.agenda.schedule(slot, arrives, tie);
    }

    /// A pause or resume has reached the sender of `link`.
    pub fn frame_arrived(&mut self, link: u32) {
        let now = self.now;
        let pfc = self.pfc.as_mut().expect("a network with pauses");
        let hold = &mut pfc.links[link as usize];
        let (_, pause) = hold.frames.pop_front().expect("a frame under way");
        let next = hold.frames.front().map(|frame| frame.0);
        hold.paused = pause;
        if pause {
            hold.pauses += 1;
            hold.since = now;
        } else {
            hold.paused_before += now - hold.since;
        }
        if let Some(arrives) = next {
            self.plan_frame(link, arrives);
        }
        if !self.is_idle(link) {
            return;
        }
        if pause {
            self.look_for_a_cycle(link);
        } else {
            self.send_next(link);
        }
    }

    fn is_idle(&self, link: u32) -> bool {
        self.wiring.sending(link) == NONE
    }

    /// Is `link` paused, its last packet gone, and no frame on its way to it?
    fn stands_still(&self, link: u32) -> bool {
        let Some(pfc) = &self.pfc else { return false };
        let hold = &pfc.links[link as usize];
        hold.paused && hold.frames.is_empty() && self.is_idle(link)
    }

    /// Does `link` wait in a cycle, or for one? Notes a new cycle.
    ///
    /// A link that stands still is resumed only when the far switch holds `xon` or less of
    /// it. What waits there for links that stand still as well does not leave. So a set of
    /// them in which each has more than `xon` waiting for others of the set stays as it is.
    pub fn look_for_a_cycle(&mut self, link: u32) {
        if !self.stands_still(link) {
            return;
        }
        let pfc = self.pfc.as_ref().expect("a network with pauses");
        if pfc.links[link as usize].doomed {
            return;
        }
        let waits_for = |link: u32| {
            let hold = &pfc.links[link as usize];
            let waiting = (hold.first_out..).zip(&hold.waiting_for);
            waiting.filter(|(_, bytes)| **bytes > 0)
        };
        let mut set = BTreeSet::from([link]);
        let mut open = vec![link];
        while let Some(next) = open.pop() {
            for (out, _) in waits_for(next) {
                if self.stands_still(out) && set.insert(out) {
                    open.push(out);
                }
            }
        }
        loop {
            let stays = |link: &u32| {
                let inside = waits_for(*link).filter(|(out, _)| set.contains(out));
                inside.map(|(_, bytes)| u64::from(*bytes)).sum::<u64>() > pfc.xon
            };
            let left: BTreeSet<u32> = set.iter().copied().filter(stays).collect();
            if left.len() == set.len() {
                break;
            }
            set = left;
        }
        if !set.contains(&link) {
            return;
        }
        let mut path = vec![link];
        let cycle = loop {
            let last = path[path.len() - 1];
            let next = waits_for(last)
                .map(|(out, _)| out)
                .find(|out| set.contains(out));
            let next = next.expect("every link of the set waits for another");
            if let Some(begins) = path.iter().position(|seen| *seen == next) {
                break path.split_off(begins);
            }
            path.push(next);
        };
        let now = self.now;
        let pfc = self.pfc.as_mut().expect("a network with pauses");
        if !cycle.iter().any(|link| pfc.links[*link as usize].doomed) {
            pfc.deadlocks.push((now, cycle));
        }
        for link in set {
            pfc.links[link as usize].doomed = true;
        }
    }
}
