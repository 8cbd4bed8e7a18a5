//! Figure of a paper: its experiment and its results.

use super::beside::ArmAgreement;
use super::drawn::{self, Drawn, Subject};
use crate::Status;
use crate::plot::Palette;
use sidestep_lab::{ClaimResult, Experiment, Results};

/// Figure of a [`Reproduction`](super::Reproduction).
pub struct FigureResult {
    /// Folder of the paper: `dibs`.
    pub paper: String,
    /// Experiment that was run.
    pub experiment: Experiment,
    /// Results.
    pub results: Results,
    /// Claims beside our numbers.
    pub claims: Vec<ClaimResult>,
    /// Agreement between the arms, if the experiment was carried out in several ways.
    pub beside: Option<ArmAgreement>,
    /// Status: complete if all runs ended.
    pub status: Status,
}

impl FigureResult {
    /// Returns the path: `dibs/fig08`.
    pub fn path(&self) -> String {
        format!("{}/{}", self.paper, self.experiment.name)
    }

    /// Returns the heading: `Figure 8`.
    pub(crate) fn heading(&self) -> String {
        let figure = self.experiment.figure.as_ref();
        let heading = figure.and_then(|figure| figure.heading());
        heading.unwrap_or_else(|| self.experiment.name.clone())
    }

    pub(crate) fn plots(&self, palette: &Palette) -> Vec<Drawn> {
        let subject = Subject::of(&self.experiment, &self.claims);
        let all = self.experiment.plots.iter().enumerate();
        all.map(|spec| drawn::draw(&subject, &self.results, spec, palette))
            .collect()
    }
}
