//! Order: hands data to the transport in the order of sending, within a timeout.
//!
//! **Decision**     each packet of data has a place in its stream: its sequence number, or with `by =
//!                  "remaining"` the number in its host's tag. A packet that arrives ahead of a gap is held
//!                  until the gap closes, or until a timer expires; `release` sets which packets go on then.
//!                  Data at the next place goes on at once, followed by the held packets that it joins. Data
//!                  below the next place (given up, or a copy) goes on at once, and so do all packets without
//!                  whole data: trimmed packets, acknowledgements, handshakes. By remaining size: the packet
//!                  flagged as the first begins a message, and the packets that overtook it wait for it; a copy
//!                  of a held packet is dropped, a copy of one that went on is not, since the transport has to
//!                  answer it; data of an older message goes on at once; when a newer one begins, all held
//!                  packets go on in order. A packet without a size (no tag, or u32::MAX) is placed by its
//!                  sequence number, and so is the rest of its message.
//! **State**        for each open flow and each of its subflows the next place, and the held packets. A flow
//!                  that opens when `flows` are open gets no place: its data goes on as it arrives for as long
//!                  as it lasts. Data that would be held beyond `capacity` goes on at once, after all packets
//!                  held below it: the gaps below it are given up or, by the simulator's rule, stay.
//! **Units**        picoseconds; bytes of payload or packets.
//! **Errors**       `timeout`, `flows` or `capacity` of 0. A stack refuses `by = "remaining"` without a shim
//!                  that tags farther from the transport, and above subflows.
//! **Source**       Abdous et al., CoNEXT 2021 (Vertigo), section 3.3, which orders by remaining sizes, and
//!                  gives each flow one timer; `release = "simulator"` follows its authors' simulator.
//! **Deviations**   by sequence number, which every TCP carries, the timer counts from the arrival of the first
//!                  held packet, so that no packet is held for longer than `timeout`; the paper counts from the
//!                  arrival of the packet behind the next gap, and so does `by = "remaining"`. The paper's list
//!                  calls a packet late whose size is *smaller* than expected; sizes count down, so the larger
//!                  one is late. The simulator gets the size of a message from outside; a header does not carry
//!                  it. Flow ids are compared modulo 8: up to four ahead is newer, assumed. Assumed as well: a
//!                  held packet takes over the mark of a copy, data without a size is ordered by its sequence
//!                  number, and the rule for data without room.
//!
//! A number travels unchanged, whether it is the amount left or the amount sent: boosting changes only the
//! rank, and a number rotated in a frame is rotated back where the frame is read, below this shim.

mod place;
mod settings;
mod stream;
mod timers;

use std::collections::btree_map::Entry as Slot;
use std::collections::{BTreeMap, VecDeque};

use sidestep_types::{About, FlowId, Packet, Refusal, Size, Time};

use super::registry::Registered;
use super::{Chosen, Counters, Nature, Shim, Up};
use place::Axis;
use settings::{By, OrderSettings, Rule, Settings};
use stream::{Meets, Span, Stream};
use timers::Timers;

/// Shim that holds data ahead of a gap.
#[derive(Debug, serde::Serialize, serde::Deserialize)]
pub struct Order {
    settings: Settings,
    /// Flows that have a place.
    flows: u64,
    /// State of each open flow, with at least subflow 0.
    streams: BTreeMap<Key, Stream>,
    timers: Timers,
    exit: Exit,
}

/// Packets that go on, and counts of the packets held.
#[derive(Debug, Default, serde::Serialize, serde::Deserialize)]
struct Exit {
    /// Packets that go on.
    ready: VecDeque<Packet>,
    /// Number of packets held.
    packets: u64,
    /// Payload bytes of the packets held.
    bytes: u64,
    counters: Counters,
}

/// Flow and, in the lowest byte, subflow number.
type Key = u64;

fn key(flow: FlowId, subflow: u8) -> Key {
    u64::from(flow.0) << 8 | u64::from(subflow)
}

impl Registered for Order {
    type Settings = OrderSettings;
    const ABOUT: About = About {
        name: "order",
        summary: "holds data that arrives ahead of a gap until the gap closes",
        source: "Vertigo section 3.3",
    };
    const NATURE: Nature = Nature {
        holds: Some("timeout"),
        orders: true,
        reads_tags: Some(("by", "remaining")),
        ..Nature::PLAIN
    };

    fn build(settings: OrderSettings) -> Result<Order, Refusal> {
        Ok(Order {
            settings: Settings::of(&settings)?,
            flows: 0,
            streams: BTreeMap::new(),
            timers: Timers::default(),
            exit: Exit::default(),
        })
    }
}

/// Reason for releasing a packet.
#[derive(Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
enum Why {
    Closed,
    GivenUp,
    Discarded,
}

impl Exit {
    /// Counts a packet that is held.
    fn keep(&mut self, packet: &Packet) {
        self.packets += 1;
        self.bytes += u64::from(packet.len);
        self.counters.held += 1;
    }

    /// Counts a packet that is held no longer, and queues it unless it is discarded.
    fn let_go(&mut self, why: Why, packet: Packet) {
        self.packets -= 1;
        self.bytes -= u64::from(packet.len);
        match why {
            Why::Closed => self.counters.released += 1,
            Why::GivenUp => self.counters.expired += 1,
            Why::Discarded => {
                self.counters.discarded += 1;
                return;
            }
        }
        self.ready.push_back(packet);
    }
}

impl Order {
    /// Sets the quantity that the tags of its hosts count; by default the bytes left of a message.
    pub(super) fn count_by(&mut self, word: &str) {
        if let By::Tag(axis) = &mut self.settings.by {
            *axis = match word {
                "packets" => Axis::Packets,
                "bytes" => Axis::Bytes,
                _ => Axis::Remaining,
            };
        }
    }

    /// Returns the state of a packet's subflow, if its flow has a place.
    fn stream(&mut self, key: Key) -> Option<&mut Stream> {
        // Few flows have more than one subflow: the others are added when their first data arrives.
        let (first, subflow) = (key & !0xff, key as u8);
        if subflow > 0 && !self.streams.contains_key(&key) {
            if !self.streams.contains_key(&first) {
                return None;
            }
            self.streams.insert(key, Stream::new(subflow));
        }
        self.streams.get_mut(&key)
    }

    /// Returns the state of a stream that has a place, and the exit for its packets.
    fn at(&mut self, key: Key) -> (&mut Stream, &mut Exit) {
        let stream = self.streams.get_mut(&key);
        (stream.expect("it has a place"), &mut self.exit)
    }

    /// Returns true if there is room for another packet with `len` bytes of payload.
    fn fits(&self, len: u16) -> bool {
        match self.settings.capacity {
            None => true,
            Some(Size::Packets(most)) => self.exit.packets < most,
            Some(Size::Bytes(most)) => self.exit.bytes + u64::from(len) <= most.0,
        }
    }

    /// Handles data whose place belongs to the current message of its stream.
    #[inline]
    fn arrive(&mut self, now: Time, key: Key, packet: &Packet) -> Up {
        let Some(stream) = self.stream(key) else {
            self.exit.counters.bypassed += 1;
            return Up::Pass;
        };
        let span @ (at, to) = stream.span(packet);
        if at > stream.next {
            return self.early(now, key, packet, span);
        }
        if to <= stream.next {
            self.exit.counters.late += 1;
            return Up::Pass;
        }
        if stream.is_plain() {
            stream.pass(packet, span);
            return Up::Pass;
        }
        self.join_up(now, key, packet, span)
    }

    /// Handles data whose tag may begin a message.
    #[inline(never)]
    fn arrive_tagged(&mut self, now: Time, key: Key, counts: Axis, packet: &Packet) -> Up {
        if self.stream(key).is_none() {
            return self.arrive(now, key, packet);
        }
        let (stream, exit) = self.at(key);
        match stream.meets(packet, counts) {
            Meets::Same => {}
            Meets::Older => {
                exit.counters.late += 1;
                return Up::Pass;
            }
            Meets::Other(axis, message) => {
                let due = stream.due.take();
                (stream.drain()).for_each(|held| exit.let_go(Why::GivenUp, held));
                stream.begin(axis, message);
                self.timers.reset(key, due, None);
            }
        }
        self.at(key).0.see_start(packet);
        let up = self.arrive(now, key, packet);
        // The packet leaves after the held packets of the message before.
        if up == Up::Pass && !self.exit.ready.is_empty() {
            self.exit.ready.push_back(*packet);
            return Up::Keep;
        }
        up
    }

    /// Handles `packet`, which is ahead of a gap.
    #[inline(never)]
    fn early(&mut self, now: Time, key: Key, packet: &Packet, span: Span) -> Up {
        let drops_copies = self.settings.by != By::Sequence;
        let (stream, exit) = self.at(key);
        if stream.went_ahead(span) {
            exit.counters.late += 1;
            return Up::Pass;
        }
        if drops_copies && stream.has_copy(packet, span) {
            return Up::Drop;
        }
        if !self.fits(packet.len) {
            return self.overflow(now, key, packet, span);
        }
        let due = now.saturating_add(self.settings.timeout);
        let (stream, exit) = self.at(key);
        stream.hold(now, packet, span);
        exit.keep(packet);
        if stream.due.is_none() {
            stream.due = Some(due);
            self.timers.reset(key, None, Some(due));
        }
        Up::Keep
    }

    /// Handles `packet` without room to hold it: the packets held below it go on, then `packet`, then the
    /// packets that it joins.
    #[cold]
    #[inline(never)]
    fn overflow(&mut self, now: Time, key: Key, packet: &Packet, span: Span) -> Up {
        self.exit.counters.bypassed += 1;
        if self.settings.rule == Rule::TimedOut {
            self.release_ahead(now, key, span.0);
            let (stream, exit) = self.at(key);
            stream.go_ahead(packet, span);
            exit.ready.push_back(*packet);
            return Up::Keep;
        }
        self.release(now, key, Why::GivenUp, |s| s.holds_below(span.0));
        self.join_up(now, key, packet, span)
    }

    /// Lets `packet` go on, and then the packets that it joins, if it fills the gap.
    #[inline(never)]
    fn join_up(&mut self, now: Time, key: Key, packet: &Packet, span: Span) -> Up {
        let (stream, exit) = self.at(key);
        stream.join(packet, span);
        exit.ready.push_back(*packet);
        self.release(now, key, Why::Closed, |_| false);
        Up::Keep
    }

    /// Handles the expiry of a stream's timer.
    fn expire(&mut self, now: Time, key: Key) {
        let timeout = self.settings.timeout;
        let over = |came: Time| came.saturating_add(timeout) <= now;
        match self.settings.rule {
            Rule::TimedOut => {
                let last = self.at(key).0.last_that(over);
                self.release_ahead(now, key, last.expect("its timer ran out"));
            }
            Rule::FirstHeld => {
                let first = |s: &Stream| s.first_came().is_some_and(over);
                self.release(now, key, Why::GivenUp, first);
            }
            Rule::BehindGap => {
                // The timer may have counted from an earlier packet that is farther ahead.
                self.at(key).0.skip();
                let behind = |s: &Stream| s.behind_came().is_some_and(over);
                self.release(now, key, Why::GivenUp, behind);
            }
        }
    }

    /// Lets all packets go on that are held before the first gap of a stream; and those beyond that gap, as
    /// long as `give_up` returns true.
    #[inline(never)]
    fn release(&mut self, now: Time, key: Key, why: Why, give_up: impl Fn(&Stream) -> bool) {
        let (stream, exit) = self.at(key);
        let held = exit.packets;
        loop {
            while let Some(packet) = stream.pop() {
                exit.let_go(why, packet);
            }
            if stream.is_empty() || !give_up(stream) {
                break;
            }
            stream.skip();
        }
        if exit.packets < held {
            self.reset_timer(now, key);
        }
    }

    /// Lets the packets go on that are held up to a place, while the gaps before stay.
    fn release_ahead(&mut self, now: Time, key: Key, upto: u64) {
        let (stream, exit) = self.at(key);
        while let Some(packet) = stream.pop_ahead(upto) {
            exit.let_go(Why::GivenUp, packet);
        }
        self.reset_timer(now, key);
    }

    /// Resets the timer of a stream after packets that it held went on.
    fn reset_timer(&mut self, now: Time, key: Key) {
        let (rule, timeout) = (self.settings.rule, self.settings.timeout);
        let stream = self.at(key).0;
        let came = match rule {
            Rule::FirstHeld | Rule::TimedOut => stream.first_came(),
            Rule::BehindGap => stream.behind_came(),
        };
        let due = came.map(|came| came.saturating_add(timeout).max(now));
        let was = std::mem::replace(&mut stream.due, due);
        self.timers.reset(key, was, due);
    }
}

impl Shim for Order {
    fn configure_for_stack(&mut self, stack: &[Chosen]) {
        if let Some(mark) = stack.iter().find(|shim| shim.nature().tags) {
            self.count_by(&mark.values().word("by"));
        }
    }

    fn open(&mut self, flow: FlowId, _size: Option<u64>) {
        let room = self
            .settings
            .most_flows
            .is_none_or(|most| self.flows < most);
        if let (Slot::Vacant(place), true) = (self.streams.entry(key(flow, 0)), room) {
            place.insert(Stream::new(0));
            self.flows += 1;
        }
    }

    fn close(&mut self, flow: FlowId) {
        let mut closed = false;
        while let Some((&key, _)) = (self.streams)
            .range(key(flow, 0)..=key(flow, u8::MAX))
            .next()
        {
            let mut stream = self.streams.remove(&key).expect("just found");
            self.timers.reset(key, stream.due, None);
            (stream.drain()).for_each(|held| self.exit.let_go(Why::Discarded, held));
            closed = true;
        }
        self.flows -= u64::from(closed);
    }

    #[inline]
    fn up(&mut self, now: Time, packet: &mut Packet) -> Up {
        if !packet.carries_data() {
            return Up::Pass;
        }
        let key = key(packet.flow, packet.subflow());
        match self.settings.by {
            By::Sequence => self.arrive(now, key, packet),
            By::Tag(counts) => self.arrive_tagged(now, key, counts, packet),
        }
    }

    fn changes_down(&self) -> bool {
        false
    }

    #[inline]
    fn poll_up(&mut self, _now: Time) -> Option<Packet> {
        self.exit.ready.pop_front()
    }

    #[inline]
    fn deadline(&self) -> Option<Time> {
        self.timers.first().map(|(due, _)| due)
    }

    fn on_timeout(&mut self, now: Time) {
        while let Some((due, key)) = self.timers.first()
            && due <= now
        {
            self.expire(now, key);
        }
    }

    fn counters(&self) -> Counters {
        self.exit.counters
    }
}
