//! What the loop has counted, copied at one moment for those who ask.

use super::capture::Counts;
use super::lateness::{Lateness, Stalls};
use crate::io::IoCounters;
use crate::machine::Counters;
use sidestep_types::Time;

/// All counters at one moment.
#[derive(Clone, Debug)]
pub struct Snapshot {
    /// Since the switch was started.
    pub uptime: Time,
    /// What the switch itself counted.
    pub machine: Counters,
    /// What happened at each interface, in the order of the ports.
    pub ports: Vec<PortSnapshot>,
    /// How late frames left.
    pub lateness: Lateness,
    /// How late frames were read, after the kernel had them.
    pub read_lateness: Lateness,
    /// Frames that were decided about later than they came, since the switch's time had passed that.
    pub overtaken: Stalls,
    /// How often the loop gave SCHED_FIFO up because it would not sleep.
    pub lowered: u64,
    /// What became of capture records.
    pub captured: Counts,
}

/// An interface at one moment.
#[derive(Clone, Debug)]
pub struct PortSnapshot {
    /// Its name in the config.
    pub name: String,
    /// Its name.
    pub interface: String,
    /// Does it run?
    pub running: bool,
    /// What happened at it.
    pub io: IoCounters,
}
