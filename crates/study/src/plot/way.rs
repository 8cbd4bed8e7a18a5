//! Path of one packet: the nodes it visited, in tiers, and an arc for each link with the number of times it was
//! used.

use super::drawing::{Drawing, Item, PAGE, Shape, Stroke};
use super::font::Font;
use super::look::{FRAME, INK, SOFT, SeriesStyle, heading, heading_height, thin, words};

/// Contents of a figure of a path.
#[derive(Clone, Debug)]
pub struct PathFigure {
    /// Title, in bold at the top.
    pub title: String,
    /// Subtitle, below the title.
    pub subtitle: String,
    /// Tiers, from the bottom up: a name and the nodes from left to right.
    pub tiers: Vec<(String, Vec<String>)>,
    /// Links that the packet used.
    pub hops: Vec<Hop>,
    /// Look of the arcs.
    pub look: SeriesStyle,
}

/// Link that the packet used, in one direction.
#[derive(Clone, Debug, PartialEq)]
pub struct Hop {
    /// Node of a tier.
    pub from: String,
    /// Next node.
    pub to: String,
    /// Number of times.
    pub times: u32,
    /// Number of times that were detours.
    pub detours: u32,
}

const WIDTH: f32 = 960.0;
const MARGIN: f32 = 24.0;
const TIER: f32 = 110.0;

/// Draws the figure.
pub fn way(figure: &PathFigure) -> Drawing {
    let top = heading_height(WIDTH, MARGIN, &figure.title, &figure.subtitle) + 30.0;
    let high = TIER * figure.tiers.len().saturating_sub(1) as f32;
    let mut drawing = Drawing::new(WIDTH, top + high + 72.0, figure.title.clone());
    heading(&mut drawing, MARGIN, &figure.title, &figure.subtitle);
    let font = Font::load(false);
    let named = figure.tiers.iter().map(|(name, _)| font.width(name, 12.0));
    let left = MARGIN + named.fold(0.0, f32::max) + 24.0;
    let mut places: Vec<(&str, (f32, f32))> = Vec::new();
    for (t, (name, nodes)) in figure.tiers.iter().enumerate() {
        let y = top + high - TIER * t as f32;
        drawing.text((MARGIN, y + 4.0), &**name, words(12.0, SOFT));
        let slot = (WIDTH - MARGIN - left) / nodes.len().max(1) as f32;
        for (i, node) in nodes.iter().enumerate() {
            places.push((node, (left + slot * (i as f32 + 0.5), y)));
        }
    }
    let place = |node: &str| places.iter().find(|(name, _)| *name == node).map(|p| p.1);
    for hop in &figure.hops {
        if let (Some(from), Some(to)) = (place(&hop.from), place(&hop.to)) {
            arc(&mut drawing, hop, from, to, &figure.look);
        }
    }
    for (name, at) in &places {
        let wide = font.width(name, 11.5) + 14.0;
        drawing.rect(
            [at.0 - wide / 2.0 - 1.0, at.1 - 12.0, wide + 2.0, 24.0],
            FRAME,
        );
        drawing.rect([at.0 - wide / 2.0, at.1 - 11.0, wide, 22.0], PAGE);
        drawing.text((at.0, at.1 + 4.0), *name, words(11.5, INK).middle());
    }
    let key = "solid: as routed; dashed: detour; width and number: times the packet took the link";
    drawing.text((MARGIN, top + high + 52.0), key, words(12.0, SOFT));
    drawing
}

/// Draws a line bent to its right, so that the two directions of a link do not overlap.
fn arc(drawing: &mut Drawing, hop: &Hop, from: (f32, f32), to: (f32, f32), look: &SeriesStyle) {
    let (dx, dy) = (to.0 - from.0, to.1 - from.1);
    let long = dx.hypot(dy).max(1.0);
    let (nx, ny) = (-dy / long, dx / long);
    for (times, detour) in [
        (hop.times - hop.detours.min(hop.times), false),
        (hop.detours, true),
    ] {
        if times == 0 {
            continue;
        }
        let bend = if detour { 30.0 } else { 14.0 };
        let middle = (
            (from.0 + to.0) / 2.0 + nx * bend,
            (from.1 + to.1) / 2.0 + ny * bend,
        );
        let at = |t: f32| {
            let mix = |a: f32, m: f32, b: f32| {
                (1.0 - t) * (1.0 - t) * a + 2.0 * t * (1.0 - t) * m + t * t * b
            };
            (mix(from.0, middle.0, to.0), mix(from.1, middle.1, to.1))
        };
        // The nodes cover both ends.
        let points: Vec<(f32, f32)> = (0..=24).map(|i| at(i as f32 / 24.0)).collect();
        let stroke = Stroke {
            color: look.color,
            width: 1.2 + 0.8 * (times.min(12) as f32).sqrt(),
            dash: if detour { &[5.0, 4.0] } else { &[] },
        };
        drawing.line(points, &stroke);
        head(drawing, at(0.60), at(0.66), look);
        if times > 1 {
            let (x, y) = at(0.42);
            drawing.items.push(Item::Mark {
                at: (x, y),
                shape: Shape::Circle,
                radius: 8.0,
                stroke: thin(look.color),
                fill: PAGE,
                hint: format!("{} to {}: {times} times", hop.from, hop.to),
            });
            drawing.text(
                (x, y + 4.0),
                times.to_string(),
                words(11.0, INK).bold().middle(),
            );
        }
    }
}

/// Draws an arrow head on the line.
fn head(drawing: &mut Drawing, from: (f32, f32), to: (f32, f32), look: &SeriesStyle) {
    let (dx, dy) = (to.0 - from.0, to.1 - from.1);
    let long = dx.hypot(dy).max(0.1);
    let (ux, uy) = (dx / long, dy / long);
    let back = |side: f32| {
        (
            to.0 - 8.0 * ux - side * 4.5 * uy,
            to.1 - 8.0 * uy + side * 4.5 * ux,
        )
    };
    let stroke = Stroke {
        color: look.color,
        width: 2.0,
        dash: &[],
    };
    drawing.line(vec![back(1.0), to, back(-1.0)], &stroke);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plot::svg;
    use crate::plot::testing::keep;

    #[test]
    fn detours_are_dashed_and_links_taken_again_say_how_often() {
        let hop = |from: &str, to: &str, times, detours| Hop {
            from: from.into(),
            to: to.into(),
            times,
            detours,
        };
        let names = |names: &[&str]| names.iter().map(|n| n.to_string()).collect();
        let figure = PathFigure {
            title: "The way of one packet that was detoured 15 times".into(),
            subtitle: "fig01; dibs, seed 1, packet 100:3 from host 100 to host 3".into(),
            tiers: vec![
                ("hosts".into(), names(&["host 100", "host 3"])),
                (
                    "edge".into(),
                    names(&["edge 25", "edge 1", "edge 2", "edge 3"]),
                ),
                ("aggregation".into(), names(&["agg 50", "agg 33", "agg 34"])),
                ("core".into(), names(&["core 70", "core 71"])),
            ],
            hops: vec![
                hop("host 100", "edge 25", 1, 0),
                hop("edge 25", "agg 50", 1, 0),
                hop("agg 50", "core 70", 1, 0),
                hop("core 70", "agg 33", 3, 0),
                hop("agg 33", "core 70", 2, 2),
                hop("agg 33", "edge 1", 4, 0),
                hop("edge 1", "agg 33", 3, 3),
                hop("edge 1", "agg 34", 2, 2),
                hop("agg 34", "edge 1", 2, 0),
                hop("edge 1", "host 3", 1, 0),
            ],
            look: SeriesStyle::nth(1),
        };
        let drawing = way(&figure);
        keep("way", &drawing);
        let text = svg(&drawing);
        assert_eq!(text.matches("stroke-dasharray=\"5 4\"").count(), 3);
        assert!(
            text.contains("<title>edge 1 to agg 33: 3 times</title>"),
            "{text}"
        );
    }
}
