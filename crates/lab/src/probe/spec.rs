//! What to look at.

use super::between::Between;
use sidestep_sim::{Latency, Plan, Watching};
use sidestep_types::Time;

/// At most so many detours are logged: more than a figure can show.
pub const MOST_DETOURS: usize = 100_000;

/// What to look at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Probe {
    /// The window over which the use of links is taken.
    pub links: Option<Time>,
    /// How often buffers around hot links are looked at.
    pub neighbours: Option<Time>,
    /// A link is hot from this use on: numerator and denominator.
    pub hot: (u64, u64),
    /// The window over which goodput is taken.
    pub goodput: Option<Time>,
    /// The window over which drops are counted.
    pub drops: Option<Time>,
    /// The links between whose queues and uses the spread is taken; none takes no spread.
    pub spread: Vec<Between>,
    /// The window over which it is.
    pub spread_window: Time,
    /// Windows of it that begin earlier do not count.
    pub spread_from: Time,
    /// The workloads, by number, of whose data packets the latency is taken.
    pub latency: Vec<u8>,
    /// Of every so-many-th data packet that a host sends of each.
    pub latency_every: u64,
    /// Of those sent from here on.
    pub latency_from: Time,
    /// From when on the goodput of endless flows is taken.
    pub flows_from: Time,
    /// Draws of hashes over which fair shares are worked out; 0 works out none.
    pub fair: u64,
    /// Log each detour.
    pub detours: bool,
    /// When to note every queue's length, in order.
    pub occupancy: Vec<Time>,
    /// Keep the paths of so many data packets, those with the most detours.
    pub paths: usize,
    /// Count loops.
    pub loops: bool,
}

impl Default for Probe {
    /// Nothing.
    fn default() -> Probe {
        Probe {
            links: None,
            neighbours: None,
            hot: (9, 10),
            goodput: None,
            drops: None,
            spread: Vec::new(),
            spread_window: Time::from_ms(10),
            spread_from: Time::ZERO,
            latency: Vec::new(),
            latency_every: 100,
            latency_from: Time::ZERO,
            flows_from: Time::ZERO,
            fair: 0,
            detours: false,
            occupancy: Vec::new(),
            paths: 0,
            loops: false,
        }
    }
}

impl Probe {
    /// What the simulator must watch for it in a run of `plan`, if anything.
    /// The first key that asks for packets one by one, if any does.
    pub(crate) fn watches(&self) -> Option<&'static str> {
        let asked = [
            (!self.latency.is_empty(), "latency"),
            (self.detours, "detours"),
            (self.paths > 0, "paths"),
            (self.loops, "loops"),
        ];
        asked.into_iter().find_map(|(is, name)| is.then_some(name))
    }

    pub(crate) fn watching(&self, plan: &Plan) -> Option<Watching> {
        let latency = Latency::every(self.latency_every).since(self.latency_from);
        let classes = self.latency.iter().flat_map(|of| classes_of(plan, *of));
        let latency = classes.fold(latency, Latency::of);
        let watching = Watching {
            latency: (!self.latency.is_empty()).then_some(latency),
            crossings: !self.latency.is_empty() && !self.spread.is_empty(),
            detours: if self.detours { MOST_DETOURS } else { 0 },
            paths: self.paths,
            loops: self.loops,
        };
        (watching != Watching::default()).then_some(watching)
    }
}

/// The classes that the flows of workload number `workload` are of: its own, and those of its flow list.
pub(crate) fn classes_of(plan: &Plan, workload: u8) -> impl Iterator<Item = u8> {
    let name = &plan.classes[usize::from(workload)];
    let each = (0u8..=u8::MAX).zip(&plan.classes);
    each.filter(move |(class, own)| *class == workload || workload_of(own) == name)
        .map(|(class, _)| class)
}

/// The name of the workload that a class is of: what is before a slash.
pub(crate) fn workload_of(class: &str) -> &str {
    class
        .split_once('/')
        .map_or(class, |(workload, _)| workload)
}
