//! A sweep for others to make: which runs it comes to, what each needs, and the directory out of their records.
//!
//! ```no_run
//! # fn main() -> Result<(), sidestep_study::Error> {
//! use sidestep_study::files::find;
//! use sidestep_study::sweep::{Plan, Worker};
//! use std::path::Path;
//! use std::sync::atomic::AtomicBool;
//!
//! let plan = Plan::read(&find("my.toml")?, &[], false)?;
//! let worker = Worker::open(&plan.carried().to_bytes())?;     // on any machine, in any process
//! for work in plan.works() {
//!     let made = worker.compute(&work.key, work.point, work.scheme, work.seed, &AtomicBool::new(false))?;
//!     // …kept as `cache/ab/abcdef….record`
//! }
//! plan.collect(Path::new("results/mine"), &[Path::new("cache").into()], &Default::default())?;
//! # Ok(())
//! # }
//! ```

use super::cache::Cache;
use super::carried::{Carried, Remembered};
use super::collect::{Source, collect};
use super::cost::Costs;
use super::jobs::Jobs;
use super::{CODE, CacheUse, FinishedSweep, Key};
use crate::staging::{Staging, refuse_occupied};
use crate::{Error, files, memory, when};
use sidestep_lab::Experiment;
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// A sweep that was not made yet.
pub struct Plan {
    experiment: Experiment,
    carried: Carried,
    jobs: Jobs,
}

/// One run to make.
#[derive(Clone, Debug, PartialEq)]
pub struct Work {
    /// What it is known by: 64 hexadecimal digits.
    pub key: String,
    /// The number of its point.
    pub point: usize,
    /// The number of its scheme.
    pub scheme: usize,
    /// Its seed.
    pub seed: u64,
    /// About how many packets it sends: what it costs next to the others.
    pub cost: f64,
}

/// How the records came to be.
#[derive(Clone, Debug, Default)]
pub struct Collected {
    /// Keys of those that were there before.
    pub known: BTreeSet<String>,
    /// Where they are kept for later calls, and what happened there.
    pub cache: Option<CacheUse>,
    /// How long it took to make the others.
    pub took: Duration,
    /// Runs at a time; 0 where nobody knows.
    pub jobs: usize,
    /// What made them, as it was asked for.
    pub executor: String,
}

impl Plan {
    /// Reads it, changed by `sets`, and by its `[quick]` when `quick`. Refuses what is no sweep.
    pub fn read(source: &files::Source, sets: &[String], quick: bool) -> Result<Plan, Error> {
        let (experiment, read) = source.with_files(|files| {
            let files = Remembered {
                files,
                read: RefCell::default(),
            };
            let read = Experiment::read(&source.name, &source.text, sets, quick, &files);
            (read, files.read.into_inner())
        })?;
        let experiment = experiment.map_err(Error::Wrong)?;
        if !experiment.is_sweep() {
            return Err(Error::Input(format!(
                "{}: expected an experiment with [sweep], got a scenario: its runs are made here, without an executor",
                source.name
            )));
        }
        Ok(Plan {
            jobs: Jobs::of(&[&experiment]),
            experiment,
            carried: Carried {
                code: CODE.into(),
                name: source.name.clone(),
                text: source.text.clone(),
                sets: sets.to_vec(),
                quick,
                files: read,
            },
        })
    }

    /// What is swept.
    pub fn experiment(&self) -> &Experiment {
        &self.experiment
    }

    /// What each worker needs, whichever runs it makes.
    pub fn carried(&self) -> &Carried {
        &self.carried
    }

    /// Each run once, in the order in which they are best begun: an interruption leaves whole seeds, and what takes long
    /// does not begin last.
    pub fn works(&self) -> Vec<Work> {
        let costs = Costs::of(&[&self.experiment], self.jobs.distinct());
        let jobs = costs.jobs.iter().zip(costs.guesses());
        jobs.map(|(job, cost)| Work {
            key: job.key.digits(),
            point: job.point,
            scheme: job.scheme,
            seed: job.seed,
            cost: *cost,
        })
        .collect()
    }

    /// Refuses what could not be collected: an occupied directory and, unless `force`, more points than fit into memory.
    pub fn refuse(&self, out: &Path, force: bool) -> Result<(), Error> {
        refuse_occupied(out)?;
        match force {
            true => Ok(()),
            false => memory::refuse(&self.experiment, 1, 1),
        }
    }

    /// Makes the result directory `out` of the records in `folders`, each laid out as a [`Cache`]: the same bytes as a run
    /// on threads, the manifest apart. What is in none of them counts as not run, and the result as partial.
    pub fn collect(
        &self,
        out: &Path,
        folders: &[PathBuf],
        made: &Collected,
    ) -> Result<FinishedSweep, Error> {
        let now = when::now_s();
        let began = Instant::now();
        let folders: Vec<Cache> = folders.iter().map(|folder| Cache::beside(folder)).collect();
        let find = |key: &Key| folders.iter().find_map(|folder| folder.load(key));
        // Read twice, so that none of them is held: a damaged one must be known before the first is summed up.
        let distinct = self.jobs.distinct();
        let there = distinct.iter().map(|job| &job.key);
        let there: BTreeSet<&Key> = there.filter(|key| find(key).is_some()).collect();
        let source = Source {
            is_there: &|key| there.contains(key),
            record: &find,
            was_known: &|key| made.known.contains(&key.digits()),
            cache: made.cache.clone(),
            began: began.checked_sub(made.took).unwrap_or(began),
            began_unix_s: now.saturating_sub(made.took.as_secs()),
            jobs: made.jobs,
            executor: Some(&made.executor),
        };
        let staging = Staging::begin(out)?;
        collect(
            &self.experiment,
            staging,
            &self.jobs,
            &source,
            &mut |_, _| {},
        )
    }
}
