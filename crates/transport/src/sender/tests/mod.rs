//! Dialogues with a sender. Segments are numbered from 0 and 1000 bytes long, times are microseconds.

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

/// Settings of NewReno: an initial window of four segments, initial and least timeout 200 us.
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

/// Creates a sender of an endless flow.
fn endless(config: TcpConfig) -> TcpSender {
    TcpSender::new(Arc::new(config), None)
}

/// Creates a sender of a flow of `size` bytes.
fn flow(config: TcpConfig, size: u64) -> TcpSender {
    TcpSender::new(Arc::new(config), Some(size))
}

impl TcpSender {
    /// Returns the segments sent now.
    fn segments(&mut self, at: u64) -> Vec<Segment> {
        std::iter::from_fn(|| self.poll_send(us(at))).collect()
    }

    /// Returns the numbers of the segments sent now.
    fn sends(&mut self, at: u64) -> Vec<u64> {
        self.segments(at).iter().map(|s| s.seq / 1000).collect()
    }

    /// Acknowledges `segments`; returns the segments sent.
    fn acked(&mut self, at: u64, segments: u64) -> Vec<u64> {
        self.heard(at, segments, false, &[])
    }

    /// Acknowledges `segments` `times` times; returns the segments sent each time.
    fn dups(&mut self, at: u64, times: u64, segments: u64) -> Vec<Vec<u64>> {
        (0..times).map(|_| self.acked(at, segments)).collect()
    }

    /// Acknowledges `segments` and the blocks `from..to`; returns the segments sent.
    fn sacked(&mut self, at: u64, segments: u64, blocks: &[(u64, u64)]) -> Vec<u64> {
        self.heard(at, segments, false, blocks)
    }

    /// Acknowledges `segments` with an echo of a mark; returns the segments sent.
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

    /// Acknowledges `segments` and the blocks after the first, and reports the first block as trimmed; returns
    /// the segments sent.
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

    /// Lets the timer expire exactly when it is due; returns the segments sent.
    fn times_out(&mut self, at: u64) -> Vec<u64> {
        assert_eq!(self.deadline(), Some(us(at)));
        self.on_timeout(us(at));
        self.sends(at)
    }
}

const NOTHING: [u64; 0] = [];
