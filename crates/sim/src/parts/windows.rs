//! Windows: time spans that all parts may serve before they synchronise, and the end of the run.
//!
//! **Decision**     the next window begins at the earliest event of any part and is as long as the lookahead. A
//!                  run
//!                  ends at its last delivery, which only one part sees. So where the last flows may end within
//!                  a
//!                  window, the parts with unfinished flows serve it first, each up to its own last delivery at
//!                  most; if no flow
//!                  is left anywhere, the run ends at the latest of these, and all parts serve up to there.
//! **State**        none: every part decides the same from the reports of all.
//! **Units**        simulated time in picoseconds.
//! **Errors**       none.

use sidestep_types::Time;

/// Report of a part to the others, between windows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PartReport {
    /// Time of its next event, here or by its mail; [`Time::MAX`] without one.
    pub next: Time,
    /// Unfinished flows that end here, and all that a run does not wait for.
    pub left: u64,
    /// Time at which the last flow ended here so far.
    pub finished: Time,
    /// Lower bound of the time at which the last flow ends here.
    pub bound: Time,
}

/// Next step of all parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// No event is left up to the limit.
    Done,
    /// Every part serves up to and including this instant.
    All {
        /// Last instant of the window.
        until: Time,
    },
    /// Parts with unfinished flows go first, up to this instant or their last delivery: then [`Windows::after`]
    /// decides.
    Holders {
        /// Last instant of the window.
        until: Time,
    },
}

/// Rest of a window in which the run may end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct After {
    /// Instant up to and including which all parts serve.
    pub until: Time,
    /// True if the run ends at this instant.
    pub ends: bool,
}

/// Windows of a run up to an instant.
#[derive(Clone, Copy, Debug)]
pub struct Windows {
    lookahead: Time,
    limit: Time,
    endless: bool,
}

impl Windows {
    /// Returns the windows up to and including `limit`. An `endless` run does not end at its last delivery.
    pub(crate) fn new(lookahead: Time, limit: Time, endless: bool) -> Windows {
        Windows {
            lookahead,
            limit,
            endless,
        }
    }

    /// Returns the next step, from the reports of all parts. Mail is accepted before anything is served.
    pub fn step(&self, said: impl Iterator<Item = PartReport> + Clone) -> Step {
        let next = said.clone().map(|said| said.next).min();
        let Some(next) = next.filter(|next| *next <= self.limit && *next < Time::MAX) else {
            return Step::Done;
        };
        let last = next.saturating_add(self.lookahead) - Time::from_ps(1);
        let until = last.min(self.limit);
        let bound = said.map(|said| said.bound).max();
        match self.endless || bound.is_some_and(|bound| until < bound) {
            true => Step::All { until },
            false => Step::Holders { until },
        }
    }

    /// Returns the rest of the window that ends at `until`, from the reports after parts with unfinished flows
    /// have served it.
    pub fn after(&self, until: Time, said: impl Iterator<Item = PartReport> + Clone) -> After {
        let left: u64 = said.clone().map(|said| said.left).sum();
        let finished = said.map(|said| said.finished).max();
        match left {
            0 => After {
                until: finished.unwrap_or(until),
                ends: true,
            },
            _ => After { until, ends: false },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ns(n: u64) -> Time {
        Time::from_ns(n)
    }

    fn said(next: u64, left: u64, finished: u64, bound: u64) -> PartReport {
        PartReport {
            next: ns(next),
            left,
            finished: ns(finished),
            bound: ns(bound),
        }
    }

    fn windows(endless: bool) -> Windows {
        Windows::new(ns(100), ns(1_000), endless)
    }

    #[test]
    fn a_window_begins_with_the_earliest_event_and_ends_before_anything_sent_in_it_arrives() {
        let all = [said(340, 1, 0, 900), said(310, 2, 0, 0)];
        let until = ns(410) - Time::from_ps(1);
        assert_eq!(windows(false).step(all.into_iter()), Step::All { until });
        // A window at the end of the run is shorter.
        let all = [said(960, 1, 0, 5_000)];
        let until = ns(1_000);
        assert_eq!(windows(false).step(all.into_iter()), Step::All { until });
        assert_eq!(
            windows(false).step([said(1_001, 1, 0, 0)].into_iter()),
            Step::Done
        );
    }

    #[test]
    fn where_the_run_may_end_those_with_flows_left_go_first_and_no_other_run_does() {
        let all = [said(340, 1, 0, 350), said(310, 2, 0, 200)];
        let until = ns(410) - Time::from_ps(1);
        let step = |endless| windows(endless).step(all.into_iter());
        assert_eq!(step(false), Step::Holders { until });
        assert_eq!(step(true), Step::All { until });
    }

    #[test]
    fn a_run_ends_with_the_latest_of_the_last_deliveries_and_goes_on_while_one_is_left() {
        let after = |all: [PartReport; 2]| windows(false).after(ns(400), all.into_iter());
        let until = ns(400);
        assert_eq!(
            after([said(500, 0, 330, 0), said(500, 1, 350, 0)]),
            After { until, ends: false }
        );
        let until = ns(350);
        assert_eq!(
            after([said(500, 0, 330, 0), said(500, 0, 350, 0)]),
            After { until, ends: true }
        );
    }
}
