//! The page around the panels, and their axes.

use super::super::axis::{Axis, Scale};
use super::super::look::{LEGEND_LINE, SOFT, heading, legend, words};
use super::super::scene::Scene;
use super::figure::{Chart, Panel};

/// How wide the page is.
pub const WIDTH: f32 = 960.0;
/// From its edge to what is on it.
pub const MARGIN: f32 = 24.0;

/// From the bottom of one panel to the top of the next.
pub const BELOW: f32 = 84.0;

/// An axis around everything a panel shows.
pub fn value_axis(panel: &Panel, pixels: (f32, f32)) -> Axis {
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

/// The page with its heading; `end` is where the panels end.
pub fn begin(chart: &Chart, end: f32) -> Scene {
    let legend = LEGEND_LINE * chart.series.len() as f32;
    let bounds = if has_bounds(chart) { LEGEND_LINE } else { 0.0 };
    let mut scene = Scene::new(WIDTH, end + legend + bounds + 4.0, chart.title.clone());
    heading(&mut scene, MARGIN, &chart.title, &chart.subtitle);
    scene
}

/// The legend below the panels.
pub fn close(scene: &mut Scene, chart: &Chart, end: f32, line: bool) {
    legend(scene, (MARGIN, end), &chart.series, line, true);
    if has_bounds(chart) {
        let y = end + LEGEND_LINE * chart.series.len() as f32;
        let words_ =
            "open mark with an arrow: unfinished flows leave a bound; the number lies that way";
        scene.text((MARGIN, y), words_, words(12.0, SOFT));
    }
}

fn has_bounds(chart: &Chart) -> bool {
    let mut all = chart.panels.iter().flat_map(|p| p.points.iter().flatten());
    all.any(|p| p.is_some_and(|p| p.bound.is_some()))
}
