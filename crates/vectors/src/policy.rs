//! Policies whose rows can be drawn.

use crate::row::Row;
use crate::table::Table;
use sidestep_switch::Nature;
use sidestep_types::{Entry, Seed, Values};

/// Steps of a sequence.
pub const STEPS: u32 = 16;
/// Sequences of a shipped table: enough for one of each setting.
pub const SHIPPED: u32 = 32;

/// Constructor of a policy from its values, the number of the switch's ports, and the salt of its hashes.
pub type PolicyConstructor<P> = Box<dyn Fn(&Values, u16, u64) -> P>;

/// Policy and its seam.
#[derive(Clone, Copy, Debug)]
pub struct Policy {
    /// `buffer`, `route` or `sched`.
    pub seam: &'static str,
    /// Entry in the registry.
    pub entry: &'static Entry,
    /// Inputs and answers of the policy, as declared by it.
    pub nature: Nature,
    /// True if a registry has a policy of this name.
    pub(crate) registered: bool,
    /// Function that draws the rows.
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

    /// Panics if the policy uses more draws than its nature states.
    fn rows(&self, seed: Seed) -> Box<dyn Iterator<Item = Row>> {
        (self.rows)(*self, seed)
    }
}
