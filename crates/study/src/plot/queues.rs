//! Queues of a group of switches at some instants: one row a switch, one column an instant, one bar a port.

use super::drawing::{Color, Drawing, Stroke};
use super::font::Font;
use super::look::{FAINT, FRAME, INK, SOFT, SeriesStyle, heading, heading_height, thin, words};
use crate::format::number;

/// Contents of a figure of queues.
#[derive(Clone, Debug)]
pub struct Queues {
    /// Title, in bold at the top.
    pub title: String,
    /// Subtitle, below the title.
    pub subtitle: String,
    /// Quantity that bars measure, with the unit.
    pub counted: String,
    /// Labels of the columns, as `12.3 ms`.
    pub instants: Vec<String>,
    /// Switches, from the top down.
    pub switches: Vec<Switch>,
    /// Capacity of a queue; `None` if it has no fixed one.
    pub capacity: Option<f64>,
    /// Look of the bars.
    pub look: SeriesStyle,
}

/// Switch: one row of the figure.
#[derive(Clone, Debug)]
pub struct Switch {
    /// Name.
    pub name: String,
    /// For each port, true if it leads to a host.
    pub to_host: Vec<bool>,
    /// Queue of port `p` at instant `t`: `len[t][p]`.
    pub len: Vec<Vec<f64>>,
}

const WIDTH: f32 = 960.0;
const MARGIN: f32 = 24.0;
const CELL: f32 = 54.0;
const GAP: f32 = 14.0;

/// Colour of ports that lead to hosts.
const TO_HOST: Color = Color(110, 110, 110);

/// Draws the figure.
pub fn queues(figure: &Queues) -> Drawing {
    let top = heading_height(WIDTH, MARGIN, &figure.title, &figure.subtitle) + 24.0;
    let deep = figure.switches.len() as f32;
    let high = deep * (CELL + GAP);
    let mut drawing = Drawing::new(WIDTH, top + high + 56.0, figure.title.clone());
    heading(&mut drawing, MARGIN, &figure.title, &figure.subtitle);
    let font = Font::load(false);
    let widest = figure.switches.iter().map(|s| font.width(&s.name, 12.0));
    let all = figure.switches.iter().flat_map(|s| s.len.iter().flatten());
    let most = all.copied().fold(figure.capacity.unwrap_or(1.0), f64::max);
    // Numbers are between the names and the bars.
    let numbers = font.width(&number_(most), 10.5).max(18.0) + 20.0;
    let left = MARGIN + widest.fold(30.0, f32::max) + numbers + 6.0;
    let columns = figure.instants.len().max(1) as f32;
    let wide = (WIDTH - MARGIN - left - GAP * (columns - 1.0)) / columns;
    for (t, instant) in figure.instants.iter().enumerate() {
        let x0 = left + t as f32 * (wide + GAP);
        drawing.text(
            (x0 + wide / 2.0, top - 9.0),
            &**instant,
            words(12.0, INK).middle(),
        );
        for (s, switch) in figure.switches.iter().enumerate() {
            let bottom = top + s as f32 * (CELL + GAP) + CELL;
            if t == 0 {
                let middle = bottom - CELL / 2.0 + 4.0;
                let place = (left - numbers, middle);
                drawing.text(place, &*switch.name, words(12.0, INK).end());
                for (value, y) in [(most, bottom - CELL + 8.0), (0.0, bottom)] {
                    drawing.text((left - 6.0, y), number_(value), words(10.5, SOFT).end());
                }
            }
            drawing.rect([x0, bottom - CELL, wide, CELL], FAINT);
            if let Some(capacity) = figure.capacity {
                let y = bottom - CELL * (capacity / most) as f32;
                drawing.line(vec![(x0, y), (x0 + wide, y)], &dotted());
            }
            let empty = Vec::new();
            let ports = switch.len.get(t).unwrap_or(&empty);
            let slot = wide / ports.len().max(1) as f32;
            for (p, len) in ports.iter().enumerate() {
                let tall = CELL * (len / most) as f32;
                let thick = (slot * 0.72).max(1.0);
                let host = switch.to_host.get(p).copied().unwrap_or(false);
                let fill = if host { TO_HOST } else { figure.look.color };
                let at = [
                    x0 + slot * p as f32 + (slot - thick) / 2.0,
                    bottom - tall,
                    thick,
                    tall,
                ];
                if tall > 0.0 {
                    drawing.rect(at, fill);
                }
            }
            drawing.line(vec![(x0, bottom), (x0 + wide, bottom)], &thin(FRAME));
        }
    }
    key(&mut drawing, figure, top + high + 18.0);
    drawing
}

fn number_(value: f64) -> String {
    if value == 0.0 {
        "0".into()
    } else {
        number(value)
    }
}

fn dotted() -> Stroke {
    Stroke {
        color: SOFT,
        width: 1.0,
        dash: &[2.5, 2.5],
    }
}

fn key(drawing: &mut Drawing, figure: &Queues, y: f32) {
    let font = Font::load(false);
    let mut x = MARGIN;
    let mut entry = |drawing: &mut Drawing, fill: Color, text: &str| {
        drawing.rect([x, y - 9.0, 12.0, 10.0], fill);
        drawing.text((x + 18.0, y), text, words(12.0, SOFT));
        x += 18.0 + font.width(text, 12.0) + 26.0;
    };
    entry(drawing, figure.look.color, "port to a switch");
    entry(drawing, TO_HOST, "port to a host");
    let mut more = format!("height: {}; one bar per port, from port 0", figure.counted);
    if let Some(capacity) = figure.capacity {
        more.push_str(&format!(
            "; dotted: capacity of a queue, {}",
            number(capacity)
        ));
    }
    drawing.text((MARGIN, y + 20.0), more, words(12.0, SOFT));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plot::svg;
    use crate::plot::testing::keep;

    #[test]
    fn there_is_a_bar_for_every_queue_that_is_not_empty() {
        let switch = |s: usize| Switch {
            name: format!("edge 3.{s}"),
            to_host: (0..8).map(|p| p < 4).collect(),
            len: (0..5)
                .map(|t| {
                    (0..8)
                        .map(|p| ((p * 37 + t * 11 + s * 5) % 100) as f64)
                        .collect()
                })
                .collect(),
        };
        let figure = Queues {
            title: "Queues of the pod that detours most".into(),
            subtitle: "fig02b; dibs, seed 1".into(),
            counted: "packets queued".into(),
            instants: (0..5).map(|t| format!("{t}.25 ms")).collect(),
            switches: (0..8).map(switch).collect(),
            capacity: Some(100.0),
            look: SeriesStyle::nth(1),
        };
        let drawing = queues(&figure);
        keep("queues", &drawing);
        let full = figure.switches.iter().flat_map(|s| s.len.iter().flatten());
        let full = full.filter(|l| **l > 0.0).count();
        // Rectangles: the bars, the page, a background for each cell, and two in the key.
        assert_eq!(svg(&drawing).matches("<rect").count(), full + 1 + 5 * 8 + 2);
    }
}
