//! Windows of a sample against simulated time: one line a scheme and condition.

use super::view::{Parts, Sheet, View};
use crate::format::{number, some};
use crate::plot::{Curve, Curves, Scale, curves, plain};
use sidestep_lab::Record;
use sidestep_lab::stats::metric;

const CAPTION: &str = "Each value is drawn over its window. With several seeds it is the mean over \
                       those whose run lasted to the window's end.";

/// Maximum number of rows of a table. With more windows, each row is the mean of several.
const MOST_ROWS: usize = 100;

/// Draws the sample `of`.
pub fn draw(view: &View<'_>) -> Parts {
    let name = &view.spec.of;
    let nothing = |why: String| (Err(why), Sheet::default(), String::new());
    let Some(kind) = metric::sample(name) else {
        return nothing(format!("no sample is called {name:?}"));
    };
    let free = view.free_axes(None);
    let (mut lines, mut window_ms) = (Vec::new(), None);
    for strand in &view.strands(&free) {
        let records: Vec<&Record> = view.records(strand, &free).collect();
        let of = |record: &&Record| record.probed.windows.get(name).map(|ps| *ps as f64 / 1e9);
        let span = records.iter().find_map(of);
        if let (Some(span), Some(first)) = (span, window_ms)
            && span != first
        {
            return nothing(
                "its windows differ in length between points; fix an axis with `at`".into(),
            );
        }
        window_ms = window_ms.or(span);
        let runs = records.iter().filter_map(|r| r.probed.samples.get(name));
        let runs: Vec<&[f64]> = runs.map(Vec::as_slice).collect();
        let about = match runs.len() {
            0 => "no run has such windows".into(),
            1 => String::new(),
            n => format!("mean of {}", some(n, "seed")),
        };
        lines.push((view.entry(strand, about), means(&runs)));
    }
    let Some(window_ms) = window_ms else {
        return nothing(format!("no run has windows of {name}"));
    };
    let table = table(&lines, window_ms);
    let many = lines.iter().map(|(_, values)| values.len()).max();
    let figure = Curves {
        title: view.title.clone(),
        subtitle: format!("{}; windows of {} ms", view.subtitle(), plain(window_ms)),
        x_label: "simulated time, ms".into(),
        heading: kind.label(name),
        x: (Scale::Linear, 0.0, many.unwrap_or(1) as f64 * window_ms),
        y: if view.spec.log_y {
            Scale::Log
        } else {
            Scale::Linear
        },
        curves: (lines.into_iter())
            .map(|(entry, values)| Curve {
                entry,
                points: steps(&values, window_ms),
                ring: None,
            })
            .collect(),
        counted: kind.population.words().into(),
    };
    (Ok(curves(&figure)), table, CAPTION.into())
}

/// Returns the mean of each window over the runs that have it.
fn means(runs: &[&[f64]]) -> Vec<f64> {
    let longest = runs.iter().map(|run| run.len()).max().unwrap_or(0);
    let mean = |window: usize| {
        let values = runs.iter().filter_map(|run| run.get(window));
        values.clone().sum::<f64>() / values.count() as f64
    };
    (0..longest).map(mean).collect()
}

/// Returns the points of a step curve: a value is constant over its window.
fn steps(values: &[f64], window_ms: f64) -> Vec<(f64, f64)> {
    let edge = |window: usize| window as f64 * window_ms;
    let ends = |(i, value): (usize, &f64)| [(edge(i), *value), (edge(i + 1), *value)];
    values.iter().enumerate().flat_map(ends).collect()
}

/// Lists the values, one row for each window or for several windows.
fn table(lines: &[(crate::plot::Entry, Vec<f64>)], window_ms: f64) -> Sheet {
    let windows = lines.iter().map(|(_, values)| values.len()).max();
    let each = windows.unwrap_or(0).div_ceil(MOST_ROWS).max(1);
    let mut head = vec!["from, ms".to_string(), "to, ms".into()];
    head.extend(lines.iter().map(|(entry, _)| match each {
        1 => entry.name.clone(),
        n => format!("{}, mean of {n} windows", entry.name),
    }));
    let rows = (0..windows.unwrap_or(0)).step_by(each).map(|first| {
        let last = (first + each).min(windows.unwrap_or(0));
        let mut row = [first, last]
            .map(|edge| number(edge as f64 * window_ms))
            .to_vec();
        row.extend(lines.iter().map(|(_, values)| {
            let own = values.get(first..last.min(values.len())).unwrap_or(&[]);
            match own.len() {
                0 => "-".into(),
                n => number(own.iter().sum::<f64>() / n as f64),
            }
        }));
        row
    });
    Sheet {
        rows: rows.collect(),
        head,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plot::{Entry, SeriesStyle};

    #[test]
    fn a_window_is_the_mean_of_the_runs_that_have_it_and_level() {
        let seen = means(&[&[1.0, 3.0], &[3.0, 5.0, 7.0]]);
        assert_eq!(seen, [2.0, 4.0, 7.0]);
        assert!(means(&[]).is_empty());
        let steps = steps(&seen[..2], 0.5);
        assert_eq!(steps, [(0.0, 2.0), (0.5, 2.0), (0.5, 4.0), (1.0, 4.0)]);
    }

    #[test]
    fn a_table_of_many_windows_has_the_means_of_several() {
        let entry = |name: &str| Entry {
            look: SeriesStyle::nth(0),
            name: name.into(),
            about: String::new(),
        };
        let long: Vec<f64> = (0..250).map(f64::from).collect();
        let sheet = table(&[(entry("a"), long), (entry("b"), vec![5.0; 4])], 10.0);
        assert_eq!(sheet.rows.len(), 84);
        assert_eq!(sheet.head[2], "a, mean of 3 windows");
        assert_eq!(sheet.rows[0], ["0", "30.0", "1.00", "5.00"]);
        assert_eq!(sheet.rows[1], ["30.0", "60.0", "4.00", "5.00"]);
        assert_eq!(sheet.rows[2], ["60.0", "90.0", "7.00", "-"]);
        assert_eq!(sheet.rows[83], ["2,490", "2,500", "249", "-"]);
    }
}
