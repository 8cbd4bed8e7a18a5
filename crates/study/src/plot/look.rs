//! How things look: the same colour, dash and mark for a scheme in every figure.

use super::font::Font;
use super::scene::{Anchor, Color, Item, PAGE, Scene, Shape, Stroke, TextStyle};

/// Colours that colour-blind readers tell apart, and each on a dark page. All stand out from their
/// page by 3:1 or more.
const COLORS: [(Color, Color); 7] = [
    (Color(0, 114, 178), Color(74, 163, 223)),
    (Color(213, 94, 0), Color(240, 127, 46)),
    (Color(0, 133, 95), Color(47, 197, 150)),
    (Color(192, 82, 143), Color(224, 143, 189)),
    (Color(91, 63, 168), Color(168, 147, 240)),
    (Color(143, 106, 0), Color(217, 173, 43)),
    (Color(110, 110, 110), Color(160, 160, 160)),
];
/// A page that is dark.
const DARK_PAGE: Color = Color(20, 23, 26);
const DASHES: [&[f32]; 4] = [&[], &[7.0, 3.0], &[2.5, 2.5], &[9.0, 3.0, 2.0, 3.0]];
const SHAPES: [Shape; 5] = [
    Shape::Circle,
    Shape::Square,
    Shape::Triangle,
    Shape::Diamond,
    Shape::Nabla,
];

/// Words and axes.
pub const INK: Color = Color(33, 37, 41);
/// The colour of secondary text.
pub const SOFT: Color = Color(95, 104, 113);
/// Grid lines with a label.
pub const GRID: Color = Color(229, 232, 235);
/// Those without.
pub const FAINT: Color = Color(243, 244, 246);
/// The edges of panels.
pub const FRAME: Color = Color(138, 145, 153);

/// Every colour of a plot, and what stands for it on a dark page.
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

/// How a series looks.
#[derive(Clone, Debug, PartialEq)]
pub struct Look {
    /// Of lines and marks.
    pub color: Color,
    /// Of lines.
    pub dash: &'static [f32],
    /// Of marks.
    pub shape: Shape,
}

impl Look {
    /// The look number `n`: colours, dashes and marks change together.
    pub fn nth(n: usize) -> Look {
        Look {
            color: COLORS[n % COLORS.len()].0,
            dash: DASHES[n % DASHES.len()],
            shape: SHAPES[n % SHAPES.len()],
        }
    }

    /// The same colour in condition `n`, which has one dash and mark for all schemes: of several
    /// schemes in several conditions the colour says which scheme, the dash which condition.
    pub fn in_condition(&self, n: usize) -> Look {
        Look {
            color: self.color,
            dash: DASHES[n % DASHES.len()],
            shape: SHAPES[n % SHAPES.len()],
        }
    }

    /// A line of it.
    pub fn line(&self) -> Stroke {
        Stroke {
            color: self.color,
            width: 2.2,
            dash: self.dash,
        }
    }
}

impl Scene {
    /// Adds a mark, filled with its colour or open.
    pub fn mark(&mut self, at: (f32, f32), radius: f32, look: &Look, filled: bool, hint: &str) {
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

/// A look for each scheme of a report.
#[derive(Clone, Debug, Default)]
pub struct Palette(Vec<String>);

impl Palette {
    /// Looks in the order in which names first appear.
    pub fn new<'a>(names: impl IntoIterator<Item = &'a str>) -> Palette {
        let mut palette = Palette::default();
        for name in names {
            if !palette.0.iter().any(|n| n == name) {
                palette.0.push(name.into());
            }
        }
        palette
    }

    /// The look of `name`; one that was not announced looks like the next.
    pub fn look(&self, name: &str) -> Look {
        let known = self.0.iter().position(|n| n == name);
        Look::nth(known.unwrap_or(self.0.len()))
    }

    /// Looks for these names in one plot: their own, but where two would share a colour the
    /// later one has the next that is free, and where all are taken, a line that is free.
    pub fn apart(&self, names: &[&str]) -> Vec<Look> {
        let mut looks: Vec<Look> = Vec::new();
        for name in names {
            let own = self.look(name);
            let fresh = |look: &Look| looks.iter().all(|l| l.color != look.color);
            let other = |look: &Look| {
                let mut before = looks.iter();
                before.all(|l| (l.color, l.dash) != (look.color, look.dash))
            };
            let all = || std::iter::once(own.clone()).chain((0..ALL).map(Look::nth));
            let found = all().find(fresh).or_else(|| all().find(other));
            looks.push(found.unwrap_or(own));
        }
        looks
    }
}

/// So many looks are there before they repeat.
const ALL: usize = COLORS.len() * DASHES.len() * SHAPES.len();

/// So many conditions can be told apart by their dashes.
pub const CONDITIONS: usize = DASHES.len();

/// Text of this size.
pub fn words(size: f32, color: Color) -> TextStyle {
    TextStyle {
        color,
        size,
        bold: false,
        anchor: Anchor::Start,
        upwards: false,
    }
}

/// A hair line.
pub fn thin(color: Color) -> Stroke {
    Stroke {
        color,
        width: 1.0,
        dash: &[],
    }
}

impl TextStyle {
    /// Semi-bold.
    pub fn bold(self) -> TextStyle {
        TextStyle { bold: true, ..self }
    }

    /// Its middle at the place.
    pub fn middle(self) -> TextStyle {
        TextStyle {
            anchor: Anchor::Middle,
            ..self
        }
    }

    /// Its end at the place.
    pub fn end(self) -> TextStyle {
        TextStyle {
            anchor: Anchor::End,
            ..self
        }
    }
}

/// Title and subtitle; returns where the plot may begin.
pub fn heading(scene: &mut Scene, left: f32, title: &str, subtitle: &str) -> f32 {
    let room = scene.width - 2.0 * left;
    let mut y = 12.0;
    for line in fold(title, 17.0, true, room) {
        y += 21.0;
        scene.text((left, y), line, words(17.0, INK).bold());
    }
    for line in fold(subtitle, 12.0, false, room) {
        y += 18.0;
        scene.text((left, y), line, words(12.0, SOFT));
    }
    y + 14.0
}

/// How high [`heading`] will be.
pub fn heading_height(width: f32, left: f32, title: &str, subtitle: &str) -> f32 {
    heading(
        &mut Scene::new(width, 1.0, String::new()),
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

/// One entry of a legend.
#[derive(Clone, Debug)]
pub struct Entry {
    /// How it looks in the plot.
    pub look: Look,
    /// What it is called.
    pub name: String,
    /// What more there is to say; may be empty.
    pub about: String,
}

/// Lines of a legend are this far apart.
pub const LEGEND_LINE: f32 = 20.0;

/// A line an entry, from `top` down; `marks` says whether the plot has them on its lines.
pub fn legend(
    scene: &mut Scene,
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
    // A page is set in whatever font the reader has, which may be wider than the one measured.
    let widest = widest * 1.15;
    for (i, entry) in entries.iter().enumerate() {
        let y = top + LEGEND_LINE * i as f32;
        if line {
            scene.line(
                vec![(left, y - 4.0), (left + 34.0, y - 4.0)],
                &entry.look.line(),
            );
        }
        if marks {
            scene.mark((left + 17.0, y - 4.0), 4.0, &entry.look, true, "");
        }
        scene.text((left + 44.0, y), &*entry.name, words(12.5, INK).bold());
        scene.text((left + 58.0 + widest, y), &*entry.about, words(12.0, SOFT));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How far two colours stand apart, from 1 to 21, as WCAG 2 reckons it.
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
            let same = |l: &&Look| (l.color, l.dash) == (look.color, look.dash);
            assert_eq!(all.iter().filter(same).count(), 1, "number {i}");
        }
    }
}
