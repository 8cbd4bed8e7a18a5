//! Scenes as PNG, drawn by tiny-skia with the program's own fonts.

use super::drawing::{Anchor, Color, Drawing, Item, Shape, Stroke, TextStyle};
use super::font::{Font, Piece};
use std::cmp::Reverse;
use std::collections::HashMap;
use tiny_skia::{
    FillRule, LineCap, LineJoin, Paint, Path, PathBuilder, Pixmap, PremultipliedColorU8, Rect,
    StrokeDash, Transform,
};
use ttf_parser::OutlineBuilder;

/// Draws the drawing at `scale` pixels a point.
pub fn png(drawing: &Drawing, scale: f32) -> Result<Vec<u8>, String> {
    let (w, h) = (
        (drawing.width * scale) as u32,
        (drawing.height * scale) as u32,
    );
    let pixmap = Pixmap::new(w, h)
        .ok_or_else(|| format!("a picture of {w} by {h} pixels is empty or too large"))?;
    let mut canvas = Canvas {
        pixmap: on_white(pixmap),
        scale: Transform::from_scale(scale, scale),
        regular: Font::load(false),
        bold: Font::load(true),
    };
    for item in &drawing.items {
        canvas.draw(item);
    }
    encode(&canvas.pixmap).map_err(|e| e.to_string())
}

fn on_white(mut pixmap: Pixmap) -> Pixmap {
    pixmap.fill(tiny_skia::Color::WHITE);
    pixmap
}

/// Maximum number of colours in a palette.
const MOST_COLORS: usize = 256;

/// Maximum difference, in each part, between a rare color and the frequent color that replaces it. In the plots
/// of `dibs-demo` this changes 490 to 860 of two million pixels, at edges of letters and lines, some 40 of them
/// by more than 16.
const NEAR: u8 = 32;

/// Encodes the file. A drawing is opaque, and 256 colors are enough for most. With one byte a pixel, encoding
/// takes a quarter of the time, and the file a fifth of the size.
fn encode(pixmap: &Pixmap) -> Result<Vec<u8>, png::EncodingError> {
    let pixels = pixmap.pixels();
    let mut bytes = Vec::new();
    let mut file = png::Encoder::new(&mut bytes, pixmap.width(), pixmap.height());
    file.set_depth(png::BitDepth::Eight);
    let data = match numbered(pixels) {
        Some((palette, numbers)) => {
            file.set_color(png::ColorType::Indexed);
            file.set_palette(palette);
            file.set_filter(png::Filter::NoFilter);
            numbers
        }
        None => {
            file.set_color(png::ColorType::Rgb);
            pixels.iter().flat_map(|pixel| rgb(*pixel)).collect()
        }
    };
    file.write_header()?.write_image_data(&data)?;
    Ok(bytes)
}

fn rgb(pixel: PremultipliedColorU8) -> [u8; 3] {
    [pixel.red(), pixel.green(), pixel.blue()]
}

/// Builds a palette, three bytes a color, and the palette index of each pixel. Frequent colors are kept; each
/// other color becomes the nearest frequent one. Returns `None` if a color has no frequent one near it.
fn numbered(pixels: &[PremultipliedColorU8]) -> Option<(Vec<u8>, Vec<u8>)> {
    let mut counts: HashMap<[u8; 3], usize> = HashMap::new();
    // Most pixels equal their neighbours.
    for row in pixels.chunk_by(|one, next| one == next) {
        *counts.entry(rgb(row[0])).or_default() += row.len();
    }
    let mut colors: Vec<([u8; 3], usize)> = counts.into_iter().collect();
    colors.sort_unstable_by_key(|&(color, count)| (Reverse(count), color));
    let (frequent, rare) = colors.split_at(colors.len().min(MOST_COLORS));
    let palette: Vec<[u8; 3]> = frequent.iter().map(|(color, _)| *color).collect();
    let apart = |a: [u8; 3], b: [u8; 3]| (0..3).map(|part| a[part].abs_diff(b[part])).max();
    let mut numbers: HashMap<[u8; 3], u8> = HashMap::new();
    for (color, number) in palette.iter().zip(0..=u8::MAX) {
        numbers.insert(*color, number);
    }
    for (color, _) in rare {
        let by_distance = |&(own, _): &(&[u8; 3], u8)| apart(*own, *color);
        let (own, number) = palette.iter().zip(0..=u8::MAX).min_by_key(by_distance)?;
        if apart(*own, *color) > Some(NEAR) {
            return None;
        }
        numbers.insert(*color, number);
    }
    let mut all = Vec::with_capacity(pixels.len());
    for row in pixels.chunk_by(|one, next| one == next) {
        all.resize(all.len() + row.len(), numbers[&rgb(row[0])]);
    }
    Some((palette.concat(), all))
}

struct Canvas {
    pixmap: Pixmap,
    scale: Transform,
    regular: Font,
    bold: Font,
}

impl Canvas {
    fn draw(&mut self, item: &Item) {
        match item {
            Item::Rect {
                at: [x, y, w, h],
                fill,
            } => {
                if let Some(rect) = Rect::from_xywh(*x, *y, *w, *h) {
                    self.pixmap.fill_rect(rect, &paint(*fill), self.scale, None);
                }
            }
            Item::Line { points, stroke } => {
                let mut path = PathBuilder::new();
                for (i, &(x, y)) in points.iter().enumerate() {
                    if i == 0 {
                        path.move_to(x, y)
                    } else {
                        path.line_to(x, y)
                    }
                }
                self.stroke(path.finish(), stroke);
            }
            Item::Mark {
                at,
                shape,
                radius,
                stroke,
                fill,
                hint: _,
            } => {
                let form = match shape {
                    Shape::Circle => PathBuilder::from_circle(at.0, at.1, *radius),
                    corners => polygon(&corners.corners(*at, *radius)),
                };
                self.fill(form.clone(), *fill, Transform::identity());
                self.stroke(form, stroke);
            }
            Item::Text { at, words, style } => self.text(*at, words, style),
        }
    }

    fn stroke(&mut self, path: Option<Path>, stroke: &Stroke) {
        let Some(path) = path else { return };
        let pen = tiny_skia::Stroke {
            width: stroke.width,
            line_cap: LineCap::Butt,
            line_join: LineJoin::Round,
            dash: StrokeDash::new(stroke.dash.to_vec(), 0.0),
            ..tiny_skia::Stroke::default()
        };
        self.pixmap
            .stroke_path(&path, &paint(stroke.color), &pen, self.scale, None);
    }

    fn fill(&mut self, path: Option<Path>, color: Color, place: Transform) {
        let Some(path) = path else { return };
        let place = place.post_concat(self.scale);
        self.pixmap
            .fill_path(&path, &paint(color), FillRule::Winding, place, None);
    }

    fn text(&mut self, (x, y): (f32, f32), words: &str, style: &TextStyle) {
        let font = if style.bold {
            &self.bold
        } else {
            &self.regular
        };
        let back = match style.anchor {
            Anchor::Start => 0.0,
            Anchor::Middle => font.width(words, style.size) / 2.0,
            Anchor::End => font.width(words, style.size),
        };
        let mut outline = Outline {
            path: PathBuilder::new(),
            scale: 1.0,
            from: (0.0, 0.0),
        };
        for piece in font.pieces(words, style.size) {
            match piece {
                Piece::Glyph { id, at, size } => {
                    outline.scale = font.scale(size);
                    outline.from = (at.0 - back, at.1);
                    font.outline(id, &mut outline);
                }
                Piece::Box {
                    at: (x, y),
                    wide,
                    high,
                    line,
                } => {
                    let x = x - back;
                    // The inner edge runs in the opposite direction, which leaves a hole.
                    edge(&mut outline.path, [x, y, x + wide, y + high]);
                    let (right, bottom) = (x + wide - line, y + high - line);
                    edge(&mut outline.path, [right, y + line, x + line, bottom]);
                }
            }
        }
        let turn = if style.upwards {
            Transform::from_rotate(-90.0)
        } else {
            Transform::identity()
        };
        self.fill(
            outline.path.finish(),
            style.color,
            turn.post_translate(x, y),
        );
    }
}

/// Adds a rectangle with these left, top, right and bottom edges.
fn edge(path: &mut PathBuilder, [left, top, right, bottom]: [f32; 4]) {
    path.move_to(left, top);
    path.line_to(right, top);
    path.line_to(right, bottom);
    path.line_to(left, bottom);
    path.close();
}

fn polygon(corners: &[(f32, f32)]) -> Option<Path> {
    let mut path = PathBuilder::new();
    for (i, &(x, y)) in corners.iter().enumerate() {
        if i == 0 {
            path.move_to(x, y);
        } else {
            path.line_to(x, y);
        }
    }
    path.close();
    path.finish()
}

fn paint(Color(r, g, b): Color) -> Paint<'static> {
    let mut paint = Paint {
        anti_alias: true,
        ..Paint::default()
    };
    paint.set_color_rgba8(r, g, b, 255);
    paint
}

/// Glyphs as a path: font units, upwards, become points, downwards.
struct Outline {
    path: PathBuilder,
    scale: f32,
    /// Origin of the glyph.
    from: (f32, f32),
}

impl Outline {
    fn at(&self, x: f32, y: f32) -> (f32, f32) {
        (self.from.0 + x * self.scale, self.from.1 - y * self.scale)
    }
}

impl OutlineBuilder for Outline {
    fn move_to(&mut self, x: f32, y: f32) {
        let (x, y) = self.at(x, y);
        self.path.move_to(x, y);
    }
    fn line_to(&mut self, x: f32, y: f32) {
        let (x, y) = self.at(x, y);
        self.path.line_to(x, y);
    }
    fn quad_to(&mut self, x1: f32, y1: f32, x: f32, y: f32) {
        let ((x1, y1), (x, y)) = (self.at(x1, y1), self.at(x, y));
        self.path.quad_to(x1, y1, x, y);
    }
    fn curve_to(&mut self, x1: f32, y1: f32, x2: f32, y2: f32, x: f32, y: f32) {
        let ((x1, y1), (x2, y2), (x, y)) = (self.at(x1, y1), self.at(x2, y2), self.at(x, y));
        self.path.cubic_to(x1, y1, x2, y2, x, y);
    }
    fn close(&mut self) {
        self.path.close();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Cursor;

    /// Returns width, height, color type and the colors of a file.
    fn decoded(file: &[u8]) -> (u32, u32, png::ColorType, Vec<u8>) {
        let mut decoder = png::Decoder::new(Cursor::new(file));
        decoder.set_transformations(png::Transformations::EXPAND);
        let mut read = decoder.read_info().unwrap();
        let stored = read.info().color_type;
        let mut colors = vec![0; read.output_buffer_size().unwrap()];
        let frame = read.next_frame(&mut colors).unwrap();
        (frame.width, frame.height, stored, colors)
    }

    /// Encodes a row of these colors and a row of the last one; returns the color type and the colors read
    /// back.
    fn there_and_back(colors: &[[u8; 3]]) -> (png::ColorType, Vec<[u8; 3]>) {
        let mut pixmap = on_white(Pixmap::new(colors.len() as u32, 2).unwrap());
        for (i, pixel) in pixmap.pixels_mut().iter_mut().enumerate() {
            let [r, g, b] = colors[i.min(colors.len() - 1)];
            *pixel = tiny_skia::Color::from_rgba8(r, g, b, 255)
                .premultiply()
                .to_color_u8();
        }
        let (w, h, stored, read) = decoded(&encode(&pixmap).unwrap());
        assert_eq!((w, h), (colors.len() as u32, 2));
        let read: Vec<[u8; 3]> = read.chunks(3).map(|rgb| [rgb[0], rgb[1], rgb[2]]).collect();
        assert!(
            read[colors.len()..]
                .iter()
                .all(|color| *color == read[colors.len() - 1])
        );
        (stored, read[..colors.len()].to_vec())
    }

    #[test]
    fn a_file_holds_every_pixel_in_few_colors_and_in_many() {
        let few: Vec<[u8; 3]> = (0..=255).map(|i| [i, 255 - i, i % 7]).collect();
        assert_eq!(there_and_back(&few), (png::ColorType::Indexed, few));
        // Colors so far apart, and so many, that none can replace another.
        let many: Vec<[u8; 3]> = (0..=255)
            .flat_map(|i| {
                [
                    [i, 0, 0],
                    [i, 64, 0],
                    [0, i, 200],
                    [40, i, 90],
                    [80, 200, i],
                    [120, 7, i],
                    [i, i, i],
                    [i, 0, 99],
                    [i, 120, 9],
                ]
            })
            .collect();
        assert_eq!(there_and_back(&many), (png::ColorType::Rgb, many));
        // Edges of letters become their neighbours' colors; the most frequent colors are kept.
        let both = |i: u8| [[i, i, i], [0, 0, i]];
        let often = (0..=255).step_by(2).flat_map(|i| [both(i); 3]).flatten();
        let edges: Vec<[u8; 3]> = often.chain((0..=255).flat_map(both)).collect();
        let (stored, read) = there_and_back(&edges);
        assert_eq!(stored, png::ColorType::Indexed);
        let far = |(a, b): (&[u8; 3], &[u8; 3])| (0..3).map(|k| a[k].abs_diff(b[k])).max();
        assert!(edges.iter().zip(&read).all(|both| far(both) <= Some(NEAR)));
        assert_ne!(read, edges);
        assert_eq!(read.last(), edges.last());
    }

    #[test]
    fn what_nothing_is_drawn_on_is_white() {
        let drawing = Drawing {
            width: 3.0,
            height: 2.0,
            title: String::new(),
            items: Vec::new(),
        };
        let (w, h, _, colors) = decoded(&png(&drawing, 2.0).unwrap());
        assert_eq!((w, h, colors), (6, 4, vec![255; 72]));
    }
}
