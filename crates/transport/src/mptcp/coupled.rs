//! Coupled windows: all subflows together take as much of a shared link as one TCP.
//!
//! **Decision**     bytes that must be acknowledged for a window to grow by a segment, after slow start.
//! **State**        none: windows and round trips are read when an acknowledgement arrives.
//! **Units**        bytes and picoseconds; intermediate values are floating point with only `+ * /`, which
//!                  IEEE 754 rounds the same way everywhere.
//! **Errors**       none: without a round trip nothing is coupled.
//! **Source**       RFC 6356 section 3; Wischik et al., NSDI 2011.
//! **Deviations**   the RFC adds `min(alpha·acked·mss/cwnd_total, acked·mss/cwnd_i)` for each acknowledgement;
//!                  here, as for every window, acknowledged bytes are counted and a segment is added for each
//!                  `max(cwnd_total/alpha, cwnd_i)` of them: the same rate, by whole segments. For a subflow in
//!                  fast recovery `ssthresh` counts, since its window is inflated; a subflow without a round
//!                  trip does not count (both assumed).

use sidestep_types::Time;

/// Returns the bytes that must be acknowledged for a segment of growth: `cwnd_total/alpha` of RFC 6356, over
/// the windows whose round trips are known. Returns 0 without any.
///
/// With `alpha = cwnd_total·max(cwnd/rtt²)/(Σ cwnd/rtt)²` the result is `(Σ cwnd/rtt)²/max(cwnd/rtt²)`. For one
/// path it is the path's window.
pub fn least(paths: impl Iterator<Item = (u64, Option<Time>)>) -> u64 {
    let (mut rate, mut best) = (0.0, 0.0);
    for (window, round_trip) in paths {
        let Some(round_trip) = round_trip else {
            continue;
        };
        let (cwnd, rtt) = (window as f64, round_trip.ps().max(1) as f64);
        rate += cwnd / rtt;
        best = f64::max(best, cwnd / (rtt * rtt));
    }
    if best > 0.0 {
        (rate * rate / best) as u64
    } else {
        0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn least_of(paths: &[(u64, u64)]) -> u64 {
        least((paths.iter()).map(|(w, us)| (*w, Some(Time::from_us(*us)))))
    }

    /// RFC 6356 by hand. Two windows of 10 and 20 kB at 100 and 200 us: the rates are 100 and 100 B/us, their
    /// sum squared 40,000; the largest cwnd/rtt² is 10,000/100² = 1. So alpha is 30,000·1/40,000 = 0.75, and
    /// total/alpha = 40,000.
    #[test]
    fn what_rfc_6356_says_of_two_paths() {
        assert_eq!(least_of(&[(10_000, 100), (20_000, 200)]), 40_000);
        // Equal paths: alpha is 1/n, and each window grows as if it were n² times as large: n·total.
        assert_eq!(least_of(&[(10_000, 100); 2]), 40_000);
        assert_eq!(least_of(&[(10_000, 100); 4]), 160_000);
    }

    #[test]
    fn one_path_is_not_held_back_and_none_neither() {
        for window in [1, 1460, 14_601, 999_999_937, 1 << 40] {
            for us in [1, 3, 7, 89, 100_003] {
                let least = least_of(&[(window, us)]);
                assert!(
                    least <= window && least + 1 >= window,
                    "{window} at {us}: {least}"
                );
            }
        }
        assert_eq!(least_of(&[]), 0);
        assert_eq!(least_of(&[(0, 10)]), 0);
        assert_eq!(least_of(&[(1000, 0)]), 1000, "a round trip of no time");
    }
}
