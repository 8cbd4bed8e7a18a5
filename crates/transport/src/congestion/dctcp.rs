//! DCTCP: cut the window by as much as the share of marked bytes says.
//!
//! **Decision**     once per window of data, alpha moves towards the share of acknowledged
//!                  bytes that were marked; the first echo in a window multiplies cwnd by
//!                  1 - alpha/2. Growth and loss as in RFC 5681.
//! **State**        alpha and two byte counters; one division per window of data.
//! **Units**        bytes; alpha and gain are shares in 0..=1 (clamped, NaN counts as 0).
//! **Errors**       none.
//! **Source**       RFC 8257 3.2 to 3.5; Alizadeh et al., SIGCOMM 2010.
//! **Deviations**   the window is never cut below two segments (the RFC is silent; Linux
//!                  does the same). It does not grow while the window in which it was cut
//!                  is acknowledged, as in Linux and ns-3. Every data segment is ECN-capable,
//!                  retransmissions too (as in Linux and ns-3): at a step-marking switch a
//!                  packet that cannot be marked would be dropped or would escape the count.
//!                  A loss halves even where an echo has cut already (RFC 8257 3.5, Linux).

use sidestep_types::{Entry, Param, ParamUnit, Refusal, Values};

use super::{Control, Echo, Window};
use crate::params;
use crate::registry::Transport;

#[derive(Clone, Debug)]
pub(crate) struct Dctcp {
    alpha: f64,
    gain: f64,
    acked: u64,
    marked: u64,
    window_end: u64,
}

impl Dctcp {
    pub(crate) fn new(gain: f64, initial_alpha: f64) -> Dctcp {
        Dctcp {
            alpha: share(initial_alpha),
            gain: share(gain),
            acked: 0,
            marked: 0,
            window_end: 0,
        }
    }

    /// RFC 8257 3.3 steps 5 to 8.
    fn end_window(&mut self, nxt: u64) {
        let marked = self.marked as f64 / self.acked as f64;
        self.alpha = self.alpha * (1.0 - self.gain) + self.gain * marked;
        self.window_end = nxt;
        self.acked = 0;
        self.marked = 0;
    }
}

impl Transport for Dctcp {
    const ENTRY: Entry = Entry {
        name: "dctcp",
        summary: "slows in proportion to the share of marked bytes",
        source: "Alizadeh et al., SIGCOMM 2010; RFC 8257",
        params: &[
            Param::with_default(
                "dctcp_gain",
                ParamUnit::Fraction,
                "1/16",
                "gain of the moving average of marked bytes (RFC 8257 section 4.2)",
            ),
            Param::with_default(
                "dctcp_initial_alpha",
                ParamUnit::Fraction,
                "1",
                "the average before the first window (RFC 8257 section 4.2)",
            ),
        ],
    };
    type Settings = (f64, f64);

    fn read(values: &Values) -> Result<(f64, f64), Refusal> {
        let gain = params::share(values, "dctcp_gain")?;
        if gain == 0.0 {
            return Err(Refusal::of("dctcp_gain", "must be above 0"));
        }
        Ok((gain, params::share(values, "dctcp_initial_alpha")?))
    }
}

impl Control for Dctcp {
    fn echo(&self) -> Echo {
        Echo::Exact
    }

    #[inline]
    fn ect(&self, _retransmit: bool) -> bool {
        true
    }

    /// RFC 8257 3.3 steps 1 to 4. The first window ends at its first acknowledgement.
    #[inline]
    fn hear(&mut self, acked: u64, ece: bool, una: u64, nxt: u64) {
        self.acked += acked;
        self.marked += if ece { acked } else { 0 };
        if una > self.window_end && self.acked > 0 {
            self.end_window(nxt);
        }
    }

    fn on_echo(&mut self, window: &mut Window, _flight: u64) {
        window.cut_to((window.cwnd as f64 * (1.0 - self.alpha / 2.0)) as u64);
    }

    fn on_loss(&mut self, window: &mut Window, flight: u64, _cut: bool) {
        window.cut_to(flight / 2);
    }
}

/// `x` within 0..=1.
fn share(x: f64) -> f64 {
    if x.is_nan() { 0.0 } else { x.clamp(0.0, 1.0) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Windows of ten segments, `marked` of them marked; alpha after each.
    fn windows(dctcp: &mut Dctcp, from: u64, count: u64, marked: u64) -> f64 {
        for w in from..from + count {
            for segment in 1..=10 {
                let una = (w * 10 + segment) * 1000;
                dctcp.hear(1000, segment <= marked, una, (w + 1) * 10_000);
            }
        }
        dctcp.alpha
    }

    #[test]
    fn alpha_starts_at_one_and_moves_by_a_sixteenth_of_the_difference() {
        let mut d = Dctcp::new(1.0 / 16.0, 1.0);
        d.hear(1000, false, 1000, 10_000);
        assert_eq!(d.alpha, 15.0 / 16.0);
        (2..=10).for_each(|s| d.hear(1000, false, s * 1000, s * 1000 + 10_000));
        assert_eq!(d.alpha, 15.0 / 16.0);
        d.hear(1000, false, 11_000, 21_000);
        assert_eq!(d.alpha, 15.0 / 16.0 * 15.0 / 16.0);
    }

    #[test]
    fn alpha_converges_to_the_marked_share() {
        let mut d = Dctcp::new(1.0 / 16.0, 1.0);
        assert!((windows(&mut d, 0, 200, 3) - 0.3).abs() < 1e-3);
        assert!((windows(&mut d, 200, 200, 10) - 1.0).abs() < 1e-3);
        assert!(windows(&mut d, 400, 200, 0) < 1e-3);
    }

    #[test]
    fn an_echo_cuts_by_half_of_alpha() {
        let mut w = Window::new(1000, 100);
        let mut d = Dctcp::new(1.0 / 16.0, 0.5);
        d.on_echo(&mut w, 0);
        assert_eq!((w.cwnd, w.ssthresh), (75_000, 75_000));
    }

    #[test]
    fn nonsense_settings_are_clamped() {
        let d = Dctcp::new(f64::NAN, 7.0);
        assert_eq!((d.gain, d.alpha), (0.0, 1.0));
    }
}
