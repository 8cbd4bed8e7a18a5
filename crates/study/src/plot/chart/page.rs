//! Page around the panels, and their value axes.

use super::super::axis::{Axis, Scale};
use super::super::drawing::{Color, Drawing, Item, PAGE, Shape, Stroke};
use super::super::look::{LEGEND_LINE, SOFT, SeriesStyle, heading, legend, words};
use super::figure::{Chart, Panel, Paper};

/// Width of the page.
pub const WIDTH: f32 = 960.0;
/// Margin at the page's edges.
pub const MARGIN: f32 = 24.0;

/// Distance from the bottom of one panel to the top of the next.
pub const BELOW: f32 = 84.0;

/// Creates an axis that contains all values of a panel.
pub fn value_axis(panel: &Panel, pixels: (f32, f32)) -> Axis {
    let shown = panel.points.iter().flatten().flatten();
    let all: Vec<f64> = shown
        .flat_map(|p| [Some(p.value), p.ci.map(|c| c[0]), p.ci.map(|c| c[1])])
        .flatten()
        .chain(panel.papers.iter().map(|p| p.value))
        .chain(panel.authors.iter().map(|a| a.value))
        .filter(|v| v.is_finite() && (panel.scale == Scale::Linear || *v > 0.0))
        .collect();
    let low = all.iter().copied().fold(f64::INFINITY, f64::min);
    let high = all.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    match all.is_empty() {
        true => Axis::around(panel.scale, 1.0, 10.0, pixels),
        // An interval may extend below zero even if no value can.
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

/// Creates the page with its heading. `end` is the lower end of the panels.
pub fn begin(chart: &Chart, end: f32) -> Drawing {
    let legend = LEGEND_LINE * chart.series.len() as f32;
    let more = LEGEND_LINE * notes(chart).len() as f32;
    let mut drawing = Drawing::new(WIDTH, end + legend + more + 4.0, chart.title.clone());
    heading(&mut drawing, MARGIN, &chart.title, &chart.subtitle);
    drawing
}

/// Draws the legend below the panels.
pub fn close(drawing: &mut Drawing, chart: &Chart, end: f32, line: bool) {
    legend(drawing, (MARGIN, end), &chart.series, line, true);
    let first = end + LEGEND_LINE * chart.series.len() as f32;
    for (i, note) in notes(chart).into_iter().enumerate() {
        let at = (MARGIN, first + LEGEND_LINE * i as f32);
        drawing.text(at, note, words(12.0, SOFT));
    }
}

/// Returns the notes that explain marks, shown below the legend.
fn notes(chart: &Chart) -> Vec<&'static str> {
    let papers = || chart.panels.iter().flat_map(|p| &p.papers);
    let said = [
        (has_bounds(chart), BOUNDS),
        (chart.panels.iter().any(|p| !p.authors.is_empty()), AUTHORS),
        (papers().any(|p| !p.implied), PAPER),
        (papers().any(|p| p.implied), IMPLIED),
    ];
    let shown = said.into_iter().filter(|(there, _)| *there);
    shown.map(|(_, words)| words).collect()
}

const BOUNDS: &str =
    "open mark with an arrow: a bound, because of unfinished flows; the number is beyond";
const AUTHORS: &str = "hollow marks: the paper authors' points, with the mark of their series";

/// Explanation of a cross.
pub const PAPER: &str = "cross: the paper's number, in the colour of its scheme";
/// Explanation of an open cross.
pub const IMPLIED: &str = "open cross: the paper's difference or ratio, applied to our number of \
                           the other scheme";

/// Draws a mark of the paper.
pub fn paper_mark(drawing: &mut Drawing, at: (f32, f32), color: Color, implied: bool, hint: &str) {
    drawing.items.push(Item::Mark {
        at,
        shape: Shape::Cross,
        radius: 5.0,
        stroke: Stroke {
            color,
            width: 1.2,
            dash: &[],
        },
        fill: if implied { PAGE } else { color },
        hint: hint.into(),
    });
    let style = words(10.5, SOFT);
    // At the right edge of the page the word is on the left of its mark.
    let (place, style) = match at.0 + 9.0 + 32.0 > drawing.width {
        true => (at.0 - 9.0, style.end()),
        false => (at.0 + 9.0, style),
    };
    drawing.text((place, at.1 + 4.0), "paper", style);
}

/// Draws a point of the authors.
pub fn author_mark(drawing: &mut Drawing, at: (f32, f32), look: &SeriesStyle, hint: &str) {
    drawing.mark(at, 5.0, look, false, hint);
}

/// Draws a number of the paper that holds from one position to another.
pub fn paper_level(drawing: &mut Drawing, ends: [(f32, f32); 2], paper: &Paper, color: Color) {
    let stroke = Stroke {
        color,
        width: 1.2,
        dash: &[1.5, 3.5],
    };
    drawing.line(ends.to_vec(), &stroke);
    paper_mark(drawing, ends[1], color, paper.implied, &paper.hint);
}

fn has_bounds(chart: &Chart) -> bool {
    let mut all = chart.panels.iter().flat_map(|p| p.points.iter().flatten());
    all.any(|p| p.is_some_and(|p| p.bound.is_some()))
}
