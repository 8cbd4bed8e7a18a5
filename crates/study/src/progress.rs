//! How far the runs are: one line on standard error, rewritten in place.

use sidestep_lab::Progress;
use std::io::{IsTerminal, Write};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// To whom progress is shown.
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

#[derive(Debug, Default)]
struct Job {
    /// What it costs next to the others, in thousandths of what is usual.
    weight: AtomicU64,
    /// Share done, in millionths.
    done: AtomicU64,
    packet_hops: AtomicU64,
}

const WHOLE: u64 = 1_000_000;

/// The weight of a job like all others.
const USUAL: u64 = 1_000;

impl Board {
    /// For `jobs` jobs.
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

    /// What the jobs cost, one next to the other, as far as is known by now.
    pub fn weigh(&self, costs: &[f64]) {
        let mean = costs.iter().sum::<f64>() / costs.len().max(1) as f64;
        for (job, cost) in self.jobs.iter().zip(costs) {
            let weight = if mean > 0.0 { cost / mean } else { 1.0 };
            let weight = (weight * USUAL as f64) as u64;
            job.weight.store(weight.max(1), Ordering::Relaxed);
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

/// How far a run is. It ends with the last flow or at the horizon, whichever is first, so
/// the further of the two counts.
pub(crate) fn share(p: &Progress) -> f64 {
    let part = |a: u64, b: u64| if b == 0 { 0.0 } else { a as f64 / b as f64 };
    part(p.now.ps(), p.horizon.ps()).max(part(p.flows_done, p.flows_total))
}

/// A span in words, rounded up.
pub fn clock(seconds: f64) -> String {
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
    fn what_costs_more_counts_for_more() {
        let board = Board::new(2);
        board.set(0, 1.0, 0);
        board.weigh(&[9.0, 1.0]);
        let line = board.line(Duration::from_secs(9));
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
