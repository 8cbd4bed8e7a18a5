//! Sender of one subflow of a connection, which offers it bytes as it can send them.
//!
//! **Decision**     none: bytes are offered one segment at a time, and withdrawn if the sender did not take
//!                  them, so that the sender can tell whether its window or a lack of bytes limited it.
//! **State**        none beyond the sender's.
//! **Units**        bytes.
//! **Errors**       none.
//! **Source**       RFC 8684 section 3.3 (a subflow sends the data that the connection assigns to it), RFC 6356
//!                  section 3 (its window grows more slowly than alone).
//! **Deviations**   none.

use sidestep_types::Time;

use super::{Opening, Phase, TcpSender};
use crate::{Ack, Closing, Sender};

impl TcpSender {
    /// Offers `len` bytes beyond those sent, for the next poll; 0 withdraws the offer.
    pub(crate) fn offer(&mut self, len: u64) {
        self.size = self.next_seq.saturating_add(len);
    }

    /// Returns the bytes sent at least once.
    pub(crate) fn sent(&self) -> u64 {
        self.next_seq - self.base
    }

    /// Returns true if nothing is in flight.
    pub(crate) fn is_idle(&self) -> bool {
        self.first_unacked == self.next_seq
    }

    /// Returns true until the handshake is complete.
    pub(crate) fn opens(&self) -> bool {
        self.opening != Opening::Done
    }

    /// Returns true if a SYN was sent and is not answered.
    pub(crate) fn knocks(&self) -> bool {
        matches!(
            self.opening,
            Opening::Sent { .. } | Opening::Due { again: true }
        )
    }

    /// Returns true if the byte at `seq` has arrived according to selective acknowledgements.
    pub(crate) fn is_sacked(&self, seq: u64) -> bool {
        self.board.is_sacked(seq.saturating_add(self.base))
    }

    /// Ends the offers: the end given by `closing` closes the connection once all data is acknowledged. A
    /// connection that carried nothing stays as it is.
    pub(crate) fn end(&mut self, closing: Closing) {
        self.offer(0);
        self.close_with(closing);
        self.set_phase(self.phase);
    }

    /// Returns the window without inflation: the one at which a recovery will end.
    pub(crate) fn steady_window(&self) -> u64 {
        match self.phase {
            Phase::Fast => self.window.ssthresh,
            Phase::Open | Phase::Loss => self.window.cwnd,
        }
    }

    /// Handles an acknowledgement like [`Sender::on_ack`], but does not grow the window after slow start.
    /// Returns the acknowledged bytes for which the caller may grow it by [`TcpSender::grow_within`]; 0 where
    /// it would not have grown.
    pub(crate) fn on_ack_held(&mut self, now: Time, ack: Ack) -> u64 {
        let (first_unacked, phase) = (self.first_unacked, self.phase);
        let slow_start = self.window.cwnd < self.window.ssthresh;
        // An echo that ends a recovery after a timeout shrinks the window in the same step, so this case is
        // left alone.
        let mixed = phase == Phase::Loss && ack.ece;
        // Window growth depends on this flag alone, and nothing else reads it before the next poll.
        let held = !slow_start && !mixed && std::mem::take(&mut self.cwnd_limited);
        self.on_ack(now, ack);
        if !held {
            return 0;
        }
        self.cwnd_limited = true;
        let grows = match phase {
            // A loss shown by this acknowledgement may have begun a recovery.
            Phase::Open => !self.cut && self.phase == Phase::Open,
            Phase::Fast => false,
            // The end of the recovery may have begun another one, which discards the growth.
            Phase::Loss => self.phase != Phase::Fast,
        };
        if grows {
            self.first_unacked - first_unacked
        } else {
            0
        }
    }

    /// Grows the window for `acked` bytes: by a segment for each `least` of them, or for each window if that is
    /// more.
    pub(crate) fn grow_within(&mut self, acked: u64, least: u64) {
        self.window.grow_within(acked, least);
    }
}

#[cfg(test)]
impl TcpSender {
    /// Returns this sender after slow start, with a window of `bytes`.
    pub(crate) fn at_window(mut self, bytes: u64) -> TcpSender {
        (self.window.cwnd, self.window.ssthresh) = (bytes, bytes);
        self
    }
}
