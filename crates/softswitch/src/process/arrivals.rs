//! Reading of received frames in their order of arrival, each at its time of arrival.
//!
//! **Decision**     a frame arrives when the kernel stamped it, not when the loop reads it, so that a loop that
//!                  was off its core decides as it would have decided in time. Frames that were due before an
//!                  arrival are taken out of the switch before the decision on it. Rule of times: an arrival is
//!                  never before the last decision or departure, and never later than the reading; a stamp
//!                  outside that range is moved to its nearer end.
//! **State**        the switch's time: all frames that arrived and were visible by then have been read. It
//!                  moves to the instant of a look at all ports, never to the clock itself: a thread may be
//!                  stopped between any two of its steps.
//! **Units**        stamps are of the time of day (CLOCK_REALTIME), in nanoseconds since 1970; times are of the
//!                  switch's clock (CLOCK_MONOTONIC). Their offset is read in each round and changes only when
//!                  the time of day is set: frames stamped before that and read after it arrive wrongly by the
//!                  step, within the rule above.
//! **Deviations**   frames received by AF_XDP have no stamp: they arrive when the loop turns to their port. A
//!                  frame that the kernel stamped and delivers later (its receive softirq had to wait) may find
//!                  that the switch's time has passed its stamp, and is counted as overtaken if it is late.

use super::clock::Reading;
use super::lateness::{Lateness, Stalls};
use crate::io;
use crate::machine::{Departure, Machine};
use sidestep_types::{PortId, Time};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Frames read in a round, for each port that has any at its beginning, before due frames are sent.
const BATCH: usize = 64;

/// Receive queue of a port.
pub trait Inlet {
    /// Returns the stamp of the oldest waiting frame, of those with a stamp.
    fn stamp(&self) -> Option<u64>;
    /// Passes up to `limit` frames with stamps to `take`; returns their number.
    fn receive(&mut self, limit: usize, take: &mut impl FnMut(&[u8])) -> usize;
    /// Passes up to `limit` frames without stamps to `take`; returns their number.
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

/// State of reading arrivals.
#[derive(Default)]
pub struct Arrivals {
    offset: Offset,
    /// Start of the loop: frames from before do not count as read late.
    began: Time,
    now: Time,
    /// First frame of each port, by arrival.
    heads: BinaryHeap<Reverse<(Time, usize)>>,
    late: Lateness,
    overtaken: Stalls,
}

impl Arrivals {
    /// Marks the start of the loop.
    pub fn begin(&mut self, now: Time) {
        self.began = now;
        self.now = self.now.max(now);
    }

    /// Returns the switch's time: all earlier arrivals have been read.
    #[inline]
    pub fn now(&self) -> Time {
        self.now
    }

    /// Returns the lateness of reading frames.
    pub fn late(&self) -> &Lateness {
        &self.late
    }

    /// Returns the frames whose stamps the switch's time had passed.
    pub fn overtaken(&self) -> Stalls {
        self.overtaken
    }

    /// Resets the counts of late frames to zero.
    pub fn forget(&mut self) {
        self.late = Lateness::default();
        self.overtaken = Stalls::default();
    }

    /// Reads the frames that arrived by now, and puts frames that left before into `held`, up to its capacity.
    /// `look` reads the clocks. Returns the number of frames read.
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
        // Before the ports are looked at: frames that arrived by then are visible.
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

    /// Returns true if a frame stamped `at`, later than the look at `now`, arrived after that: the next round
    /// reads it. Otherwise the time of day was set back since, and the frame is read now.
    #[cold]
    fn came_later(&mut self, at: Time, now: Time, look: &mut impl FnMut() -> Reading) -> bool {
        let again = look();
        debug_assert!(again.after >= now);
        let mut offset = self.offset;
        !offset.read(again) && at <= again.after
    }
}

/// Takes frames due by `at` out of the switch; returns false if there is no room for all of them.
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

/// Offset of the time of day to the switch's clock, as a range in nanoseconds.
#[derive(Clone, Copy, Debug, Default)]
struct Offset {
    least: i64,
    most: i64,
}

impl Offset {
    /// Updates the range by one reading; returns true if the time of day was set since the last one. Both
    /// clocks run at one rate, so every reading can only narrow the range.
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

    /// Converts a stamp to the switch's clock; zero if that had not started.
    #[inline]
    fn time_of(&self, stamp: u64) -> Time {
        let ahead = self.least + (self.most - self.least) / 2;
        let ns = (stamp as i64).saturating_sub(ahead);
        Time::from_ns(ns.clamp(0, LAST_NS) as u64)
    }
}

/// Later than any usable time of a clock.
const LAST_NS: i64 = (super::clock::END.ps() / 1000) as i64;

#[cfg(test)]
mod tests;
