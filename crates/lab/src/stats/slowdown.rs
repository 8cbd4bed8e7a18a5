//! Stored form of slowdowns: a completion time over the ideal one in an idle network.
//!
//! **Units**        millionths, rounded to the nearest. A [`Sample`](super::Sample) of them is one of
//!                  times in which a microsecond stands for 1, so that merging seeds is exact and a
//!                  record stays small.

use sidestep_types::Time;

/// Returns the stored form of `span` over `ideal`, which is not zero.
pub fn kept(span: Time, ideal: Time) -> Time {
    let (span, ideal) = (u128::from(span.ps()), u128::from(ideal.ps().max(1)));
    let millionths = (span * 1_000_000 + ideal / 2) / ideal;
    Time::from_ps(u64::try_from(millionths).unwrap_or(u64::MAX))
}

/// Returns the slowdown of a stored form.
pub fn value(kept: Time) -> f64 {
    kept.as_us_f64()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slowdown_is_kept_to_the_millionth() {
        let of = |span, ideal| value(kept(Time::from_ps(span), Time::from_ps(ideal)));
        assert_eq!(of(3_000, 2_000), 1.5);
        assert_eq!((of(2, 3), of(1, 3)), (0.666667, 0.333333));
        assert_eq!(of(5, 5), 1.0);
        assert_eq!(kept(Time::MAX, Time::from_ps(1)), Time::MAX);
        assert_eq!(kept(Time::MAX, Time::MAX), Time::from_us(1));
    }
}
