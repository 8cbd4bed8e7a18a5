//! TCP connections of the host behind a port: flows for its shims, and sequence numbers that do not wrap.
//!
//! **Decision**     each direction of a connection is a flow. It opens with a SYN, or with its first data seen,
//!                  and closes when its FIN goes on; an RST closes both. Bytes are numbered from 0 on; without
//!                  a SYN, the first one seen is 0. An acknowledgement belongs to the flow that it
//!                  acknowledges; shims see it unless its byte has no number, it has SACK blocks, or it repeats
//!                  the last one with another window: packets that shims see have no window, and a shim that
//!                  drops duplicates must not drop a window update. Where data is tagged, a flow from the host
//!                  stays open until its FIN is acknowledged: retransmissions are tagged until then.
//! **State**        at most [`MOST`] connections. A connection silent for [`SILENCE`] makes room for others.
//! **Units**        bytes; a FIN and an RST take one number, a SYN none.
//! **Errors**       a segment of no stored connection has no number, and no shim sees it.
//! **Source**       RFC 9293, section 3.4; the sizes are assumed.

use crate::frame::{End, Segment};
use crate::setup::SILENCE;
use sidestep_transport::shim::Stack;
use sidestep_types::{FlowId, Packet, Time};
use std::collections::{BTreeMap, BTreeSet};

/// Most connections stored.
pub const MOST: usize = 1 << 16;

/// Direction of a segment.
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

/// Ends of a connection, the host's first.
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
    /// Connections by the time of their last segment, or an earlier time: it is updated when the connection's
    /// turn comes to be forgotten, not with each frame.
    heard: BTreeSet<(Time, Key)>,
    /// Numbers of flow pairs that can be reused.
    free: Vec<u32>,
    /// Flows that were closed and not yet polled.
    closed: Vec<FlowId>,
    /// Connections that found no place.
    pub no_place: u64,
    /// True if data from the host is tagged.
    tags: bool,
}

struct Connection {
    /// Flow to the host; the flow from the host has the next number.
    first: u32,
    heard: Time,
    /// Time under which [`Connections::heard`] lists the connection.
    listed: Time,
    ways: [Numbers; 2],
}

impl Connection {
    fn flow(&self, way: Way) -> FlowId {
        FlowId(self.first + way as u32)
    }
}

/// Sequence numbers of one direction.
#[derive(Clone, Copy)]
struct Numbers {
    open: bool,
    /// Sequence number of the first byte.
    base: Option<u32>,
    /// End of the last byte seen, counted from `base`.
    high: u64,
    /// Last acknowledgement of the other end: next byte expected, and window.
    told: Option<(u32, u16)>,
    /// True if its size was announced.
    announced: bool,
    /// Sequence number after its FIN, if the FIN has not closed it.
    end: Option<u32>,
}

impl Numbers {
    const NEW: Numbers = Numbers {
        open: true,
        base: None,
        high: 0,
        told: None,
        announced: false,
        end: None,
    };

    /// Returns true if its FIN has left and is acknowledged.
    fn is_over(&self) -> bool {
        let says = self.end.zip(self.told);
        says.is_some_and(|(end, (ack, _))| ack.wrapping_sub(end) as i32 >= 0)
    }

    /// Returns the distance of `seq` from the first byte, as the value nearest to the last byte seen. `None`
    /// before the first.
    fn place(&self, seq: u32) -> Option<u64> {
        let ahead = seq.wrapping_sub(self.base?).wrapping_sub(self.high as u32);
        self.high.checked_add_signed(i64::from(ahead as i32))
    }
}

impl Connections {
    /// Returns an empty table for a host whose data is tagged, or is not.
    pub fn new(tags: bool) -> Connections {
        Connections {
            tags,
            ..Connections::default()
        }
    }

    /// Returns the number of connections.
    pub fn len(&self) -> usize {
        self.table.len()
    }

    /// Returns the flow of a segment, and its first byte in that flow, or the byte that it acknowledges. `None`
    /// if no open flow has it.
    pub fn see(
        &mut self,
        now: Time,
        segment: &Segment,
        way: Way,
        stack: &mut Stack,
    ) -> Option<(FlowId, u64)> {
        let key = key(segment, way);
        if segment.syn {
            let known = self.table.contains_key(&key) || self.open(now, key, stack);
            return known.then(|| self.begin(now, key, segment, way, stack))?;
        }
        let Some(connection) = self.table.get_mut(&key) else {
            // A segment without payload opens no connection.
            let opens = segment.payload > 0 && self.open(now, key, stack);
            return opens.then(|| self.see(now, segment, way, stack))?;
        };
        connection.heard = connection.heard.max(now);
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
        numbers.high = numbers.high.max(at + u64::from(segment.takes()));
        Some((flow, at))
    }

    /// Returns the acknowledgement of the other direction in a segment that was seen, where data is tagged: the
    /// flow, and the next byte expected of it.
    pub fn acknowledged(&self, segment: &Segment, way: Way) -> Option<(FlowId, u64)> {
        if !self.tags || !segment.acks {
            return None;
        }
        let (connection, back) = (self.table.get(&key(segment, way))?, way.other());
        let numbers = &connection.ways[back as usize];
        let at = numbers.place(segment.ack).filter(|_| numbers.open)?;
        Some((connection.flow(back), at))
    }

    /// Handles a SYN: the first byte is the next one. A SYN with another number begins another connection.
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
        let connection = self.refresh(now, key)?;
        let numbers = &mut connection.ways[way as usize];
        if numbers.base.is_none() {
            numbers.base = base;
        }
        Some((connection.flow(way), 0))
    }

    /// Returns the connection of `key`, and sets its last time to `now`.
    fn refresh(&mut self, now: Time, key: Key) -> Option<&mut Connection> {
        let connection = self.table.get_mut(&key)?;
        connection.heard = connection.heard.max(now);
        Some(connection)
    }

    /// Stores a new connection, if there is a place for it.
    fn open(&mut self, now: Time, key: Key, stack: &mut Stack) -> bool {
        self.forget_silent(now, stack);
        if self.table.len() >= MOST {
            self.no_place += 1;
            return false;
        }
        // If no pair is free, the next unused pair: all below are in use.
        let next = 2 * self.table.len() as u32;
        let connection = Connection {
            first: self.free.pop().unwrap_or(next),
            heard: now,
            listed: now,
            ways: [Numbers::NEW; 2],
        };
        for way in [Way::Up, Way::Down] {
            stack.open(connection.flow(way), None);
        }
        self.heard.insert((now, key));
        self.table.insert(key, connection);
        true
    }

    /// Returns true if the host's end `from` has a connection with `to`.
    pub fn knows(&self, from: End, to: End) -> bool {
        self.table.contains_key(&(from, to))
    }

    /// Checks that the size of this connection's message may be announced; an error says why not.
    pub fn may_announce(&self, from: End, to: End) -> Result<(), String> {
        let Some(connection) = self.table.get(&(from, to)) else {
            return Ok(());
        };
        let numbers = &connection.ways[Way::Down as usize];
        match numbers {
            Numbers { open: false, .. } => Err("the end of the connection was seen before".into()),
            Numbers {
                announced: true, ..
            } => Err("was announced before".into()),
            Numbers { high: 1.., .. } => Err(format!(
                "expected the announcement before the first byte, got it after {} bytes",
                numbers.high
            )),
            _ => Ok(()),
        }
    }

    /// Checks that there are places for `more` connections.
    pub fn has_room(&mut self, now: Time, more: usize, stack: &mut Stack) -> Result<(), String> {
        self.forget_silent(now, stack);
        match self.table.len() + more {
            ..=MOST => Ok(()),
            _ => Err(format!(
                "expected at most {MOST} connections, got {more} new ones beside {}",
                self.table.len()
            )),
        }
    }

    /// Announces the bytes that the host will send by this connection, which [may](Connections::may_announce)
    /// be announced.
    pub fn announce(&mut self, now: Time, key: (End, End), bytes: u64, stack: &mut Stack) {
        if !self.table.contains_key(&key) && !self.open(now, key, stack) {
            return;
        }
        let Some(connection) = self.refresh(now, key) else {
            return;
        };
        connection.ways[Way::Down as usize].announced = true;
        stack.open(connection.flow(Way::Down), Some(bytes));
    }

    /// Forgets connections that have been silent for long.
    fn forget_silent(&mut self, now: Time, stack: &mut Stack) {
        while let Some(&(listed, key)) = self.heard.first()
            && listed.saturating_add(SILENCE) <= now
        {
            let connection = self.table.get_mut(&key).expect("what is listed is known");
            if connection.heard == listed {
                self.forget(key, stack);
                continue;
            }
            connection.listed = connection.heard;
            self.heard.remove(&(listed, key));
            self.heard.insert((connection.listed, key));
        }
    }

    /// Handles a segment that goes on: closes the flow that it ends.
    #[inline]
    pub fn gone(&mut self, segment: &Segment, way: Way, stack: &mut Stack) {
        if !segment.fin && !segment.rst && !self.tags {
            return;
        }
        let key = key(segment, way);
        let Some(connection) = self.table.get_mut(&key) else {
            return;
        };
        if self.tags && segment.fin && way == Way::Down {
            let end = segment.seq.wrapping_add(u32::from(segment.takes()));
            connection.ways[way as usize].end.get_or_insert(end);
        }
        let [up, down] = &connection.ways;
        let ended = match self.tags {
            false => segment.fin && !connection.ways[way.other() as usize].open,
            true => (!up.open || segment.fin && way == Way::Up) && down.is_over(),
        };
        if segment.rst || ended {
            return self.forget(key, stack);
        }
        if !segment.fin || self.tags && way == Way::Down {
            return;
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
        self.heard.remove(&(connection.listed, key));
        for way in [Way::Up, Way::Down] {
            if connection.ways[way as usize].open {
                stack.close(connection.flow(way));
                self.closed.push(connection.flow(way));
            }
        }
        self.free.push(connection.first);
    }

    /// Returns the next flow that was closed; call until `None`.
    #[inline]
    pub fn poll_closed(&mut self) -> Option<FlowId> {
        self.closed.pop()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::sample::Sample;
    use crate::frame::segment;
    use sidestep_transport::shim::{AnyShim, Shim};
    use std::sync::{Arc, Mutex};

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

        /// Sends a segment between the same ends in the other direction.
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
        // The other direction is still open: this acknowledges it.
        bed.down(0, of(0, ACK, 10));
        assert_eq!(bed.up(0, of(12, ACK, 0)), Some((1, 0)));
        bed.up(0, of(12, RST, 0));
        assert_eq!((bed.0.poll_closed(), bed.0.len()), (Some(FlowId(1)), 0));
        // The flow numbers are reused.
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
        // Data carries the acknowledgement as well.
        let mut data = of(1, ACK, 10);
        (data.ack, data.window) = (6_000, 6);
        assert_eq!(bed.up(0, data), Some((0, 0)));
        assert_eq!(bed.up(0, says(6_000, 7)), None);
    }

    /// Shim that records the sizes it receives.
    struct Hears(Arc<Mutex<Vec<(u32, u64)>>>);

    impl Shim for Hears {
        fn open(&mut self, flow: FlowId, size: Option<u64>) {
            let said = size.map(|size| (flow.0, size));
            self.0.lock().unwrap().extend(said);
        }
    }

    #[test]
    fn what_is_announced_is_the_size_of_what_the_host_sends_and_is_forgotten_with_its_connection() {
        let heard = Arc::new(Mutex::new(Vec::new()));
        let hears = AnyShim::Custom(Box::new(Hears(heard.clone())));
        let mut bed = Bed(Connections::default(), Stack::of(vec![hears]));
        let down = of(0, SYN, 0);
        let key = (down.to, down.from);
        let announce = |bed: &mut Bed, bytes| {
            bed.0.may_announce(key.0, key.1)?;
            bed.0.announce(Time::ZERO, key, bytes, &mut bed.1);
            Ok::<(), String>(())
        };
        // A connection that is unknown before, and then begins.
        assert_eq!(announce(&mut bed, 350), Ok(()));
        bed.down(0, of(0, SYN, 0));
        assert_eq!(bed.down(0, of(1, ACK, 100)), Some((1, 0)));
        assert_eq!(*heard.lock().unwrap(), [(1, 350)], "the flow downwards");
        assert!(announce(&mut bed, 9).is_err());
        // Another connection between the same ends, after it has begun.
        bed.down(0, of(900, SYN, 0));
        assert_eq!(announce(&mut bed, 40), Ok(()));
        assert_eq!(*heard.lock().unwrap(), [(1, 350), (1, 40)]);
        bed.down(0, of(901, FIN | ACK, 10));
        let why = announce(&mut bed, 9).unwrap_err();
        assert_eq!(why, "the end of the connection was seen before");
    }

    #[test]
    fn places_for_what_is_announced_are_those_of_connections() {
        let mut bed = Bed::new();
        for port in 0..MOST {
            let mut segment = of(1, ACK, 10);
            segment.from.1 = port as u16;
            bed.up(0, segment);
        }
        let room = |bed: &mut Bed, s, more| bed.0.has_room(Time::from_s(s), more, &mut bed.1);
        assert_eq!(room(&mut bed, 1, 0), Ok(()));
        let why = room(&mut bed, 1, 1).unwrap_err();
        assert!(
            why.contains("at most 65536 connections, got 1 new ones beside 65536"),
            "{why}"
        );
        assert_eq!(room(&mut bed, 10, 1), Ok(()), "they were silent");
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
        // Connections last seen at 0 s, and at 1 s except for one.
        assert!(from(1, 9, &mut bed).is_some());
        assert!(from(MOST, 11, &mut bed).is_some());
        assert_eq!(bed.0.len(), MOST - MOST.div_ceil(5) - MOST / 5 + 2);
        let mut numbers: Vec<u32> = bed.0.table.values().map(|c| c.first).collect();
        numbers.sort();
        assert!(numbers.windows(2).all(|two| two[0] < two[1]));
    }
}
