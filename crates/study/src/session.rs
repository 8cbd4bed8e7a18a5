//! Session: runs every scheme of a scenario with every seed, on several threads, into one result directory.
//!
//! **Decision**  the first seed of every scheme, then the second: an interrupted session leaves runs that can
//!               be compared. A run that is complete in the cache is not repeated.
//! **Errors**    the simulator refuses a run, or a file cannot be written; the numbers of completed runs are
//!               reported before files are written.

use crate::Error;
use crate::checkpoint::Checkpoints;
use crate::manifest::RunOrigin;
use crate::progress::{Board, Line, Show, share};
use crate::recorder::{Finished, FinishedRun, Recorder};
use crate::report::Report;
use crate::sweep::{Cache, Key, Spent};
use crate::threads::{Chosen, Threading, Threads, choose};
use crate::usage::thread_cpu_s;
use crate::workers::in_order;
use sidestep_lab::run_cut;
use sidestep_lab::run_recorded;
use sidestep_lab::{PlotSpec, Progress, RecordSpec, Scenario, Watch};
use sidestep_sim::TraceFilter;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::available_parallelism;
use std::time::Instant;

/// Options of a session.
#[derive(Clone, Debug)]
pub struct Options<'a> {
    /// Result directory; refused if it is not empty.
    pub out: &'a Path,
    /// Number of threads.
    pub jobs: usize,
    /// Packets whose paths are stored.
    pub trace: TraceFilter,
    /// Recording of each run, if any. Recorded runs are never taken from the cache.
    pub record: Option<RecordSpec>,
    /// Cache of finished runs; `None` for no cache.
    pub cache: Option<&'a Path>,
    /// Interval and folder of checkpoints; `None` for no checkpoints.
    pub checkpoints: Option<&'a Checkpoints>,
    /// Threads of a single run, if more than one is allowed.
    pub threads: Option<Threading<'a>>,
    /// Plots that the file asks for.
    pub plots: &'a [PlotSpec],
    /// Receiver of progress reports.
    pub show: Show<'a>,
}

/// Runs every scheme of `scenario` with every seed and writes the result directory. `tell` receives the report,
/// and the runs' cost, before their files are written.
///
/// When `stop` becomes true, runs in progress end, the results so far are written, and the result is marked
/// partial. On an error only the cache remains.
pub fn run_all(
    scenario: &Scenario,
    options: &Options<'_>,
    stop: &AtomicBool,
    tell: &mut dyn FnMut(&Report, &Spent),
) -> Result<Finished, Error> {
    let mut _held = None;
    if let Some(checkpoints) = options.checkpoints {
        checkpoints.check(scenario, &options.trace, options.record.is_some())?;
        _held = Some(checkpoints.hold()?);
    }
    let chosen = threading(scenario, options)?;
    let session = Session::begin(scenario, options, chosen)?;
    session.run(options, stop, tell)
}

/// Chooses the number of threads for the runs of each scheme. A remark explains why `auto` chose one thread.
fn threading(scenario: &Scenario, options: &Options<'_>) -> Result<Vec<Chosen>, Error> {
    let schemes = &scenario.schemes;
    let Some(Threading { asked, remark }) = options.threads else {
        return Ok(vec![Chosen::default(); schemes.len()]);
    };
    let recorded = options.record.is_some().then_some("--record");
    let kept = recorded.or_else(|| options.checkpoints.map(|_| "--checkpoint"));
    let side_by_side = options.jobs.min(schemes.len() * scenario.seeds.len());
    let cores = available_parallelism().map_or(1, usize::from) / side_by_side.max(1);
    let chosen = choose(scenario, asked, &options.trace, kept, cores)?;
    for (scheme, chosen) in schemes.iter().zip(&chosen) {
        if let Some(why) = &chosen.why_one {
            remark(&format!("scheme {}: one thread: {why}", scheme.name));
        }
    }
    Ok(chosen)
}

struct Session<'a> {
    scenario: &'a Scenario,
    recorder: Recorder<'a>,
    /// Choice of threads, by scheme.
    chosen: Vec<Chosen>,
    cache: Option<Cache>,
    /// Scheme and seed, in the order of the results.
    points: Vec<(usize, u64)>,
}

impl<'a> Session<'a> {
    fn begin(
        scenario: &'a Scenario,
        options: &Options<'a>,
        chosen: Vec<Chosen>,
    ) -> Result<Session<'a>, Error> {
        let traced = options.trace != TraceFilter::None;
        let schemes = scenario.schemes.len();
        let of_seed = |&seed: &u64| (0..schemes).map(move |s| (s, seed));
        let mut recorder = Recorder::begin(scenario, options.out, options.jobs, traced)?;
        recorder.draw(options.plots);
        Ok(Session {
            scenario,
            recorder,
            chosen,
            cache: options.cache.map(Cache::at),
            points: scenario.seeds.iter().flat_map(of_seed).collect(),
        })
    }

    fn run(
        self,
        options: &Options<'_>,
        stop: &AtomicBool,
        tell: &mut dyn FnMut(&Report, &Spent),
    ) -> Result<Finished, Error> {
        let Session {
            scenario,
            mut recorder,
            chosen,
            cache,
            points,
        } = self;
        let board = Board::new(points.len());
        let mut line = Line::new(options.show);
        let failed = AtomicBool::new(false);
        let halt = || stop.load(Ordering::Relaxed) || failed.load(Ordering::Relaxed);
        let one = One {
            scenario,
            trace: &options.trace,
            record: options.record.as_ref(),
            cache: cache.as_ref(),
            checkpoints: options.checkpoints,
            chosen: &chosen,
        };
        let mut spent = Spent::default();
        let mut all_ended = true;
        in_order(
            points.len(),
            options.jobs,
            |i| one.measure(points[i], i, &board, &halt),
            || line.draw(&board),
            |i, result| {
                let (scheme, seed) = points[i];
                match result? {
                    Some((made, how)) => {
                        all_ended &= !made.record.interrupted;
                        spent.count(how);
                        recorder.take(scheme, made, how == RunOrigin::Cached);
                    }
                    None => {
                        all_ended = false;
                        spent.count(RunOrigin::NotRun);
                        recorder.not_run(scheme, seed);
                    }
                }
                Ok::<(), Error>(())
            },
            || failed.store(true, Ordering::Relaxed),
        )?;
        line.end(&board);
        spent.cache = cache.map(|cache| cache.used());
        tell(&recorder.report(), &spent);
        let finished = recorder.finish()?;
        // Checkpoints are removed only after the result is on the disk: if that fails, the next call resumes
        // from them.
        if let Some(checkpoints) = options.checkpoints
            && all_ended
        {
            for (scheme, seed) in points {
                checkpoints.forget(scenario, scheme, seed);
            }
        }
        Ok(finished)
    }
}

/// Shared inputs of a single run.
struct One<'a> {
    scenario: &'a Scenario,
    trace: &'a TraceFilter,
    record: Option<&'a RecordSpec>,
    cache: Option<&'a Cache>,
    checkpoints: Option<&'a Checkpoints>,
    chosen: &'a [Chosen],
}

impl One<'_> {
    /// Takes one point from the cache, or runs it unless the session was stopped. Times are those of this
    /// thread.
    fn measure(
        &self,
        (scheme, seed): (usize, u64),
        point: usize,
        board: &Board,
        halt: &impl Fn() -> bool,
    ) -> Result<Option<(FinishedRun, RunOrigin)>, Error> {
        let scenario = self.scenario;
        let kept = self
            .cache
            .filter(|_| scenario.may_be_kept(scheme))
            .map(|cache| (cache, Key::of(scenario, scheme, seed)));
        // The cache contains neither paths of packets nor recordings.
        if let Some((cache, key)) = &kept
            && self.record.is_none()
            && *self.trace == TraceFilter::None
            && let Some((record, rows)) = cache.load_whole(key)
        {
            board.set(point, 1.0, 0);
            let cpu_s = Some(record.cpu_s);
            return Ok(Some((
                FinishedRun::known(record, rows, cpu_s),
                RunOrigin::Cached,
            )));
        }
        if halt() {
            return Ok(None);
        }
        let (wall, cpu) = (Instant::now(), thread_cpu_s());
        let mut watch = |p: &Progress| {
            board.set(point, share(p).min(0.999), p.packet_hops);
            if halt() { Watch::Stop } else { Watch::Go }
        };
        let trace = self.trace.clone();
        let failed = |e| {
            let name = &scenario.schemes[scheme].name;
            Error::Run(format!("scheme {name}, seed {seed}: {e}"))
        };
        let mut before = None;
        // CPU time of the additional threads.
        let beside = Arc::new(AtomicU64::new(0));
        let cut = self.chosen[scheme].cut.as_ref();
        let mut run = match (cut, self.checkpoints, self.record) {
            (Some(cut), ..) => {
                let crew = Box::new(Threads::new(cut.parts(), Arc::clone(&beside)));
                run_cut(scenario, (scheme, seed), cut, crew, &mut watch).map_err(failed)?
            }
            (None, Some(all), _) => {
                let (run, spent) = all.run(scenario, (scheme, seed), self.trace, &mut watch)?;
                before = Some(spent);
                run
            }
            (None, None, Some(record)) => {
                run_recorded(scenario, scheme, seed, trace, record, &mut watch).map_err(failed)?
            }
            (None, None, None) => {
                sidestep_lab::run(scenario, scheme, seed, trace, &mut watch).map_err(failed)?
            }
        };
        board.set(point, 1.0, run.outcome.totals.packet_hops);
        // A resumed run includes the time before its interruption.
        let (wall_s, cpu_s) = match before {
            Some(spent) => (spent.wall_s(), spent.cpu_s()),
            None => {
                let beside = beside.load(Ordering::Relaxed) as f64 / 1e9;
                let cpu_s = thread_cpu_s() - cpu + beside;
                (wall.elapsed().as_secs_f64(), cpu_s)
            }
        };
        let made = FinishedRun::of(scenario, scheme, &mut run, Some(cpu_s), wall_s);
        // The run is stored at once, so that a killed process loses only the runs in progress.
        if let Some((cache, key)) = &kept
            && !run.interrupted
        {
            cache.store_whole(key, &made.record, &made.rows);
        }
        Ok(Some((made, RunOrigin::Ran)))
    }
}
