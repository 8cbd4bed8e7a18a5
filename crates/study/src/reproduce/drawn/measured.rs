//! A metric of a summary as it is drawn: a number with its interval, and words for it.

use crate::plot::{Point, Side};
use crate::words::number;
use sidestep_lab::stats::metric::{self, Reading, Unit};
use sidestep_lab::stats::{Summary, are_apart, sectioned};

/// A metric of a summary as a point. Counts are those of one seed, on average.
pub fn point_of(name: &str, summary: &Summary) -> Option<Point> {
    let metric = metric::find(name)?;
    let each = match metric.is_count {
        true => summary.seeds.len().max(1) as f64,
        false => 1.0,
    };
    let (value, bound) = match metric.read(summary) {
        Reading::Exactly(v) => (v, None),
        Reading::AtLeast(v) => (v, Some(Side::Above)),
        Reading::AtMost(v) => (v, Some(Side::Below)),
        Reading::Nothing => return None,
    };
    let seeds: Option<Vec<f64>> = summary
        .per_seed
        .iter()
        .map(|s| match metric.read(s) {
            Reading::Exactly(v) => Some(v),
            _ => None,
        })
        .collect();
    let ci = seeds.filter(|_| !metric.is_extreme()).and_then(|values| {
        let apart = !metric.is_count && are_apart(value, &values);
        sectioned(value / each, &values, true, apart, 0.95)
    });
    let most = match metric.unit {
        Unit::Share => 1.0,
        _ => f64::INFINITY,
    };
    Some(Point {
        value: value / each,
        ci: ci.map(|ci| [ci.low.max(0.0f64.min(value)), ci.high.min(most)]),
        bound,
    })
}

/// A number with the sign of its bound.
pub fn bounded(point: &Point) -> String {
    let sign = match point.bound {
        None => "",
        Some(Side::Above) => "≥ ",
        Some(Side::Below) => "≤ ",
    };
    format!("{sign}{}", number(point.value))
}

/// What a metric is, with its unit, for the head of a panel. Counts are those of one seed.
pub fn heading_of(name: &str) -> String {
    said(name, "a seed")
}

/// What a claim measures. Counts are those of one seed here too.
pub fn measured(name: &str) -> String {
    said(name, "a seed, on average")
}

/// What a metric is, with its unit or with the seeds that its count is of.
fn said(name: &str, seeds: &str) -> String {
    let Some(metric) = metric::find(name) else {
        return name.into();
    };
    match metric.unit.suffix() {
        "" if metric.is_count => format!("{}, {seeds}", metric.heading()),
        "" => metric.heading(),
        unit => format!("{}, {unit}", metric.heading()),
    }
}

/// The unit of a metric; empty where its number stands alone.
pub fn unit_of(name: &str) -> &'static str {
    metric::find(name).map_or("", |metric| metric.unit.suffix())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn metrics_have_words() {
        assert_eq!(
            heading_of("fct_short_p99_ms"),
            "99th percentile of completion time of background flows of 1 to 10 kB, ms"
        );
        assert_eq!(
            heading_of("drops_ttl"),
            "packets dropped because their time to live ran out, a seed"
        );
        assert_eq!(
            measured("pauses"),
            "pauses that switches sent, a seed, on average"
        );
        assert_eq!((unit_of("qct_max_ms"), unit_of("jain")), ("ms", ""));
    }
}
