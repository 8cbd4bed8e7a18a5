//! State of one flow, or of one of its subflows: the next place, and the held packets.

use std::collections::VecDeque;

use sidestep_types::{Packet, Time};

use super::place::Axis;

#[derive(Debug, serde::Serialize, serde::Deserialize)]
pub(super) struct Stream {
    /// Current unit of places.
    axis: Axis,
    /// Next place: one past the highest place that went on with nothing awaited before it.
    pub next: u64,
    /// Held packets by place, ties in order of arrival; each was above `next` on arrival.
    held: VecDeque<Held>,
    /// Expiry of its timer; `None` while nothing is held.
    pub due: Option<Time>,
    /// Places above `next` that went on, as disjoint spans: only under the simulator's rule.
    ahead: VecDeque<Span>,
    /// Flow id of the current message; `None` for data without a tag.
    message: Option<u8>,
    /// First byte of the message, if all before it went on; used where places are not bytes of the stream.
    start: u64,
    /// Highest byte that went on while places were not bytes of the stream, plus one.
    highest: u64,
}

/// First place of a packet, and one past its last.
pub(super) type Span = (u64, u64);

#[derive(Debug, serde::Serialize, serde::Deserialize)]
struct Held {
    came: Time,
    span: Span,
    packet: Packet,
}

/// Relation of a packet to the current message of its stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Meets {
    Same,
    Older,
    /// The packet begins another message, or continues the same one by another axis.
    Other(Axis, Option<u8>),
}

/// Returns one past the last byte of a packet.
fn end(packet: &Packet) -> u64 {
    packet.seq() + u64::from(packet.len)
}

impl Stream {
    /// Creates the state of subflow number `subflow`, which has received nothing.
    pub fn new(subflow: u8) -> Stream {
        let first = Packet::first_of(subflow);
        Stream {
            axis: Axis::Sequence,
            next: first,
            held: VecDeque::new(),
            due: None,
            ahead: VecDeque::new(),
            message: None,
            start: first,
            highest: first,
        }
    }

    /// Returns the span of `packet`.
    #[inline]
    pub fn span(&self, packet: &Packet) -> Span {
        if self.axis == Axis::Sequence {
            return (packet.seq(), end(packet));
        }
        let at = self.axis.place(packet);
        (at, at + self.axis.takes(packet))
    }

    /// Returns true if nothing is held, and nothing went on above `next`.
    #[inline]
    pub fn is_plain(&self) -> bool {
        self.held.is_empty() && self.ahead.is_empty()
    }

    /// Returns true if nothing is held.
    pub fn is_empty(&self) -> bool {
        self.held.is_empty()
    }

    /// Compares the flow ids of `packet` and of the current message modulo 8: up to four ahead is newer.
    pub fn meets(&self, packet: &Packet, counts: Axis) -> Meets {
        let tag = packet.tag();
        let axis = counts.of(&tag);
        let id = tag.tagged().then(|| tag.flow_id());
        match (self.message, id) {
            (None, None) => Meets::Same,
            (Some(mine), Some(its)) => match its.wrapping_sub(mine) & 7 {
                // A message that began by sequence numbers continues by them.
                0 if axis == self.axis || self.axis == Axis::Sequence => Meets::Same,
                0..=4 => Meets::Other(axis, id),
                _ => Meets::Older,
            },
            _ => Meets::Other(axis, id),
        }
    }

    /// Begins another message, while nothing is held.
    pub fn begin(&mut self, axis: Axis, message: Option<u8>) {
        debug_assert!(self.held.is_empty(), "what was held went on");
        if self.axis == Axis::Sequence {
            self.highest = self.highest.max(self.next);
        }
        self.start = self.highest;
        self.next = match axis {
            Axis::Sequence => self.highest,
            _ => 0,
        };
        (self.axis, self.message) = (axis, message);
        self.ahead.clear();
    }

    /// Moves `next` to `packet` if nothing of its message is before it: its flag tells so, or it begins where
    /// the data that went on before the message ends. A count may continue from one flow of a connection to
    /// another.
    pub fn see_start(&mut self, packet: &Packet) {
        let starts = match self.axis {
            Axis::Sequence => false,
            Axis::Remaining => packet.tag().first(),
            Axis::Packets | Axis::Bytes => packet.seq() == self.start,
        };
        if starts {
            self.next = self.next.max(self.span(packet).0);
        }
    }

    /// Records that `packet` goes on, and that nothing before it is awaited.
    #[inline]
    pub fn pass(&mut self, packet: &Packet, (_, to): Span) {
        if self.axis != Axis::Sequence {
            self.highest = self.highest.max(end(packet));
        }
        self.next = self.next.max(to);
    }

    /// Records that `packet` goes on, where places above may have gone on before: they are awaited no longer.
    pub fn join(&mut self, packet: &Packet, span: Span) {
        self.pass(packet, span);
        while let Some(&(at, to)) = self.ahead.front()
            && at <= self.next
        {
            self.next = self.next.max(to);
            self.ahead.pop_front();
        }
    }

    /// Removes and returns the first held packet if no gap is before it.
    pub fn pop(&mut self) -> Option<Packet> {
        if self.held.front()?.span.0 > self.next {
            return None;
        }
        let Held { span, packet, .. } = self.held.pop_front()?;
        self.join(&packet, span);
        Some(packet)
    }

    /// Gives up the gap before the first held packet.
    pub fn skip(&mut self) {
        if let Some(first) = self.held.front() {
            self.next = self.next.max(first.span.0);
        }
    }

    /// Returns true if a packet is held at or below this place.
    pub fn holds_below(&self, at: u64) -> bool {
        self.held.front().is_some_and(|held| held.span.0 <= at)
    }

    /// Holds `packet`, which arrived `now`.
    pub fn hold(&mut self, now: Time, packet: &Packet, span: Span) {
        let at = self.held.partition_point(|held| held.span.0 <= span.0);
        let held = Held {
            came: now,
            span,
            packet: *packet,
        };
        self.held.insert(at, held);
    }

    /// Returns true if `packet` is a copy of a held packet; the held packet then takes over its mark.
    pub fn has_copy(&mut self, packet: &Packet, (at, _): Span) -> bool {
        let from = self.held.partition_point(|held| held.span.0 < at);
        let there = self.held.range_mut(from..);
        let mut there = there.take_while(|held| held.span.0 == at);
        let covers = |held: &Packet| held.seq() <= packet.seq() && end(packet) <= end(held);
        let Some(same) = there.find(|held| covers(&held.packet)) else {
            return false;
        };
        same.packet.set_ce(same.packet.ce() || packet.ce());
        true
    }

    /// Returns true if all of the span has gone on while something before it has not.
    pub fn went_ahead(&self, (at, to): Span) -> bool {
        let from = self.ahead.partition_point(|run| run.1 < to);
        self.ahead.get(from).is_some_and(|run| run.0 <= at)
    }

    /// Records that `packet` goes on while places before it are still awaited.
    pub fn go_ahead(&mut self, packet: &Packet, (mut at, mut to): Span) {
        self.highest = self.highest.max(end(packet));
        let from = self.ahead.partition_point(|run| run.1 < at);
        while let Some(&run) = self.ahead.get(from)
            && run.0 <= to
        {
            (at, to) = (at.min(run.0), to.max(run.1));
            self.ahead.remove(from);
        }
        self.ahead.insert(from, (at, to));
    }

    /// Removes and returns the first held packet if its place is not above `upto`; it goes on ahead of a gap.
    pub fn pop_ahead(&mut self, upto: u64) -> Option<Packet> {
        if self.held.front()?.span.0 > upto {
            return None;
        }
        let Held { span, packet, .. } = self.held.pop_front()?;
        self.go_ahead(&packet, span);
        Some(packet)
    }

    /// Returns the last place among the held packets for whose arrival time `over` is true.
    pub fn last_that(&self, over: impl Fn(Time) -> bool) -> Option<u64> {
        let last = self.held.iter().rfind(|held| over(held.came))?;
        Some(last.span.0)
    }

    /// Returns the earliest arrival time of the held packets.
    pub fn first_came(&self) -> Option<Time> {
        self.held.iter().map(|held| held.came).min()
    }

    /// Returns the arrival time of the packet behind the next gap.
    pub fn behind_came(&self) -> Option<Time> {
        self.held.front().map(|held| held.came)
    }

    /// Removes and returns all held packets in order, whatever is missing.
    pub fn drain(&mut self) -> impl Iterator<Item = Packet> {
        let highest = self.held.iter().map(|held| end(&held.packet)).max();
        self.highest = self.highest.max(highest.unwrap_or(0));
        self.held.drain(..).map(|held| held.packet)
    }
}
