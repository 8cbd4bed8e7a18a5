//! Number of a summary, or a bound on it from unfinished flows.

use crate::stats::Percentiles;

/// Number, or a bound on it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Reading {
    /// Exact number.
    Exactly(f64),
    /// Lower bound.
    AtLeast(f64),
    /// Upper bound.
    AtMost(f64),
    /// Unknown: nothing was measured, or the bounds cancel.
    Nothing,
}

impl Reading {
    /// Returns the difference, with its bound.
    pub fn minus(self, other: Reading) -> Reading {
        use Reading::{AtLeast, AtMost, Exactly, Nothing};
        match (self, other) {
            (Exactly(a), Exactly(b)) => Exactly(a - b),
            (AtLeast(a), Exactly(b) | AtMost(b)) | (Exactly(a), AtMost(b)) => AtLeast(a - b),
            (AtMost(a), Exactly(b) | AtLeast(b)) | (Exactly(a), AtLeast(b)) => AtMost(a - b),
            _ => Nothing,
        }
    }

    /// Returns the sum, with its bound.
    pub fn plus(self, other: Reading) -> Reading {
        self.minus(other.times(-1.0))
    }

    /// Returns the multiple, with its bound.
    pub fn times(self, by: f64) -> Reading {
        use Reading::{AtLeast, AtMost, Exactly, Nothing};
        match self {
            Exactly(v) => Exactly(v * by),
            AtLeast(v) if by < 0.0 => AtMost(v * by),
            AtMost(v) if by < 0.0 => AtLeast(v * by),
            AtLeast(v) => AtLeast(v * by),
            AtMost(v) => AtMost(v * by),
            Nothing => Nothing,
        }
    }

    /// Returns the ratio of two numbers that are not negative, with its bound.
    pub fn over(self, other: Reading) -> Reading {
        use Reading::{AtLeast, AtMost, Exactly, Nothing};
        match (self, other) {
            (_, Exactly(b) | AtLeast(b) | AtMost(b)) if b <= 0.0 => Nothing,
            (Exactly(a), Exactly(b)) => Exactly(a / b),
            (AtLeast(a), Exactly(b) | AtMost(b)) | (Exactly(a), AtMost(b)) => AtLeast(a / b),
            (AtMost(a), Exactly(b) | AtLeast(b)) | (Exactly(a), AtLeast(b)) => AtMost(a / b),
            _ => Nothing,
        }
    }
}

pub(super) fn p50(of: &Percentiles) -> Reading {
    bounded(of.p50, of.p50_at_least)
}

pub(super) fn p95(of: &Percentiles) -> Reading {
    bounded(of.p95, of.p95_at_least)
}

pub(super) fn p99(of: &Percentiles) -> Reading {
    bounded(of.p99, of.p99_at_least)
}

pub(super) fn p999(of: &Percentiles) -> Reading {
    bounded(of.p999, of.p999_at_least)
}

pub(super) fn mean(of: &Percentiles) -> Reading {
    bounded(of.mean, of.mean_at_least)
}

pub(super) fn bounded(value: Option<f64>, at_least: bool) -> Reading {
    match value {
        Some(v) if at_least => Reading::AtLeast(v),
        value => known(value),
    }
}

pub(super) fn known(value: Option<f64>) -> Reading {
    value.map_or(Reading::Nothing, Reading::Exactly)
}

pub(super) fn count(value: Option<u64>) -> Reading {
    value.map_or(Reading::Nothing, number)
}

pub(super) fn number(count: u64) -> Reading {
    Reading::Exactly(count as f64)
}

#[cfg(test)]
mod tests {
    use super::Reading::{AtLeast, AtMost, Exactly, Nothing};

    #[test]
    fn a_bound_stays_a_bound() {
        assert_eq!(Exactly(5.0).minus(Exactly(2.0)), Exactly(3.0));
        assert_eq!(AtLeast(5.0).minus(Exactly(2.0)), AtLeast(3.0));
        assert_eq!(Exactly(5.0).minus(AtLeast(2.0)), AtMost(3.0));
        assert_eq!(AtLeast(5.0).minus(AtLeast(2.0)), Nothing);
        assert_eq!(Exactly(5.0).plus(AtLeast(2.0)), AtLeast(7.0));
        assert_eq!(AtMost(5.0).plus(AtLeast(2.0)), Nothing);
        assert_eq!(AtLeast(5.0).times(-2.0), AtMost(-10.0));
        assert_eq!(Exactly(6.0).over(AtLeast(2.0)), AtMost(3.0));
        assert_eq!(Exactly(6.0).over(Exactly(0.0)), Nothing);
    }
}
