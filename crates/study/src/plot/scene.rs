//! What a plot is made of: lines, rectangles and words at places in points.
//!
//! One scene is written as SVG and drawn as PNG, so that the two show the same.

/// An opaque colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Color(pub u8, pub u8, pub u8);

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
        /// Filled with this.
        fill: Color,
    },
    /// A line through these points.
    Line {
        /// At least two.
        points: Vec<(f32, f32)>,
        /// How it looks.
        stroke: Stroke,
    },
    /// A ring, open inside.
    Ring {
        /// Its middle.
        at: (f32, f32),
        /// To the middle of the line.
        radius: f32,
        /// How the line looks.
        stroke: Stroke,
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
            fill: Color(255, 255, 255),
        };
        Scene {
            width,
            height,
            title,
            items: vec![page],
        }
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
}
