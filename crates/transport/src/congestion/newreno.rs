//! NewReno: halves the window on a loss, adds a segment a round trip.
//!
//! **Decision**     slow start and congestion avoidance; half the flight on a loss; with
//!                  `ecn`, half the window on the first echo in a window of data.
//! **State**        none beside the window.
//! **Units**        bytes.
//! **Errors**       none.
//! **Source**       RFC 5681 3.1 and 3.2; RFC 3168 6.1.2.
//! **Deviations**   the window is never cut below two segments by an echo (RFC 3168 allows
//!                  one). It does not grow while the window in which it was cut is
//!                  acknowledged, as in Linux and ns-3 (their CWR state). Retransmissions
//!                  are not ECN-capable (RFC 3168 6.1.5: a marked retransmission could be
//!                  lost after the mark, and the mark with it).

use sidestep_types::{About, Settings, Time};

use super::{Control, Echo, Window};
use crate::registry::Transport;

#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub(crate) struct NewReno {
    ecn: bool,
}

impl NewReno {
    pub(crate) fn new(ecn: bool) -> NewReno {
        NewReno { ecn }
    }
}

/// Settings of a TCP with the default controller.
#[derive(Settings)]
pub(crate) struct NewRenoSettings {
    /// a mark counts as a loss once a round trip (RFC 3168)
    #[setting(default = "false")]
    pub ecn: bool,
}

impl Transport for NewReno {
    type Settings = NewRenoSettings;
    const ABOUT: About = About {
        name: "newreno",
        summary: "slow start and congestion avoidance; halves on a loss",
        source: "RFC 5681, RFC 6582",
    };
}

impl Control for NewReno {
    fn echo(&self) -> Echo {
        if self.ecn { Echo::Latch } else { Echo::Never }
    }

    #[inline]
    fn ect(&self, retransmit: bool) -> bool {
        self.ecn && !retransmit
    }

    fn on_echo(&mut self, window: &mut Window, _flight: u64) {
        if self.ecn {
            window.cut_to(window.cwnd / 2);
        }
    }

    /// Cuts the window unless an echo has: losses and marks of one window of data are one congestion event (RFC
    /// 3168 6.1.2).
    fn on_loss(&mut self, _now: Time, window: &mut Window, flight: u64, cut: bool) {
        let half = if cut { window.ssthresh } else { flight / 2 };
        window.cut_to(half);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Congestion, TcpConfig};

    #[test]
    fn a_scenario_that_says_nothing_gets_it_without_ecn() {
        let by_hand = Congestion::NewReno { ecn: false };
        assert_eq!(TcpConfig::default().congestion, by_hand);
    }

    #[test]
    fn a_loss_halves_the_flight_and_never_below_two_segments() {
        let mut w = Window::new(1000, 20);
        let mut reno = NewReno::new(false);
        reno.on_loss(Time::ZERO, &mut w, 16_000, false);
        assert_eq!((w.cwnd, w.ssthresh), (8000, 8000));
        reno.on_loss(Time::ZERO, &mut w, 1000, false);
        assert_eq!((w.cwnd, w.ssthresh), (2000, 2000));
    }

    #[test]
    fn a_loss_in_a_window_already_cut_by_a_mark_cuts_nothing_more() {
        let mut w = Window::new(1000, 20);
        let mut reno = NewReno::new(true);
        reno.on_echo(&mut w, 20_000);
        assert_eq!(w.cwnd, 10_000);
        reno.on_loss(Time::ZERO, &mut w, 18_000, true);
        assert_eq!((w.cwnd, w.ssthresh), (10_000, 10_000));
    }
}
