//! Dialogue of a sender and its receiver over a path that loses segments and delays some of them.

use super::cells::range;
use super::tcp;
use crate::draw::chance;
use crate::row::Row;
use sidestep_transport::{
    Ack, Arrival, Receiver, Segment, Sender, TcpConfig, TcpReceiver, TcpSender,
};
use sidestep_types::{Rng, Time};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Propagation delay of each direction, for segments that are not late.
const WAY: Time = Time::from_us(25);

/// Input of the sender.
pub enum SenderInput {
    Ack(Ack),
    Timeout,
}

pub struct Dialogue {
    pub sender: TcpSender,
    pub now: Time,
    receiver: TcpReceiver,
    /// Segments and acknowledgements in flight, by arrival, then by departure.
    flying: BTreeMap<(Time, u64), Flying>,
    departures: u64,
    /// Arrival of the last segment that is not late.
    last: Time,
    /// Loss: one segment in `loss` is lost; 0 loses none.
    pub loss: u64,
}

enum Flying {
    Data(Segment),
    Ack(Ack),
}

impl Dialogue {
    /// Creates the dialogue of a flow of `size` bytes, or of a flow without an end.
    pub fn new(config: TcpConfig, size: Option<u64>) -> Dialogue {
        let config = Arc::new(config);
        Dialogue {
            sender: TcpSender::new(config.clone(), size),
            now: Time::ZERO,
            receiver: TcpReceiver::new(config),
            flying: BTreeMap::new(),
            departures: 0,
            last: Time::ZERO,
            loss: 0,
        }
    }

    /// Sends all segments that the sender may send, and returns them, lost ones included.
    pub fn send(&mut self, rng: &mut Rng) -> Vec<Segment> {
        let now = self.now;
        let sent: Vec<Segment> = std::iter::from_fn(|| self.sender.poll_send(now)).collect();
        for segment in &sent {
            let on_time = (now + WAY).max(self.last + Time::from_us(1));
            if self.loss > 0 && chance(rng, self.loss) {
                continue;
            }
            let at = match chance(rng, 8) {
                true => on_time + Time::from_us(2 + rng.below(40)),
                false => {
                    self.last = on_time;
                    on_time
                }
            };
            self.fly(at, Flying::Data(*segment));
        }
        sent
    }

    fn fly(&mut self, at: Time, what: Flying) {
        self.flying.insert((at, self.departures), what);
        self.departures += 1;
    }

    /// Advances time to the sender's next input, and applies that input.
    pub fn next(&mut self) -> SenderInput {
        loop {
            let due = self.sender.deadline().unwrap_or(Time::MAX);
            let first = self.flying.first_key_value().map(|(key, _)| key.0);
            if first.is_none_or(|at| at > due) {
                self.now = due;
                self.sender.on_timeout(due);
                return SenderInput::Timeout;
            }
            let ((at, _), flying) = self.flying.pop_first().expect("there is one");
            self.now = at;
            match flying {
                Flying::Ack(ack) => {
                    self.sender.on_ack(at, ack);
                    return SenderInput::Ack(ack);
                }
                Flying::Data(segment) => self.arrive(&segment),
            }
        }
    }

    fn arrive(&mut self, segment: &Segment) {
        let arrival = Arrival {
            hops: 0,
            seq: segment.seq,
            len: segment.len,
            syn: false,
            ce: false,
            cwr: segment.cwr,
            trimmed: false,
        };
        self.receiver.on_segment(self.now, arrival);
        while let Some(ack) = self.receiver.poll_ack(self.now) {
            self.fly(self.now + WAY, Flying::Ack(ack));
        }
    }
}

/// Adds the event at a sender: its start, an acknowledgement, or its timer, called `timer`.
pub fn put_heard(row: &mut Row, heard: Option<&SenderInput>, timer: &str) {
    let (word, ack): (&str, Option<&Ack>) = match heard {
        None => ("start", None),
        Some(SenderInput::Timeout) => (timer, None),
        Some(SenderInput::Ack(ack)) => ("ack", Some(ack)),
    };
    row.put("operation", word);
    row.put_some("ack_bytes", ack.map(|ack| ack.ack));
    let blocks = ack.map(tcp::blocks).unwrap_or_default();
    row.put_list("sack_bytes", blocks.into_iter().map(range));
    let duplicate = ack.map(|ack| u8::from(ack.duplicate().is_some()));
    row.put_some("duplicate", duplicate);
}

/// Adds the segments sent in response: new ones and retransmissions.
pub fn put_sent(row: &mut Row, sent: &[Segment]) {
    let of = |again: bool| {
        let those = sent.iter().filter(move |s| s.retransmit == again);
        those.map(|s| range((s.seq, s.seq + u64::from(s.len))))
    };
    row.put_list("new_bytes", of(false));
    row.put_list("again_bytes", of(true));
}
