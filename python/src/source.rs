//! A scenario that was not yet read: its text, its name, and where the files are that it names.

use crate::error::{Refused, Text, raise};
use crate::policy::Schemes;
use pyo3::prelude::*;
use sidestep_lab::Experiment;
use sidestep_study::files::{self, Beside};
use std::path::PathBuf;

/// The text of a scenario or experiment, with what is to be changed in it.
#[pyclass(frozen, module = "sidestep._native")]
#[derive(Clone)]
pub struct Source {
    own: files::Source,
    /// Changes as of `--set`, `key=value` each.
    sets: Vec<String>,
    /// `[quick]` is applied.
    quick: bool,
    /// Somebody wrote this text, so that its lines mean something.
    written: bool,
}

#[pymethods]
impl Source {
    /// A text; `folder` or the figure `figure` say where the files are that it names.
    #[new]
    #[pyo3(signature = (name, text, *, folder = None, figure = None, sets = Vec::new(), quick = false, written = true))]
    fn new(
        name: String,
        text: String,
        folder: Option<PathBuf>,
        figure: Option<String>,
        sets: Vec<String>,
        quick: bool,
        written: bool,
    ) -> Source {
        let beside = match (folder, figure) {
            (_, Some(figure)) => Beside::Figure(figure),
            (Some(folder), None) => Beside::Folder(folder),
            (None, None) => Beside::Nowhere,
        };
        Source {
            own: files::Source { name, text, beside },
            sets,
            quick,
            written,
        }
    }

    /// The scenario at a path, or of a shipped name, or a figure by its name.
    #[staticmethod]
    fn find(py: Python<'_>, which: &str) -> PyResult<Source> {
        let own = files::find(which).map_err(|e| raise(py, &e, Refused::Scenario, None))?;
        Ok(Source::written(own, Vec::new(), false))
    }

    /// What messages call it.
    #[getter]
    fn name(&self) -> &str {
        &self.own.name
    }

    /// What stands in it.
    #[getter]
    pub fn text(&self) -> &str {
        &self.own.text
    }

    /// Where the files are that it names, if that is a folder.
    #[getter]
    fn folder(&self) -> Option<PathBuf> {
        match &self.own.beside {
            Beside::Folder(folder) => Some(folder.clone()),
            _ => None,
        }
    }

    /// The figure beside which its files stand.
    #[getter]
    fn figure(&self) -> Option<&str> {
        match &self.own.beside {
            Beside::Figure(figure) => Some(figure),
            _ => None,
        }
    }

    /// Every value written out, with its source, and the changes made: reads back as the same.
    fn resolved(&self, py: Python<'_>) -> PyResult<String> {
        Ok(self.read(py)?.to_toml())
    }

    /// What is swept, by name; empty without [sweep].
    fn axes(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        let experiment = self.read(py)?;
        Ok(experiment
            .axes
            .iter()
            .map(|axis| axis.name.clone())
            .collect())
    }
}

impl Source {
    /// What somebody wrote, with changes.
    pub fn written(own: files::Source, sets: Vec<String>, quick: bool) -> Source {
        Source {
            own,
            sets,
            quick,
            written: true,
        }
    }

    /// Reads it. Errors are exceptions with every problem.
    pub fn read(&self, py: Python<'_>) -> PyResult<Experiment> {
        let read = py.detach(|| self.try_read());
        read.map_err(|e| raise(py, &e, Refused::Scenario, Some(self.about())))
    }

    /// The same for whoever says what is wrong in another way.
    pub fn try_read(&self) -> Result<Experiment, sidestep_study::Error> {
        self.own.read(&self.sets, self.quick)
    }

    /// What is read, the changes to it, and whether `[quick]` is applied.
    pub fn asked(&self) -> (&files::Source, &[String], bool) {
        (&self.own, &self.sets, self.quick)
    }

    /// Reads it with these schemes beside its own.
    pub fn read_with(&self, py: Python<'_>, schemes: &Schemes) -> PyResult<Experiment> {
        let read = |sets: &[String]| self.own.read(sets, self.quick);
        let added = py.detach(|| schemes.add(&read, &self.sets));
        added.map_err(|e| raise(py, &e, Refused::Scenario, Some(self.about())))
    }

    /// What messages call it.
    pub fn own_name(&self) -> &str {
        &self.own.name
    }

    /// What an error about it needs.
    pub fn about(&self) -> Text<'_> {
        Text {
            name: &self.own.name,
            text: &self.own.text,
            written: self.written,
        }
    }
}
