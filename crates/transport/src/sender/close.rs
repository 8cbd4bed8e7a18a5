//! Teardown: a FIN when all data is acknowledged.
//!
//! **Decision**     FIN, its answer and the acknowledgement of that answer; or, if the other side may still
//!                  have data to send, FIN and its acknowledgement.
//! **State**        the step reached.
//! **Units**        one sequence number after the last byte.
//! **Errors**       none: an acknowledgement of a FIN that was not sent is ignored.
//! **Source**       RFC 9293 3.6; the timer as RFC 6298 5.
//! **Deviations**   the FIN leaves when all data is acknowledged, not with the last segment. The answering end
//!                  closes its side in the same packet and keeps no state: the loss of the last acknowledgement
//!                  has no effect. No TIME-WAIT.

use sidestep_types::Time;

use super::TcpSender;
use crate::{Ack, Segment};

/// End that closes a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum Closing {
    /// Not this sender: another message follows, or the configuration has no teardown.
    Never,
    /// Sending side alone: the other side closes its own direction.
    Half,
    /// Two sides in one exchange: the other side has nothing to send.
    Both,
}

#[derive(Clone, Copy, Debug, Default, serde::Serialize, serde::Deserialize)]
pub(super) struct Close {
    half: bool,
    step: Step,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
enum Step {
    #[default]
    Due,
    Again,
    Sent,
    Answered,
}

impl TcpSender {
    /// Sets the end that closes the connection once the next message is acknowledged; the sender is fresh or
    /// between two messages. Without [`crate::TcpConfig::fin`] no end closes it.
    pub fn closing(mut self, closing: Closing) -> TcpSender {
        self.close_with(closing);
        self
    }

    pub(super) fn close_with(&mut self, closing: Closing) {
        self.lingers = self.config.fin && closing != Closing::Never;
        self.close = Close {
            half: closing == Closing::Half,
            step: Step::Due,
        };
    }

    /// Returns true while all data is acknowledged and the connection is to be closed. A connection that
    /// carried nothing was never established and needs no teardown.
    pub fn closes(&self) -> bool {
        self.lingers && self.first_unacked == self.size && self.size > self.base
    }

    /// Returns the FIN, or the acknowledgement of its answer.
    #[cold]
    #[inline(never)]
    pub(super) fn next_close(&mut self, now: Time) -> Option<Segment> {
        let behind = self.size - self.base;
        match self.close.step {
            Step::Sent => None,
            Step::Answered => {
                self.closed();
                Some(self.empty(behind + 1, false))
            }
            Step::Due | Step::Again => {
                let again = self.close.step == Step::Again;
                self.close.step = Step::Sent;
                self.timer.start(now);
                Some(self.empty(behind, again))
            }
        }
    }

    fn empty(&self, seq: u64, retransmit: bool) -> Segment {
        Segment {
            seq,
            len: 0,
            syn: false,
            ect: false,
            cwr: false,
            retransmit,
            rank: self.rank(),
        }
    }

    #[cold]
    pub(super) fn on_close_ack(&mut self, ack: &Ack) {
        let sent = matches!(self.close.step, Step::Sent | Step::Again);
        if !self.closes() || !sent || ack.syn || ack.ack != self.size + 1 {
            return;
        }
        self.timer.stop();
        match self.close.half {
            true => self.closed(),
            false => self.close.step = Step::Answered,
        }
    }

    /// Retransmits the FIN after a timeout: the FIN or its answer is lost.
    #[cold]
    pub(super) fn close_again(&mut self) {
        self.close.step = Step::Again;
    }

    fn closed(&mut self) {
        self.lingers = false;
        self.set_phase(self.phase);
    }
}
