//! Cost of each run: an estimate from its scenario, corrected by measured runs.
//!
//! **Units**    an estimate is in packets offered, whatever they cost; a measured run is in seconds of CPU
//!              time. The cost of an unmeasured run is that of its point and scheme with another seed;
//!              otherwise its estimate times the cost of a packet in its scheme, or else in all.

use super::jobs::Job;
use sidestep_lab::{Experiment, Point};
use std::collections::BTreeMap;
use std::sync::Mutex;

/// Runs to make, the longest first, with their costs.
pub(super) struct Costs<'j> {
    pub jobs: Vec<&'j Job>,
    guesses: Vec<f64>,
    seconds: Mutex<Vec<Option<f64>>>,
}

impl<'j> Costs<'j> {
    /// Sorts the runs of each experiment by the index of their seed, so that an interruption leaves seeds that
    /// every point and scheme has; and the runs of each seed by estimated cost, so that a long run does not
    /// begin last. Experiments stay in order, for the same reason.
    pub fn of(experiments: &[&Experiment], jobs: Vec<&'j Job>) -> Costs<'j> {
        let points = |experiment: &&Experiment| -> Vec<f64> {
            let cost = |point: &Point| {
                let load = point.scenario.load();
                // Endless flows and closed loops fill the links.
                let endless = if load.sum.endless + load.sum.active > 0 {
                    load.capacity_bps
                } else {
                    0.0
                };
                let bits = (load.sum.wire_bps + endless) * point.scenario.duration.as_s_f64();
                (bits / 12_000.0).max(1.0)
            };
            experiment.points.iter().map(cost).collect()
        };
        let points: Vec<Vec<f64>> = experiments.iter().map(points).collect();
        let mut sorted = jobs;
        let guess = |job: &Job| points[job.experiment][job.point];
        sorted.sort_by(|a, b| {
            let place = |job: &Job| (job.experiment, job.nth_seed);
            let order = place(a).cmp(&place(b));
            order.then(guess(b).total_cmp(&guess(a)))
        });
        Costs {
            guesses: sorted.iter().map(|job| guess(job)).collect(),
            seconds: Mutex::new(vec![None; sorted.len()]),
            jobs: sorted,
        }
    }

    /// Returns the estimated cost of each run, in packets.
    pub fn guesses(&self) -> &[f64] {
        &self.guesses
    }

    /// Records that run number `i` took `seconds` of CPU time.
    pub fn measured(&self, i: usize, seconds: f64) {
        self.seconds.lock().expect("no holder panics")[i] = Some(seconds);
    }

    /// Returns the best known cost of each run, all in one unit.
    pub fn weights(&self) -> Vec<f64> {
        let seconds = self.seconds.lock().expect("no holder panics");
        // Sums of seconds and estimated packets: by point and scheme, by scheme, and of all.
        let mut places: BTreeMap<_, Spent> = BTreeMap::new();
        let mut kinds: BTreeMap<_, Spent> = BTreeMap::new();
        let mut any = Spent::default();
        let place = |job: &Job| (job.experiment, job.point, job.scheme);
        let kind = |job: &Job| (job.experiment, job.scheme);
        for ((job, seconds), guess) in self.jobs.iter().zip(&*seconds).zip(&self.guesses) {
            if let Some(s) = seconds {
                places.entry(place(job)).or_default().add(*s, *guess);
                kinds.entry(kind(job)).or_default().add(*s, *guess);
                any.add(*s, *guess);
            }
        }
        let of = |job: &Job| {
            let same = places.get(&place(job)).or_else(|| kinds.get(&kind(job)));
            same.unwrap_or(&any).rate().unwrap_or(1.0)
        };
        let jobs = self.jobs.iter().zip(&*seconds).zip(&self.guesses);
        let weight = jobs.map(|((job, seconds), guess)| seconds.unwrap_or_else(|| guess * of(job)));
        weight.collect()
    }
}

/// Sums of measured and estimated costs.
#[derive(Default)]
struct Spent {
    seconds: f64,
    packets: f64,
}

impl Spent {
    fn add(&mut self, seconds: f64, packets: f64) {
        self.seconds += seconds;
        self.packets += packets;
    }

    fn rate(&self) -> Option<f64> {
        (self.packets > 0.0).then_some(self.seconds / self.packets)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sweep::Key;
    use crate::sweep::jobs::Jobs;
    use sidestep_sim::NoFiles;

    #[test]
    fn the_longest_begin_and_those_that_ended_teach_about_the_rest() {
        let text = "duration = \"1 ms\"\nschemes = [\"dctcp\", \"dibs\"]\nseeds = \"1..2\"\n\
            [topology]\nkind = \"fat_tree\"\nk = 4\n\
            [workload.query]\nkind = \"query\"\nrate = \"1 k/s\"\ndegree = 15\n\
            [sweep]\n\"workload.query.rate\" = [\"1 k/s\", \"10 k/s\"]\n";
        let experiment = Experiment::read("t.toml", text, &[], false, &NoFiles);
        let experiment = experiment.unwrap_or_else(|problems| panic!("{problems:?}"));
        let jobs = Jobs::of(&[&experiment]);
        let costs = Costs::of(&[&experiment], jobs.all.iter().collect());
        let first: Vec<(u64, usize, usize)> = (costs.jobs.iter())
            .map(|job| (job.seed, job.point, job.scheme))
            .collect();
        // An interruption in the middle leaves the first seed of both schemes at both points.
        let of_seed = |seed| [(1, 0), (1, 1), (0, 0), (0, 1)].map(|(p, s)| (seed, p, s));
        assert_eq!(first, [of_seed(1), of_seed(2)].concat());
        let unmeasured = costs.weights();
        assert!((unmeasured[0] / unmeasured[2] - 10.0).abs() < 1e-6);
        // DCTCP took 5 s at the heavy point, so its other seed is expected to take the same, and the light
        // point a tenth.
        costs.measured(0, 5.0);
        costs.measured(1, 20.0);
        let weights = costs.weights();
        let close = |i: usize, s: f64| assert!((weights[i] - s).abs() < 1e-6, "{weights:?}");
        close(4, 5.0);
        close(5, 20.0);
        close(2, 0.5);
        close(3, 2.0);
        let keys: std::collections::BTreeSet<&Key> = jobs.all.iter().map(|j| &j.key).collect();
        assert_eq!(keys.len(), 8);
    }
}
