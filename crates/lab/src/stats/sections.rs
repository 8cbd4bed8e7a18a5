//! Intervals of a number of all seeds together, from each seed's own number: *sectioning*.
//!
//! **Method**       the seeds are the sections (Asmussen and Glynn, Stochastic Simulation, section III.5b;
//!                  Nakayama, TOMACS 24(4), 2014): the centre is the number Q of all seeds, not the mean of the
//!                  seeds' numbers, and S² = 1/(n - 1) Σ (Q_seed - Q)². The interval is Q ± t(n - 1) S/√n; a
//!                  bias of short seeds widens it.
//! **Scale**        a positive number, or a ratio, uses its logarithm: its interval stays positive, and
//!                  covers skewed numbers better. A difference uses its value.
//! **Where seeds fall apart**  if the seeds' numbers lie around Q by more than a factor of e^0.5 (in mean
//!                  square), a few timeouts decide the number, and no t interval covers it: the interval is
//!                  extended to the range of the seeds. More seeds do not narrow that.
//! **Coverage**     `tests/coverage.rs`, by simulation; `docs/how-to/reproduce.md` has the table.

use super::Interval;
use super::interval::t_of;

/// Fewest seeds with a useful interval: for two, t(1) is 12.7.
pub const LEAST_SEEDS: usize = 3;

/// Largest distance, in mean square, of the seeds' logarithms from that of all of them.
const APART: f64 = 0.5;

/// Maximum number of seeds that a forecast considers.
const MOST_SEEDS: u64 = 1000;

/// Returns the interval of `whole`, the number of all seeds, from `seeds`, each seed's own; `None` for fewer
/// than [`LEAST_SEEDS`]. With `ratio`, uses logarithms where all numbers are positive. With `apart`, extends
/// the interval to the range of the seeds.
pub fn sectioned(
    whole: f64,
    seeds: &[f64],
    ratio: bool,
    apart: bool,
    confidence: f64,
) -> Option<Interval> {
    let n = seeds.len();
    if n < LEAST_SEEDS || !whole.is_finite() {
        return None;
    }
    let t = t_of(n as u64 - 1, confidence) / (n as f64).sqrt();
    let ci = match (ratio).then(|| log_spread(whole, seeds)).flatten() {
        Some(s) => Interval {
            low: whole * libm::exp(-t * s),
            high: whole * libm::exp(t * s),
        },
        None => {
            let s = spread(seeds.iter().map(|seed| seed - whole));
            Interval {
                low: whole - t * s,
                high: whole + t * s,
            }
        }
    };
    if !apart {
        return Some(ci);
    }
    Some(Interval {
        low: seeds.iter().copied().fold(ci.low, f64::min),
        high: seeds.iter().copied().fold(ci.high, f64::max),
    })
}

/// True if the seeds' numbers lie so far from that of all seeds that a t interval cannot be trusted.
pub fn are_apart(whole: f64, seeds: &[f64]) -> bool {
    seeds.len() >= LEAST_SEEDS && log_spread(whole, seeds).is_some_and(|s| s > APART)
}

fn log_spread(whole: f64, seeds: &[f64]) -> Option<f64> {
    let positive = whole > 0.0 && seeds.iter().all(|seed| *seed > 0.0);
    positive.then(|| spread(seeds.iter().map(|seed| libm::log(seed / whole))))
}

/// Returns the root mean square of distances, one a seed, with n - 1 degrees of freedom.
fn spread(distances: impl ExactSizeIterator<Item = f64>) -> f64 {
    let n = distances.len();
    let squares: f64 = distances.map(|d| d * d).sum();
    (squares / (n - 1) as f64).sqrt()
}

/// Returns about how many more seeds than `n` narrow an interval by `factor`, since its width falls with t/√n;
/// `None` if the total exceeds a thousand.
pub fn more_seeds(n: u64, factor: f64) -> Option<u64> {
    let width = |n: u64| t_of(n.max(2) - 1, 0.95) / (n as f64).sqrt();
    let wanted = width(n) / factor;
    let more = (n + 1..=MOST_SEEDS).find(|more| width(*more) <= wanted);
    more.map(|more| more - n)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_interval_surrounds_the_number_of_all_seeds_by_hand() {
        // Distances -2, -1, 0, 1, 3 from 4: S² is 15/4, t(4) 2.776445.
        let ci = sectioned(4.0, &[2.0, 3.0, 4.0, 5.0, 7.0], false, false, 0.95).unwrap();
        let half = 2.776445 * (15.0f64 / 4.0).sqrt() / 5f64.sqrt();
        assert!((ci.low - (4.0 - half)).abs() < 1e-9 && (ci.high - (4.0 + half)).abs() < 1e-9);
        assert_eq!(sectioned(4.0, &[2.0, 6.0], false, false, 0.95), None);
    }

    #[test]
    fn a_positive_number_has_a_positive_interval_that_contains_it() {
        let ci = sectioned(10.0, &[1.0, 30.0, 5.0], true, false, 0.95).unwrap();
        assert!(0.0 < ci.low && ci.low < 10.0 && ci.high > 10.0, "{ci:?}");
        assert!(
            (ci.low * ci.high - 100.0).abs() < 1e-9,
            "even in logarithms"
        );
        // A zero has no logarithm.
        let ci = sectioned(10.0, &[0.0, 30.0, 5.0], true, false, 0.95).unwrap();
        assert!(ci.low < 0.0, "{ci:?}");
    }

    #[test]
    fn seeds_that_fall_apart_are_all_taken_in() {
        let seeds = [1.0, 1.1, 201.0, 1.0, 1.2, 1.1, 1.0, 201.0, 1.3, 1.2];
        assert!(are_apart(1.5, &seeds) && !are_apart(1.0, &[0.8, 1.0, 1.3]));
        let ci = sectioned(1.5, &seeds, true, true, 0.95).unwrap();
        assert!(ci.low <= 1.0 && ci.high >= 201.0, "{ci:?}");
    }

    #[test]
    fn seeds_narrow_an_interval_as_t_over_their_root() {
        // t(4)/√5 is 1.2417, t(13)/√14 0.5774, t(12)/√13 0.6043.
        assert_eq!(more_seeds(5, 1.2417 / 0.59), Some(9));
        assert_eq!(more_seeds(5, 1.0), Some(1));
        assert_eq!(more_seeds(5, 1e6), None);
    }
}
