//! What is known of a number, and the verdict that follows.

use super::{Accept, Verdict};
use crate::stats::Interval;
use crate::stats::metric::Reading;

/// What is known of a number.
#[derive(Clone, Copy)]
pub struct Known {
    pub reading: Reading,
    pub ci: Option<Interval>,
}

/// Nothing was measured.
pub const NOTHING: Known = Known {
    reading: Reading::Nothing,
    ci: None,
};

/// The number, and the sign of its bound.
pub fn said(reading: Reading) -> (Option<f64>, Option<String>) {
    match reading {
        Reading::Exactly(v) => (Some(v), None),
        Reading::AtLeast(v) => (Some(v), Some(">=".to_string())),
        Reading::AtMost(v) => (Some(v), Some("<=".to_string())),
        Reading::Nothing => (None, None),
    }
}

/// Both ends of an interval.
pub fn ends(ci: Option<Interval>) -> Option<[f64; 2]> {
    ci.map(|ci| [ci.low, ci.high])
}

/// The number with its verdict.
pub fn decide(accept: Accept, known: Known) -> (Known, Verdict) {
    (known, verdict(accept, known))
}

/// Does the number do?
pub fn verdict(accept: Accept, Known { reading, ci }: Known) -> Verdict {
    let decided = |sure: bool, never: bool| match (sure, never) {
        (true, _) => Verdict::Reproduced,
        (_, true) => Verdict::NotReproduced,
        _ => Verdict::CantTell,
    };
    match reading {
        Reading::Exactly(v) => {
            let reaches = ci.is_some_and(|ci| ci.low <= accept.to && accept.from <= ci.high);
            decided(accept.holds(v), !reaches)
        }
        Reading::AtLeast(v) => decided(
            v >= accept.from && accept.to == f64::INFINITY,
            v > accept.to,
        ),
        Reading::AtMost(v) => decided(
            v <= accept.to && accept.from == f64::NEG_INFINITY,
            v < accept.from,
        ),
        Reading::Nothing => Verdict::CantTell,
    }
}
