//! Table of conformance vectors.

use crate::row::{Row, csv};
use sidestep_types::{Entry, Seed};

/// Policy of a switch or machine of a host whose rows can be drawn.
///
/// ```
/// use sidestep_vectors::{Seed, Table, tables_named};
///
/// let agents = tables_named("agent-ecn");
/// assert_eq!(agents[0].full_name(), "shim/agent-ecn");
/// assert!(agents[0].table(2, Seed(1)).starts_with("row,settings,"));
/// ```
pub trait Table {
    /// Returns the seam: `buffer`, `route` or `sched`; `shim`, `receiver`, `threshold`, `detection` or
    /// `coupled`.
    fn seam(&self) -> &'static str;
    /// Returns the entry in the registry.
    fn entry(&self) -> &'static Entry;
    /// Returns the number of rows of the shipped table.
    fn shipped_rows(&self) -> u32;
    /// Returns endless rows.
    fn rows(&self, seed: Seed) -> Box<dyn Iterator<Item = Row>>;

    /// Returns the name with its seam, as `buffer/dibs`.
    fn full_name(&self) -> String {
        format!("{}/{}", self.seam(), self.entry().name)
    }

    /// Returns the file name of the shipped table.
    fn file(&self) -> String {
        format!("{}-{}.csv", self.seam(), self.entry().name)
    }

    /// Returns the first `count` rows as CSV, below a row of names.
    fn table(&self, count: u32, seed: Seed) -> String {
        csv(self.rows(seed).take(count as usize))
    }

    /// Returns true if `word` is the name: `dibs`, or `buffer/dibs`.
    fn is_named(&self, word: &str) -> bool {
        self.entry().name == word || self.full_name() == word
    }
}
