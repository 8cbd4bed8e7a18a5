//! HTML page of a run, a sweep or a report, as one self-contained file: plots, style and the filter of verdicts
//! are embedded, nothing is fetched, and there is no script.
//!
//! A run, a sweep and a report of many figures are all a [`Page`] of [`Section`]s.

mod claim;
mod filter;
mod head;
mod markup;
mod of;
mod overview;
mod section;
mod style;

pub(crate) use of::{FILE, run, sweep};

use crate::format::Grid;
use crate::plot::Palette;
use crate::reproduce::ArmAgreement;
use crate::reproduce::drawn::{Drawn, Subject};
use markup::{anchor, finish};
use maud::html;
use sidestep_lab::{ClaimResult, Results};

/// HTML file of a run, a sweep or a report.
pub(crate) struct Page<'a> {
    /// Title, in the window's title bar and at the top of the page.
    pub title: String,
    /// Papers of the figures.
    pub papers: Vec<&'a str>,
    /// True for a report of shipped figures, false for a run of the user.
    pub figures: bool,
    /// True if `[quick]` was applied.
    pub quick: bool,
    /// Note of an interrupted result: what is compared.
    pub partial: Option<String>,
    /// Table with the main results, at the top.
    pub short: Option<Table>,
    /// Sections, in order.
    pub sections: Vec<Section<'a>>,
}

/// Experiment of a page: a figure, a sweep, or a run.
pub(crate) struct Section<'a> {
    /// Folder of the paper; empty for a run of the user.
    pub group: &'a str,
    /// Unique name within the page: `dibs/fig08`.
    pub path: String,
    /// Heading: `Figure 8`.
    pub heading: String,
    /// Description of what the figure shows; may be empty.
    pub shows: &'a str,
    /// Scenario or experiment that was run.
    pub subject: Subject<'a>,
    /// Results of the runs.
    pub results: &'a Results,
    /// True if it was interrupted.
    pub partial: bool,
    /// Warnings, which matter before any number is trusted.
    pub warnings: Vec<String>,
    /// Tables of numbers.
    pub tables: Vec<Table>,
    /// Plots.
    pub plots: Vec<Drawn>,
    /// Folder of the plots as files, relative to the page.
    pub pictures: String,
    /// Agreement between simulator and testbed, if both were run.
    pub beside: Option<&'a ArmAgreement>,
    /// Files beside the page: name and path of each.
    pub files: Vec<(String, String)>,
}

/// Table of numbers.
pub(crate) struct Table {
    /// Caption.
    pub caption: String,
    /// Cells.
    pub grid: Grid,
    /// Number of columns, from the left, that hold words.
    pub words: usize,
}

impl Page<'_> {
    /// Renders the file.
    pub fn to_html(&self) -> String {
        let main = html! {
            (self.header())
            (self.in_short())
            (self.overview())
            @for section in &self.sections { (section.write(self)) }
        };
        finish(&self.around(&main))
    }

    /// Iterates over all claims, each with its section.
    fn claims(&self) -> impl Iterator<Item = (&Section<'_>, &ClaimResult)> {
        let all = self.sections.iter();
        all.flat_map(|s| s.subject.claims.iter().map(move |c| (s, c)))
    }
}

impl Section<'_> {
    fn anchor(&self) -> String {
        anchor(&self.path)
    }

    /// Returns the anchor of a claim in the file.
    fn claim_anchor(&self, claim: &ClaimResult) -> String {
        format!("{}-{}", self.anchor(), anchor(&claim.id))
    }
}

/// Returns a digest of the trajectories of all runs that have one, in their order: equal on all machines.
pub(crate) fn digest(results: &Results) -> String {
    let runs = results.points.iter().flat_map(|p| &p.runs);
    let simulated = runs.filter_map(|run| run.trajectory_hash);
    let digest = simulated.fold(0, |hash, own| sidestep_types::mix64(hash ^ own));
    format!("{digest:016x}")
}

/// Assigns a look to each scheme of the experiment.
pub(crate) fn palette(subject: &Subject<'_>) -> Palette {
    crate::reproduce::palette(subject.schemes().into_iter())
}
