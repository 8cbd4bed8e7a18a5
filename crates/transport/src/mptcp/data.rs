//! What a connection of several subflows has sent and what of it has arrived, by data sequence.
//!
//! **Decision**     which bytes a subflow carries next: what another one was given and may have lost, then new
//!                  ones, while the window of the receiver has room.
//! **State**        two numbers, what arrived beyond the first missing byte, what is to be sent on another path.
//! **Units**        bytes of the message.
//! **Errors**       none.
//! **Source**       RFC 8684 sections 3.3.1 (mapping), 3.3.2 (acknowledgement), 3.3.4 (one receive window), 3.3.6
//!                  (sending again on another subflow).
//! **Deviations**   no data acknowledgement is sent: the sender knows what each subflow's acknowledgement covers,
//!                  and a receiver here takes what it has acknowledged. It learns of bytes that wait beyond a
//!                  hole of their subflow only when that hole is filled.

use std::collections::VecDeque;

use crate::receiver::ranges::Ranges;

/// A run of bytes, one segment's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(super) struct Chunk {
    /// The first.
    pub at: u64,
    /// How many; none where there is nothing to send.
    pub len: u64,
    /// The subflow on whose path they may be lost, when they are sent again.
    pub lost_on: Option<u8>,
}

#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub(super) struct Data {
    /// The oldest byte that is not known to have arrived.
    una: u64,
    /// The first byte never sent.
    nxt: u64,
    /// `u64::MAX` for an endless flow.
    size: u64,
    mss: u64,
    window: u64,
    arrived: Ranges,
    /// To be sent on another subflow, oldest first.
    again: VecDeque<Chunk>,
}

impl Data {
    pub(super) fn new(size: u64, mss: u64, window: u64) -> Data {
        Data {
            una: 0,
            nxt: 0,
            size,
            mss,
            window,
            arrived: Ranges::default(),
            again: VecDeque::new(),
        }
    }

    /// The next message, of `size` bytes.
    pub(super) fn restart(&mut self, size: u64) {
        *self = Data::new(size, self.mss, self.window);
    }

    /// Bytes not known to have arrived.
    pub(super) fn left(&self) -> u64 {
        self.size - self.una
    }

    /// All has arrived.
    pub(super) fn is_done(&self) -> bool {
        self.una == self.size
    }

    /// What `subflow` is to carry next.
    pub(super) fn next(&mut self, subflow: u8) -> Chunk {
        if let Some(chunk) = self.next_again(subflow) {
            return chunk;
        }
        let len = self.mss.min(self.size - self.nxt);
        let fits = self.nxt - self.una + len <= self.window;
        Chunk {
            at: self.nxt,
            len: if fits { len } else { 0 },
            lost_on: None,
        }
    }

    /// The oldest that another subflow may have lost, if it has not arrived since.
    fn next_again(&mut self, subflow: u8) -> Option<Chunk> {
        let (una, arrived) = (self.una, &self.arrived);
        let missing = |chunk: &Chunk| {
            let end = chunk.at + chunk.len;
            end > una && !arrived.holds(chunk.at, end)
        };
        self.again.retain(missing);
        let of_others = |chunk: &&Chunk| chunk.lost_on != Some(subflow);
        self.again.iter().find(of_others).copied()
    }

    /// `chunk`, which [`Data::next`] gave last, was sent.
    pub(super) fn sent(&mut self, chunk: Chunk) {
        if chunk.lost_on.is_none() {
            self.nxt += chunk.len;
        } else if let Some(at) = self.again.iter().position(|other| *other == chunk) {
            self.again.remove(at);
        }
    }

    /// `chunk` may be lost.
    pub(super) fn send_again(&mut self, chunk: Chunk) {
        self.again.push_back(chunk);
    }

    /// `[from, to)` has arrived.
    pub(super) fn arrive(&mut self, from: u64, to: u64) {
        if to <= self.una {
            return;
        }
        if from > self.una {
            return self.arrived.insert(from, to);
        }
        self.una = self.arrived.take_from(to);
    }
}
