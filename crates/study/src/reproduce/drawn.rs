//! From `[[plot]]` and results to a picture and a table of the same numbers.

use crate::plot::{
    Chart, Entry, Figure, Palette, Panel, Point, Scale, Scene, Series, Side, Sweep, cdf, chart,
};
use crate::words::{count, number, seeds, share};
use sidestep_lab::stats::metric::{self, Reading};
use sidestep_lab::stats::{Percentile, Sample, Summary, t_interval};
use sidestep_lab::{Experiment, PlotKind, PlotSpec, PointResult, Record, Results, SAMPLES};

/// One plot of a report.
pub struct Drawn {
    /// Its file's name without ending.
    pub file: String,
    /// What kind of plot it is.
    pub kind: &'static str,
    /// Above it.
    pub title: String,
    /// Below it: what it shows, of how many.
    pub caption: String,
    /// The picture, or why there is none.
    pub scene: Result<Scene, String>,
    /// The same numbers.
    pub table: Sheet,
}

/// A table.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sheet {
    /// Column names, with units.
    pub head: Vec<String>,
    /// Cells.
    pub rows: Vec<Vec<String>>,
}

/// Draws plot number `nth` of an experiment.
pub fn draw(experiment: &Experiment, results: &Results, nth: usize, palette: &Palette) -> Drawn {
    let spec = &experiment.plots[nth];
    let title = match (spec.title.as_str(), experiment.title.as_str()) {
        ("", "") => experiment.name.clone(),
        ("", title) => title.into(),
        (title, _) => title.into(),
    };
    let view = View {
        experiment,
        results,
        spec,
        palette,
        title,
    };
    let (scene, table, caption) = match spec.kind {
        PlotKind::Lines | PlotKind::Bars => view.against_axis(),
        PlotKind::Cdf => view.distribution(),
        PlotKind::Path | PlotKind::Detours | PlotKind::Occupancy => super::probes::draw(&view),
    };
    Drawn {
        file: format!("plot{}-{}", nth + 1, spec.kind.name()),
        kind: spec.kind.name(),
        title: view.title,
        caption,
        scene,
        table,
    }
}

/// Everything a plot is made from.
pub(super) struct View<'a> {
    pub experiment: &'a Experiment,
    pub results: &'a Results,
    pub spec: &'a PlotSpec,
    pub palette: &'a Palette,
    pub title: String,
}

/// Picture, table and caption.
pub(super) type Parts = (Result<Scene, String>, Sheet, String);

/// One scheme in one condition.
struct Strand<'a> {
    scheme: &'a str,
    /// Values of the axes that are neither fixed nor drawn, in their order.
    free: Vec<&'a str>,
    /// The number of the condition, for its look; `None` when there is but one.
    condition: Option<usize>,
}

impl<'a> View<'a> {
    /// The schemes drawn, in the order of the file.
    pub fn schemes(&self) -> Vec<&'a str> {
        let mut names: Vec<&str> = Vec::new();
        for point in &self.experiment.points {
            for scheme in &point.scenario.schemes {
                let chosen =
                    self.spec.schemes.is_empty() || self.spec.schemes.contains(&scheme.name);
                if chosen && !names.contains(&scheme.name.as_str()) {
                    names.push(&scheme.name);
                }
            }
        }
        names
    }

    /// The value that `at` fixes for an axis.
    fn fixed(&self, axis: &str) -> Option<&'a str> {
        let found = self.spec.at.iter().find(|(name, _)| name == axis);
        found.map(|(_, value)| value.as_str())
    }

    /// The points that `at` leaves.
    pub fn points(&self) -> impl Iterator<Item = &'a PointResult> {
        self.results.points.iter().filter(|point| {
            let axes = self.experiment.axes.iter().zip(&point.at);
            axes.into_iter()
                .all(|(axis, value)| self.fixed(&axis.name).is_none_or(|fixed| fixed == value))
        })
    }

    /// Numbers of the axes that are neither fixed nor `x`.
    fn free_axes(&self, x: Option<usize>) -> Vec<usize> {
        let axes = self.experiment.axes.iter().enumerate();
        axes.filter(|(i, axis)| Some(*i) != x && self.fixed(&axis.name).is_none())
            .map(|(i, _)| i)
            .collect()
    }

    fn strands(&self, free: &[usize]) -> Vec<Strand<'a>> {
        let mut conditions: Vec<Vec<&str>> = Vec::new();
        for point in self.points() {
            let condition: Vec<&str> = free.iter().map(|i| point.at[*i].as_str()).collect();
            if !conditions.contains(&condition) {
                conditions.push(condition);
            }
        }
        let mut strands = Vec::new();
        for scheme in self.schemes() {
            for (nth, free) in conditions.iter().enumerate() {
                strands.push(Strand {
                    scheme,
                    free: free.clone(),
                    condition: (conditions.len() > 1).then_some(nth),
                });
            }
        }
        strands
    }

    fn find(
        &self,
        strand: &Strand<'_>,
        free: &[usize],
        x: Option<(usize, &str)>,
    ) -> Option<&'a Summary> {
        let mut points = self.points();
        let point = points.find(|point| {
            let condition = free
                .iter()
                .zip(&strand.free)
                .all(|(i, v)| point.at[*i] == *v);
            condition && x.is_none_or(|(i, value)| point.at[i] == value)
        })?;
        point.summary(strand.scheme)
    }

    /// How a strand looks and what it is called.
    fn entry(&self, strand: &Strand<'_>, about: String) -> Entry {
        let mut name = strand.scheme.to_string();
        if !strand.free.is_empty() {
            name.push_str(&format!(", {}", strand.free.join(", ")));
        }
        let look = self.palette.look(strand.scheme);
        Entry {
            look: match strand.condition {
                Some(nth) => look.in_condition(nth),
                None => look,
            },
            name,
            about,
        }
    }

    /// `seeds 1-5` and what is fixed.
    pub fn subtitle(&self) -> String {
        let mut text = self.experiment.name.clone();
        for (axis, value) in &self.spec.at {
            text.push_str(&format!("; {} {value}", words_of(axis)));
        }
        let seeds_of = self.experiment.points.first().map(|p| &p.scenario.seeds);
        if let Some(all) = seeds_of {
            let word = if all.len() == 1 { "seed" } else { "seeds" };
            text.push_str(&format!("; {word} {}", seeds(all)));
        }
        text
    }

    fn against_axis(&self) -> Parts {
        let spec = self.spec;
        let Some(x) = self.experiment.axes.iter().position(|a| a.name == spec.x) else {
            let why = format!("there is no axis {:?} in this run", spec.x);
            return (Err(why), Sheet::default(), String::new());
        };
        let free = self.free_axes(Some(x));
        let strands = self.strands(&free);
        let axis = &self.experiment.axes[x];
        let shown = |value: &&String| self.points().any(|p| p.at[x] == **value);
        let values: Vec<&String> = axis.values.iter().filter(shown).collect();
        if values.is_empty() {
            return (Err(NO_POINT.into()), Sheet::default(), String::new());
        }
        let sweep = match (spec.kind, numbers(&values)) {
            (PlotKind::Lines, Some((unit, places))) => {
                let label = match unit.as_str() {
                    "" => words_of(&axis.name),
                    unit => format!("{}, {unit}", words_of(&axis.name)),
                };
                let above = places.iter().all(|v| *v > 0.0);
                let scale = if spec.log_x && above {
                    Scale::Log
                } else {
                    Scale::Linear
                };
                let said = places.iter().map(|v| crate::plot::plain(*v));
                Sweep::Numbers {
                    label,
                    scale,
                    values: places.iter().copied().zip(said).collect(),
                }
            }
            _ => Sweep::Words {
                label: words_of(&axis.name),
                values: values.iter().map(|v| v.to_string()).collect(),
            },
        };
        let point = |name: &str, strand: &Strand<'_>, value: &str| {
            let summary = self.find(strand, &free, Some((x, value)))?;
            point_of(name, summary)
        };
        let panels = spec.y.iter().map(|name| Panel {
            heading: heading_of(name),
            scale: if spec.log_y {
                Scale::Log
            } else {
                Scale::Linear
            },
            points: strands
                .iter()
                .map(|s| values.iter().map(|v| point(name, s, v)).collect())
                .collect(),
        });
        let about = |strand: &Strand<'_>| self.size_of(strand, &free, x, &values);
        let figure = Chart {
            title: self.title.clone(),
            subtitle: self.subtitle(),
            x: sweep,
            panels: panels.collect(),
            series: strands.iter().map(|s| self.entry(s, about(s))).collect(),
        };
        let mut head = vec![axis.name.clone()];
        head.extend(free.iter().map(|i| self.experiment.axes[*i].name.clone()));
        head.push("scheme".into());
        head.push("seeds".into());
        for name in &spec.y {
            head.push(format!(
                "{name}{}",
                if metric::is_count(name) {
                    ", a seed"
                } else {
                    ""
                }
            ));
            head.push("95 % interval".into());
            if population(name).is_some() {
                head.push("n".into());
            }
        }
        let mut rows = Vec::new();
        for value in &values {
            for strand in &strands {
                let Some(summary) = self.find(strand, &free, Some((x, value))) else {
                    continue;
                };
                let mut row = vec![value.to_string()];
                row.extend(strand.free.iter().map(|v| v.to_string()));
                row.push(strand.scheme.into());
                row.push(summary.seeds.len().to_string());
                for name in &spec.y {
                    let point = point_of(name, summary);
                    row.push(point.map_or("-".into(), |p| bounded(&p)));
                    let ci = point.and_then(|p| p.ci);
                    row.push(ci.map_or("-".into(), |[l, h]| {
                        format!("{} to {}", number(l), number(h))
                    }));
                    if let Some(of) = population(name) {
                        row.push(count(of(summary)));
                    }
                }
                rows.push(row);
            }
        }
        let caption = "Marks: all seeds together. Bars: 95 % interval of the mean over seeds of each \
                       seed's own number (Student's t); none where there is one seed, or where \
                       unfinished flows leave a seed with a bound alone.";
        (Ok(chart(&figure)), Sheet { head, rows }, caption.into())
    }

    /// `5 seeds; n = 1,204 to 3,005 queries a point`
    fn size_of(&self, strand: &Strand<'_>, free: &[usize], x: usize, values: &[&String]) -> String {
        let all: Vec<&Summary> = values
            .iter()
            .filter_map(|v| self.find(strand, free, Some((x, v))))
            .collect();
        let seeds = all.iter().map(|s| s.seeds.len()).max().unwrap_or(0);
        let mut text = match seeds {
            0 => "did not run".to_string(),
            1 => "1 seed".into(),
            n => format!("{n} seeds"),
        };
        let mut said: Vec<&str> = Vec::new();
        for name in &self.spec.y {
            let Some(of) = population(name) else { continue };
            let what = counted(name);
            if said.contains(&what) {
                continue;
            }
            said.push(what);
            let least = all.iter().map(|s| of(s)).min().unwrap_or(0);
            let most = all.iter().map(|s| of(s)).max().unwrap_or(0);
            let n = match least == most {
                true => count(least),
                false => format!("{} to {}", count(least), count(most)),
            };
            text.push_str(&format!("; n = {n} {what} a point"));
        }
        text
    }

    fn distribution(&self) -> Parts {
        let free = self.free_axes(None);
        let strands = self.strands(&free);
        let mut figure = Figure {
            title: self.title.clone(),
            subtitle: self.subtitle(),
            x_label: String::new(),
            counted: String::new(),
            completes: false,
            log: false,
            series: Vec::new(),
        };
        let mut head: Vec<String> = free
            .iter()
            .map(|i| self.experiment.axes[*i].name.clone())
            .collect();
        let columns = ["scheme", "n", "known", "p50", "p90", "p99", "p99.9"];
        head.extend(columns.map(String::from));
        let mut rows = Vec::new();
        for strand in &strands {
            let points = self.points().filter(|point| {
                free.iter()
                    .zip(&strand.free)
                    .all(|(i, v)| point.at[*i] == *v)
            });
            let records: Vec<&Record> = points.flat_map(|p| p.of_scheme(strand.scheme)).collect();
            let Some(spread) = Spread::of(&self.spec.of, &records) else {
                let why = format!("no sample is called {:?}", self.spec.of);
                return (Err(why), Sheet::default(), String::new());
            };
            let mut row: Vec<String> = strand.free.iter().map(|v| v.to_string()).collect();
            row.push(strand.scheme.into());
            row.extend(spread.cells());
            rows.push(row);
            figure.x_label = spread.x_label.clone();
            figure.counted = spread.counted.into();
            figure.completes = spread.completes;
            // Times of one system lie within one decade or many, and a log axis serves both.
            figure.log = spread.completes || self.spec.log_x;
            let entry = self.entry(strand, String::new());
            figure.series.push(Series {
                name: entry.name,
                look: entry.look,
                done: spread.done,
                n: spread.n,
            });
        }
        let caption = "Left: the share up to a value. Right: the share beyond it, on a logarithmic \
                       scale, where the tail shows. All seeds together; nearest rank.";
        (Ok(cdf(&figure)), Sheet { head, rows }, caption.into())
    }
}

pub(super) const NO_POINT: &str = "this run has no point that the plot is about";

/// The percentiles of a sample's table, in thousandths.
const PERMILLES: [u32; 4] = [500, 900, 990, 999];

/// A sample, ready to be drawn.
struct Spread {
    x_label: String,
    counted: &'static str,
    completes: bool,
    /// Ascending.
    done: Vec<f64>,
    n: usize,
    percentiles: [Option<(f64, bool)>; 4],
}

impl Spread {
    /// The sample called `name` of all these runs.
    fn of(name: &str, records: &[&Record]) -> Option<Spread> {
        let each = |pick: fn(&Record) -> &Sample| {
            let mut all = Sample::default();
            records.iter().for_each(|r| all.merge(pick(r)));
            all
        };
        let order = "from the hand-over to the last byte in order, ms";
        Some(match name {
            "qct_ms" => Spread::times(
                each(|r| &r.qct),
                "from the query to its last response, ms",
                "queries",
            ),
            "fct_short_ms" => Spread::times(each(|r| &r.fct_short), order, "short flows"),
            "fct_query_ms" => {
                let mut all = Sample::default();
                let classes = records.iter().flat_map(|r| &r.classes);
                classes.filter(|c| c.query).for_each(|c| all.merge(&c.fct));
                Spread::times(all, order, "responses")
            }
            name if SAMPLES.contains(&name) => {
                let values = records.iter().filter_map(|r| r.probed.samples.get(name));
                Spread::values(values.flatten().copied().collect(), name)
            }
            _ => return None,
        })
    }

    fn times(mut sample: Sample, x_label: &str, counted: &'static str) -> Spread {
        let mut done: Vec<f64> = sample.finished().iter().map(|t| t.as_ms_f64()).collect();
        done.sort_by(f64::total_cmp);
        let percentiles = PERMILLES.map(|permille| {
            sample.percentile(permille).map(|p| match p {
                Percentile::Exactly(t) => (t.as_ms_f64(), false),
                Percentile::AtLeast(t) => (t.as_ms_f64(), true),
            })
        });
        Spread {
            x_label: x_label.into(),
            counted,
            completes: true,
            n: sample.len() as usize,
            done,
            percentiles,
        }
    }

    /// Of what a probe took.
    fn values(mut values: Vec<f64>, name: &str) -> Spread {
        values.sort_by(f64::total_cmp);
        let nearest = |permille: u32| {
            let rank = (values.len() * permille as usize).div_ceil(1000).max(1);
            values.get(rank - 1).map(|v| (*v, false))
        };
        let mean = metric::find(&format!("{name}_mean")).map(|m| m.doc);
        let x_label = mean.map_or(name, |doc| doc.trim_start_matches("mean of "));
        Spread {
            x_label: x_label.into(),
            counted: if name.starts_with("neighbour") {
                "hot links and instants"
            } else {
                "windows"
            },
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

/// A metric of a summary as a point. Counts are those of one seed, on average.
pub(super) fn point_of(name: &str, summary: &Summary) -> Option<Point> {
    let metric = metric::find(name)?;
    let each = match metric::is_count(name) {
        true => summary.seeds.len().max(1) as f64,
        false => 1.0,
    };
    let (value, bound) = match (metric.read)(summary) {
        Reading::Exactly(v) => (v, None),
        Reading::AtLeast(v) => (v, Some(Side::Above)),
        Reading::AtMost(v) => (v, Some(Side::Below)),
        Reading::Nothing => return None,
    };
    let seeds: Option<Vec<f64>> = summary
        .per_seed
        .iter()
        .map(|s| match (metric.read)(s) {
            Reading::Exactly(v) => Some(v),
            _ => None,
        })
        .collect();
    let ci = seeds.and_then(|values| t_interval(&values));
    Some(Point {
        value: value / each,
        ci: ci.map(|ci| [ci.low, ci.high]),
        bound,
    })
}

/// A number with the sign of its bound.
pub(super) fn bounded(point: &Point) -> String {
    let sign = match point.bound {
        None => "",
        Some(Side::Above) => "≥ ",
        Some(Side::Below) => "≤ ",
    };
    format!("{sign}{}", number(point.value))
}

/// What a metric is, with its unit, for the head of a panel.
pub(super) fn heading_of(name: &str) -> String {
    let Some(metric) = metric::find(name) else {
        return name.into();
    };
    let before = metric::METRICS.iter().take_while(|m| m.name != name).last();
    // The table says `the same` of the metric before.
    let doc = match (metric.doc.split_once(" of the same"), before) {
        (Some((what, _)), Some(before)) => match before.doc.split_once(' ') {
            Some((_, rest)) => format!("{what} of {rest}"),
            None => metric.doc.into(),
        },
        _ => metric.doc.into(),
    };
    match unit_of(name) {
        "" if metric::is_count(name) => format!("{doc}, a seed"),
        "" => doc,
        unit => format!("{doc}, {unit}"),
    }
}

/// The unit of a metric.
pub(super) fn unit_of(name: &str) -> &'static str {
    if name.ends_with("_ms") { "ms" } else { "" }
}

type Count = fn(&Summary) -> u64;

/// How many things a metric is taken over.
fn population(name: &str) -> Option<Count> {
    match name {
        n if n.starts_with("qct_") => Some(|s| s.qct_ms.n),
        n if n.starts_with("fct_short_") => Some(|s| s.fct_short_ms.n),
        n if n.starts_with("fct_query_") => Some(|s| s.fct_query_ms.n),
        _ => None,
    }
}

fn counted(name: &str) -> &'static str {
    match name {
        n if n.starts_with("qct_") => "queries",
        n if n.starts_with("fct_query_") => "responses",
        _ => "short flows",
    }
}

/// An axis as people say it: `workload.query.rate` is `query rate`.
pub(super) fn words_of(axis: &str) -> String {
    let rooms = [
        "workload.",
        "switch.buffer.",
        "switch.",
        "transport.",
        "topology.",
    ];
    let short = rooms.iter().find_map(|room| axis.strip_prefix(room));
    short.unwrap_or(axis).replace(['.', '_'], " ")
}

/// The values of an axis as numbers in one unit; `None` when one of them is a word.
fn numbers(values: &[&String]) -> Option<(String, Vec<f64>)> {
    let parsed: Option<Vec<(f64, &str)>> = values.iter().map(|v| split(v)).collect();
    let parsed = parsed?;
    let (_, first) = parsed.first()?;
    let base = factor(first);
    let same = |(v, unit): &(f64, &str)| match (factor(unit), base) {
        _ if unit == first => Some(*v),
        (Some((kind, by)), Some((own, of))) if kind == own => Some(v * by / of),
        _ => None,
    };
    let places: Option<Vec<f64>> = parsed.iter().map(same).collect();
    Some((first.to_string(), places?))
}

/// `300 /s` is 300 and `/s`; `1/16` is a word.
fn split(value: &str) -> Option<(f64, &str)> {
    let (number, unit) = match value.split_once(' ') {
        Some((number, unit)) => (number, unit.trim()),
        None => (value, ""),
    };
    let number: f64 = number.parse().ok()?;
    number.is_finite().then_some((number, unit))
}

/// What a unit measures, and how much of it.
fn factor(unit: &str) -> Option<(&'static str, f64)> {
    Some(match unit {
        "ps" => ("time", 1e-12),
        "ns" => ("time", 1e-9),
        "us" => ("time", 1e-6),
        "ms" => ("time", 1e-3),
        "s" => ("time", 1.0),
        "B" => ("bytes", 1.0),
        "kB" => ("bytes", 1e3),
        "MB" => ("bytes", 1e6),
        "GB" => ("bytes", 1e9),
        "KiB" => ("bytes", 1024.0),
        "MiB" => ("bytes", 1_048_576.0),
        "bps" => ("rate", 1.0),
        "kbps" => ("rate", 1e3),
        "Mbps" => ("rate", 1e6),
        "Gbps" => ("rate", 1e9),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(words: &[&str]) -> Option<(String, Vec<f64>)> {
        let owned: Vec<String> = words.iter().map(|w| w.to_string()).collect();
        numbers(&owned.iter().collect::<Vec<_>>())
    }

    #[test]
    fn axis_values_become_numbers_of_one_unit() {
        assert_eq!(
            values(&["300 /s", "2000 /s"]),
            Some(("/s".into(), vec![300.0, 2000.0]))
        );
        assert_eq!(
            values(&["500 kB", "2 MB"]),
            Some(("kB".into(), vec![500.0, 2000.0]))
        );
        assert_eq!(
            values(&["12", "255"]),
            Some((String::new(), vec![12.0, 255.0]))
        );
        assert_eq!(
            values(&["20 pkt", "off"]),
            None,
            "a word makes the axis one of words"
        );
        assert_eq!(
            values(&["20 pkt", "30 kB"]),
            None,
            "units that do not convert"
        );
    }

    #[test]
    fn axes_and_metrics_have_words() {
        assert_eq!(words_of("workload.query.rate"), "query rate");
        assert_eq!(words_of("transport.rto_min"), "rto min");
        assert_eq!(words_of("assumption"), "assumption");
        assert_eq!(
            heading_of("fct_short_p99_ms"),
            "99th percentile of completion time of background flows of 1 to 10 kB, ms"
        );
        assert_eq!(
            heading_of("drops_ttl"),
            "packets dropped because their time to live ran out, a seed"
        );
    }
}
