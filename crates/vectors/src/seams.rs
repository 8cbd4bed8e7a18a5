//! Seams of a switch: the policies of each, and the function that draws their rows.

use crate::policy::{Policy, PolicyConstructor};
use crate::row::Row;
use sidestep_switch::{
    AnyBuffer, AnyRoute, AnySched, Nature, buffer as buffers, route as routes, sched as scheds,
};
use sidestep_types::{Entry, Seed};

/// Seam: its policies, and the function that draws their rows.
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

/// Returns every policy of the three registries, in their order.
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

/// Caller's policy, queried in place of a registered one.
pub enum CallerPolicy {
    /// Policy of the seam `buffer`.
    Buffer(PolicyConstructor<AnyBuffer>),
    /// Policy of the seam `route`.
    Route(PolicyConstructor<AnyRoute>),
    /// Policy of the seam `sched`.
    Sched(PolicyConstructor<AnySched>),
}

impl CallerPolicy {
    /// Returns the name of the policy's seam.
    pub fn seam(&self) -> &'static str {
        match self {
            CallerPolicy::Buffer(_) => "buffer",
            CallerPolicy::Route(_) => "route",
            CallerPolicy::Sched(_) => "sched",
        }
    }

    /// Returns endless rows: the cases drawn for `policy`, with the answers of this policy.
    ///
    /// Panics if the two policies have different seams, and under the conditions of [`Table::rows`].
    pub fn rows(self, policy: Policy, seed: Seed) -> Box<dyn Iterator<Item = Row>> {
        assert_eq!(self.seam(), policy.seam, "a policy answers at its seam");
        match self {
            CallerPolicy::Buffer(make) => Box::new(crate::buffer::rows(policy, seed, make)),
            CallerPolicy::Route(make) => Box::new(crate::route::rows(policy, seed, make)),
            CallerPolicy::Sched(make) => Box::new(crate::sched::rows(policy, seed, make)),
        }
    }
}

impl Policy {
    /// Creates a policy that is not registered. Cases are drawn under its name, as its nature requires. `None`
    /// if there is no such seam.
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
