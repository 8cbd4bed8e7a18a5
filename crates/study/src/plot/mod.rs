//! Plots, as SVG and PNG, without a font or a library of the machine.

mod axis;
mod cdf;
mod font;
mod png;
mod scene;
mod svg;

pub use cdf::{Figure, Series, cdf};
pub use png::png;
pub use scene::Scene;
pub use svg::svg;
