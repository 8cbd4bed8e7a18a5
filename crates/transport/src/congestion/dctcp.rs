//! DCTCP: cuts the window in proportion to the share of marked bytes.
//!
//! **Decision**     once per window of data, alpha moves towards the share of acknowledged
//!                  bytes that were marked; the first echo in a window multiplies cwnd by
//!                  1 - alpha/2. Growth and loss as in RFC 5681.
//! **State**        alpha and two byte counters; one division per window of data.
//! **Units**        bytes; alpha and gain are shares in 0..=1 (clamped, NaN counts as 0).
//! **Errors**       none.
//! **Source**       RFC 8257 3.2 to 3.5; Alizadeh et al., SIGCOMM 2010. `echoes` and a loss that leaves three
//!                  quarters: the public simulator of Abdous et al., CoNEXT 2021 (Vertigo).
//! **Deviations**   the window is never cut below two segments (the RFC is silent; Linux
//!                  does the same). It does not grow while the window in which it was cut
//!                  is acknowledged, as in Linux and ns-3. Every data segment is ECN-capable,
//!                  retransmissions too (as in Linux and ns-3): at a step-marking switch a
//!                  packet that cannot be marked would be dropped or would escape the count.
//!                  A loss halves the window even after a cut by an echo (RFC 8257 3.5, Linux). Vertigo's
//!                  simulator differs: its sender cuts down to one segment, where this one stops at two,
//!                  grows between an echo and the end of its window, and uses the window as the flight.

use sidestep_types::{About, Fraction, Settings, Time};

use super::{Congestion, Control, Echo, Window};
use crate::registry::{Transport, words};

words! {
    /// Event at the end of a window of data that updates DCTCP's alpha.
    pub enum AlphaMoves {
        /// Every acknowledgement: without marks alpha decays.
        Windows = "windows",
            "moves at the end of every window, marked or not",
            "RFC 8257 section 3.3";
        /// Acknowledgements that echo a mark: alpha stays through unmarked windows, and their bytes count in
        /// the share of the next.
        Echoes = "echoes",
            "moves only if the acknowledgement that ends the window carries an echo",
            "the public simulator of Abdous et al., CoNEXT 2021 (Vertigo)";
    }
}

impl Congestion {
    /// DCTCP with the numbers of RFC 8257.
    pub const DCTCP: Congestion = Congestion::Dctcp {
        gain: 1.0 / 16.0,
        initial_alpha: 1.0,
        alpha_moves: AlphaMoves::Windows,
        loss_leaves: 0.5,
    };
}

/// 1 in the fixed point of [`Dctcp::leaves`].
const ONE: u32 = 1 << 31;

#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub(crate) struct Dctcp {
    alpha: f64,
    gain: f64,
    acked: u64,
    marked: u64,
    window_end: u64,
    /// Share of the flight that a loss leaves, in 2⁻³¹: rounded up, so that an integer product stays exact;
    /// small, since a sender is copied often.
    leaves: u32,
    echoes_alone: bool,
}

impl Dctcp {
    pub(crate) fn new(
        gain: f64,
        initial_alpha: f64,
        alpha_moves: AlphaMoves,
        loss_leaves: f64,
    ) -> Dctcp {
        Dctcp {
            alpha: share(initial_alpha),
            gain: share(gain),
            acked: 0,
            marked: 0,
            window_end: 0,
            leaves: (share(loss_leaves) * f64::from(ONE)).ceil() as u32,
            echoes_alone: alpha_moves == AlphaMoves::Echoes,
        }
    }

    /// Returns the bytes of `flight` that a loss leaves.
    fn left(&self, flight: u64) -> u64 {
        (u128::from(flight) * u128::from(self.leaves) / u128::from(ONE)) as u64
    }

    /// Updates alpha (RFC 8257 3.3 steps 5 to 8).
    fn end_window(&mut self, next_seq: u64) {
        let marked = self.marked as f64 / self.acked as f64;
        self.alpha = self.alpha * (1.0 - self.gain) + self.gain * marked;
        self.window_end = next_seq;
        self.acked = 0;
        self.marked = 0;
    }
}

/// Settings of DCTCP.
#[derive(Settings)]
pub(crate) struct DctcpSettings {
    /// gain of the moving average of marked bytes (RFC 8257 section 4.2)
    #[setting(key = "dctcp_gain", default = "1/16", above = 0, range = ..=Fraction::ONE)]
    pub gain: f64,
    /// value of the average before the first window (RFC 8257 section 4.2)
    #[setting(key = "dctcp_initial_alpha", default = "1", range = ..=Fraction::ONE)]
    pub initial_alpha: f64,
    /// update the average at the end of every window, or only at an acknowledgement with an echo (Vertigo's
    /// simulator)
    #[setting(key = "dctcp_alpha_moves", default = "windows")]
    pub alpha_moves: AlphaMoves,
    /// share of the flight that a loss leaves (RFC 5681; Vertigo's simulator: 0.75)
    #[setting(key = "dctcp_loss_leaves", default = "0.5", above = 0, range = ..=Fraction::ONE)]
    pub loss_leaves: f64,
}

impl Transport for Dctcp {
    type Settings = DctcpSettings;
    const ABOUT: About = About {
        name: "dctcp",
        summary: "slows in proportion to the share of marked bytes",
        source: "Alizadeh et al., SIGCOMM 2010; RFC 8257",
    };
}

impl Control for Dctcp {
    fn echo(&self) -> Echo {
        Echo::Exact
    }

    #[inline]
    fn ect(&self, _retransmit: bool) -> bool {
        true
    }

    /// Counts acknowledged and marked bytes (RFC 8257 3.3 steps 1 to 4). The first window ends at its first
    /// acknowledgement.
    #[inline]
    fn handle_ack(&mut self, acked: u64, ece: bool, first_unacked: u64, next_seq: u64) {
        self.acked += acked;
        self.marked += if ece { acked } else { 0 };
        if first_unacked > self.window_end
            && self.acked > 0
            && (!self.echoes_alone || ece && acked > 0)
        {
            self.end_window(next_seq);
        }
    }

    fn on_echo(&mut self, window: &mut Window, _flight: u64) {
        window.cut_to((window.cwnd as f64 * (1.0 - self.alpha / 2.0)) as u64);
    }

    fn on_loss(&mut self, _now: Time, window: &mut Window, flight: u64, _cut: bool) {
        window.cut_to(self.left(flight));
    }

    fn on_timeout(&mut self, _now: Time, window: &mut Window, flight: u64, again: bool) {
        window.restart_to(self.left(flight), again);
    }
}

/// Clamps `x` to 0..=1.
fn share(x: f64) -> f64 {
    if x.is_nan() { 0.0 } else { x.clamp(0.0, 1.0) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rfc(gain: f64, initial_alpha: f64) -> Dctcp {
        Dctcp::new(gain, initial_alpha, AlphaMoves::Windows, 0.5)
    }

    /// Acknowledges windows of ten segments, `marked` of them marked; returns alpha.
    fn windows(dctcp: &mut Dctcp, from: u64, count: u64, marked: u64) -> f64 {
        for w in from..from + count {
            for segment in 1..=10 {
                let first_unacked = (w * 10 + segment) * 1000;
                dctcp.handle_ack(1000, segment <= marked, first_unacked, (w + 1) * 10_000);
            }
        }
        dctcp.alpha
    }

    #[test]
    fn alpha_starts_at_one_and_moves_by_a_sixteenth_of_the_difference() {
        let mut d = rfc(1.0 / 16.0, 1.0);
        d.handle_ack(1000, false, 1000, 10_000);
        assert_eq!(d.alpha, 15.0 / 16.0);
        (2..=10).for_each(|s| d.handle_ack(1000, false, s * 1000, s * 1000 + 10_000));
        assert_eq!(d.alpha, 15.0 / 16.0);
        d.handle_ack(1000, false, 11_000, 21_000);
        assert_eq!(d.alpha, 15.0 / 16.0 * 15.0 / 16.0);
    }

    #[test]
    fn alpha_converges_to_the_marked_share() {
        let mut d = rfc(1.0 / 16.0, 1.0);
        assert!((windows(&mut d, 0, 200, 3) - 0.3).abs() < 1e-3);
        assert!((windows(&mut d, 200, 200, 10) - 1.0).abs() < 1e-3);
        assert!(windows(&mut d, 400, 200, 0) < 1e-3);
    }

    #[test]
    fn an_echo_cuts_by_half_of_alpha() {
        let mut w = Window::new(1000, 100);
        let mut d = rfc(1.0 / 16.0, 0.5);
        d.on_echo(&mut w, 0);
        assert_eq!((w.cwnd, w.ssthresh), (75_000, 75_000));
    }

    #[test]
    fn nonsense_settings_are_clamped() {
        let d = rfc(f64::NAN, 7.0);
        assert_eq!((d.gain, d.alpha), (0.0, 1.0));
        let of = |leaves| Dctcp::new(0.5, 1.0, AlphaMoves::Windows, leaves).left(1000);
        assert_eq!([f64::NAN, -1.0, 7.0].map(of), [0, 0, 1000]);
    }

    #[test]
    fn a_loss_leaves_its_share_of_the_flight_to_the_byte() {
        let left = |leaves, flight| Dctcp::new(0.5, 1.0, AlphaMoves::Windows, leaves).left(flight);
        for flight in [0, 1, 7_001, 1_000_001, (1 << 31) - 1] {
            assert_eq!(left(0.5, flight), flight / 2);
            assert_eq!(left(0.75, flight), flight * 3 / 4);
            assert_eq!(left(1.0, flight), flight);
        }
        for tenths in 1u32..10 {
            assert_eq!(
                left(f64::from(tenths) / 10.0, 70_000),
                7_000 * u64::from(tenths)
            );
        }
    }

    #[test]
    fn by_echoes_alone_alpha_stays_through_unmarked_windows_whose_bytes_count_in_the_next_share() {
        let mut d = Dctcp::new(1.0 / 16.0, 0.5, AlphaMoves::Echoes, 0.75);
        assert_eq!(windows(&mut d, 0, 9, 0), 0.5);
        // A duplicate with an echo does not count: it acknowledges nothing new.
        d.handle_ack(0, true, 90_000, 100_000);
        assert_eq!(d.alpha, 0.5);
        d.handle_ack(10_000, true, 100_000, 110_000);
        let once = 0.5 * 15.0 / 16.0 + 0.1 / 16.0;
        assert_eq!(d.alpha, once);
        // In the middle of a window the mark counts, but alpha stays.
        d.handle_ack(5_000, true, 105_000, 115_000);
        assert_eq!(d.alpha, once);
        d.handle_ack(5_001, true, 110_001, 120_000);
        assert_eq!(d.alpha, once * 15.0 / 16.0 + 1.0 / 16.0);
    }
}
