//! Conversations with a sender. Segments are numbered from 0 and 1000 bytes long, times
//! are microseconds.

mod closing;
mod cut;
mod ecn;
mod loss;
mod opening;
mod reduction;
mod reordering;
mod sack;
mod swift;
mod window;

use std::sync::Arc;

use sidestep_types::{SackBlocks, Time};

use super::TcpSender;
use crate::{
    Ack, AlphaMoves, BackoffEnds, Congestion, Opened, Ranking, Recovery, Reduction, RtoConfig,
    Segment, Sender, TcpConfig,
};

/// NewReno throughout, four segments at first, a timeout of 200 us at least and at first.
fn tcp() -> TcpConfig {
    TcpConfig {
        reduction: Reduction::AtOnce,
        mss: 1000,
        initial_window: 4,
        receive_window: 1_000_000,
        rto: RtoConfig {
            min: us(200),
            initial: us(200),
            max: Time::from_ms(100),
            granularity: Time::ZERO,
            ..TcpConfig::default().rto
        },
        ..TcpConfig::default()
    }
}

fn sack() -> TcpConfig {
    TcpConfig {
        recovery: Recovery::Sack,
        ..tcp()
    }
}

fn window(segments: u32, config: TcpConfig) -> TcpConfig {
    TcpConfig {
        initial_window: segments,
        ..config
    }
}

const fn us(us: u64) -> Time {
    Time::from_us(us)
}

/// An endless flow.
fn endless(config: TcpConfig) -> TcpSender {
    TcpSender::new(Arc::new(config), None)
}

/// A flow of `size` bytes.
fn flow(config: TcpConfig, size: u64) -> TcpSender {
    TcpSender::new(Arc::new(config), Some(size))
}

impl TcpSender {
    /// The segments it puts on the wire now.
    fn segments(&mut self, at: u64) -> Vec<Segment> {
        std::iter::from_fn(|| self.poll_send(us(at))).collect()
    }

    /// Their numbers.
    fn sends(&mut self, at: u64) -> Vec<u64> {
        self.segments(at).iter().map(|s| s.seq / 1000).collect()
    }

    /// Hears that `segments` have arrived, and answers.
    fn acked(&mut self, at: u64, segments: u64) -> Vec<u64> {
        self.heard(at, segments, false, &[])
    }

    /// Hears the same `times` over, and answers each time.
    fn dups(&mut self, at: u64, times: u64, segments: u64) -> Vec<Vec<u64>> {
        (0..times).map(|_| self.acked(at, segments)).collect()
    }

    /// Hears that `segments` and the given blocks `from..to` have arrived, and answers.
    fn sacked(&mut self, at: u64, segments: u64, blocks: &[(u64, u64)]) -> Vec<u64> {
        self.heard(at, segments, false, blocks)
    }

    /// Hears the same with an echo of a mark.
    fn echoed(&mut self, at: u64, segments: u64) -> Vec<u64> {
        self.heard(at, segments, true, &[])
    }

    fn heard(&mut self, at: u64, segments: u64, ece: bool, blocks: &[(u64, u64)]) -> Vec<u64> {
        let mut sack = SackBlocks::NONE;
        for (from, to) in blocks {
            let relative = |s: u64| ((s - segments) * 1000) as u32;
            sack.push(relative(*from), relative(*to));
        }
        self.hears(at, segments, ece, sack, false)
    }

    /// Hears that `segments` and the blocks after the first have arrived, and that a switch has
    /// cut the first, and answers.
    fn told(&mut self, at: u64, segments: u64, blocks: &[(u64, u64)]) -> Vec<u64> {
        let mut sack = SackBlocks::NONE;
        for (from, to) in blocks {
            let relative = |s: u64| ((s - segments) * 1000) as u32;
            sack.push(relative(*from), relative(*to));
        }
        self.hears(at, segments, false, sack, true)
    }

    fn hears(
        &mut self,
        at: u64,
        segments: u64,
        ece: bool,
        sack: SackBlocks,
        cut: bool,
    ) -> Vec<u64> {
        let ack = Ack {
            ack: segments * 1000,
            ece,
            syn: false,
            sack,
            cut,
            below: false,
            hops: 0,
        };
        self.on_ack(us(at), ack);
        self.sends(at)
    }

    /// The timer runs out, exactly when it is due.
    fn times_out(&mut self, at: u64) -> Vec<u64> {
        assert_eq!(self.deadline(), Some(us(at)));
        self.on_timeout(us(at));
        self.sends(at)
    }
}

const NOTHING: [u64; 0] = [];
