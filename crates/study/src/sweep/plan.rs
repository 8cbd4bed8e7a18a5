//! Sweep for other machines: the list of its runs, the input of each, and the result directory from their
//! records.
//!
//! ```no_run
//! # fn main() -> Result<(), sidestep_study::Error> {
//! use sidestep_study::files::find;
//! use sidestep_study::sweep::{SweepPlan, Worker};
//! use std::path::Path;
//! use std::sync::atomic::AtomicBool;
//!
//! let plan = SweepPlan::read(&find("my.toml")?, &[], false)?;
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

/// Sweep whose runs are not made yet.
pub struct SweepPlan {
    experiment: Experiment,
    carried: Carried,
    jobs: Jobs,
}

/// Run to make.
#[derive(Clone, Debug, PartialEq)]
pub struct Work {
    /// Key of the run: 64 hexadecimal digits.
    pub key: String,
    /// Index of its point.
    pub point: usize,
    /// Index of its scheme.
    pub scheme: usize,
    /// Seed.
    pub seed: u64,
    /// Estimated packets sent: the cost relative to other runs.
    pub cost: f64,
}

/// Origin of the records.
#[derive(Clone, Debug, Default)]
pub struct Collected {
    /// Keys of the runs that were known before.
    pub known: BTreeSet<String>,
    /// Cache for later calls, and its use.
    pub cache: Option<CacheUse>,
    /// Time taken by the other runs.
    pub took: Duration,
    /// Number of runs at a time; 0 if unknown.
    pub jobs: usize,
    /// Executor that made the runs, as requested.
    pub executor: String,
}

impl SweepPlan {
    /// Reads a sweep, changed by `sets`, and by its `[quick]` table if `quick`. Refuses a scenario without a
    /// sweep.
    pub fn read(source: &files::Source, sets: &[String], quick: bool) -> Result<SweepPlan, Error> {
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
                "{}: an executor needs an experiment with [sweep], got a plain scenario; run it \
                 without --executor",
                source.name
            )));
        }
        Ok(SweepPlan {
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

    /// Returns the experiment.
    pub fn experiment(&self) -> &Experiment {
        &self.experiment
    }

    /// Returns the input of each worker, whichever runs it makes.
    pub fn carried(&self) -> &Carried {
        &self.carried
    }

    /// Lists each run once, in the best order to begin them: an interruption leaves whole seeds, and a long run
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

    /// Refuses a sweep that could not be collected: an occupied directory or, unless `force`, more points than
    /// fit into memory.
    pub fn refuse(&self, out: &Path, force: bool) -> Result<(), Error> {
        refuse_occupied(out)?;
        match force {
            true => Ok(()),
            false => memory::refuse(&self.experiment, 1, 1),
        }
    }

    /// Creates the result directory `out` from the records in `folders`, each laid out as a [`Cache`]. Except
    /// for the manifest the bytes equal those of a sweep on threads. A run without a record counts as not run,
    /// and makes the result partial.
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
        // Records are read twice, so that none is held in memory: a damaged one must be found before the first
        // is summarised.
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
