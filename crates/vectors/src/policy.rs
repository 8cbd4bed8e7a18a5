//! A policy whose rows can be drawn.

use crate::row::Row;
use crate::table::Table;
use sidestep_switch::Nature;
use sidestep_types::{Entry, Seed, Values};

/// Steps of a sequence.
pub const STEPS: u32 = 16;
/// Sequences of a shipped table: enough that there is one of each setting.
pub const SHIPPED: u32 = 32;

/// Makes what is asked, from these values, for a switch with so many ports, to hash from this number.
pub type Make<P> = Box<dyn Fn(&Values, u16, u64) -> P>;

/// A policy and the seam it sits at.
#[derive(Clone, Copy, Debug)]
pub struct Policy {
    /// `buffer`, `route` or `sched`.
    pub seam: &'static str,
    /// Its line in the registry.
    pub entry: &'static Entry,
    /// What it says about itself.
    pub nature: Nature,
    /// Does a registry have one of this name?
    pub(crate) registered: bool,
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
