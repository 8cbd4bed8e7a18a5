//! Drawing of `[[plot]]`: turns results into a picture and a table of the same numbers.
//!
//! Each kind of plot is one file here, which turns a [`View`] into [`view::Parts`], and one line in [`draw`].

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

use crate::plot::{Drawing, Palette};
use sidestep_lab::{PlotKind, PlotSpec, Results};
use view::View;

/// Plot of a report.
pub struct Drawn {
    /// File name without extension.
    pub file: String,
    /// Kind of plot.
    pub kind: &'static str,
    /// Title, above the plot.
    pub title: String,
    /// Caption, below the plot: its contents and sample sizes.
    pub caption: String,
    /// Picture, or the reason for its absence.
    pub drawing: Result<Drawing, String>,
    /// Table of the same numbers.
    pub table: Sheet,
}

impl Drawn {
    /// Returns the picture, if there is one, with its path in `folder` without extension.
    pub(crate) fn drawing(&self, folder: &str) -> Option<(String, &Drawing)> {
        let drawing = self.drawing.as_ref().ok()?;
        Some((format!("{folder}/{}", self.file), drawing))
    }
}

/// Draws `spec` as plot number `nth` of its experiment.
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
    let (drawing, table, caption) = match spec.kind {
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
        drawing,
        table,
    }
}
