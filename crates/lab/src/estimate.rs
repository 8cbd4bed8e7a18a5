//! Cost of a run, estimated before it starts: flows, packet-hops, memory and time, from the offered load.
//!
//! **Decision**     hops are the data packets offered and an acknowledgement for each, times the mean path
//!                  between hosts, at most what all hosts' links carry until the end of the run. Endless flows
//!                  and closed loops fill the links left over. The first windows of flows that begin together
//!                  for one host meet at its port: packets without room there are retransmitted, or detoured
//!                  ([`bursts`]). The runs of each scheme are counted separately.
//! **Units**        bytes of memory at the peak; seconds of processor time; counts are numbers of a run.
//! **Deviations**   only bursts of a workload count as a cause of losses and detours: bursts of a flow list,
//!                  chance collisions and spurious timeouts do not. Both rates are measured ([`HOPS_A_SECOND`],
//!                  [`FULL_HOPS_A_SECOND`]), and so is the memory of a flow ([`memory`]).

mod bursts;
mod memory;

use crate::distances::Distances;
use crate::experiment::Experiment;
use crate::recording::RecordSpec;
use crate::scenario::{Scenario, Traffic};
use crate::scheme::Scheme;
use sidestep_sim::workload::{Cost, Load, Site};
use sidestep_types::HEADER_BYTES;

/// Assumed: packet-hops a core simulates in a second of processor time, as in the burst of `dibs-demo`
/// (docs/explanation/performance.md).
pub const HOPS_A_SECOND: f64 = 10e6;

/// Assumed: the same rate where queues are long, switches detour or ports order by rank: queued packets have
/// left the cache, and ends of transmissions are separate events. Measured 3.2 to 7 M.
pub const FULL_HOPS_A_SECOND: f64 = 3e6;

/// Cost of a list of runs.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Estimate {
    /// Flows of the largest run.
    pub flows: f64,
    /// Packet-hops of the largest run; events are about as many, and twice as many under pauses.
    pub hops: f64,
    /// Number of runs.
    pub runs: usize,
    /// Packet-hops of all runs.
    pub all_hops: f64,
    /// Memory of the largest run while it is in progress, bytes.
    pub run_bytes: f64,
    /// Memory of each further part where that run is cut for threads, bytes.
    pub part_bytes: f64,
    /// Memory of the records of finished runs, until the last run ends, bytes.
    pub kept_bytes: f64,
}

impl Estimate {
    /// Combines two estimates into that of both lists of runs.
    pub fn and(self, other: Estimate) -> Estimate {
        Estimate {
            flows: self.flows.max(other.flows),
            hops: self.hops.max(other.hops),
            runs: self.runs + other.runs,
            all_hops: self.all_hops + other.all_hops,
            run_bytes: self.run_bytes.max(other.run_bytes),
            part_bytes: self.part_bytes.max(other.part_bytes),
            kept_bytes: self.kept_bytes + other.kept_bytes,
        }
    }

    /// Returns the estimate with every run cut into `parts` parts.
    pub fn in_parts(self, parts: usize) -> Estimate {
        Estimate {
            run_bytes: self.run_bytes + parts.saturating_sub(1) as f64 * self.part_bytes,
            ..self
        }
    }

    /// Returns peak memory with `jobs` runs at a time, bytes.
    pub fn bytes(&self, jobs: usize) -> f64 {
        let jobs = jobs.clamp(1, self.runs.max(1)) as f64;
        memory::ALWAYS + jobs * self.run_bytes + self.kept_bytes
    }

    /// Returns processor time of all runs at [`HOPS_A_SECOND`], s.
    pub fn cpu_s(&self) -> f64 {
        self.all_hops / HOPS_A_SECOND
    }

    /// Returns processor time of all runs at [`FULL_HOPS_A_SECOND`], s.
    pub fn most_cpu_s(&self) -> f64 {
        self.all_hops / FULL_HOPS_A_SECOND
    }
}

impl Experiment {
    /// Estimates all runs of the experiment.
    pub fn estimate(&self) -> Estimate {
        let tables = !self.is_sweep();
        let each = (self.points.iter()).map(|point| point.scenario.estimated(tables));
        each.fold(Estimate::default(), Estimate::and)
    }
}

impl Scenario {
    /// Estimates all runs of the scenario. Draws no flow.
    pub fn estimate(&self) -> Estimate {
        self.estimated(true)
    }

    /// Estimates all runs of the scenario when each is recorded.
    pub fn estimate_recorded(&self, spec: &RecordSpec) -> Estimate {
        let estimate = self.estimate();
        let recording = memory::of_recording(self, spec, &estimate);
        Estimate {
            run_bytes: estimate.run_bytes + recording,
            ..estimate
        }
    }

    /// Estimates all runs as a point of a sweep, which writes no table of flows.
    pub fn estimate_swept(&self) -> Estimate {
        self.estimated(false)
    }

    fn estimated(&self, tables: bool) -> Estimate {
        let each = self.hops();
        let runs = self.schemes.len() * self.seeds.len();
        Estimate {
            flows: flows(self),
            hops: each.iter().copied().fold(0.0, f64::max),
            runs,
            all_hops: each.iter().sum::<f64>() * self.seeds.len() as f64,
            run_bytes: memory::of_run(self, tables),
            part_bytes: memory::of_part(self),
            kept_bytes: runs as f64 * memory::kept(self),
        }
    }

    /// Returns the packet-hops of a run, for each scheme. Draws no flow.
    pub fn hops(&self) -> Vec<f64> {
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
        // Traffic beyond the capacity of the links while flows arrive is sent during the drain.
        let most = rates / wire_bits * until;
        let filling = (sum.endless + sum.active) as f64 * mean_rate;
        let filling = filling.min((rates - sum.wire_bps).max(0.0)) / wire_bits;
        let packets = ((sum.packets_per_s + filling) * window).min(most);
        let ways = 2.0 * Distances::of(network).mean_links;
        // No link carries more than its rate, however many packets are detoured.
        let cables: f64 = network.cables.iter().map(|c| c.rate.as_bps() as f64).sum();
        let carried = 2.0 * cables / wire_bits * until;
        let of_scheme = |scheme: &Scheme| {
            let beyond: f64 = ((0..).zip(&self.traffic))
                .map(|(class, of)| {
                    let load = of.workload.load(cost(self, of), self.duration);
                    let drained = mean_rate / wire_bits;
                    load.packets_per_s
                        * window
                        * bursts::beyond(&load, &scheme.config, class, drained, ways)
                })
                .sum();
            (packets * ways + beyond).min(carried.max(packets * ways))
        };
        self.schemes.iter().map(of_scheme).collect()
    }
}

/// Returns the approximate number of flows that a run of `scenario` plans.
fn flows(scenario: &Scenario) -> f64 {
    scenario
        .traffic
        .iter()
        .map(|of| flows_of(scenario, of))
        .sum()
}

/// Returns the approximate number of flows that a run plans for one workload.
pub(crate) fn flows_of(scenario: &Scenario, of: &Traffic) -> f64 {
    let load = of.workload.load(cost(scenario, of), scenario.duration);
    load.flows_per_s * scenario.duration.as_s_f64() + load.planned
}

/// Returns framing and segment size of a workload under the first scheme.
pub(crate) fn cost(scenario: &Scenario, of: &Traffic) -> Cost {
    let first = &scenario.schemes[0].config;
    let mut named = (0..).zip(&scenario.traffic);
    let class = named.find_map(|(class, other)| (other.name == of.name).then_some(class));
    Cost {
        framing: first.framing,
        mss: class
            .map_or(&first.transport, |class| first.transport_of(class))
            .mss(),
    }
}

fn offered(scenario: &Scenario) -> Load {
    let mut sum = Load::default();
    for of in &scenario.traffic {
        let load = of.workload.load(cost(scenario, of), scenario.duration);
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

    fn scenario(name: &str, sets: &[&str]) -> Scenario {
        let text = shipped::scenario(name).unwrap();
        let sets: Vec<String> = sets.iter().map(|set| set.to_string()).collect();
        let scenario = Scenario::read(name, text, &sets, &NoFiles);
        scenario.unwrap_or_else(|problems| panic!("{name}: {problems:?}"))
    }

    /// Compares estimated hops of all schemes with simulated ones, within a factor: of shipped scenarios, and
    /// of bursts far larger than a port. Draws of few queries differ by a factor of 1.7.
    #[test]
    fn the_hops_of_all_runs_are_near_the_estimate() {
        let cases: &[(&str, &[&str])] = &[
            ("dibs-demo", &["duration=100 ms"]),
            ("quickstart", &["duration=1 ms"]),
            ("perm128", &["duration=2 ms"]),
            ("closed-loop", &["duration=2 ms"]),
            ("ranked-leafspine", &["duration=5 ms"]),
            ("incast-ns3", &[]),
            ("vertigo-demo", &["duration=5 ms"]),
            ("flow-control", &["duration=30 ms"]),
            ("legacy-core", &["duration=30 ms"]),
            (
                "legacy-core",
                &["duration=20 ms", "workload.query.rate=1000 /s"],
            ),
            (
                "legacy-core",
                &[
                    "duration=30 ms",
                    "workload.query.degree=127",
                    "schemes=dibs",
                ],
            ),
            (
                "legacy-core",
                &["duration=30 ms", "switch.capacity=50 pkt", "schemes=dibs"],
            ),
            (
                "legacy-core",
                &["duration=30 ms", "switch.capacity=200 pkt", "schemes=dibs"],
            ),
            (
                "legacy-core",
                &[
                    "duration=30 ms",
                    "workload.query.size=100 kB",
                    "schemes=dibs",
                ],
            ),
            ("legacy-core", &["duration=30 ms", "ttl=32", "schemes=dibs"]),
            (
                "legacy-core",
                &[
                    "duration=30 ms",
                    "workload.query.jitter=10 ms",
                    "schemes=dctcp,dibs",
                ],
            ),
            (
                "dibs-demo",
                &[
                    "duration=20 ms",
                    "workload.query.rate=10000 /s",
                    "drain=0.2 s",
                ],
            ),
        ];
        for (name, sets) in cases {
            let scenario = scenario(name, &[sets, &["seeds=2"][..]].concat());
            let (said, mut hops, mut flows) = (scenario.estimate(), 0, 0);
            for scheme in 0..scenario.schemes.len() {
                let made = run(&scenario, scheme, 2, TraceFilter::None, &mut |_| Watch::Go);
                let made = made.unwrap();
                hops += made.outcome.totals.packet_hops;
                flows = made.plan.flows.len();
            }
            let factor = said.all_hops / hops as f64;
            assert!(
                (0.5..2.5).contains(&factor),
                "{name} {sets:?}: {factor}, {hops}, {said:?}"
            );
            let planned = said.flows / flows as f64;
            assert!((0.5..2.0).contains(&planned), "{name} {sets:?}: {planned}");
        }
    }

    #[test]
    fn a_burst_costs_a_scheme_what_it_does_with_it() {
        let hops = |sets: &[&str]| {
            scenario("legacy-core", &[sets, &["schemes=dibs"][..]].concat())
                .estimate()
                .hops
        };
        let plain = scenario(
            "legacy-core",
            &["schemes=dctcp", "switch.capacity=unlimited"],
        );
        let plain = plain.estimate().hops;
        // Bursts that fit, that are spread out, or that are paused take the shortest path once.
        assert_eq!(hops(&["switch.capacity=unlimited"]), plain);
        assert_eq!(hops(&["workload.query.jitter=20 ms"]), plain);
        assert_eq!(hops(&["workload.query.degree=10"]), plain / 10.0);
        let dropped = scenario("legacy-core", &["schemes=dctcp"]).estimate().hops;
        assert!(1.2 * plain < dropped && dropped < 1.5 * plain);
        assert!(hops(&[]) > 2.5 * plain);
        assert!(hops(&["ttl=16"]) < hops(&[]));
        // The links bound the hops: 384 cables, full in both directions until the end.
        let full = hops(&["switch.capacity=1 pkt", "drain=0 s"]);
        assert!(full <= 2.0 * 384.0 * 1e9 / (1538.0 * 8.0) * 0.1, "{full}");
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
