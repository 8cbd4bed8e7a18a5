//! A policy whose rows can be drawn.

use crate::row::Row;
use crate::sequence::{SHIPPED, STEPS};
use crate::table::Table;
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

impl Table for Policy {
    fn seam(&self) -> &'static str {
        self.seam
    }

    fn entry(&self) -> &'static Entry {
        self.entry
    }

    fn shipped_rows(&self) -> u32 {
        if self.nature.remembers {
            SHIPPED * STEPS
        } else if self.nature.displaces || self.nature.classes {
            256
        } else {
            128
        }
    }

    /// Panics when the policy takes more draws than its nature says.
    fn rows(&self, seed: Seed) -> Box<dyn Iterator<Item = Row>> {
        (self.rows)(*self, seed)
    }
}
