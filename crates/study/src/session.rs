//! A scenario run: every scheme with every seed, on several threads, into one result directory.

use crate::Error;
use crate::progress::{Board, Line, Show};
use crate::recorder::{Finished, Recorder};
use crate::workers::{in_order, thread_cpu_s};
use sidestep_lab::{PlotSpec, Progress, Run, Scenario, Watch};
use sidestep_sim::TraceFilter;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
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
    /// What the file asks to be drawn.
    pub plots: &'a [PlotSpec],
    /// Who sees the progress.
    pub show: Show,
}

/// Runs every scheme of `scenario` with every seed and writes the result directory.
///
/// When `stop` becomes true the running ones end where they are, what there is is written,
/// and the result is marked partial. On an error nothing is left behind.
pub fn run_all(
    scenario: &Scenario,
    options: &Options<'_>,
    stop: &AtomicBool,
) -> Result<Finished, Error> {
    let session = Session::begin(scenario, options)?;
    session.run(options, stop)
}

struct Session<'a> {
    scenario: &'a Scenario,
    recorder: Recorder<'a>,
    /// Scheme and seed, in the order of the results.
    points: Vec<(usize, u64)>,
}

/// What one point gave, and what it cost.
struct Measured {
    run: Run,
    cpu_s: f64,
    wall_s: f64,
}

impl<'a> Session<'a> {
    fn begin(scenario: &'a Scenario, options: &Options<'a>) -> Result<Session<'a>, Error> {
        let traced = options.trace != TraceFilter::None;
        let schemes = 0..scenario.schemes.len();
        let points = schemes.flat_map(|s| scenario.seeds.iter().map(move |&seed| (s, seed)));
        let mut recorder = Recorder::begin(scenario, options.out, options.jobs, traced)?;
        recorder.draw(options.plots);
        Ok(Session {
            scenario,
            recorder,
            points: points.collect(),
        })
    }

    fn run(mut self, options: &Options<'_>, stop: &AtomicBool) -> Result<Finished, Error> {
        let points = self.points.clone();
        let board = Board::new(points.len());
        let mut line = Line::new(options.show);
        let failed = AtomicBool::new(false);
        let halt = || stop.load(Ordering::Relaxed) || failed.load(Ordering::Relaxed);
        in_order(
            points.len(),
            options.jobs,
            |i| measure(self.scenario, points[i], i, &options.trace, &board, &halt),
            || line.draw(&board),
            |i, result| {
                let (scheme, seed) = points[i];
                let Some(mut measured) = result? else {
                    self.recorder.not_run(scheme, seed);
                    return Ok(());
                };
                let (cpu_s, wall_s) = (measured.cpu_s, measured.wall_s);
                self.recorder
                    .add(scheme, &mut measured.run, Some(cpu_s), wall_s)
            },
            || failed.store(true, Ordering::Relaxed),
        )?;
        line.clear();
        self.recorder.finish()
    }
}

/// Runs one point, unless it is too late. The clocks are this thread's.
fn measure(
    scenario: &Scenario,
    (scheme, seed): (usize, u64),
    point: usize,
    trace: &TraceFilter,
    board: &Board,
    halt: &impl Fn() -> bool,
) -> Result<Option<Measured>, Error> {
    if halt() {
        return Ok(None);
    }
    let (wall, cpu) = (Instant::now(), thread_cpu_s());
    let mut watch = |p: &Progress| {
        board.set(point, share(p).min(0.999), p.packet_hops);
        if halt() { Watch::Stop } else { Watch::Go }
    };
    let run =
        sidestep_lab::run(scenario, scheme, seed, trace.clone(), &mut watch).map_err(|e| {
            Error::Run(format!(
                "scheme {}, seed {seed}: {e}",
                scenario.schemes[scheme].name
            ))
        })?;
    board.set(point, 1.0, run.outcome.totals.packet_hops);
    let (wall_s, cpu_s) = (wall.elapsed().as_secs_f64(), thread_cpu_s() - cpu);
    Ok(Some(Measured { run, cpu_s, wall_s }))
}

/// How far a run is. It ends with the last flow or at the horizon, whichever is first, so
/// the further of the two counts.
pub(crate) fn share(p: &Progress) -> f64 {
    let part = |a: u64, b: u64| if b == 0 { 0.0 } else { a as f64 / b as f64 };
    part(p.now.ps(), p.horizon.ps()).max(part(p.flows_done, p.flows_total))
}
