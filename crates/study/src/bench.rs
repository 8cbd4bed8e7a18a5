//! Named benchmarks: the cost of a packet-hop, on scenarios that do not change.
//!
//! Each benchmark runs alternately on the wheel and on a heap agenda from the standard library, in rounds, so
//! that both are measured under the same load of the machine. Times are CPU time of the thread and include
//! drawing the plan and building the network. The heap's time is used for the ratio only.

use crate::usage::{peak_mb, reset_peak, thread_cpu_s};
use serde_json::{Value, json};
use sidestep_lab::{Run, Scenario, Session, Watch, run_on, shipped};
use sidestep_sim::agenda::{Agenda, HeapAgenda, WheelAgenda};
use sidestep_sim::{NoFiles, TraceFilter};
use sidestep_types::Time;

/// Benchmark: a shipped scenario with fixed settings.
pub struct Bench {
    /// Name on the command line.
    pub name: &'static str,
    /// Description, one line.
    pub summary: &'static str,
    scenario: &'static str,
    sets: &'static [&'static str],
    /// Setting for a short run, used when instructions are counted.
    brief: &'static str,
}

/// All benchmarks.
pub const BENCHES: &[Bench] = &[
    Bench {
        name: "perm128",
        summary: "128 endless DCTCP flows along a permutation, fat-tree k = 8",
        scenario: "perm128",
        sets: &[],
        brief: "duration=5 ms",
    },
    Bench {
        name: "perm1024",
        summary: "1024 endless DCTCP flows along a permutation, fat-tree k = 16",
        scenario: "perm1024",
        sets: &[],
        brief: "duration=2 ms",
    },
    Bench {
        name: "perm8192",
        summary: "8192 endless DCTCP flows along a permutation, fat-tree k = 32",
        scenario: "perm8192",
        sets: &[],
        brief: "duration=1 ms",
    },
    Bench {
        name: "incast-dctcp",
        summary: "2000 queries a second of degree 40 and background, DCTCP, fat-tree k = 8",
        scenario: "dibs-demo",
        sets: &[
            "workload.query.rate=2000 /s",
            "schemes=dctcp",
            "duration=200 ms",
        ],
        brief: "duration=20 ms",
    },
    Bench {
        name: "incast-dibs",
        summary: "the same with DIBS: a fifth of the packets detour",
        scenario: "dibs-demo",
        sets: &[
            "workload.query.rate=2000 /s",
            "schemes=dibs",
            "duration=200 ms",
        ],
        brief: "duration=20 ms",
    },
    Bench {
        name: "incast-k32",
        summary: "128000 queries a second of degree 40 and background, DIBS, fat-tree k = 32",
        scenario: "incast-k32",
        sets: &["schemes=dibs"],
        brief: "duration=1 ms",
    },
    Bench {
        name: "incast-mulbuff",
        summary: "the same with queues by class: by-size, wps with an exact count, mulbuff",
        scenario: "dibs-demo",
        sets: &[
            "workload.query.rate=2000 /s",
            "schemes=mulbuff-dctcp",
            "duration=200 ms",
        ],
        brief: "duration=20 ms",
    },
    Bench {
        name: "ranked-leafspine",
        summary: "320 hosts of a leaf-spine at half load, through the switches of Vertigo",
        scenario: "ranked-leafspine",
        sets: &[],
        brief: "duration=3 ms",
    },
];

/// Result of a benchmark.
#[derive(Clone, Debug, PartialEq)]
pub struct BenchResult {
    /// Name of the benchmark.
    pub name: String,
    /// Packet-hops of one run.
    pub packet_hops: u64,
    /// CPU seconds of one run, the median of the rounds.
    pub cpu_s: f64,
    /// Packet-hops per CPU-second.
    pub hops_per_cpu_s: f64,
    /// Events per packet-hop.
    pub events_per_hop: f64,
    /// Peak memory of the process during the first run, in MB; 0 where the system does not report it.
    pub peak_rss_mb: f64,
    /// CPU time on the standard library's heap over CPU time on the wheel, the median of the rounds.
    pub ratio_to_heap: f64,
    /// Number of rounds.
    pub rounds: u32,
    /// Trajectory hash of the run, equal on both agendas.
    pub trajectory_hash: u64,
}

impl BenchResult {
    /// Converts the result to the JSON of `--json`.
    pub fn to_json(&self) -> Value {
        json!({
            "name": self.name,
            "packet_hops": self.packet_hops,
            "cpu_s": self.cpu_s,
            "hops_per_cpu_s": self.hops_per_cpu_s,
            "events_per_hop": self.events_per_hop,
            "peak_rss_mb": self.peak_rss_mb,
            "ratio_to_heap": self.ratio_to_heap,
            "rounds": self.rounds,
            "trajectory_hash": format!("{:016x}", self.trajectory_hash),
        })
    }
}

/// Runs the benchmark called `name` for `rounds` rounds, at least one.
///
/// Errors list the known benchmarks, or give the reason why the simulator refused the scenario.
pub fn bench(name: &str, rounds: u32) -> Result<BenchResult, String> {
    let bench = find(name)?;
    let scenario = bench.scenario()?;
    reset_peak();
    let (first, first_s) = timed::<WheelAgenda>(&scenario)?;
    let peak_rss_mb = peak_mb();
    let totals = first.outcome.totals;
    let hash = first.outcome.trajectory_hash;
    drop(first);
    let (mut times, mut ratios) = (vec![first_s], Vec::new());
    for round in 0..rounds.max(1) {
        if round > 0 {
            times.push(timed::<WheelAgenda>(&scenario)?.1);
        }
        let (heap, heap_s) = timed::<HeapAgenda>(&scenario)?;
        assert_eq!(
            heap.outcome.trajectory_hash, hash,
            "both agendas run the same run"
        );
        ratios.push(heap_s / times[times.len() - 1]);
    }
    let cpu_s = median(times);
    Ok(BenchResult {
        name: name.to_string(),
        packet_hops: totals.packet_hops,
        cpu_s,
        hops_per_cpu_s: totals.packet_hops as f64 / cpu_s,
        events_per_hop: totals.events as f64 / totals.packet_hops as f64,
        peak_rss_mb,
        ratio_to_heap: median(ratios),
        rounds: rounds.max(1),
        trajectory_hash: hash,
    })
}

/// Runs the short form of the benchmark called `name` once and returns its packet-hops, for callers that count
/// the instructions of [`COUNTED`] meanwhile.
pub fn brief(name: &str) -> Result<u64, String> {
    let bench = find(name)?;
    let scenario = bench.read(Some(bench.brief))?;
    let seed = scenario.seeds[0];
    let mut session: Session = Session::new(&scenario, 0, seed, TraceFilter::None)?;
    bench_counted(&mut session);
    Ok(session.progress().packet_hops)
}

/// Function in which the whole run of [`brief`] happens, without drawing the plan and building the network, as
/// a function pattern of Valgrind.
pub const COUNTED: &str = "*bench_counted*";

/// Runs the session to its end. The function is not inlined and its name must not change: see [`COUNTED`].
#[inline(never)]
fn bench_counted(session: &mut Session) {
    session.run_until(Time::MAX);
}

fn find(name: &str) -> Result<&'static Bench, String> {
    BENCHES.iter().find(|b| b.name == name).ok_or_else(|| {
        let names: Vec<&str> = BENCHES.iter().map(|b| b.name).collect();
        format!(
            "benchmark {name:?} is unknown; expected one of {}",
            names.join(", ")
        )
    })
}

impl Bench {
    fn scenario(&self) -> Result<Scenario, String> {
        self.read(None)
    }

    fn read(&self, more: Option<&str>) -> Result<Scenario, String> {
        let text = shipped::scenario(self.scenario).ok_or("the benchmark's scenario is shipped")?;
        // A key that is set twice is refused, so a setting replaces the benchmark's own setting of that key.
        let key = |set: &str| set.split('=').next().map(str::to_string);
        let replaced = more.and_then(key);
        let sets = (self.sets.iter()).filter(|set| key(set) != replaced);
        let sets: Vec<String> = sets.copied().chain(more).map(str::to_string).collect();
        Scenario::read(self.scenario, text, &sets, &NoFiles).map_err(|problems| {
            problems
                .iter()
                .map(|p| p.to_string())
                .collect::<Vec<_>>()
                .join("; ")
        })
    }
}

fn timed<A: Agenda>(scenario: &Scenario) -> Result<(Run, f64), String> {
    let began = thread_cpu_s();
    let run = run_on::<A>(
        scenario,
        0,
        scenario.seeds[0],
        TraceFilter::None,
        &mut |_| Watch::Go,
    )?;
    Ok((run, thread_cpu_s() - began))
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[(values.len() - 1) / 2]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_benchmark_has_a_scenario_that_reads() {
        for bench in BENCHES {
            assert!(
                bench.scenario().is_ok(),
                "{}: {:?}",
                bench.name,
                bench.scenario().err()
            );
        }
    }

    #[test]
    fn the_short_form_of_a_benchmark_reads_and_is_shorter() {
        for bench in BENCHES {
            let brief = bench.read(Some(bench.brief));
            let brief = brief.unwrap_or_else(|why| panic!("{}: {why}", bench.name));
            let whole = bench.scenario().expect("it reads");
            assert!(brief.duration < whole.duration, "{}", bench.name);
            assert_eq!(brief.schemes.len(), whole.schemes.len(), "{}", bench.name);
        }
    }

    #[test]
    fn an_unknown_benchmark_is_told_the_known_ones() {
        let said = bench("perm129", 1).unwrap_err();
        assert!(
            said.contains("perm129") && said.contains("perm1024"),
            "{said}"
        );
    }
}
