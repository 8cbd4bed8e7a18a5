//! Elements of a plot: lines, rectangles and text at positions in points.
//!
//! Drawings are written as SVG and rendered as PNG from the same shapes.

/// Background colour of the page.
pub const PAGE: Color = Color(255, 255, 255);

/// Opaque colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Color(pub u8, pub u8, pub u8);

impl Color {
    /// Formats the colour for style sheets: `#0072b2`.
    pub fn hex(self) -> String {
        let Color(r, g, b) = self;
        format!("#{r:02x}{g:02x}{b:02x}")
    }
}

/// Drawing of `width` by `height`, with the origin at the top left.
#[derive(Clone, Debug)]
pub struct Drawing {
    /// Width, points.
    pub width: f32,
    /// Height, points.
    pub height: f32,
    /// Title for readers who cannot see the drawing.
    pub title: String,
    /// Items, in drawing order.
    pub items: Vec<Item>,
}

/// Item of a drawing.
#[derive(Clone, Debug)]
pub enum Item {
    /// Filled rectangle.
    Rect {
        /// Left, top, width, height.
        at: [f32; 4],
        /// Fill colour.
        fill: Color,
    },
    /// Line through these points.
    Line {
        /// At least two points.
        points: Vec<(f32, f32)>,
        /// Look of the line.
        stroke: Stroke,
    },
    /// Mark of a point.
    Mark {
        /// Centre.
        at: (f32, f32),
        /// Shape.
        shape: Shape,
        /// Approximate radius.
        radius: f32,
        /// Stroke of the edge.
        stroke: Stroke,
        /// Fill colour.
        fill: Color,
        /// Tooltip; may be empty.
        hint: String,
    },
    /// Text on one line.
    Text {
        /// Position on the baseline; see `anchor`.
        at: (f32, f32),
        /// Text.
        words: String,
        /// Look of the text.
        style: TextStyle,
    },
}

/// Shape of a mark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// Circle.
    Circle,
    /// Square on its side.
    Square,
    /// Triangle pointing up.
    Triangle,
    /// Square on its corner.
    Diamond,
    /// Triangle pointing down.
    Nabla,
    /// Diagonal cross: a paper's number, not ours.
    Cross,
}

impl Shape {
    /// Returns the corners around `(x, y)`; empty for a circle.
    pub fn corners(self, (x, y): (f32, f32), r: f32) -> Vec<(f32, f32)> {
        let place = |corners: &[(f32, f32)]| {
            corners
                .iter()
                .map(|(dx, dy)| (x + dx * r, y + dy * r))
                .collect()
        };
        match self {
            Shape::Circle => Vec::new(),
            Shape::Square => place(&[(-0.9, -0.9), (0.9, -0.9), (0.9, 0.9), (-0.9, 0.9)]),
            Shape::Triangle => place(&[(0.0, -1.2), (1.1, 0.8), (-1.1, 0.8)]),
            Shape::Diamond => place(&[(0.0, -1.25), (1.25, 0.0), (0.0, 1.25), (-1.25, 0.0)]),
            Shape::Cross => {
                // Corners of the arms, clockwise from the inner corner above the centre.
                let (inner, out, tip) = (0.42, 1.38, 0.96);
                place(&[
                    (0.0, -inner),
                    (tip, -out),
                    (out, -tip),
                    (inner, 0.0),
                    (out, tip),
                    (tip, out),
                    (0.0, inner),
                    (-tip, out),
                    (-out, tip),
                    (-inner, 0.0),
                    (-out, -tip),
                    (-tip, -out),
                ])
            }
            Shape::Nabla => place(&[(0.0, 1.2), (1.1, -0.8), (-1.1, -0.8)]),
        }
    }
}

/// Look of a line.
#[derive(Clone, Debug, PartialEq)]
pub struct Stroke {
    /// Colour.
    pub color: Color,
    /// Width, points.
    pub width: f32,
    /// Lengths of dashes and gaps; empty for a solid line.
    pub dash: &'static [f32],
}

/// Look of text.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TextStyle {
    /// Colour.
    pub color: Color,
    /// Font size, points.
    pub size: f32,
    /// True for semi-bold, false for regular.
    pub bold: bool,
    /// Part of the text that is at its position.
    pub anchor: Anchor,
    /// True if the text is rotated to read upwards.
    pub upwards: bool,
}

/// Part of a text that is at its position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Anchor {
    /// The start.
    Start,
    /// The middle.
    Middle,
    /// The end.
    End,
}

impl Drawing {
    /// Creates an empty white page.
    pub fn new(width: f32, height: f32, title: String) -> Drawing {
        let page = Item::Rect {
            at: [0.0, 0.0, width, height],
            fill: PAGE,
        };
        Drawing {
            width,
            height,
            title,
            items: vec![page],
        }
    }

    /// Adds the ring at the end of an incomplete curve; `hint` is its tooltip.
    pub fn ring(&mut self, at: (f32, f32), stroke: &Stroke, hint: String) {
        self.items.push(Item::Mark {
            at,
            shape: Shape::Circle,
            radius: 3.2,
            stroke: Stroke {
                dash: &[],
                width: 1.6,
                ..*stroke
            },
            fill: PAGE,
            hint,
        });
    }

    /// Adds a line through `points`.
    pub fn line(&mut self, points: Vec<(f32, f32)>, stroke: &Stroke) {
        self.items.push(Item::Line {
            points,
            stroke: stroke.clone(),
        });
    }

    /// Adds a text.
    pub fn text(&mut self, at: (f32, f32), words: impl Into<String>, style: TextStyle) {
        self.items.push(Item::Text {
            at,
            words: words.into(),
            style,
        });
    }

    /// Adds a filled rectangle: left, top, width, height.
    pub fn rect(&mut self, at: [f32; 4], fill: Color) {
        self.items.push(Item::Rect { at, fill });
    }
}
