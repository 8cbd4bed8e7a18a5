//! Offered load: the traffic a workload offers to a network, before any loss.
//!
//! **Units**        flows and packets per second; payload and wire bits per second. Wire bits are
//!                  the data packets with headers and framing; acknowledgements, handshakes and
//!                  retransmissions are not counted.
//! **Deviations**   for sizes from a distribution, the least frame (84 bytes) is not applied to
//!                  last packets of under 6 payload bytes.

use crate::cdf::{Interpolation, SizeCdf};
use crate::plan::FlowPlan;
use sidestep_types::{Framing, HEADER_BYTES, Time, Words};

/// Cost of a data packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cost {
    /// Link time of a packet.
    pub framing: Framing,
    /// Payload bytes of a full packet, at least 1.
    pub mss: u32,
}

impl Default for Cost {
    /// Ethernet, 1460 bytes, as docs/explanation/model.md says.
    fn default() -> Cost {
        Cost {
            framing: Framing::Ethernet,
            mss: 1460,
        }
    }
}

/// Average load of a workload over a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Load {
    /// Flows that start, requests included.
    pub flows_per_s: f64,
    /// Queries that start.
    pub queries_per_s: f64,
    /// Payload bits of the flows with an end.
    pub payload_bps: f64,
    /// Data packets of the flows with an end.
    pub packets_per_s: f64,
    /// Wire bits of those packets.
    pub wire_bps: f64,
    /// Endless flows in a run, which of the numbers above only `flows_per_s` includes.
    pub endless: u64,
    /// Flows of closed loops at any instant, which all numbers above leave out.
    pub active: u64,
    /// Approximate number of flows drawn for closed loops.
    pub planned: f64,
    /// Flows that begin together, within [`Load::apart`], and go to one host; 0 for workloads without such
    /// bursts.
    pub together: u64,
    /// Time between the start of the first and the last of them.
    pub apart: Time,
    /// Facts needed to interpret the numbers, one sentence each.
    pub notes: Vec<String>,
}

impl Load {
    /// Returns the mean of one workload's loads, at least one, for segments of different sizes: only packets
    /// and wire bits differ.
    pub(super) fn mean(loads: impl Iterator<Item = Load>) -> Load {
        let (mut mean, mut n) = (Load::default(), 0.0);
        for load in loads {
            n += 1.0;
            let (packets, wire) = (mean.packets_per_s, mean.wire_bps);
            mean = Load {
                packets_per_s: packets + (load.packets_per_s - packets) / n,
                wire_bps: wire + (load.wire_bps - wire) / n,
                ..load
            };
        }
        mean
    }

    /// Adds `per_s` flows a second of `size` bytes each.
    pub(super) fn add_sized(&mut self, per_s: f64, size: u64, cost: Cost) {
        self.flows_per_s += per_s;
        let mss = u64::from(cost.mss.max(1));
        let full = size / mss;
        let rest = (size % mss) as u32;
        let wire = |len: u32| f64::from(cost.framing.wire(len + HEADER_BYTES));
        let mut bytes = full as f64 * wire(mss as u32);
        if rest > 0 {
            bytes += wire(rest);
        }
        self.payload_bps += per_s * size as f64 * 8.0;
        self.packets_per_s += per_s * size.div_ceil(mss) as f64;
        self.wire_bps += per_s * bytes * 8.0;
    }

    /// Adds `n` flows within `duration`, of `size` bytes each or endless.
    pub fn add_some(&mut self, n: u64, size: u64, cost: Cost, duration: Time) {
        let per_s = per_second(n, duration);
        if size == FlowPlan::ENDLESS {
            self.flows_per_s += per_s;
            self.endless += n;
        } else {
            self.add_sized(per_s, size, cost);
        }
    }

    /// Adds `per_s` flows a second with sizes from `cdf`.
    pub(super) fn add_drawn(&mut self, per_s: f64, cdf: &SizeCdf, rule: Interpolation, cost: Cost) {
        let packets = cdf.mean_packets(rule, cost.mss);
        let full = cost.mss + HEADER_BYTES;
        let overhead = f64::from(cost.framing.wire(full) - cost.mss);
        self.flows_per_s += per_s;
        self.payload_bps += per_s * cdf.mean(rule) * 8.0;
        self.packets_per_s += per_s * packets;
        self.wire_bps += per_s * (cdf.mean(rule) + packets * overhead) * 8.0;
    }
}

/// Returns a note about sizes drawn from the distribution `name`.
pub(super) fn told(name: &str, cdf: &SizeCdf, rule: Interpolation) -> String {
    format!(
        "{name}, {} between points: mean flow {:.0} B, {:.1} % of flows below 100 kB",
        rule.word(),
        cdf.mean(rule),
        100.0 * cdf.share_below(100_000, rule),
    )
}

/// Returns `n` per second of `duration`; 0 if the duration is 0.
pub(super) fn per_second(n: u64, duration: Time) -> f64 {
    if duration == Time::ZERO {
        return 0.0;
    }
    n as f64 / duration.as_s_f64()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn twenty_kilobytes_are_fourteen_packets() {
        let mut load = Load::default();
        load.add_sized(300.0 * 40.0, 20_000, Cost::default());
        assert_eq!(load.packets_per_s, 12_000.0 * 14.0);
        assert_eq!(load.payload_bps, 1.92e9);
        // 13 full packets of 1538 bytes, and one of 1020 + 78.
        assert_eq!(load.wire_bps, 12_000.0 * f64::from(13 * 1538 + 1098) * 8.0);
    }

    #[test]
    fn a_drawn_size_costs_what_that_size_costs() {
        let cdf = SizeCdf::parse("t", "size_bytes,cumulative_probability\n20000,1\n").unwrap();
        let (mut drawn, mut sized) = (Load::default(), Load::default());
        drawn.add_drawn(2.0, &cdf, Interpolation::Step, Cost::default());
        sized.add_sized(2.0, 20_000, Cost::default());
        assert_eq!(drawn, sized);
    }

    #[test]
    fn endless_flows_are_counted_apart() {
        let mut load = Load::default();
        load.add_some(4, FlowPlan::ENDLESS, Cost::default(), Time::from_s(2));
        assert_eq!(
            (load.flows_per_s, load.endless, load.wire_bps),
            (2.0, 4, 0.0)
        );
    }
}
