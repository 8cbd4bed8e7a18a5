//! Swift: the window follows the delay of acknowledgements, down to one packet in many round trips.
//!
//! **Decision**     a delay below the target adds `ai` packets a round trip to the window; a delay above it
//!                  multiplies the window by `1 - beta·(delay - target)/delay`, but at least by `1 - max_mdf`,
//!                  and at most once a round trip. The target grows with the switches crossed and as the window
//!                  gets smaller. A loss multiplies by `1 - max_mdf`, also at most once a round trip; many
//!                  timeouts in a row set the least window. Below one packet, each packet waits `round
//!                  trip/window` after the one before.
//! **State**        the window, the last delay, the last cut, timeouts in a row. A target costs a square root
//!                  and a division.
//! **Units**        packets of a full segment, in fractions; times in picoseconds. `f64` with only `+ - * /`,
//!                  the square root and rounding, which IEEE 754 rounds the same everywhere.
//! **Errors**       none.
//! **Source**       Kumar et al., SIGCOMM 2020, as implemented in csg-htsim and in the simulator of Vertigo's
//!                  authors (Abdous et al., CoNEXT 2021); all constants are the latter's.
//! **Deviations**   only segments sent once give a delay, one for each acknowledgement of new data. The delay
//!                  is all of the round trip, including the wait at the sender's NIC: there is no endpoint
//!                  delay and no window for it (the authors' simulator has them and uses neither). The window
//!                  grows only while it limits the sender, and not while the data is acknowledged for which a
//!                  loss has cut it, as for the other controllers here. A window that did not become smaller
//!                  was not cut: the authors' simulator starts a round trip there too. An acknowledgement adds
//!                  in proportion to its bytes; the authors' simulator rounds up to packets. The first cut may
//!                  come at once. Without a round trip nothing is paced. No packet is ECN-capable.

use sidestep_types::{About, Fraction, Refusal, Settings, Time};
use std::ops::RangeInclusive;

use super::{Control, Delay, Echo, Window};
use crate::registry::Transport;

/// Targets, gains and limits of Swift.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize, Settings)]
pub struct SwiftConfig {
    /// target delay of a large window over no switch (the simulator of Vertigo's authors)
    #[setting(
        key = "swift_base_target",
        default = "60 us",
        above = 0,
        because = "no delay can be below 0, so no window would ever grow"
    )]
    pub base_target: Time,
    /// increase of the target for each switch that the data has crossed (the simulator of Vertigo's authors)
    #[setting(key = "swift_per_hop", default = "30 us", range = ..=LONGEST)]
    pub per_hop: Time,
    /// largest increase of the target for a small window (the simulator of Vertigo's authors)
    #[setting(key = "swift_fs_range", default = "300 us", range = ..=LONGEST)]
    pub fs_range: Time,
    /// window in packets up to which the target increases by all of `swift_fs_range` (the simulator of Vertigo's authors)
    #[setting(key = "swift_fs_min_cwnd", default = "0.1", range = WINDOWS)]
    pub fs_min_cwnd: f64,
    /// window in packets from which on the target does not increase (the simulator of Vertigo's authors)
    #[setting(key = "swift_fs_max_cwnd", default = "100", range = WINDOWS)]
    pub fs_max_cwnd: f64,
    /// packets added to the window per round trip while the delay is below the target (the simulator of Vertigo's authors)
    #[setting(key = "swift_ai", default = "1", range = WINDOWS)]
    pub ai: f64,
    /// size of a cut, as a share of the delay's excess over the target (the simulator of Vertigo's authors)
    #[setting(key = "swift_beta", default = "0.8", above = 0, range = ..=Fraction::ONE)]
    pub beta: f64,
    /// largest cut as a share of the window, and the cut at a loss (the simulator of Vertigo's authors)
    #[setting(key = "swift_max_mdf", default = "0.5", above = 0, range = ..=Fraction::ONE)]
    pub max_mdf: f64,
    /// least window in packets (the simulator of Vertigo's authors)
    #[setting(key = "swift_min_cwnd", default = "0.001", range = WINDOWS)]
    pub min_cwnd: f64,
    /// largest window in packets, about 64 kB (the simulator of Vertigo's authors)
    #[setting(key = "swift_max_cwnd", default = "43", range = WINDOWS)]
    pub max_cwnd: f64,
    /// timeouts in a row that reduce the window to the least one (the simulator of Vertigo's authors)
    #[setting(key = "swift_retransmit_reset", default = "12", above = 0)]
    pub retransmit_reset: u32,
}

impl SwiftConfig {
    /// Returns the target delay of a window of `cwnd` packets over `hops` switches, in picoseconds:
    /// `base + clamp(fs_alpha/sqrt(cwnd) + fs_beta, 0, fs_range) + hops·per_hop`.
    ///
    /// `fs_alpha` and `fs_beta` make the middle term `fs_range` at `fs_min_cwnd` and 0 at `fs_max_cwnd`.
    pub fn target(&self, cwnd: f64, hops: u8) -> f64 {
        self.target_by(self.scaling(), cwnd, hops)
    }

    /// Returns `fs_alpha` and `fs_beta`, in picoseconds.
    fn scaling(&self) -> (f64, f64) {
        let least = 1.0 / self.fs_min_cwnd.sqrt();
        let most = 1.0 / self.fs_max_cwnd.sqrt();
        let alpha = self.fs_range.ps() as f64 / (least - most);
        (alpha, -alpha * most)
    }

    fn target_by(&self, (alpha, beta): (f64, f64), cwnd: f64, hops: u8) -> f64 {
        let scaled = (alpha / cwnd.sqrt() + beta).clamp(0.0, self.fs_range.ps() as f64);
        let base = self.base_target.ps() as f64;
        base + scaled + f64::from(hops) * self.per_hop.ps() as f64
    }

    /// Returns the share of the window that a delay above the target leaves. Both are in picoseconds.
    pub fn left(&self, delay: f64, target: f64) -> f64 {
        (1.0 - self.beta * (delay - target) / delay).max(1.0 - self.max_mdf)
    }
}

/// Swift controller. Its state is boxed: it is larger than that of the other controllers, whose size it would increase.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub(crate) struct Swift(Box<State>);

#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
struct State {
    config: SwiftConfig,
    scaling: (f64, f64),
    /// Window in packets.
    cwnd: f64,
    /// Last round trip; 0 before the first.
    rtt: Time,
    cut_at: Option<Time>,
    /// Set if the current acknowledgement came in time.
    in_time: bool,
    timeouts: u32,
    /// `cwnd` and `cut_at` before the recovery that may prove spurious.
    before: (f64, Option<Time>),
}

impl Swift {
    pub(crate) fn new(config: SwiftConfig) -> Swift {
        Swift(Box::new(State {
            config,
            scaling: config.scaling(),
            cwnd: config.max_cwnd.min(1.0),
            rtt: Time::ZERO,
            cut_at: None,
            in_time: false,
            timeouts: 0,
            before: (config.min_cwnd, None),
        }))
    }
}

impl State {
    /// Returns true if the last cut is at least a round trip ago.
    fn may_cut(&self, now: Time) -> bool {
        self.cut_at
            .is_none_or(|at| now.saturating_sub(at) >= self.rtt)
    }

    /// Reduces the window to the share `left`, unless it was cut in this round trip. Returns true if it became smaller.
    fn cut(&mut self, now: Time, left: f64) -> bool {
        let before = self.cwnd;
        if self.may_cut(now) {
            self.set(before * left);
        }
        let cut = self.cwnd < before;
        if cut {
            self.cut_at = Some(now);
        }
        cut
    }

    fn set(&mut self, cwnd: f64) {
        self.cwnd = cwnd.max(self.config.min_cwnd).min(self.config.max_cwnd);
    }

    /// Sets `window` in whole packets, at least one; smaller windows are enforced by pacing.
    fn show(&self, window: &mut Window) {
        window.cwnd = (self.cwnd as u64).max(1).saturating_mul(window.mss);
        window.ssthresh = window.cwnd;
    }
}

impl Control for Swift {
    fn echo(&self) -> Echo {
        Echo::Never
    }

    #[inline]
    fn ect(&self, _retransmit: bool) -> bool {
        false
    }

    fn begin(&mut self, window: &mut Window) {
        self.0.set(window.cwnd as f64 / window.mss as f64);
        self.0.show(window);
    }

    // Out of line, here and below: inlined, it would take registers from the path of other controllers.
    #[cold]
    #[inline(never)]
    fn handle_ack(&mut self, acked: u64, _ece: bool, _first_unacked: u64, _next_seq: u64) {
        self.0.in_time = false;
        if acked > 0 {
            self.0.timeouts = 0;
        }
    }

    #[inline]
    fn delays(&self) -> bool {
        true
    }

    fn on_delay(&mut self, window: &mut Window, delay: Delay) -> bool {
        let state = &mut self.0;
        state.rtt = delay.rtt;
        let took = delay.rtt.ps() as f64;
        let target = (state.config).target_by(state.scaling, state.cwnd, delay.hops);
        state.in_time = took < target;
        if state.in_time {
            return false;
        }
        let left = state.config.left(took, target);
        let cut = state.cut(delay.now, left);
        state.show(window);
        cut
    }

    fn round_trip(&mut self, rtt: Time) {
        self.0.rtt = rtt;
    }

    #[cold]
    #[inline(never)]
    fn grow(&mut self, window: &mut Window, acked: u64) {
        let state = &mut self.0;
        if !std::mem::take(&mut state.in_time) {
            return;
        }
        let more = state.config.ai * (acked as f64 / window.mss as f64);
        let more = if state.cwnd >= 1.0 {
            more / state.cwnd
        } else {
            more
        };
        state.set(state.cwnd + more);
        state.show(window);
    }

    /// Does nothing: no packet can be marked.
    fn on_echo(&mut self, _window: &mut Window, _flight: u64) {}

    #[cold]
    #[inline(never)]
    fn on_loss(&mut self, now: Time, window: &mut Window, _flight: u64, _cut: bool) {
        let left = 1.0 - self.0.config.max_mdf;
        self.0.cut(now, left);
        self.0.show(window);
    }

    fn on_timeout(&mut self, now: Time, window: &mut Window, _flight: u64, _again: bool) {
        let state = &mut self.0;
        state.timeouts = state.timeouts.saturating_add(1);
        if state.timeouts >= state.config.retransmit_reset {
            state.cwnd = state.config.min_cwnd;
            state.cut_at = Some(now);
        } else {
            state.cut(now, 1.0 - state.config.max_mdf);
        }
        state.show(window);
    }

    fn at_most(&mut self, window: &mut Window, bytes: u64) {
        let state = &mut self.0;
        state.set(state.cwnd.min(bytes as f64 / window.mss as f64));
        state.show(window);
    }

    fn remember(&mut self) {
        self.0.before = (self.0.cwnd, self.0.cut_at);
    }

    fn undo(&mut self, window: &mut Window) {
        let state = &mut self.0;
        let (cwnd, cut_at) = state.before;
        state.cut_at = cut_at;
        state.set(state.cwnd.max(cwnd));
        state.show(window);
    }

    fn gap(&self) -> Time {
        let state = &self.0;
        if state.cwnd >= 1.0 {
            return Time::ZERO;
        }
        Time::from_ps((state.rtt.ps() as f64 / state.cwnd).ceil() as u64)
    }

    fn packets(&self, _window: &Window) -> f64 {
        self.0.cwnd
    }
}

/// Settings of Swift.
#[derive(Settings)]
#[settings(check)]
pub(crate) struct SwiftSettings {
    /// initial window in segments (the simulator of Vertigo's authors)
    #[setting(key = "swift_initial_window", default = "1")]
    initial_window: u32,
    #[setting(flatten)]
    pub settings: SwiftConfig,
}

impl Transport for Swift {
    type Settings = SwiftSettings;
    const ABOUT: About = About {
        name: "swift",
        summary: "keeps the delay of acknowledgements near a target; windows go below one packet",
        source: "Kumar et al., SIGCOMM 2020",
    };
    const INITIAL_WINDOW: &'static str = "swift_initial_window";
    const SUBFLOW: bool = false;
    const RACK: bool = false;
}

impl SwiftSettings {
    /// Refuses settings that contradict each other.
    fn check(&self) -> Result<(), Refusal> {
        let (initial, swift) = (self.initial_window, &self.settings);
        if swift.base_target > LONGEST {
            let expected = format!("must be at most {LONGEST}");
            return Err(Refusal::of("swift_base_target", expected).got(swift.base_target));
        }
        let pairs = [
            (
                ("swift_fs_min_cwnd", swift.fs_min_cwnd),
                ("swift_fs_max_cwnd", swift.fs_max_cwnd),
                swift.fs_min_cwnd < swift.fs_max_cwnd,
                "must be below",
            ),
            (
                ("swift_min_cwnd", swift.min_cwnd),
                ("swift_max_cwnd", swift.max_cwnd),
                swift.min_cwnd <= swift.max_cwnd,
                "must not be above",
            ),
        ];
        for ((small, less), (large, more), fits, must) in pairs {
            if !fits {
                let wrong = format!("{small} ({less}) {must} {large} ({more})");
                return Err(Refusal::about(&[small, large], wrong));
            }
        }
        if f64::from(initial) > swift.max_cwnd {
            let wrong = format!(
                "swift_initial_window ({initial}) must not be above swift_max_cwnd ({})",
                swift.max_cwnd
            );
            let about = ["swift_initial_window", "swift_max_cwnd"];
            return Err(Refusal::about(&about, wrong));
        }
        Ok(())
    }
}

/// Upper limit of each part of a target: a delay of a second is no useful target.
const LONGEST: Time = Time::from_s(1);

/// Range of windows, in packets. With the smallest, packets at a round trip of 1 s are 12 days apart.
const WINDOWS: RangeInclusive<Fraction> = Fraction(1, 1_000_000)..=Fraction(1_000_000, 1);
