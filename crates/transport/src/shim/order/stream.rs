//! What is known of one flow, or of one of its subflows: which place is next, and what is held.

use std::collections::VecDeque;

use sidestep_types::{Packet, Time};

use super::place::Axis;

#[derive(Debug, serde::Serialize, serde::Deserialize)]
pub(super) struct Stream {
    /// What places are counted in now.
    axis: Axis,
    /// One past the highest place that went on, as far as nothing is waited for before it.
    pub next: u64,
    /// By place, and of equal ones as they came; every one was above `next` as it came.
    held: VecDeque<Held>,
    /// When its timer is due; nothing while nothing is held.
    pub due: Option<Time>,
    /// Places above `next` that went on, apart from each other: under the simulator's rule alone.
    ahead: VecDeque<Span>,
    /// The flow id of the message that it orders; nothing of data without a tag.
    message: Option<u8>,
    /// Where a place is none of a byte: the byte with which the message begins, if all before it went on.
    start: u64,
    /// One past the highest byte that went on while a place was none.
    highest: u64,
}

/// A place, and one past what is there.
pub(super) type Span = (u64, u64);

#[derive(Debug, serde::Serialize, serde::Deserialize)]
struct Held {
    came: Time,
    span: Span,
    packet: Packet,
}

/// What a packet is to the message that its stream is at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Meets {
    Same,
    Older,
    /// Another message begins with it, or the same by another axis.
    Other(Axis, Option<u8>),
}

/// One past the last byte of a packet.
fn end(packet: &Packet) -> u64 {
    packet.seq() + u64::from(packet.len)
}

impl Stream {
    /// Of subflow number `subflow`, of which nothing has come.
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

    /// The place of `packet`, and one past it.
    #[inline]
    pub fn span(&self, packet: &Packet) -> Span {
        if self.axis == Axis::Sequence {
            return (packet.seq(), end(packet));
        }
        let at = self.axis.place(packet);
        (at, at + self.axis.takes(packet))
    }

    /// Nothing is held, and nothing went on above `next`.
    #[inline]
    pub fn is_plain(&self) -> bool {
        self.held.is_empty() && self.ahead.is_empty()
    }

    /// Is nothing held?
    pub fn is_empty(&self) -> bool {
        self.held.is_empty()
    }

    /// Compares flow ids modulo 8: one that is up to four ahead is newer.
    pub fn meets(&self, packet: &Packet, counts: Axis) -> Meets {
        let tag = packet.tag();
        let axis = counts.of(&tag);
        let id = tag.tagged().then(|| tag.flow_id());
        match (self.message, id) {
            (None, None) => Meets::Same,
            (Some(mine), Some(its)) => match its.wrapping_sub(mine) & 7 {
                // A message that began by sequence numbers goes on by them.
                0 if axis == self.axis || self.axis == Axis::Sequence => Meets::Same,
                0..=4 => Meets::Other(axis, id),
                _ => Meets::Older,
            },
            _ => Meets::Other(axis, id),
        }
    }

    /// Another message begins; nothing is held.
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

    /// Nothing of its message is before `packet`: its flag says so, or that it begins where all that went on
    /// before the message ends. A count may go on from one flow of a connection to another.
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

    /// `packet` goes on, and nothing before it is waited for.
    #[inline]
    pub fn pass(&mut self, packet: &Packet, (_, to): Span) {
        if self.axis != Axis::Sequence {
            self.highest = self.highest.max(end(packet));
        }
        self.next = self.next.max(to);
    }

    /// The same, where places above may have gone on before: they are waited for no more.
    pub fn join(&mut self, packet: &Packet, span: Span) {
        self.pass(packet, span);
        while let Some(&(at, to)) = self.ahead.front()
            && at <= self.next
        {
            self.next = self.next.max(to);
            self.ahead.pop_front();
        }
    }

    /// Takes the first held packet if no gap is before it.
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

    /// Is something held at or below this place?
    pub fn holds_below(&self, at: u64) -> bool {
        self.held.front().is_some_and(|held| held.span.0 <= at)
    }

    /// Holds `packet`, which came `now`.
    pub fn hold(&mut self, now: Time, packet: &Packet, span: Span) {
        let at = self.held.partition_point(|held| held.span.0 <= span.0);
        let held = Held {
            came: now,
            span,
            packet: *packet,
        };
        self.held.insert(at, held);
    }

    /// Is `packet` a copy of what is held? Then what is held takes its mark.
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

    /// Has all of this gone on, though something before it has not?
    pub fn went_ahead(&self, (at, to): Span) -> bool {
        let from = self.ahead.partition_point(|run| run.1 < to);
        self.ahead.get(from).is_some_and(|run| run.0 <= at)
    }

    /// `packet` goes on, and what is before it is still waited for.
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

    /// Takes the first held packet if its place is not above `upto`; it goes ahead.
    pub fn pop_ahead(&mut self, upto: u64) -> Option<Packet> {
        if self.held.front()?.span.0 > upto {
            return None;
        }
        let Held { span, packet, .. } = self.held.pop_front()?;
        self.go_ahead(&packet, span);
        Some(packet)
    }

    /// The last place of those of whose arrival `over` is true.
    pub fn last_that(&self, over: impl Fn(Time) -> bool) -> Option<u64> {
        let last = self.held.iter().rfind(|held| over(held.came))?;
        Some(last.span.0)
    }

    /// When the first of what is held came.
    pub fn first_came(&self) -> Option<Time> {
        self.held.iter().map(|held| held.came).min()
    }

    /// When what waits behind the next gap came.
    pub fn behind_came(&self) -> Option<Time> {
        self.held.front().map(|held| held.came)
    }

    /// All that is held, whatever is missing, in order.
    pub fn drain(&mut self) -> impl Iterator<Item = Packet> {
        let highest = self.held.iter().map(|held| end(&held.packet)).max();
        self.highest = self.highest.max(highest.unwrap_or(0));
        self.held.drain(..).map(|held| held.packet)
    }
}
