//! Number of a claim with its uncertainty, and the verdict that follows from it.

use super::{Accept, Verdict};
use crate::stats::metric::Reading;
use crate::stats::{Interval, LEAST_SEEDS, more_seeds};

/// Number of a claim with its uncertainty.
#[derive(Clone, Copy)]
pub struct ClaimNumber {
    pub reading: Reading,
    /// Interval of the number; for a bound, the interval of the bound.
    pub ci: Option<Interval>,
    /// Reason why there is no interval.
    pub why: Option<NoInterval>,
    /// Number of seeds behind it.
    pub seeds: usize,
    /// Smallest and largest of the single seeds' numbers.
    pub range: Option<Interval>,
    /// True if the seeds differ so much that more of them do not narrow the interval.
    pub apart: bool,
}

/// Reason why a number has no interval.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoInterval {
    Nothing,
    FewSeeds,
    Extreme,
    Unfinished,
    Zero,
    OtherSeeds,
}

impl NoInterval {
    pub const fn words(self) -> &'static str {
        match self {
            NoInterval::Nothing => "nothing was measured",
            NoInterval::FewSeeds => "needs at least three seeds",
            NoInterval::Extreme => {
                "a maximum or minimum is a fact of these runs, not an estimate; its value decides"
            }
            NoInterval::Unfinished => "unfinished flows leave some seeds without an exact number",
            NoInterval::Zero => "the divisor is not above zero, in a seed or in all seeds together",
            NoInterval::OtherSeeds => "the schemes or points compared ran different seeds",
        }
    }
}

/// Result when there was no measurement.
pub const NOTHING: ClaimNumber = ClaimNumber {
    reading: Reading::Nothing,
    ci: None,
    why: Some(NoInterval::Nothing),
    seeds: 0,
    range: None,
    apart: false,
};

/// Splits a reading into its number and the sign of its bound.
pub fn said(reading: Reading) -> (Option<f64>, Option<String>) {
    match reading {
        Reading::Exactly(v) => (Some(v), None),
        Reading::AtLeast(v) => (Some(v), Some(">=".to_string())),
        Reading::AtMost(v) => (Some(v), Some("<=".to_string())),
        Reading::Nothing => (None, None),
    }
}

/// Returns both ends of an interval.
pub fn ends(ci: Option<Interval>) -> Option<[f64; 2]> {
    ci.map(|ci| [ci.low, ci.high])
}

/// Returns the number with its verdict.
pub fn decide(accept: Accept, known: ClaimNumber) -> (ClaimNumber, Verdict) {
    (known, verdict(accept, known))
}

/// Judges a number: reproduced only if its whole interval is in the range, not reproduced only if no part of it
/// is.
///
/// - A range of a single number, such as no drop, is a statement about every run: one seed with another number
///   refutes it, and no interval is needed.
/// - The value of an extreme decides by itself.
/// - The true number may lie anywhere beyond a bound, so its interval is open on that side.
pub fn verdict(accept: Accept, known: ClaimNumber) -> Verdict {
    let extreme = known.why == Some(NoInterval::Extreme);
    if let (Some(only), Some(range), Reading::Exactly(_), false) =
        (accept.only(), known.range, known.reading, extreme)
    {
        return match known.seeds >= LEAST_SEEDS {
            _ if range.low < only || range.high > only => Verdict::NotReproduced,
            true if known.why.is_none() => Verdict::Reproduced,
            _ => Verdict::CantTell,
        };
    }
    match surely(known) {
        Some(ci) if known.seeds >= LEAST_SEEDS && accept.holds_all(ci) => Verdict::Reproduced,
        Some(ci) if known.seeds >= LEAST_SEEDS && accept.holds_none(ci) => Verdict::NotReproduced,
        _ => Verdict::CantTell,
    }
}

/// Returns the interval that surely contains the number.
fn surely(known: ClaimNumber) -> Option<Interval> {
    let ci = match (known.ci, known.why) {
        (Some(ci), _) => ci,
        (None, Some(NoInterval::Extreme)) => {
            let value = said(known.reading).0?;
            Interval {
                low: value,
                high: value,
            }
        }
        _ => return None,
    };
    match known.reading {
        Reading::Exactly(_) => Some(ci),
        Reading::AtLeast(_) => Some(Interval {
            high: f64::INFINITY,
            ..ci
        }),
        Reading::AtMost(_) => Some(Interval {
            low: f64::NEG_INFINITY,
            ..ci
        }),
        Reading::Nothing => None,
    }
}

/// Returns what would decide a claim with the verdict `can't tell`: a number of more seeds, or the reason why
/// no number does.
pub fn undecided(accept: Accept, known: ClaimNumber) -> (Option<u64>, String) {
    let none = |why: &str| (None, format!("more seeds do not decide: {why}"));
    if known.why == Some(NoInterval::FewSeeds) {
        let more = LEAST_SEEDS.saturating_sub(known.seeds).max(1) as u64;
        let seeds = if more == 1 { "seed" } else { "seeds" };
        return (Some(more), format!("{more} more {seeds}, for an interval"));
    }
    if let Some(why) = known.why {
        return none(why.words());
    }
    let (Reading::Exactly(v), Some(ci)) = (known.reading, known.ci) else {
        return none("unfinished flows leave only a bound");
    };
    if known.apart {
        let why = "seeds differ too much (a few timeouts decide): run longer";
        return (None, why.into());
    }
    let beyond = |half: f64, room: f64| if half > room { half / room } else { 0.0 };
    let factor = if accept.holds(v) {
        let low = beyond(v - ci.low, v - accept.from);
        low.max(beyond(ci.high - v, accept.to - v))
    } else if v <= accept.from {
        beyond(ci.high - v, accept.from - v)
    } else {
        beyond(v - ci.low, v - accept.to)
    };
    match more_seeds(known.seeds as u64, factor) {
        Some(1) => (Some(1), "about one more seed".into()),
        Some(more) => (Some(more), format!("about {more} more seeds")),
        None => none("the estimate lies at a limit of the accepted range"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known(reading: Reading, low: f64, high: f64) -> ClaimNumber {
        ClaimNumber {
            reading,
            ci: Some(Interval { low, high }),
            why: None,
            seeds: 5,
            range: Some(Interval { low, high }),
            apart: false,
        }
    }

    #[test]
    fn only_a_whole_interval_decides() {
        use Verdict::{CantTell, NotReproduced, Reproduced};
        let accept = Accept::parse("10..30").unwrap();
        let of = |v, low, high| verdict(accept, known(Reading::Exactly(v), low, high));
        assert_eq!(of(20.0, 10.0, 30.0), Reproduced);
        assert_eq!(of(20.0, 9.0, 31.0), CantTell);
        assert_eq!(
            of(40.0, 30.0, 50.0),
            CantTell,
            "one number is common to both"
        );
        assert_eq!(of(40.0, 31.0, 50.0), NotReproduced);
        let least = |low, high| verdict(accept, known(Reading::AtLeast(20.0), low, high));
        assert_eq!(least(19.0, 21.0), CantTell);
        assert_eq!(least(31.0, 33.0), NotReproduced);
        let open = Accept::parse("10..").unwrap();
        let least = known(Reading::AtLeast(20.0), 19.0, 21.0);
        assert_eq!(verdict(open, least), Reproduced);
        let few = ClaimNumber {
            seeds: 2,
            ..known(Reading::Exactly(20.0), 19.0, 21.0)
        };
        assert_eq!(verdict(accept, few), CantTell);
        assert_eq!(verdict(accept, NOTHING), CantTell);
    }

    #[test]
    fn one_seed_refutes_a_sentence_on_every_run() {
        let none = Accept::parse("0").unwrap();
        let clean = known(Reading::Exactly(0.0), 0.0, 0.0);
        assert_eq!(verdict(none, clean), Verdict::Reproduced);
        let alone = ClaimNumber {
            seeds: 1,
            ci: None,
            why: Some(NoInterval::FewSeeds),
            ..clean
        };
        assert_eq!(verdict(none, alone), Verdict::CantTell);
        let range = Some(Interval {
            low: 0.0,
            high: 3.0,
        });
        let lost = ClaimNumber {
            range,
            reading: Reading::Exactly(3.0),
            ..alone
        };
        assert_eq!(verdict(none, lost), Verdict::NotReproduced);
    }

    #[test]
    fn what_no_seed_has_seen_may_still_come() {
        // Poisson's upper limit: no event in five seeds leaves up to 0.74 for each seed.
        let none = known(Reading::Exactly(0.0), 0.0, 3.689 / 5.0);
        let none = ClaimNumber {
            range: Some(Interval {
                low: 0.0,
                high: 0.0,
            }),
            ..none
        };
        let of = |accept: &str| verdict(Accept::parse(accept).unwrap(), none);
        assert_eq!(of("0"), Verdict::Reproduced);
        assert_eq!(of(">0"), Verdict::CantTell);
        assert_eq!(of("1.."), Verdict::NotReproduced);
    }

    #[test]
    fn an_extreme_is_decided_by_its_value() {
        let accept = Accept::parse("20..25").unwrap();
        let of = |v| ClaimNumber {
            ci: None,
            why: Some(NoInterval::Extreme),
            ..known(Reading::Exactly(v), v, v)
        };
        assert_eq!(verdict(accept, of(24.0)), Verdict::Reproduced);
        assert_eq!(verdict(accept, of(14.0)), Verdict::NotReproduced);
        let only = Accept::parse("24").unwrap();
        assert_eq!(verdict(only, of(24.0)), Verdict::Reproduced);
        assert_eq!(verdict(only, of(25.0)), Verdict::NotReproduced);
    }

    #[test]
    fn what_would_decide_is_said() {
        let accept = Accept::parse("10..30").unwrap();
        let of = |v, low, high| undecided(accept, known(Reading::Exactly(v), low, high));
        // Half the width decides: t(4)/√5 is 1.2417, t(11)/√12 0.6354, t(12)/√13 0.6043.
        assert_eq!(of(15.0, 5.0, 25.0), (Some(8), "about 8 more seeds".into()));
        assert_eq!(of(8.0, 6.0, 10.0).0, Some(1));
        let (more, words) = of(10.0, 5.0, 15.0);
        assert_eq!(more, None);
        assert_eq!(
            words,
            "more seeds do not decide: the estimate lies at a limit of the accepted range"
        );
        let few = |seeds| ClaimNumber {
            seeds,
            ci: None,
            why: Some(NoInterval::FewSeeds),
            ..NOTHING
        };
        assert_eq!(
            undecided(accept, few(1)),
            (Some(2), "2 more seeds, for an interval".into())
        );
        assert_eq!(
            undecided(accept, few(2)),
            (Some(1), "1 more seed, for an interval".into())
        );
        assert_eq!(
            undecided(accept, NOTHING).1,
            "more seeds do not decide: nothing was measured"
        );
    }
}
