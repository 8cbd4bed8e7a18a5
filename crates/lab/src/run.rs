//! One run: a scheme and a seed, how far it is, and what is left of it in the end.

use crate::probe::Probed;
use crate::told::Told;
use sidestep_sim::{Network, Outcome, Plan};
use sidestep_types::{Framing, Time};
use std::sync::Arc;

/// How far a run is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// Simulated time.
    pub now: Time,
    /// The run stops here at the latest.
    pub horizon: Time,
    /// Of those, the flows whose last byte was delivered.
    pub flows_done: u64,
    /// Flows that the run waits for: they end, and are in no closed loop.
    pub flows_total: u64,
    /// Deliveries of one packet over one link so far.
    pub packet_hops: u64,
}

/// A finished run.
#[derive(Clone, Debug)]
pub struct Run {
    /// The scheme's name.
    pub scheme: String,
    /// The seed.
    pub seed: u64,
    /// What was to happen.
    pub plan: Arc<Plan>,
    /// What happened.
    pub outcome: Outcome,
    /// Over which network: what a flow would have taken there alone.
    pub network: Arc<Network>,
    /// What a packet costs on a wire.
    pub framing: Framing,
    /// Payload bytes of a full segment.
    pub mss: u32,
    /// What was looked at beside.
    pub probed: Probed,
    /// The bytes of its recording, if it was recorded (`docs/recording.md`).
    pub recording: Option<Vec<u8>>,
    /// The watcher stopped it.
    pub interrupted: bool,
    /// What was not counted: nothing of a simulated run.
    pub told: Told,
    /// What must be read before trusting its numbers.
    pub warnings: Vec<String>,
    /// What this machine did to it, beside what it is of: nothing to a simulated run.
    pub marks: Vec<String>,
}
