//! Text of a point, and the look of its interval.

use super::super::axis::{Axis, Scale};
use super::super::drawing::Stroke;
use super::super::look::SeriesStyle;
use super::figure::{Point, Side};
use crate::format::number;

/// Formats a number with its interval.
pub fn say(point: &Point) -> String {
    let bound = match point.bound {
        Some(Side::Above) => "at least ",
        Some(Side::Below) => "at most ",
        None => "",
    };
    let ci = point.ci.map_or(String::new(), |[low, high]| {
        format!(" ({} to {})", number(low), number(high))
    });
    format!("{bound}{}{ci}", number(point.value))
}

/// Returns true if the point is a zero on a logarithmic axis, which has no place for it: the point is drawn on
/// the edge and labelled 0.
pub fn off(point: &Point, axis: &Axis) -> bool {
    axis.scale == Scale::Log && point.value <= 0.0
}

/// Returns the stroke of an interval.
pub fn pen(look: &SeriesStyle) -> Stroke {
    Stroke {
        color: look.color,
        width: 1.4,
        dash: &[],
    }
}
