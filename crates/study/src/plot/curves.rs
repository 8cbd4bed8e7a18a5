//! Curves in one panel: numbers against time, or in order of size.
//!
//! A curve with more points than the page can show is drawn through the first, the smallest, the largest and
//! the last point of each pixel column, so that no peak is lost.

use super::axis::{Axis, Scale};
use super::drawing::Drawing;
use super::frame::{Frame, HEADING_LINE, heading_lines};
use super::look::{Entry, LEGEND_LINE, SOFT, heading, heading_height, legend, words};

/// Figure of curves.
#[derive(Clone, Debug)]
pub struct Curves {
    /// Title, in bold at the top.
    pub title: String,
    /// Subtitle: the experiment, the fixed values, and the seeds.
    pub subtitle: String,
    /// Quantity on the x axis, with its unit.
    pub x_label: String,
    /// Quantity on the y axis, with its unit.
    pub heading: String,
    /// Scale, start and end of the x axis.
    pub x: (Scale, f64, f64),
    /// Scale of the y axis; linear if a value is not above zero.
    pub y: Scale,
    /// Curves, one for each scheme.
    pub curves: Vec<Curve>,
    /// Items counted, for the note on an empty figure.
    pub counted: String,
}

/// Curve with its look and its points.
#[derive(Clone, Debug)]
pub struct Curve {
    /// Look and name.
    pub entry: Entry,
    /// Points, from left to right.
    pub points: Vec<(f64, f64)>,
    /// Reason for a ring at the curve's end: the rest is unknown.
    pub ring: Option<String>,
}

const WIDTH: f32 = 960.0;
const MARGIN: f32 = 24.0;
const LEFT: f32 = 84.0;
const HIGH: f32 = 320.0;

/// Draws the figure.
pub fn curves(figure: &Curves) -> Drawing {
    let wide = WIDTH - MARGIN - LEFT;
    let known = || figure.curves.iter().flat_map(|c| &c.points).map(|p| p.1);
    let known = || known().filter(|v| v.is_finite());
    let low = known().fold(f64::INFINITY, f64::min);
    let high = known().fold(f64::NEG_INFINITY, f64::max);
    let scale = if low > 0.0 { figure.y } else { Scale::Linear };
    let upwards = |pixels| (low <= high).then(|| Axis::around(scale, low, high, pixels));
    let heads = upwards((HIGH, 0.0)).map_or(1, |y| {
        let words = y.ticks().labels.said(&figure.heading);
        heading_lines(&words, wide).len().max(1)
    });
    let top = heading_height(WIDTH, MARGIN, &figure.title, &figure.subtitle)
        + 20.0
        + HEADING_LINE * (heads - 1) as f32;
    let height = top + HIGH + 62.0 + LEGEND_LINE * figure.curves.len() as f32 + 14.0;
    let mut drawing = Drawing::new(WIDTH, height, figure.title.clone());
    heading(&mut drawing, MARGIN, &figure.title, &figure.subtitle);
    if let Some(y) = upwards((top + HIGH, top)) {
        let (x_scale, from, to) = figure.x;
        let x = Axis {
            scale: x_scale,
            from,
            to,
            pixels: (LEFT, LEFT + wide),
        };
        Frame {
            x: &x,
            y: &y,
            x_ticks: x.ticks(),
            y_ticks: y.ticks(),
            heading: &figure.heading,
            x_label: &figure.x_label,
        }
        .draw(&mut drawing);
        for curve in &figure.curves {
            draw(&mut drawing, curve, &x, &y);
        }
    } else {
        let middle = (WIDTH / 2.0, top + HIGH / 2.0);
        let nothing = format!("no {}", figure.counted);
        drawing.text(middle, nothing, words(14.0, SOFT).middle());
    }
    let entries: Vec<Entry> = figure.curves.iter().map(|c| c.entry.clone()).collect();
    legend(
        &mut drawing,
        (MARGIN, top + HIGH + 66.0),
        &entries,
        true,
        false,
    );
    drawing
}

fn draw(drawing: &mut Drawing, curve: &Curve, x: &Axis, y: &Axis) {
    let places = (curve.points.iter()).map(|(at, value)| (x.place(*at), y.place(*value)));
    let points = seen(places);
    let Some(&last) = points.last() else {
        return;
    };
    let stroke = curve.entry.look.line();
    // A line of length zero is invisible.
    if points.iter().all(|point| *point == last) {
        drawing.mark(last, 3.2, &curve.entry.look, true, "");
    }
    drawing.line(points, &stroke);
    if let Some(why) = &curve.ring {
        drawing.ring(last, &stroke, format!("{}: {why}", curve.entry.name));
    }
}

/// Keeps the first, the smallest, the largest and the last point of each pixel column, in their order.
fn seen(points: impl Iterator<Item = (f32, f32)>) -> Vec<(f32, f32)> {
    let mut kept: Vec<(f32, f32)> = Vec::new();
    let mut column: Vec<(f32, f32)> = Vec::new();
    for point in points {
        if column
            .last()
            .is_some_and(|last| last.0.floor() != point.0.floor())
        {
            thin(&mut column, &mut kept);
        }
        column.push(point);
    }
    thin(&mut column, &mut kept);
    kept
}

fn thin(column: &mut Vec<(f32, f32)>, kept: &mut Vec<(f32, f32)>) {
    let by_height = |a: &usize, b: &usize| column[*a].1.total_cmp(&column[*b].1);
    let least = (0..column.len()).min_by(by_height);
    let most = (0..column.len()).max_by(by_height);
    let last = column.len().checked_sub(1);
    let mut chosen: Vec<usize> = [Some(0), least, most, last].into_iter().flatten().collect();
    chosen.sort_unstable();
    chosen.dedup();
    kept.extend(chosen.into_iter().filter_map(|i| column.get(i)));
    column.clear();
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plot::testing::keep;
    use crate::plot::{SeriesStyle, svg};

    fn curve(n: usize, name: &str, points: Vec<(f64, f64)>) -> Curve {
        Curve {
            entry: Entry {
                look: SeriesStyle::nth(n),
                name: name.into(),
                about: "mean of 3 seeds".into(),
            },
            points,
            ring: None,
        }
    }

    fn figure() -> Curves {
        let steps = |of: fn(u32) -> f64| -> Vec<(f64, f64)> {
            let ends = (0..200).flat_map(move |i| {
                let at = |edge: u32| f64::from(edge) / 10.0;
                [(at(i), of(i)), (at(i + 1), of(i))]
            });
            ends.collect()
        };
        let cut = |i: u32| if (60..120).contains(&i) { 9.4 } else { 31.0 };
        let spray = |i: u32| 29.0 + f64::from((i * 7919) % 23) / 10.0;
        Curves {
            title: "Goodput while a cable fails".into(),
            subtitle: "failing-link; seeds 1-3".into(),
            x_label: "simulated time, ms".into(),
            heading: "the goodput of all workloads together, Gbps".into(),
            x: (Scale::Linear, 0.0, 20.0),
            y: Scale::Linear,
            curves: vec![
                curve(0, "ecmp", steps(cut)),
                curve(1, "spray", steps(spray)),
            ],
            counted: "windows".into(),
        }
    }

    #[test]
    fn every_curve_has_its_line_and_both_axes_their_units() {
        let drawing = curves(&figure());
        keep("over_time", &drawing);
        let text = svg(&drawing);
        assert!(text.contains("simulated time, ms"), "{text}");
        assert!(text.contains("the goodput of all workloads together, Gbps"));
        assert!(text.contains(">ecmp</text>") && text.contains(">spray</text>"));
    }

    #[test]
    fn a_curve_that_ends_early_has_a_ring() {
        let mut ranked = figure();
        ranked.x_label = "rank".into();
        for (n, curve) in ranked.curves.iter_mut().enumerate() {
            curve.points = (1..=400u32)
                .map(|i| (f64::from(i), f64::from(i * i) * (n as f64 + 1.0)))
                .collect();
        }
        ranked.x = (Scale::Linear, 0.0, 400.0);
        ranked.curves[0].ring = Some("the rest did not complete".into());
        let drawing = curves(&ranked);
        keep("ranked", &drawing);
        assert_eq!(svg(&drawing).matches("<circle").count(), 1);
    }

    #[test]
    fn no_peak_is_lost_where_points_share_a_column() {
        let points = (0..10_000).map(|i| {
            let high = if i == 4_321 { 99.0 } else { (i % 7) as f32 };
            (i as f32 / 1000.0, high)
        });
        let kept = seen(points);
        assert!(kept.len() <= 40, "{}", kept.len());
        assert!(kept.contains(&(4.321, 99.0)));
        assert_eq!(kept.first(), Some(&(0.0, 0.0)));
        assert!(kept.is_sorted_by(|a, b| a.0 <= b.0));
    }

    #[test]
    fn nothing_to_draw_is_said() {
        let mut empty = figure();
        empty.curves.iter_mut().for_each(|c| c.points.clear());
        assert!(svg(&curves(&empty)).contains("no windows"));
    }
}
