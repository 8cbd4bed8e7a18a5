//! Lines and bars: metrics against an axis of the experiment.

use super::measured::{bounded, completed_beside, heading_of, of_reading, point_of};
use super::papers;
use super::values::numbers;
use super::view::{NO_POINT, Parts, Sheet, Strand, View, words_of};
use crate::format::{count, number};
use crate::plot::{Author, Chart, Panel, Paper, Point, Scale, Sweep, chart};
use sidestep_lab::stats::Summary;
use sidestep_lab::stats::metric::{self, Population};
use sidestep_lab::{AuthorPoint, Axis, ClaimResult, PlotKind, PointResult, over};
use std::sync::Arc;

const CAPTION: &str = "Marks: all seeds together. Bars: 95 % confidence interval, computed from \
                       each seed's number (sectioning, of logarithms unless a value is below zero; \
                       widened to the range of the seeds if they differ much). No bar with fewer \
                       than three seeds, or if unfinished flows leave only a bound for a seed.";

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
    let mut caption = CAPTION.to_string();
    if !spec.points.all.is_empty() {
        caption.push_str(&format!(" Authors' points: {}.", spec.points.source));
    }
    (Ok(chart(&plane.figure())), plane.table(), caption)
}

/// Axis, its values that were run, and the series drawn over them.
struct Plane<'a> {
    view: &'a View<'a>,
    x: usize,
    axis: &'a Axis,
    values: Vec<&'a String>,
    /// Indices of the axes that are neither fixed nor `x`.
    free: Vec<usize>,
    strands: Vec<Strand<'a>>,
}

impl Plane<'_> {
    fn find(&self, strand: &Strand<'_>, value: &str) -> Option<Arc<Summary>> {
        self.view.find(strand, &self.free, Some((self.x, value)))
    }

    fn figure(&self) -> Chart {
        let (view, spec) = (self.view, self.view.spec);
        let point = |name: &str, strand: &Strand<'_>, value: &str| -> Option<Point> {
            self.number(name, strand, value)
        };
        let strands = self.strands.iter();
        let panels = spec.y.iter().map(|name| Panel {
            heading: self.heading(name),
            scale: scale(spec.log_y),
            points: (strands.clone())
                .map(|s| self.values.iter().map(|v| point(name, s, v)).collect())
                .collect(),
            papers: if spec.per.is_empty() {
                self.papers(name)
            } else {
                Vec::new()
            },
            authors: self.authors(name),
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

    /// Returns a metric of a strand at a value of the axis, divided by the same metric at `per` if that is set.
    fn number(&self, name: &str, strand: &Strand<'_>, value: &str) -> Option<Point> {
        let (view, spec) = (self.view, self.view.spec);
        let here = view.find_point(strand, &self.free, Some((self.x, value)))?;
        if spec.per.is_empty() {
            let summary = here.summary(strand.scheme)?;
            return point_of(name, &summary);
        }
        let mut at = here.at.clone();
        for (axis, there) in &spec.per {
            let mut axes = view.experiment.axes.iter();
            at[axes.position(|a| a.name == *axis)?].clone_from(there);
        }
        let there: &PointResult = view.results.at(&at)?;
        let (reading, ci) = over(name, strand.scheme, here, there);
        of_reading(reading, ci)
    }

    /// Returns the heading of a panel.
    fn heading(&self, name: &str) -> String {
        let per = self.view.spec.per.iter();
        let there: Vec<String> = per
            .map(|(axis, value)| format!("{} {value}", words_of(axis)))
            .collect();
        match (metric::find(name), there.is_empty()) {
            (Some(metric), false) => {
                format!("{}, over that at {}", metric.heading(), there.join(", "))
            }
            _ => heading_of(name),
        }
    }

    /// Returns the authors' points of a metric, for the first series of each scheme.
    fn authors(&self, name: &str) -> Vec<Author> {
        let own = self.view.spec.points.all.iter();
        let author = |point: &AuthorPoint| {
            let series = (self.strands.iter()).position(|s| s.scheme == point.scheme)?;
            let x = self.place_of(&point.x)?;
            let hint = format!(
                "{}, authors: {} at {}",
                point.scheme,
                number(point.y),
                point.x
            );
            Some(Author {
                series,
                x,
                value: point.y,
                hint,
            })
        };
        own.filter(|point| point.metric == name)
            .filter_map(author)
            .collect()
    }

    /// Returns the position of an axis value on the drawn axis: the number in its unit, or the index of the
    /// word.
    fn place_of(&self, written: &str) -> Option<f64> {
        if let Sweep::Numbers { .. } = self.sweep() {
            let written = written.to_string();
            let (_, places) = numbers(&[*self.values.first()?, &written])?;
            return places.last().copied();
        }
        let nth = self.values.iter().position(|value| *value == written)?;
        Some(nth as f64)
    }

    /// Returns the paper's numbers for a metric, at the values and for the series that are drawn.
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
                    let point = point_of(name, &summary)?;
                    point.bound.is_none().then_some(point.value)
                };
                let Some(said) = (!at.is_empty())
                    .then(|| papers::said(claim, strand.scheme, &schemes, ours))
                    .flatten()
                else {
                    continue;
                };
                // A number implied by the other scheme differs from one value to the next, so it is drawn at a
                // single value only.
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

    /// Returns the axis as numbers if its values are numbers and lines join them, otherwise as words.
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
            let each = match (metric::is_count(name), spec.per.is_empty()) {
                (_, false) => ", ratio",
                (true, true) => ", per seed",
                (false, true) => "",
            };
            head.push(format!("{name}{each}"));
            head.push("95 % interval".into());
            if self.has_authors(name) {
                head.push("authors".into());
            }
            if self.completed_of(name).is_some() {
                head.push("completed".into());
            }
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
                for name in &spec.y {
                    let point = self.number(name, strand, value);
                    row.extend(cells(point));
                    row.extend(self.author_at(name, strand, value));
                    let share = self.completed_of(name);
                    row.extend(share.map(|name| cells(point_of(&name, &summary)).swap_remove(0)));
                    row.extend(sized(name).and_then(|of| of.size(&summary)).map(count));
                }
                rows.push(row);
            }
        }
        Sheet { head, rows }
    }

    /// Returns the metric of the completed share, if it must be beside a number and has no panel.
    fn completed_of(&self, name: &str) -> Option<String> {
        let share = completed_beside(name)?;
        (!self.view.spec.y.contains(&share)).then_some(share)
    }

    fn has_authors(&self, name: &str) -> bool {
        let mut all = self.view.spec.points.all.iter();
        all.any(|point| point.metric == name)
    }

    /// Returns a cell with the authors' number, for a metric that they plotted.
    fn author_at(&self, name: &str, strand: &Strand<'_>, value: &str) -> Option<String> {
        let here = self.place_of(value);
        let mut all = self.view.spec.points.all.iter();
        let own = all.find(|point| {
            let same = point.metric == name && point.scheme == strand.scheme;
            same && here.is_some() && self.place_of(&point.x) == here
        });
        let said = own.map_or("-".into(), |point| number(point.y));
        self.has_authors(name).then_some(said)
    }

    /// Describes the sample sizes of a strand: `5 seeds; n = 1,204 to 3,005 queries a point`.
    fn size_of(&self, strand: &Strand<'_>) -> String {
        let values = self.values.iter();
        let all: Vec<Arc<Summary>> = values.filter_map(|v| self.find(strand, v)).collect();
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
            text.push_str(&format!("; n = {n} {} per point", population.words()));
        }
        text
    }
}

fn scale(log: bool) -> Scale {
    if log { Scale::Log } else { Scale::Linear }
}

/// Formats a number and its interval.
fn cells(point: Option<Point>) -> Vec<String> {
    let ci = point.and_then(|p| p.ci);
    vec![
        point.map_or("-".into(), |p| bounded(&p)),
        ci.map_or("-".into(), |[l, h]| {
            format!("{} to {}", number(l), number(h))
        }),
    ]
}

/// Returns the population of a metric, if figures state its size.
fn sized(name: &str) -> Option<Population> {
    let population = metric::find(name)?.population;
    population.has_size().then_some(population)
}
