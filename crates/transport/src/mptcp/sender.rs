//! The sender of several subflows.
//!
//! **Decision**     subflows are asked in the scheduler's order; each is offered a segment's worth of bytes, and
//!                  sends that, a repair of its own, or nothing. When one times out, what it has in flight is
//!                  offered to the others first.
//! **State**        of each outstanding segment which bytes of the message it carries and when it left; of each
//!                  subflow the smoothed round trip.
//! **Units**        bytes and picoseconds.
//! **Errors**       none.
//! **Source**       RFC 8684 section 3.3; RFC 6298 section 2 for the round trip (a gain of 1/8, as LIA and the
//!                  scheduler see it; the timeout is that of the subflow's own estimator).
//! **Deviations**   a subflow repairs its own losses whether their bytes came by another one or not (as RFC 8684
//!                  section 3.3.6 asks), and the connection is done when all subflows are. The last segment of
//!                  a message may be short: a subflow that sent it sends nothing new before it is acknowledged.
//!                  With `fin` each subflow that carried something is closed when all has arrived.

use std::collections::VecDeque;
use std::sync::Arc;

use sidestep_types::{Packet, Time};

use super::data::{Chunk, Data};
use super::scheduler::Order;
use super::{Coupling, MptcpConfig, coupled};
use crate::{Ack, Closing, Opened, Ranking, Segment, Sender, SenderCounters, TcpSender};

/// What one subflow did.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Subflow {
    /// Bytes put on it, each counted once.
    pub bytes: u64,
    /// What its sender counted.
    pub counters: SenderCounters,
    /// Segments that it carried for another one, which had timed out.
    pub reinjections: u32,
    /// Its congestion window.
    pub window: u64,
    /// Its smoothed round trip; `None` before the first.
    pub round_trip: Option<Time>,
}

/// What a sender waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum Head {
    /// A byte, by its sequence number.
    Byte(u64),
    /// The answer to the SYN of this subflow, or to its FIN.
    Answer(u8),
}

/// A segment of a subflow: which bytes of the message it carries.
#[derive(Clone, Copy, Debug, serde::Serialize, serde::Deserialize)]
struct Mapping {
    seq: u64,
    chunk: Chunk,
    sent: Time,
    /// The subflow has sent it again.
    again: bool,
    /// It was put up for the others.
    given: bool,
}

#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
struct Path {
    tcp: TcpSender,
    /// Of its outstanding segments, in their order.
    carries: VecDeque<Mapping>,
    round_trip: Option<Time>,
    /// The last segment was not a full one.
    short: bool,
    reinjections: u32,
}

/// An MPTCP sender of one flow.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub struct MptcpSender {
    paths: Vec<Path>,
    order: Order,
    data: Data,
    mss: u64,
    ranking: Ranking,
    coupled: bool,
    reinject: bool,
    /// How subflows are closed when all has arrived.
    closing: Closing,
    /// They were told so.
    ended: bool,
    /// Where the segment that was polled last stands in the message, if it carries any of it.
    data_seq: Option<u64>,
}

impl MptcpSender {
    /// The oldest byte that subflow number `subflow` waits for.
    pub fn acknowledged_of(&self, subflow: u8) -> u64 {
        let path = self.paths.get(usize::from(subflow));
        Packet::first_of(subflow) + path.map_or(0, |path| path.tcp.acknowledged())
    }

    /// A sender of `size` bytes, or of as many as the network takes, with `mss` payload bytes in a full
    /// segment.
    pub fn with_mss(config: &MptcpConfig, mss: u32, size: Option<u64>) -> MptcpSender {
        let n = config.subflows.clamp(1, Packet::SUBFLOWS);
        let path = |_| Path {
            tcp: TcpSender::with_mss(Arc::clone(&config.tcp), mss, Some(0)),
            carries: VecDeque::new(),
            round_trip: None,
            short: false,
            reinjections: 0,
        };
        let window = config.tcp.receive_window;
        let mss = u64::from(mss).min(window).max(1);
        MptcpSender {
            paths: (0..n).map(path).collect(),
            order: Order::new(config.scheduler, usize::from(n)),
            data: Data::new(size.unwrap_or(u64::MAX), mss, window),
            mss,
            ranking: config.tcp.ranking,
            coupled: config.coupling == Coupling::Lia,
            reinject: config.reinject && n > 1,
            closing: Closing::Both,
            ended: false,
            data_seq: None,
        }
    }

    /// See [`TcpSender::answering`]; what was seen of the handshake is the first subflow's.
    pub fn answering(mut self, opened: Opened) -> MptcpSender {
        let mut seen = opened;
        for path in &mut self.paths {
            path.tcp = path.tcp.clone().answering(seen);
            seen = Opened::Unseen;
        }
        self
    }

    /// See [`TcpSender::closing`].
    pub fn closing(mut self, closing: Closing) -> MptcpSender {
        self.closing = closing;
        self
    }

    /// See [`TcpSender::push`].
    pub fn push(&mut self, bytes: u64) {
        assert!(self.is_done(), "one message at a time on a connection");
        for path in &mut self.paths {
            path.tcp.push(0);
            path.carries.clear();
            path.reinjections = 0;
        }
        self.data.restart(bytes);
        self.ended = false;
    }

    /// What each subflow did.
    pub fn subflows(&self) -> impl Iterator<Item = Subflow> {
        self.paths.iter().map(|path| Subflow {
            bytes: path.tcp.sent(),
            counters: path.tcp.counters(),
            reinjections: path.reinjections,
            window: path.tcp.cwnd(),
            round_trip: path.round_trip,
        })
    }

    /// Where the segment that was polled last stands in the message, if it carries any of it.
    pub fn data_seq(&self) -> Option<u64> {
        self.data_seq
    }

    /// What it waits for, by the subflow whose deadline is next.
    pub fn head(&self) -> Head {
        let next = self.next_due();
        let tcp = &self.paths[next].tcp;
        if tcp.closes() || tcp.opens() || tcp.counters().segments == 0 {
            Head::Answer(next as u8)
        } else {
            Head::Byte(self.acknowledged())
        }
    }

    /// The subflow whose deadline is next, the first of several.
    fn next_due(&self) -> usize {
        let due = |i: &usize| self.due(*i).unwrap_or(Time::MAX);
        (0..self.paths.len()).min_by_key(due).expect("one at least")
    }

    /// When the timer of subflow `i` runs out; never while it opens and there is nothing left to carry.
    fn due(&self, i: usize) -> Option<Time> {
        let idle = self.data.is_done() && self.paths[i].tcp.opens();
        self.paths[i].tcp.deadline().filter(|_| !idle)
    }

    /// What subflow `i` may carry now.
    fn offer(&mut self, i: usize) -> Chunk {
        let path = &self.paths[i];
        // Its sender's book of what is outstanding has full segments, and a last one.
        if path.short && !path.tcp.is_idle() {
            return Chunk {
                at: 0,
                len: 0,
                lost_on: None,
            };
        }
        self.data.next(i as u8)
    }

    /// Asks subflow `i`; says as well whether it sends new data.
    fn poll(&mut self, now: Time, i: usize) -> Option<(Segment, bool)> {
        let chunk = self.offer(i);
        let left = self.data.left();
        let path = &mut self.paths[i];
        // A SYN that nobody answered is sent again while there is anything it could be for.
        let offered = chunk.len.max(u64::from(path.tcp.knocks()));
        let seq = path.tcp.sent();
        path.tcp.offer(offered);
        let polled = path.tcp.poll_send(now);
        path.tcp.offer(0);
        let mut segment = polled?;
        let new = path.tcp.sent() > seq;
        if new {
            debug_assert_eq!((segment.seq, u64::from(segment.len)), (seq, chunk.len));
            path.carries.push_back(Mapping {
                seq,
                chunk,
                sent: now,
                again: false,
                given: false,
            });
            path.short = chunk.len < self.mss;
            path.reinjections += u32::from(chunk.lost_on.is_some());
            self.data.sent(chunk);
            self.data_seq = Some(chunk.at);
        } else {
            self.data_seq = path.repairs(&segment);
        }
        segment.seq += Packet::first_of(i as u8);
        // A repair of what came by another subflow counts as what it carries.
        let left = left.max(u64::from(segment.len));
        segment.rank = segment.rank.and(self.ranking.rank(left));
        Some((segment, new))
    }

    /// `[before, after)` of subflow `i` is acknowledged.
    fn advance(&mut self, now: Time, i: usize, before: u64, after: u64) {
        let path = &mut self.paths[i];
        let (mut newest, mut again) = (None, false);
        while let Some(mapping) = path.carries.front() {
            let Mapping { seq, chunk, .. } = *mapping;
            let end = seq + chunk.len;
            let (from, to) = (seq.max(before), end.min(after));
            if from < to {
                self.data
                    .arrive(chunk.at + (from - seq), chunk.at + (to - seq));
            }
            if end > after {
                break;
            }
            newest = Some(mapping.sent);
            again |= mapping.again;
            path.carries.pop_front();
        }
        // Karn: what was sent twice tells no round trip.
        if let Some(sent) = newest.filter(|_| !again) {
            let sample = now.saturating_sub(sent).ps();
            let smoothed = path
                .round_trip
                .map_or(sample, |old| (old.ps() * 7 + sample) / 8);
            path.round_trip = Some(Time::from_ps(smoothed));
            let paths = &self.paths;
            self.order.measured(|i| paths[i].round_trip);
        }
        if self.data.is_done() && !std::mem::replace(&mut self.ended, true) {
            let carried = self.paths.iter_mut().filter(|path| path.tcp.sent() > 0);
            carried.for_each(|path| path.tcp.end(self.closing));
        }
    }

    /// The bytes that must be acknowledged for a segment of growth.
    fn least(&self) -> u64 {
        let each = self.paths.iter();
        coupled::least(each.map(|path| (path.tcp.steady_window(), path.round_trip)))
    }

    /// Subflow `i` has timed out: what it has in flight may go by others.
    fn give_away(&mut self, i: usize) {
        let path = &mut self.paths[i];
        for mapping in &mut path.carries {
            if !path.tcp.is_sacked(mapping.seq) && !std::mem::replace(&mut mapping.given, true) {
                let lost_on = Some(i as u8);
                self.data.send_again(Chunk {
                    lost_on,
                    ..mapping.chunk
                });
            }
        }
    }
}

impl Path {
    /// Where `segment`, which it has sent before, stands in the message.
    fn repairs(&mut self, segment: &Segment) -> Option<u64> {
        if segment.len == 0 {
            return None;
        }
        let after = self.carries.partition_point(|m| m.seq <= segment.seq);
        let mapping = self.carries.get_mut(after.checked_sub(1)?)?;
        mapping.again = true;
        Some(mapping.chunk.at + (segment.seq - mapping.seq))
    }
}

impl Sender for MptcpSender {
    fn on_ack(&mut self, now: Time, ack: Ack) {
        let i = usize::from(ack.subflow());
        if i >= self.paths.len() {
            return;
        }
        let tcp = &mut self.paths[i].tcp;
        let before = tcp.acknowledged();
        let next = ack.ack - Packet::first_of(i as u8);
        let ack = Ack { ack: next, ..ack };
        let grows = match self.coupled {
            true => tcp.on_ack_held(now, ack),
            false => {
                tcp.on_ack(now, ack);
                0
            }
        };
        let after = tcp.acknowledged();
        if after > before {
            self.advance(now, i, before, after);
        }
        if grows > 0 {
            let least = self.least();
            self.paths[i].tcp.grow_within(grows, least);
        }
    }

    fn on_timeout(&mut self, now: Time) {
        let i = self.next_due();
        if self.due(i).is_none() {
            return;
        }
        let tcp = &mut self.paths[i].tcp;
        let before = tcp.counters().timeouts;
        tcp.on_timeout(now);
        if self.reinject && tcp.counters().timeouts > before {
            self.give_away(i);
        }
    }

    fn poll_send(&mut self, now: Time) -> Option<Segment> {
        for place in 0..self.paths.len() {
            let i = self.order.at(place);
            let waits = i > 0 && self.paths[0].tcp.opens();
            if waits || self.paths[i].tcp.opens() && self.data.is_done() {
                continue;
            }
            if let Some((segment, new)) = self.poll(now, i) {
                if new {
                    self.order.sent(place);
                }
                return Some(segment);
            }
        }
        None
    }

    fn deadline(&self) -> Option<Time> {
        (0..self.paths.len()).filter_map(|i| self.due(i)).min()
    }

    fn acknowledged(&self) -> u64 {
        self.acknowledged_of(self.next_due() as u8)
    }

    fn is_done(&self) -> bool {
        self.data.is_done() && self.paths.iter().all(|path| path.tcp.is_done())
    }

    fn counters(&self) -> SenderCounters {
        let mut sum = SenderCounters::default();
        for path in &self.paths {
            let of = path.tcp.counters();
            for (sum, more) in [
                (&mut sum.segments, of.segments),
                (&mut sum.retransmits, of.retransmits),
                (&mut sum.timeouts, of.timeouts),
                (&mut sum.fast_retransmits, of.fast_retransmits),
                (&mut sum.echoes, of.echoes),
                (&mut sum.cuts, of.cuts),
                (&mut sum.dsacks, of.dsacks),
                (&mut sum.undone, of.undone),
                (&mut sum.probes, of.probes),
            ] {
                *sum = sum.saturating_add(more);
            }
        }
        sum
    }
}

#[cfg(test)]
impl MptcpSender {
    /// Subflow `i` is after slow start, with this window and round trip.
    pub(super) fn stands(&mut self, i: usize, window: u64, round_trip: Time) {
        let path = &mut self.paths[i];
        path.tcp = path.tcp.clone().at_window(window);
        path.round_trip = Some(round_trip);
    }
}
