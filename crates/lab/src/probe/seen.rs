//! What was seen beside the outcome: what a record keeps of a probe.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What was seen beside the outcome.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Probed {
    /// Packets dropped, by reason and then by the tier of the switch, or by switch where a
    /// topology names no tiers. Probed or not; what did not happen is left out.
    #[serde(default)]
    pub drops_at: BTreeMap<String, BTreeMap<String, u64>>,
    /// Samples by name, in the order in which they were taken, to nine decimals.
    #[serde(default)]
    pub samples: BTreeMap<String, Vec<f64>>,
    /// Of samples that have one value for each window, in turn from 0 on: how long a window is, in
    /// picoseconds.
    #[serde(default)]
    pub windows: BTreeMap<String, u64>,
    /// Of samples that were thinned: how many values there were.
    #[serde(default)]
    pub thinned: BTreeMap<String, u64>,
    /// What endless flows had delivered when the part of the run began that is measured.
    #[serde(default)]
    pub flows_from: Option<FlowsFrom>,
    /// The first [`super::MOST_DETOURS`] detours.
    #[serde(default)]
    pub detours: Vec<LoggedDetour>,
    /// Detours after those.
    #[serde(default)]
    pub detours_missed: u64,
    /// Queue lengths at the instants asked for, as far as the run went.
    #[serde(default)]
    pub occupancy: Vec<Occupancy>,
    /// Paths of the data packets with the most detours, most first.
    #[serde(default)]
    pub paths: Vec<LoggedPath>,
    /// Loops, when they were counted.
    #[serde(default)]
    pub loops: Option<Loops>,
}

impl Probed {
    /// What must be said beside logs and samples that are not whole.
    pub fn notes(&self) -> Vec<String> {
        let full = (self.detours_missed > 0).then(|| {
            let (kept, missed) = (self.detours.len(), self.detours_missed);
            format!(
                "the log of detours is full: it holds the first {kept}, and {missed} more happened"
            )
        });
        let thinned = self.thinned.iter().map(|(name, all)| {
            let kept = self.samples.get(name).map_or(0, Vec::len);
            format!("the sample {name} was thinned: it holds {kept} of {all} values, evenly")
        });
        full.into_iter().chain(thinned).collect()
    }
}

/// What endless flows had delivered at one instant.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FlowsFrom {
    /// Simulated time, in picoseconds.
    pub at_ps: u64,
    /// Bytes delivered in order, of each in the order of the plan.
    pub delivered: Vec<u64>,
}

/// One detour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LoggedDetour {
    /// Simulated time, in picoseconds.
    pub at_ps: u64,
    /// The number of the switch.
    pub switch: u32,
    /// The port that the route chose.
    pub wanted: u16,
    /// The port it left by.
    pub taken: u16,
}

/// How long every queue was at one instant.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Occupancy {
    /// Simulated time, in picoseconds.
    pub at_ps: u64,
    /// Packets, one number for each directed link in the order of the outcome's ports (hosts'
    /// own links too), the packet on the wire included.
    pub packets: Vec<u32>,
}

/// One packet's path.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LoggedPath {
    /// The packet: its host's number and its number there, in the high and low half.
    pub id: u64,
    /// Its flow.
    pub flow: u32,
    /// The first byte it carries.
    pub seq: u64,
    /// How often it was detoured.
    pub detours: u32,
    /// What happened to it, in order.
    pub steps: Vec<LoggedStep>,
}

/// One step of a path.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LoggedStep {
    /// Simulated time, in picoseconds.
    pub at_ps: u64,
    /// What happened to the packet.
    pub what: LoggedEvent,
}

/// What happened at one step.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LoggedEvent {
    /// Its host put it on the NIC.
    Sent,
    /// A switch queued it.
    Queued {
        /// The number of the switch.
        switch: u32,
        /// On this port.
        port: u16,
        /// The port the route wanted; another one means a detour.
        wanted: u16,
        /// Packets ahead of it.
        ahead: u32,
        /// Was it marked here?
        marked: bool,
    },
    /// A switch dropped it.
    Dropped {
        /// The number of the switch.
        switch: u32,
        /// On its way to this port.
        wanted: u16,
        /// The reason, as [`sidestep_switch::DropReason::name`] gives it.
        reason: String,
    },
    /// The packet reached its host.
    Delivered,
}

/// Loops of the data packets that arrived or were dropped.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Loops {
    /// Data packets that arrived or were dropped.
    pub packets: u64,
    /// Of them, detoured at least once.
    pub detoured: u64,
    /// Of them, through one switch at least twice.
    pub looped: u64,
    /// Loops by their length in links, from 0 up.
    pub lengths: Vec<u64>,
}

impl Loops {
    /// How many loops there were.
    pub fn count(&self) -> u64 {
        self.lengths.iter().sum()
    }

    /// The links of all of them together.
    pub fn links(&self) -> u64 {
        let lengths = self.lengths.iter().zip(0u64..);
        lengths.map(|(count, length)| count * length).sum()
    }

    /// Takes in another run's.
    pub(crate) fn merge(&mut self, other: &Loops) {
        self.packets += other.packets;
        self.detoured += other.detoured;
        self.looped += other.looped;
        if self.lengths.len() < other.lengths.len() {
            self.lengths.resize(other.lengths.len(), 0);
        }
        for (mine, theirs) in self.lengths.iter_mut().zip(&other.lengths) {
            *mine += theirs;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_that_is_not_whole_says_so() {
        let mut probed = Probed::default();
        assert!(probed.notes().is_empty());
        probed.detours_missed = 7;
        probed.thinned.insert("use_spread".into(), 9);
        probed.samples.insert("use_spread".into(), vec![0.5; 3]);
        let said = [
            "the log of detours is full: it holds the first 0, and 7 more happened",
            "the sample use_spread was thinned: it holds 3 of 9 values, evenly",
        ];
        assert_eq!(probed.notes(), said);
    }
}
