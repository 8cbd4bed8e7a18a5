//! Data of a connection with several subflows: bytes sent and bytes received, by data sequence number.
//!
//! **Decision**     the bytes that a subflow carries next: first those that another subflow may have lost, then
//!                  new bytes, while the receive window has room.
//! **State**        two sequence numbers, the ranges received beyond the first missing byte, the bytes to be
//!                  sent on another path.
//! **Units**        bytes of the message.
//! **Errors**       none.
//! **Source**       RFC 8684 sections 3.3.1 (mapping), 3.3.2 (acknowledgement), 3.3.4 (one receive window),
//!                  3.3.6 (sending again on another subflow).
//! **Deviations**   no data acknowledgement is sent: the sender derives it from each subflow's
//!                  acknowledgements, since a receiver here keeps what it has acknowledged. The sender learns
//!                  of bytes received beyond a hole of their subflow only when that hole is filled.

use std::collections::VecDeque;

use crate::receiver::ranges::Ranges;

/// Bytes of one segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(super) struct Chunk {
    /// First byte.
    pub at: u64,
    /// Number of bytes; 0 if there is nothing to send.
    pub len: u64,
    /// Subflow that may have lost the bytes, if they are sent again.
    pub lost_on: Option<u8>,
}

#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub(super) struct Data {
    /// Oldest byte not known to have arrived.
    first_unacked: u64,
    /// First byte never sent.
    next_seq: u64,
    /// Bytes of the message; `u64::MAX` for an endless flow.
    size: u64,
    mss: u64,
    window: u64,
    arrived: Ranges,
    /// Chunks to be sent on another subflow, oldest first.
    again: VecDeque<Chunk>,
}

impl Data {
    pub(super) fn new(size: u64, mss: u64, window: u64) -> Data {
        Data {
            first_unacked: 0,
            next_seq: 0,
            size,
            mss,
            window,
            arrived: Ranges::default(),
            again: VecDeque::new(),
        }
    }

    /// Starts the next message, of `size` bytes.
    pub(super) fn restart(&mut self, size: u64) {
        *self = Data::new(size, self.mss, self.window);
    }

    /// Returns the number of bytes not known to have arrived.
    pub(super) fn left(&self) -> u64 {
        self.size - self.first_unacked
    }

    /// Returns true once all bytes have arrived.
    pub(super) fn is_done(&self) -> bool {
        self.first_unacked == self.size
    }

    /// Returns the chunk that `subflow` carries next.
    pub(super) fn next(&mut self, subflow: u8) -> Chunk {
        if let Some(chunk) = self.next_again(subflow) {
            return chunk;
        }
        let len = self.mss.min(self.size - self.next_seq);
        let fits = self.next_seq - self.first_unacked + len <= self.window;
        Chunk {
            at: self.next_seq,
            len: if fits { len } else { 0 },
            lost_on: None,
        }
    }

    /// Returns the oldest chunk that another subflow may have lost and that has not arrived since.
    fn next_again(&mut self, subflow: u8) -> Option<Chunk> {
        let (first_unacked, arrived) = (self.first_unacked, &self.arrived);
        let missing = |chunk: &Chunk| {
            let end = chunk.at + chunk.len;
            end > first_unacked && !arrived.holds(chunk.at, end)
        };
        self.again.retain(missing);
        let of_others = |chunk: &&Chunk| chunk.lost_on != Some(subflow);
        self.again.iter().find(of_others).copied()
    }

    /// Records that `chunk`, the last one returned by [`Data::next`], was sent.
    pub(super) fn sent(&mut self, chunk: Chunk) {
        if chunk.lost_on.is_none() {
            self.next_seq += chunk.len;
        } else if let Some(at) = self.again.iter().position(|other| *other == chunk) {
            self.again.remove(at);
        }
    }

    /// Adds `chunk`, which may be lost, to those to be sent again.
    pub(super) fn send_again(&mut self, chunk: Chunk) {
        self.again.push_back(chunk);
    }

    /// Records the arrival of `[from, to)`.
    pub(super) fn arrive(&mut self, from: u64, to: u64) {
        if to <= self.first_unacked {
            return;
        }
        if from > self.first_unacked {
            return self.arrived.insert(from, to);
        }
        self.first_unacked = self.arrived.take_from(to);
    }
}
