//! Run of a scheme with a seed: its progress, and its result.

use crate::count_sources::CountSources;
use crate::probe::Probed;
use sidestep_sim::{Network, Outcome, TrafficPlan};
use sidestep_types::{Framing, Time};
use std::sync::Arc;

/// Progress of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// Simulated time.
    pub now: Time,
    /// Simulated time at which the run stops at the latest.
    pub horizon: Time,
    /// Awaited flows whose last byte was delivered.
    pub flows_done: u64,
    /// Flows that the run waits for: finite flows outside closed loops.
    pub flows_total: u64,
    /// Deliveries of one packet over one link so far.
    pub packet_hops: u64,
}

/// Finished run.
#[derive(Clone, Debug)]
pub struct Run {
    /// Name of the scheme.
    pub scheme: String,
    /// Seed of the run.
    pub seed: u64,
    /// Planned flows and queries.
    pub plan: Arc<TrafficPlan>,
    /// Outcome of the simulation.
    pub outcome: Outcome,
    /// Network of the run, for ideal completion times.
    pub network: Arc<Network>,
    /// Framing: overhead of a packet on a wire.
    pub framing: Framing,
    /// Payload bytes of a full segment.
    pub mss: u32,
    /// Results of the probes.
    pub probed: Probed,
    /// Bytes of the recording, if the run was recorded (`docs/reference/recording.md`).
    pub recording: Option<Vec<u8>>,
    /// True if the watcher stopped the run.
    pub interrupted: bool,
    /// Counts that were not measured; a simulated run measures all.
    pub told: CountSources,
    /// Warnings to read before trusting the numbers.
    pub warnings: Vec<String>,
    /// Disturbances of the run by this machine; a simulated run has none.
    pub marks: Vec<String>,
}
