//! Congestion control: the size of the window.
//!
//! One file per controller, one entry in the registry below. Recovery (`crate::sender`)
//! decides what to send and when a loss or an echo counts; a controller only moves
//! [`Window::cwnd`] and [`Window::ssthresh`].

mod dctcp;
mod newreno;
mod swift;

pub use dctcp::AlphaMoves;
use sidestep_types::{Refusal, Settings, Time, Values};
pub use swift::SwiftConfig;

use crate::Growth;
use crate::registry::{Transport, congestions};

congestions! {
    /// DCTCP, RFC 8257.
    dctcp::Dctcp {
        /// Gain of the moving average of marked bytes; 1/16 in the RFC and the paper.
        gain: f64,
        /// Alpha before the first window; 1 in the RFC.
        initial_alpha: f64,
        /// Event that updates alpha; the end of every window in the RFC.
        alpha_moves: AlphaMoves,
        /// Share of the flight that a loss leaves, above 0 and at most 1; half in the RFC.
        loss_leaves: f64,
    }
    /// NewReno (RFC 5681). With `ecn`, a mark counts as a loss once a round trip (RFC 3168).
    newreno::NewReno {
        /// Set if packets are ECN-capable.
        ecn: bool,
    }
    /// Swift: reacts to delay.
    swift::Swift {
        /// Targets and gains.
        settings: SwiftConfig,
    }
}

impl Default for Congestion {
    fn default() -> Congestion {
        Congestion::NewReno { ecn: false }
    }
}

/// Transport of a scenario that names none.
pub const DEFAULT: &str = <newreno::NewReno as Transport>::ENTRY.name;

/// Echo of marks that a receiver sends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum Echo {
    /// No echo: the sender did not request marks.
    Never,
    /// An echo in every acknowledgement until the sender sets CWR (RFC 3168 6.1.3).
    Latch,
    /// An echo of exactly the marked segments (RFC 8257 3.2).
    Exact,
}

/// Congestion window, in bytes.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub struct Window {
    /// Bytes that may be in flight.
    pub cwnd: u64,
    /// Slow start threshold: below it the window doubles each round trip, from it on the window grows by a
    /// segment.
    pub ssthresh: u64,
    /// Payload bytes of a full segment.
    pub mss: u64,
    /// Least window after a cut, in bytes.
    floor: u64,
    /// Set if slow start adds all bytes delivered, not one segment per acknowledgement.
    whole: bool,
    /// Bytes acknowledged towards the next segment of growth.
    credit: u64,
}

impl Window {
    /// Creates a window of `segments` segments of `mss` bytes, in slow start.
    pub fn new(mss: u64, segments: u64) -> Window {
        Window {
            cwnd: mss.saturating_mul(segments.max(1)),
            ssthresh: u64::MAX,
            mss,
            floor: mss.saturating_mul(2),
            whole: false,
            credit: 0,
        }
    }

    /// Sets the least window after a cut to `segments` segments.
    pub fn with_floor(mut self, segments: u64) -> Window {
        self.floor = self.mss.saturating_mul(segments);
        self
    }

    /// Sets the rule of growth in slow start.
    pub fn with_growth(mut self, growth: Growth) -> Window {
        self.whole = growth == Growth::Linux;
        self
    }

    /// Returns true if the window grows as in Linux.
    #[inline]
    pub fn grows_whole(&self) -> bool {
        self.whole
    }

    /// Grows the window (RFC 5681 3.1): in slow start by at most a segment per acknowledgement (equation 2),
    /// then by one segment per window of acknowledged bytes (byte counting, as the RFC recommends).
    #[inline]
    pub fn grow(&mut self, mut acked: u64) {
        if self.cwnd < self.ssthresh {
            if !self.whole {
                self.cwnd = self.cwnd.saturating_add(acked.min(self.mss));
                return;
            }
            // Linux tcp_slow_start: grow up to ssthresh; the remaining bytes count for congestion avoidance.
            let more = acked.min(self.ssthresh - self.cwnd);
            self.cwnd = self.cwnd.saturating_add(more);
            acked -= more;
        }
        self.credit += acked;
        if self.credit >= self.cwnd {
            self.credit -= self.cwnd;
            self.cwnd = self.cwnd.saturating_add(self.mss);
        }
    }

    /// Grows a window that is coupled to others: like [`Window::grow`], but after slow start a segment of
    /// growth takes at least `least` acknowledged bytes.
    pub fn grow_within(&mut self, acked: u64, least: u64) {
        if self.cwnd < self.ssthresh {
            return self.grow(acked);
        }
        let enough = self.cwnd.max(least);
        self.credit += acked;
        if self.credit >= enough {
            self.credit -= enough;
            self.cwnd = self.cwnd.saturating_add(self.mss);
        }
    }

    /// Continues from `bytes`, or from the floor if that is larger, without slow start.
    pub fn cut_to(&mut self, bytes: u64) {
        self.ssthresh = bytes.max(self.floor);
        self.cwnd = self.ssthresh;
        self.credit = 0;
    }

    /// Restarts with one segment, in slow start up to `bytes` or the floor. `again`, for another timeout of the
    /// same segment, leaves `ssthresh` unchanged (RFC 5681 equation 4).
    pub fn restart_to(&mut self, bytes: u64, again: bool) {
        if !again {
            self.cut_to(bytes);
        }
        self.cwnd = self.mss;
        self.credit = 0;
    }
}

/// Delay of the newest segment that an acknowledgement covers for the first time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Delay {
    /// Time at which the acknowledgement arrived.
    pub now: Time,
    /// Time since the segment was handed to the NIC.
    pub rtt: Time,
    /// Switches crossed by the segment that the acknowledgement answers.
    pub hops: u8,
}

/// Congestion controller: moves the window, and nothing else.
///
/// ```
/// use sidestep_transport::{Control, Echo, Window};
/// use sidestep_types::Time;
///
/// /// Treats marks as losses, and halves the window on either.
/// struct Halving;
///
/// impl Control for Halving {
///     fn echo(&self) -> Echo {
///         Echo::Latch
///     }
///     fn ect(&self, _retransmit: bool) -> bool {
///         true
///     }
///     fn on_echo(&mut self, window: &mut Window, flight: u64) {
///         window.cut_to(flight / 2);
///     }
///     fn on_loss(&mut self, _now: Time, window: &mut Window, flight: u64, _cut: bool) {
///         window.cut_to(flight / 2);
///     }
/// }
///
/// let mut window = Window::new(1000, 10);
/// Halving.grow(&mut window, 1000);
/// assert_eq!(window.cwnd, 11_000); // slow start
/// Halving.on_echo(&mut window, 11_000);
/// assert_eq!((window.cwnd, window.ssthresh), (5_500, 5_500));
/// Halving.on_timeout(Time::ZERO, &mut window, 5_000, false);
/// assert_eq!((window.cwnd, window.ssthresh), (1_000, 2_500));
/// ```
pub trait Control {
    /// Returns the echo of marks that the receiver must send.
    fn echo(&self) -> Echo;
    /// Returns true if a data segment may be marked.
    fn ect(&self, retransmit: bool) -> bool;

    /// Called once the initial window is set.
    #[inline]
    fn begin(&mut self, _window: &mut Window) {}
    /// Called for every acceptable acknowledgement, before all else, with `acked` new bytes; `first_unacked` has already
    /// moved.
    #[inline]
    fn handle_ack(&mut self, _acked: u64, _ece: bool, _first_unacked: u64, _next_seq: u64) {}
    /// Returns true if the controller reacts to delays.
    #[inline]
    fn delays(&self) -> bool {
        false
    }
    /// Called after [`Control::handle_ack`] when new bytes that were sent once are acknowledged; only for a
    /// controller that reacts to delays. Returns true if the window was cut. Must leave `ssthresh` at `cwnd`;
    /// during a recovery, which decides `cwnd`, only `ssthresh` counts.
    fn on_delay(&mut self, _window: &mut Window, _delay: Delay) -> bool {
        false
    }
    /// Called with the round trip of a SYN.
    fn round_trip(&mut self, _rtt: Time) {}
    /// Called when new bytes are acknowledged while the window was fully used and may grow.
    #[inline]
    fn grow(&mut self, window: &mut Window, acked: u64) {
        window.grow(acked);
    }
    /// Called for the first echo of a mark in a window of data, outside loss recovery.
    fn on_echo(&mut self, window: &mut Window, flight: u64);
    /// Called when fast recovery begins. `cut`: an echo has already reduced the window for this data. Must
    /// leave `cwnd` at `ssthresh`.
    fn on_loss(&mut self, now: Time, window: &mut Window, flight: u64, cut: bool);
    /// Called when the retransmission timer expires; `again` if for the same segment.
    fn on_timeout(&mut self, _now: Time, window: &mut Window, flight: u64, again: bool) {
        window.restart_to(flight / 2, again);
    }
    /// Limits the window to `bytes`, since the state of the path is old or doubtful.
    fn at_most(&mut self, window: &mut Window, bytes: u64) {
        window.cwnd = window.cwnd.min(bytes);
    }
    /// Called when a recovery begins whose cut may be undone.
    fn remember(&mut self) {}
    /// Called when the cut is undone: `window` is as large as when that recovery began, or larger.
    fn undo(&mut self, _window: &mut Window) {}
    /// Returns the least time between two segments; zero where only the window limits them.
    #[inline]
    fn gap(&self) -> Time {
        Time::ZERO
    }
    /// Returns the window in full segments; may be a fraction below one.
    fn packets(&self, window: &Window) -> f64 {
        window.cwnd as f64 / window.mss as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slow_start_adds_what_was_acknowledged_but_a_segment_at_most() {
        let mut w = Window::new(1000, 2);
        w.grow(1000);
        w.grow(500);
        w.grow(9000);
        assert_eq!(w.cwnd, 2000 + 1000 + 500 + 1000);
    }

    #[test]
    fn a_window_that_grows_as_linux_adds_all_that_was_delivered_up_to_ssthresh() {
        let mut w = Window::new(1000, 2).with_growth(Growth::Linux);
        w.ssthresh = 6000;
        w.grow(3000);
        assert_eq!(w.cwnd, 5000);
        w.grow(3000);
        assert_eq!(w.cwnd, 6000);
        // 2000 bytes are left over: a third of what the next segment needs.
        w.grow(3999);
        assert_eq!(w.cwnd, 6000);
        w.grow(1);
        assert_eq!(w.cwnd, 7000);
    }

    #[test]
    fn no_cut_goes_below_the_floor() {
        for (floor, left) in [(1, 1000), (2, 2000)] {
            let mut w = Window::new(1000, 10).with_floor(floor);
            w.cut_to(10);
            assert_eq!((w.cwnd, w.ssthresh), (left, left));
        }
    }

    #[test]
    fn congestion_avoidance_adds_a_segment_per_window_of_bytes() {
        let mut w = Window::new(1000, 4);
        w.ssthresh = 4000;
        (0..3).for_each(|_| w.grow(1000));
        assert_eq!(w.cwnd, 4000);
        w.grow(1000);
        assert_eq!(w.cwnd, 5000);
        (0..4).for_each(|_| w.grow(1000));
        assert_eq!(w.cwnd, 5000);
        w.grow(1000);
        assert_eq!(w.cwnd, 6000);
    }
}
