//! Plots as SVG and PNG, without fonts or libraries of the machine.

mod axis;
mod cdf;
mod chart;
mod curves;
mod drawing;
mod font;
mod frame;
mod labels;
mod look;
mod png;
mod queues;
mod scatter;
mod svg;
mod way;

pub use axis::Scale;
pub use cdf::{Figure, PaperMark, Series, cdf, cdf_with};
pub use chart::{Author, Chart, Panel, Paper, Point, Side, Sweep, chart};
pub use curves::{Curve, Curves, curves};
pub use drawing::{Color, Drawing};
pub use labels::plain;
pub use look::{CONDITIONS, Entry, Palette, SeriesStyle, dark};
pub use png::png;
pub use queues::{Queues, Switch, queues};
pub use scatter::{Scatter, scatter};
pub use svg::{svg, visible};
pub use way::{Hop, PathFigure, way};

#[cfg(test)]
mod extremes;
#[cfg(test)]
mod testing {
    use super::{Drawing, png, svg};

    /// Writes a picture to the folder in `SIDESTEP_KEEP_PLOTS`, for inspection.
    pub fn keep(name: &str, drawing: &Drawing) {
        let picture = png(drawing, 1.0).unwrap();
        if let Ok(dir) = std::env::var("SIDESTEP_KEEP_PLOTS") {
            std::fs::write(format!("{dir}/{name}.png"), picture).unwrap();
            std::fs::write(format!("{dir}/{name}.svg"), svg(drawing)).unwrap();
        }
    }
}
