//! Numbers with their intervals against a swept axis: lines over numbers, rows over words.
//!
//! A value whose runs left flows unfinished is a bound: an open mark with an arrow the way the
//! truth lies. A zero on a logarithmic axis lies on its lower edge and says so.

use super::axis::{Axis, Scale, Tick};
use super::font::Font;
use super::frame::Frame;
use super::look::{
    Entry, FRAME, GRID, INK, LEGEND_LINE, Look, SOFT, fold, heading, heading_height, legend, thin,
    words,
};
use super::scene::{Scene, Stroke};
use crate::words::number;

/// A figure of numbers against an axis.
#[derive(Clone, Debug)]
pub struct Chart {
    /// In bold, at the top.
    pub title: String,
    /// Below it: the experiment, and of how many seeds.
    pub subtitle: String,
    /// What is swept.
    pub x: Sweep,
    /// One a metric.
    pub panels: Vec<Panel>,
    /// The series, each with the same place in every panel.
    pub series: Vec<Entry>,
}

/// What is swept.
#[derive(Clone, Debug)]
pub enum Sweep {
    /// Numbers: lines.
    Numbers {
        /// With the unit.
        label: String,
        /// How they are spread.
        scale: Scale,
        /// Each value, and how it is written.
        values: Vec<(f64, String)>,
    },
    /// Words: a row each.
    Words {
        /// The name of the axis.
        label: String,
        /// In the order of the sweep.
        values: Vec<String>,
    },
}

/// One metric.
#[derive(Clone, Debug)]
pub struct Panel {
    /// What it is, with its unit.
    pub heading: String,
    /// How values are spread.
    pub scale: Scale,
    /// Values of series `s` at value `x` of the axis: `points[s][x]`.
    pub points: Vec<Vec<Option<Point>>>,
}

/// One number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    /// The number, or the bound.
    pub value: f64,
    /// Its 95 % interval.
    pub ci: Option<[f64; 2]>,
    /// It is a bound: which way the truth lies.
    pub bound: Option<Side>,
}

/// Which way the truth lies of a bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// This or more.
    Above,
    /// This or less.
    Below,
}

const WIDTH: f32 = 960.0;
const MARGIN: f32 = 24.0;
const GAP: f32 = 104.0;

/// Draws it: lines when the axis has numbers, else rows.
pub fn chart(chart: &Chart) -> Scene {
    match &chart.x {
        Sweep::Numbers {
            label,
            scale,
            values,
        } => lines(chart, label, *scale, values),
        Sweep::Words { label, values } => rows(chart, label, values),
    }
}

/// How high the panels of a line plot are.
const HIGH: f32 = 260.0;
/// From the bottom of one panel to the top of the next.
const BELOW: f32 = 84.0;

fn lines(chart: &Chart, label: &str, scale: Scale, values: &[(f64, String)]) -> Scene {
    let columns = if chart.panels.len() > 1 { 2 } else { 1 };
    let deep = chart.panels.len().div_ceil(columns) as f32;
    let top = heading_height(WIDTH, MARGIN, &chart.title, &chart.subtitle) + 20.0;
    let end = top + deep * (HIGH + BELOW);
    let mut scene = begin(chart, end);
    let wide = match columns {
        1 => WIDTH - 2.0 * MARGIN - 44.0,
        _ => (WIDTH - 2.0 * MARGIN - 44.0 - GAP + 24.0) / 2.0,
    };
    for (i, panel) in chart.panels.iter().enumerate() {
        let left = MARGIN + 44.0 + (i % columns) as f32 * (wide + GAP - 24.0);
        let y0 = top + (i / columns) as f32 * (HIGH + BELOW);
        let x = Spread::new(scale, values.iter().map(|v| v.0), (left, left + wide));
        let y = value_axis(panel, (y0 + HIGH, y0));
        Frame {
            x: &x.axis,
            y: &y,
            x_ticks: values.iter().map(|(v, word)| tick(*v, word)).collect(),
            y_ticks: y.ticks(),
            heading: &panel.heading,
            x_label: label,
        }
        .draw(&mut scene);
        for (s, points) in panel.points.iter().enumerate() {
            let look = &chart.series[s].look;
            let dodge = 3.0 * (s as f32 - (panel.points.len() as f32 - 1.0) / 2.0);
            let place = |v: f64| x.axis.place(v) + dodge.clamp(-12.0, 12.0);
            let mut all: Vec<(f64, &String, Option<Point>)> = values
                .iter()
                .zip(points)
                .map(|((v, word), p)| (*v, word, *p))
                .collect();
            all.sort_by(|a, b| a.0.total_cmp(&b.0));
            // A value that is not known leaves a hole in the line.
            for run in all.split(|(.., p)| p.is_none()).filter(|run| run.len() > 1) {
                let at =
                    |(v, _, p): &(f64, _, Option<Point>)| p.map(|p| (place(*v), y.place(p.value)));
                scene.line(run.iter().filter_map(at).collect(), &look.line());
            }
            let known = all
                .iter()
                .filter_map(|(v, word, p)| p.map(|p| (*v, *word, p)));
            for (v, word, point) in known {
                let hint = format!("{} at {word}: {}", chart.series[s].name, say(&point));
                upright(&mut scene, place(v), &y, &point, look, &hint);
            }
        }
    }
    close(&mut scene, chart, end, true);
    scene
}

fn tick(value: f64, word: &str) -> Tick {
    Tick {
        value,
        label: Some(word.into()),
    }
}

/// An axis that leaves a little room at both ends.
struct Spread {
    axis: Axis,
}

impl Spread {
    fn new(scale: Scale, values: impl Iterator<Item = f64> + Clone, pixels: (f32, f32)) -> Spread {
        let low = values.clone().fold(f64::INFINITY, f64::min);
        let high = values.fold(f64::NEG_INFINITY, f64::max);
        let (from, to) = match scale {
            Scale::Log => {
                let f = (high / low).powf(0.05).max(1.05);
                (low / f, high * f)
            }
            Scale::Linear => {
                let d = ((high - low) * 0.05).max(low.abs() * 1e-3).max(1e-9);
                (low - d, high + d)
            }
        };
        Spread {
            axis: Axis {
                scale,
                from,
                to,
                pixels,
            },
        }
    }
}

/// An axis around everything a panel shows.
fn value_axis(panel: &Panel, pixels: (f32, f32)) -> Axis {
    let shown = panel.points.iter().flatten().flatten();
    let all: Vec<f64> = shown
        .flat_map(|p| [Some(p.value), p.ci.map(|c| c[0]), p.ci.map(|c| c[1])])
        .flatten()
        .filter(|v| v.is_finite() && (panel.scale == Scale::Linear || *v > 0.0))
        .collect();
    let low = all.iter().copied().fold(f64::INFINITY, f64::min);
    let high = all.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    match all.is_empty() {
        true => Axis::around(panel.scale, 1.0, 10.0, pixels),
        // An interval may reach below zero where no value can.
        false if shown_above_zero(panel) => Axis::around(panel.scale, low.max(0.0), high, pixels),
        false => Axis::around(panel.scale, low, high, pixels),
    }
}

fn shown_above_zero(panel: &Panel) -> bool {
    panel
        .points
        .iter()
        .flatten()
        .flatten()
        .all(|p| p.value >= 0.0)
}

/// A number as people read it, with its interval.
fn say(point: &Point) -> String {
    let bound = match point.bound {
        Some(Side::Above) => "at least ",
        Some(Side::Below) => "at most ",
        None => "",
    };
    let ci = point.ci.map_or(String::new(), |[low, high]| {
        format!(" ({} to {})", number(low), number(high))
    });
    format!("{bound}{}{ci}", number(point.value))
}

/// A point with its interval upright.
fn upright(scene: &mut Scene, x: f32, y: &Axis, point: &Point, look: &Look, hint: &str) {
    let pen = pen(look);
    if let Some([low, high]) = point.ci {
        let (low, high) = (y.place(low), y.place(high));
        if (low - high).abs() > 1.0 {
            scene.line(vec![(x, low), (x, high)], &pen);
            for end in [low, high] {
                scene.line(vec![(x - 3.5, end), (x + 3.5, end)], &pen);
            }
        }
    }
    let at = (x, y.place(point.value));
    if off(point, y) {
        scene.text((x + 8.0, at.1 - 5.0), "0", words(11.5, look.color).bold());
    } else if let Some(side) = point.bound {
        let way = if side == Side::Above { -1.0 } else { 1.0 };
        let tip = at.1 + way * 17.0;
        scene.line(vec![at, (x, tip)], &pen);
        let back = tip - way * 5.0;
        scene.line(vec![(x - 3.5, back), (x, tip), (x + 3.5, back)], &pen);
    }
    scene.mark(at, 4.0, look, point.bound.is_none() && !off(point, y), hint);
}

/// A logarithmic axis has no place for a zero: it lies on the edge and says so.
fn off(point: &Point, axis: &Axis) -> bool {
    axis.scale == Scale::Log && point.value <= 0.0
}

fn pen(look: &Look) -> Stroke {
    Stroke {
        color: look.color,
        width: 1.4,
        dash: &[],
    }
}

fn rows(chart: &Chart, label: &str, values: &[String]) -> Scene {
    const TALLEST: f32 = 15.0;
    let font = Font::load(false);
    let columns = chart.panels.len().clamp(1, 3);
    let deep = chart.panels.len().div_ceil(columns);
    let named = |name: &String| fold(name, 12.0, false, 250.0);
    let names: Vec<Vec<String>> = values.iter().map(named).collect();
    let widest = names
        .iter()
        .flatten()
        .map(|line| font.width(line, 12.0))
        .fold(font.width(label, 12.0), f32::max);
    let series = chart.series.len() as f32;
    let row = |lines: &Vec<String>| (series * TALLEST + 10.0).max(lines.len() as f32 * 15.0 + 10.0);
    let heights: Vec<f32> = names.iter().map(row).collect();
    let high: f32 = heights.iter().sum();
    let top = heading_height(WIDTH, MARGIN, &chart.title, &chart.subtitle) + 20.0;
    let end = top + deep as f32 * (high + BELOW);
    let mut scene = begin(chart, end);
    let first = MARGIN + widest + 16.0;
    let wide = (WIDTH - MARGIN - first - 28.0 * (columns as f32 - 1.0)) / columns as f32;
    for (i, panel) in chart.panels.iter().enumerate() {
        let left = first + (i % columns) as f32 * (wide + 28.0);
        let y0 = top + (i / columns) as f32 * (high + BELOW);
        let x = value_axis(panel, (left, left + wide));
        let y = Axis {
            scale: Scale::Linear,
            from: 0.0,
            to: 1.0,
            pixels: (y0 + high, y0),
        };
        Frame {
            x: &x,
            y: &y,
            x_ticks: x.ticks(),
            y_ticks: Vec::new(),
            heading: "",
            x_label: &panel.heading,
        }
        .draw(&mut scene);
        let mut at = y0;
        for (v, height) in heights.iter().enumerate() {
            scene.line(vec![(left, at), (left + wide, at)], &thin(GRID));
            if i % columns == 0 {
                let lines = &names[v];
                let start = at + height / 2.0 + 4.0 - 7.5 * (lines.len() as f32 - 1.0);
                for (l, line) in lines.iter().enumerate() {
                    let place = (left - 12.0, start + 15.0 * l as f32);
                    scene.text(place, &**line, words(12.0, INK).end());
                }
            }
            for (s, points) in panel.points.iter().enumerate() {
                let Some(point) = points[v] else { continue };
                let y = at + height / 2.0 + TALLEST * (s as f32 - (series - 1.0) / 2.0);
                let hint = format!("{}, {}: {}", chart.series[s].name, values[v], say(&point));
                lying(&mut scene, &x, y, &point, &chart.series[s].look, &hint);
            }
            at += height;
        }
        scene.line(vec![(left, y0), (left, at)], &thin(FRAME));
        if i % columns == 0 {
            scene.text((left - 12.0, y0 - 9.0), label, words(12.0, SOFT).end());
        }
    }
    close(&mut scene, chart, end, false);
    scene
}

/// A point with its interval lying.
fn lying(scene: &mut Scene, x: &Axis, y: f32, point: &Point, look: &Look, hint: &str) {
    let pen = pen(look);
    if let Some([low, high]) = point.ci {
        let (low, high) = (x.place(low), x.place(high));
        if (low - high).abs() > 1.0 {
            scene.line(vec![(low, y), (high, y)], &pen);
            for end in [low, high] {
                scene.line(vec![(end, y - 3.5), (end, y + 3.5)], &pen);
            }
        }
    }
    let at = (x.place(point.value), y);
    if off(point, x) {
        scene.text((at.0 + 8.0, y + 4.0), "0", words(11.5, look.color).bold());
    } else if let Some(side) = point.bound {
        let way = if side == Side::Above { 1.0 } else { -1.0 };
        let tip = at.0 + way * 17.0;
        scene.line(vec![at, (tip, y)], &pen);
        let back = tip - way * 5.0;
        scene.line(vec![(back, y - 3.5), (tip, y), (back, y + 3.5)], &pen);
    }
    scene.mark(at, 4.0, look, point.bound.is_none() && !off(point, x), hint);
}

fn begin(chart: &Chart, end: f32) -> Scene {
    let legend = LEGEND_LINE * chart.series.len() as f32;
    let bounds = if has_bounds(chart) { LEGEND_LINE } else { 0.0 };
    let mut scene = Scene::new(WIDTH, end + legend + bounds + 4.0, chart.title.clone());
    heading(&mut scene, MARGIN, &chart.title, &chart.subtitle);
    scene
}

fn close(scene: &mut Scene, chart: &Chart, end: f32, line: bool) {
    legend(scene, (MARGIN, end), &chart.series, line, true);
    if has_bounds(chart) {
        let y = end + LEGEND_LINE * chart.series.len() as f32;
        let words_ =
            "open mark with an arrow: unfinished flows leave a bound; the truth lies that way";
        scene.text((MARGIN, y), words_, words(12.0, SOFT));
    }
}

fn has_bounds(chart: &Chart) -> bool {
    let mut all = chart.panels.iter().flat_map(|p| p.points.iter().flatten());
    all.any(|p| p.is_some_and(|p| p.bound.is_some()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plot::testing::keep;
    use crate::plot::{Look, svg};

    fn point(value: f64) -> Option<Point> {
        Some(Point {
            value,
            ci: Some([value * 0.9, value * 1.15]),
            bound: None,
        })
    }

    fn entry(n: usize, name: &str) -> Entry {
        Entry {
            look: Look::nth(n),
            name: name.into(),
            about: "n = 1,234 queries a point, 5 seeds".into(),
        }
    }

    fn figure(x: Sweep, scale: Scale) -> Chart {
        let dctcp = vec![point(21.0), point(23.5), point(31.0), point(48.0), {
            let mut p = point(61.0);
            p.as_mut().unwrap().bound = Some(Side::Above);
            p.as_mut().unwrap().ci = None;
            p
        }];
        let dibs = vec![point(4.0), point(5.1), point(8.0), None, point(40.0)];
        let panel = |heading: &str, scale| Panel {
            heading: heading.into(),
            scale,
            points: vec![dctcp.clone(), dibs.clone()],
        };
        Chart {
            title: "Query completion under DCTCP and DIBS as queries come more often".into(),
            subtitle: "fig08; k=8 fat-tree, 128 hosts; 95 % intervals over 5 seeds".into(),
            x,
            panels: vec![
                panel("99th percentile of query completion time, ms", scale),
                panel(
                    "99th percentile of short flows (1 to 10 kB), ms",
                    Scale::Linear,
                ),
                panel("detoured packets, share", Scale::Linear),
            ],
            series: vec![entry(0, "dctcp"), entry(1, "dibs")],
        }
    }

    fn rates() -> Sweep {
        let values = [300, 500, 1000, 1500, 2000].map(|v| (f64::from(v), v.to_string()));
        Sweep::Numbers {
            label: "query rate, /s".into(),
            scale: Scale::Linear,
            values: values.to_vec(),
        }
    }

    #[test]
    fn lines_have_a_mark_a_point_and_bounds_are_open_with_an_arrow() {
        let scene = chart(&figure(rates(), Scale::Log));
        let text = svg(&scene);
        keep("lines", &scene);
        assert_eq!(text.matches("<title>dctcp at ").count(), 15);
        assert_eq!(
            text.matches("<title>dibs at ").count(),
            12,
            "a hole stays a hole"
        );
        assert!(
            text.contains("dctcp at 2000: at least 61.0</title>"),
            "{text}"
        );
        assert!(text.contains("unfinished flows leave a bound"));
        let open = text
            .lines()
            .filter(|l| l.contains("at least"))
            .all(|l| l.contains("#ffffff"));
        assert!(open);
    }

    #[test]
    fn words_are_rows() {
        let values = [
            "as assumed",
            "minimum RTO 1 ms",
            "a buffer of 50 packets a port and an unusually long name that needs a second line",
            "no handshake",
            "c",
        ];
        let words = Sweep::Words {
            label: "assumption".into(),
            values: values.map(String::from).to_vec(),
        };
        let scene = chart(&figure(words, Scale::Linear));
        keep("rows", &scene);
        let text = svg(&scene);
        assert!(text.contains(">minimum RTO 1 ms</text>"), "{text}");
        assert!(
            text.contains("dibs, as assumed: 4.00 (3.60 to 4.60)"),
            "{text}"
        );
    }

    #[test]
    fn a_zero_on_a_log_axis_lies_on_the_edge_and_says_so() {
        let mut figure = figure(rates(), Scale::Log);
        figure.panels.truncate(1);
        figure.panels[0].points[1][0] = point(0.0);
        let scene = chart(&figure);
        keep("one", &scene);
        assert!(svg(&scene).contains("font-weight=\"600\">0</text>"));
    }

    #[test]
    fn nothing_measured_is_still_a_figure() {
        let mut figure = figure(rates(), Scale::Log);
        for panel in &mut figure.panels {
            panel.points.iter_mut().flatten().for_each(|p| *p = None);
        }
        assert!(svg(&chart(&figure)).contains("query rate"));
    }
}
