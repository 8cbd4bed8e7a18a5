//! Cells of tables of completion times: a number with its bound, an interval, a completed share.

use crate::format::{count, number, share};
use sidestep_lab::stats::Percentiles;

pub(super) fn p50(of: &Percentiles) -> String {
    bounded(of.p50, of.p50_at_least)
}

pub(super) fn p99(of: &Percentiles) -> String {
    bounded(of.p99, of.p99_at_least)
}

pub(super) fn p999(of: &Percentiles) -> String {
    bounded(of.p999, of.p999_at_least)
}

pub(super) fn mean(of: &Percentiles) -> String {
    bounded(of.mean, of.mean_at_least)
}

fn bounded(value: Option<f64>, at_least: bool) -> String {
    let bound = if at_least { ">= " } else { "" };
    value.map_or("-".into(), |v| format!("{bound}{}", number(v)))
}

pub(super) fn interval(of: &Percentiles) -> String {
    of.ci.map_or("-".into(), |[a, b]| {
        format!("{}..{}", number(a.max(0.0)), number(b))
    })
}

pub(super) fn completed(of: &Percentiles) -> String {
    let done = done(of);
    format!("{} ({})", count(done), share(done, of.n))
}

pub(super) fn done(of: &Percentiles) -> u64 {
    (of.completed_share.unwrap_or(0.0) * of.n as f64).round() as u64
}
