//! Payload of one direction of a TCP connection: positions in its stream, and the messages that they form.
//!
//! **Decision**     a pause of the application separates two messages. A wait of TCP does not: the sender repeats
//!                  bytes, the receiver's window is zero, or an acknowledgement releases more of a flight whose
//!                  last segment has no PSH.
//! **Units**        a position is a byte of the stream; 0 is the first byte after the SYN, or the first captured.

use std::collections::BTreeMap;

/// Largest jump of positions. A larger one is another connection whose SYN was not captured.
const LARGEST_JUMP: i64 = 1 << 28;

/// Bytes that may arrive from before the first captured segment: a large receive window.
const LARGEST_BACK: i64 = 1 << 24;

/// Bytes that a jump without a pause may have at any rate.
const SMALL_JUMP: i64 = 1 << 16;

/// Picoseconds a byte on a link of 800 Gb/s: no faster jump is believed.
const PS_PER_BYTE: u128 = 10;

/// Segment as one direction sees it.
#[derive(Clone, Copy)]
pub struct Payload {
    pub at: u128,
    /// Number of the packet in the capture.
    pub packet: u64,
    /// Sequence number of the first byte.
    pub first: u32,
    pub bytes: u64,
    pub push: bool,
}

/// Bytes from one pause of the application to the next.
pub struct Message {
    pub start: u128,
    /// Packet with which the message started.
    pub packet: u64,
    from: i64,
    to: i64,
}

impl Message {
    pub fn bytes(&self) -> u64 {
        self.to.abs_diff(self.from)
    }
}

/// Use of a segment's payload.
pub enum Taken {
    /// The payload is of this direction; so many of its bytes had been captured before.
    Kept { again: u64 },
    /// The numbers belong to another connection with the same ports.
    Foreign,
}

/// Messages of a direction that ended, and the bytes that were not captured.
pub struct Ended {
    pub messages: Vec<Message>,
    /// Bytes within messages that were not captured.
    pub unseen: u64,
    /// Bytes between messages that were not captured.
    pub between: u64,
}

/// State of a direction.
pub struct Direction {
    /// Port of the server.
    pub server: u16,
    /// True if the SYN was captured.
    pub opened: bool,
    /// True after FIN or RST.
    pub closed: bool,
    /// Time of the latest packet from or to the sender.
    pub heard: u128,
    /// Sequence number of position 0.
    zero: u32,
    /// Position after the last byte sent.
    high: i64,
    /// Captured ranges, each with its end; they neither overlap nor touch.
    captured: BTreeMap<i64, i64>,
    messages: Vec<Message>,
    /// Position of the FIN.
    fin: Option<i64>,
    acknowledged: Option<i64>,
    /// Time from which a pause is counted.
    last: u128,
    /// Bytes of the largest and of the latest segment, and PSH of the latter.
    largest: i64,
    latest: u64,
    pushed: bool,
    /// Receiver's window: true once it was above 0, while it is 0, and if the sender probed it since.
    pub was_open: bool,
    blocked: bool,
    probed: bool,
    /// True if the sender's own SYN has a window above 0: the other end may send.
    pub takes: bool,
}

impl Direction {
    /// Creates a direction whose first byte has the number `first`, after a captured SYN if `opened`.
    pub fn new(server: u16, first: u32, opened: bool, at: u128) -> Direction {
        Direction {
            server,
            opened,
            closed: false,
            heard: at,
            zero: first,
            high: 0,
            captured: BTreeMap::new(),
            messages: Vec::new(),
            fin: None,
            acknowledged: opened.then_some(0),
            last: at,
            largest: 0,
            latest: 0,
            pushed: false,
            was_open: false,
            blocked: false,
            probed: false,
            takes: false,
        }
    }

    fn position(&self, number: u32) -> i64 {
        let high = self.zero.wrapping_add(self.high as u32);
        self.high + i64::from(number.wrapping_sub(high) as i32)
    }

    /// Returns true if a SYN before this number is the one that opened this direction.
    pub fn starts_with(&mut self, first: u32) -> bool {
        if self.opened {
            return self.zero == first;
        }
        // The SYN was captured after the first data.
        let late = self.position(first) == self.messages.first().map_or(0, |of| of.from);
        self.opened |= late;
        late
    }

    /// Returns true if this payload can be of this direction.
    pub fn fits(&self, payload: &Payload, idle_gap: u128) -> bool {
        let from = self.position(payload.first);
        let first = self.messages.first().map_or(0, |of| of.from);
        let lowest = if self.opened { 0 } else { first - LARGEST_BACK };
        if from < lowest {
            return self.is_probe(payload);
        }
        let jump = from - self.high;
        let end = from + payload.bytes as i64;
        if jump <= 0 || self.fin.is_some_and(|fin| end <= fin) {
            return true;
        }
        let waited = payload.at.saturating_sub(self.last);
        let believed = waited > idle_gap || jump <= SMALL_JUMP + (waited / PS_PER_BYTE) as i64;
        !self.closed && jump <= LARGEST_JUMP && believed
    }

    /// Returns true for a keep-alive or a probe of a zero window: the last byte once more.
    fn is_probe(&self, payload: &Payload) -> bool {
        let answered = self.acknowledged.is_some_and(|of| of >= self.high);
        let end = self.position(payload.first) + payload.bytes as i64;
        payload.bytes == 1 && end == self.high && (answered || self.latest != 1)
    }

    /// Takes a segment's payload.
    pub fn data(&mut self, payload: Payload, idle_gap: u128) -> Taken {
        if !self.fits(&payload, idle_gap) {
            return Taken::Foreign;
        }
        if self.is_probe(&payload) {
            self.probed |= self.blocked;
            return Taken::Kept { again: 0 };
        }
        let from = self.position(payload.first);
        let to = from + payload.bytes as i64;
        let fresh = self.capture(from, to);
        let again = payload.bytes - fresh.min(payload.bytes);
        let (at, packet) = (payload.at, payload.packet);
        let paused = at.saturating_sub(self.last) > idle_gap;
        let new = Message {
            start: at,
            packet,
            from,
            to,
        };
        let goes_on = from < self.high || self.blocked && from == self.high;
        let high = self.high;
        match self.messages.last_mut() {
            None => {
                // Bytes missed right after the SYN are the message's, as far as one can know.
                let from = if self.opened && !paused { high } else { from };
                self.messages.push(Message { from, ..new });
            }
            Some(_) if to > high && paused && !goes_on => self.messages.push(new),
            Some(now) => {
                now.to = now.to.max(to);
                self.cover(from, to, at);
            }
        }
        self.last = self.last.max(at);
        self.latest = payload.bytes;
        self.largest = self.largest.max(payload.bytes as i64);
        if to > self.high {
            self.high = to;
            self.pushed = payload.push;
        }
        Taken::Kept { again }
    }

    /// Extends the message that bytes before its start belong to.
    fn cover(&mut self, from: i64, to: i64, at: u128) {
        for i in (0..self.messages.len()).rev() {
            let before = match i {
                0 if self.opened => 0,
                0 => i64::MIN,
                i => self.messages[i - 1].to,
            };
            let of = &mut self.messages[i];
            if from >= of.from {
                return;
            }
            if to > before {
                of.from = from.max(before);
                of.start = of.start.min(at);
            }
        }
    }

    /// Adds a range to the captured ones; returns how many of its bytes are new.
    fn capture(&mut self, from: i64, to: i64) -> u64 {
        let (mut low, mut high, mut known) = (from, to, 0);
        loop {
            let last = self.captured.range(..=to).next_back();
            let Some((start, end)) = last.map(|(start, end)| (*start, *end)) else {
                break;
            };
            if end < from {
                break;
            }
            known += (end.min(to) - start.max(from)).max(0);
            (low, high) = (low.min(start), high.max(end));
            self.captured.remove(&start);
        }
        self.captured.insert(low, high);
        (to - from - known).unsigned_abs()
    }

    /// Takes a segment without payload: it may probe a zero window.
    pub fn empty(&mut self, number: u32) {
        self.probed |= self.blocked && self.position(number) < self.high;
    }

    /// Takes an acknowledgement, with the receiver's window if it tells one.
    pub fn acknowledged(&mut self, at: u128, number: u32, window: Option<u16>) {
        let to = self.position(number);
        let before = self.acknowledged;
        if to - self.high > 1 || to < -LARGEST_BACK {
            return;
        }
        let out = before.map_or(0, |before| self.high - before);
        if before.is_none_or(|before| to > before) {
            self.acknowledged = Some(to);
            // A flight without PSH at its end waits for acknowledgements to send more.
            if !self.pushed && out > self.largest {
                self.last = self.last.max(at);
            }
        }
        match window {
            None => {}
            Some(0) => {
                self.blocked = self.was_open;
                self.probed &= self.blocked;
            }
            Some(_) => {
                if self.blocked && (self.probed || !self.pushed) {
                    self.last = self.last.max(at);
                }
                (self.was_open, self.blocked, self.probed) = (true, false, false);
            }
        }
    }

    /// Takes a FIN that follows the byte before `number`.
    pub fn finished(&mut self, at: u128, number: u32, idle_gap: u128) {
        let end = self.position(number);
        let jump = end - self.high;
        if self.closed || !(0..=LARGEST_JUMP).contains(&jump) {
            self.closed = true;
            return;
        }
        self.closed = true;
        self.fin = Some(end);
        let waited = at.saturating_sub(self.last);
        let believed = waited <= idle_gap && jump <= SMALL_JUMP + (waited / PS_PER_BYTE) as i64;
        if let Some(now) = self.messages.last_mut()
            && believed
        {
            now.to = now.to.max(end);
            self.high = self.high.max(end);
        }
    }

    /// Ends the direction.
    pub fn end(self) -> Ended {
        let sent: u64 = self.messages.iter().map(Message::bytes).sum();
        let captured: i64 = self.captured.iter().map(|(from, to)| to - from).sum();
        let ends = self.messages.iter().map(|of| of.to);
        let first = match (self.opened, self.messages.first()) {
            (false, Some(first)) => first.from,
            _ => 0,
        };
        let before = std::iter::once(first).chain(ends);
        let gaps = before.zip(self.messages.iter().map(|of| of.from));
        let gaps: i64 = gaps.map(|(to, from)| (from - to).max(0)).sum();
        let rest = self.fin.map_or(0, |fin| (fin - self.high).max(0));
        Ended {
            unseen: sent.saturating_sub(captured.unsigned_abs()),
            between: (gaps + rest).unsigned_abs(),
            messages: self.messages,
        }
    }
}
