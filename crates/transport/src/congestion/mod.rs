//! Congestion control: how large the window is.
//!
//! One file per controller, one entry in the registry below. Recovery (`crate::sender`)
//! decides *what* to send and when a loss or an echo counts; a controller only moves
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
        /// Gain of the moving average of marked bytes; the RFC and the paper say 1/16.
        gain: f64,
        /// Alpha before the first window; the RFC says 1.
        initial_alpha: f64,
        /// What moves alpha; the RFC says every window.
        alpha_moves: AlphaMoves,
        /// What a loss leaves of the flight, above 0 and at most 1; the RFC says half.
        loss_leaves: f64,
    }
    /// RFC 5681. With `ecn`, a mark counts as a loss once a round trip (RFC 3168).
    newreno::NewReno {
        /// Sends ECN-capable packets.
        ecn: bool,
    }
    /// Swift: by delay.
    swift::Swift {
        /// Its targets and gains.
        settings: SwiftConfig,
    }
}

impl Default for Congestion {
    fn default() -> Congestion {
        Congestion::NewReno { ecn: false }
    }
}

/// The transport of a scenario that names none.
pub const DEFAULT: &str = <newreno::NewReno as Transport>::ENTRY.name;

/// What a receiver does with a mark.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum Echo {
    /// Nothing: the sender never asked for marks.
    Never,
    /// Echoes in every acknowledgement until the sender says CWR (RFC 3168 6.1.3).
    Latch,
    /// Echoes exactly what was marked (RFC 8257 3.2).
    Exact,
}

/// The congestion window, in bytes.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub struct Window {
    /// Bytes that may be in the network.
    pub cwnd: u64,
    /// Below it the window doubles each round trip, from it on it grows by a segment.
    pub ssthresh: u64,
    /// Payload bytes of a full segment.
    pub mss: u64,
    /// No cut leaves less, in bytes.
    floor: u64,
    /// Slow start adds all that was delivered, not a segment an acknowledgement.
    whole: bool,
    /// Bytes acknowledged towards the next segment of growth.
    credit: u64,
}

impl Window {
    /// A window of `segments` segments of `mss` bytes, in slow start.
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

    /// The same, of which no cut leaves less than `segments` segments.
    pub fn with_floor(mut self, segments: u64) -> Window {
        self.floor = self.mss.saturating_mul(segments);
        self
    }

    /// The same, which grows as `growth` says.
    pub fn with_growth(mut self, growth: Growth) -> Window {
        self.whole = growth == Growth::Linux;
        self
    }

    /// Does it grow as Linux's windows?
    #[inline]
    pub fn grows_whole(&self) -> bool {
        self.whole
    }

    /// RFC 5681 3.1: slow start by at most a segment an acknowledgement (equation 2), then
    /// one segment per window of acknowledged bytes (byte counting, as the RFC recommends).
    #[inline]
    pub fn grow(&mut self, mut acked: u64) {
        if self.cwnd < self.ssthresh {
            if !self.whole {
                self.cwnd = self.cwnd.saturating_add(acked.min(self.mss));
                return;
            }
            // Linux tcp_slow_start: up to ssthresh, and the rest counts for congestion avoidance.
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

    /// The same with at least `least` bytes for a segment of growth after slow start: a window that is
    /// coupled to others.
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

    /// Continues from `bytes`, or the floor if that is more, without slow start.
    pub fn cut_to(&mut self, bytes: u64) {
        self.ssthresh = bytes.max(self.floor);
        self.cwnd = self.ssthresh;
        self.credit = 0;
    }

    /// Begins again with one segment, in slow start up to `bytes` or the floor; `again` for the same
    /// segment leaves `ssthresh` alone (RFC 5681 equation 4).
    pub fn restart_to(&mut self, bytes: u64, again: bool) {
        if !again {
            self.cut_to(bytes);
        }
        self.cwnd = self.mss;
        self.credit = 0;
    }
}

/// How long the newest of the segments took that an acknowledgement is the first to speak of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Delay {
    /// When the acknowledgement arrived.
    pub now: Time,
    /// Since the segment was handed to the NIC.
    pub rtt: Time,
    /// Switches that the segment has crossed which the acknowledgement answers.
    pub hops: u8,
}

/// A congestion controller: moves the window, and nothing else.
///
/// ```
/// use sidestep_transport::{Control, Echo, Window};
/// use sidestep_types::Time;
///
/// /// Takes marks for losses, and halves on either.
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
    /// How the receiver must echo marks.
    fn echo(&self) -> Echo;
    /// Whether a data segment may be marked.
    fn ect(&self, retransmit: bool) -> bool;

    /// The initial window stands.
    #[inline]
    fn begin(&mut self, _window: &mut Window) {}
    /// Every acceptable acknowledgement, before anything else: `acked` new bytes, `una`
    /// already moved.
    #[inline]
    fn hear(&mut self, _acked: u64, _ece: bool, _una: u64, _nxt: u64) {}
    /// It goes by delays.
    #[inline]
    fn delays(&self) -> bool {
        false
    }
    /// New bytes were acknowledged that were sent once, after [`Control::hear`]; asked only of one that goes
    /// by delays. Says whether the window was cut. Must leave `ssthresh` at `cwnd`; while a recovery
    /// decides `cwnd`, that alone counts.
    fn on_delay(&mut self, _window: &mut Window, _delay: Delay) -> bool {
        false
    }
    /// The answer to a SYN took so long.
    fn round_trip(&mut self, _rtt: Time) {}
    /// New bytes were acknowledged while the window was in full use and may grow.
    #[inline]
    fn grow(&mut self, window: &mut Window, acked: u64) {
        window.grow(acked);
    }
    /// The first echo of a mark in a window of data, outside loss recovery.
    fn on_echo(&mut self, window: &mut Window, flight: u64);
    /// Fast recovery begins. `cut`: an echo has already reduced the window for this data.
    /// Must leave `cwnd` at `ssthresh`.
    fn on_loss(&mut self, now: Time, window: &mut Window, flight: u64, cut: bool);
    /// The retransmission timer ran out; `again` for the same segment.
    fn on_timeout(&mut self, _now: Time, window: &mut Window, flight: u64, again: bool) {
        window.restart_to(flight / 2, again);
    }
    /// What is known of the path is old or doubtful: the window becomes `bytes` at most.
    fn at_most(&mut self, window: &mut Window, bytes: u64) {
        window.cwnd = window.cwnd.min(bytes);
    }
    /// A recovery begins whose cut may be taken back.
    fn remember(&mut self) {}
    /// It is: `window` is what it was when that recovery began, or larger.
    fn undo(&mut self, _window: &mut Window) {}
    /// The least time between two segments; none where the window alone holds them back.
    #[inline]
    fn gap(&self) -> Time {
        Time::ZERO
    }
    /// The window in full segments, where it may be less than one in fractions.
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
        // 2000 bytes are left over, a third of what the next segment takes.
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
