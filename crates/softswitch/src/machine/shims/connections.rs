//! The TCP connections of the host behind a port: flows for its shims, and sequence numbers that do not wrap.
//!
//! **Decision**     each direction of a connection is a flow. It opens with a SYN, or with the first data seen
//!                  of it, and closes when its FIN goes on; an RST closes both. Its bytes are numbered from
//!                  0 on, the first one seen where no SYN was. An acknowledgement is of the flow that
//!                  it acknowledges; shims see it unless its byte has no number, it has SACK blocks, or
//!                  it says the same as the last but for its window: a packet as they see it has no
//!                  window, and who drops duplicates must not drop what opens one.
//! **State**        at most [`MOST`] connections. One that says nothing for [`SILENCE`] makes room for others.
//! **Units**        bytes; a FIN and an RST take one number, a SYN none.
//! **Errors**       what belongs to no connection with a place has no number, and no shim sees it.
//! **Source**       RFC 9293, section 3.4; the sizes are assumed.

use crate::frame::{End, Segment};
use crate::setup::SILENCE;
use sidestep_transport::shim::Stack;
use sidestep_types::{FlowId, Packet, Time};
use std::collections::{BTreeMap, BTreeSet};

/// Connections that have a place.
pub const MOST: usize = 1 << 16;

/// Which way a segment goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// To the host.
    Up = 0,
    /// From the host.
    Down = 1,
}

impl Way {
    fn other(self) -> Way {
        match self {
            Way::Up => Way::Down,
            Way::Down => Way::Up,
        }
    }
}

/// The host's end first.
type Key = (End, End);

fn key(segment: &Segment, way: Way) -> Key {
    match way {
        Way::Up => (segment.to, segment.from),
        Way::Down => (segment.from, segment.to),
    }
}

/// All connections of one host.
#[derive(Default)]
pub struct Connections {
    table: BTreeMap<Key, Connection>,
    /// By when each was last heard of.
    heard: BTreeSet<(Time, Key)>,
    /// Numbers of two flows that can be given out again.
    free: Vec<u32>,
    /// Flows that were closed and not yet asked about.
    closed: Vec<FlowId>,
    /// Connections that found no place.
    pub no_place: u64,
}

struct Connection {
    /// The flow upwards; the one downwards is next to it.
    first: u32,
    heard: Time,
    ways: [Numbers; 2],
}

impl Connection {
    fn flow(&self, way: Way) -> FlowId {
        FlowId(self.first + way as u32)
    }
}

/// The sequence numbers of one direction.
#[derive(Clone, Copy)]
struct Numbers {
    open: bool,
    /// That of the first byte.
    base: Option<u32>,
    /// One past the last byte seen, counted from there.
    high: u64,
    /// The next byte that the other end expects, as it said last, and its window.
    told: Option<(u32, u16)>,
}

impl Numbers {
    const NEW: Numbers = Numbers {
        open: true,
        base: None,
        high: 0,
        told: None,
    };

    /// How far `seq` is from the first byte: the place nearest to the last one. `None` before the first.
    fn place(&self, seq: u32) -> Option<u64> {
        let ahead = seq.wrapping_sub(self.base?).wrapping_sub(self.high as u32);
        self.high.checked_add_signed(i64::from(ahead as i32))
    }
}

impl Connections {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.table.len()
    }

    /// The flow of a segment, and where in it the segment begins, or which byte it acknowledges. `None`
    /// when it is of no flow that is open.
    pub fn see(
        &mut self,
        now: Time,
        segment: &Segment,
        way: Way,
        stack: &mut Stack,
    ) -> Option<(FlowId, u64)> {
        let key = key(segment, way);
        // What only ends a connection, or acknowledges, opens none.
        let opens = segment.syn || segment.payload > 0;
        let known = self.table.contains_key(&key);
        if !known && (!opens || !self.open(now, key, stack)) {
            return None;
        }
        if segment.syn {
            return self.begin(now, key, segment, way, stack);
        }
        let connection = self.hear(now, key)?;
        let back = way.other();
        let numbers = &mut connection.ways[back as usize];
        let says = (segment.ack, segment.window);
        let told = match segment.acks {
            true => numbers.told.replace(says),
            false => None,
        };
        if segment.takes() == 0 {
            let moves = told.is_some_and(|(ack, window)| ack == says.0 && window != says.1);
            if !segment.acks || segment.sacks || moves || !numbers.open {
                return None;
            }
            let at = (numbers.place(segment.ack)).filter(|at| *at <= Packet::SUBFLOW_BYTES)?;
            return Some((connection.flow(back), at));
        }
        let flow = connection.flow(way);
        let numbers = &mut connection.ways[way as usize];
        if !numbers.open {
            return None;
        }
        numbers.base.get_or_insert(segment.seq);
        let mut at = numbers.place(segment.seq)?;
        if at + u64::from(segment.takes()) > Packet::SUBFLOW_BYTES {
            *numbers = Numbers {
                base: Some(segment.seq),
                ..Numbers::NEW
            };
            at = 0;
            stack.close(flow);
            stack.open(flow, None);
            self.closed.push(flow);
        }
        let numbers = &mut self.table.get_mut(&key)?.ways[way as usize];
        numbers.high = numbers.high.max(at + u64::from(segment.takes()));
        Some((flow, at))
    }

    /// A SYN: the first byte is the next one. Another than before is of another connection.
    fn begin(
        &mut self,
        now: Time,
        key: Key,
        segment: &Segment,
        way: Way,
        stack: &mut Stack,
    ) -> Option<(FlowId, u64)> {
        let base = Some(segment.seq.wrapping_add(1));
        let old = self.table[&key].ways[way as usize];
        let again = !old.open || old.base.is_some_and(|old| Some(old) != base);
        if again {
            self.forget(key, stack);
            if !self.open(now, key, stack) {
                return None;
            }
        }
        let connection = self.hear(now, key)?;
        let numbers = &mut connection.ways[way as usize];
        if numbers.base.is_none() {
            numbers.base = base;
        }
        Some((connection.flow(way), 0))
    }

    /// The connection of `key`, heard of now.
    fn hear(&mut self, now: Time, key: Key) -> Option<&mut Connection> {
        let connection = self.table.get_mut(&key)?;
        self.heard.remove(&(connection.heard, key));
        connection.heard = connection.heard.max(now);
        self.heard.insert((connection.heard, key));
        Some(connection)
    }

    /// Gives a connection a place, if there is one.
    fn open(&mut self, now: Time, key: Key, stack: &mut Stack) -> bool {
        while let Some(&(heard, silent)) = self.heard.first()
            && heard.saturating_add(SILENCE) <= now
        {
            self.forget(silent, stack);
        }
        if self.table.len() >= MOST {
            self.no_place += 1;
            return false;
        }
        // As many pairs as there are connections, less those that were given back.
        let next = 2 * self.table.len() as u32;
        let connection = Connection {
            first: self.free.pop().unwrap_or(next),
            heard: now,
            ways: [Numbers::NEW; 2],
        };
        for way in [Way::Up, Way::Down] {
            stack.open(connection.flow(way), None);
        }
        self.heard.insert((now, key));
        self.table.insert(key, connection);
        true
    }

    /// A segment goes on: if it ends a flow, that is closed.
    pub fn gone(&mut self, segment: &Segment, way: Way, stack: &mut Stack) {
        if !segment.fin && !segment.rst {
            return;
        }
        let key = key(segment, way);
        let Some(connection) = self.table.get_mut(&key) else {
            return;
        };
        let back = connection.ways[way.other() as usize].open;
        if segment.rst || !back {
            return self.forget(key, stack);
        }
        let flow = connection.flow(way);
        if std::mem::replace(&mut connection.ways[way as usize].open, false) {
            stack.close(flow);
            self.closed.push(flow);
        }
    }

    fn forget(&mut self, key: Key, stack: &mut Stack) {
        let Some(connection) = self.table.remove(&key) else {
            return;
        };
        self.heard.remove(&(connection.heard, key));
        for way in [Way::Up, Way::Down] {
            if connection.ways[way as usize].open {
                stack.close(connection.flow(way));
                self.closed.push(connection.flow(way));
            }
        }
        self.free.push(connection.first);
    }

    /// The next flow that was closed; call until `None`.
    pub fn poll_closed(&mut self) -> Option<FlowId> {
        self.closed.pop()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::sample::Sample;
    use crate::frame::segment;

    const SYN: u8 = 2;
    const ACK: u8 = 16;
    const FIN: u8 = 1;
    const RST: u8 = 4;

    fn of(seq: u32, flags: u8, payload: usize) -> Segment {
        let sample = Sample {
            seq,
            flags: Some(flags),
            ..Sample::tcp(1, 2, payload)
        };
        segment(&sample.bytes()).unwrap()
    }

    struct Bed(Connections, Stack);

    impl Bed {
        fn new() -> Bed {
            Bed(Connections::default(), Stack::of(vec![]))
        }

        fn up(&mut self, s: u64, segment: Segment) -> Option<(u32, u64)> {
            self.see(s, segment, Way::Up)
        }

        /// The same ends, the other way.
        fn down(&mut self, s: u64, mut segment: Segment) -> Option<(u32, u64)> {
            (segment.from, segment.to) = (segment.to, segment.from);
            self.see(s, segment, Way::Down)
        }

        fn see(&mut self, s: u64, segment: Segment, way: Way) -> Option<(u32, u64)> {
            let seen = self.0.see(Time::from_s(s), &segment, way, &mut self.1);
            self.0.gone(&segment, way, &mut self.1);
            seen.map(|(flow, at)| (flow.0, at))
        }
    }

    #[test]
    fn bytes_are_numbered_from_the_one_behind_the_syn_on_and_do_not_wrap() {
        let mut bed = Bed::new();
        let isn = u32::MAX - 999;
        assert_eq!(bed.up(0, of(isn, SYN, 0)), Some((0, 0)));
        let first = isn.wrapping_add(1);
        let mut at = 0u64;
        for _ in 0..5_000 {
            // Twice around: a step of 2 MB, and one back.
            at += 2_000_000;
            let seq = |at: u64| first.wrapping_add(at as u32);
            assert_eq!(bed.up(0, of(seq(at), ACK, 1000)), Some((0, at)));
            let late = at - 500_000;
            assert_eq!(bed.up(0, of(seq(late), ACK, 1000)), Some((0, late)));
        }
        assert!(at > 2 << 32);
    }

    #[test]
    fn without_a_syn_the_first_data_is_the_first_and_what_is_before_has_no_number() {
        let mut bed = Bed::new();
        assert_eq!(bed.up(0, of(500, ACK, 0)), None, "opens nothing");
        assert_eq!(bed.up(0, of(500, ACK | FIN, 0)), None, "nor does this");
        assert_eq!(bed.up(0, of(5_000, ACK, 100)), Some((0, 0)));
        assert_eq!(bed.up(0, of(5_200, ACK, 100)), Some((0, 200)));
        assert_eq!(bed.up(0, of(4_900, ACK, 100)), None);
        assert_eq!(bed.0.len(), 1);
    }

    #[test]
    fn beyond_the_numbers_of_a_subflow_a_flow_begins_anew() {
        let mut bed = Bed::new();
        bed.up(0, of(0, ACK, 100));
        let key = *bed.0.table.keys().next().unwrap();
        let numbers = &mut bed.0.table.get_mut(&key).unwrap().ways[0];
        numbers.high = Packet::SUBFLOW_BYTES - 50;
        let seq = (Packet::SUBFLOW_BYTES - 50) as u32;
        assert_eq!(bed.up(0, of(seq, ACK, 100)), Some((0, 0)));
        assert_eq!(bed.0.poll_closed(), Some(FlowId(0)));
        assert_eq!(
            bed.up(0, of(seq.wrapping_add(100), ACK, 100)),
            Some((0, 100))
        );
    }

    #[test]
    fn a_flow_ends_with_its_fin_and_both_with_a_reset() {
        let mut bed = Bed::new();
        bed.up(0, of(0, SYN, 0));
        assert_eq!(bed.up(0, of(1, FIN | ACK, 10)), Some((0, 0)));
        assert_eq!(bed.0.poll_closed(), Some(FlowId(0)));
        assert_eq!(bed.up(0, of(1, FIN | ACK, 10)), None, "late");
        // The other way is still open: what comes acknowledges it.
        bed.down(0, of(0, ACK, 10));
        assert_eq!(bed.up(0, of(12, ACK, 0)), Some((1, 0)));
        bed.up(0, of(12, RST, 0));
        assert_eq!((bed.0.poll_closed(), bed.0.len()), (Some(FlowId(1)), 0));
        // Its numbers are given out again.
        assert_eq!(bed.up(0, of(7, SYN, 0)), Some((0, 0)));
    }

    #[test]
    fn an_acknowledgement_is_shown_by_the_number_of_its_byte_unless_it_says_more() {
        let mut bed = Bed::new();
        let says = |ack: u32, window: u16| Segment {
            ack,
            window,
            ..of(1, ACK, 0)
        };
        bed.down(0, of(4_999, SYN, 0));
        bed.down(0, of(5_000, ACK, 1_000));
        assert_eq!(bed.up(0, says(5_000, 9)), Some((1, 0)));
        assert_eq!(bed.up(0, says(5_000, 9)), Some((1, 0)), "again");
        assert_eq!(bed.up(0, says(5_000, 8)), None, "another window");
        assert_eq!(bed.up(0, says(5_000, 8)), Some((1, 0)));
        assert_eq!(bed.up(0, says(5_600, 7)), Some((1, 600)), "it moves");
        let blocks = Segment {
            sacks: true,
            ..says(5_600, 7)
        };
        assert_eq!(bed.up(0, blocks), None);
        assert_eq!(bed.up(0, says(4_000, 7)), None, "of no byte that was seen");
        assert_eq!(bed.up(0, says(6_000, 7)), Some((1, 1_000)));
        // Data says it in passing.
        let mut data = of(1, ACK, 10);
        (data.ack, data.window) = (6_000, 6);
        assert_eq!(bed.up(0, data), Some((0, 0)));
        assert_eq!(bed.up(0, says(6_000, 7)), None);
    }

    #[test]
    fn another_syn_is_another_connection_and_the_same_is_not() {
        let mut bed = Bed::new();
        bed.up(0, of(0, SYN, 0));
        bed.up(0, of(1, ACK, 10));
        bed.up(0, of(0, SYN, 0));
        assert_eq!(bed.0.poll_closed(), None);
        assert_eq!(bed.up(0, of(11, ACK, 10)), Some((0, 10)));
        bed.up(0, of(70, SYN, 0));
        let closed = [bed.0.poll_closed(), bed.0.poll_closed()];
        assert_eq!(closed, [Some(FlowId(1)), Some(FlowId(0))]);
        assert_eq!(bed.up(0, of(71, ACK, 10)), Some((0, 0)));
        assert_eq!(bed.0.len(), 1);
    }

    #[test]
    fn places_are_limited_and_silence_gives_them_back() {
        let mut bed = Bed::new();
        let from = |port: usize, s: u64, bed: &mut Bed| {
            let mut segment = of(1, ACK, 10);
            segment.from.1 = port as u16;
            segment.to.1 = (port >> 16) as u16;
            bed.up(s, segment)
        };
        for port in 0..MOST {
            assert!(from(port, port as u64 % 5, &mut bed).is_some());
        }
        assert_eq!(from(MOST, 9, &mut bed), None);
        assert_eq!((bed.0.no_place, bed.0.len()), (1, MOST));
        // Those that were heard of at 0 s, and at 1 s but for one.
        assert!(from(1, 9, &mut bed).is_some());
        assert!(from(MOST, 11, &mut bed).is_some());
        assert_eq!(bed.0.len(), MOST - MOST.div_ceil(5) - MOST / 5 + 2);
        let mut numbers: Vec<u32> = bed.0.table.values().map(|c| c.first).collect();
        numbers.sort();
        assert!(numbers.windows(2).all(|two| two[0] < two[1]));
    }
}
