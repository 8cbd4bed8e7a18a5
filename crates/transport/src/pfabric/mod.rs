//! pFabric sender: starts at line rate, detects losses only by a short timer.
//!
//! **Decision**     missing segments first, then new data, while fewer than `cwnd` segments are in the network;
//!                  after `probe_after` timeouts in a row only a probe of one byte per timeout, until something
//!                  is acknowledged.
//! **State**        two sequence numbers, the window, one byte per segment in flight.
//! **Units**        the window in segments, everything else in bytes.
//! **Errors**       none: acknowledgements of data never sent, old acknowledgements, false SACK blocks and
//!                  early timeouts are ignored.
//! **Source**       Alizadeh et al., SIGCOMM 2013 (minimal rate control: a window of one BDP, SACK, no fast
//!                  retransmit, a fixed small timeout, slow start after a timeout, probe mode); Zarifis et al.,
//!                  EuroSys 2014 section 5.8 (350 us at 1 Gbps).
//! **Deviations**   the window never exceeds its initial value: a larger one only fills the sender's own queue.
//!                  A probe leaves once a timeout, not once a round trip (the timer is the only clock). The
//!                  receiver is TCP's, so a probe's byte is delivered. Selective acknowledgements do not
//!                  restart the timer: a missing segment waits one timeout from the last byte acknowledged in
//!                  order, as with TCP. A trimmed segment counts as missing at once, and does not shrink the
//!                  window. No ECN, no handshake.

use std::collections::VecDeque;

use sidestep_types::{About, Refusal, Settings, Time};

use crate::config::{SEGMENTS, holds_segment};
use crate::nature::Nature;
use crate::registry::Transport;
use crate::{Ack, AnyReceiver, Ranking, Segment, Sender, SenderCounters, TcpReceiver};

/// Settings of a pFabric connection.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize, Settings)]
#[settings(check)]
pub struct PfabricConfig {
    /// Payload bytes of a full segment.
    #[setting(common, bytes, range = SEGMENTS)]
    pub mss: u32,
    /// initial and largest window, in segments in the network; assumed: one round trip's worth at 1 Gbps over
    /// the six links of the default fat tree
    #[setting(default = "8", range = 1..=1 << 20)]
    pub window: u32,
    /// fixed retransmission timeout (DIBS section 5.8, at 1 Gbps)
    #[setting(default = "350 us", above = 0)]
    pub rto: Time,
    /// timeouts in a row after which only probes of one byte are sent (SIGCOMM 2013)
    #[setting(default = "5", above = 0)]
    pub probe_after: u32,
    /// a timeout begins slow start from one segment, up to half the window (SIGCOMM 2013)
    #[setting(default = "true")]
    pub slow_start: bool,
    /// Bytes the receiver allows beyond the cumulative acknowledgement.
    #[setting(common, bytes)]
    pub receive_window: u64,
    /// Rank that data carries.
    #[setting(common, key = "rank")]
    pub ranking: Ranking,
}

impl PfabricConfig {
    fn check(&self) -> Result<(), Refusal> {
        holds_segment(self.receive_window, self.mss)
    }

    /// Returns the payload bytes of a full segment.
    pub fn mss(&self) -> u32 {
        self.mss
    }

    /// Returns the bytes that the receiver allows beyond the cumulative acknowledgement.
    pub fn receive_window(&self) -> u64 {
        self.receive_window
    }

    /// Returns a lower bound of the retransmission timeout.
    pub fn shortest_timeout(&self) -> Time {
        self.rto
    }

    /// Returns the properties: it sends at line rate and relies on switches that drop the packets with most
    /// left to send.
    pub(crate) fn nature(&self) -> Nature {
        Nature {
            marks: false,
            in_proportion: false,
            delays: false,
            buffer: Some("pfabric"),
            ranking: self.ranking,
        }
    }

    /// Creates a receiver that has received nothing: TCP's, with selective acknowledgements.
    pub fn receiver(&self) -> AnyReceiver {
        AnyReceiver::Tcp(TcpReceiver::selective(self.receive_window))
    }
}

impl Transport for PfabricSender {
    type Settings = PfabricConfig;
    const ABOUT: About = About {
        name: "pfabric",
        summary: "starts at line rate; detects losses by a short fixed timeout",
        source: "Alizadeh et al., SIGCOMM 2013; DIBS section 5.8",
    };

    /// Returns true for the few common parameters: pFabric has a separate window, timeout and recovery, and
    /// opens no connection.
    fn takes(param: &str) -> bool {
        matches!(param, "mss" | "receive_window" | "rank")
    }
}

/// State of a segment in flight.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
enum Slot {
    /// In the network, as far as known.
    Flying,
    /// At the receiver, beyond a hole.
    Arrived,
    /// To be retransmitted.
    Missing,
}

/// pFabric sender of one flow.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub struct PfabricSender {
    /// Oldest byte not acknowledged.
    first_unacked: u64,
    /// First byte never sent.
    next_seq: u64,
    /// End of the data; `u64::MAX` for an endless flow.
    size: u64,
    mss: u64,
    rwnd: u64,
    /// First byte of the first slot. Every slot is `mss` long; the last may be shorter.
    start: u64,
    slots: VecDeque<Slot>,
    flying: u32,
    missing: u32,
    /// Slot before which none is missing.
    search: usize,
    cwnd: u32,
    ssthresh: u32,
    window: u32,
    /// Segments acknowledged towards the next segment of growth.
    credit: u32,
    slow_start: bool,
    rto: Time,
    ranking: Ranking,
    /// Time of the timeout; [`Time::MAX`] while nothing is in flight.
    deadline: Time,
    probe_after: u32,
    /// Timeouts since the last acknowledgement of anything.
    in_a_row: u32,
    probing: bool,
    /// Set while the probe of this timeout is to be sent.
    probe_due: bool,
    counters: SenderCounters,
}

impl PfabricSender {
    /// Creates a sender of `size` bytes, or of an endless flow. A segment is never larger than the receive
    /// window.
    pub fn new(config: &PfabricConfig, size: Option<u64>) -> PfabricSender {
        PfabricSender::with_mss(config, config.mss, size)
    }

    /// Creates a sender like [`PfabricSender::new`], with `mss` payload bytes in a full segment whatever
    /// `config` contains.
    pub fn with_mss(config: &PfabricConfig, mss: u32, size: Option<u64>) -> PfabricSender {
        let window = config.window.max(1);
        PfabricSender {
            first_unacked: 0,
            next_seq: 0,
            size: size.unwrap_or(u64::MAX),
            mss: u64::from(mss).min(config.receive_window).max(1),
            rwnd: config.receive_window,
            start: 0,
            slots: VecDeque::new(),
            flying: 0,
            missing: 0,
            search: 0,
            cwnd: window,
            ssthresh: window,
            window,
            credit: 0,
            slow_start: config.slow_start,
            rto: config.rto.max(Time::from_ps(1)),
            ranking: config.ranking,
            deadline: Time::MAX,
            probe_after: config.probe_after.max(1),
            in_a_row: 0,
            probing: false,
            probe_due: false,
            counters: SenderCounters::default(),
        }
    }

    /// Returns the window: the segments that may be in the network.
    pub fn cwnd(&self) -> u32 {
        self.cwnd
    }

    /// Returns true while only probes are sent.
    pub fn is_probing(&self) -> bool {
        self.probing
    }

    /// Removes everything below `ack`, which has arrived. Returns the number of segments that it covers for the
    /// first time.
    fn cover(&mut self, ack: u64) -> u32 {
        self.first_unacked = ack;
        let mut covered = 0;
        while let Some(&slot) = self.slots.front() {
            let end = (self.start + self.mss).min(self.next_seq);
            if end > ack {
                break;
            }
            self.slots.pop_front();
            self.start = end;
            self.search = self.search.saturating_sub(1);
            self.leave(slot);
            covered += u32::from(slot != Slot::Arrived);
        }
        covered
    }

    /// Records the arrival of `[from, to)`. Returns the number of its segments that are new.
    fn on_sack_block(&mut self, from: u64, to: u64) -> u32 {
        if from < self.start || to > self.next_seq || from >= to {
            return 0;
        }
        let first = (from - self.start).div_ceil(self.mss) as usize;
        let last = if to == self.next_seq {
            self.slots.len()
        } else {
            ((to - self.start) / self.mss) as usize
        };
        let mut news = 0;
        for i in first..last {
            let slot = std::mem::replace(&mut self.slots[i], Slot::Arrived);
            self.leave(slot);
            news += u32::from(slot != Slot::Arrived);
        }
        news
    }

    /// Records that a switch has trimmed the segment at `from`: it is missing now, without a timeout.
    fn on_trim_report(&mut self, from: u64) {
        if from < self.start || from >= self.next_seq {
            return;
        }
        let i = ((from - self.start) / self.mss) as usize;
        if self.slots[i] == Slot::Flying {
            self.lose(i);
            self.counters.cuts = self.counters.cuts.saturating_add(1);
        }
    }

    /// Marks slot `i` as missing.
    fn lose(&mut self, i: usize) {
        self.slots[i] = Slot::Missing;
        self.flying -= 1;
        self.missing += 1;
        self.search = self.search.min(i);
    }

    /// Updates the counts for a segment removed from `slot`.
    fn leave(&mut self, slot: Slot) {
        match slot {
            Slot::Flying => self.flying -= 1,
            Slot::Missing => self.missing -= 1,
            Slot::Arrived => {}
        }
    }

    fn grow(&mut self, segments: u32) {
        for _ in 0..segments {
            if self.cwnd >= self.window {
                self.credit = 0;
            } else if self.cwnd < self.ssthresh {
                self.cwnd += 1;
            } else {
                self.credit += 1;
                if self.credit >= self.cwnd {
                    self.credit = 0;
                    self.cwnd += 1;
                }
            }
        }
    }

    /// Retransmits the first missing segment.
    fn resend(&mut self) -> Segment {
        let i = (self.search..self.slots.len())
            .find(|&i| self.slots[i] == Slot::Missing)
            .expect("something is missing");
        self.slots[i] = Slot::Flying;
        self.flying += 1;
        self.missing -= 1;
        self.search = i + 1;
        let seq = self.start + i as u64 * self.mss;
        let end = (seq + self.mss).min(self.next_seq);
        let seq = seq.max(self.first_unacked);
        self.segment(seq, (end - seq) as u32, true)
    }

    fn segment(&mut self, seq: u64, len: u32, retransmit: bool) -> Segment {
        self.counters.segments = self.counters.segments.saturating_add(1);
        let again = u32::from(retransmit);
        self.counters.retransmits = self.counters.retransmits.saturating_add(again);
        Segment {
            seq,
            len,
            syn: false,
            ect: false,
            cwr: false,
            retransmit,
            rank: self.ranking.rank(self.size - self.first_unacked),
        }
    }
}

impl Sender for PfabricSender {
    fn on_ack(&mut self, now: Time, ack: Ack) {
        if ack.ack > self.next_seq || ack.syn || self.first_unacked == self.next_seq {
            return;
        }
        let further = ack.ack > self.first_unacked;
        let mut arrived = if further { self.cover(ack.ack) } else { 0 };
        for (from, to) in ack.arrived() {
            arrived += self.on_sack_block(from, to);
        }
        if let Some((from, _)) = ack.cut_off() {
            self.on_trim_report(from);
        }
        if further || arrived > 0 || ack.cut {
            self.in_a_row = 0;
            self.probing = false;
            self.probe_due = false;
        }
        self.grow(arrived);
        if self.first_unacked == self.next_seq {
            self.deadline = Time::MAX;
        } else if further {
            self.deadline = now.saturating_add(self.rto);
        }
    }

    fn on_timeout(&mut self, now: Time) {
        if now < self.deadline || self.first_unacked == self.next_seq {
            return;
        }
        self.counters.timeouts = self.counters.timeouts.saturating_add(1);
        self.in_a_row = self.in_a_row.saturating_add(1);
        self.deadline = now.saturating_add(self.rto);
        for slot in &mut self.slots {
            if *slot == Slot::Flying {
                *slot = Slot::Missing;
                self.missing += 1;
            }
        }
        self.flying = 0;
        self.search = 0;
        if self.slow_start {
            // RFC 5681 equation 4: another timeout for the same data leaves ssthresh unchanged.
            if self.in_a_row == 1 {
                self.ssthresh = (self.cwnd / 2).max(2).min(self.window);
            }
            self.cwnd = 1;
            self.credit = 0;
        }
        self.probing = self.in_a_row >= self.probe_after;
        self.probe_due = self.probing;
    }

    fn poll_send(&mut self, now: Time) -> Option<Segment> {
        if self.probing {
            return std::mem::take(&mut self.probe_due)
                .then(|| self.segment(self.first_unacked, 1, true));
        }
        if self.flying >= self.cwnd {
            return None;
        }
        if self.missing > 0 {
            return Some(self.resend());
        }
        let len = self.mss.min(self.size - self.next_seq);
        if len == 0 || self.next_seq - self.first_unacked + len > self.rwnd {
            return None;
        }
        if self.deadline == Time::MAX {
            self.deadline = now.saturating_add(self.rto);
        }
        let seq = self.next_seq;
        self.next_seq += len;
        self.slots.push_back(Slot::Flying);
        self.flying += 1;
        Some(self.segment(seq, len as u32, false))
    }

    fn deadline(&self) -> Option<Time> {
        (self.deadline != Time::MAX).then_some(self.deadline)
    }

    fn acknowledged(&self) -> u64 {
        self.first_unacked
    }

    fn is_done(&self) -> bool {
        self.first_unacked == self.size
    }

    fn counters(&self) -> SenderCounters {
        self.counters
    }
}

#[cfg(test)]
mod tests;
