//! What was run as one HTML file, whole when it is sent alone: pictures, style and the filter of
//! verdicts are inside, nothing is fetched, and there is no script.
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

use crate::plot::Palette;
use crate::reproduce::Beside;
use crate::reproduce::drawn::{Drawn, Subject};
use crate::words::Grid;
use markup::{anchor, finish};
use maud::html;
use sidestep_lab::{ClaimResult, Results};

/// One file.
pub(crate) struct Page<'a> {
    /// In the window's title and above it all.
    pub title: String,
    /// The papers that its figures are of.
    pub papers: Vec<&'a str>,
    /// It is a report of figures that a program ships, and not a run of one's own.
    pub figures: bool,
    /// `[quick]` was applied.
    pub quick: bool,
    /// Of what was interrupted: what is compared.
    pub partial: Option<String>,
    /// What most look for first.
    pub short: Option<Table>,
    /// What it is made of, in order.
    pub sections: Vec<Section<'a>>,
}

/// One experiment of a page: a figure, a sweep, or a run.
pub(crate) struct Section<'a> {
    /// The paper's folder; empty for a run of one's own.
    pub group: &'a str,
    /// What it is called where names must be unique: `dibs/fig08`.
    pub path: String,
    /// `Figure 8`
    pub heading: String,
    /// What it shows; may be empty.
    pub shows: &'a str,
    /// What was run.
    pub subject: Subject<'a>,
    /// What came out.
    pub results: &'a Results,
    /// It was interrupted.
    pub partial: bool,
    /// What must be read before trusting a number.
    pub warnings: Vec<String>,
    /// Tables of numbers.
    pub tables: Vec<Table>,
    /// Its plots.
    pub plots: Vec<Drawn>,
    /// Where the plots are as files, from the page's folder.
    pub pictures: String,
    /// How far several ways of running it agree.
    pub beside: Option<&'a Beside>,
    /// Files beside the page: what each is called, and where it is.
    pub files: Vec<(String, String)>,
}

/// A table of numbers.
pub(crate) struct Table {
    /// What it is.
    pub caption: String,
    /// Its cells.
    pub grid: Grid,
    /// So many columns from the left hold words.
    pub words: usize,
}

impl Page<'_> {
    /// The file.
    pub fn to_html(&self) -> String {
        let main = html! {
            (self.header())
            (self.in_short())
            (self.overview())
            @for section in &self.sections { (section.write(self)) }
        };
        finish(&self.around(&main))
    }

    /// All claims, with the section of each.
    fn claims(&self) -> impl Iterator<Item = (&Section<'_>, &ClaimResult)> {
        let all = self.sections.iter();
        all.flat_map(|s| s.subject.claims.iter().map(move |c| (s, c)))
    }
}

impl Section<'_> {
    fn anchor(&self) -> String {
        anchor(&self.path)
    }

    /// Where a claim stands in the file.
    fn claim_anchor(&self, claim: &ClaimResult) -> String {
        format!("{}-{}", self.anchor(), anchor(&claim.id))
    }
}

/// A digest of every run that has one, in their order: equal on all machines.
pub(crate) fn digest(results: &Results) -> String {
    let runs = results.points.iter().flat_map(|p| &p.runs);
    let simulated = runs.filter_map(|run| run.trajectory_hash);
    let digest = simulated.fold(0, |hash, own| sidestep_types::mix64(hash ^ own));
    format!("{digest:016x}")
}

/// A look for each scheme of what was run.
pub(crate) fn palette(subject: &Subject<'_>) -> Palette {
    crate::reproduce::palette(subject.schemes().into_iter())
}
