//! Runs of experiments, as a list of jobs.

use super::cache::Key;
use sidestep_lab::Experiment;

/// Run to make.
#[derive(Debug)]
pub(super) struct Job {
    pub experiment: usize,
    pub point: usize,
    pub scheme: usize,
    pub seed: u64,
    /// Index of its seed.
    pub nth_seed: usize,
    pub key: Key,
    /// True if the run may come from a cache and be stored in one.
    pub kept: bool,
}

/// All runs, by point, scheme and seed.
pub(super) struct Jobs {
    pub all: Vec<Job>,
}

impl Jobs {
    pub fn of(experiments: &[&Experiment]) -> Jobs {
        let mut all = Vec::new();
        for (experiment, e) in experiments.iter().enumerate() {
            for (point, p) in e.points.iter().enumerate() {
                for scheme in 0..p.scenario.schemes.len() {
                    all.extend(
                        p.scenario
                            .seeds
                            .iter()
                            .enumerate()
                            .map(|(nth_seed, &seed)| Job {
                                experiment,
                                point,
                                scheme,
                                seed,
                                nth_seed,
                                key: Key::of(&p.scenario, scheme, seed),
                                kept: p.scenario.may_be_kept(scheme),
                            }),
                    );
                }
            }
        }
        Jobs { all }
    }

    /// Returns each run once: several points may have the same scenario.
    pub fn distinct(&self) -> Vec<&Job> {
        let mut seen = std::collections::BTreeSet::new();
        self.all
            .iter()
            .filter(|job| seen.insert(&job.key))
            .collect()
    }
}
