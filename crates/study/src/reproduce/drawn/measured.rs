//! Metrics of a summary for drawing: a number with its interval, and its label.

use crate::format::number;
use crate::plot::{Point, Side};
use sidestep_lab::stats::metric::{self, Reading, Unit};
use sidestep_lab::stats::{Summary, are_apart, sectioned};

/// Returns a metric of a summary as a point. A count is the average of a seed.
pub fn point_of(name: &str, summary: &Summary) -> Option<Point> {
    let metric = metric::find(name)?;
    let each = match metric.is_count {
        true => summary.seeds.len().max(1) as f64,
        false => 1.0,
    };
    let point = of_reading(metric.read(summary), None)?;
    let value = point.value;
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
        ..point
    })
}

/// Turns a reading into a point.
pub fn of_reading(reading: Reading, ci: Option<[f64; 2]>) -> Option<Point> {
    let (value, bound) = match reading {
        Reading::Exactly(v) => (v, None),
        Reading::AtLeast(v) => (v, Some(Side::Above)),
        Reading::AtMost(v) => (v, Some(Side::Below)),
        Reading::Nothing => return None,
    };
    Some(Point { value, ci, bound })
}

/// Formats a number with the sign of its bound.
pub fn bounded(point: &Point) -> String {
    let sign = match point.bound {
        None => "",
        Some(Side::Above) => "≥ ",
        Some(Side::Below) => "≤ ",
    };
    format!("{sign}{}", number(point.value))
}

/// Returns the heading of a metric's panel, with its unit. A count is that of one seed.
pub fn heading_of(name: &str) -> String {
    said(name, "per seed")
}

/// Describes the metric of a claim. A count is that of one seed here too.
pub fn measured(name: &str) -> String {
    said(name, "per seed, on average")
}

/// Describes a metric with its unit, or with `seeds` for a count.
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

/// Returns the metric of the completed share, for a metric that covers completed items only or is a mean. The
/// share is shown beside it.
pub fn completed_beside(name: &str) -> Option<String> {
    let (metric, class) = match name.split_once(':') {
        Some((metric, class)) => (metric, format!(":{class}")),
        None => (name, String::new()),
    };
    let ends = ["_done_mean_ms", "_done_p99_ms", "_mean_ms"];
    let stem = ends.iter().find_map(|end| metric.strip_suffix(end))?;
    let share = format!("{stem}_completed_share{class}");
    metric::find(&share).is_some().then_some(share)
}

/// Returns the unit of a metric; empty for a bare number.
pub fn unit_of(name: &str) -> &'static str {
    metric::find(name).map_or("", |metric| metric.unit.suffix())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mean_has_the_share_that_completed_beside_it() {
        let beside = |name| completed_beside(name);
        let share = |name: &str| Some(format!("{name}_completed_share"));
        assert_eq!(beside("qct_done_p99_ms"), share("qct"));
        assert_eq!(beside("fct_all_mean_ms"), share("fct_all"));
        let of_class = Some("fct_completed_share:web".to_string());
        assert_eq!(beside("fct_mean_ms:web"), of_class);
        assert_eq!(
            (beside("qct_p99_ms"), beside("fair_share_mean")),
            (None, None)
        );
    }

    #[test]
    fn metrics_have_words() {
        assert_eq!(
            heading_of("fct_short_p99_ms"),
            "99th percentile of completion time of background flows of 1 to 10 kB, ms"
        );
        assert_eq!(
            heading_of("drops_ttl"),
            "packets dropped because their time to live ran out, per seed"
        );
        assert_eq!(
            measured("pauses"),
            "pauses that switches sent, per seed, on average"
        );
        assert_eq!((unit_of("qct_max_ms"), unit_of("jain")), ("ms", ""));
    }
}
