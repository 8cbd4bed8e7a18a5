//! From `[[plot]]` and results to a picture and a table of the same numbers.
//!
//! A kind of plot is one file here, which makes [`view::Parts`] of a [`View`], and its line in [`draw`].

mod against;
mod distribution;
mod measured;
mod over_time;
mod papers;
mod probed;
mod ranked;
mod values;
mod view;

pub(crate) use distribution::alone;
pub use measured::point_of;
pub(crate) use measured::{bounded, heading_of, measured, unit_of};
pub use view::Sheet;
pub(crate) use view::{Subject, words_of};

use crate::plot::{Palette, Scene};
use sidestep_lab::{PlotKind, PlotSpec, Results};
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

impl Drawn {
    /// The picture, where there is one, and the name of its files in `folder` without ending.
    pub(crate) fn drawing(&self, folder: &str) -> Option<(String, &Scene)> {
        let scene = self.scene.as_ref().ok()?;
        Some((format!("{folder}/{}", self.file), scene))
    }
}

/// Draws what `spec` says, as plot number `nth` of its experiment.
pub(crate) fn draw(
    subject: &Subject<'_>,
    results: &Results,
    (nth, spec): (usize, &PlotSpec),
    palette: &Palette,
) -> Drawn {
    let title = match (spec.title.as_str(), subject.title) {
        ("", "") => subject.name.to_string(),
        ("", title) => title.into(),
        (title, _) => title.into(),
    };
    let view = View {
        experiment: subject,
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
