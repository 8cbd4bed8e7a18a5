//! Progress of the runs: one line on standard error, rewritten in place, or a callback.

use sidestep_lab::Progress;
use std::fmt;
use std::io::{IsTerminal, Write};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Receiver of progress reports.
#[derive(Clone, Copy)]
pub enum Show<'a> {
    /// No receiver.
    Never,
    /// Line rewritten in place if standard error is a terminal; otherwise no output.
    Terminal,
    /// Line rewritten in place on a terminal; elsewhere a new line every few seconds.
    Always,
    /// Callback, called a few times a second and once at the end; nothing is printed.
    Callback(&'a (dyn Fn(&RunProgress) + Sync)),
}

impl fmt::Debug for Show<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Show::Never => "Never",
            Show::Terminal => "Terminal",
            Show::Always => "Always",
            Show::Callback(_) => "Callback",
        })
    }
}

/// Progress of the runs at one instant.
#[derive(Clone, Debug, PartialEq)]
pub struct RunProgress {
    /// Runs that have ended, or came from the cache.
    pub finished: usize,
    /// All runs.
    pub runs: usize,
    /// Share of the work that is done, 0 to 1.
    pub share: f64,
    /// Packet-hops so far.
    pub packet_hops: u64,
    /// Seconds since the start.
    pub elapsed_s: f64,
    /// Estimated seconds left, once the estimate is reliable.
    pub left_s: Option<f64>,
}

impl RunProgress {
    /// Formats the progress as one line.
    pub fn line(&self) -> String {
        let rate = self.packet_hops as f64 / self.elapsed_s.max(1e-3) / 1e6;
        let left = self
            .left_s
            .map(|left| format!(", about {} left", clock(left)));
        format!(
            "{}/{} runs, {:.0} %, {rate:.1} M packet-hops/s{}",
            self.finished,
            self.runs,
            (self.share * 100.0).floor(),
            left.unwrap_or_default()
        )
    }
}

/// Progress of the running jobs, shared between threads.
#[derive(Debug)]
pub struct Board {
    jobs: Vec<Job>,
}

#[derive(Debug, Default)]
struct Job {
    /// Cost relative to the other jobs; [`USUAL`] is the average.
    weight: AtomicU64,
    /// Share done, in millionths.
    done: AtomicU64,
    packet_hops: AtomicU64,
}

const WHOLE: u64 = 1_000_000;

/// Weight of a job of average cost.
const USUAL: u64 = 1_000;

impl Board {
    /// Creates a board for `jobs` jobs.
    pub fn new(jobs: usize) -> Board {
        Board {
            jobs: (0..jobs)
                .map(|_| Job {
                    weight: AtomicU64::new(USUAL),
                    ..Job::default()
                })
                .collect(),
        }
    }

    /// Sets the estimated costs of the jobs, relative to each other.
    pub fn weigh(&self, costs: &[f64]) {
        let mean = costs.iter().sum::<f64>() / costs.len().max(1) as f64;
        for (job, cost) in self.jobs.iter().zip(costs) {
            let weight = if mean > 0.0 { cost / mean } else { 1.0 };
            let weight = (weight * USUAL as f64) as u64;
            job.weight.store(weight.max(1), Ordering::Relaxed);
        }
    }

    /// Records that job `i` has done this `share` of its work and this many packet-hops.
    pub fn set(&self, i: usize, share: f64, packet_hops: u64) {
        let done = (share.clamp(0.0, 1.0) * WHOLE as f64) as u64;
        self.jobs[i].done.store(done, Ordering::Relaxed);
        self.jobs[i]
            .packet_hops
            .store(packet_hops, Ordering::Relaxed);
    }

    fn share(&self) -> f64 {
        let (mut done, mut all) = (0.0, 0.0);
        for job in &self.jobs {
            let weight = job.weight.load(Ordering::Relaxed) as f64;
            done += weight * job.done.load(Ordering::Relaxed) as f64;
            all += weight * WHOLE as f64;
        }
        if all > 0.0 { done / all } else { 0.0 }
    }

    fn finished(&self) -> usize {
        self.jobs
            .iter()
            .filter(|j| j.done.load(Ordering::Relaxed) == WHOLE)
            .count()
    }

    fn packet_hops(&self) -> u64 {
        self.jobs
            .iter()
            .map(|j| j.packet_hops.load(Ordering::Relaxed))
            .sum()
    }

    /// Returns the progress of all jobs, `elapsed` after the start.
    pub fn now(&self, elapsed: Duration) -> RunProgress {
        let (share, seconds) = (self.share(), elapsed.as_secs_f64());
        // Earlier estimates of the time left are unreliable.
        let guess = share < 0.03 || seconds < 2.0;
        RunProgress {
            finished: self.finished(),
            runs: self.jobs.len(),
            share,
            packet_hops: self.packet_hops(),
            elapsed_s: seconds,
            left_s: (!guess).then(|| seconds * (1.0 - share) / share),
        }
    }
}

/// Returns the share of a run that is done. A run ends with its last flow or at the horizon, whichever comes
/// first, so the larger share counts.
pub(crate) fn share(p: &Progress) -> f64 {
    let part = |a: u64, b: u64| if b == 0 { 0.0 } else { a as f64 / b as f64 };
    part(p.now.ps(), p.horizon.ps()).max(part(p.flows_done, p.flows_total))
}

/// Formats a span, rounded up.
pub fn clock(seconds: f64) -> String {
    match seconds {
        s if s < 60.0 => format!("{:.0} s", s.ceil()),
        s if s < 3600.0 => format!("{:.0} min", (s / 60.0).ceil()),
        s => format!("{:.1} h", s / 3600.0),
    }
}

/// Writer of the progress line.
#[derive(Debug)]
pub struct Line<'a> {
    show: Show<'a>,
    terminal: bool,
    began: Instant,
    last: Option<Instant>,
}

impl<'a> Line<'a> {
    /// Creates a writer for this receiver.
    pub fn new(show: Show<'a>) -> Line<'a> {
        let terminal = std::io::stderr().is_terminal();
        Line {
            show,
            terminal,
            began: Instant::now(),
            last: None,
        }
    }

    /// Reports the progress, if the last report was long enough ago.
    pub fn draw(&mut self, board: &Board) {
        let wait = match (self.show, self.terminal) {
            (Show::Never, _) | (Show::Terminal, false) => return,
            (Show::Callback(_), _) | (_, true) => Duration::from_millis(200),
            (Show::Always, false) => Duration::from_secs(5),
        };
        let last = self.last.unwrap_or(self.began);
        if last.elapsed() < wait {
            return;
        }
        self.last = Some(Instant::now());
        let now = board.now(self.began.elapsed());
        if let Show::Callback(tell) = self.show {
            return tell(&now);
        }
        let line = now.line();
        let (before, after) = if self.terminal {
            ("\r\x1b[2K", "")
        } else {
            ("", "\n")
        };
        // A failure to write progress does not stop the runs.
        let _ = write!(std::io::stderr(), "{before}{line}{after}");
    }

    /// Reports the progress a last time, and removes the line.
    pub fn end(&mut self, board: &Board) {
        if let Show::Callback(tell) = self.show {
            tell(&board.now(self.began.elapsed()));
        }
        self.clear();
    }

    /// Removes the line.
    fn clear(&mut self) {
        let drawn = !matches!(self.show, Show::Callback(_)) && self.last.take().is_some();
        if self.terminal && drawn {
            let _ = write!(std::io::stderr(), "\r\x1b[2K");
        }
    }
}

impl Drop for Line<'_> {
    fn drop(&mut self) {
        self.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_says_how_far_and_how_long() {
        let board = Board::new(4);
        assert_eq!(
            board.now(Duration::from_secs(9)).line(),
            "0/4 runs, 0 %, 0.0 M packet-hops/s"
        );
        board.set(0, 1.0, 30_000_000);
        board.set(1, 0.5, 10_000_000);
        let line = board.now(Duration::from_secs(10)).line();
        assert_eq!(line, "1/4 runs, 37 %, 4.0 M packet-hops/s, about 17 s left");
    }

    #[test]
    fn another_program_is_told_at_the_end_and_nothing_is_printed_for_it() {
        let (board, told) = (Board::new(2), std::sync::Mutex::new(Vec::new()));
        board.set(0, 1.0, 5);
        let tell = |now: &RunProgress| {
            told.lock()
                .unwrap()
                .push((now.finished, now.runs, now.packet_hops))
        };
        let mut line = Line::new(Show::Callback(&tell));
        line.draw(&board);
        assert!(told.lock().unwrap().is_empty(), "so soon");
        line.end(&board);
        drop(line);
        assert_eq!(*told.lock().unwrap(), [(1, 2, 5)]);
    }

    #[test]
    fn what_costs_more_counts_for_more() {
        let board = Board::new(2);
        board.set(0, 1.0, 0);
        board.weigh(&[9.0, 1.0]);
        let line = board.now(Duration::from_secs(9)).line();
        assert!(
            line.ends_with("90 %, 0.0 M packet-hops/s, about 1 s left"),
            "{line}"
        );
    }

    #[test]
    fn spans_are_rounded_up() {
        assert_eq!([3.2, 61.0, 7200.0].map(clock), ["4 s", "2 min", "2.0 h"]);
    }
}
