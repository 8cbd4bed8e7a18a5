//! What the loop has counted, copied at one moment for those who ask.

use super::capture::Counts;
use super::lateness::Lateness;
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
    /// How often the loop gave SCHED_FIFO up because it would not sleep.
    pub lowered: u64,
    /// What became of capture records.
    pub captured: Counts,
}

impl Snapshot {
    /// Frames that left or were read more than [`super::lateness::STALL`] late. Lateness of departures
    /// alone would not see a stall while nothing was due: what is due counts from the reading.
    pub fn stalls(&self) -> u64 {
        self.lateness.stalls() + self.read_lateness.stalls()
    }
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
