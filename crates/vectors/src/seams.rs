//! The seams of a switch: the policies of each, and how rows of one are drawn.

use crate::policy::{Make, Policy};
use crate::row::Row;
use sidestep_switch::{
    AnyBuffer, AnyRoute, AnySched, Nature, buffer as buffers, route as routes, sched as scheds,
};
use sidestep_types::{Entry, Seed};

/// A seam: its policies, and how rows of one are drawn.
struct Seam {
    name: &'static str,
    entries: &'static [Entry],
    nature: fn(&str) -> Nature,
    rows: fn(Policy, Seed) -> Box<dyn Iterator<Item = Row>>,
}

static SEAMS: [Seam; 3] = [
    Seam {
        name: "buffer",
        entries: buffers::ENTRIES,
        nature: buffers::nature,
        rows: |policy, seed| {
            let name = policy.entry.name;
            let make = move |values: &_, ports, salt| {
                AnyBuffer::build(name, values, ports, salt).expect("it was built before")
            };
            Box::new(crate::buffer::rows(policy, seed, Box::new(make)))
        },
    },
    Seam {
        name: "route",
        entries: routes::ENTRIES,
        nature: routes::nature,
        rows: |policy, seed| {
            let name = policy.entry.name;
            let make = move |values: &_, ports, salt| {
                AnyRoute::build(name, values, ports, salt).expect("it was built before")
            };
            Box::new(crate::route::rows(policy, seed, Box::new(make)))
        },
    },
    Seam {
        name: "sched",
        entries: scheds::ENTRIES,
        nature: scheds::nature,
        rows: |policy, seed| {
            let name = policy.entry.name;
            let make = move |values: &_, ports, salt| {
                AnySched::build(name, values, ports, salt).expect("it was built before")
            };
            Box::new(crate::sched::rows(policy, seed, Box::new(make)))
        },
    },
];

/// Every policy of the three registries, in their order.
pub fn policies() -> impl Iterator<Item = Policy> {
    let of = |seam: &'static Seam| {
        seam.entries.iter().map(|entry| Policy {
            seam: seam.name,
            entry,
            nature: (seam.nature)(entry.name),
            registered: true,
            rows: seam.rows,
        })
    };
    SEAMS.iter().flat_map(of)
}

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
        let known = SEAMS.iter().find(|known| known.name == seam)?;
        Some(Policy {
            seam: known.name,
            entry,
            nature,
            registered: known.entries.iter().any(|own| own.name == entry.name),
            rows: known.rows,
        })
    }
}
