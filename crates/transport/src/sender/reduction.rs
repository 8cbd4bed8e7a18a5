//! Proportional rate reduction: a cut window is reached step by step, not in silence.
//!
//! **Decision**     how much may leave at each acknowledgement while the window is being reduced: the share
//!                  `ssthresh / flight` of the bytes reported delivered or, once less than `ssthresh` is in the
//!                  network, enough to return to `ssthresh`.
//! **State**        three byte counters; one division per acknowledgement, during a reduction.
//! **Units**        bytes.
//! **Errors**       none.
//! **Source**       RFC 9937 (which replaces RFC 6937) for losses. It does not cover echoes of marks; Linux
//!                  (`tcp_enter_cwr`, `tcp_cwnd_reduction`) and ns-3 use the same procedure for them, and so
//!                  does this sender.
//! **Deviations**   the amount that may leave is rounded up to a full segment, as Linux counts. Without SACK, a
//!                  duplicate stands for a full segment delivered, and a partial acknowledgement takes back the
//!                  segments that duplicates stood for (as Linux does; RFC 9937 takes back all). A loss after
//!                  an echo starts anew. A trimmed payload counts as delivered here: it has left the network.

use super::prr::Prr;
use super::{Phase, TcpSender};

/// State of a sender before an acknowledgement.
#[derive(Clone, Copy, Debug, serde::Serialize, serde::Deserialize)]
pub(super) struct SenderBeforeAck {
    arrived: u64,
    lost: u64,
}

impl TcpSender {
    /// Begins the reduction after the window was cut to `ssthresh`; [`TcpSender::reduce`] continues it.
    pub(super) fn begin_reduction(&mut self) {
        self.reducing = true;
        self.allowance = 0;
        self.prr = Prr::default();
    }

    /// Ends a reduction in progress, if any: the window becomes `ssthresh`.
    pub(super) fn end_reduction(&mut self) {
        if std::mem::replace(&mut self.reducing, false) {
            self.window.cwnd = self.window.ssthresh;
        }
    }

    /// Returns the bytes beyond `first_unacked` known to have arrived; without SACK, a guess.
    #[inline]
    pub(super) fn arrived(&self) -> u64 {
        if self.sack {
            self.board.sacked()
        } else {
            self.presumed_arrived
        }
    }

    pub(super) fn before(&self) -> SenderBeforeAck {
        SenderBeforeAck {
            arrived: self.arrived(),
            lost: self.lost_so_far(),
        }
    }

    /// Returns a number that grows with each segment considered lost.
    fn lost_so_far(&self) -> u64 {
        match self.rack {
            Some(_) => self.board.marked(),
            None => self.board.lost_edge(),
        }
    }

    /// Takes one step: sets the window so that exactly the share of this acknowledgement may leave. The trimmed
    /// bytes `cut` have left the network as delivered bytes have.
    pub(super) fn reduce(&mut self, acked: u64, cut: u64, before: SenderBeforeAck) {
        let outstanding = self.next_seq - self.first_unacked;
        if self.prr.flight == 0 {
            self.prr.flight = (outstanding + acked).saturating_sub(before.arrived).max(1);
        }
        let delivered = (acked + self.arrived() + cut).saturating_sub(before.arrived);
        if self.rack.is_some() && delivered == 0 {
            return; // Linux tcp_cwnd_reduction.
        }
        self.prr.delivered += delivered;
        let fast = self.phase == Phase::Fast;
        let further_loss = if self.sack {
            self.lost_so_far() > before.lost
        } else {
            fast // a partial acknowledgement
        };
        let pipe = if self.sack {
            self.board.pipe(self.first_unacked)
        } else {
            let lost = if self.resend_head { self.window.mss } else { 0 };
            self.board
                .pipe(self.first_unacked)
                .saturating_sub(self.presumed_arrived + lost)
        };
        let out = self.next_seq - self.cut_end + self.prr.resent;
        let safe = acked > 0 && !further_loss;
        let mut share = self.prr.share(
            pipe,
            self.window.ssthresh,
            delivered,
            out,
            safe,
            self.window.mss,
        );
        if self.rack.is_some() && out == 0 && share < self.window.mss {
            // A short last segment leaves room for less than one segment; Linux counts segments, and lets the
            // first retransmission leave.
            share = self.window.mss;
        }
        let counted = if fast && self.sack || self.rack.is_some() {
            pipe
        } else {
            outstanding
        };
        self.window.cwnd = counted.saturating_add(share);
        if self.window.cwnd == 0 {
            // Everything in the network was trimmed: the window must not stay 0.
            self.window.cwnd = self.window.mss;
        }
    }
}
