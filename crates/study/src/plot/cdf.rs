//! Samples of several schemes side by side: the CDF, and its tail on a log scale.
//!
//! Some completion times are unknown, since not all flows complete. Incomplete flows count: a curve ends, with
//! a ring, at the share that completed. It does not reach 100 % by leaving out the rest.

use super::axis::{Axis, Scale, Tick, Ticks};
use super::chart::{IMPLIED, PAPER, paper_mark};
use super::drawing::{Drawing, Stroke};
use super::frame::Frame;
use super::labels::plain;
use super::look::{Entry, LEGEND_LINE, SOFT, SeriesStyle, heading, heading_height, legend, words};

/// Contents of a figure.
#[derive(Clone, Debug)]
pub struct Figure {
    /// Title, in bold at the top.
    pub title: String,
    /// Subtitle: the scenario and its seeds.
    pub subtitle: String,
    /// Quantity measured, with its unit.
    pub x_label: String,
    /// Items counted: `queries`.
    pub counted: String,
    /// True for completion times: a missing value means that the item did not complete.
    pub completes: bool,
    /// True for a logarithmic axis, if all values are above zero.
    pub log: bool,
    /// Samples, one for each scheme, in the order of the scenario.
    pub series: Vec<Series>,
}

/// Sample of one scheme.
#[derive(Clone, Debug)]
pub struct Series {
    /// Name of the scheme.
    pub name: String,
    /// Look of its curve.
    pub look: SeriesStyle,
    /// Known values, ascending. For completion times: the times of the completed items.
    pub done: Vec<f64>,
    /// Number of items, completed or not.
    pub n: usize,
}

const WIDTH: f32 = 960.0;
const MARGIN: f32 = 24.0;
const PANEL: f32 = 300.0;
const LEFT: [f32; 2] = [68.0, 552.0];
const PANEL_WIDTH: f32 = 380.0;

/// Percentile of the paper.
#[derive(Clone, Debug, PartialEq)]
pub struct PaperMark {
    /// Index of its series.
    pub series: usize,
    /// Value.
    pub value: f64,
    /// Share up to the value: 0.99 for the 99th percentile.
    pub share: f64,
    /// True if computed from our value of another series.
    pub implied: bool,
    /// Tooltip.
    pub hint: String,
}

/// Draws the figure.
pub fn cdf(figure: &Figure) -> Drawing {
    cdf_with(figure, &[])
}

/// Draws the figure with the paper's values.
pub fn cdf_with(figure: &Figure, papers: &[PaperMark]) -> Drawing {
    let notes: Vec<&str> = [(false, PAPER), (true, IMPLIED)]
        .into_iter()
        .filter(|(implied, _)| papers.iter().any(|p| p.implied == *implied))
        .map(|(_, words)| words)
        .collect();
    let lines = (figure.series.len() + notes.len()) as f32;
    let top = heading_height(WIDTH, MARGIN, &figure.title, &figure.subtitle) + 20.0;
    let height = top + PANEL + 62.0 + LEGEND_LINE * lines + 14.0;
    let mut drawing = Drawing::new(WIDTH, height, figure.title.clone());
    heading(&mut drawing, MARGIN, &figure.title, &figure.subtitle);

    let said = || papers.iter().map(|p| p.value);
    let known = || {
        figure
            .series
            .iter()
            .flat_map(|s| &s.done)
            .copied()
            .chain(said())
    };
    let low = known().fold(f64::INFINITY, f64::min);
    let high = known().fold(f64::NEG_INFINITY, f64::max);
    let n = figure.series.iter().map(|s| s.n).max().unwrap_or(0);
    let log = figure.log && low > 0.0;
    let scale = if log { Scale::Log } else { Scale::Linear };
    if low <= high {
        for (panel, left) in [Panel::Share, Panel::Tail].into_iter().zip(LEFT) {
            let x = Axis::around(scale, low, high, (left, left + PANEL_WIDTH));
            let y = panel.y_axis(n, top);
            grid(&mut drawing, figure, panel, &x, &y);
            for series in &figure.series {
                curve(&mut drawing, series, panel, &x, &y);
            }
            for paper in papers {
                let share = match panel {
                    Panel::Share => paper.share,
                    Panel::Tail => 1.0 - paper.share,
                };
                let at = (x.place(paper.value), y.place(share));
                let color = figure.series[paper.series].look.color;
                paper_mark(&mut drawing, at, color, paper.implied, &paper.hint);
            }
        }
    } else {
        let middle = (WIDTH / 2.0, top + PANEL / 2.0);
        let nothing = match figure.completes {
            true => format!("no {} completed", figure.counted),
            false => format!("no {}", figure.counted),
        };
        drawing.text(middle, nothing, words(14.0, SOFT).middle());
    }
    let entry = |s: &Series| Entry {
        look: s.look.clone(),
        name: s.name.clone(),
        about: describe(s, figure),
    };
    let entries: Vec<Entry> = figure.series.iter().map(entry).collect();
    legend(
        &mut drawing,
        (MARGIN, top + PANEL + 66.0),
        &entries,
        true,
        false,
    );
    let first = top + PANEL + 66.0 + LEGEND_LINE * figure.series.len() as f32;
    for (i, note) in notes.into_iter().enumerate() {
        let at = (MARGIN, first + LEGEND_LINE * i as f32);
        drawing.text(at, note, words(12.0, SOFT));
    }
    drawing
}

/// Panel of the figure.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Panel {
    /// Share up to a value, on a linear axis.
    Share,
    /// Share beyond a value, on a logarithmic axis.
    Tail,
}

impl Panel {
    fn y_axis(self, n: usize, top: f32) -> Axis {
        let pixels = (top + PANEL, top);
        match self {
            Panel::Share => Axis {
                scale: Scale::Linear,
                from: 0.0,
                to: 1.0,
                pixels,
            },
            Panel::Tail => {
                let smallest = (0.5 / n.max(1) as f64).clamp(1e-6, 0.02);
                Axis {
                    to: 1.0,
                    ..Axis::log_around(smallest, 1.0, pixels)
                }
            }
        }
    }

    fn ticks(self, y: &Axis) -> Vec<Tick> {
        let percent = |v: f64| format!("{} %", plain(v * 100.0));
        match self {
            Panel::Share => (0..=5)
                .map(|i| f64::from(i) / 5.0)
                .map(|value| Tick {
                    value,
                    label: Some(percent(value)),
                })
                .collect(),
            Panel::Tail => y.log_ticks(percent),
        }
    }

    fn heading(self, figure: &Figure) -> String {
        let counted = &figure.counted;
        match (self, figure.completes) {
            (Panel::Share, true) => format!("share of {counted} completed"),
            (Panel::Tail, true) => format!("share of {counted} not yet completed"),
            (Panel::Share, false) => format!("share of {counted} up to this"),
            (Panel::Tail, false) => format!("share of {counted} above this"),
        }
    }
}

fn grid(drawing: &mut Drawing, figure: &Figure, panel: Panel, x: &Axis, y: &Axis) {
    let frame = Frame {
        x,
        y,
        x_ticks: x.ticks(),
        y_ticks: Ticks::own(panel.ticks(y)),
        heading: &panel.heading(figure),
        x_label: &figure.x_label,
    };
    frame.draw(drawing);
    if panel == Panel::Tail && y.from < 0.01 {
        let (left, right) = x.pixels;
        let at = y.place(0.01);
        let stroke = Stroke {
            color: SOFT,
            width: 1.0,
            dash: &[2.0, 3.0],
        };
        drawing.line(vec![(left, at), (right, at)], &stroke);
        drawing.text((left + 6.0, at - 5.0), "p99", words(11.0, SOFT));
    }
}

/// Draws a step curve, thinned to the visible points.
fn curve(drawing: &mut Drawing, series: &Series, panel: Panel, x: &Axis, y: &Axis) {
    let n = series.n as f64;
    let value = |done: usize| match panel {
        Panel::Share => done as f64 / n,
        Panel::Tail => 1.0 - done as f64 / n,
    };
    let Some(&first) = series.done.first() else {
        return;
    };
    let mut points = vec![(x.place(first), y.place(value(0)))];
    let mut last = points[0];
    for (i, &time) in series.done.iter().enumerate() {
        let at = (x.place(time), y.place(value(i + 1)));
        let seen = (at.0 - last.0).abs() + (at.1 - last.1).abs() > 0.6;
        if seen || i + 1 == series.done.len() {
            points.push((at.0, last.1));
            points.push(at);
            last = at;
        }
    }
    let stroke = series.look.line();
    drawing.line(points, &stroke);
    if series.done.len() < series.n {
        drawing.ring(
            last,
            &stroke,
            format!("{}: the rest did not complete", series.name),
        );
    }
}

fn describe(series: &Series, figure: &Figure) -> String {
    let counted = &figure.counted;
    let (n, done) = (series.n, series.done.len());
    if n == 0 {
        return format!("no {counted}");
    }
    let mut text = format!("n = {} {counted}", plain(n as f64));
    if !figure.completes {
        let middle = series.done[(n - 1) / 2];
        text.push_str(&format!(", median {}", crate::format::number(middle)));
    } else if done == n {
        text.push_str(", all completed");
    } else {
        let share = 100.0 * done as f64 / n as f64;
        // A share below 100 % is never rounded up to 100 %.
        let share = if share > 99.99 {
            "> 99.99".into()
        } else {
            format!("{share:.2}")
        };
        text.push_str(&format!(
            ", {share} % completed (ring: the curve ends there)"
        ));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plot::{png, svg};

    fn figure() -> Figure {
        let times = |scale: f64, tail: f64, n: usize| -> Vec<f64> {
            let mut t: Vec<f64> = (0..n)
                .map(|i| {
                    let u = (i as f64 + 0.5) / n as f64;
                    let body = scale * (-(1.0 - u).ln()).powf(0.6) + 0.9;
                    if u > 0.95 { body + tail } else { body }
                })
                .collect();
            t.sort_by(f64::total_cmp);
            t
        };
        let mut dctcp = times(3.0, 20.0, 1500);
        dctcp.truncate(1490);
        Figure {
            title: "Query completion time".into(),
            subtitle: "dibs-demo: k=8 fat-tree, 128 hosts, 300 queries/s of degree 40, seeds 1–5"
                .into(),
            x_label: "time from the query to its last response, ms".into(),
            counted: "queries".into(),
            completes: true,
            log: true,
            series: vec![
                Series {
                    name: "dctcp".into(),
                    look: SeriesStyle::nth(0),
                    done: dctcp,
                    n: 1500,
                },
                Series {
                    name: "dctcp+dibs".into(),
                    look: SeriesStyle::nth(1),
                    done: times(1.5, 1.0, 1500),
                    n: 1500,
                },
            ],
        }
    }

    #[test]
    fn the_same_figure_is_drawn_to_the_same_bytes() {
        let drawing = cdf(&figure());
        let picture = png(&drawing, 2.0).unwrap();
        assert_eq!(picture, png(&cdf(&figure()), 2.0).unwrap());
        assert!(picture.len() < 200_000);
        if let Ok(dir) = std::env::var("SIDESTEP_KEEP_PLOTS") {
            std::fs::write(format!("{dir}/cdf.png"), &picture).unwrap();
            std::fs::write(format!("{dir}/cdf.svg"), svg(&drawing)).unwrap();
        }
    }

    #[test]
    fn what_did_not_complete_is_shown() {
        let text = svg(&cdf(&figure()));
        assert!(
            text.contains("n = 1,500 queries, 99.33 % completed"),
            "{text}"
        );
        assert_eq!(
            text.matches("<circle").count(),
            2,
            "one ring a panel, for dctcp alone"
        );
    }

    #[test]
    fn a_sample_of_counts_has_an_axis_from_zero() {
        let mut figure = figure();
        figure.completes = false;
        figure.counted = "packets".into();
        figure.x_label = "detours of a packet".into();
        for series in &mut figure.series {
            series.done = (0..400).map(|i| f64::from(i / 100)).collect();
            series.n = 400;
        }
        let text = svg(&cdf(&figure));
        assert!(text.contains("share of packets up to this"), "{text}");
        assert!(text.contains("n = 400 packets, median 1.00"), "{text}");
        assert!(text.contains(">0</text>"), "{text}");
    }

    #[test]
    fn nothing_completed_is_said_and_drawn() {
        let mut empty = figure();
        empty.series.iter_mut().for_each(|s| s.done.clear());
        assert!(svg(&cdf(&empty)).contains("no queries completed"));
        png(&cdf(&empty), 1.0).unwrap();
    }
}
