//! Contents of a chart.

use super::super::axis::Scale;
use super::super::look::Entry;

/// Chart of numbers against an axis.
#[derive(Clone, Debug)]
pub struct Chart {
    /// Title, in bold at the top.
    pub title: String,
    /// Subtitle: the experiment, the fixed values, and the seeds.
    pub subtitle: String,
    /// Swept axis.
    pub x: Sweep,
    /// Panels, one for each metric.
    pub panels: Vec<Panel>,
    /// Series, with the same index in every panel.
    pub series: Vec<Entry>,
}

/// Swept axis.
#[derive(Clone, Debug)]
pub enum Sweep {
    /// Numbers: drawn as lines.
    Numbers {
        /// Name with the unit.
        label: String,
        /// Spacing of the values.
        scale: Scale,
        /// Values, each with its text.
        values: Vec<(f64, String)>,
    },
    /// Words: one row each.
    Words {
        /// Name of the axis.
        label: String,
        /// Words, in the order of the sweep.
        values: Vec<String>,
    },
}

/// Panel of one metric.
#[derive(Clone, Debug)]
pub struct Panel {
    /// Name of the metric, with its unit.
    pub heading: String,
    /// Spacing of the values.
    pub scale: Scale,
    /// Values of series `s` at value `x` of the axis: `points[s][x]`.
    pub points: Vec<Vec<Option<Point>>>,
    /// Numbers of the paper.
    pub papers: Vec<Paper>,
    /// Points that the paper's authors plotted.
    pub authors: Vec<Author>,
}

/// Point that a paper's authors plotted.
#[derive(Clone, Debug, PartialEq)]
pub struct Author {
    /// Index of its series.
    pub series: usize,
    /// Position on the axis: the number itself, or the index of the word.
    pub x: f64,
    /// Value that the authors plotted.
    pub value: f64,
    /// Tooltip.
    pub hint: String,
}

/// Number of the paper.
#[derive(Clone, Debug, PartialEq)]
pub struct Paper {
    /// Index of its series.
    pub series: usize,
    /// Indices of the axis values for which the number holds. A single one is drawn as a mark, several as a
    /// level.
    pub at: Vec<usize>,
    /// Number.
    pub value: f64,
    /// True if computed from our value of another series.
    pub implied: bool,
    /// Tooltip.
    pub hint: String,
}

/// Measured number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    /// Number, or its bound.
    pub value: f64,
    /// 95 % interval.
    pub ci: Option<[f64; 2]>,
    /// Side of a bound on which the number lies; `None` if `value` is the number itself.
    pub bound: Option<Side>,
}

/// Side of a bound on which the number lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The number is the bound or more.
    Above,
    /// The number is the bound or less.
    Below,
}
