//! What was refused, as an exception of `sidestep.errors`.
//!
//! **Decision**  the words are the command's. What a message says in parts (`expected`, `got`, `suggestion`) and the key
//!               that it is about are attributes of each problem; lines are those of a text that somebody wrote, and not
//!               of one that a scenario object was written as.

use pyo3::prelude::*;
use pyo3::types::PyTuple;
use sidestep_lab::Problem;
use sidestep_study::Error;

/// The classes that what was asked for can be refused as.
#[derive(Clone, Copy)]
pub enum Refused {
    /// The scenario, or how to run it.
    Scenario,
    /// A result directory.
    Result,
    /// An argument of the call: a plug-in, a name.
    Call,
}

/// A text that a problem may be about.
#[derive(Clone, Copy)]
pub struct Text<'a> {
    /// The name that messages give it.
    pub name: &'a str,
    /// Its contents.
    pub text: &'a str,
    /// Somebody wrote it, so that its lines mean something.
    pub written: bool,
}

/// The exception for an error; `source` is what was read when it is about that.
pub fn raise(py: Python<'_>, error: &Error, refused: Refused, source: Option<Text<'_>>) -> PyErr {
    let words = || error.to_string();
    let made = match (error, refused) {
        (Error::Wrong(problems), _) => wrong(py, problems, source),
        (Error::Input(words), Refused::Scenario | Refused::Call) => input(py, words, source),
        (Error::Io { .. }, Refused::Call) => input(py, &words(), source),
        (Error::Input(_), Refused::Result) => of_class(py, "ResultError", words()),
        (Error::Run(_), _) => of_class(py, "RunError", words()),
        (Error::Io { .. } | Error::Unwritten(_), _) => of_class(py, "ResultError", words()),
    };
    made.unwrap_or_else(|failed| failed)
}

/// A class of `sidestep.errors` with these words.
pub fn of_class(py: Python<'_>, class: &str, words: String) -> PyResult<PyErr> {
    let class = py.import("sidestep.errors")?.getattr(class)?;
    Ok(PyErr::from_value(class.call1((words,))?))
}

/// `sidestep.ScenarioError` for an argument of a call, with the parts of these words.
pub fn wrong_call(py: Python<'_>, words: &str) -> PyErr {
    input(py, words, None).unwrap_or_else(|failed| failed)
}

/// `sidestep.ResultError` with these words.
pub fn unreadable(py: Python<'_>, words: String) -> PyErr {
    of_class(py, "ResultError", words).unwrap_or_else(|failed| failed)
}

/// A refusal that is about no place of a file, with its parts all the same.
fn input(py: Python<'_>, words: &str, source: Option<Text<'_>>) -> PyResult<PyErr> {
    let file = source.map_or("", |source| source.name).to_string();
    let message = words.to_string();
    let (line, column) = (0, 0);
    let problem = Problem {
        file,
        line,
        column,
        message,
    };
    let problems = PyTuple::new(py, [told(py, &problem, None)?])?;
    let class = py.import("sidestep.errors")?.getattr("ScenarioError")?;
    Ok(PyErr::from_value(class.call1((words, problems))?))
}

/// A `sidestep.errors.Problem`; `own` is the source when it stands there.
fn told<'py>(
    py: Python<'py>,
    problem: &Problem,
    own: Option<Text<'_>>,
) -> PyResult<Bound<'py, PyAny>> {
    let text = own.map_or("", |source| source.text);
    let parts = problem.parts();
    let placed = problem.line > 0 && own.is_none_or(|source| source.written);
    let place = |number: u32| placed.then_some(number);
    py.import("sidestep.errors")?.getattr("Problem")?.call1((
        &problem.file,
        place(problem.line),
        place(problem.column),
        &problem.message,
        problem.key(text),
        parts.expected,
        parts.got,
        parts.suggestion,
    ))
}

fn wrong(py: Python<'_>, problems: &[Problem], source: Option<Text<'_>>) -> PyResult<PyErr> {
    let mut all = Vec::new();
    for problem in problems {
        let own = source.filter(|source| source.name == problem.file);
        all.push(told(py, problem, own)?);
    }
    let error = py.import("sidestep.errors")?.getattr("ScenarioError")?;
    Ok(PyErr::from_value(error.call_method1("of", (all,))?))
}
