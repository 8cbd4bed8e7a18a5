//! A policy whose rows can be drawn.

use crate::row::Row;
use crate::sequence::{SHIPPED, STEPS};
use crate::table::Table;
use sidestep_switch::{AnyBuffer, AnyRoute, AnySched, Nature};
use sidestep_types::{Entry, Seed, Values};

/// Makes what is asked, from these values, for a switch with so many ports, to hash from this number.
pub type Make<P> = Box<dyn Fn(&Values, u16, u64) -> P>;

/// A policy of the caller's that is asked in the place of a registered one.
pub enum Asked {
    /// At the seam `buffer`.
    Buffer(Make<AnyBuffer>),
    /// At the seam `route`.
    Route(Make<AnyRoute>),
    /// At the seam `sched`.
    Sched(Make<AnySched>),
}

impl Asked {
    /// Its seam.
    pub fn seam(&self) -> &'static str {
        match self {
            Asked::Buffer(_) => "buffer",
            Asked::Route(_) => "route",
            Asked::Sched(_) => "sched",
        }
    }

    /// Rows without end: the cases that are drawn for `policy`, and what this one answers.
    ///
    /// Panics when the two are of other seams, and as [`Table::rows`].
    pub fn rows(self, policy: Policy, seed: Seed) -> Box<dyn Iterator<Item = Row>> {
        assert_eq!(self.seam(), policy.seam, "a policy answers at its seam");
        match self {
            Asked::Buffer(make) => Box::new(crate::buffer::rows(policy, seed, make)),
            Asked::Route(make) => Box::new(crate::route::rows(policy, seed, make)),
            Asked::Sched(make) => Box::new(crate::sched::rows(policy, seed, make)),
        }
    }
}

impl Policy {
    /// One that is not registered: cases are drawn under its name, as its nature says. `None` without such a seam.
    pub fn of(seam: &str, entry: &'static Entry, nature: Nature) -> Option<Policy> {
        let known = crate::SEAMS.iter().find(|known| known.name == seam)?;
        Some(Policy {
            seam: known.name,
            entry,
            nature,
            rows: known.rows,
        })
    }

    /// Is it in the registry?
    pub(crate) fn is_registered(&self) -> bool {
        let known = crate::SEAMS.iter().filter(|seam| seam.name == self.seam);
        known
            .flat_map(|seam| seam.entries)
            .any(|entry| entry.name == self.entry.name)
    }
}

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
