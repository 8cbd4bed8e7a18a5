//! A port's packets whose departure is known, in the order in which they leave.
//!
//! They form one list: first those on the wire, then those whose last bit has not left. The depth
//! of the queue is brought up to date when somebody asks ([`Line::settle`]), not when a packet
//! leaves: no event marks the end of a transmission.

use super::{NONE, Store, Wire};
use crate::Depth;
use sidestep_types::{Packet, Time};

/// One port's list and the depth of its queue. Small: a hop of the simulator touches it.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Line {
    /// When the last bit of the queue leaves, or left. Of a ranked port: the end of the
    /// transmission under way plus the time of every packet that waits.
    pub free_at: Time,
    /// First and last parcel on the wire or in the queue.
    head: u32,
    tail: u32,
    /// The first parcel whose last bit had not left when it was settled last. Of a ranked port
    /// that is the one being sent, the last of the list unless what waits leaves in order.
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
    /// Counts out the packets whose last bit has left by `now`; says how deep the queue is.
    /// `unbuffered` is what of a packet's bytes on the wire takes no buffer.
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

    /// Has the last bit of the next packet left that is not counted out yet?
    #[inline(always)]
    fn next_has_left<S: Store>(&self, store: &S, now: Time) -> bool {
        self.waiting != NONE && store.parcel(self.waiting).departs <= now
    }

    /// Counts the next packet out.
    #[inline(always)]
    fn count_out<S: Store>(&mut self, store: &S, unbuffered: u32) {
        let parcel = store.parcel(self.waiting);
        self.shrink(u32::from(parcel.packet.wire) - unbuffered);
        self.waiting = parcel.next;
    }

    /// Mostly none or one packet has left since somebody looked. A loop in the midst of a hop would be taken for its hottest
    /// part, for which everything else leaves its registers.
    #[inline(never)]
    fn count_out_more<S: Store>(&mut self, store: &S, now: Time, unbuffered: u32) {
        while self.next_has_left(store, now) {
            self.count_out(store, unbuffered);
        }
    }

    /// The depth of the queue when it was settled last.
    #[inline]
    pub fn settled(&self) -> Depth {
        self.depth
    }

    /// What waited behind the packet being sent, when it was settled last.
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

    /// The deepest the queue has been.
    #[inline]
    pub fn peak(&self) -> Depth {
        self.peak
    }

    /// The deepest queue is sought from now on.
    pub fn forget_peak(&mut self) {
        self.peak = self.depth;
    }

    /// The parcel that was being sent when it was settled last; [`NONE`] when the port was idle.
    #[inline]
    pub fn sending(&self) -> u32 {
        self.waiting
    }

    /// Calls `with` for every packet that waited behind the one being sent when it was settled last, in their
    /// order. Of a ranked port there is none, unless what waits leaves in order: its scheduler holds what waits.
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

    /// The first parcel on the wire or in the queue; [`NONE`] when there is none.
    #[inline]
    pub fn head(&self) -> u32 {
        self.head
    }

    /// The last parcel on the wire or in the queue; of no meaning where there is none.
    #[inline]
    pub fn tail(&self) -> u32 {
        self.tail
    }

    /// Is nothing on the wire and in the queue?
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.head == NONE
    }

    /// When the last bit of the first parcel leaves or left; `None` when there is none.
    #[inline]
    pub fn head_departs<S: Store>(&self, store: &S) -> Option<Time> {
        (self.head != NONE).then(|| store.parcel(self.head).departs)
    }

    /// When the last bit of the latest parcel on the wire left, of those that had left by `limit`; `None` when none had.
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

    /// Counts a packet in: so many bytes of buffer.
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

    /// Queues a parcel of a FIFO port behind the others. When nothing is before it, says when it
    /// departs: the driver plans its arrival. Counting it in is [`Line::grow`]'s.
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
        // Without a branch: it would be mispredicted every third time.
        self.waiting = if self.waiting == NONE {
            at
        } else {
            self.waiting
        };
        self.join(store, at).then_some(departs)
    }

    /// Puts the parcel that an idle ranked port sends now behind the others; says whether it is
    /// the first.
    #[inline]
    pub(super) fn send<S: Store>(&mut self, store: &mut S, at: u32) -> bool {
        debug_assert!(self.waiting == NONE, "one transmission at a time");
        self.waiting = at;
        self.join(store, at)
    }

    /// Puts a parcel behind the others that has left, or is leaving, from a queue elsewhere; says whether it is the
    /// first. Of this line it takes no buffer.
    pub fn carry<S: Store>(&mut self, store: &mut S, at: u32) -> bool {
        self.join(store, at)
    }

    /// Puts a parcel whose departure is known behind the others; says whether it is the first.
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

    /// Takes the first parcel off: it has arrived at the far end. There must be one: its
    /// arrival was planned when it joined.
    #[inline]
    pub fn take<S: Store>(&mut self, store: &S, unbuffered: u32) -> u32 {
        let at = self.head;
        let parcel = store.parcel(at);
        // If it still counts it is counted out. Not with a branch: it would be mispredicted every third time.
        let counts = u32::from(self.waiting == at);
        let all = 0u32.wrapping_sub(counts);
        self.depth.packets -= counts;
        self.depth.bytes -= (u32::from(parcel.packet.wire) - unbuffered) & all;
        self.waiting ^= (self.waiting ^ parcel.next) & all;
        self.head = parcel.next;
        at
    }

    /// Takes every parcel off: the link is dead. What had not left by `now` is counted out. Says which
    /// they were, in their order, and how many of the first had left.
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

    /// Takes every parcel whose departure is known off that waits behind the one being sent, in their order.
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
