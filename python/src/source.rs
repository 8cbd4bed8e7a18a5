//! Scenario before it is read: its text, its name, and the place of the files it names.

use crate::error::{Refused, Text, raise};
use crate::policy::Schemes;
use pyo3::prelude::*;
use sidestep_lab::Experiment;
use sidestep_study::files::{self, FileLocation};
use std::path::PathBuf;

/// Text of a scenario or experiment, with changes to it.
#[pyclass(frozen, module = "sidestep._native")]
#[derive(Clone)]
pub struct Source {
    own: files::Source,
    /// Changes as of `--set`, each `key=value`.
    sets: Vec<String>,
    /// True if `[quick]` is applied.
    quick: bool,
    /// True if a person wrote this text, so that line numbers mean something.
    written: bool,
}

#[pymethods]
impl Source {
    /// Creates a source from a text; `folder` or the figure `figure` locates the files it names.
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
            (_, Some(figure)) => FileLocation::Figure(figure),
            (Some(folder), None) => FileLocation::Folder(folder),
            (None, None) => FileLocation::Nowhere,
        };
        Source {
            own: files::Source { name, text, beside },
            sets,
            quick,
            written,
        }
    }

    /// Finds the scenario at a path, or a shipped scenario or a figure by its name.
    #[staticmethod]
    fn find(py: Python<'_>, which: &str) -> PyResult<Source> {
        let own = files::find(which).map_err(|e| raise(py, &e, Refused::Scenario, None))?;
        Ok(Source::written(own, Vec::new(), false))
    }

    /// Name used in messages.
    #[getter]
    fn name(&self) -> &str {
        &self.own.name
    }

    /// Text of the scenario.
    #[getter]
    pub fn text(&self) -> &str {
        &self.own.text
    }

    /// Folder of the files it names, if there is one.
    #[getter]
    fn folder(&self) -> Option<PathBuf> {
        match &self.own.beside {
            FileLocation::Folder(folder) => Some(folder.clone()),
            _ => None,
        }
    }

    /// Figure whose folder has the files it names.
    #[getter]
    fn figure(&self) -> Option<&str> {
        match &self.own.beside {
            FileLocation::Figure(figure) => Some(figure),
            _ => None,
        }
    }

    /// Returns the scenario with every value written out, its source, and the changes made. The text reads back as the same scenario.
    fn resolved(&self, py: Python<'_>) -> PyResult<String> {
        Ok(self.read(py)?.to_toml())
    }

    /// Returns the names of the swept axes; empty without [sweep].
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
    /// Creates a source from a text that a person wrote, with changes.
    pub fn written(own: files::Source, sets: Vec<String>, quick: bool) -> Source {
        Source {
            own,
            sets,
            quick,
            written: true,
        }
    }

    /// Reads the scenario. An error is an exception with every problem.
    pub fn read(&self, py: Python<'_>) -> PyResult<Experiment> {
        let read = py.detach(|| self.try_read());
        read.map_err(|e| raise(py, &e, Refused::Scenario, Some(self.about())))
    }

    /// Reads the scenario, for callers that report errors differently.
    pub fn try_read(&self) -> Result<Experiment, sidestep_study::Error> {
        self.own.read(&self.sets, self.quick)
    }

    /// Returns the source, the changes to it, and true if `[quick]` is applied.
    pub fn asked(&self) -> (&files::Source, &[String], bool) {
        (&self.own, &self.sets, self.quick)
    }

    /// Reads the scenario, and adds these schemes to it.
    pub fn read_with(&self, py: Python<'_>, schemes: &Schemes) -> PyResult<Experiment> {
        let read = |sets: &[String]| self.own.read(sets, self.quick);
        let added = py.detach(|| schemes.add(&read, &self.sets));
        added.map_err(|e| raise(py, &e, Refused::Scenario, Some(self.about())))
    }

    /// Returns the name used in messages.
    pub fn own_name(&self) -> &str {
        &self.own.name
    }

    /// Returns the context of an error about the source.
    pub fn about(&self) -> Text<'_> {
        Text {
            name: &self.own.name,
            text: &self.own.text,
            written: self.written,
        }
    }
}
