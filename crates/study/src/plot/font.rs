//! The two faces of the plots, part of the program: no font of the machine is looked for.

use ttf_parser::{Face, GlyphId, OutlineBuilder};

const REGULAR: &[u8] = include_bytes!("../../fonts/inter-regular.ttf");
const SEMIBOLD: &[u8] = include_bytes!("../../fonts/inter-semibold.ttf");

/// One face at any size.
pub struct Font {
    face: Face<'static>,
}

impl Font {
    /// Regular or semi-bold.
    pub fn load(bold: bool) -> Font {
        let bytes = if bold { SEMIBOLD } else { REGULAR };
        let face = Face::parse(bytes, 0).expect("the fonts that are part of the program are sound");
        Font { face }
    }

    /// How wide `words` are at `size`.
    pub fn width(&self, words: &str, size: f32) -> f32 {
        words
            .chars()
            .map(|c| self.advance(self.glyph(c), size))
            .sum()
    }

    /// Calls `draw` for each glyph of `words` with where it begins, at `size`.
    pub fn layout(&self, words: &str, size: f32, mut draw: impl FnMut(GlyphId, f32)) {
        let mut x = 0.0;
        for c in words.chars() {
            let glyph = self.glyph(c);
            draw(glyph, x);
            x += self.advance(glyph, size);
        }
    }

    /// Draws the outline of `glyph` in font units; multiply by [`Font::scale`].
    pub fn outline(&self, glyph: GlyphId, builder: &mut dyn OutlineBuilder) {
        self.face.outline_glyph(glyph, builder);
    }

    /// Points per font unit at `size`.
    pub fn scale(&self, size: f32) -> f32 {
        size / f32::from(self.face.units_per_em())
    }

    /// A letter the face lacks shows as a question mark.
    fn glyph(&self, c: char) -> GlyphId {
        let found = self
            .face
            .glyph_index(c)
            .or_else(|| self.face.glyph_index('?'));
        found.unwrap_or(GlyphId(0))
    }

    fn advance(&self, glyph: GlyphId, size: f32) -> f32 {
        f32::from(self.face.glyph_hor_advance(glyph).unwrap_or(0)) * self.scale(size)
    }
}
