//! Packets of a port whose departure is known, in order of departure.
//!
//! They form one list: first the packets on the wire, then those whose last bit has not left. The depth of the
//! queue is updated when it is queried ([`Line::settle`]), not when a packet leaves: no event marks the end of
//! a transmission.

use super::{NONE, Store, Wire};
use crate::Depth;
use sidestep_types::{Packet, Time};

/// Packet list of one port and the depth of its queue. Kept small, since every hop of the simulator touches it.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Line {
    /// Time when the last bit of the queue leaves, or left. For a ranked port: the end of the current
    /// transmission plus the sending time of every waiting packet.
    pub free_at: Time,
    /// First and last parcel on the wire or in the queue.
    head: u32,
    tail: u32,
    /// First parcel whose last bit had not left when the line was last settled. For a ranked port, the one
    /// being sent: the last of the list unless the waiting packets stand in the line.
    waiting: u32,
    depth: Depth,
    peak: Depth,
}

impl Default for Line {
    fn default() -> Line {
        Line {
            free_at: Time::ZERO,
            head: NONE,
            tail: NONE,
            waiting: NONE,
            depth: Depth::default(),
            peak: Depth::default(),
        }
    }
}

impl Line {
    /// Counts out the packets whose last bit has left by `now`, and returns the depth of the queue.
    /// `unbuffered` is the number of a packet's bytes on the wire that take no buffer.
    #[inline]
    pub fn settle<S: Store>(&mut self, store: &S, now: Time, unbuffered: u32) -> Depth {
        if self.next_has_left(store, now) {
            self.count_out(store, unbuffered);
            if self.next_has_left(store, now) {
                self.count_out_more(store, now, unbuffered);
            }
        }
        self.depth
    }

    /// Returns true if the last bit of the next packet to be counted out has left.
    #[inline(always)]
    fn next_has_left<S: Store>(&self, store: &S, now: Time) -> bool {
        self.waiting != NONE && store.parcel(self.waiting).departs <= now
    }

    /// Counts out the next packet.
    #[inline(always)]
    fn count_out<S: Store>(&mut self, store: &S, unbuffered: u32) {
        let parcel = store.parcel(self.waiting);
        self.shrink(u32::from(parcel.packet.wire) - unbuffered);
        self.waiting = parcel.next;
    }

    /// Counts out further packets; mostly none or one has left since the last query. Not inlined: the compiler
    /// would take a loop inside a hop for its hottest part and give it all registers.
    #[inline(never)]
    fn count_out_more<S: Store>(&mut self, store: &S, now: Time, unbuffered: u32) {
        while self.next_has_left(store, now) {
            self.count_out(store, unbuffered);
        }
    }

    /// Returns the depth of the queue when it was last settled.
    #[inline]
    pub fn settled(&self) -> Depth {
        self.depth
    }

    /// Returns the packets and bytes behind the packet being sent, when the line was last settled.
    #[inline(always)]
    pub(crate) fn waits<S: Store>(&self, store: &S, unbuffered: u32) -> Depth {
        if self.waiting == NONE {
            return Depth::default();
        }
        let sending = u32::from(store.parcel(self.waiting).packet.wire) - unbuffered;
        Depth {
            packets: self.depth.packets - 1,
            bytes: self.depth.bytes - sending,
        }
    }

    /// Returns the greatest depth of the queue so far.
    #[inline]
    pub fn peak(&self) -> Depth {
        self.peak
    }

    /// Restarts the search for the greatest depth at the current depth.
    pub fn forget_peak(&mut self) {
        self.peak = self.depth;
    }

    /// Returns the parcel that was being sent when the line was last settled; [`NONE`] if the port was idle.
    #[inline]
    pub fn sending(&self) -> u32 {
        self.waiting
    }

    /// Calls `with` for every packet that waited behind the one being sent when the line was last settled, in
    /// order. Makes no call for a ranked port whose scheduler holds the waiting packets.
    pub(super) fn each_behind<S: Store>(&self, store: &S, mut with: impl FnMut(&Packet)) {
        if self.waiting == NONE {
            return;
        }
        let mut next = store.parcel(self.waiting).next;
        while next != NONE {
            let parcel = store.parcel(next);
            with(&parcel.packet);
            next = parcel.next;
        }
    }

    /// Returns the first parcel on the wire or in the queue; [`NONE`] if there is none.
    #[inline]
    pub fn head(&self) -> u32 {
        self.head
    }

    /// Returns the last parcel on the wire or in the queue; meaningless if there is none.
    #[inline]
    pub fn tail(&self) -> u32 {
        self.tail
    }

    /// Returns true if no packet is on the wire or in the queue.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.head == NONE
    }

    /// Returns the time when the last bit of the first parcel leaves or left; `None` if there is none.
    #[inline]
    pub fn head_departs<S: Store>(&self, store: &S) -> Option<Time> {
        (self.head != NONE).then(|| store.parcel(self.head).departs)
    }

    /// Returns the latest departure of a last bit at or before `limit`, among the parcels of this line; `None`
    /// if none had left.
    pub fn left_last<S: Store>(&self, store: &S, limit: Time) -> Option<Time> {
        let (mut last, mut next) = (None, self.head);
        while next != NONE {
            let parcel = store.parcel(next);
            if parcel.departs > limit {
                break;
            }
            last = Some(parcel.departs);
            next = parcel.next;
        }
        last
    }

    /// Counts a packet in, with its bytes of buffer.
    #[inline]
    pub fn grow(&mut self, bytes: u32) {
        self.depth.packets += 1;
        self.depth.bytes += bytes;
        self.peak.packets = self.peak.packets.max(self.depth.packets);
        self.peak.bytes = self.peak.bytes.max(self.depth.bytes);
    }

    /// Counts a packet out.
    #[inline]
    pub fn shrink(&mut self, bytes: u32) {
        self.depth.packets -= 1;
        self.depth.bytes -= bytes;
    }

    /// Appends a parcel to the queue of a FIFO port. If nothing is before it, returns its departure, and the
    /// driver plans its arrival. The caller counts it in with [`Line::grow`].
    #[inline(always)]
    pub fn queue<S: Store>(
        &mut self,
        store: &mut S,
        wire: &Wire,
        now: Time,
        at: u32,
    ) -> Option<Time> {
        let parcel = store.parcel_mut(at);
        let span = wire.time_to_send(u32::from(parcel.packet.wire));
        let departs = self.free_at.max(now).saturating_add(span);
        self.free_at = departs;
        parcel.departs = departs;
        parcel.next = NONE;
        // No branch: it would be mispredicted every third time.
        self.waiting = if self.waiting == NONE {
            at
        } else {
            self.waiting
        };
        self.join(store, at).then_some(departs)
    }

    /// Appends the parcel that an idle ranked port starts to send. Returns true if it is the first of the list.
    #[inline]
    pub(super) fn send<S: Store>(&mut self, store: &mut S, at: u32) -> bool {
        debug_assert!(self.waiting == NONE, "one transmission at a time");
        self.waiting = at;
        self.join(store, at)
    }

    /// Appends a parcel that has left, or is leaving, a queue elsewhere. Returns true if it is the first of the
    /// list. The parcel takes no buffer of this line.
    pub fn carry<S: Store>(&mut self, store: &mut S, at: u32) -> bool {
        self.join(store, at)
    }

    /// Appends a parcel whose departure is known. Returns true if it is the first of the list.
    #[inline]
    fn join<S: Store>(&mut self, store: &mut S, at: u32) -> bool {
        let before = std::mem::replace(&mut self.tail, at);
        if self.head != NONE {
            store.parcel_mut(before).next = at;
            return false;
        }
        self.head = at;
        true
    }

    /// Removes the first parcel, which has arrived at the far end. There must be one: its arrival was planned
    /// when it joined.
    #[inline]
    pub fn take<S: Store>(&mut self, store: &S, unbuffered: u32) -> u32 {
        let at = self.head;
        let parcel = store.parcel(at);
        // Counts the parcel out if it is still counted. No branch: it would be mispredicted every third time.
        let counts = u32::from(self.waiting == at);
        let all = 0u32.wrapping_sub(counts);
        self.depth.packets -= counts;
        self.depth.bytes -= (u32::from(parcel.packet.wire) - unbuffered) & all;
        self.waiting ^= (self.waiting ^ parcel.next) & all;
        self.head = parcel.next;
        at
    }

    /// Removes every parcel, because the link is dead, and counts out those that had not left by `now`. Returns
    /// all of them in order, and how many of the first had left.
    #[cold]
    pub fn clear<S: Store>(&mut self, store: &S, now: Time, unbuffered: u32) -> (Vec<u32>, usize) {
        self.settle(store, now, unbuffered);
        let (mut all, mut left) = (Vec::new(), None);
        let mut next = self.head;
        while next != NONE {
            let parcel = store.parcel(next);
            if next == self.waiting {
                left = Some(all.len());
            }
            if left.is_some() {
                self.shrink(u32::from(parcel.packet.wire) - unbuffered);
            }
            all.push(next);
            next = parcel.next;
        }
        (self.head, self.tail, self.waiting) = (NONE, NONE, NONE);
        self.free_at = now;
        let left = left.unwrap_or(all.len());
        (all, left)
    }

    /// Removes and returns, in order, the parcels with a known departure that wait behind the one being sent.
    /// They stay counted in.
    pub(super) fn cut<S: Store>(&mut self, store: &mut S) -> Vec<u32> {
        let mut rest = Vec::new();
        if self.waiting == NONE {
            return rest;
        }
        self.tail = self.waiting;
        let mut next = std::mem::replace(&mut store.parcel_mut(self.tail).next, NONE);
        while next != NONE {
            rest.push(next);
            next = store.parcel(next).next;
        }
        rest
    }
}
