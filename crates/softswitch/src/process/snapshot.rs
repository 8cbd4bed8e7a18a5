//! Snapshot of the loop's counters, for readers.

use super::capture::Counts;
use super::lateness::{Lateness, Stalls};
use crate::io::IoCounters;
use crate::machine::Counters;
use sidestep_types::Time;

/// All counters at one moment.
#[derive(Clone, Debug)]
pub struct Snapshot {
    /// Time since the switch was started.
    pub uptime: Time,
    /// Counters of the switch itself.
    pub machine: Counters,
    /// Counters of each interface, in the order of the ports.
    pub ports: Vec<PortSnapshot>,
    /// Lateness of departures.
    pub lateness: Lateness,
    /// Lateness of reading frames, after the kernel had them.
    pub read_lateness: Lateness,
    /// Frames decided on later than they arrived, as the switch's time had passed their stamps.
    pub overtaken: Stalls,
    /// Number of times the loop gave up SCHED_FIFO because it did not sleep.
    pub lowered: u64,
    /// Capture records kept and lost.
    pub captured: Counts,
}

/// State of an interface at one moment.
#[derive(Clone, Debug)]
pub struct PortSnapshot {
    /// Name of the port in the config.
    pub name: String,
    /// Name of the interface.
    pub interface: String,
    /// True if the interface is up and has a carrier.
    pub running: bool,
    /// Counters of the interface.
    pub io: IoCounters,
}
