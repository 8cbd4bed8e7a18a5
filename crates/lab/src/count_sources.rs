//! Sources of the counts of a run, and the sources that a run lacks.
//!
//! Counts are plain numbers in a run and in its record, since a simulated run has them all. Real packets do not
//! reveal everything: a run on a testbed has a [`CountSources`] that lacks some [`CountSource`]s, and code that shows a
//! number queries it. A missing count is `None` then: null in JSON and Parquet, `-` in tables and no value for
//! a claim, never 0.

use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// Source of some counts of a run. Counts that no source is listed for are always known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CountSource {
    /// Simulator, the only source that follows each packet.
    Simulator,
    /// Switches that count: bridges do not.
    Switches,
    /// Kernels that count timeouts.
    Timeouts,
    /// Kernels that count data segments sent.
    DataOut,
    /// Kernels that count data segments received.
    DataIn,
    /// Kernels that count marks delivered.
    Marks,
}

/// Sources that a run had: all of them by default.
///
/// ```
/// use sidestep_lab::{CountSource, CountSources};
/// let told = CountSources::without([CountSource::Switches]);
/// assert_eq!(told.by(CountSource::Switches, 7), None);
/// assert_eq!(told.by(CountSource::Marks, 7), Some(7));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct CountSources {
    missing: BTreeSet<CountSource>,
}

impl CountSources {
    /// Returns all sources but these.
    pub fn without(missing: impl IntoIterator<Item = CountSource>) -> CountSources {
        let missing = missing.into_iter().collect();
        CountSources { missing }
    }

    /// Adds another run: a sum over both is unknown if either lacks its source.
    pub fn add(&mut self, other: &CountSources) {
        self.missing.extend(&other.missing);
    }

    /// True if no source is missing.
    pub fn is_all(&self) -> bool {
        self.missing.is_empty()
    }

    /// Returns the value if this source is present.
    pub fn by<T>(&self, teller: CountSource, value: T) -> Option<T> {
        (!self.missing.contains(&teller)).then_some(value)
    }
}
