//! What has a table.

use crate::row::{Row, csv};
use sidestep_types::{Entry, Seed};

/// A policy of a switch or a machine of a host, of which rows can be drawn.
///
/// ```
/// use sidestep_vectors::{Seed, Table, tables_named};
///
/// let agents = tables_named("agent-ecn");
/// assert_eq!(agents[0].full_name(), "shim/agent-ecn");
/// assert!(agents[0].table(2, Seed(1)).starts_with("row,settings,"));
/// ```
pub trait Table {
    /// `buffer`, `route` or `sched`; `shim`, `receiver`, `threshold` or `coupled`.
    fn seam(&self) -> &'static str;
    /// Its line in the registry.
    fn entry(&self) -> &'static Entry;
    /// How many rows the shipped table has.
    fn shipped_rows(&self) -> u32;
    /// Rows without end.
    fn rows(&self, seed: Seed) -> Box<dyn Iterator<Item = Row>>;

    /// Its name with its seam, as `buffer/dibs`.
    fn full_name(&self) -> String {
        format!("{}/{}", self.seam(), self.entry().name)
    }

    /// The file of the shipped table.
    fn file(&self) -> String {
        format!("{}-{}.csv", self.seam(), self.entry().name)
    }

    /// The first `count` rows as CSV, below a row of names.
    fn table(&self, count: u32, seed: Seed) -> String {
        csv(self.rows(seed).take(count as usize))
    }

    /// Does `word` mean it: `dibs`, or `buffer/dibs`?
    fn is_named(&self, word: &str) -> bool {
        self.entry().name == word || self.full_name() == word
    }
}
