//! Probes that numbers need.

use crate::probe::Probe;

/// Key of `[probe]` without which some metrics have no value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Needs {
    /// Window over which the use of links is measured.
    Links,
    /// Interval at which buffers around hot links are sampled.
    Neighbours,
    /// Count of loops.
    Loops,
    /// Window over which goodput is measured.
    Goodput,
    /// Window over which drops are counted.
    Drops,
    /// Links whose spread is measured.
    Spread,
    /// Workloads whose latency is measured.
    Latency,
    /// Workloads whose latency is measured, and links whose spread is measured.
    Split,
    /// Draws of hashes for which fair shares are computed.
    Fair,
}

impl Needs {
    /// Returns the key.
    pub const fn key(self) -> &'static str {
        match self {
            Needs::Links => "links",
            Needs::Neighbours => "neighbours",
            Needs::Loops => "loops",
            Needs::Goodput => "goodput",
            Needs::Drops => "drops",
            Needs::Spread => "spread",
            Needs::Latency => "latency",
            Needs::Split => "spread and latency",
            Needs::Fair => "fair",
        }
    }

    /// True if a run with this probe has it.
    pub fn is_met(self, probe: &Probe) -> bool {
        match self {
            Needs::Links => probe.links.is_some(),
            Needs::Neighbours => probe.neighbours.is_some(),
            Needs::Loops => probe.loops,
            Needs::Goodput => probe.goodput.is_some(),
            Needs::Drops => probe.drops.is_some(),
            Needs::Spread => !probe.spread.is_empty(),
            Needs::Latency => !probe.latency.is_empty(),
            Needs::Split => !probe.spread.is_empty() && !probe.latency.is_empty(),
            Needs::Fair => probe.fair > 0,
        }
    }
}
