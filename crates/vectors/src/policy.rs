//! A policy whose rows can be drawn.

use crate::row::{Row, csv};
use crate::sequence::{SHIPPED, STEPS};
use sidestep_switch::Nature;
use sidestep_types::{Entry, Seed};

/// A policy and the seam it sits at.
#[derive(Clone, Copy, Debug)]
pub struct Policy {
    /// `buffer`, `route` or `sched`.
    pub seam: &'static str,
    /// Its line in the registry.
    pub entry: &'static Entry,
    /// What it says about itself.
    pub nature: Nature,
    /// How its rows are drawn.
    pub(crate) rows: fn(Policy, Seed) -> Box<dyn Iterator<Item = Row>>,
}

impl Policy {
    /// Its name with its seam, as `buffer/dibs`.
    pub fn full_name(&self) -> String {
        format!("{}/{}", self.seam, self.entry.name)
    }

    /// The file of the shipped table.
    pub fn file(&self) -> String {
        format!("{}-{}.csv", self.seam, self.entry.name)
    }

    /// How many rows the shipped table has.
    pub fn shipped_rows(&self) -> u32 {
        if self.nature.remembers {
            SHIPPED * STEPS
        } else if self.nature.displaces {
            256
        } else {
            128
        }
    }

    /// Rows without end.
    ///
    /// Panics when the policy takes more draws than its nature says.
    pub fn rows(self, seed: Seed) -> impl Iterator<Item = Row> {
        (self.rows)(self, seed)
    }

    /// The first `count` rows as CSV, below a row of names.
    pub fn table(self, count: u32, seed: Seed) -> String {
        csv(self.rows(seed).take(count as usize))
    }
}
