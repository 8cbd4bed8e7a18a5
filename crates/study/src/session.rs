//! A scenario run: every scheme with every seed, on several threads, into one result directory.
//!
//! **Decision**  the first seed of every scheme, then the second: what an interruption leaves can be
//!               compared. What a cache has whole is not run again.
//! **Errors**    what the simulator refuses, and what cannot be written; the numbers of runs that
//!               were made are told before anything is.

use crate::Error;
use crate::checkpoint::Checkpoints;
use crate::manifest::How;
use crate::progress::{Board, Line, Show, share};
use crate::recorder::{Finished, Made, Recorder};
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

/// How to run a scenario.
#[derive(Clone, Debug)]
pub struct Options<'a> {
    /// The result directory; one that holds anything is refused.
    pub out: &'a Path,
    /// Threads.
    pub jobs: usize,
    /// Which packets' paths to keep.
    pub trace: TraceFilter,
    /// What is recorded of each run, if anything: then each is made anew.
    pub record: Option<RecordSpec>,
    /// Where finished runs are kept between calls; `None` keeps none.
    pub cache: Option<&'a Path>,
    /// How often the state of a run is kept, and where, to go on from after an interruption; `None` keeps none.
    pub checkpoints: Option<&'a Checkpoints>,
    /// How many threads a run has, if not one.
    pub threads: Option<Threading<'a>>,
    /// What the file asks to be drawn.
    pub plots: &'a [PlotSpec],
    /// Who sees the progress.
    pub show: Show<'a>,
}

/// Runs every scheme of `scenario` with every seed and writes the result directory. `tell` sees
/// the numbers, and what they cost, before their files are written.
///
/// When `stop` becomes true the running ones end where they are, what there is is written,
/// and the result is marked partial. On an error nothing is left behind but the cache.
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

/// How the runs of each scheme are made. Remarks why `auto` chose one thread.
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
    /// By scheme.
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
                        recorder.take(scheme, made, how == How::Cached);
                    }
                    None => {
                        all_ended = false;
                        spent.count(How::NotRun);
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
        // Not before the result is on the disk; the next call goes on from them if it never is.
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

/// What makes one run.
struct One<'a> {
    scenario: &'a Scenario,
    trace: &'a TraceFilter,
    record: Option<&'a RecordSpec>,
    cache: Option<&'a Cache>,
    checkpoints: Option<&'a Checkpoints>,
    chosen: &'a [Chosen],
}

impl One<'_> {
    /// Takes up one point, or runs it unless it is too late. The clocks are this thread's.
    fn measure(
        &self,
        (scheme, seed): (usize, u64),
        point: usize,
        board: &Board,
        halt: &impl Fn() -> bool,
    ) -> Result<Option<(Made, How)>, Error> {
        let scenario = self.scenario;
        let kept = self
            .cache
            .filter(|_| scenario.may_be_kept(scheme))
            .map(|cache| (cache, Key::of(scenario, scheme, seed)));
        // Nobody keeps the paths of packets, or recordings.
        if let Some((cache, key)) = &kept
            && self.record.is_none()
            && *self.trace == TraceFilter::None
            && let Some((record, rows)) = cache.load_whole(key)
        {
            board.set(point, 1.0, 0);
            let cpu_s = Some(record.cpu_s);
            return Ok(Some((Made::known(record, rows, cpu_s), How::Cached)));
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
        // Of the threads beside this one.
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
        // Of a run that went on, with what it took before.
        let (wall_s, cpu_s) = match before {
            Some(spent) => (spent.wall_s(), spent.cpu_s()),
            None => {
                let beside = beside.load(Ordering::Relaxed) as f64 / 1e9;
                let cpu_s = thread_cpu_s() - cpu + beside;
                (wall.elapsed().as_secs_f64(), cpu_s)
            }
        };
        let made = Made::of(scenario, scheme, &mut run, Some(cpu_s), wall_s);
        // At once and here, so that a killed process has lost only what was running.
        if let Some((cache, key)) = &kept
            && !run.interrupted
        {
            cache.store_whole(key, &made.record, &made.rows);
        }
        Ok(Some((made, How::Ran)))
    }
}
