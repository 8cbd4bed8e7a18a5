//! Rows over words.

use super::super::axis::{Axis, Scale, Ticks};
use super::super::drawing::Drawing;
use super::super::font::Font;
use super::super::frame::Frame;
use super::super::look::{FRAME, GRID, INK, SOFT, SeriesStyle, fold, heading_height, thin, words};
use super::figure::{Chart, Panel, Point, Side};
use super::marks::{off, pen, say};
use super::page::{
    BELOW, MARGIN, WIDTH, author_mark, begin, close, paper_level, paper_mark, value_axis,
};

/// Gap between two panels: half a label at either end.
const GAP: f32 = 52.0;

/// Draws a row for each word and a mark for each series.
pub fn draw(chart: &Chart, label: &str, values: &[String]) -> Drawing {
    let font = Font::load(false);
    let columns = chart.panels.len().clamp(1, 3);
    let deep = chart.panels.len().div_ceil(columns);
    let rows = Rows::of(chart, values);
    let widest = (rows.names.iter().flatten())
        .map(|line| font.width(line, 12.0))
        .fold(font.width(label, 12.0), f32::max);
    let high: f32 = rows.heights.iter().sum();
    let top = heading_height(WIDTH, MARGIN, &chart.title, &chart.subtitle) + 20.0;
    let end = top + deep as f32 * (high + BELOW);
    let mut drawing = begin(chart, end);
    let first = MARGIN + widest + 16.0;
    let wide = (WIDTH - MARGIN - first - GAP * (columns as f32 - 1.0)) / columns as f32;
    for (i, panel) in chart.panels.iter().enumerate() {
        let left = first + (i % columns) as f32 * (wide + GAP);
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
            y_ticks: Ticks::NONE,
            heading: "",
            x_label: &panel.heading,
        }
        .draw(&mut drawing);
        let leftmost = i % columns == 0;
        let bottom = rows.points(&mut drawing, panel, &x, y0, leftmost);
        rows.authors(&mut drawing, panel, &x, y0);
        rows.papers(&mut drawing, panel, &x, y0);
        drawing.line(vec![(left, y0), (left, bottom)], &thin(FRAME));
        if leftmost {
            drawing.text((left - 12.0, y0 - 9.0), label, words(12.0, SOFT).end());
        }
    }
    close(&mut drawing, chart, end, false);
    drawing
}

/// Height of one series in a row.
const TALLEST: f32 = 15.0;

/// Rows of all panels, one for each value, with its name wrapped. A row is as high as its series or its name,
/// whichever is higher.
struct Rows<'a> {
    chart: &'a Chart,
    values: &'a [String],
    names: Vec<Vec<String>>,
    heights: Vec<f32>,
}

impl Rows<'_> {
    fn of<'a>(chart: &'a Chart, values: &'a [String]) -> Rows<'a> {
        let names: Vec<Vec<String>> = (values.iter())
            .map(|name| fold(name, 12.0, false, 250.0))
            .collect();
        let series = chart.series.len() as f32 * TALLEST + 10.0;
        let height = |lines: &Vec<String>| series.max(lines.len() as f32 * 15.0 + 10.0);
        Rows {
            chart,
            values,
            heights: names.iter().map(height).collect(),
            names,
        }
    }

    /// Returns the distance of a series below the middle of its row.
    fn offset(&self, series: usize) -> f32 {
        TALLEST * (series as f32 - (self.chart.series.len() as f32 - 1.0) / 2.0)
    }

    /// Returns the top of row `nth` in a panel that begins at `y0`.
    fn above(&self, nth: usize, y0: f32) -> f32 {
        y0 + self.heights[..nth].iter().sum::<f32>()
    }

    /// Draws the measured points, with the names of the rows if `named`; returns the lower end of the last row.
    fn points(&self, drawing: &mut Drawing, panel: &Panel, x: &Axis, y0: f32, named: bool) -> f32 {
        let ends = [x.pixels.0, x.pixels.1];
        let mut at = y0;
        for (v, height) in self.heights.iter().enumerate() {
            drawing.line(ends.map(|end| (end, at)).to_vec(), &thin(GRID));
            if named {
                let lines = &self.names[v];
                let start = at + height / 2.0 + 4.0 - 7.5 * (lines.len() as f32 - 1.0);
                for (l, line) in lines.iter().enumerate() {
                    let place = (x.pixels.0 - 12.0, start + 15.0 * l as f32);
                    drawing.text(place, &**line, words(12.0, INK).end());
                }
            }
            for (s, points) in panel.points.iter().enumerate() {
                let Some(point) = points[v] else { continue };
                let series = &self.chart.series[s];
                let y = at + height / 2.0 + self.offset(s);
                let hint = format!("{}, {}: {}", series.name, self.values[v], say(&point));
                lying(drawing, x, y, &point, &series.look, &hint);
            }
            at += height;
        }
        at
    }

    fn authors(&self, drawing: &mut Drawing, panel: &Panel, x: &Axis, y0: f32) {
        for author in &panel.authors {
            // A word that was not run has no row.
            let mut rows = 0..self.values.len();
            let Some(nth) = rows.find(|nth| *nth as f64 == author.x) else {
                continue;
            };
            let middle = self.above(nth, y0) + self.heights[nth] / 2.0;
            let at = (x.place(author.value), middle + self.offset(author.series));
            let look = &self.chart.series[author.series].look;
            author_mark(drawing, at, look, &author.hint);
        }
    }

    fn papers(&self, drawing: &mut Drawing, panel: &Panel, x: &Axis, y0: f32) {
        for paper in &panel.papers {
            let color = self.chart.series[paper.series].look.color;
            let place = x.place(paper.value);
            match paper.at.as_slice() {
                [] => {}
                [nth] => {
                    let middle = self.above(*nth, y0) + self.heights[*nth] / 2.0;
                    let at = (place, middle + self.offset(paper.series));
                    paper_mark(drawing, at, color, paper.implied, &paper.hint);
                }
                [first, .., last] => {
                    let below = self.above(*last, y0) + self.heights[*last];
                    let ends = [(place, self.above(*first, y0)), (place, below)];
                    paper_level(drawing, ends, paper, color);
                }
            }
        }
    }
}

/// Draws a point with a horizontal interval.
fn lying(drawing: &mut Drawing, x: &Axis, y: f32, point: &Point, look: &SeriesStyle, hint: &str) {
    let pen = pen(look);
    if let Some([low, high]) = point.ci {
        let (low, high) = (x.place(low), x.place(high));
        if (low - high).abs() > 1.0 {
            drawing.line(vec![(low, y), (high, y)], &pen);
            for end in [low, high] {
                drawing.line(vec![(end, y - 3.5), (end, y + 3.5)], &pen);
            }
        }
    }
    let at = (x.place(point.value), y);
    if off(point, x) {
        drawing.text((at.0 + 8.0, y + 4.0), "0", words(11.5, INK).bold());
    } else if let Some(side) = point.bound {
        let way = if side == Side::Above { 1.0 } else { -1.0 };
        let tip = at.0 + way * 17.0;
        drawing.line(vec![at, (tip, y)], &pen);
        let back = tip - way * 5.0;
        drawing.line(vec![(back, y - 3.5), (tip, y), (back, y + 3.5)], &pen);
    }
    drawing.mark(at, 4.0, look, point.bound.is_none() && !off(point, x), hint);
}
