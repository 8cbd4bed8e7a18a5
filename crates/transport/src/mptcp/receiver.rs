//! The receiver of several subflows: each acknowledged as a TCP's is, their bytes put in order together.
//!
//! **Decision**     none but a TCP's, for each subflow; a byte is delivered when all before it have come, by
//!                  whatever subflow.
//! **State**        a TCP's for each subflow; the next byte of the message and what waits beyond it.
//! **Units**        bytes, of a subflow or of the message.
//! **Errors**       none: what is of no subflow, or beyond the window of the message, is ignored and not answered,
//!                  since a sender that keeps to it has nothing to send there.
//! **Source**       RFC 8684 sections 3.3.1, 3.3.2 and 3.3.4.
//! **Deviations**   bytes that came before by another subflow are told to their own subflow as new, and to nobody
//!                  else.

use std::sync::Arc;

use sidestep_types::{Packet, Time};

use super::MptcpConfig;
use crate::receiver::ranges::Ranges;
use crate::{Ack, Arrival, Opened, Receiver, TcpReceiver};

/// A receiver of one flow with subflows.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub struct MptcpReceiver {
    subflows: Vec<TcpReceiver>,
    /// The next byte of the message.
    next: u64,
    window: u64,
    waiting: Ranges,
}

impl MptcpReceiver {
    /// A receiver that has seen nothing.
    pub fn new(config: &MptcpConfig) -> MptcpReceiver {
        let subflow = |_| TcpReceiver::new(Arc::clone(&config.tcp));
        MptcpReceiver {
            subflows: (0..config.subflows).map(subflow).collect(),
            next: 0,
            window: config.tcp.receive_window,
            waiting: Ranges::default(),
        }
    }

    /// What it saw of the first subflow's handshake.
    pub fn opened(&self) -> Opened {
        self.subflows[0].opened()
    }

    /// The sequence number expected next of each subflow.
    pub fn expected_of_each(&self) -> Vec<u64> {
        let subflows = 0..self.subflows.len() as u8;
        subflows.map(|subflow| self.expected(subflow)).collect()
    }

    /// A segment arrived whose first byte is number `data` of the message.
    pub fn on_mapped_segment(&mut self, now: Time, arrival: Arrival, data: u64) {
        let subflow = Packet::subflow_of(arrival.seq);
        // One alone ignores by itself what is beyond the window, and answers.
        let alone = self.subflows.len() == 1;
        let Some(tcp) = self.subflows.get_mut(usize::from(subflow)) else {
            return;
        };
        let end = data.saturating_add(u64::from(arrival.len));
        let limit = self.next.saturating_add(self.window);
        let carries = arrival.len > 0 && !arrival.syn && !arrival.trimmed;
        if carries && end > limit && !alone {
            return;
        }
        let seq = arrival.seq - Packet::first_of(subflow);
        tcp.on_segment(now, Arrival { seq, ..arrival });
        if carries {
            self.take(data, end.min(limit));
        }
    }

    fn take(&mut self, from: u64, to: u64) {
        let from = from.max(self.next);
        if from >= to {
            return;
        }
        if from > self.next {
            self.waiting.insert(from, to);
        } else {
            self.next = self.waiting.take_from(to);
        }
    }
}

impl Receiver for MptcpReceiver {
    /// A segment without a mapping: of a connection with one subflow, whose numbers are the message's.
    fn on_segment(&mut self, now: Time, arrival: Arrival) {
        self.on_mapped_segment(now, arrival, arrival.seq);
    }

    fn on_timeout(&mut self, now: Time) {
        (self.subflows.iter_mut()).for_each(|tcp| tcp.on_timeout(now));
    }

    fn poll_ack(&mut self, now: Time) -> Option<Ack> {
        (0..).zip(&mut self.subflows).find_map(|(subflow, tcp)| {
            let ack = tcp.poll_ack(now)?;
            let next = Packet::first_of(subflow) + ack.ack;
            Some(Ack { ack: next, ..ack })
        })
    }

    fn deadline(&self) -> Option<Time> {
        self.subflows.iter().filter_map(Receiver::deadline).min()
    }

    fn delivered(&self) -> u64 {
        self.next
    }

    fn expected(&self, subflow: u8) -> u64 {
        let tcp = self.subflows.get(usize::from(subflow));
        Packet::first_of(subflow) + tcp.map_or(0, Receiver::delivered)
    }
}
