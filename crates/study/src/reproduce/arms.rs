//! Arms of an experiment: it is carried out in several ways, on the simulator and with real packets on a
//! testbed.
//!
//! **Decision**     each way is a value of an additional axis, [`AXIS`]. Plots, tables, points.csv and claims
//!                  handle it as any other axis; claims are judged on one arm.
//! **Units**        those of the experiment: times from an arm with a slower clock are already scaled back.
//! **Deviations**   none.

use super::beside::ArmAgreement;
use super::drawn::{Sheet, bounded, heading_of, point_of};
use super::figure::FigureResult;
use crate::Status;
use crate::format::number;
use sidestep_lab::stats::Sample;
use sidestep_lab::{Axis, Experiment, Point, PointResult, Record, Results};
use sidestep_types::Time;

/// Name of the axis of arms.
pub const AXIS: &str = "arm";

/// Way of carrying out an experiment, with its results.
pub struct Arm {
    /// Name: `simulator`.
    pub name: String,
    /// Description in one sentence.
    pub says: String,
    /// Experiment with one point.
    pub experiment: Experiment,
    /// Records of its runs, by scheme and then by seed.
    pub records: Vec<Record>,
    /// Status: complete if all runs ended.
    pub status: Status,
}

/// Metrics of the lab that are compared, if they have a value.
const COMPARED: [&str; 15] = [
    "flow_goodput_gbps_mean",
    "flow_payload_share_mean",
    "qct_min_ms",
    "qct_p50_ms",
    "qct_p99_ms",
    "qct_max_ms",
    "fct_query_p50_ms",
    "fct_query_p99_ms",
    "query_timeout_share",
    "response_timeout_share",
    "timeouts",
    "retransmits",
    "drops",
    "detours",
    "marks",
];

/// Combines the arms of a figure. Its claims are judged on the last arm, the testbed.
///
/// Panics without an arm, or if an arm's experiment does not have exactly one point.
pub fn side_by_side(paper: &str, arms: Vec<Arm>, facts: Vec<(String, String)>) -> FigureResult {
    let held = arms.last().expect("there is an arm").name.clone();
    let status = match arms.iter().all(|arm| arm.status == Status::Complete) {
        true => Status::Complete,
        false => Status::Partial,
    };
    let said = arms.iter().map(|a| (a.name.clone(), a.says.clone()));
    let (said, mut experiment) = (said.collect(), None);
    let toml = arms[0].experiment.to_toml();
    let (mut points, mut results) = (Vec::new(), Vec::new());
    for arm in arms {
        let mut own = arm.experiment;
        let point = own.points.pop().expect("an arm has a point");
        assert!(own.points.is_empty(), "an arm has a single point");
        let point = Point {
            at: vec![arm.name],
            ..point
        };
        results.push(PointResult::of(&point, arm.records));
        points.push(point);
        experiment = Some(own);
    }
    let mut experiment = experiment.expect("there is an arm");
    experiment.axes = vec![Axis {
        name: AXIS.into(),
        values: points.iter().map(|p| p.at[0].clone()).collect(),
        is_key: false,
    }];
    for claim in &mut experiment.claims {
        claim.expect = claim.testbed_expect;
        // The expected range was recorded on the simulator.
        claim.expect_between = None;
        claim.gap.clone_from(&claim.testbed_gap);
        claim.at.push((AXIS.into(), held.clone()));
    }
    experiment.points = points;
    let results = Results { points: results };
    FigureResult {
        paper: paper.into(),
        claims: experiment.evaluate(&results),
        beside: Some(ArmAgreement {
            arms: said,
            facts,
            toml,
            agreement: agreement(&results),
            counted: Sheet::default(),
            counted_note: String::new(),
        }),
        experiment,
        results,
        status,
    }
}

/// Compares the arms' numbers: one row for each scheme and metric.
fn agreement(results: &Results) -> Sheet {
    let Some((held, others)) = results.points.split_last() else {
        return Sheet::default();
    };
    let mut head = vec!["scheme".to_string(), "number".into()];
    head.extend(results.points.iter().map(|p| p.at[0].clone()));
    head.extend(others.iter().map(|p| format!("÷ {}", p.at[0])));
    let mut rows = Vec::new();
    for summary in held.summaries() {
        let scheme = summary.scheme.as_str();
        for metric in COMPARED {
            let of = |p: &PointResult| p.summary(scheme).and_then(|s| point_of(metric, &s));
            let values: Vec<_> = results.points.iter().map(of).collect();
            if values.iter().flatten().all(|p| p.value == 0.0) {
                continue;
            }
            let mut row = vec![scheme.to_string(), heading_of(metric)];
            row.extend((values.iter()).map(|v| v.as_ref().map_or_else(|| "-".into(), bounded)));
            let (last, before) = values.split_last().expect("the held arm has a value");
            row.extend(before.iter().map(|v| match (last, v) {
                (Some(a), Some(b)) if b.value > 0.0 && a.bound.is_none() && b.bound.is_none() => {
                    format!("{} ×", number(a.value / b.value))
                }
                _ => "-".into(),
            }));
            rows.push(row);
        }
        for (what, pick) in DISTRIBUTIONS {
            let of = |p: &PointResult| pick(&p.of_scheme(scheme).collect::<Vec<_>>());
            let own = of(held);
            let mut row = vec![scheme.to_string(), what.to_string()];
            let far = others.iter().map(|p| distance(&own, &of(p)));
            let far: Vec<String> = far.map(|d| d.map_or("-".into(), number)).collect();
            row.extend(far);
            row.push("-".into());
            row.resize(2 + results.points.len() + others.len(), String::new());
            rows.push(row);
        }
    }
    Sheet { head, rows }
}

/// Function that collects a sample from runs.
type Pick = fn(&[&Record]) -> Sample;

/// Samples whose whole distributions are compared.
const DISTRIBUTIONS: [(&str, Pick); 2] = [
    ("distance of the query completion distributions", |all| {
        let mut sample = Sample::default();
        all.iter().for_each(|r| sample.merge(&r.qct));
        sample
    }),
    ("distance of the response completion distributions", |all| {
        let mut sample = Sample::default();
        let classes = all.iter().flat_map(|r| &r.classes).filter(|c| c.query);
        classes.for_each(|c| sample.merge(&c.fct));
        sample
    }),
];

/// Returns the largest distance between two empirical distributions (Kolmogorov and Smirnov's D), from 0 to 1.
/// Unfinished items count as longer than every time. `None` if a sample is empty.
fn distance(a: &Sample, b: &Sample) -> Option<f64> {
    if a.is_empty() || b.is_empty() {
        return None;
    }
    let sorted = |s: &Sample| {
        let mut times: Vec<Time> = s.finished().collect();
        times.sort_unstable();
        times
    };
    let (times_a, times_b) = (sorted(a), sorted(b));
    let below =
        |times: &[Time], t: Time, n: u64| times.partition_point(|x| *x <= t) as f64 / n as f64;
    let apart = |t: &Time| (below(&times_a, *t, a.len()) - below(&times_b, *t, b.len())).abs();
    times_a.iter().chain(&times_b).map(apart).reduce(f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(ms: &[u64], open: usize) -> Sample {
        let mut sample = Sample::default();
        ms.iter().for_each(|t| sample.done(Time::from_ms(*t)));
        (0..open).for_each(|_| sample.open(Time::from_ms(1)));
        sample
    }

    #[test]
    fn the_distance_of_two_distributions_is_their_widest_gap() {
        let a = sample(&[1, 2, 3, 4], 0);
        assert_eq!(distance(&a, &a), Some(0.0));
        assert_eq!(distance(&a, &sample(&[5, 6], 0)), Some(1.0));
        assert_eq!(distance(&a, &sample(&[1, 2, 9, 9], 0)), Some(0.5));
        assert_eq!(distance(&a, &sample(&[1, 2], 2)), Some(0.5));
        assert_eq!(distance(&a, &sample(&[], 0)), None);
    }
}
