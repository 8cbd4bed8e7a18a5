//! Order: hands data to the transport in the order of its sequence numbers, as far as it can wait.
//!
//! **Decision**     data that arrives ahead of a gap is held until the gap closes, or until
//!                  `timeout` after it opened. A gap opened when the first of the packets now held
//!                  ahead of it came; so no packet is held for longer than `timeout`. At that
//!                  instant the gap is given up: all that is held up to the next gap goes on in
//!                  order, and that one opened when the first of what is still held came. Data
//!                  with any byte that is next goes on at once, and what it joins up with after it.
//!                  Data below what went on before (what was given up, copies) goes on at once,
//!                  and so does all that carries no whole data: trimmed packets, acknowledgements,
//!                  handshakes.
//! **State**        of each open flow and each of its subflows the next byte, and what is held.
//!                  A flow that opens when there are `flows` already gets no place: its data goes
//!                  on as it comes for as long as it lasts. Data that would be held beyond
//!                  `capacity` goes on at once, after all that is held below it: the gaps below
//!                  it are given up.
//! **Units**        picoseconds; bytes of payload or packets.
//! **Errors**       `timeout`, `flows` or `capacity` of 0.
//! **Source**       Abdous et al., CoNEXT 2021 (Vertigo), section 3.3, which orders by remaining
//!                  sizes, and gives each flow one timer.
//! **Deviations**   orders by the sequence number of the first byte, which every TCP carries; a
//!                  gap behind one that was given up does not begin to wait anew.

use std::collections::btree_map::Entry as Place;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

use sidestep_types::{Bytes, Entry, FlowId, Packet, Param, ParamUnit, Refusal, Size, Time, Values};

use super::registry::Registered;
use super::{Counters, Nature, Shim, Up};

/// Holds what is ahead of a gap.
#[derive(Debug)]
pub struct Order {
    timeout: Time,
    most_flows: Option<u64>,
    capacity: Option<Size>,
    flows: u64,
    /// Of each open flow at least subflow 0.
    streams: BTreeMap<Key, Stream>,
    /// When each stream's gap is given up, earliest first: those that hold something.
    gaps: BTreeSet<(Time, Key)>,
    /// Packets that go on.
    ready: VecDeque<Packet>,
    /// Packets that are held.
    packets: u64,
    /// Their payload.
    bytes: u64,
    counters: Counters,
}

/// A flow and in the lowest byte the number of its subflow.
type Key = u64;

fn key(flow: FlowId, subflow: u8) -> Key {
    u64::from(flow.0) << 8 | u64::from(subflow)
}

/// What is known of a subflow.
#[derive(Debug)]
struct Stream {
    /// One past the highest byte that went on.
    next: u64,
    /// By sequence number, and of equal ones as they came; every one is above `next`.
    held: VecDeque<Held>,
    /// When the gap before them opened; [`Time::MAX`] while nothing is held.
    opened: Time,
}

#[derive(Debug)]
struct Held {
    came: Time,
    packet: Packet,
}

impl Held {
    fn seq(&self) -> u64 {
        self.packet.seq()
    }
}

/// One past the last byte that `packet` carries.
fn end(packet: &Packet) -> u64 {
    packet.seq() + u64::from(packet.len)
}

impl Stream {
    /// Subflow number `subflow`, of which nothing has come.
    fn new(subflow: u8) -> Stream {
        Stream {
            next: Packet::first_of(subflow),
            held: VecDeque::new(),
            opened: Time::MAX,
        }
    }

    /// Takes the first held packet if no gap is before it.
    fn pop(&mut self) -> Option<Packet> {
        if self.held.front()?.seq() > self.next {
            return None;
        }
        let packet = self.held.pop_front()?.packet;
        self.next = self.next.max(end(&packet));
        Some(packet)
    }

    /// Gives up the gap before the first held packet.
    fn skip(&mut self) {
        if let Some(first) = self.held.front() {
            self.next = self.next.max(first.seq());
        }
    }

    /// When the gap before what is held opened.
    fn first_came(&self) -> Time {
        let came = self.held.iter().map(|held| held.came).min();
        came.unwrap_or(Time::MAX)
    }
}

impl Registered for Order {
    const ENTRY: Entry = Entry {
        name: "order",
        summary: "holds data that is ahead of a gap until it closes",
        source: "Vertigo section 3.3",
        params: &[
            Param::with_default(
                "timeout",
                ParamUnit::Time,
                "1 ms",
                "the longest that data is held; assumed: about the wait in one full queue of 100 \
                 packets at 1 Gbps",
            ),
            Param::with_default(
                "flows",
                ParamUnit::Count,
                "unlimited",
                "open flows of a host that get a place, whichever way their data goes; data of \
                 others is not held; assumed",
            )
            .or_off("unlimited"),
            Param::with_default(
                "capacity",
                ParamUnit::Size,
                "unlimited",
                "packets, or bytes of payload, that a host holds; assumed",
            )
            .or_off("unlimited"),
        ],
    };
    const NATURE: Nature = Nature {
        holds: Some("timeout"),
        orders: true,
        ..Nature::PLAIN
    };

    fn build(values: &Values) -> Result<Order, Refusal> {
        let timeout = values.time("timeout");
        if timeout == Time::ZERO {
            return Err(Refusal::of("timeout", "must be above 0"));
        }
        let most_flows = values.count_or_off("flows");
        if most_flows == Some(0) {
            return Err(Refusal::of("flows", "must be above 0").got(0));
        }
        let capacity = values.size_or_off("capacity");
        if let Some(Size::Packets(0) | Size::Bytes(Bytes(0))) = capacity {
            return Err(Refusal::of("capacity", "must be above 0"));
        }
        Ok(Order {
            timeout,
            most_flows,
            capacity,
            flows: 0,
            streams: BTreeMap::new(),
            gaps: BTreeSet::new(),
            ready: VecDeque::new(),
            packets: 0,
            bytes: 0,
            counters: Counters::default(),
        })
    }
}

/// Why held packets go on.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Why {
    Closed,
    GivenUp,
}

impl Order {
    /// The state of the subflow of `packet`, when its flow has a place.
    fn stream(&mut self, key: Key) -> Option<&mut Stream> {
        // Few flows have more than one: they get theirs when their first data comes.
        let (first, subflow) = (key & !0xff, key as u8);
        if subflow > 0 && !self.streams.contains_key(&key) {
            if !self.streams.contains_key(&first) {
                return None;
            }
            self.streams.insert(key, Stream::new(subflow));
        }
        self.streams.get_mut(&key)
    }

    /// Is there room for one more packet with so much payload?
    fn fits(&self, len: u16) -> bool {
        match self.capacity {
            None => true,
            Some(Size::Packets(most)) => self.packets < most,
            Some(Size::Bytes(most)) => self.bytes + u64::from(len) <= most.0,
        }
    }

    /// Lets all go on that is held before the first gap of a stream, and sees to its timer.
    #[inline(never)]
    fn release(&mut self, key: Key, why: Why, give_up: impl Fn(&Stream) -> bool) {
        let stream = self.streams.get_mut(&key).expect("it has a place");
        let was = stream.opened;
        loop {
            while let Some(packet) = stream.pop() {
                self.packets -= 1;
                self.bytes -= u64::from(packet.len);
                match why {
                    Why::Closed => self.counters.released += 1,
                    Why::GivenUp => self.counters.expired += 1,
                }
                self.ready.push_back(packet);
            }
            if stream.held.is_empty() || !give_up(stream) {
                break;
            }
            stream.skip();
        }
        stream.opened = stream.first_came();
        let opened = stream.opened;
        if opened != was {
            self.gaps.remove(&(was.saturating_add(self.timeout), key));
            if opened != Time::MAX {
                self.gaps.insert((opened.saturating_add(self.timeout), key));
            }
        }
    }

    /// `packet` is ahead of a gap.
    #[inline(never)]
    fn hold(&mut self, now: Time, key: Key, packet: &Packet) -> Up {
        if !self.fits(packet.len) {
            return self.overflow(key, packet);
        }
        let stream = self.streams.get_mut(&key).expect("it has a place");
        if stream.held.is_empty() {
            stream.opened = now;
            self.gaps.insert((now.saturating_add(self.timeout), key));
        }
        let at = stream
            .held
            .partition_point(|held| held.seq() <= packet.seq());
        let held = Held {
            came: now,
            packet: *packet,
        };
        stream.held.insert(at, held);
        self.packets += 1;
        self.bytes += u64::from(packet.len);
        self.counters.held += 1;
        Up::Keep
    }

    /// There is no room to hold `packet`: what is held below it goes on, it, and what it joins up with.
    #[cold]
    #[inline(never)]
    fn overflow(&mut self, key: Key, packet: &Packet) -> Up {
        self.counters.bypassed += 1;
        let seq = packet.seq();
        let below = |s: &Stream| s.held.front().is_some_and(|held| held.seq() <= seq);
        self.release(key, Why::GivenUp, below);
        self.join_up(key, packet)
    }

    /// `packet` goes on, and then what it joins up with, if it fills the gap.
    #[inline(never)]
    fn join_up(&mut self, key: Key, packet: &Packet) -> Up {
        let stream = self.streams.get_mut(&key).expect("it has a place");
        stream.next = stream.next.max(end(packet));
        self.ready.push_back(*packet);
        self.release(key, Why::Closed, |_| false);
        Up::Keep
    }
}

impl Shim for Order {
    fn open(&mut self, flow: FlowId, _size: Option<u64>) {
        let room = self.most_flows.is_none_or(|most| self.flows < most);
        if let (Place::Vacant(place), true) = (self.streams.entry(key(flow, 0)), room) {
            place.insert(Stream::new(0));
            self.flows += 1;
        }
    }

    fn close(&mut self, flow: FlowId) {
        let keys: Vec<Key> = (self.streams.range(key(flow, 0)..=key(flow, u8::MAX)))
            .map(|(key, _)| *key)
            .collect();
        self.flows -= u64::from(!keys.is_empty());
        for key in keys {
            let stream = self.streams.remove(&key).expect("just found");
            self.gaps
                .remove(&(stream.opened.saturating_add(self.timeout), key));
            for held in stream.held {
                self.packets -= 1;
                self.bytes -= u64::from(held.packet.len);
                self.counters.discarded += 1;
            }
        }
    }

    #[inline]
    fn up(&mut self, now: Time, packet: &mut Packet) -> Up {
        if !packet.carries_data() {
            return Up::Pass;
        }
        let key = key(packet.flow, packet.subflow());
        let (seq, end) = (packet.seq(), end(packet));
        let Some(stream) = self.stream(key) else {
            self.counters.bypassed += 1;
            return Up::Pass;
        };
        if seq > stream.next {
            return self.hold(now, key, packet);
        }
        if end <= stream.next {
            self.counters.late += 1;
            return Up::Pass;
        }
        if stream.held.is_empty() {
            stream.next = end;
            return Up::Pass;
        }
        self.join_up(key, packet)
    }

    fn changes_down(&self) -> bool {
        false
    }

    #[inline]
    fn poll_up(&mut self, _now: Time) -> Option<Packet> {
        self.ready.pop_front()
    }

    #[inline]
    fn deadline(&self) -> Option<Time> {
        self.gaps.first().map(|gap| gap.0)
    }

    fn on_timeout(&mut self, now: Time) {
        while let Some(&(due, key)) = self.gaps.first()
            && due <= now
        {
            let timeout = self.timeout;
            self.release(key, Why::GivenUp, |s| {
                s.first_came().saturating_add(timeout) <= now
            });
        }
    }

    fn counters(&self) -> Counters {
        self.counters
    }
}
