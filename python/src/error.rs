//! Errors as exceptions of `sidestep.errors`.
//!
//! **Decision**  the words are the command's. The parts of a message (`expected`, `got`, `suggestion`) and its
//!               key are attributes of each problem. Line numbers refer to a text that a person wrote, never to
//!               a text generated from a scenario object.

use pyo3::prelude::*;
use pyo3::types::PyTuple;
use sidestep_lab::Problem;
use sidestep_study::Error;

/// Classes of refusals.
#[derive(Clone, Copy)]
pub enum Refused {
    /// The scenario, or the way to run it, is refused.
    Scenario,
    /// A result directory is refused.
    Result,
    /// An argument of the call is refused: a plug-in, a name.
    Call,
}

/// Text that a problem may refer to.
#[derive(Clone, Copy)]
pub struct Text<'a> {
    /// Name used in messages.
    pub name: &'a str,
    /// Contents of the text.
    pub text: &'a str,
    /// True if a person wrote this text, so that line numbers mean something.
    pub written: bool,
}

/// Creates the exception for an error; `source` is the text that was read, if the error is about it.
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

/// Creates an exception of a class of `sidestep.errors` with this message.
pub fn of_class(py: Python<'_>, class: &str, words: String) -> PyResult<PyErr> {
    let class = py.import("sidestep.errors")?.getattr(class)?;
    Ok(PyErr::from_value(class.call1((words,))?))
}

/// Creates a `sidestep.ScenarioError` for an argument of a call, with the parts of the message.
pub fn wrong_call(py: Python<'_>, words: &str) -> PyErr {
    input(py, words, None).unwrap_or_else(|failed| failed)
}

/// Creates a `sidestep.ResultError` with this message.
pub fn unreadable(py: Python<'_>, words: String) -> PyErr {
    of_class(py, "ResultError", words).unwrap_or_else(|failed| failed)
}

/// Creates a refusal without a place in a file, but with its parts.
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

/// Creates a `sidestep.errors.Problem`; `own` is the source if the problem is in it.
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
