//! Reproduction of papers' figures: their results, the claims about them, and the report.
//!
//! A figure is an experiment of [`shelf`]. [`run`](run::reproduce) runs several and writes one directory, whose
//! `report.html` and `report.json` have the same contents.

pub mod arms;
pub(crate) mod beside;
pub(crate) mod drawn;
mod figure;
mod json;
pub mod library;
pub mod long;
pub mod run;
#[cfg(test)]
mod tests;
mod text;

pub use beside::ArmAgreement;
pub use drawn::point_of;
pub use figure::FigureResult;

use crate::Status;
use crate::claim_text::fails;
use crate::plot::Palette;
use sidestep_lab::{ClaimResult, Verdict};

/// Reproduced figures of one call.
pub struct Reproduction {
    /// Request: `dibs` or `dibs/fig08`; empty for all papers.
    pub asked: String,
    /// True if `--quick` was given.
    pub quick: bool,
    /// Figures, in the order of the report.
    pub figures: Vec<FigureResult>,
}

/// Assigns a look to each scheme. The two most frequent baselines look the same in all reports.
pub(crate) fn palette<'a>(schemes: impl Iterator<Item = &'a str>) -> Palette {
    Palette::new(["dctcp", "dibs"].into_iter().chain(schemes))
}

/// Number of claims with each verdict.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// Claims that are reproduced.
    pub reproduced: usize,
    /// Claims that are not reproduced.
    pub not: usize,
    /// Claims with the verdict "can't tell".
    pub unsure: usize,
    /// Claims not judged, since they were made for other settings than those that ran.
    pub not_judged: usize,
    /// Claims whose verdict makes the command fail.
    pub failed: usize,
}

impl Totals {
    /// Returns the number of all claims.
    pub fn all(&self) -> usize {
        self.reproduced + self.not + self.unsure + self.not_judged
    }
}

impl Reproduction {
    /// Iterates over all claims, each with its figure.
    pub fn claims(&self) -> impl Iterator<Item = (&FigureResult, &ClaimResult)> {
        let all = self.figures.iter();
        all.flat_map(|f| f.claims.iter().map(move |c| (f, c)))
    }

    /// Counts the claims with each verdict.
    pub fn totals(&self) -> Totals {
        self.totals_of(|_| true)
    }

    /// Counts the claims of papers, by verdict.
    pub fn paper_totals(&self) -> Totals {
        self.totals_of(|claim| !claim.own)
    }

    /// Counts the claims that no paper makes, by verdict.
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

    /// Returns the status: partial if any figure is.
    pub fn status(&self) -> Status {
        match self.figures.iter().all(|f| f.status == Status::Complete) {
            true => Status::Complete,
            false => Status::Partial,
        }
    }

    /// Returns 130 if interrupted, 1 if the verdict of a claim was not expected, else 0.
    pub fn exit_status(&self) -> u8 {
        match (self.status(), self.totals().failed) {
            (Status::Partial, _) => 130,
            (_, 0) => 0,
            _ => 1,
        }
    }

    /// Assigns a look to each scheme, the same in all figures.
    pub(crate) fn palette(&self) -> Palette {
        let points = self.figures.iter().flat_map(|f| &f.experiment.points);
        palette(points.flat_map(|p| p.scenario.schemes.iter().map(|s| s.name.as_str())))
    }
}

/// Returns the path of the experiment `name`, as a figure of `paper` refers to it: in the same paper unless the
/// name has a folder.
pub(crate) fn path_of(paper: &str, name: &str) -> String {
    match name.contains('/') {
        true => name.into(),
        false => format!("{paper}/{name}"),
    }
}
