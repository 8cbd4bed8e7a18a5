//! What a run will take, before it is made: flows, packet-hops, memory and time, from the offered load.
//!
//! **Decision**     hops are the data packets offered and an acknowledgement for each, over the mean way between
//!                  hosts, at most what all hosts' links carry until the run's end. Flows without an end and
//!                  closed loops fill what links they have.
//! **Units**        bytes of memory at its peak; seconds of processor time; counts are numbers of a run.
//! **Deviations**   what is lost, sent again and detoured is not counted, nor what fills queues without end.
//!                  The bytes a flow takes and the rate are measured ([`BYTES_A_FLOW`], [`HOPS_A_SECOND`]).

use crate::distances::Distances;
use crate::experiment::Experiment;
use crate::scenario::{Scenario, Traffic};
use sidestep_sim::workload::{Cost, Load, Site};
use sidestep_types::HEADER_BYTES;

/// Assumed: what a core makes of `dibs-demo` (docs/performance.md), of its burst.
pub const HOPS_A_SECOND: f64 = 10e6;

/// The program itself, with what it prints and draws: measured with `quickstart`.
const BYTES_ALWAYS: f64 = 28e6;

/// A flow of a run: its plan, its ends, what became of it and its rows. Measured, of 800,000 flows.
const BYTES_A_FLOW: f64 = 330.0;

/// A flow in the record of a run that is over: its times in the samples that it belongs to.
const BYTES_A_RECORDED_FLOW: f64 = 40.0;

/// A directed link with its queue and its rows.
const BYTES_A_LINK: f64 = 1_500.0;

/// A pair of switches in the tables of next hops.
const BYTES_A_PAIR: f64 = 6.0;

/// What runs take.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Estimate {
    /// Flows of the largest run.
    pub flows: f64,
    /// Packet-hops of the largest run; events are about as many.
    pub hops: f64,
    /// All runs.
    pub runs: usize,
    /// Packet-hops of all runs.
    pub all_hops: f64,
    /// Bytes of the largest run while it is made.
    pub run_bytes: f64,
    /// Bytes of what is kept of the runs that are over, until the last is.
    pub kept_bytes: f64,
}

impl Estimate {
    /// What these runs and those take as one list.
    pub fn and(self, other: Estimate) -> Estimate {
        Estimate {
            flows: self.flows.max(other.flows),
            hops: self.hops.max(other.hops),
            runs: self.runs + other.runs,
            all_hops: self.all_hops + other.all_hops,
            run_bytes: self.run_bytes.max(other.run_bytes),
            kept_bytes: self.kept_bytes + other.kept_bytes,
        }
    }

    /// Peak bytes with so many runs at a time.
    pub fn bytes(&self, jobs: usize) -> f64 {
        let jobs = jobs.clamp(1, self.runs.max(1)) as f64;
        BYTES_ALWAYS + jobs * self.run_bytes + self.kept_bytes
    }

    /// Seconds of processor time of all runs, at [`HOPS_A_SECOND`].
    pub fn cpu_s(&self) -> f64 {
        self.all_hops / HOPS_A_SECOND
    }
}

impl Experiment {
    /// What its runs take.
    pub fn estimate(&self) -> Estimate {
        let each = self.points.iter().map(|point| point.scenario.estimate());
        each.fold(Estimate::default(), Estimate::and)
    }
}

impl Scenario {
    /// What its runs take. Draws no flow.
    pub fn estimate(&self) -> Estimate {
        let sum = offered(self);
        let network = &self.network;
        let first = &self.schemes[0].config;
        let mss = first.transport.mss();
        let wire_bits = 8.0 * f64::from(first.framing.wire(mss + HEADER_BYTES));
        let access = Site::of(network).access;
        let rates: f64 = access.iter().map(|rate| rate.as_bps() as f64).sum();
        let mean_rate = rates / access.len().max(1) as f64;
        let window = self.duration.as_s_f64();
        let until = self.duration.saturating_add(self.drain).as_s_f64();
        // What does not fit into the links while flows arrive takes up the drain.
        let most = rates / wire_bits * until;
        let filling = (sum.endless + sum.active) as f64 * mean_rate;
        let filling = filling.min((rates - sum.wire_bps).max(0.0)) / wire_bits;
        let packets = (sum.packets_per_s + filling) * window;
        let hops = packets.min(most) * 2.0 * Distances::of(network).mean_links;
        let flows = flows(self);
        let runs = self.schemes.len() * self.seeds.len();
        let switches = network.switches.len() as f64;
        Estimate {
            flows,
            hops,
            runs,
            all_hops: hops * runs as f64,
            run_bytes: flows * BYTES_A_FLOW
                + 2.0 * network.cables.len() as f64 * BYTES_A_LINK
                + switches * switches * BYTES_A_PAIR,
            kept_bytes: runs as f64 * flows * BYTES_A_RECORDED_FLOW,
        }
    }
}

/// About how many flows a run of `scenario` plans.
fn flows(scenario: &Scenario) -> f64 {
    scenario
        .traffic
        .iter()
        .map(|of| flows_of(scenario, of))
        .sum()
}

/// About how many of them are this workload's.
pub(crate) fn flows_of(scenario: &Scenario, of: &Traffic) -> f64 {
    let load = of.workload.load(cost(scenario), scenario.duration);
    load.flows_per_s * scenario.duration.as_s_f64() + load.planned
}

fn cost(scenario: &Scenario) -> Cost {
    let first = &scenario.schemes[0].config;
    Cost {
        framing: first.framing,
        mss: first.transport.mss(),
    }
}

fn offered(scenario: &Scenario) -> Load {
    let mut sum = Load::default();
    for of in &scenario.traffic {
        let load = of.workload.load(cost(scenario), scenario.duration);
        sum.packets_per_s += load.packets_per_s;
        sum.wire_bps += load.wire_bps;
        sum.endless += load.endless;
        sum.active += load.active;
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Watch, run, shipped};
    use sidestep_sim::{NoFiles, TraceFilter};

    /// Events, of which there are about as many as hops, within a factor of three.
    #[test]
    fn the_events_of_a_run_are_near_the_estimate() {
        let shortened = [
            ("dibs-demo", "100 ms"),
            ("quickstart", "1 ms"),
            ("perm128", "2 ms"),
            ("closed-loop", "2 ms"),
            ("ranked-leafspine", "10 ms"),
        ];
        for (name, duration) in shortened {
            let text = shipped::scenario(name).unwrap();
            let sets = [format!("duration={duration}"), "seeds=1".into()];
            let scenario = Scenario::read(name, text, &sets, &NoFiles);
            let scenario = scenario.unwrap_or_else(|problems| panic!("{name}: {problems:?}"));
            let made = run(&scenario, 0, 1, TraceFilter::None, &mut |_| Watch::Go).unwrap();
            let (said, events) = (scenario.estimate(), made.outcome.totals.events as f64);
            let factor = said.hops / events;
            assert!(
                (1.0 / 3.0..3.0).contains(&factor),
                "{name}: {factor}, {said:?}"
            );
            let planned = made.plan.flows.len() as f64;
            assert!(
                (said.flows / planned - 1.0).abs() < 0.25,
                "{name}: {planned}, {said:?}"
            );
        }
    }

    #[test]
    fn more_at_a_time_take_more_and_never_more_than_there_are() {
        let text = shipped::scenario("dibs-demo").unwrap();
        let scenario = Scenario::read("a.toml", text, &["seeds=1".into()], &NoFiles).unwrap();
        let said = scenario.estimate();
        assert_eq!(said.runs, 2);
        assert!(said.bytes(2) > said.bytes(1) && said.bytes(9) == said.bytes(2));
    }
}
