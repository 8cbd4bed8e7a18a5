//! Log of losses, retransmissions and timeouts, to find the spurious ones. Nothing reads it before it is
//! joined.
//!
//! **Decision**     switches and receivers log what was lost, senders their retransmissions and
//!                  timeouts. The entries are joined in the order of time, flow by flow; at one
//!                  instant, losses come before the actions of a sender. The result is
//!                  which retransmissions and timeouts were needed ([`crate::lost`]).
//! **State**        the last few thousand entries; the lost ranges of each flow that had losses and whose
//!                  sender is not done;
//!                  the counts of the others.
//! **Units**        bytes and picoseconds.
//! **Errors**       none.
//! **Source**       the simulator's own knowledge.
//! **Deviations**   none. A FIN has the place of the SYN. In a flow with subflows, each byte's number gives its
//!                  subflow.
//!
//! A world has one log. It is joined up to the present whenever it is full, which is correct while all switches
//! and hosts share a clock. Nothing in a run reads it, so each part of a split run may have a separate log,
//! and all are joined up to the instant that every part has passed.

use crate::lost::{Lost, SYN, is_syn, syn_of};
use sidestep_transport::Segment;
use sidestep_types::{FlowId, Kind, Packet, Time};
use std::collections::BTreeMap;

/// Log of losses, and the part already joined.
#[derive(Default, serde::Serialize, serde::Deserialize)]
pub(crate) struct LossLog {
    /// Entries in the order of time.
    entries: Vec<Entry>,
    /// Number of entries at which they are joined.
    room: usize,
    flows: BTreeMap<FlowId, Flow>,
    /// Counts of flows whose sender is done; a flow has several if more was lost since.
    closed: Vec<(FlowId, Losses)>,
}

/// Losses of one flow.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(crate) struct Losses {
    /// Data packets dropped.
    pub drops: u32,
    /// Retransmissions of bytes that had not been lost.
    pub spurious_retransmits: u32,
    /// Timeouts at which the oldest byte waited for had not been lost.
    pub spurious_timeouts: u32,
}

/// Flow that lost something, or whose sender believed so.
#[derive(Default, serde::Serialize, serde::Deserialize)]
struct Flow {
    lost: Lost,
    losses: Losses,
}

#[derive(serde::Serialize, serde::Deserialize)]
struct Entry {
    at: Time,
    seq: u64,
    flow: FlowId,
    len: u32,
    what: ByteEvent,
}

/// Event of the bytes of an entry.
#[derive(Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
enum ByteEvent {
    /// A switch dropped them.
    Dropped,
    /// The sender's host dropped them, while sending them or others: ordered like the sender's own entries.
    DroppedAtOnce,
    /// The packet arrived trimmed.
    Cut,
    /// The sender retransmitted them.
    SentAgain,
    /// The sender's timer ran out for the first of them.
    TimedOut,
    /// The sender is done.
    Closed,
}

impl ByteEvent {
    fn is_loss(self) -> bool {
        matches!(self, ByteEvent::Dropped | ByteEvent::Cut)
    }
}

/// Entries joined at once: few enough to stay in a cache.
const BATCH: usize = 4096;

impl LossLog {
    /// Logs that a switch has dropped `packet`.
    pub fn dropped(&mut self, now: Time, packet: &Packet) {
        self.lose(now, packet, ByteEvent::Dropped);
    }

    /// Logs that the host of its sender has dropped `packet`, at the instant at which it sent that or another.
    pub fn dropped_at_once(&mut self, now: Time, packet: &Packet) {
        self.lose(now, packet, ByteEvent::DroppedAtOnce);
    }

    /// Logs that `packet` has arrived without its payload.
    pub fn cut(&mut self, now: Time, packet: &Packet) {
        self.lose(now, packet, ByteEvent::Cut);
    }

    /// Logs a loss. Acknowledgements and empty packets are no loss of a sender.
    fn lose(&mut self, now: Time, packet: &Packet, what: ByteEvent) {
        match packet.kind() {
            Kind::Syn => self.push(now, packet.flow, (syn_of(packet.subflow()), 1), what),
            Kind::Data if packet.len > 0 => {
                let bytes = (packet.seq(), u32::from(packet.len));
                self.push(now, packet.flow, bytes, what);
            }
            // A FIN: sent when the loss of a SYN no longer matters, so it uses its place.
            Kind::Data if packet.seq() > 0 => self.push(now, packet.flow, (SYN, 1), what),
            Kind::Data | Kind::Ack | Kind::SynAck => {}
        }
    }

    /// Logs that the sender of `flow` retransmits `segment`.
    #[cold]
    #[inline(never)]
    pub fn sent_again(&mut self, now: Time, flow: FlowId, segment: &Segment) {
        let bytes = if segment.len == 0 {
            (syn_of(segment.subflow()), 1)
        } else {
            (segment.seq, segment.len)
        };
        self.push(now, flow, bytes, ByteEvent::SentAgain);
    }

    /// Logs a timeout of the sender of `flow`; it waited for byte `head`, or for the place of a SYN.
    pub fn timed_out(&mut self, now: Time, flow: FlowId, head: u64) {
        self.push(now, flow, (head, 0), ByteEvent::TimedOut);
    }

    /// Logs that the sender of `flow`, which has retransmitted, is done: its losses no longer matter.
    pub fn closed(&mut self, now: Time, flow: FlowId) {
        self.push(now, flow, (0, 0), ByteEvent::Closed);
    }

    fn push(&mut self, at: Time, flow: FlowId, (seq, len): (u64, u32), what: ByteEvent) {
        if self.entries.len() >= self.room {
            self.join(at);
            self.room = self.entries.len() + BATCH;
        }
        self.entries.push(Entry {
            at,
            seq,
            flow,
            len,
            what,
        });
    }

    /// Stops the log from being joined when it is full: entries of other logs are missing.
    pub fn wait(&mut self) {
        self.room = usize::MAX;
    }

    /// Takes in the logs of the other parts of a run, and joins the entries before `limit`, which every part
    /// has passed. A sender's entries of one instant are in one log, and stay in their order.
    pub fn join_with<'a>(&mut self, others: impl Iterator<Item = &'a mut LossLog>, limit: Time) {
        for other in others {
            self.entries.append(&mut other.entries);
        }
        self.entries.sort_by_key(|entry| entry.at);
        self.join(limit);
    }

    /// Joins all entries before `limit`.
    fn join(&mut self, limit: Time) {
        let ready = self.entries.partition_point(|entry| entry.at < limit);
        // Stable: a sender's entries of one instant stay in their order.
        self.entries[..ready].sort_by_key(|entry| (entry.at, !entry.what.is_loss()));
        for entry in self.entries.drain(..ready) {
            if entry.what == ByteEvent::Closed {
                // Its losses no longer matter; most flows of a run end here, and need less memory this way.
                let counts = self
                    .flows
                    .remove(&entry.flow)
                    .map(|f| (entry.flow, f.losses));
                self.closed.extend(counts);
                continue;
            }
            self.flows.entry(entry.flow).or_default().tell(&entry);
        }
    }

    /// Joins the rest: returns the counts of each flow that lost something, or whose sender believed so, by
    /// flow. Several counts of one flow add up.
    pub fn finish(mut self) -> Vec<(FlowId, Losses)> {
        self.join(Time::MAX);
        let flows = self.flows.into_iter();
        self.closed.extend(flows.map(|(flow, f)| (flow, f.losses)));
        self.closed.sort_unstable_by_key(|(flow, _)| *flow);
        self.closed
    }
}

impl Flow {
    fn tell(&mut self, entry: &Entry) {
        let (start, end) = (entry.seq, entry.seq + u64::from(entry.len));
        match entry.what {
            ByteEvent::Dropped | ByteEvent::DroppedAtOnce => {
                self.losses.drops += u32::from(!is_syn(start));
                self.lost.add(start, end);
            }
            ByteEvent::Cut => self.lost.add(start, end),
            ByteEvent::SentAgain => {
                // A SYN is no data and never counts as spurious.
                let needed = self.lost.take(start, end) || is_syn(start);
                self.losses.spurious_retransmits += u32::from(!needed);
            }
            ByteEvent::TimedOut => {
                let needed = self.lost.holds(start);
                self.losses.spurious_timeouts += u32::from(!needed);
            }
            ByteEvent::Closed => unreachable!("a log lets flows go whose sender is done"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outcome::FlowOutcome;
    use sidestep_types::HostId;

    fn us(n: u64) -> Time {
        Time::from_us(n)
    }

    fn packet(kind: Kind, flow: u32, seq: u64, len: u16) -> Packet {
        let mut packet = Packet::new(kind, FlowId(flow), HostId(0), 0);
        packet.set_seq(seq);
        packet.len = len;
        packet
    }

    fn again(seq: u64, len: u32) -> Segment {
        Segment {
            seq,
            len,
            syn: false,
            ect: false,
            cwr: false,
            retransmit: true,
            rank: Some(len),
        }
    }

    fn losses(log: LossLog, flow: u32) -> (u32, u32, u32) {
        let mut of = FlowOutcome::default();
        let joined = log.finish().into_iter().filter(|(f, _)| f.0 == flow);
        joined.for_each(|(_, losses)| of.lost(losses));
        (of.drops, of.spurious_retransmits, of.spurious_timeouts)
    }

    #[test]
    fn what_was_lost_is_needed_once_and_only_of_its_own_flow() {
        let mut log = LossLog::default();
        log.dropped(us(1), &packet(Kind::Data, 3, 1000, 1000));
        log.sent_again(us(2), FlowId(3), &again(1000, 1000));
        log.sent_again(us(3), FlowId(3), &again(1000, 1000));
        log.sent_again(us(3), FlowId(4), &again(1000, 1000));
        let joined = log.finish();
        let of = |drops| Losses {
            drops,
            spurious_retransmits: 1,
            ..Losses::default()
        };
        assert_eq!(joined, [(FlowId(3), of(1)), (FlowId(4), of(0))]);
    }

    #[test]
    fn within_an_instant_a_loss_comes_first_whoever_wrote_first() {
        let mut log = LossLog::default();
        log.timed_out(us(1), FlowId(0), 0);
        log.sent_again(us(1), FlowId(0), &again(0, 1000));
        log.dropped(us(1), &packet(Kind::Data, 0, 0, 1000));
        // The retransmission removes the loss, so the second timeout finds none.
        log.timed_out(us(1), FlowId(0), 0);
        assert_eq!(losses(log, 0), (1, 0, 1));
    }

    #[test]
    fn what_a_host_drops_as_it_is_sent_is_lost_after_that() {
        let mut log = LossLog::default();
        log.dropped(us(1), &packet(Kind::Data, 0, 0, 1000));
        log.sent_again(us(2), FlowId(0), &again(0, 1000));
        log.dropped_at_once(us(2), &packet(Kind::Data, 0, 0, 1000));
        log.sent_again(us(3), FlowId(0), &again(0, 1000));
        assert_eq!(losses(log, 0), (2, 0, 0));
    }

    #[test]
    fn a_cut_packet_is_lost_but_not_dropped_and_acknowledgements_are_neither() {
        let mut log = LossLog::default();
        log.cut(us(1), &packet(Kind::Data, 0, 0, 1000));
        log.dropped(us(1), &packet(Kind::Ack, 0, 1000, 0));
        log.dropped(us(1), &packet(Kind::Data, 0, 0, 0));
        log.sent_again(us(2), FlowId(0), &again(0, 1000));
        log.sent_again(us(2), FlowId(0), &again(1000, 1000));
        assert_eq!(losses(log, 0), (0, 1, 0));
    }

    #[test]
    fn a_lost_syn_explains_its_timeout_and_no_syn_is_spurious() {
        let syn = Segment {
            syn: true,
            ..again(0, 0)
        };
        let mut log = LossLog::default();
        log.dropped(us(1), &packet(Kind::Syn, 0, 0, 0));
        log.timed_out(us(2), FlowId(0), SYN);
        log.sent_again(us(2), FlowId(0), &syn);
        log.timed_out(us(3), FlowId(0), SYN);
        log.sent_again(us(3), FlowId(0), &syn);
        assert_eq!(losses(log, 0), (0, 0, 1));
    }

    #[test]
    fn a_log_is_joined_in_batches_and_says_the_same() {
        let mut log = LossLog::default();
        let events = 3 * BATCH as u64;
        for i in 0..events {
            log.dropped(us(i), &packet(Kind::Data, 0, i * 10, 10));
            log.sent_again(us(i), FlowId(0), &again(i * 10, 10));
            log.sent_again(us(i), FlowId(0), &again(i * 10, 10));
        }
        assert!(log.entries.len() <= BATCH + 2, "few are kept");
        let n = events as u32;
        assert_eq!(losses(log, 0), (n, n, 0));
    }

    #[test]
    fn what_a_closed_flow_lost_is_forgotten_and_its_counts_are_not() {
        let mut log = LossLog::default();
        log.sent_again(us(1), FlowId(0), &again(0, 10));
        log.dropped(us(2), &packet(Kind::Data, 0, 0, 10));
        log.closed(us(3), FlowId(0));
        log.join(us(4));
        assert!(log.flows.is_empty());
        assert_eq!(losses(log, 0), (1, 1, 0));
    }

    #[test]
    fn what_comes_after_a_sender_is_done_counts_as_before() {
        let mut log = LossLog::default();
        log.dropped(us(1), &packet(Kind::Data, 0, 0, 1000));
        log.sent_again(us(2), FlowId(0), &again(0, 1000));
        log.closed(us(3), FlowId(0));
        log.closed(us(3), FlowId(1));
        // A copy that was still in flight.
        log.dropped(us(4), &packet(Kind::Data, 0, 0, 1000));
        assert_eq!(losses(log, 0), (2, 0, 0));
    }
}
