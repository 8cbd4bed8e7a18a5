//! Who tells what happened in a run, and what nobody told.
//!
//! Counts are plain numbers in a run and in its record, since a simulated run has them all. Real packets do not tell
//! everything: a run on a testbed has a [`Told`] that lacks some [`Teller`]s, and whoever shows a number asks it. What it
//! lacks is `None` then: null in JSON and Parquet, `-` in tables and no value for a claim, never 0.

use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// Someone who tells some numbers of a run. A number that stands at no teller is always known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Teller {
    /// The simulator, which alone knows what becomes of each packet.
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

/// Tellers that a run had: all of them by default.
///
/// ```
/// use sidestep_lab::{Teller, Told};
/// let told = Told::without([Teller::Switches]);
/// assert_eq!(told.by(Teller::Switches, 7), None);
/// assert_eq!(told.by(Teller::Marks, 7), Some(7));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Told {
    missing: BTreeSet<Teller>,
}

impl Told {
    /// All tellers but these.
    pub fn without(missing: impl IntoIterator<Item = Teller>) -> Told {
        let missing = missing.into_iter().collect();
        Told { missing }
    }

    /// Takes in another run: a sum over both is not known either where one of them lacks a teller.
    pub fn add(&mut self, other: &Told) {
        self.missing.extend(&other.missing);
    }

    /// Is no teller missing?
    pub fn is_all(&self) -> bool {
        self.missing.is_empty()
    }

    /// The value, if this teller told it.
    pub fn by<T>(&self, teller: Teller, value: T) -> Option<T> {
        (!self.missing.contains(&teller)).then_some(value)
    }
}
