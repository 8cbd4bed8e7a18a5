//! Typefaces of the plots, regular and semi-bold. Both are part of the program; the machine's fonts are not
//! used.

use super::svg::visible;
use ttf_parser::{Face, GlyphId, OutlineBuilder};

const REGULAR: &[u8] = include_bytes!("../../fonts/inter-regular.ttf");
const SEMIBOLD: &[u8] = include_bytes!("../../fonts/inter-semibold.ttf");

/// Typeface at any size.
pub struct Font {
    face: Face<'static>,
}

impl Font {
    /// Loads the regular or the semi-bold face.
    pub fn load(bold: bool) -> Font {
        let bytes = if bold { SEMIBOLD } else { REGULAR };
        let face = Face::parse(bytes, 0).expect("the fonts that are part of the program are sound");
        Font { face }
    }

    /// Returns the width of `words` at `size`.
    pub fn width(&self, words: &str, size: f32) -> f32 {
        let all = words.chars().map(visible);
        all.map(|c| self.advance(c, size)).sum()
    }

    /// Returns the pieces that draw `words` at `size`, relative to the start of the baseline.
    pub fn pieces(&self, words: &str, size: f32) -> Vec<Piece> {
        let (mut pieces, mut x) = (Vec::new(), 0.0);
        for c in words.chars().map(visible) {
            match self.face.glyph_index(c) {
                Some(id) => pieces.push(Piece::Glyph {
                    id,
                    at: (x, 0.0),
                    size,
                }),
                None if is_silent(c) => {}
                None => self.numbered(c, x, size, &mut pieces),
            }
            x += self.advance(c, size);
        }
        pieces
    }

    /// Adds the pieces for a character that the face lacks: a box around its Unicode number, in two lines.
    fn numbered(&self, c: char, x: f32, size: f32, pieces: &mut Vec<Piece>) {
        let digits = number_of(c);
        let columns = digits.len() / 2;
        pieces.push(Piece::Box {
            at: (x + 0.04 * size, -0.82 * size),
            wide: box_width(c) * size,
            high: 0.94 * size,
            line: 0.05 * size,
        });
        for (i, digit) in digits.chars().enumerate() {
            let Some(id) = self.face.glyph_index(digit) else {
                continue;
            };
            let (row, column) = (i / columns, i % columns);
            let small = DIGIT * size;
            let middle = (COLUMN * size - self.advance(digit, small)) / 2.0;
            pieces.push(Piece::Glyph {
                id,
                at: (
                    x + (0.09 + COLUMN * column as f32) * size + middle,
                    (0.42 * row as f32 - 0.40) * size,
                ),
                size: small,
            });
        }
    }

    /// Draws the outline of `glyph` in font units; multiply by [`Font::scale`].
    pub fn outline(&self, glyph: GlyphId, builder: &mut dyn OutlineBuilder) {
        self.face.outline_glyph(glyph, builder);
    }

    /// Returns points per font unit at `size`.
    pub fn scale(&self, size: f32) -> f32 {
        size / f32::from(self.face.units_per_em())
    }

    fn advance(&self, c: char, size: f32) -> f32 {
        match self.face.glyph_index(c) {
            Some(id) => f32::from(self.face.glyph_hor_advance(id).unwrap_or(0)) * self.scale(size),
            None if is_silent(c) => 0.0,
            None => (box_width(c) + 0.1) * size,
        }
    }
}

/// Piece of a drawn text. Positions are to the right of the text's start and below the baseline.
pub enum Piece {
    /// Glyph of the face.
    Glyph {
        /// Index in the face.
        id: GlyphId,
        /// Position of its origin.
        at: (f32, f32),
        /// Font size.
        size: f32,
    },
    /// Outline of a box.
    Box {
        /// Left and top.
        at: (f32, f32),
        /// Width.
        wide: f32,
        /// Height.
        high: f32,
        /// Stroke width.
        line: f32,
    },
}

/// Size of the digits in a box, as a share of the text size.
const DIGIT: f32 = 0.42;
/// Distance from one digit of a box to the next, as a share of the text size.
const COLUMN: f32 = 0.29;

/// Returns the Unicode number of `c` in four or six hexadecimal digits.
fn number_of(c: char) -> String {
    let number = u32::from(c);
    match number {
        ..0x10000 => format!("{number:04X}"),
        _ => format!("{number:06X}"),
    }
}

fn box_width(c: char) -> f32 {
    COLUMN * (number_of(c).len() / 2) as f32 + 0.1
}

/// Returns true for characters without a visible form: soft hyphens, joiners, variation selectors.
fn is_silent(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn boxes(words: &str) -> usize {
        let pieces = Font::load(true).pieces(words, 12.0);
        let is_box = |piece: &&Piece| matches!(piece, Piece::Box { .. });
        pieces.iter().filter(is_box).count()
    }

    #[test]
    fn letters_of_europe_are_there_and_others_are_boxes_with_their_number() {
        assert_eq!(boxes("Größe, µs, Ωμέγα, Łódź, Привет, naïve – “5 €”"), 0);
        let font = Font::load(false);
        assert_eq!(boxes("数据"), 2);
        let pieces = font.pieces("数", 12.0);
        assert_eq!(pieces.len(), 5, "a box and four digits");
        assert_eq!(font.pieces("\u{1f600}", 12.0).len(), 7);
        assert!(font.width("数", 12.0) > 0.6 * 12.0);
        assert_eq!(boxes("\u{1b}[31m"), 1, "an escape code is seen");
        assert_eq!(font.width("a\u{ad}b", 12.0), font.width("ab", 12.0));
    }
}
