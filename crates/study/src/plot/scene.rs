//! What a plot is made of: lines, rectangles and words at places in points.
//!
//! One scene is written as SVG and drawn as PNG, so that the two show the same.

/// The page.
pub const PAGE: Color = Color(255, 255, 255);

/// An opaque colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Color(pub u8, pub u8, pub u8);

impl Color {
    /// As style sheets write it: `#0072b2`.
    pub fn hex(self) -> String {
        let Color(r, g, b) = self;
        format!("#{r:02x}{g:02x}{b:02x}")
    }
}

/// A drawing of `width` by `height`, the origin at the top left.
#[derive(Clone, Debug)]
pub struct Scene {
    /// Points from left to right.
    pub width: f32,
    /// Points from top to bottom.
    pub height: f32,
    /// For those who cannot see it.
    pub title: String,
    /// Drawn in this order.
    pub items: Vec<Item>,
}

/// One thing drawn.
#[derive(Clone, Debug)]
pub enum Item {
    /// A filled rectangle.
    Rect {
        /// Left, top, width, height.
        at: [f32; 4],
        /// The colour that fills it.
        fill: Color,
    },
    /// A line through these points.
    Line {
        /// At least two.
        points: Vec<(f32, f32)>,
        /// How it looks.
        stroke: Stroke,
    },
    /// A mark of a point.
    Mark {
        /// Its middle.
        at: (f32, f32),
        /// Its form.
        shape: Shape,
        /// About how far it reaches from its middle.
        radius: f32,
        /// How its edge looks.
        stroke: Stroke,
        /// The colour that fills it.
        fill: Color,
        /// What it says when pointed at; may be empty.
        hint: String,
    },
    /// A word or more on one line.
    Text {
        /// Where the baseline is; see `anchor`.
        at: (f32, f32),
        /// What it says.
        words: String,
        /// How it looks.
        style: TextStyle,
    },
}

/// The form of a mark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// Round.
    Circle,
    /// On its side.
    Square,
    /// Pointing up.
    Triangle,
    /// On its corner.
    Diamond,
    /// Pointing down.
    Nabla,
    /// Two strokes across each other: what a paper says, not we.
    Cross,
}

impl Shape {
    /// The corners around `(x, y)`; none for a circle.
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
                // Its arms, from the inner corner above the middle on.
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

/// How a line looks.
#[derive(Clone, Debug, PartialEq)]
pub struct Stroke {
    /// Its colour.
    pub color: Color,
    /// In points.
    pub width: f32,
    /// Lengths of dashes and gaps; empty for a solid line.
    pub dash: &'static [f32],
}

/// How text looks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TextStyle {
    /// Its colour.
    pub color: Color,
    /// In points.
    pub size: f32,
    /// Semi-bold instead of regular.
    pub bold: bool,
    /// Which end of it is at the place.
    pub anchor: Anchor,
    /// Turned to read upwards.
    pub upwards: bool,
}

/// Which end of a text is at its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Anchor {
    /// The beginning.
    Start,
    /// The middle.
    Middle,
    /// The end.
    End,
}

impl Scene {
    /// An empty white page.
    pub fn new(width: f32, height: f32, title: String) -> Scene {
        let page = Item::Rect {
            at: [0.0, 0.0, width, height],
            fill: PAGE,
        };
        Scene {
            width,
            height,
            title,
            items: vec![page],
        }
    }

    /// The ring in which a curve ends that is not whole; `hint` says why.
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
