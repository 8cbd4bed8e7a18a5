//! Values of a sample in ascending order: one curve a scheme and condition.

use super::distribution::Spread;
use super::view::{Parts, Sheet, View};
use crate::format::{count, number};
use crate::plot::{Curve, Curves, Scale, curves};
use sidestep_lab::Record;
use sidestep_lab::stats::metric;

const CAPTION: &str = "The smallest value is at rank 1. All seeds together. A ring marks the last \
                       completed value; the rest did not complete.";

/// Ranks whose values are in the table, in thousandths.
const PLACES: [(u32, &str); 5] = [
    (0, "least"),
    (250, "at a quarter"),
    (500, "in the middle"),
    (750, "at three quarters"),
    (1000, "most"),
];

/// Draws the sample `of`.
pub fn draw(view: &View<'_>) -> Parts {
    let name = &view.spec.of;
    let Some(kind) = metric::sample(name) else {
        let why = format!("no sample is called {name:?}");
        return (Err(why), Sheet::default(), String::new());
    };
    let free = view.free_axes(None);
    let axes = free.iter();
    let mut head: Vec<String> = axes
        .map(|i| view.experiment.axes[*i].name.clone())
        .collect();
    head.extend(["scheme", "n", "known"].map(String::from));
    head.extend(PLACES.map(|(_, word)| word.to_string()));
    let (mut rows, mut all, mut most) = (Vec::new(), Vec::new(), 1);
    for strand in &view.strands(&free) {
        let records: Vec<&Record> = view.records(strand, &free).collect();
        let spread = Spread::of(kind, name, &records);
        let (n, done) = (spread.n, spread.done);
        most = most.max(n);
        let mut row: Vec<String> = strand.free.iter().map(|v| v.to_string()).collect();
        row.push(strand.scheme.into());
        row.extend([count(n as u64), count(done.len() as u64)]);
        row.extend(PLACES.map(|(permille, _)| {
            let rank = (n as u64 * u64::from(permille)).div_ceil(1000).max(1);
            let value = done.get(rank as usize - 1);
            value.map_or("-".into(), |value| number(*value))
        }));
        rows.push(row);
        let counted = kind.population.words();
        let ranks = done.iter().zip(1u32..);
        all.push(Curve {
            entry: view.entry(strand, format!("n = {} {counted}", count(n as u64))),
            points: ranks
                .map(|(value, rank)| (f64::from(rank), *value))
                .collect(),
            ring: (done.len() < n).then(|| "the rest did not complete".into()),
        });
    }
    let scale = |log: bool| if log { Scale::Log } else { Scale::Linear };
    let figure = Curves {
        title: view.title.clone(),
        subtitle: view.subtitle(),
        x_label: format!("{} by rank", kind.population.words()),
        heading: kind.label(name),
        x: match view.spec.log_x {
            true => (Scale::Log, 1.0, most.max(2) as f64),
            false => (Scale::Linear, 0.0, most as f64),
        },
        y: scale(view.spec.log_y),
        curves: all,
        counted: kind.population.words().into(),
    };
    (Ok(curves(&figure)), Sheet { head, rows }, CAPTION.into())
}
