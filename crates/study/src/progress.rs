//! How far the runs are: one line on standard error, rewritten in place.

use std::io::{IsTerminal, Write};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Who gets to see it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Show {
    /// Nobody.
    Never,
    /// A line in place when standard error is a terminal, nothing otherwise.
    Terminal,
    /// The same on a terminal; elsewhere a line every few seconds.
    Always,
}

/// What the running jobs say about themselves; shared between threads.
#[derive(Debug)]
pub struct Board {
    jobs: Vec<Job>,
}

#[derive(Debug)]
struct Job {
    /// Its part of all the work.
    weight: f64,
    /// Share done, in millionths.
    done: AtomicU64,
    packet_hops: AtomicU64,
}

const WHOLE: u64 = 1_000_000;

impl Board {
    /// For `jobs` jobs.
    pub fn new(jobs: usize) -> Board {
        Board::weighted(vec![1.0; jobs])
    }

    /// For jobs of unequal work: the share done, and so the time left, go by their weights.
    pub fn weighted(weights: Vec<f64>) -> Board {
        let job = |weight| Job {
            weight,
            done: AtomicU64::new(0),
            packet_hops: AtomicU64::new(0),
        };
        Board {
            jobs: weights.into_iter().map(job).collect(),
        }
    }

    /// Job `i` has done this `share` of its work and so many packet-hops.
    pub fn set(&self, i: usize, share: f64, packet_hops: u64) {
        let done = (share.clamp(0.0, 1.0) * WHOLE as f64) as u64;
        self.jobs[i].done.store(done, Ordering::Relaxed);
        self.jobs[i]
            .packet_hops
            .store(packet_hops, Ordering::Relaxed);
    }

    fn share(&self) -> f64 {
        let sum = |of: &dyn Fn(&Job) -> f64| self.jobs.iter().map(of).sum::<f64>();
        let done = |job: &Job| job.done.load(Ordering::Relaxed) as f64 / WHOLE as f64;
        sum(&|job| job.weight * done(job)) / sum(&|job| job.weight).max(f64::MIN_POSITIVE)
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

    /// One line about it all, `elapsed` after the start.
    fn line(&self, elapsed: Duration) -> String {
        let (share, seconds) = (self.share(), elapsed.as_secs_f64());
        let rate = self.packet_hops() as f64 / seconds.max(1e-3) / 1e6;
        let left = match share {
            // Before this, an estimate would be a guess.
            s if s < 0.03 || seconds < 2.0 => String::new(),
            s => format!(", about {} left", clock(seconds * (1.0 - s) / s)),
        };
        format!(
            "{}/{} runs, {:.0} %, {rate:.1} M packet-hops/s{left}",
            self.finished(),
            self.jobs.len(),
            (share * 100.0).floor(),
        )
    }
}

fn clock(seconds: f64) -> String {
    match seconds {
        s if s < 60.0 => format!("{:.0} s", s.ceil()),
        s if s < 3600.0 => format!("{:.0} min", (s / 60.0).ceil()),
        s => format!("{:.1} h", s / 3600.0),
    }
}

/// Writes the line.
#[derive(Debug)]
pub struct Line {
    show: Show,
    terminal: bool,
    began: Instant,
    last: Option<Instant>,
}

impl Line {
    /// For whoever is to see it.
    pub fn new(show: Show) -> Line {
        let terminal = std::io::stderr().is_terminal();
        Line {
            show,
            terminal,
            began: Instant::now(),
            last: None,
        }
    }

    /// Writes it, if the last time was long enough ago.
    pub fn draw(&mut self, board: &Board) {
        let wait = match (self.show, self.terminal) {
            (Show::Never, _) | (Show::Terminal, false) => return,
            (_, true) => Duration::from_millis(200),
            (Show::Always, false) => Duration::from_secs(5),
        };
        let last = self.last.unwrap_or(self.began);
        if last.elapsed() < wait {
            return;
        }
        self.last = Some(Instant::now());
        let line = board.line(self.began.elapsed());
        let (before, after) = if self.terminal {
            ("\r\x1b[2K", "")
        } else {
            ("", "\n")
        };
        // Progress that cannot be written is no reason to stop.
        let _ = write!(std::io::stderr(), "{before}{line}{after}");
    }

    /// Takes the line away.
    pub fn clear(&mut self) {
        if self.terminal && self.last.take().is_some() {
            let _ = write!(std::io::stderr(), "\r\x1b[2K");
        }
    }
}

impl Drop for Line {
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
            board.line(Duration::from_secs(9)),
            "0/4 runs, 0 %, 0.0 M packet-hops/s"
        );
        board.set(0, 1.0, 30_000_000);
        board.set(1, 0.5, 10_000_000);
        let line = board.line(Duration::from_secs(10));
        assert_eq!(line, "1/4 runs, 37 %, 4.0 M packet-hops/s, about 17 s left");
    }

    #[test]
    fn a_heavy_job_counts_for_more() {
        let board = Board::weighted(vec![1.0, 3.0]);
        board.set(0, 1.0, 0);
        let line = board.line(Duration::from_secs(10));
        assert_eq!(line, "1/2 runs, 25 %, 0.0 M packet-hops/s, about 30 s left");
    }

    #[test]
    fn spans_are_rounded_up() {
        assert_eq!([3.2, 61.0, 7200.0].map(clock), ["4 s", "2 min", "2.0 h"]);
    }
}
