//! The figures of papers, run again: what they show, what is claimed of them, and the report.
//!
//! A figure is an experiment of [`shelf`]; [`run`](run::reproduce) runs several and writes one
//! directory, whose `report.html` and `report.json` say the same.

pub mod arms;
pub(crate) mod beside;
pub(crate) mod drawn;
mod figure;
mod json;
pub mod long;
pub mod run;
pub mod shelf;
#[cfg(test)]
mod tests;
mod text;

pub use beside::Beside;
pub use drawn::point_of;
pub use figure::FigureResult;

use crate::Status;
use crate::plot::Palette;
use crate::words_of_claims::fails;
use sidestep_lab::{ClaimResult, Verdict};

/// All that was reproduced.
pub struct Reproduction {
    /// `dibs` or `dibs/fig08`; empty for all papers.
    pub asked: String,
    /// With `--quick`.
    pub quick: bool,
    /// In the order of the report.
    pub figures: Vec<FigureResult>,
}

/// A look for each scheme; the two that are most compared with have theirs in all reports.
pub(crate) fn palette<'a>(schemes: impl Iterator<Item = &'a str>) -> Palette {
    Palette::new(["dctcp", "dibs"].into_iter().chain(schemes))
}

/// How many claims have which verdict.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// Reproduced.
    pub reproduced: usize,
    /// Not reproduced.
    pub not: usize,
    /// Can't tell.
    pub unsure: usize,
    /// Made for other settings than those that ran.
    pub not_judged: usize,
    /// Whose verdict makes the command fail.
    pub failed: usize,
}

impl Totals {
    /// All claims.
    pub fn all(&self) -> usize {
        self.reproduced + self.not + self.unsure + self.not_judged
    }
}

impl Reproduction {
    /// All claims, with the figure of each.
    pub fn claims(&self) -> impl Iterator<Item = (&FigureResult, &ClaimResult)> {
        let all = self.figures.iter();
        all.flat_map(|f| f.claims.iter().map(move |c| (f, c)))
    }

    /// How many claims have which verdict.
    pub fn totals(&self) -> Totals {
        self.totals_of(|_| true)
    }

    /// The same of those that no paper makes.
    pub fn own_totals(&self) -> Totals {
        self.totals_of(|claim| claim.own)
    }

    fn totals_of(&self, counts: impl Fn(&ClaimResult) -> bool) -> Totals {
        let mut totals = Totals::default();
        for (_, claim) in self.claims().filter(|(_, claim)| counts(claim)) {
            match claim.verdict {
                Verdict::Reproduced => totals.reproduced += 1,
                Verdict::NotReproduced => totals.not += 1,
                Verdict::CantTell => totals.unsure += 1,
                Verdict::NotJudged => totals.not_judged += 1,
            }
            totals.failed += usize::from(fails(claim, self.quick));
        }
        totals
    }

    /// Partial when any figure is.
    pub fn status(&self) -> Status {
        match self.figures.iter().all(|f| f.status == Status::Complete) {
            true => Status::Complete,
            false => Status::Partial,
        }
    }

    /// 130 when interrupted, 1 when a claim fails that should not, else 0.
    pub fn exit_status(&self) -> u8 {
        match (self.status(), self.totals().failed) {
            (Status::Partial, _) => 130,
            (_, 0) => 0,
            _ => 1,
        }
    }

    /// A look for each scheme, the same in all figures.
    pub(crate) fn palette(&self) -> Palette {
        let points = self.figures.iter().flat_map(|f| &f.experiment.points);
        palette(points.flat_map(|p| p.scenario.schemes.iter().map(|s| s.name.as_str())))
    }
}

/// Where the experiment `name` stands that a figure of `paper` names: of the same paper unless it says another.
pub(crate) fn path_of(paper: &str, name: &str) -> String {
    match name.contains('/') {
        true => name.into(),
        false => format!("{paper}/{name}"),
    }
}
