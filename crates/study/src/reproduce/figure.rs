//! A figure of a paper: what was run, and what came out.

use super::beside::Beside;
use super::drawn::{self, Drawn, Subject};
use crate::Status;
use crate::plot::Palette;
use sidestep_lab::{ClaimResult, Experiment, Results};

/// One figure of a [`Reproduction`](super::Reproduction).
pub struct FigureResult {
    /// The paper's folder: `dibs`.
    pub paper: String,
    /// What was run.
    pub experiment: Experiment,
    /// What came out.
    pub results: Results,
    /// The claims beside our numbers.
    pub claims: Vec<ClaimResult>,
    /// How far several ways of running it agree, when there are several.
    pub beside: Option<Beside>,
    /// Whether all of it ran to its end.
    pub status: Status,
}

impl FigureResult {
    /// `dibs/fig08`
    pub fn path(&self) -> String {
        format!("{}/{}", self.paper, self.experiment.name)
    }

    /// `Figure 8`: what people call it.
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
