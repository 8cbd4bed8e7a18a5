//! MPTCP receiver: acknowledges each subflow as a TCP does, and reassembles the message from all of them.
//!
//! **Decision**     none beyond that of a TCP for each subflow; a byte is delivered when all bytes before it
//!                  have arrived, on any subflow.
//! **State**        a TCP receiver for each subflow; the next byte of the message and the ranges beyond it.
//! **Units**        bytes, of a subflow or of the message.
//! **Errors**       none: a segment of an unknown subflow or beyond the window of the message is ignored and
//!                  not answered, since a correct sender never sends one.
//! **Source**       RFC 8684 sections 3.3.1, 3.3.2 and 3.3.4.
//! **Deviations**   bytes that arrived before on another subflow count as new on their own subflow; no
//!                  duplicate is reported.

use std::sync::Arc;

use sidestep_types::{Packet, Time};

use super::MptcpConfig;
use crate::receiver::ranges::Ranges;
use crate::{Ack, Arrival, Opened, Receiver, TcpReceiver};

/// Receiver of one flow with subflows.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub struct MptcpReceiver {
    subflows: Vec<TcpReceiver>,
    /// Next byte of the message.
    next: u64,
    window: u64,
    waiting: Ranges,
}

impl MptcpReceiver {
    /// Creates a receiver that has received nothing.
    pub fn new(config: &MptcpConfig) -> MptcpReceiver {
        let subflow = |_| TcpReceiver::new(Arc::clone(&config.tcp));
        MptcpReceiver {
            subflows: (0..config.subflows).map(subflow).collect(),
            next: 0,
            window: config.tcp.receive_window,
            waiting: Ranges::default(),
        }
    }

    /// Returns the receiver's view of the first subflow's handshake.
    pub fn opened(&self) -> Opened {
        self.subflows[0].opened()
    }

    /// Returns the sequence number expected next on each subflow.
    pub fn expected_of_each(&self) -> Vec<u64> {
        let subflows = 0..self.subflows.len() as u8;
        subflows.map(|subflow| self.expected(subflow)).collect()
    }

    /// Handles the arrival of a segment whose first byte is byte `data` of the message.
    pub fn on_mapped_segment(&mut self, now: Time, arrival: Arrival, data: u64) {
        let subflow = Packet::subflow_of(arrival.seq);
        // A single subflow ignores bytes beyond the window itself, and answers.
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
    /// Handles a segment without a mapping, from a connection with one subflow: its sequence numbers are those
    /// of the message.
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
