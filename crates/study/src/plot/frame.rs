//! Panel: its grid, its ticks and the text around it.

use super::axis::{Axis, Tick, Ticks};
use super::drawing::Drawing;
use super::font::Font;
use super::look::{FAINT, FRAME, GRID, INK, SOFT, fold, thin, words};

/// Grid and text around a panel.
pub struct Frame<'a> {
    /// Horizontal axis.
    pub x: &'a Axis,
    /// Vertical axis.
    pub y: &'a Axis,
    /// Ticks along the bottom, in any order.
    pub x_ticks: Ticks,
    /// Ticks along the left, from the bottom up.
    pub y_ticks: Ticks,
    /// Title of the y axis with its unit, above the panel.
    pub heading: &'a str,
    /// Title of the x axis with its unit, below the panel.
    pub x_label: &'a str,
}

impl Frame<'_> {
    /// Draws the frame, below the data.
    pub fn draw(&self, drawing: &mut Drawing) {
        let ((left, right), (bottom, top)) = (self.x.pixels, self.y.pixels);
        let color = |tick: &Tick| if tick.label.is_some() { GRID } else { FAINT };
        let font = Font::load(false);
        let mut upright: Vec<&Tick> = self.x_ticks.all.iter().collect();
        upright.sort_by(|a, b| a.value.total_cmp(&b.value));
        let mut free = f32::NEG_INFINITY;
        for tick in upright {
            let at = self.x.place(tick.value);
            drawing.line(vec![(at, top), (at, bottom)], &thin(color(tick)));
            let Some(label) = &tick.label else { continue };
            // A label that would touch its neighbour is left out; the grid line remains.
            let half = font.width(label, 11.5) / 2.0;
            if at - half < free {
                continue;
            }
            free = at + half + 8.0;
            drawing.text((at, bottom + 18.0), &**label, words(11.5, SOFT).middle());
        }
        let mut free = f32::INFINITY;
        for tick in &self.y_ticks.all {
            let at = self.y.place(tick.value);
            drawing.line(vec![(left, at), (right, at)], &thin(color(tick)));
            let Some(label) = &tick.label else { continue };
            if at > free {
                continue;
            }
            free = at - 13.0;
            drawing.text((left - 7.0, at + 4.0), &**label, words(11.5, SOFT).end());
        }
        drawing.line(vec![(left, bottom), (right, bottom)], &thin(FRAME));
        let lines = heading_lines(&self.y_ticks.labels.said(self.heading), right - left);
        for (i, line) in lines.iter().rev().enumerate() {
            let y = top - 9.0 - HEADING_LINE * i as f32;
            drawing.text((left, y), &**line, words(12.0, INK));
        }
        let label = self.x_ticks.labels.said(self.x_label);
        let lines = fold(&label, 12.0, false, right - left + 20.0);
        for (i, line) in lines.into_iter().enumerate() {
            let middle = ((left + right) / 2.0, bottom + 38.0 + 15.0 * i as f32);
            drawing.text(middle, line, words(12.0, INK).middle());
        }
    }
}

/// Distance between the lines of a heading.
pub const HEADING_LINE: f32 = 15.0;

/// Breaks a heading to fit its panel.
pub fn heading_lines(heading: &str, wide: f32) -> Vec<String> {
    fold(heading, 12.0, false, wide)
}
