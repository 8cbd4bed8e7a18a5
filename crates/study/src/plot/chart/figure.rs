//! What a chart shows.

use super::super::axis::Scale;
use super::super::look::Entry;

/// A figure of numbers against an axis.
#[derive(Clone, Debug)]
pub struct Chart {
    /// In bold, at the top.
    pub title: String,
    /// Below it: the experiment, and of how many seeds.
    pub subtitle: String,
    /// What is swept.
    pub x: Sweep,
    /// One a metric.
    pub panels: Vec<Panel>,
    /// The series, each with the same place in every panel.
    pub series: Vec<Entry>,
}

/// What is swept.
#[derive(Clone, Debug)]
pub enum Sweep {
    /// Numbers: lines.
    Numbers {
        /// With the unit.
        label: String,
        /// How they are spread.
        scale: Scale,
        /// Each value, and how it is written.
        values: Vec<(f64, String)>,
    },
    /// Words: a row each.
    Words {
        /// The name of the axis.
        label: String,
        /// In the order of the sweep.
        values: Vec<String>,
    },
}

/// One metric.
#[derive(Clone, Debug)]
pub struct Panel {
    /// What it is, with its unit.
    pub heading: String,
    /// How values are spread.
    pub scale: Scale,
    /// Values of series `s` at value `x` of the axis: `points[s][x]`.
    pub points: Vec<Vec<Option<Point>>>,
    /// What the paper says.
    pub papers: Vec<Paper>,
    /// What its authors plotted.
    pub authors: Vec<Author>,
}

/// A point that a paper's authors plotted.
#[derive(Clone, Debug, PartialEq)]
pub struct Author {
    /// The number of the series that it is about.
    pub series: usize,
    /// Position on the axis: the number itself, or the number of the word.
    pub x: f64,
    /// Theirs.
    pub value: f64,
    /// What it says when pointed at.
    pub hint: String,
}

/// A number of the paper.
#[derive(Clone, Debug, PartialEq)]
pub struct Paper {
    /// The number of the series that it is about.
    pub series: usize,
    /// The numbers of the values that it holds at: one is a mark, more are a level.
    pub at: Vec<usize>,
    /// The number.
    pub value: f64,
    /// It was reckoned from our number of another series.
    pub implied: bool,
    /// What it says when pointed at.
    pub hint: String,
}

/// One number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    /// The number, or the bound.
    pub value: f64,
    /// Its 95 % interval.
    pub ci: Option<[f64; 2]>,
    /// The side of it on which the number is, when it is a bound; `None` when it is the number.
    pub bound: Option<Side>,
}

/// The side of a bound on which the number is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The number is the bound or more.
    Above,
    /// The number is the bound or less.
    Below,
}
