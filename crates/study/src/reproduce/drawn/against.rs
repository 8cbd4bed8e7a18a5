//! Lines and bars: metrics against an axis of the experiment.

use super::measured::{bounded, heading_of, point_of};
use super::papers;
use super::values::numbers;
use super::view::{NO_POINT, Parts, Sheet, Strand, View, words_of};
use crate::plot::{Chart, Panel, Paper, Point, Scale, Sweep, chart};
use crate::words::{count, number};
use sidestep_lab::stats::Summary;
use sidestep_lab::stats::metric::{self, Population};
use sidestep_lab::{Axis, ClaimResult, PlotKind};

const CAPTION: &str = "Marks: all seeds together. Bars: 95 % interval of the mean over seeds of each \
                       seed's own number (Student's t); none where there is one seed, or where \
                       unfinished flows leave a seed with a bound alone.";

/// Draws the metrics `y` over the axis `x`: one panel a metric, one series a scheme and condition.
pub fn draw(view: &View<'_>) -> Parts {
    let spec = view.spec;
    let Some(x) = view.experiment.axes.iter().position(|a| a.name == spec.x) else {
        let why = format!("there is no axis {:?} in this run", spec.x);
        return (Err(why), Sheet::default(), String::new());
    };
    let free = view.free_axes(Some(x));
    let axis = &view.experiment.axes[x];
    let shown = |value: &&String| view.points().any(|p| p.at[x] == **value);
    let plane = Plane {
        view,
        x,
        axis,
        values: axis.values.iter().filter(shown).collect(),
        strands: view.strands(&free),
        free,
    };
    if plane.values.is_empty() {
        return (Err(NO_POINT.into()), Sheet::default(), String::new());
    }
    (Ok(chart(&plane.figure())), plane.table(), CAPTION.into())
}

/// The axis, its values that were run, and what is drawn over them.
struct Plane<'a> {
    view: &'a View<'a>,
    x: usize,
    axis: &'a Axis,
    values: Vec<&'a String>,
    /// Numbers of the axes that are neither fixed nor `x`.
    free: Vec<usize>,
    strands: Vec<Strand<'a>>,
}

impl Plane<'_> {
    fn find(&self, strand: &Strand<'_>, value: &str) -> Option<&Summary> {
        self.view.find(strand, &self.free, Some((self.x, value)))
    }

    fn figure(&self) -> Chart {
        let (view, spec) = (self.view, self.view.spec);
        let point = |name: &str, strand: &Strand<'_>, value: &str| -> Option<Point> {
            point_of(name, self.find(strand, value)?)
        };
        let strands = self.strands.iter();
        let panels = spec.y.iter().map(|name| Panel {
            heading: heading_of(name),
            scale: scale(spec.log_y),
            points: (strands.clone())
                .map(|s| self.values.iter().map(|v| point(name, s, v)).collect())
                .collect(),
            papers: self.papers(name),
        });
        let entries = strands.clone().map(|s| view.entry(s, self.size_of(s)));
        Chart {
            title: view.title.clone(),
            subtitle: view.subtitle(),
            x: self.sweep(),
            panels: panels.collect(),
            series: entries.collect(),
        }
    }

    /// What the paper says of a metric, at the values and for the series that are drawn.
    fn papers(&self, name: &str) -> Vec<Paper> {
        let (view, mut all) = (self.view, Vec::new());
        let schemes = view.schemes();
        for claim in view.experiment.claims.iter().filter(|c| c.metric == name) {
            for (nth, strand) in self.strands.iter().enumerate() {
                let mut at = Vec::new();
                for (i, value) in self.values.iter().enumerate() {
                    if self.is_spoken_of(claim, strand, value) {
                        at.push(i);
                    }
                }
                let ours = |other: &str| {
                    let same = |s: &&Strand<'_>| s.scheme == other && s.free == strand.free;
                    let summary = self.find(self.strands.iter().find(same)?, self.values[at[0]])?;
                    let point = point_of(name, summary)?;
                    point.bound.is_none().then_some(point.value)
                };
                let Some(said) = (!at.is_empty())
                    .then(|| papers::said(claim, strand.scheme, &schemes, ours))
                    .flatten()
                else {
                    continue;
                };
                // At several places there is no one number of the other scheme.
                if at.len() == 1 || !said.implied {
                    all.push(Paper {
                        series: nth,
                        at,
                        value: said.value,
                        implied: said.implied,
                        hint: format!("{}, {}", strand.scheme, said.words),
                    });
                }
            }
        }
        all
    }

    fn is_spoken_of(&self, claim: &ClaimResult, strand: &Strand<'_>, value: &str) -> bool {
        let mut axes = self.view.experiment.axes.iter().enumerate();
        axes.all(|(i, axis)| {
            let free = self.free.iter().position(|f| *f == i);
            let here = match free {
                _ if i == self.x => Some(value),
                Some(nth) => Some(strand.free[nth]),
                None => self.view.fixed(&axis.name),
            };
            here.is_none_or(|here| papers::speaks_of(claim, &axis.name, here))
        })
    }

    /// The axis as numbers where it has numbers and lines join them, as words otherwise.
    fn sweep(&self) -> Sweep {
        let (axis, spec) = (self.axis, self.view.spec);
        match (spec.kind, numbers(&self.values)) {
            (PlotKind::Lines, Some((unit, places))) => {
                let label = match unit.as_str() {
                    "" => words_of(&axis.name),
                    unit => format!("{}, {unit}", words_of(&axis.name)),
                };
                let above = places.iter().all(|v| *v > 0.0);
                let said = places.iter().map(|v| crate::plot::plain(*v));
                Sweep::Numbers {
                    label,
                    scale: scale(spec.log_x && above),
                    values: places.iter().copied().zip(said).collect(),
                }
            }
            _ => Sweep::Words {
                label: words_of(&axis.name),
                values: self.values.iter().map(|v| v.to_string()).collect(),
            },
        }
    }

    fn table(&self) -> Sheet {
        let (view, spec) = (self.view, self.view.spec);
        let mut head = vec![self.axis.name.clone()];
        let free = self.free.iter();
        head.extend(free.map(|i| view.experiment.axes[*i].name.clone()));
        head.extend(["scheme", "seeds"].map(String::from));
        for name in &spec.y {
            let each = if metric::is_count(name) {
                ", a seed"
            } else {
                ""
            };
            head.push(format!("{name}{each}"));
            head.push("95 % interval".into());
            if sized(name).is_some() {
                head.push("n".into());
            }
        }
        let mut rows = Vec::new();
        for value in &self.values {
            for strand in &self.strands {
                let Some(summary) = self.find(strand, value) else {
                    continue;
                };
                let mut row = vec![value.to_string()];
                row.extend(strand.free.iter().map(|v| v.to_string()));
                row.push(strand.scheme.into());
                row.push(summary.seeds.len().to_string());
                spec.y
                    .iter()
                    .for_each(|name| row.extend(cells(name, summary)));
                rows.push(row);
            }
        }
        Sheet { head, rows }
    }

    /// `5 seeds; n = 1,204 to 3,005 queries a point`
    fn size_of(&self, strand: &Strand<'_>) -> String {
        let values = self.values.iter();
        let all: Vec<&Summary> = values.filter_map(|v| self.find(strand, v)).collect();
        let seeds = all.iter().map(|s| s.seeds.len()).max().unwrap_or(0);
        let mut text = match seeds {
            0 => "did not run".to_string(),
            1 => "1 seed".into(),
            n => format!("{n} seeds"),
        };
        let mut said: Vec<Population> = Vec::new();
        for population in self.view.spec.y.iter().filter_map(|name| sized(name)) {
            if said.contains(&population) {
                continue;
            }
            said.push(population);
            let sizes = || all.iter().filter_map(|s| population.size(s));
            let (least, most) = (sizes().min().unwrap_or(0), sizes().max().unwrap_or(0));
            let n = match least == most {
                true => count(least),
                false => format!("{} to {}", count(least), count(most)),
            };
            text.push_str(&format!("; n = {n} {} a point", population.words()));
        }
        text
    }
}

fn scale(log: bool) -> Scale {
    if log { Scale::Log } else { Scale::Linear }
}

/// A metric's number, its interval, and of how many where that is said.
fn cells(name: &str, summary: &Summary) -> Vec<String> {
    let point = point_of(name, summary);
    let ci = point.and_then(|p| p.ci);
    let mut cells = vec![
        point.map_or("-".into(), |p| bounded(&p)),
        ci.map_or("-".into(), |[l, h]| {
            format!("{} to {}", number(l), number(h))
        }),
    ];
    cells.extend(sized(name).and_then(|of| of.size(summary)).map(count));
    cells
}

/// What a metric is taken over, if figures say of how many.
fn sized(name: &str) -> Option<Population> {
    let population = metric::find(name)?.population;
    population.has_size().then_some(population)
}
