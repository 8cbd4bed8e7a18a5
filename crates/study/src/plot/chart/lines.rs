//! Lines over numbers.

use super::super::axis::{Axis, Scale, Ticks};
use super::super::drawing::Drawing;
use super::super::frame::{Frame, HEADING_LINE, heading_lines};
use super::super::look::{INK, SeriesStyle, heading_height, words};
use super::figure::{Chart, Point, Side};
use super::marks::{off, pen, say};
use super::page::{
    BELOW, MARGIN, WIDTH, author_mark, begin, close, paper_level, paper_mark, value_axis,
};

/// Gap between two panels.
const GAP: f32 = 104.0;
/// Height of the panels of a line plot.
const HIGH: f32 = 260.0;

/// Draws a panel for each metric and a line for each series.
pub fn draw(chart: &Chart, label: &str, scale: Scale, values: &[(f64, String)]) -> Drawing {
    let columns = if chart.panels.len() > 1 { 2 } else { 1 };
    let deep = chart.panels.len().div_ceil(columns) as f32;
    let wide = match columns {
        1 => WIDTH - 2.0 * MARGIN - 44.0,
        _ => (WIDTH - 2.0 * MARGIN - 44.0 - GAP + 24.0) / 2.0,
    };
    let heads = chart.panels.iter().map(|panel| {
        let ticks = value_axis(panel, (HIGH, 0.0)).ticks();
        heading_lines(&ticks.labels.said(&panel.heading), wide).len()
    });
    let more = HEADING_LINE * (heads.max().unwrap_or(1).max(1) - 1) as f32;
    let step = HIGH + BELOW + more;
    let top = heading_height(WIDTH, MARGIN, &chart.title, &chart.subtitle) + 20.0 + more;
    let end = top - more + deep * step;
    let mut drawing = begin(chart, end);
    for (i, panel) in chart.panels.iter().enumerate() {
        let left = MARGIN + 44.0 + (i % columns) as f32 * (wide + GAP - 24.0);
        let y0 = top + (i / columns) as f32 * step;
        // The authors' points may lie beyond our own.
        let theirs = chart.panels.iter().flat_map(|p| &p.authors).map(|a| a.x);
        let theirs = theirs.filter(|x| scale == Scale::Linear || *x > 0.0);
        let places = values.iter().map(|v| v.0).chain(theirs);
        let x = Spread::new(scale, places, (left, left + wide));
        let y = value_axis(panel, (y0 + HIGH, y0));
        Frame {
            x: &x.axis,
            y: &y,
            x_ticks: Ticks::at(&values.iter().map(|v| v.0).collect::<Vec<f64>>()),
            y_ticks: y.ticks(),
            heading: &panel.heading,
            x_label: label,
        }
        .draw(&mut drawing);
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
            // An unknown value leaves a gap in the line.
            for run in all.split(|(.., p)| p.is_none()).filter(|run| run.len() > 1) {
                let at =
                    |(v, _, p): &(f64, _, Option<Point>)| p.map(|p| (place(*v), y.place(p.value)));
                drawing.line(run.iter().filter_map(at).collect(), &look.line());
            }
            let known = all
                .iter()
                .filter_map(|(v, word, p)| p.map(|p| (*v, *word, p)));
            for (v, word, point) in known {
                let hint = format!("{} at {word}: {}", chart.series[s].name, say(&point));
                upright(&mut drawing, place(v), &y, &point, look, &hint);
            }
        }
        for author in &panel.authors {
            let at = (x.axis.place(author.x), y.place(author.value));
            author_mark(
                &mut drawing,
                at,
                &chart.series[author.series].look,
                &author.hint,
            );
        }
        for paper in &panel.papers {
            let color = chart.series[paper.series].look.color;
            let place = |nth: &usize| (x.axis.place(values[*nth].0), y.place(paper.value));
            let mut all: Vec<(f32, f32)> = paper.at.iter().map(place).collect();
            all.sort_by(|a, b| a.0.total_cmp(&b.0));
            match all.as_slice() {
                [] => {}
                [at] => paper_mark(&mut drawing, *at, color, paper.implied, &paper.hint),
                [first, .., last] => paper_level(&mut drawing, [*first, *last], paper, color),
            }
        }
    }
    close(&mut drawing, chart, end, true);
    drawing
}

/// Axis with a margin at both ends.
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

/// Draws a point with a vertical interval.
fn upright(drawing: &mut Drawing, x: f32, y: &Axis, point: &Point, look: &SeriesStyle, hint: &str) {
    let pen = pen(look);
    if let Some([low, high]) = point.ci {
        let (low, high) = (y.place(low), y.place(high));
        if (low - high).abs() > 1.0 {
            drawing.line(vec![(x, low), (x, high)], &pen);
            for end in [low, high] {
                drawing.line(vec![(x - 3.5, end), (x + 3.5, end)], &pen);
            }
        }
    }
    let at = (x, y.place(point.value));
    if off(point, y) {
        drawing.text((x + 8.0, at.1 - 5.0), "0", words(11.5, INK).bold());
    } else if let Some(side) = point.bound {
        let way = if side == Side::Above { -1.0 } else { 1.0 };
        let tip = at.1 + way * 17.0;
        drawing.line(vec![at, (x, tip)], &pen);
        let back = tip - way * 5.0;
        drawing.line(vec![(x - 3.5, back), (x, tip), (x + 3.5, back)], &pen);
    }
    drawing.mark(at, 4.0, look, point.bound.is_none() && !off(point, y), hint);
}
