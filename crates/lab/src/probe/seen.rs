//! Results of probes, as a record stores them beside the outcome.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Results of probes, beside the outcome.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Probed {
    /// Packets dropped, by reason and then by the tier of the switch, or by switch where a
    /// topology names no tiers. Counted without a probe too; zeros are left out.
    #[serde(default)]
    pub drops_at: BTreeMap<String, BTreeMap<String, u64>>,
    /// Samples by name, in the order in which they were taken, to nine decimals.
    #[serde(default)]
    pub samples: BTreeMap<String, Vec<f64>>,
    /// Length of the windows in picoseconds, for samples with one value for each window, in order from
    /// time 0.
    #[serde(default)]
    pub windows: BTreeMap<String, u64>,
    /// Number of values before thinning, for thinned samples.
    #[serde(default)]
    pub thinned: BTreeMap<String, u64>,
    /// Bytes that endless flows had delivered when the measured part of the run began.
    #[serde(default)]
    pub flows_from: Option<FlowsFrom>,
    /// First [`super::MOST_DETOURS`] detours.
    #[serde(default)]
    pub detours: Vec<LoggedDetour>,
    /// Number of detours after those.
    #[serde(default)]
    pub detours_missed: u64,
    /// Queue lengths at the chosen instants that the run reached.
    #[serde(default)]
    pub occupancy: Vec<Occupancy>,
    /// Paths of the data packets with the most detours, most first.
    #[serde(default)]
    pub paths: Vec<LoggedPath>,
    /// Loops, if they were counted.
    #[serde(default)]
    pub loops: Option<Loops>,
}

impl Probed {
    /// Returns notes to show beside incomplete logs and samples.
    pub fn notes(&self) -> Vec<String> {
        let full = (self.detours_missed > 0).then(|| {
            let (kept, missed) = (self.detours.len(), self.detours_missed);
            format!(
                "the log of detours is full: it holds the first {kept}, and {missed} more were not \
                 logged"
            )
        });
        let thinned = self.thinned.iter().map(|(name, all)| {
            let kept = self.samples.get(name).map_or(0, Vec::len);
            format!("the sample {name} was thinned: it holds {kept} of {all} values, evenly spaced")
        });
        full.into_iter().chain(thinned).collect()
    }
}

/// Bytes that endless flows had delivered at one instant.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FlowsFrom {
    /// Simulated time, in picoseconds.
    pub at_ps: u64,
    /// Bytes each flow delivered in order; flows in the order of the plan.
    pub delivered: Vec<u64>,
}

/// Detour of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LoggedDetour {
    /// Simulated time, in picoseconds.
    pub at_ps: u64,
    /// Number of the switch.
    pub switch: u32,
    /// Port that the route chose.
    pub wanted: u16,
    /// Port that the packet left by.
    pub taken: u16,
}

/// Lengths of all queues at one instant.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Occupancy {
    /// Simulated time, in picoseconds.
    pub at_ps: u64,
    /// Packets in the queue of each directed link, in the order of the outcome's ports (hosts'
    /// own links too), the packet on the wire included.
    pub packets: Vec<u32>,
}

/// Path of a packet.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LoggedPath {
    /// Id of the packet: its host's number and its number at that host, in the high and low half.
    pub id: u64,
    /// Flow of the packet.
    pub flow: u32,
    /// First byte of payload in the flow.
    pub seq: u64,
    /// Number of detours.
    pub detours: u32,
    /// Events of the packet, in order.
    pub steps: Vec<LoggedStep>,
}

/// Step of a path.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LoggedStep {
    /// Simulated time, in picoseconds.
    pub at_ps: u64,
    /// Event of the packet.
    pub what: LoggedEvent,
}

/// Event at one step of a path.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LoggedEvent {
    /// The host put the packet on its NIC.
    Sent,
    /// A switch queued the packet.
    Queued {
        /// Number of the switch.
        switch: u32,
        /// Port of the queue.
        port: u16,
        /// Port that the route chose; if it differs, the packet was detoured.
        wanted: u16,
        /// Packets ahead in the queue.
        ahead: u32,
        /// True if the packet was marked here.
        marked: bool,
    },
    /// A switch dropped the packet.
    Dropped {
        /// Number of the switch.
        switch: u32,
        /// Port that the packet was on its way to.
        wanted: u16,
        /// Reason, as [`sidestep_switch::DropReason::name`] gives it.
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
    /// Data packets of those that were detoured at least once.
    pub detoured: u64,
    /// Data packets of those that crossed one switch at least twice.
    pub looped: u64,
    /// Loops by their length in links, from 0 up.
    pub lengths: Vec<u64>,
}

impl Loops {
    /// Returns the number of loops.
    pub fn count(&self) -> u64 {
        self.lengths.iter().sum()
    }

    /// Returns the links of all loops together.
    pub fn links(&self) -> u64 {
        let lengths = self.lengths.iter().zip(0u64..);
        lengths.map(|(count, length)| count * length).sum()
    }

    /// Adds the loops of another run.
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
            "the log of detours is full: it holds the first 0, and 7 more were not logged",
            "the sample use_spread was thinned: it holds 3 of 9 values, evenly spaced",
        ];
        assert_eq!(probed.notes(), said);
    }
}
