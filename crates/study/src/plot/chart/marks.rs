//! What is said of a point, and how its interval looks.

use super::super::axis::{Axis, Scale};
use super::super::look::Look;
use super::super::scene::Stroke;
use super::figure::{Point, Side};
use crate::words::number;

/// A number as people read it, with its interval.
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

/// A logarithmic axis has no place for a zero: it lies on the edge and says so.
pub fn off(point: &Point, axis: &Axis) -> bool {
    axis.scale == Scale::Log && point.value <= 0.0
}

/// How an interval looks.
pub fn pen(look: &Look) -> Stroke {
    Stroke {
        color: look.color,
        width: 1.4,
        dash: &[],
    }
}
