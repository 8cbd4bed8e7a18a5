//! From `[[plot]]` and results to a picture and a table of the same numbers.
//!
//! A kind of plot is one file here, which makes [`view::Parts`] of a [`View`], and its line in [`draw`].

mod against;
mod distribution;
mod measured;
mod over_time;
mod probed;
mod ranked;
mod values;
mod view;

pub(super) use measured::{bounded, heading_of, measured, point_of, unit_of};
pub use view::Sheet;
pub(super) use view::words_of;

use crate::plot::{Palette, Scene};
use sidestep_lab::{Experiment, PlotKind, Results};
use view::View;

/// One plot of a report.
pub struct Drawn {
    /// Its file's name without ending.
    pub file: String,
    /// What kind of plot it is.
    pub kind: &'static str,
    /// Above it.
    pub title: String,
    /// Below it: what it shows, of how many.
    pub caption: String,
    /// The picture, or why there is none.
    pub scene: Result<Scene, String>,
    /// The same numbers.
    pub table: Sheet,
}

/// Draws plot number `nth` of an experiment.
pub fn draw(experiment: &Experiment, results: &Results, nth: usize, palette: &Palette) -> Drawn {
    let spec = &experiment.plots[nth];
    let title = match (spec.title.as_str(), experiment.title.as_str()) {
        ("", "") => experiment.name.clone(),
        ("", title) => title.into(),
        (title, _) => title.into(),
    };
    let view = View {
        experiment,
        results,
        spec,
        palette,
        title,
    };
    let (scene, table, caption) = match spec.kind {
        PlotKind::Lines | PlotKind::Bars => against::draw(&view),
        PlotKind::Cdf => distribution::draw(&view),
        PlotKind::Ranked => ranked::draw(&view),
        PlotKind::OverTime => over_time::draw(&view),
        PlotKind::Path | PlotKind::Detours | PlotKind::Occupancy => probed::draw(&view),
    };
    Drawn {
        file: format!("plot{}-{}", nth + 1, spec.kind.name()),
        kind: spec.kind.name(),
        title: view.title,
        caption,
        scene,
        table,
    }
}
