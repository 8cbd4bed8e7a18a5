//! Detours as marks: their time and their switch.

use super::axis::{Axis, Scale, Ticks};
use super::drawing::Drawing;
use super::font::Font;
use super::frame::Frame;
use super::look::{FRAME, GRID, INK, SOFT, SeriesStyle, heading, heading_height, thin, words};
use crate::format::count;
use std::collections::BTreeSet;

/// Marks in rows over time.
#[derive(Clone, Debug)]
pub struct Scatter {
    /// Title, in bold at the top.
    pub title: String,
    /// Subtitle, below the title.
    pub subtitle: String,
    /// Quantity on the x axis, with its unit.
    pub x_label: String,
    /// Rows, from the top down: a name and the times of its marks.
    pub rows: Vec<(String, Vec<f64>)>,
    /// Items that marks stand for: `detours`.
    pub counted: String,
    /// Look of the marks.
    pub look: SeriesStyle,
}

const WIDTH: f32 = 960.0;
const MARGIN: f32 = 24.0;
const ROW: f32 = 17.0;

/// Draws the figure.
pub fn scatter(figure: &Scatter) -> Drawing {
    let top = heading_height(WIDTH, MARGIN, &figure.title, &figure.subtitle) + 20.0;
    let high = ROW * figure.rows.len().max(1) as f32;
    let mut drawing = Drawing::new(WIDTH, top + high + 54.0, figure.title.clone());
    heading(&mut drawing, MARGIN, &figure.title, &figure.subtitle);
    let font = Font::load(false);
    let widest = figure.rows.iter().map(|(name, _)| font.width(name, 11.5));
    let left = MARGIN + widest.fold(40.0, f32::max) + 12.0;
    let times = || figure.rows.iter().flat_map(|(_, times)| times).copied();
    let high_time = times().fold(0.0, f64::max);
    let low_time = times().fold(high_time, f64::min);
    let x = Axis::linear_around(low_time, high_time, (left, WIDTH - MARGIN - 84.0));
    let y = Axis {
        scale: Scale::Linear,
        from: 0.0,
        to: 1.0,
        pixels: (top + high, top),
    };
    Frame {
        x: &x,
        y: &y,
        x_ticks: x.ticks(),
        y_ticks: Ticks::NONE,
        heading: "",
        x_label: &figure.x_label,
    }
    .draw(&mut drawing);
    let right = x.pixels.1 + 12.0;
    drawing.text((right, top - 9.0), &*figure.counted, words(12.0, SOFT));
    for (i, (name, times)) in figure.rows.iter().enumerate() {
        let middle = top + ROW * (i as f32 + 0.5);
        drawing.line(vec![(left, middle), (x.pixels.1, middle)], &thin(GRID));
        drawing.text((left - 10.0, middle + 4.0), &**name, words(11.5, INK).end());
        drawing.text(
            (right, middle + 4.0),
            count(times.len() as u64),
            words(11.5, SOFT),
        );
        // Marks too close to be told apart become one.
        let seen: BTreeSet<i32> = times.iter().map(|t| (x.place(*t) * 1.5) as i32).collect();
        for place in seen {
            let at = (place as f32 / 1.5, middle);
            drawing.mark(at, 2.2, &figure.look, true, "");
        }
    }
    drawing.line(vec![(left, top), (left, top + high)], &thin(FRAME));
    if figure.rows.is_empty() {
        let nothing = format!("no {}", figure.counted);
        drawing.text(
            (WIDTH / 2.0, top + high),
            nothing,
            words(14.0, SOFT).middle(),
        );
    }
    drawing
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plot::svg;
    use crate::plot::testing::keep;

    #[test]
    fn every_row_says_how_many_and_marks_that_lie_together_are_one() {
        let row = |i: u32| {
            let times = (0..i * 400).map(|t| 3.0 + f64::from((t * 7919) % 9000) / 1000.0);
            (format!("edge {i} of pod 0"), times.collect())
        };
        let figure = Scatter {
            title: "Each detour of one pod during a burst".into(),
            subtitle: "fig02a; dibs, seed 1".into(),
            x_label: "since the run began, ms".into(),
            rows: (0..9).map(row).collect(),
            counted: "detours".into(),
            look: SeriesStyle::nth(1),
        };
        let drawing = scatter(&figure);
        keep("scatter", &drawing);
        let text = svg(&drawing);
        assert!(text.contains(">3,200</text>"), "{text}");
        assert!(
            text.matches("<polygon").count() < 8 * 1200,
            "marks are thinned"
        );
    }
}
