//! Numbers of summaries as CSV: a row for each point, scheme and metric, with interval and bound.

use crate::plot::Side;
use crate::reproduce::drawn::point_of;
use sidestep_lab::stats::Summary;
use sidestep_lab::stats::metric::{CLASS_METRICS, METRICS};

/// Returns the row of column names: the axes, then the columns of every row.
pub fn head<'a>(axes: impl Iterator<Item = &'a str>) -> String {
    let axes: String = axes.map(|axis| format!("{},", cell(axis))).collect();
    format!("{axes}scheme,metric,value,ci_low,ci_high,bound,seeds\n")
}

/// Returns a row for each metric of `names` that has a value. A count is the average of a seed. `at` are the values on
/// the axes.
pub fn rows(at: &[String], summary: &Summary, names: impl IntoIterator<Item = String>) -> String {
    let at: String = at.iter().map(|value| format!("{},", cell(value))).collect();
    let mut out = String::new();
    for name in names {
        let Some(point) = point_of(&name, summary) else {
            continue;
        };
        let [low, high] = match point.ci {
            Some(ci) => ci.map(|v| v.to_string()),
            None => [String::new(), String::new()],
        };
        let bound = match point.bound {
            None => "",
            Some(Side::Above) => ">=",
            Some(Side::Below) => "<=",
        };
        out.push_str(&format!(
            "{at}{},{},{},{low},{high},{bound},{}\n",
            cell(&summary.scheme),
            cell(&name),
            point.value,
            summary.seeds.len()
        ));
    }
    out
}

/// Returns the names of all metrics: over all flows, and of each class that had traffic.
pub fn every(summary: &Summary) -> Vec<String> {
    let over_all = METRICS.iter().map(|metric| metric.name.to_string());
    let classes = summary.classes.iter().filter(|class| class.exists());
    let of_class = classes.flat_map(|class| {
        let each = CLASS_METRICS.iter();
        each.map(move |metric| format!("{}:{}", metric.name, class.name))
    });
    over_all.chain(of_class).collect()
}

/// Quotes a cell if necessary.
fn cell(text: &str) -> String {
    match text.contains([',', '"', '\n']) {
        true => format!("\"{}\"", text.replace('"', "\"\"")),
        false => text.into(),
    }
}
