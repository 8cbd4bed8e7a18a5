//! A sender that is one of several of a connection, which hands it its bytes as it can send them.
//!
//! **Decision**     none of its own: bytes are offered one segment at a time, and withdrawn when they were
//!                  not taken, so that the sender knows whether its window or a lack of bytes held it back.
//! **State**        none beyond the sender's.
//! **Units**        bytes.
//! **Errors**       none.
//! **Source**       RFC 8684 section 3.3 (a subflow sends what the connection gives it), RFC 6356 section 3
//!                  (its window grows more slowly than alone).
//! **Deviations**   none.

use sidestep_types::Time;

use super::{Opening, Phase, TcpSender};
use crate::{Ack, Closing, Sender};

impl TcpSender {
    /// The application has `len` bytes beyond those sent, for the next poll; with 0 it has none.
    pub(crate) fn offer(&mut self, len: u64) {
        self.size = self.nxt.saturating_add(len);
    }

    /// Bytes sent at least once.
    pub(crate) fn sent(&self) -> u64 {
        self.nxt - self.base
    }

    /// Nothing that was sent waits for its acknowledgement.
    pub(crate) fn is_idle(&self) -> bool {
        self.una == self.nxt
    }

    /// Its handshake is not over.
    pub(crate) fn opens(&self) -> bool {
        self.opening != Opening::Done
    }

    /// It has tried to open, and was not answered.
    pub(crate) fn knocks(&self) -> bool {
        matches!(
            self.opening,
            Opening::Sent { .. } | Opening::Due { again: true }
        )
    }

    /// Has the byte at `seq` arrived, by what selective acknowledgements say?
    pub(crate) fn is_sacked(&self, seq: u64) -> bool {
        self.board.is_sacked(seq.saturating_add(self.base))
    }

    /// Nothing more is offered, ever: the connection is closed when all is acknowledged, by whom it is
    /// said. One that carried nothing is left as it is.
    pub(crate) fn end(&mut self, closing: Closing) {
        self.offer(0);
        self.close_with(closing);
        self.set_phase(self.phase);
    }

    /// The window where nothing inflates it: that at which a recovery will end.
    pub(crate) fn steady_window(&self) -> u64 {
        match self.phase {
            Phase::Fast => self.window.ssthresh,
            Phase::Open | Phase::Loss => self.window.cwnd,
        }
    }

    /// [`Sender::on_ack`], but that after slow start the window does not grow. Gives the acknowledged bytes
    /// that it may grow for, by [`TcpSender::grow_within`]: none where it would not have grown.
    pub(crate) fn on_ack_held(&mut self, now: Time, ack: Ack) -> u64 {
        let (una, phase) = (self.una, self.phase);
        let slow_start = self.window.cwnd < self.window.ssthresh;
        // An echo that ends a recovery after a timeout shrinks the window in the same step: it is left alone.
        let mixed = phase == Phase::Loss && ack.ece;
        // What grows a window looks at this alone, and nothing else reads it before the next poll.
        let held = !slow_start && !mixed && std::mem::take(&mut self.cwnd_limited);
        self.on_ack(now, ack);
        if !held {
            return 0;
        }
        self.cwnd_limited = true;
        let grows = match phase {
            // A loss that this acknowledgement showed may have begun a recovery.
            Phase::Open => !self.cut && self.phase == Phase::Open,
            Phase::Fast => false,
            // Its end may have begun another recovery, which forgets what has grown.
            Phase::Loss => self.phase != Phase::Fast,
        };
        if grows { self.una - una } else { 0 }
    }

    /// The window grows for `acked` bytes: by a segment for each `least` of them, or for each window if
    /// that is more.
    pub(crate) fn grow_within(&mut self, acked: u64, least: u64) {
        self.window.grow_within(acked, least);
    }
}

#[cfg(test)]
impl TcpSender {
    /// The same after slow start, with a window of so many bytes.
    pub(crate) fn at_window(mut self, bytes: u64) -> TcpSender {
        (self.window.cwnd, self.window.ssthresh) = (bytes, bytes);
        self
    }
}
