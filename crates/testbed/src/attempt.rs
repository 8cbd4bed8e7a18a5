//! One run of a seed on this machine: was it in time, and is it to be kept?

use crate::seen::Late;
use crate::traffic::{FlowRan, Ran};

/// A host that hands a flow over later than this was too late, in nanoseconds as measured.
/// Assumed: half a millisecond of a network that is emulated ten times slower.
const LATEST_START_NS: u64 = 5_000_000;

/// Which runs are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keep {
    /// Those without a stall, a late hand-over and a loss beside the decision; others are made again.
    InTime,
    /// Every run; one that was not in time is marked.
    Stalled,
}

/// What is known of one run beside its outcome.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Attempt {
    /// How late the worst switch was.
    pub late: Late,
    /// Frames lost or refused beside the switches' decision; `None` where nobody counts them.
    pub lost: Option<u64>,
    /// The latest hand-over of a flow, in nanoseconds; `None` when none was handed over.
    pub latest_start_ns: Option<u64>,
    /// The latest change of the network, in nanoseconds; `None` when nothing changed.
    pub latest_change_ns: Option<u64>,
}

impl Attempt {
    /// Of a run during which switches were so `late` and `lost` so many frames.
    pub fn of(ran: &Ran, late: Late, lost: Option<u64>) -> Attempt {
        Attempt {
            late,
            lost,
            latest_start_ns: ran.flows.iter().filter_map(handed_late).max(),
            latest_change_ns: ran.changed_ns.iter().map(changed_late).max(),
        }
    }

    /// Does it say something about the network rather than about this machine? With bridges
    /// nobody counts stalls.
    pub fn is_good(&self) -> bool {
        self.wrong().is_empty()
    }

    /// What was wrong with it, in words.
    pub fn wrong(&self) -> Vec<String> {
        let mut list = Vec::new();
        if let Some(stalls) = self.late.stalls.filter(|n| *n > 0) {
            list.push(format!("{stalls} departures or readings over 1 ms late"));
        }
        if let Some(ns) = self.latest_start_ns.filter(|ns| *ns > LATEST_START_NS) {
            list.push(format!("a flow handed over {:.1} ms late", ns as f64 / 1e6));
        }
        if let Some(ns) = self.latest_change_ns.filter(|ns| *ns > LATEST_START_NS) {
            list.push(format!("a change done {:.1} ms late", ns as f64 / 1e6));
        }
        if let Some(lost) = self.lost.filter(|lost| *lost > 0) {
            list.push(format!("{lost} frames lost beside the decision"));
        }
        list
    }
}

/// How late a flow was handed over, in nanoseconds.
pub fn handed_late(flow: &FlowRan) -> Option<u64> {
    Some(flow.started_ns?.saturating_sub(flow.due_ns?))
}

/// How late a change was done, in nanoseconds: the last to be told has answered.
pub fn changed_late((due, done): &(u64, u64)) -> u64 {
    done.saturating_sub(*due)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_is_good_when_nothing_of_it_was_late_or_lost() {
        let good = Attempt {
            late: Late {
                stalls: Some(0),
                ..Late::default()
            },
            lost: Some(0),
            latest_start_ns: Some(LATEST_START_NS),
            latest_change_ns: None,
        };
        assert!(good.is_good());
        // With bridges.
        let nobody_counts = Attempt {
            late: Late::default(),
            lost: None,
            ..good
        };
        assert!(nobody_counts.is_good());
        let stalled = Late {
            stalls: Some(2),
            ..good.late
        };
        for (bad, word) in [
            (
                Attempt {
                    late: stalled,
                    ..good
                },
                "2 departures",
            ),
            (
                Attempt {
                    lost: Some(3),
                    ..good
                },
                "3 frames lost",
            ),
            (
                Attempt {
                    latest_start_ns: Some(7_100_000),
                    ..good
                },
                "7.1 ms late",
            ),
            (
                Attempt {
                    latest_change_ns: Some(8_200_000),
                    ..good
                },
                "a change done 8.2 ms late",
            ),
        ] {
            assert!(!bad.is_good());
            assert!(bad.wrong()[0].contains(word), "{:?}", bad.wrong());
        }
    }
}
