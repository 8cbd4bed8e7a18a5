//! Specification of probes.

use super::between::Between;
use sidestep_sim::{Latency, TrafficPlan, Watching};
use sidestep_types::Time;

/// Maximum number of detours that are logged: more than a figure can show.
pub const MOST_DETOURS: usize = 100_000;

/// Specification of probes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Probe {
    /// Window over which the use of links is measured.
    pub links: Option<Time>,
    /// Interval between samples of the buffers around hot links.
    pub neighbours: Option<Time>,
    /// Use from which on a link is hot: numerator and denominator.
    pub hot: (u64, u64),
    /// Window over which goodput is measured.
    pub goodput: Option<Time>,
    /// Window over which drops are counted.
    pub drops: Option<Time>,
    /// Selections of links whose queues and uses are compared; without any there is no spread.
    pub spread: Vec<Between>,
    /// Window over which the spread is measured.
    pub spread_window: Time,
    /// Start of the first window of the spread that counts.
    pub spread_from: Time,
    /// Workloads, by number, whose data packets have their latency measured.
    pub latency: Vec<u8>,
    /// Interval of the measured packets, among the data packets that a host sends for each workload.
    pub latency_every: u64,
    /// Time from which on sent packets are measured.
    pub latency_from: Time,
    /// Time from which on the goodput of endless flows is measured.
    pub flows_from: Time,
    /// Draws of hashes over which fair shares are computed; 0 computes none.
    pub fair: u64,
    /// Log each detour.
    pub detours: bool,
    /// Instants at which every queue's length is noted, in order.
    pub occupancy: Vec<Time>,
    /// Number of data packets whose paths are kept, those with the most detours.
    pub paths: usize,
    /// Count loops.
    pub loops: bool,
}

impl Default for Probe {
    /// Probes nothing.
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
    /// Returns the first key that watches packets one by one, if any does.
    pub(crate) fn watches(&self) -> Option<&'static str> {
        let asked = [
            (!self.latency.is_empty(), "latency"),
            (self.detours, "detours"),
            (self.paths > 0, "paths"),
            (self.loops, "loops"),
        ];
        asked.into_iter().find_map(|(is, name)| is.then_some(name))
    }

    /// Returns what the simulator must watch in a run of `plan`, if anything.
    pub(crate) fn watching(&self, plan: &TrafficPlan) -> Option<Watching> {
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

/// Iterates over the classes of the flows of workload number `workload`: the workload itself, and those of its
/// flow list.
pub(crate) fn classes_of(plan: &TrafficPlan, workload: u8) -> impl Iterator<Item = u8> {
    let name = &plan.classes[usize::from(workload)];
    let each = (0u8..=u8::MAX).zip(&plan.classes);
    each.filter(move |(class, own)| *class == workload || workload_of(own) == name)
        .map(|(class, _)| class)
}

/// Returns the name of the workload of a class: the text before a slash.
pub(crate) fn workload_of(class: &str) -> &str {
    class
        .split_once('/')
        .map_or(class, |(workload, _)| workload)
}
