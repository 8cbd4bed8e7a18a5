//! MPTCP sender.
//!
//! **Decision**     subflows are polled in the scheduler's order; each is offered a segment of bytes, and sends
//!                  it, a retransmission, or nothing. When a subflow times out, the bytes it has in flight are
//!                  offered to the others first.
//! **State**        for each segment in flight, the bytes of the message that it carries and the time it left;
//!                  for each subflow, the smoothed round trip.
//! **Units**        bytes and picoseconds.
//! **Errors**       none.
//! **Source**       RFC 8684 section 3.3; RFC 6298 section 2 for the round trip (a gain of 1/8, as LIA and the
//!                  scheduler use it; the timeout is that of the subflow's estimator).
//! **Deviations**   a subflow repairs its losses even if their bytes arrived on another subflow (as RFC 8684
//!                  section 3.3.6 requires), and the connection is done when all subflows are. The last segment
//!                  of a message may be short: the subflow that sent it sends nothing new before it is
//!                  acknowledged. With `fin` each subflow that carried data is closed when the whole message
//!                  has arrived.

use std::collections::VecDeque;
use std::sync::Arc;

use sidestep_types::{Packet, Time};

use super::data::{Chunk, Data};
use super::scheduler::Order;
use super::{Coupling, MptcpConfig, coupled};
use crate::{Ack, Closing, Opened, Ranking, Segment, Sender, SenderCounters, TcpSender};

/// Statistics of one subflow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Subflow {
    /// Bytes sent, each counted once.
    pub bytes: u64,
    /// Counters of its sender.
    pub counters: SenderCounters,
    /// Segments carried for another subflow that had timed out.
    pub reinjections: u32,
    /// Congestion window.
    pub window: u64,
    /// Smoothed round trip; `None` before the first sample.
    pub round_trip: Option<Time>,
}

/// Event that a sender waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum Head {
    /// Acknowledgement of a byte, by its sequence number.
    Byte(u64),
    /// Answer to the SYN of this subflow, or to its FIN.
    Answer(u8),
}

/// Segment of a subflow, with the bytes of the message that it carries.
#[derive(Clone, Copy, Debug, serde::Serialize, serde::Deserialize)]
struct Mapping {
    seq: u64,
    chunk: Chunk,
    sent: Time,
    /// Set if the subflow has retransmitted it.
    again: bool,
    /// Set if it was offered to the other subflows.
    given: bool,
}

#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
struct Path {
    tcp: TcpSender,
    /// Mappings of the segments in flight, in order.
    carries: VecDeque<Mapping>,
    round_trip: Option<Time>,
    /// Set if the last segment was not a full one.
    short: bool,
    reinjections: u32,
}

/// MPTCP sender of one flow.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub struct MptcpSender {
    paths: Vec<Path>,
    order: Order,
    data: Data,
    mss: u64,
    ranking: Ranking,
    coupled: bool,
    reinject: bool,
    /// End that closes the subflows once the whole message has arrived.
    closing: Closing,
    /// Set once the subflows have been told to close.
    ended: bool,
    /// Data sequence number of the segment polled last, if it carries data.
    data_seq: Option<u64>,
}

impl MptcpSender {
    /// Returns the oldest byte not acknowledged on subflow number `subflow`.
    pub fn acknowledged_of(&self, subflow: u8) -> u64 {
        let path = self.paths.get(usize::from(subflow));
        Packet::first_of(subflow) + path.map_or(0, |path| path.tcp.acknowledged())
    }

    /// Creates a sender of `size` bytes, or of an endless flow, with `mss` payload bytes in a full segment.
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

    /// Makes this the end that did not open the connection: see [`TcpSender::answering`]. `opened` is the view
    /// of the first subflow's handshake.
    pub fn answering(mut self, opened: Opened) -> MptcpSender {
        let mut seen = opened;
        for path in &mut self.paths {
            path.tcp = path.tcp.clone().answering(seen);
            seen = Opened::Unseen;
        }
        self
    }

    /// Sets the end that closes: see [`TcpSender::closing`].
    pub fn closing(mut self, closing: Closing) -> MptcpSender {
        self.closing = closing;
        self
    }

    /// Starts the next message: see [`TcpSender::push`].
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

    /// Returns the statistics of each subflow.
    pub fn subflows(&self) -> impl Iterator<Item = Subflow> {
        self.paths.iter().map(|path| Subflow {
            bytes: path.tcp.sent(),
            counters: path.tcp.counters(),
            reinjections: path.reinjections,
            window: path.tcp.cwnd(),
            round_trip: path.round_trip,
        })
    }

    /// Returns the data sequence number of the segment polled last, if it carries data.
    pub fn data_seq(&self) -> Option<u64> {
        self.data_seq
    }

    /// Returns the event that the subflow with the next deadline waits for.
    pub fn head(&self) -> Head {
        let next = self.next_due();
        let tcp = &self.paths[next].tcp;
        if tcp.closes() || tcp.opens() || tcp.counters().segments == 0 {
            Head::Answer(next as u8)
        } else {
            Head::Byte(self.acknowledged())
        }
    }

    /// Returns the subflow whose deadline is next; the first one of a tie.
    fn next_due(&self) -> usize {
        let due = |i: &usize| self.due(*i).unwrap_or(Time::MAX);
        (0..self.paths.len()).min_by_key(due).expect("one at least")
    }

    /// Returns the deadline of subflow `i`; `None` while it opens and there is nothing left to carry.
    fn due(&self, i: usize) -> Option<Time> {
        let idle = self.data.is_done() && self.paths[i].tcp.opens();
        self.paths[i].tcp.deadline().filter(|_| !idle)
    }

    /// Returns the chunk that subflow `i` may carry now.
    fn offer(&mut self, i: usize) -> Chunk {
        let path = &self.paths[i];
        // The sender of the subflow assumes full segments in flight, except the last.
        if path.short && !path.tcp.is_idle() {
            return Chunk {
                at: 0,
                len: 0,
                lost_on: None,
            };
        }
        self.data.next(i as u8)
    }

    /// Polls subflow `i`; also returns whether the segment carries new data.
    fn poll(&mut self, now: Time, i: usize) -> Option<(Segment, bool)> {
        let chunk = self.offer(i);
        let left = self.data.left();
        let path = &mut self.paths[i];
        // An unanswered SYN is retransmitted while there is any data it could be for.
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
        // For the retransmission of bytes that arrived on another subflow, the bytes it carries count as left.
        let left = left.max(u64::from(segment.len));
        segment.rank = segment.rank.and(self.ranking.rank(left));
        Some((segment, new))
    }

    /// Handles the acknowledgement of `[before, after)` of subflow `i`.
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
        // Karn: a segment sent twice gives no round trip.
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

    /// Returns the bytes that must be acknowledged for a segment of growth.
    fn least(&self) -> u64 {
        let each = self.paths.iter();
        coupled::least(each.map(|path| (path.tcp.steady_window(), path.round_trip)))
    }

    /// Offers the bytes in flight of subflow `i`, which has timed out, to the others.
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
    /// Returns the data sequence number of `segment`, which this path has sent before.
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
    /// Puts subflow `i` after slow start, with this window and round trip.
    pub(super) fn stands(&mut self, i: usize, window: u64, round_trip: Time) {
        let path = &mut self.paths[i];
        path.tcp = path.tcp.clone().at_window(window);
        path.round_trip = Some(round_trip);
    }
}
