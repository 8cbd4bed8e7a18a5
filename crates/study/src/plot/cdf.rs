//! Completion times of several schemes side by side: the CDF, and its tail on a log scale.
//!
//! What did not complete counts: a curve ends at the share that did, with a ring, and never
//! reaches 100 % by leaving the rest out.

use super::axis::{Axis, Scale, Tick, plain};
use super::font::Font;
use super::scene::{Anchor, Color, Item, Scene, Stroke, TextStyle};

/// What a figure shows.
#[derive(Clone, Debug)]
pub struct Figure {
    /// In bold, at the top.
    pub title: String,
    /// Below it: the scenario and what was counted.
    pub subtitle: String,
    /// What is measured, with its unit.
    pub x_label: String,
    /// What is counted: `queries`.
    pub counted: String,
    /// One a scheme, in the order of the scenario.
    pub series: Vec<Series>,
}

/// One scheme's completion times.
#[derive(Clone, Debug)]
pub struct Series {
    /// The scheme.
    pub name: String,
    /// Times of those that completed, ascending and above zero.
    pub done: Vec<f64>,
    /// How many there were, completed or not.
    pub n: usize,
}

/// Okabe and Ito's colours, which colour-blind readers tell apart.
const COLORS: [Color; 7] = [
    Color(0, 114, 178),
    Color(213, 94, 0),
    Color(0, 158, 115),
    Color(204, 121, 167),
    Color(86, 180, 233),
    Color(230, 159, 0),
    Color(70, 70, 70),
];
const DASHES: [&[f32]; 4] = [&[], &[7.0, 3.0], &[2.5, 2.5], &[9.0, 3.0, 2.0, 3.0]];

const INK: Color = Color(33, 37, 41);
const SOFT: Color = Color(95, 104, 113);
const GRID: Color = Color(229, 232, 235);
const FAINT: Color = Color(243, 244, 246);
const FRAME: Color = Color(150, 157, 164);

const WIDTH: f32 = 960.0;
const TOP: f32 = 84.0;
const PANEL: f32 = 300.0;
const LEFT: [f32; 2] = [68.0, 552.0];
const PANEL_WIDTH: f32 = 380.0;
const LEGEND_LINE: f32 = 20.0;

/// Draws the figure.
pub fn cdf(figure: &Figure) -> Scene {
    let height = TOP + PANEL + 62.0 + LEGEND_LINE * figure.series.len() as f32 + 14.0;
    let mut scene = Scene::new(WIDTH, height, figure.title.clone());
    scene.text(
        (LEFT[0] - 44.0, 32.0),
        &*figure.title,
        words(17.0, INK).bold(),
    );
    scene.text((LEFT[0] - 44.0, 53.0), &*figure.subtitle, words(12.0, SOFT));

    let times = || {
        figure
            .series
            .iter()
            .flat_map(|s| [s.done.first(), s.done.last()])
            .flatten()
    };
    let low = times().copied().fold(f64::INFINITY, f64::min);
    let high = times().copied().fold(0.0, f64::max);
    let n = figure.series.iter().map(|s| s.n).max().unwrap_or(0);
    if high > 0.0 {
        for (panel, left) in [Panel::Share, Panel::Tail].into_iter().zip(LEFT) {
            let x = Axis::log_around(low, high, (left, left + PANEL_WIDTH));
            let y = panel.y_axis(n);
            grid(&mut scene, figure, panel, &x, &y);
            for (i, series) in figure.series.iter().enumerate() {
                curve(&mut scene, series, i, panel, &x, &y);
            }
        }
    } else {
        let middle = (WIDTH / 2.0, TOP + PANEL / 2.0);
        scene.text(
            middle,
            format!("no {} completed", figure.counted),
            words(14.0, SOFT).middle(),
        );
    }
    legend(&mut scene, figure, TOP + PANEL + 66.0);
    scene
}

/// Which of the two a panel is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Panel {
    /// The share completed, on a linear axis.
    Share,
    /// The share not yet completed, on a logarithmic one.
    Tail,
}

impl Panel {
    fn y_axis(self, n: usize) -> Axis {
        let pixels = (TOP + PANEL, TOP);
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

    fn heading(self, counted: &str) -> String {
        match self {
            Panel::Share => format!("share of {counted} completed"),
            Panel::Tail => format!("share of {counted} not yet completed"),
        }
    }
}

fn grid(scene: &mut Scene, figure: &Figure, panel: Panel, x: &Axis, y: &Axis) {
    let ((left, right), (bottom, top)) = (x.pixels, y.pixels);
    let thin = |color| Stroke {
        color,
        width: 1.0,
        dash: &[],
    };
    for tick in x.log_ticks(plain) {
        let at = x.place(tick.value);
        let color = if tick.label.is_some() { GRID } else { FAINT };
        scene.line(vec![(at, top), (at, bottom)], &thin(color));
        if let Some(label) = tick.label {
            scene.text((at, bottom + 18.0), label, words(11.5, SOFT).middle());
        }
    }
    for tick in panel.ticks(y) {
        let at = y.place(tick.value);
        let color = if tick.label.is_some() { GRID } else { FAINT };
        scene.line(vec![(left, at), (right, at)], &thin(color));
        if let Some(label) = tick.label {
            scene.text((left - 7.0, at + 4.0), label, words(11.5, SOFT).end());
        }
    }
    if panel == Panel::Tail && y.from < 0.01 {
        let at = y.place(0.01);
        let stroke = Stroke {
            color: SOFT,
            width: 1.0,
            dash: &[2.0, 3.0],
        };
        scene.line(vec![(left, at), (right, at)], &stroke);
        scene.text((left + 6.0, at - 5.0), "p99", words(11.0, SOFT));
    }
    scene.line(vec![(left, bottom), (right, bottom)], &thin(FRAME));
    scene.text(
        (left, top - 9.0),
        panel.heading(&figure.counted),
        words(12.0, INK),
    );
    scene.text(
        ((left + right) / 2.0, bottom + 38.0),
        &*figure.x_label,
        words(12.0, INK).middle(),
    );
}

/// A step curve, thinned to what can be seen.
fn curve(scene: &mut Scene, series: &Series, index: usize, panel: Panel, x: &Axis, y: &Axis) {
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
    let stroke = look(index);
    scene.line(points, &stroke);
    if series.done.len() < series.n {
        let ring = Stroke {
            dash: &[],
            width: 1.6,
            ..stroke
        };
        scene.items.push(Item::Ring {
            at: last,
            radius: 3.2,
            stroke: ring,
        });
    }
}

fn legend(scene: &mut Scene, figure: &Figure, top: f32) {
    let font = Font::load(true);
    let names = figure.series.iter().map(|s| font.width(&s.name, 12.5));
    let widest = names.fold(0.0, f32::max);
    let left = LEFT[0] - 44.0;
    for (i, series) in figure.series.iter().enumerate() {
        let y = top + LEGEND_LINE * i as f32;
        scene.line(vec![(left, y - 4.0), (left + 34.0, y - 4.0)], &look(i));
        scene.text((left + 44.0, y), &*series.name, words(12.5, INK).bold());
        scene.text(
            (left + 58.0 + widest, y),
            describe(series, &figure.counted),
            words(12.0, SOFT),
        );
    }
}

fn describe(series: &Series, counted: &str) -> String {
    let (n, done) = (series.n, series.done.len());
    if n == 0 {
        return format!("no {counted}");
    }
    let mut text = format!("n = {} {counted}", plain(n as f64));
    if done == n {
        text.push_str(", all completed");
    } else {
        let share = 100.0 * done as f64 / n as f64;
        // Never round the missing ones away.
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

fn look(index: usize) -> Stroke {
    let dash = DASHES[index % DASHES.len()];
    Stroke {
        color: COLORS[index % COLORS.len()],
        width: 2.2,
        dash,
    }
}

fn words(size: f32, color: Color) -> TextStyle {
    TextStyle {
        color,
        size,
        bold: false,
        anchor: Anchor::Start,
        upwards: false,
    }
}

impl TextStyle {
    fn bold(self) -> TextStyle {
        TextStyle { bold: true, ..self }
    }
    fn middle(self) -> TextStyle {
        TextStyle {
            anchor: Anchor::Middle,
            ..self
        }
    }
    fn end(self) -> TextStyle {
        TextStyle {
            anchor: Anchor::End,
            ..self
        }
    }
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
            series: vec![
                Series {
                    name: "dctcp".into(),
                    done: dctcp,
                    n: 1500,
                },
                Series {
                    name: "dctcp+dibs".into(),
                    done: times(1.5, 1.0, 1500),
                    n: 1500,
                },
            ],
        }
    }

    #[test]
    fn the_same_figure_is_drawn_to_the_same_bytes() {
        let scene = cdf(&figure());
        let picture = png(&scene, 2.0).unwrap();
        assert_eq!(picture, png(&cdf(&figure()), 2.0).unwrap());
        assert!(picture.len() < 200_000);
        if let Ok(dir) = std::env::var("SIDESTEP_KEEP_PLOTS") {
            std::fs::write(format!("{dir}/cdf.png"), &picture).unwrap();
            std::fs::write(format!("{dir}/cdf.svg"), svg(&scene)).unwrap();
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
    fn nothing_completed_is_said_and_drawn() {
        let mut empty = figure();
        empty.series.iter_mut().for_each(|s| s.done.clear());
        assert!(svg(&cdf(&empty)).contains("no queries completed"));
        png(&cdf(&empty), 1.0).unwrap();
    }
}
