//! Forecast of the time that experiments will take.
//!
//! **Decision**     packet-hops of a run are [`Scenario::hops`]. A cached run has none; a run that experiments
//!                  share counts for the first. The cost of a packet-hop comes from cached runs of the same
//!                  scheme in the same experiment, or else of all its schemes: their estimate and their CPU
//!                  time are known. Without such a run there are two bounds: the cost in a short run measured
//!                  now, and that cost multiplied by the factor for long queues ([`FULL_HOPS_A_SECOND`]).
//! **Units**        seconds of this machine, with the given number of runs at a time.
//! **Deviations**   other load of the machine is unknown; the estimate of packet-hops is within a factor of
//!                  three.

use super::cache::{Cache, Key};
use super::jobs::{Job, Jobs};
use crate::Error;
use crate::format::{Grid, count, number, some};
use crate::progress::clock;
use crate::usage::thread_cpu_s;
use serde_json::{Value, json};
use sidestep_lab::{Experiment, FULL_HOPS_A_SECOND, HOPS_A_SECOND, Scenario, Watch, run, shipped};
use sidestep_sim::{NoFiles, TraceFilter};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Duration, in seconds, above which a call prints its forecast before it starts.
pub const LONG: f64 = 60.0;

/// Forecast of several experiments.
#[derive(Clone, Debug, PartialEq)]
pub struct Forecast {
    /// Forecasts of the experiments, in their order.
    pub each: Vec<Line>,
    /// Number of runs at a time.
    pub jobs: usize,
    /// Packet-hops a second of one core on this machine, with short queues.
    pub speed: f64,
}

/// Forecast of one experiment.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Line {
    /// Name.
    pub name: String,
    /// Number of runs.
    pub runs: usize,
    /// Runs that need not be made.
    pub kept: usize,
    /// Packet-hops of the other runs.
    pub hops: f64,
    /// CPU seconds of the other runs, minimum and maximum.
    pub cpu_s: [f64; 2],
    /// CPU seconds of the longest run, minimum and maximum.
    longest_s: [f64; 2],
}

impl Forecast {
    /// Forecasts these experiments, each with its name, given the contents of `cache`.
    pub fn of(
        experiments: &[(String, &Experiment)],
        cache: Option<&Path>,
        jobs: usize,
    ) -> Result<Forecast, Error> {
        Ok(Forecast::at(experiments, cache, jobs, speed()?))
    }

    /// Forecasts these experiments if all of them could take longer than [`LONG`].
    pub fn of_long(
        experiments: &[(String, &Experiment)],
        cache: Option<&Path>,
        jobs: usize,
    ) -> Result<Option<Forecast>, Error> {
        let all = experiments.iter().map(|(_, e)| e.estimate().most_cpu_s());
        // This machine may be slower than the assumed one, so it is measured if twice the estimate exceeds
        // [`LONG`].
        if all.sum::<f64>() / jobs.max(1) as f64 * 2.0 < LONG {
            return Ok(None);
        }
        let forecast = Forecast::of(experiments, cache, jobs)?;
        Ok((forecast.wall_s()[1] > LONG).then_some(forecast))
    }

    fn at(
        experiments: &[(String, &Experiment)],
        cache: Option<&Path>,
        jobs: usize,
        speed: f64,
    ) -> Forecast {
        let plain: Vec<&Experiment> = experiments.iter().map(|(_, e)| *e).collect();
        let hops: Vec<Vec<Vec<f64>>> = (plain.iter())
            .map(|e| e.points.iter().map(|p| p.scenario.hops()).collect())
            .collect();
        let hops = |job: &Job| hops[job.experiment][job.point][job.scheme];
        let all = Jobs::of(&plain).all;
        let cache = cache.map(Cache::at);
        let mut costs = Costs::default();
        let mut known: BTreeSet<&Key> = BTreeSet::new();
        for job in &all {
            let record = cache.as_ref().and_then(|cache| cache.load(&job.key));
            if let Some(record) = record {
                costs.add(job, hops(job), record.cpu_s);
                known.insert(&job.key);
            }
        }
        let mut each: Vec<Line> = (experiments.iter())
            .map(|(name, _)| Line {
                name: name.clone(),
                ..Line::default()
            })
            .collect();
        for job in &all {
            let line = &mut each[job.experiment];
            line.runs += 1;
            // A later job with this key finds the run in the cache.
            if !known.insert(&job.key) {
                line.kept += 1;
                continue;
            }
            let hops = hops(job);
            line.hops += hops;
            let full = HOPS_A_SECOND / FULL_HOPS_A_SECOND;
            let a_hop = match costs.of(job) {
                Some(cost) => [cost; 2],
                None => [1.0 / speed, full / speed],
            };
            for (i, a_hop) in a_hop.into_iter().enumerate() {
                line.cpu_s[i] += hops * a_hop;
                line.longest_s[i] = line.longest_s[i].max(hops * a_hop);
            }
        }
        Forecast { each, jobs, speed }
    }

    /// Returns the seconds of all experiments together, minimum and maximum.
    pub fn wall_s(&self) -> [f64; 2] {
        self.wall_of(&self.each)
    }

    fn wall_of(&self, lines: &[Line]) -> [f64; 2] {
        let jobs = self.jobs.max(1) as f64;
        [0, 1].map(|i| {
            let cpu: f64 = lines.iter().map(|line| line.cpu_s[i]).sum();
            let longest = lines.iter().map(|line| line.longest_s[i]);
            // A run uses one core only.
            longest.fold(cpu / jobs, f64::max)
        })
    }

    /// Formats a table for people.
    pub fn to_text(&self) -> String {
        let mut grid = Grid::default();
        let row = |name: &str, runs: usize, kept: usize, hops: f64, wall: [f64; 2]| {
            let count = |n: usize| count(n as u64);
            [
                name.into(),
                count(runs),
                count(kept),
                millions(hops),
                between(wall),
            ]
        };
        grid.row(["figure", "runs", "kept", "packet-hops, M", "time here"].map(String::from));
        grid.rule();
        for line in &self.each {
            let wall = self.wall_of(std::slice::from_ref(line));
            grid.row(row(&line.name, line.runs, line.kept, line.hops, wall));
        }
        let sum = |of: fn(&Line) -> usize| self.each.iter().map(of).sum::<usize>();
        let hops = self.each.iter().map(|line| line.hops).sum();
        grid.rule();
        let (runs, kept) = (sum(|l| l.runs), sum(|l| l.kept));
        grid.row(row("all", runs, kept, hops, self.wall_s()));
        format!(
            "{}{} at a time; one core here makes {} M packet-hops per second, {} M with long \
             queues; schemes with kept runs use the speed of those\n",
            grid.render(&[0]),
            some(self.jobs, "run"),
            number(self.speed / 1e6),
            number(self.speed * FULL_HOPS_A_SECOND / HOPS_A_SECOND / 1e6),
        )
    }

    /// Converts the forecast to JSON for programs.
    pub fn to_json(&self) -> Value {
        let line = |line: &Line| {
            json!({
                "figure": line.name,
                "runs": line.runs,
                "kept": line.kept,
                "packet_hops": line.hops.round(),
                "cpu_s": line.cpu_s,
                "wall_s": self.wall_of(std::slice::from_ref(line)),
            })
        };
        json!({
            "figures": self.each.iter().map(line).collect::<Vec<_>>(),
            "jobs": self.jobs,
            "hops_per_cpu_s": self.speed.round(),
            "wall_s": self.wall_s(),
        })
    }
}

/// Formats a range of time: `2 to 6 min`.
fn between([least, most]: [f64; 2]) -> String {
    let (least, most) = (clock(least), clock(most));
    let unit = |text: &str| text.rsplit_once(' ').map(|(_, unit)| unit.to_string());
    match unit(&least) == unit(&most) {
        _ if least == most => most,
        true => format!("{} to {most}", least.rsplit_once(' ').expect("a unit").0),
        false => format!("{least} to {most}"),
    }
}

fn millions(hops: f64) -> String {
    match hops / 1e6 {
        m if m >= 10.0 => count(m.round() as u64),
        m => number(m),
    }
}

/// Costs of cached runs: seconds, and estimated packet-hops.
#[derive(Default)]
struct Costs {
    of_scheme: BTreeMap<(usize, usize), (f64, f64)>,
    of_experiment: BTreeMap<usize, (f64, f64)>,
}

impl Costs {
    fn add(&mut self, job: &Job, hops: f64, seconds: f64) {
        let of_scheme = self.of_scheme.entry((job.experiment, job.scheme));
        let of_experiment = self.of_experiment.entry(job.experiment);
        for sum in [of_scheme.or_default(), of_experiment.or_default()] {
            sum.0 += seconds;
            sum.1 += hops;
        }
    }

    /// Returns the seconds for each estimated packet-hop.
    fn of(&self, job: &Job) -> Option<f64> {
        let of_scheme = self.of_scheme.get(&(job.experiment, job.scheme));
        let sum = of_scheme.or_else(|| self.of_experiment.get(&job.experiment))?;
        (sum.0 > 0.0 && sum.1 > 0.0).then(|| sum.0 / sum.1)
    }
}

/// Measures the packet-hops a second of one core, on a short version of the scenario for which
/// [`HOPS_A_SECOND`] is assumed.
fn speed() -> Result<f64, Error> {
    let sets = [
        "workload.query.rate=2000 /s",
        "schemes=dctcp",
        "duration=20 ms",
    ];
    let sets = sets.map(String::from);
    let text = shipped::scenario("dibs-demo").expect("it is shipped");
    let scenario = Scenario::read("dibs-demo", text, &sets, &NoFiles).map_err(Error::Wrong)?;
    let once = || -> Result<f64, Error> {
        let began = thread_cpu_s();
        let made = run(&scenario, 0, 1, TraceFilter::None, &mut |_| Watch::Go);
        let hops = made.map_err(Error::Run)?.outcome.totals.packet_hops;
        Ok(hops as f64 / (thread_cpu_s() - began).max(1e-6))
    };
    // The first run warms the machine up.
    Ok(once()?.max(once()?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::MeasureOptions;
    use crate::progress::Show;
    use std::sync::atomic::AtomicBool;

    fn experiment(schemes: &str) -> Experiment {
        let text = format!(
            "duration = \"1 ms\"\nschemes = [{schemes}]\nseeds = \"1..3\"\n[topology]\nkind = \"fat_tree\"\nk = 4\n\
             [workload.query]\nkind = \"incast\"\ndegree = 15\n\
             [sweep]\n\"workload.query.size\" = [\"20 kB\", \"40 kB\"]\n"
        );
        let read = Experiment::read("t.toml", &text, &[], false, &NoFiles);
        read.unwrap_or_else(|problems| panic!("{problems:?}"))
    }

    #[test]
    fn a_forecast_counts_each_run_once_and_knows_what_is_kept() {
        let (both, one) = (experiment("\"dctcp\", \"dibs\""), experiment("\"dctcp\""));
        let figures = [("a".to_string(), &both), ("b".to_string(), &one)];
        let dir = tempfile::tempdir().unwrap();
        let forecast = || Forecast::at(&figures, Some(dir.path()), 2, 1e6);
        let fresh = forecast();
        let counts = |f: &Forecast| f.each.iter().map(|l| (l.runs, l.kept)).collect::<Vec<_>>();
        // The second experiment has no run that is not in the first.
        assert_eq!(counts(&fresh), [(12, 0), (6, 6)]);
        let hops: f64 = both
            .points
            .iter()
            .map(|p| p.scenario.hops().iter().sum::<f64>())
            .sum();
        let near = |a: f64, b: f64| assert!((a - b).abs() < 1e-9 * b, "{a} {b}");
        near(fresh.each[0].hops, 3.0 * hops);
        near(fresh.each[0].cpu_s[0], 3.0 * hops / 1e6);
        near(fresh.wall_s()[0], 3.0 * hops / 1e6 / 2.0);
        near(
            fresh.wall_s()[1],
            fresh.wall_s()[0] * HOPS_A_SECOND / FULL_HOPS_A_SECOND,
        );
        let options = MeasureOptions {
            jobs: 1,
            cache: Some(dir.path()),
            show: Show::Never,
        };
        let stop = AtomicBool::new(false);
        crate::sweep::measure_experiment(&one, &options, &stop).unwrap();
        let half = forecast();
        assert_eq!(counts(&half), [(12, 6), (6, 6)]);
        // The other scheme's cost is known, so nothing is assumed for the scheme that has not run.
        assert!(half.each[0].cpu_s[0] == half.each[0].cpu_s[1] && half.each[0].cpu_s[0] > 0.0);
        assert_eq!(half.each[1].cpu_s, [0.0, 0.0]);
        let text = half.to_text();
        let last = text.lines().find(|l| l.starts_with("all")).expect("a sum");
        assert!(last.contains(" 18 ") && last.contains(" 12 "), "{text}");
        assert_eq!(half.to_json()["figures"][0]["kept"], 6);
        // A short call prints no forecast.
        assert_eq!(Forecast::of_long(&figures, None, 1).unwrap(), None);
    }

    #[test]
    fn no_run_is_on_two_cores() {
        let one = experiment("\"dctcp\"");
        let forecast = Forecast::at(&[("a".to_string(), &one)], None, 100, 1e6);
        let longest = one.points[1].scenario.hops()[0] / 1e6;
        assert!((forecast.wall_s()[0] - longest).abs() < 1e-9);
    }

    #[test]
    fn times_are_said_with_one_unit_where_they_have_one() {
        assert_eq!(between([61.0, 400.0]), "2 to 7 min");
        assert_eq!(between([30.0, 400.0]), "30 s to 7 min");
        assert_eq!(between([0.0, 0.0]), "0 s");
    }
}
