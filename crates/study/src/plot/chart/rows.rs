//! Rows over words.

use super::super::axis::{Axis, Scale, Ticks};
use super::super::font::Font;
use super::super::frame::Frame;
use super::super::look::{FRAME, GRID, INK, Look, SOFT, fold, heading_height, thin, words};
use super::super::scene::Scene;
use super::figure::{Chart, Point, Side};
use super::marks::{off, pen, say};
use super::page::{
    BELOW, MARGIN, WIDTH, author_mark, begin, close, paper_level, paper_mark, value_axis,
};

/// Between two panels: half of a label at either end.
const GAP: f32 = 52.0;

/// A row a word, a mark a series.
pub fn draw(chart: &Chart, label: &str, values: &[String]) -> Scene {
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
        let above = |nth: usize| y0 + heights[..nth].iter().sum::<f32>();
        for author in &panel.authors {
            // A word that was not run has no row.
            let Some(nth) = (0..values.len()).find(|nth| *nth as f64 == author.x) else {
                continue;
            };
            let offset = TALLEST * (author.series as f32 - (series - 1.0) / 2.0);
            let at = (
                x.place(author.value),
                above(nth) + heights[nth] / 2.0 + offset,
            );
            author_mark(
                &mut scene,
                at,
                &chart.series[author.series].look,
                &author.hint,
            );
        }
        for paper in &panel.papers {
            let color = chart.series[paper.series].look.color;
            let place = x.place(paper.value);
            match paper.at.as_slice() {
                [] => {}
                [nth] => {
                    let middle = above(*nth) + heights[*nth] / 2.0;
                    let offset = TALLEST * (paper.series as f32 - (series - 1.0) / 2.0);
                    let at = (place, middle + offset);
                    paper_mark(&mut scene, at, color, paper.implied, &paper.hint);
                }
                [first, .., last] => {
                    let ends = [
                        (place, above(*first)),
                        (place, above(*last) + heights[*last]),
                    ];
                    paper_level(&mut scene, ends, paper, color);
                }
            }
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
        scene.text((at.0 + 8.0, y + 4.0), "0", words(11.5, INK).bold());
    } else if let Some(side) = point.bound {
        let way = if side == Side::Above { 1.0 } else { -1.0 };
        let tip = at.0 + way * 17.0;
        scene.line(vec![at, (tip, y)], &pen);
        let back = tip - way * 5.0;
        scene.line(vec![(back, y - 3.5), (tip, y), (back, y + 3.5)], &pen);
    }
    scene.mark(at, 4.0, look, point.bound.is_none() && !off(point, x), hint);
}
