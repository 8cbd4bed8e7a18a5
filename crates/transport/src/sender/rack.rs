//! RACK: the deliveries that RFC 8985 remembers, and its reordering window.
//!
//! **Decision**     how long after a round trip a segment may still arrive: the reordering window.
//! **State**        the smallest and the smoothed round trip, the delivered segment that was sent last, whether
//!                  any segment arrived out of order, the window's steps, and which of three timers runs.
//! **Units**        picoseconds and bytes.
//! **Errors**       none.
//! **Source**       RFC 8985 6.1 and 6.2; Linux `net/ipv4/tcp_recovery.c`.
//! **Deviations**   before the first round trip an answered retransmission counts as a delivery (Linux has a
//!                  round trip of the handshake). RACK.min_RTT never forgets (Linux: five minutes). The round
//!                  in which one D-SACK counts ends as in RFC 8985, with the data sent when the last one
//!                  counted; Linux uses the data delivered.

mod ack;
mod probe;

use sidestep_types::Time;

use super::Phase;
use super::board::Delivered;
use crate::RackConfig;

/// Recoveries after a D-SACK until the window returns to one step (RFC 8985 6.2 step 4).
const PERSIST: u32 = 16;
/// Largest number of steps: Linux `reo_wnd_steps` is a byte.
const MOST_STEPS: u64 = 255;

/// Purpose of the sender's single timer (Linux `icsk_pending`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(super) enum Pending {
    /// Retransmission timeout.
    Rto,
    /// End of the reordering window: another search for losses.
    Reorder,
    /// Probe of the tail.
    Probe,
}

/// Probe of the tail that is not answered yet.
#[derive(Clone, Copy, Debug, serde::Serialize, serde::Deserialize)]
pub(super) struct Probe {
    /// RFC 8985 TLP.end_seq.
    pub end: u64,
    /// RFC 8985 TLP.is_retrans.
    pub again: bool,
}

#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub(super) struct Rack {
    pub config: RackConfig,
    /// Smallest round trip; [`u64::MAX`] before the first.
    min_rtt: u64,
    /// Eight times the smoothed round trip; 0 before the first.
    srtt8: u64,
    /// RACK.xmit_ts and RACK.end_seq.
    pub newest: (u64, u64),
    /// RACK.rtt.
    pub rtt: u64,
    /// RACK.fack: the highest byte delivered.
    top: u64,
    /// RACK.reordering_seen.
    reordered: bool,
    /// RACK.reo_wnd_mult.
    steps: u64,
    /// RACK.reo_wnd_persist.
    persist: u32,
    /// RACK.dsack_round; 0 for none.
    round: u64,
    pub pending: Pending,
    pub probe: Option<Probe>,
    /// Set if the next poll sends a probe.
    pub probing: bool,
    /// Segments retransmitted so far; `dsacks`: D-SACKs received so far.
    pub resent: u64,
    dsacks: u64,
    /// Set while F-RTO checks whether the last timeout was spurious.
    pub frto: bool,
    /// Set while F-RTO allows only new data to leave, until the next acknowledgement.
    pub new_alone: bool,
}

impl Rack {
    pub fn new(config: RackConfig) -> Rack {
        Rack {
            config,
            min_rtt: u64::MAX,
            srtt8: 0,
            newest: (0, 0),
            rtt: 0,
            top: 0,
            reordered: false,
            steps: 1,
            persist: 0,
            round: 0,
            pending: Pending::Rto,
            probe: None,
            probing: false,
            resent: 0,
            dsacks: 0,
            frto: false,
            new_alone: false,
        }
    }

    /// Adds the round trips of the segments sent first and last among those that were sent once (6.2 step 1).
    #[inline]
    pub fn measure(&mut self, first: u64, last: u64) {
        self.min_rtt = self.min_rtt.min(last);
        self.srtt8 = match self.srtt8 {
            0 => first.saturating_mul(8).max(1),
            srtt8 => srtt8 - (srtt8 >> 3) + first,
        };
    }

    /// Returns the least round trip of a retransmission; a sooner answer may be to the original (6.2 step 2).
    /// Before the first round trip every answer counts: otherwise a sender whose whole first window was lost
    /// would learn nothing from its retransmissions.
    #[inline]
    pub fn least(&self) -> u64 {
        match self.min_rtt {
            u64::MAX => 0,
            least => least,
        }
    }

    /// Returns the smoothed round trip; 0 before the first.
    #[inline]
    pub fn srtt(&self) -> u64 {
        self.srtt8 >> 3
    }

    /// Handles the deliveries of an acknowledgement (6.2 steps 2 and 3). Returns true if anything was
    /// delivered.
    #[inline]
    pub fn on_delivered(&mut self, now: Time, heard: &Delivered) -> bool {
        if heard.lowest < self.top {
            self.reordered = true;
        }
        self.top = self.top.max(heard.top);
        if heard.newest == (0, 0) {
            return false;
        }
        self.rtt = now.ps().saturating_sub(heard.newest.0);
        self.newest = self.newest.max(heard.newest);
        true
    }

    /// Handles a D-SACK that ends at `end` (6.2 step 4): one for a retransmission widens the window, once in a
    /// round. A D-SACK for a probe is no sign of reordering, and one beyond the number of retransmissions is
    /// for a copy made by the network.
    pub fn duplicated(&mut self, end: u64, first_unacked: u64, next_seq: u64) {
        self.dsacks += 1;
        let of_probe = self.probe.is_some_and(|probe| probe.end == end);
        if self.dsacks > self.resent || of_probe {
            return;
        }
        if self.reordered && first_unacked >= self.round {
            self.round = next_seq;
            self.steps = (self.steps + 1).min(MOST_STEPS);
            self.persist = PERSIST;
        }
    }

    /// Handles the end of a recovery (6.2 step 4).
    pub fn recovered(&mut self) {
        self.persist = self.persist.saturating_sub(1);
        if self.persist == 0 {
            self.steps = 1;
        }
    }

    /// Returns RACK.reo_wnd, with `sacked` segments SACKed.
    pub fn window(&self, phase: Phase, sacked: u32) -> u64 {
        if !self.reordered && (phase != Phase::Open || sacked >= self.config.threshold) {
            return 0;
        }
        (self.min_rtt / 4)
            .saturating_mul(self.steps)
            .min(self.srtt())
    }
}
