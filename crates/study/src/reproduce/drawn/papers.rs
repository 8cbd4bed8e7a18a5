//! Numbers of the paper in our plots, if a claim has one for the drawn metric.
//!
//! **Decision**     a number of one scheme is drawn as given. For a difference or a ratio of two schemes, the
//!                  mark is at the value it implies for the later scheme, computed from our measurement of the
//!                  other; its tooltip and the legend say so.

use crate::format::number;
use crate::plot::{Figure, PaperMark};
use sidestep_lab::stats::place;
use sidestep_lab::{ClaimResult, Compare};

/// Number of the paper, for one scheme.
pub struct PaperNumber {
    /// Value.
    pub value: f64,
    /// True if computed from our number of another scheme.
    pub implied: bool,
    /// Words of the tooltip.
    pub words: String,
}

/// Returns true if a claim covers `value` on this axis. Several values are separated by commas, and a value may
/// contain commas.
pub fn speaks_of(claim: &ClaimResult, axis: &str, value: &str) -> bool {
    let of = claim.at.get(axis);
    of.is_none_or(|of| format!(", {of}, ").contains(&format!(", {value}, ")))
}

/// Returns the paper's number for `scheme`, which is one of `all` in their order. `ours` returns our number of
/// any scheme at the same point. A comparison of two schemes gives a number for the later one: the first is the
/// baseline.
pub fn said(
    claim: &ClaimResult,
    scheme: &str,
    all: &[&str],
    ours: impl Fn(&str) -> Option<f64>,
) -> Option<PaperNumber> {
    let paper = claim.paper?;
    if !claim.less.is_empty() || !claim.per.is_empty() {
        return None;
    }
    let place = |name: &String| all.iter().position(|own| own == name);
    let is_later = |own: &String, other: &String| own == scheme && place(own) > place(other);
    let (value, implied) = match &claim.compare {
        Compare::One(own) if own == scheme => (paper, false),
        Compare::Difference(a, b) if is_later(a, b) => (ours(b)? + paper, true),
        Compare::Difference(a, b) if is_later(b, a) => (ours(a)? - paper, true),
        Compare::Ratio(a, b) if is_later(a, b) => (ours(b)? * paper, true),
        Compare::Ratio(a, b) if is_later(b, a) => (ours(a)? / paper, true),
        _ => return None,
    };
    let words = match implied {
        false => format!("paper: {}", number(paper)),
        true => format!("paper: {} is {}", claim.compare, number(paper)),
    };
    (value.is_finite() && value >= 0.0).then_some(PaperNumber {
        value,
        implied,
        words,
    })
}

/// Percentiles that claims may cover: in thousandths, and as in names of metrics.
const PERCENTILES: [(u32, &str); 3] = [(500, "p50"), (990, "p99"), (999, "p999")];

/// Returns the paper's percentiles of the sample `of`, which may belong to one of these classes. `places`
/// gives, for each series of the figure, its scheme and its value on each axis.
pub fn on_cdf(
    claims: &[ClaimResult],
    of: &str,
    classes: &[&str],
    figure: &Figure,
    places: &[(&str, Vec<(&str, &str)>)],
) -> Vec<PaperMark> {
    let (schemes, mut marks) = (places.iter().map(|(scheme, _)| *scheme), Vec::new());
    let schemes: Vec<&str> = schemes.collect();
    for claim in claims {
        let Some((permille, _)) = PERCENTILES
            .iter()
            .find(|(_, p)| is_of(&claim.metric, of, p, classes))
        else {
            continue;
        };
        for (nth, (scheme, at)) in places.iter().enumerate() {
            let here = claim
                .at
                .keys()
                .all(|axis| at.iter().any(|(a, _)| a == axis));
            if claim.over.is_some()
                || !here
                || !at.iter().all(|(axis, value)| speaks_of(claim, axis, value))
            {
                continue;
            }
            let ours = |other: &str| {
                let mut all = places.iter().zip(&figure.series);
                let (_, series) = all.find(|((s, a), _)| *s == other && a == at)?;
                let rank = (series.n * *permille as usize).div_ceil(1000).max(1);
                series.done.get(rank - 1).copied()
            };
            if let Some(said) = said(claim, scheme, &schemes, ours).filter(|s| s.value > 0.0) {
                marks.push(PaperMark {
                    series: nth,
                    value: said.value,
                    share: f64::from(*permille) / 1000.0,
                    implied: said.implied,
                    hint: format!("{scheme}, {}", said.words),
                });
            }
        }
    }
    marks
}

/// Returns true if a metric is this percentile of the sample `of`. A class may be written in two ways.
fn is_of(metric: &str, of: &str, percentile: &str, classes: &[&str]) -> bool {
    fn parts(name: &str) -> (&str, Option<&str>) {
        let split = name.split_once(':');
        split.map_or((name, None), |(name, class)| (name, Some(class)))
    }
    let ((metric, claimed), (of, drawn)) = (parts(metric), parts(of));
    let at = |class| place(classes.iter().copied(), class).ok();
    let same = match (claimed, drawn) {
        (Some(a), Some(b)) => a == b || (at(a).is_some() && at(a) == at(b)),
        (a, b) => a == b,
    };
    same && metric == named(of, percentile)
}

/// Returns the metric of a percentile: `qct_p99_ms` of `qct_ms`, `detours_p99` of `detours`.
fn named(of: &str, percentile: &str) -> String {
    match of.strip_suffix("_ms") {
        Some(base) => format!("{base}_{percentile}_ms"),
        None => format!("{of}_{percentile}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::tests::claim;

    fn paper(metric: &str, compare: &str, paper: f64) -> ClaimResult {
        ClaimResult {
            paper: Some(paper),
            ..claim(metric, compare)
        }
    }

    #[test]
    fn a_difference_or_a_ratio_stands_where_it_puts_the_other_scheme() {
        let ours = |name: &str| (name == "dctcp").then_some(50.0);
        let value = |claim: &ClaimResult, scheme: &str| {
            said(claim, scheme, &["dctcp", "dibs"], ours).map(|said| (said.value, said.implied))
        };
        let falls = paper("qct_p99_ms", "dctcp - dibs", 20.0);
        assert_eq!(value(&falls, "dibs"), Some((30.0, true)));
        assert_eq!(value(&falls, "dctcp"), None);
        let half = paper("qct_p99_ms", "dibs / dctcp", 0.5);
        assert_eq!(value(&half, "dibs"), Some((25.0, true)));
        let rises = paper("qct_p99_ms", "dibs - dctcp", 2.0);
        assert_eq!(value(&rises, "dibs"), Some((52.0, true)));
        assert_eq!(value(&rises, "dctcp"), None);
        let plain = paper("qct_p99_ms", "dibs", 37.0);
        assert_eq!(value(&plain, "dibs"), Some((37.0, false)));
        let below = paper("qct_p99_ms", "dctcp - dibs", 60.0);
        assert_eq!(value(&below, "dibs"), None, "no time is below zero");
        // A count is that of a seed, in claims as in plots.
        let count = |n| value(&paper("drops", "dibs", n), "dibs");
        assert_eq!(
            (count(7.0), count(0.0)),
            (Some((7.0, false)), Some((0.0, false)))
        );
        let fewer = paper("drops", "dctcp - dibs", 20.0);
        assert_eq!(value(&fewer, "dibs"), Some((30.0, true)));
    }

    #[test]
    fn values_with_commas_are_told_apart() {
        let mut claim = paper("qct_p99_ms", "dibs", 1.0);
        claim.at = [(
            "net".to_string(),
            "Jellyfish, 64 switches, HyperX".to_string(),
        )]
        .into();
        assert!(speaks_of(&claim, "net", "HyperX"));
        assert!(speaks_of(&claim, "net", "Jellyfish, 64 switches"));
        assert!(!speaks_of(&claim, "net", "Jelly"));
        assert!(speaks_of(&claim, "rate", "any"));
    }

    #[test]
    fn a_percentile_has_the_name_of_its_sample() {
        assert_eq!(named("qct_ms", "p99"), "qct_p99_ms");
        assert_eq!(named("detours", "p99"), "detours_p99");
        let classes = ["trace/storage", "a/web", "b/web"];
        let of = |metric, of| is_of(metric, of, "p50", &classes);
        assert!(of("fct_p50_ms:storage", "fct_ms:trace/storage"));
        assert!(of("fct_p50_ms:trace/storage", "fct_ms:storage"));
        assert!(of("fct_p50_ms:a/web", "fct_ms:a/web"));
        assert!(!of("fct_p50_ms:web", "fct_ms:a/web"), "it may be either");
        assert!(!of("fct_p50_ms:a/web", "fct_ms:b/web"));
        assert!(!of("fct_p50_ms", "fct_ms:storage"));
        assert!(!of("fct_p99_ms:storage", "fct_ms:storage"));
    }
}
