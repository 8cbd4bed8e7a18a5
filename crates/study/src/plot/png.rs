//! A scene as PNG, drawn by tiny-skia with the program's own fonts.

use super::font::{Font, Piece};
use super::scene::{Anchor, Color, Item, Scene, Shape, Stroke, TextStyle};
use tiny_skia::{
    FillRule, LineCap, LineJoin, Paint, Path, PathBuilder, Pixmap, Rect, StrokeDash, Transform,
};
use ttf_parser::OutlineBuilder;

/// The scene at `scale` pixels a point.
pub fn png(scene: &Scene, scale: f32) -> Result<Vec<u8>, String> {
    let (w, h) = ((scene.width * scale) as u32, (scene.height * scale) as u32);
    let pixmap = Pixmap::new(w, h)
        .ok_or_else(|| format!("a picture of {w} by {h} pixels is empty or too large"))?;
    let mut canvas = Canvas {
        pixmap,
        scale: Transform::from_scale(scale, scale),
        regular: Font::load(false),
        bold: Font::load(true),
    };
    for item in &scene.items {
        canvas.draw(item);
    }
    canvas.pixmap.encode_png().map_err(|e| e.to_string())
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
                    // The inner edge runs the other way round, which leaves a hole.
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

/// A rectangle from its left to its right and its top to its bottom.
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

/// Glyphs as a path: font units upwards become points downwards.
struct Outline {
    path: PathBuilder,
    scale: f32,
    /// Where the glyph begins.
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
