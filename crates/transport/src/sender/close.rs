//! Closing: a FIN when all is acknowledged.
//!
//! **Decision**     FIN, its answer and the acknowledgement of that; or, where the other side may
//!                  have something to send still, FIN and its acknowledgement.
//! **State**        how far it has come.
//! **Units**        one sequence number behind the last byte.
//! **Errors**       none: an acknowledgement of a FIN that was not sent is ignored.
//! **Source**       RFC 9293 3.6; the timer as RFC 6298 5.
//! **Deviations**   the FIN leaves when all data is acknowledged, not with the last of it. Who
//!                  answers closes its side in the same packet, and keeps no state: if the last
//!                  acknowledgement is lost nobody misses it. No TIME-WAIT.

use sidestep_types::Time;

use super::TcpSender;
use crate::{Ack, Segment};

/// Who closes a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum Closing {
    /// Not this sender: another message follows, or the configuration says no.
    Never,
    /// This side alone: the other closes its own.
    Half,
    /// Both at once: the other side has nothing to send.
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
    /// The same, fresh or between two messages, with who closes its connection when the next message
    /// is acknowledged. Without [`crate::TcpConfig::fin`] nobody does.
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

    /// All is acknowledged, and the connection is to be closed. One that carried nothing never stood.
    pub fn closes(&self) -> bool {
        self.lingers && self.una == self.size && self.size > self.base
    }

    /// The FIN, or the acknowledgement of its answer.
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
    pub(super) fn hear_close(&mut self, ack: &Ack) {
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

    /// The FIN, or its answer, is lost.
    #[cold]
    pub(super) fn close_again(&mut self) {
        self.close.step = Step::Again;
    }

    fn closed(&mut self) {
        self.lingers = false;
        self.set_phase(self.phase);
    }
}
