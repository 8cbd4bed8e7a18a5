//! Distribution of a sample: the share up to each value, and the share beyond it.

use super::papers;
use super::view::{Parts, Sheet, Strand, View};
use crate::format::{count, number, share};
use crate::plot::{Drawing, Figure, Series, cdf_with};
use sidestep_lab::stats::metric::{self, SampleKind, Unit, Values};
use sidestep_lab::stats::{Percentile, Sample, place, slowdown};
use sidestep_lab::{ClaimResult, Record};
use sidestep_types::Time;

const CAPTION: &str = "Left: the share up to a value. Right: the share above it, on a logarithmic \
                       scale, which shows the tail. All seeds together; nearest rank.";

/// Draws the sample `of`: one curve a scheme and condition.
pub fn draw<'a>(view: &View<'a>) -> Parts {
    let free = view.free_axes(None);
    let strands = view.strands(&free);
    let mut figure = Figure {
        title: view.title.clone(),
        subtitle: view.subtitle(),
        x_label: String::new(),
        counted: String::new(),
        completes: false,
        log: false,
        series: Vec::new(),
    };
    let mut head: Vec<String> = free
        .iter()
        .map(|i| view.experiment.axes[*i].name.clone())
        .collect();
    let columns = ["scheme", "n", "known", "p50", "p90", "p99", "p99.9"];
    head.extend(columns.map(String::from));
    let mut rows = Vec::new();
    for strand in &strands {
        let records: Vec<&Record> = view.records(strand, &free).collect();
        let Some(kind) = metric::sample(&view.spec.of) else {
            let why = format!("no sample is called {:?}", view.spec.of);
            return (Err(why), Sheet::default(), String::new());
        };
        let spread = Spread::of(kind, &view.spec.of, &records);
        let mut row: Vec<String> = strand.free.iter().map(|v| v.to_string()).collect();
        row.push(strand.scheme.into());
        row.extend(spread.cells());
        rows.push(row);
        figure.x_label = kind.label(&view.spec.of);
        figure.counted = kind.population.words().into();
        figure.completes = spread.completes;
        // Completion times of one system may cover one decade or many; a log axis suits both.
        figure.log = spread.completes || view.spec.log_x;
        let entry = view.entry(strand, String::new());
        figure.series.push(Series {
            name: entry.name,
            look: entry.look,
            done: spread.done,
            n: spread.n,
        });
    }
    let at = |strand: &Strand<'a>| {
        let axes = view.experiment.axes.iter().enumerate();
        let here = axes.filter_map(|(i, axis)| {
            let nth = free.iter().position(|f| *f == i);
            let value = nth.map(|nth| strand.free[nth]);
            Some((
                axis.name.as_str(),
                value.or_else(|| view.fixed(&axis.name))?,
            ))
        });
        here.collect()
    };
    let places: Vec<_> = strands.iter().map(|s| (s.scheme, at(s))).collect();
    let first = strands.iter().find_map(|s| view.records(s, &free).next());
    let classes = first.map_or(Vec::new(), names);
    let claims = view.experiment.claims;
    let papers = papers::on_cdf(claims, &view.spec.of, &classes, &figure, &places);
    let drawing = cdf_with(&figure, &papers);
    (Ok(drawing), Sheet { head, rows }, CAPTION.into())
}

/// Returns the class names of a run.
fn names(record: &Record) -> Vec<&str> {
    let classes = record.classes.iter();
    classes.map(|class| class.name.as_str()).collect()
}

/// Draws a figure of whole samples with the paper's values for the sample `of` of these runs. Returns the
/// picture, a table of the same numbers, and the caption.
pub(crate) fn alone(
    figure: &Figure,
    of: &str,
    runs: &[Record],
    claims: &[ClaimResult],
) -> (Drawing, Sheet, String) {
    let classes = runs.first().map_or(Vec::new(), names);
    let series = figure.series.iter();
    let places: Vec<_> = series.map(|s| (s.name.as_str(), Vec::new())).collect();
    let papers = papers::on_cdf(claims, of, &classes, figure, &places);
    (cdf_with(figure, &papers), sheet_of(figure), CAPTION.into())
}

/// Lists the numbers of a figure of whole samples.
fn sheet_of(figure: &Figure) -> Sheet {
    let head = ["scheme", "n", "known", "p50", "p90", "p99", "p99.9"];
    let row = |series: &Series| {
        let all = series.n as u64;
        let known = share(series.done.len() as u64, all);
        let mut row = vec![series.name.clone(), count(all), known];
        row.extend(PERMILLES.map(|permille| {
            let rank = (series.n * permille as usize).div_ceil(1000).max(1);
            match (series.done.get(rank - 1), series.done.last()) {
                (Some(v), _) => number(*v),
                (None, Some(last)) => format!("> {}", number(*last)),
                (None, None) => "-".into(),
            }
        }));
        row
    };
    Sheet {
        head: head.map(String::from).to_vec(),
        rows: figure.series.iter().map(row).collect(),
    }
}

/// Percentiles in a sample's table, in thousandths.
const PERMILLES: [u32; 4] = [500, 900, 990, 999];

/// Sample, ready to be drawn.
pub struct Spread {
    /// True if the values are times; those of unfinished items are missing.
    completes: bool,
    /// Known values, ascending.
    pub done: Vec<f64>,
    /// Number of items, known or not.
    pub n: usize,
    /// Percentiles, each with true if it is a lower bound.
    percentiles: [Option<(f64, bool)>; 4],
}

impl Spread {
    /// Collects the sample called `name` from all these runs.
    pub fn of(kind: &SampleKind, name: &str, records: &[&Record]) -> Spread {
        match kind.values {
            Values::Times(of) => {
                let mut all = Sample::default();
                records.iter().for_each(|record| all.merge(&of(record)));
                Spread::times(all, Time::as_ms_f64)
            }
            Values::OfClass(of) => {
                let classes = records.iter().map(|record| &record.classes[..]);
                let class = name.split_once(':').map_or("", |(_, class)| class);
                let mut all = Sample::default();
                for classes in classes {
                    let names = classes.iter().map(|class| &*class.name);
                    if let Ok(place) = place(names, class) {
                        all.merge(of(&classes[place]));
                    }
                }
                let is_time = kind.unit == Unit::Ms;
                Spread::times(
                    all,
                    if is_time {
                        Time::as_ms_f64
                    } else {
                        slowdown::value
                    },
                )
            }
            Values::Flows(of) => {
                let values = records.iter().flat_map(|record| of(record));
                Spread::values(values.collect())
            }
            Values::Probed => {
                let values = records.iter().filter_map(|r| r.probed.samples.get(name));
                Spread::values(values.flatten().copied().collect())
            }
        }
    }

    /// Creates a spread from times, or from values that are stored as times.
    fn times(mut sample: Sample, number: fn(Time) -> f64) -> Spread {
        let mut done: Vec<f64> = sample.finished().map(number).collect();
        done.sort_by(f64::total_cmp);
        let percentiles = PERMILLES.map(|permille| {
            sample.percentile(permille).map(|p| match p {
                Percentile::Exactly(t) => (number(t), false),
                Percentile::AtLeast(t) => (number(t), true),
            })
        });
        Spread {
            completes: true,
            n: sample.len() as usize,
            done,
            percentiles,
        }
    }

    /// Creates a spread from the values of a probe.
    fn values(mut values: Vec<f64>) -> Spread {
        values.sort_by(f64::total_cmp);
        let nearest = |permille: u32| {
            let rank = (values.len() * permille as usize).div_ceil(1000).max(1);
            values.get(rank - 1).map(|v| (*v, false))
        };
        Spread {
            completes: false,
            n: values.len(),
            percentiles: PERMILLES.map(nearest),
            done: values,
        }
    }

    fn cells(&self) -> Vec<String> {
        let mut cells = vec![
            count(self.n as u64),
            share(self.done.len() as u64, self.n as u64),
        ];
        cells.extend(self.percentiles.map(|p| match p {
            None => "-".into(),
            Some((v, true)) => format!("≥ {}", number(v)),
            Some((v, false)) => number(v),
        }));
        cells
    }
}
