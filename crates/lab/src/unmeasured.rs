//! What a run could not count.
//!
//! Counts are plain numbers everywhere, since a simulated run has them all. A run over real kernels
//! names those that it does not have, and whoever shows a number asks here: it is null in JSON and Parquet,
//! `-` in tables and no value for a claim, never 0. Which they are is checked where they are named, in
//! `crates/testbed/src/outcome/`.

use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// Names of counts that were not measured: of keys of a summary and of metrics, or, behind the name
/// of a table and a dot, of its columns.
///
/// ```
/// use sidestep_lab::Unmeasured;
/// let unmeasured = Unmeasured::of(["detours", "flows.drops"]);
/// assert_eq!(unmeasured.unless("detours", 0), None);
/// assert_eq!(unmeasured.unless("marks", 0), Some(0));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Unmeasured(BTreeSet<String>);

impl Unmeasured {
    /// Those of these names.
    pub fn of<S: Into<String>>(names: impl IntoIterator<Item = S>) -> Unmeasured {
        Unmeasured(names.into_iter().map(Into::into).collect())
    }

    /// Adds those of another run: a sum over both is not known either.
    pub fn add(&mut self, other: &Unmeasured) {
        self.0.extend(other.0.iter().cloned());
    }

    /// Was everything measured?
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Was the count of this name not measured?
    pub fn has(&self, name: &str) -> bool {
        self.0.contains(name)
    }

    /// The count, unless it was not measured.
    pub fn unless<T>(&self, name: &str, count: T) -> Option<T> {
        (!self.has(name)).then_some(count)
    }

    /// All names, in order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(String::as_str)
    }
}
