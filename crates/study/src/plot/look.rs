//! Look of plots: a scheme has the same colour, dash and mark in every figure.

use super::drawing::{Anchor, Color, Drawing, Item, PAGE, Shape, Stroke, TextStyle};
use super::font::Font;

/// Colours for light and for dark pages, distinct for colour-blind readers. Each has a contrast of 3:1 or more
/// with its page.
const COLORS: [(Color, Color); 7] = [
    (Color(0, 114, 178), Color(74, 163, 223)),
    (Color(213, 94, 0), Color(240, 127, 46)),
    (Color(0, 133, 95), Color(47, 197, 150)),
    (Color(192, 82, 143), Color(224, 143, 189)),
    (Color(91, 63, 168), Color(168, 147, 240)),
    (Color(143, 106, 0), Color(217, 173, 43)),
    (Color(110, 110, 110), Color(160, 160, 160)),
];
/// Background of a dark page.
const DARK_PAGE: Color = Color(20, 23, 26);
const DASHES: [&[f32]; 4] = [&[], &[7.0, 3.0], &[2.5, 2.5], &[9.0, 3.0, 2.0, 3.0]];
const SHAPES: [Shape; 5] = [
    Shape::Circle,
    Shape::Square,
    Shape::Triangle,
    Shape::Diamond,
    Shape::Nabla,
];

/// Text and axes.
pub const INK: Color = Color(33, 37, 41);
/// Secondary text.
pub const SOFT: Color = Color(95, 104, 113);
/// Grid lines with a label.
pub const GRID: Color = Color(229, 232, 235);
/// Grid lines without a label.
pub const FAINT: Color = Color(243, 244, 246);
/// Edges of panels.
pub const FRAME: Color = Color(138, 145, 153);

/// Lists every colour of a plot with its replacement on a dark page.
pub fn dark() -> impl Iterator<Item = (Color, Color)> {
    let page = [
        (PAGE, DARK_PAGE),
        (INK, Color(228, 231, 234)),
        (SOFT, Color(162, 171, 180)),
        (GRID, Color(44, 50, 55)),
        (FAINT, Color(31, 36, 40)),
        (FRAME, Color(116, 125, 133)),
    ];
    page.into_iter().chain(COLORS)
}

/// Look of a series.
#[derive(Clone, Debug, PartialEq)]
pub struct SeriesStyle {
    /// Colour of lines and marks.
    pub color: Color,
    /// Dash pattern of lines.
    pub dash: &'static [f32],
    /// Shape of marks.
    pub shape: Shape,
}

impl SeriesStyle {
    /// Returns look number `n`: colours, dashes and marks change together.
    pub fn nth(n: usize) -> SeriesStyle {
        SeriesStyle {
            color: COLORS[n % COLORS.len()].0,
            dash: DASHES[n % DASHES.len()],
            shape: SHAPES[n % SHAPES.len()],
        }
    }

    /// Returns the same colour with the dash and mark of condition `n`. In a plot of several schemes under
    /// several conditions, the colour identifies the scheme and the dash the condition.
    pub fn in_condition(&self, n: usize) -> SeriesStyle {
        SeriesStyle {
            color: self.color,
            dash: DASHES[n % DASHES.len()],
            shape: SHAPES[n % SHAPES.len()],
        }
    }

    /// Returns the stroke of a line with this look.
    pub fn line(&self) -> Stroke {
        Stroke {
            color: self.color,
            width: 2.2,
            dash: self.dash,
        }
    }
}

impl Drawing {
    /// Adds a mark, filled with its colour or open.
    pub fn mark(
        &mut self,
        at: (f32, f32),
        radius: f32,
        look: &SeriesStyle,
        filled: bool,
        hint: &str,
    ) {
        let stroke = Stroke {
            color: look.color,
            width: 1.6,
            dash: &[],
        };
        self.items.push(Item::Mark {
            at,
            shape: look.shape,
            radius,
            stroke,
            fill: if filled { look.color } else { PAGE },
            hint: hint.into(),
        });
    }
}

/// Looks of the schemes of a report.
#[derive(Clone, Debug, Default)]
pub struct Palette(Vec<String>);

impl Palette {
    /// Assigns looks in the order in which names first appear.
    pub fn new<'a>(names: impl IntoIterator<Item = &'a str>) -> Palette {
        let mut palette = Palette::default();
        for name in names {
            if !palette.0.iter().any(|n| n == name) {
                palette.0.push(name.into());
            }
        }
        palette
    }

    /// Returns the look of `name`; an unknown name gets the next free look.
    pub fn look(&self, name: &str) -> SeriesStyle {
        let known = self.0.iter().position(|n| n == name);
        SeriesStyle::nth(known.unwrap_or(self.0.len()))
    }

    /// Returns looks for these names in one plot. If two names would share a colour, the later one gets the
    /// next free colour; if no colour is free, a free combination of colour and dash.
    pub fn apart(&self, names: &[&str]) -> Vec<SeriesStyle> {
        let mut looks: Vec<SeriesStyle> = Vec::new();
        for name in names {
            let own = self.look(name);
            let fresh = |look: &SeriesStyle| looks.iter().all(|l| l.color != look.color);
            let other = |look: &SeriesStyle| {
                let mut before = looks.iter();
                before.all(|l| (l.color, l.dash) != (look.color, look.dash))
            };
            let all = || std::iter::once(own.clone()).chain((0..ALL).map(SeriesStyle::nth));
            let found = all().find(fresh).or_else(|| all().find(other));
            looks.push(found.unwrap_or(own));
        }
        looks
    }
}

/// Number of looks before they repeat.
const ALL: usize = COLORS.len() * DASHES.len() * SHAPES.len();

/// Number of conditions that dashes can distinguish.
pub const CONDITIONS: usize = DASHES.len();

/// Returns a regular text style of this size and colour.
pub fn words(size: f32, color: Color) -> TextStyle {
    TextStyle {
        color,
        size,
        bold: false,
        anchor: Anchor::Start,
        upwards: false,
    }
}

/// Returns the stroke of a thin line.
pub fn thin(color: Color) -> Stroke {
    Stroke {
        color,
        width: 1.0,
        dash: &[],
    }
}

impl TextStyle {
    /// Makes the text semi-bold.
    pub fn bold(self) -> TextStyle {
        TextStyle { bold: true, ..self }
    }

    /// Centres the text on its position.
    pub fn middle(self) -> TextStyle {
        TextStyle {
            anchor: Anchor::Middle,
            ..self
        }
    }

    /// Ends the text at its position.
    pub fn end(self) -> TextStyle {
        TextStyle {
            anchor: Anchor::End,
            ..self
        }
    }
}

/// Draws title and subtitle; returns the upper end of the plot.
pub fn heading(drawing: &mut Drawing, left: f32, title: &str, subtitle: &str) -> f32 {
    let room = drawing.width - 2.0 * left;
    let mut y = 12.0;
    for line in fold(title, 17.0, true, room) {
        y += 21.0;
        drawing.text((left, y), line, words(17.0, INK).bold());
    }
    for line in fold(subtitle, 12.0, false, room) {
        y += 18.0;
        drawing.text((left, y), line, words(12.0, SOFT));
    }
    y + 14.0
}

/// Returns the height that [`heading`] will take.
pub fn heading_height(width: f32, left: f32, title: &str, subtitle: &str) -> f32 {
    heading(
        &mut Drawing::new(width, 1.0, String::new()),
        left,
        title,
        subtitle,
    )
}

/// Breaks a text into lines that fit.
pub fn fold(text: &str, size: f32, bold: bool, room: f32) -> Vec<String> {
    let font = Font::load(bold);
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if font.width(&format!("{line} {word}"), size) <= room => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.into()),
        }
    }
    lines
}

/// Entry of a legend.
#[derive(Clone, Debug)]
pub struct Entry {
    /// Look in the plot.
    pub look: SeriesStyle,
    /// Name.
    pub name: String,
    /// Further text; may be empty.
    pub about: String,
}

/// Distance between the lines of a legend.
pub const LEGEND_LINE: f32 = 20.0;

/// Draws a legend with one entry a line, from `top` down. `line` draws the look's line, `marks` its mark.
pub fn legend(
    drawing: &mut Drawing,
    (left, top): (f32, f32),
    entries: &[Entry],
    line: bool,
    marks: bool,
) {
    let font = Font::load(true);
    let widest = entries
        .iter()
        .map(|e| font.width(&e.name, 12.5))
        .fold(0.0, f32::max);
    // A reader's page may use a wider font than the one measured.
    let widest = widest * 1.15;
    for (i, entry) in entries.iter().enumerate() {
        let y = top + LEGEND_LINE * i as f32;
        if line {
            drawing.line(
                vec![(left, y - 4.0), (left + 34.0, y - 4.0)],
                &entry.look.line(),
            );
        }
        if marks {
            drawing.mark((left + 17.0, y - 4.0), 4.0, &entry.look, true, "");
        }
        drawing.text((left + 44.0, y), &*entry.name, words(12.5, INK).bold());
        drawing.text((left + 58.0 + widest, y), &*entry.about, words(12.0, SOFT));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the contrast ratio of two colours, from 1 to 21, as defined by WCAG 2.
    fn contrast(a: Color, b: Color) -> f64 {
        let part = |v: u8| match f64::from(v) / 255.0 {
            v if v <= 0.03928 => v / 12.92,
            v => ((v + 0.055) / 1.055).powf(2.4),
        };
        let light = |Color(r, g, b)| 0.2126 * part(r) + 0.7152 * part(g) + 0.0722 * part(b);
        let (a, b) = (light(a), light(b));
        (a.max(b) + 0.05) / (a.min(b) + 0.05)
    }

    #[test]
    fn every_line_stands_out_from_its_page_and_words_more() {
        for (light, dark) in COLORS {
            assert!(contrast(light, PAGE) >= 3.0, "{light:?}");
            assert!(contrast(dark, DARK_PAGE) >= 3.0, "{dark:?}");
        }
        for (light, other) in dark().filter(|(c, _)| [INK, SOFT].contains(c)) {
            assert!(contrast(light, PAGE) >= 4.5 && contrast(other, DARK_PAGE) >= 4.5);
        }
    }

    #[test]
    fn schemes_that_would_share_a_colour_do_not_within_a_plot() {
        let names: Vec<String> = (0..30).map(|n| format!("s{n}")).collect();
        let palette = Palette::new(names.iter().map(String::as_str));
        assert_eq!(palette.look("s1").color, palette.look("s8").color);
        let two = palette.apart(&["s1", "s8"]);
        assert_eq!(two[0], palette.look("s1"));
        assert_ne!(two[0].color, two[1].color);
        let all: Vec<&str> = names.iter().map(String::as_str).take(28).collect();
        let all = palette.apart(&all);
        for (i, look) in all.iter().enumerate() {
            let same = |l: &&SeriesStyle| (l.color, l.dash) == (look.color, look.dash);
            assert_eq!(all.iter().filter(same).count(), 1, "number {i}");
        }
    }
}
