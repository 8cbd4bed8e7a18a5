//! Frames taken in the order in which they came, each at the time at which it came.
//!
//! **Decision**     a frame arrives when the kernel stamped it, not when the loop reads it, so that a loop that was off
//!                  its core decides what it would have decided in time. What left before a frame came is taken out of
//!                  the switch before it is decided about. The rule of times: an arrival is never before what was decided
//!                  or taken out already, and never later than the reading; a stamp that says otherwise is moved to
//!                  that end.
//! **State**        the switch's time: all that came by then and could be seen was taken. It moves to the instant of a look
//!                  at all ports, never to the clock itself: a thread may be stopped between any two of its steps.
//! **Units**        stamps are of the time of day (CLOCK_REALTIME), in nanoseconds since 1970; times are of the switch's
//!                  clock (CLOCK_MONOTONIC). What is between both is read in each round and changes only when the time of day
//!                  is set: frames that were stamped before that and are read after it arrive wrongly by the step, within the
//!                  rule above.
//! **Deviations**   frames by AF_XDP have no stamp: they arrive when the loop turns to their port. A frame that the
//!                  kernel stamped and hands over later (its receive softirq had to wait) may find that the switch's time
//!                  has passed its stamp, and is counted as overtaken where that is late.

use super::clock::Reading;
use super::lateness::{Lateness, Stalls};
use crate::io;
use crate::machine::{Departure, Machine};
use sidestep_types::{PortId, Time};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Frames taken in a round for each port that had any as it began, before what is due is sent.
const BATCH: usize = 64;

/// Where frames wait that came.
pub trait Inlet {
    /// The stamp of the frame that has waited longest, of those that have one.
    fn stamp(&self) -> Option<u64>;
    /// Hands up to `limit` frames with stamps over; how many there were.
    fn receive(&mut self, limit: usize, take: &mut impl FnMut(&[u8])) -> usize;
    /// Hands up to `limit` frames without stamps over; how many there were.
    fn receive_unstamped(&mut self, limit: usize, take: &mut impl FnMut(&[u8])) -> usize;
}

impl Inlet for io::Port {
    #[inline]
    fn stamp(&self) -> Option<u64> {
        self.stamp()
    }

    #[inline]
    fn receive(&mut self, limit: usize, take: &mut impl FnMut(&[u8])) -> usize {
        self.receive(limit, take)
    }

    #[inline]
    fn receive_unstamped(&mut self, limit: usize, take: &mut impl FnMut(&[u8])) -> usize {
        self.receive_unstamped(limit, take)
    }
}

/// What is known of arrivals.
#[derive(Default)]
pub struct Arrivals {
    offset: Offset,
    /// When the loop began: frames from before were not read late.
    began: Time,
    now: Time,
    /// The first frame of each port, by arrival.
    heads: BinaryHeap<Reverse<(Time, usize)>>,
    late: Lateness,
    overtaken: Stalls,
}

impl Arrivals {
    /// The loop begins.
    pub fn begin(&mut self, now: Time) {
        self.began = now;
        self.now = self.now.max(now);
    }

    /// The switch's time: nothing that came before is still to be taken.
    #[inline]
    pub fn now(&self) -> Time {
        self.now
    }

    /// How late frames were read.
    pub fn late(&self) -> &Lateness {
        &self.late
    }

    /// Those that the switch's time had passed.
    pub fn overtaken(&self) -> Stalls {
        self.overtaken
    }

    /// Counts what is late from zero.
    pub fn forget(&mut self) {
        self.late = Lateness::default();
        self.overtaken = Stalls::default();
    }

    /// One round: takes what came by now, and puts what left before into `held`, up to its capacity. `look` reads the
    /// clocks. How many frames came.
    #[inline]
    pub fn take(
        &mut self,
        look: &mut impl FnMut() -> Reading,
        ports: &mut [impl Inlet],
        machine: &mut Machine,
        held: &mut Vec<Departure>,
    ) -> usize {
        let reading = look();
        let stepped = self.offset.read(reading);
        // Before the ports are looked at: what came by then is there.
        let now = reading.before.max(self.now);
        for (number, port) in ports.iter().enumerate() {
            if let Some(stamp) = port.stamp() {
                let at = self.offset.time_of(stamp);
                self.heads.push(Reverse((at, number)));
            }
        }
        let most = BATCH * self.heads.len();
        let (mut got, mut upto) = (0, now);
        while let Some(Reverse((at, number))) = self.heads.pop() {
            if at > now && self.came_later(at, now, look) {
                continue;
            }
            if got >= most {
                upto = at.clamp(self.now, now);
                break;
            }
            let (came, passed) = (at.min(now), self.now);
            self.now = passed.max(came);
            if !leave_before(self.now, machine, held) {
                upto = self.now;
                break;
            }
            if !stepped {
                let came = came.max(self.began);
                self.late.record(came, now);
                self.overtaken.record(came, passed);
            }
            let (id, at, port) = (PortId(number as u16), self.now, &mut ports[number]);
            got += port.receive(1, &mut |frame| machine.receive(at, id, frame));
            if let Some(stamp) = port.stamp() {
                let at = self.offset.time_of(stamp);
                self.heads.push(Reverse((at, number)));
            }
        }
        self.heads.clear();
        self.now = self.now.max(upto);
        for (number, port) in ports.iter_mut().enumerate() {
            let (id, at) = (PortId(number as u16), self.now);
            got += port.receive_unstamped(BATCH, &mut |frame| machine.receive(at, id, frame));
        }
        got
    }

    /// Did a frame that is stamped `at`, later than the look at `now`, come after that? Then the next round has it. Else
    /// the time of day was set back since, and it is taken.
    #[cold]
    fn came_later(&mut self, at: Time, now: Time, look: &mut impl FnMut() -> Reading) -> bool {
        let again = look();
        debug_assert!(again.after >= now);
        let mut offset = self.offset;
        !offset.read(again) && at <= again.after
    }
}

/// Takes what is due by `at` out of the switch; false when there is no room for all of it.
#[inline]
fn leave_before(at: Time, machine: &mut Machine, held: &mut Vec<Departure>) -> bool {
    while held.len() < held.capacity() {
        match machine.poll_send(at) {
            Some(departure) => held.push(departure),
            None => return true,
        }
    }
    false
}

/// How far the time of day is ahead of the switch's clock: between two numbers, in nanoseconds.
#[derive(Clone, Copy, Debug, Default)]
struct Offset {
    least: i64,
    most: i64,
}

impl Offset {
    /// Takes both clocks in; says whether the time of day was set since they were read last. The two run at one rate, so
    /// that what is between them is known the better the more often they are read.
    #[inline]
    fn read(&mut self, reading: Reading) -> bool {
        let of = |now: Time| (reading.day_ns as i64).wrapping_sub(now.as_ns() as i64);
        let (least, most) = (of(reading.after), of(reading.before));
        let stepped = most < self.least || least > self.most;
        *self = match stepped {
            true => Offset { least, most },
            false => Offset {
                least: least.max(self.least),
                most: most.min(self.most),
            },
        };
        stepped
    }

    /// A stamp by the switch's clock; zero where that had not begun.
    #[inline]
    fn time_of(&self, stamp: u64) -> Time {
        let ahead = self.least + (self.most - self.least) / 2;
        let ns = (stamp as i64).saturating_sub(ahead);
        Time::from_ns(ns.clamp(0, LAST_NS) as u64)
    }
}

/// Later than any clock shows that is still to be used.
const LAST_NS: i64 = (super::clock::END.ps() / 1000) as i64;

#[cfg(test)]
mod tests;
