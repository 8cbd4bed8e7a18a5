//! Disturbances of one run by this machine.
//!
//! **Decision**   every run is kept. A run is marked if something that the scenario does not contain affected
//!                its flows: a switch stalled for more than [`MOST_STALLED`] of the run, a flow or a change was
//!                late, or a frame was lost outside the switching decision. A loop that stopped while nothing
//!                waited had no effect, and marks nothing.
//! **Why**        stalls count as a share of the run's time. A longer run meets more of them: a limit on their
//!                number would mark slow runs, and slowness may be what is measured.
//! **Units**      as measured, which is longer than in the emulated network by the testbed's factor.

use crate::seen::Late;
use crate::traffic::{FlowRan, Ran};
use serde_json::{Value, json};

/// Latest acceptable hand-over of a flow after its due time, in nanoseconds as measured. Assumed: half a
/// millisecond of a network that is emulated ten times slower.
const LATEST_START_NS: u64 = 5_000_000;

/// Largest share of a run during which frames of the worst switch may be late. Assumed: a stall delays frames
/// by its own length at most, so that times of the run grow by about a hundredth.
const MOST_STALLED: f64 = 0.01;

/// Disturbances measured in one run, beside its outcome.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Attempt {
    /// Lateness of the worst switch.
    pub late: Late,
    /// Length of the run, in seconds.
    pub lasted_s: f64,
    /// Frames lost or refused outside the switching decision; `None` if not counted.
    pub lost: Option<u64>,
    /// Largest lateness of a flow's hand-over, in nanoseconds; `None` if no flow was handed over.
    pub latest_start_ns: Option<u64>,
    /// Largest lateness of a change of the network, in nanoseconds; `None` if nothing changed.
    pub latest_change_ns: Option<u64>,
}

impl Attempt {
    /// Judges the run `ran`, in which switches were `late` and lost `lost` frames.
    pub fn of(ran: &Ran, late: Late, lost: Option<u64>) -> Attempt {
        Attempt {
            late,
            lasted_s: ran.end_ns as f64 / 1e9,
            lost,
            latest_start_ns: ran.flows.iter().filter_map(handed_late).max(),
            latest_change_ns: ran.changed_ns.iter().map(changed_late).max(),
        }
    }

    /// Returns the stalls of all switches per second of the run; `None` if not counted.
    fn stalls_per_s(&self) -> Option<f64> {
        Some(self.late.stalls? as f64 / self.lasted_s)
    }

    /// Returns the share of the run during which the worst switch stalled.
    fn stalled_share(&self) -> Option<f64> {
        Some(self.late.stalled_ms? / 1e3 / self.lasted_s)
    }

    /// Describes each disturbance beyond the limits; bridges count no stalls.
    pub fn wrong(&self) -> Vec<String> {
        let mut list = Vec::new();
        if let (Some(stalls), Some(ms)) = (self.late.stalls, self.late.stalled_ms)
            && self.stalled_share() > Some(MOST_STALLED)
        {
            list.push(format!(
                "{stalls} stalls made frames more than 1 ms late; the worst switch stalled for \
                 {ms:.1} of {:.0} ms",
                self.lasted_s * 1e3
            ));
        }
        if let Some(ns) = self.latest_start_ns.filter(|ns| *ns > LATEST_START_NS) {
            list.push(format!(
                "a flow was handed over {:.1} ms late",
                ns as f64 / 1e6
            ));
        }
        if let Some(ns) = self.latest_change_ns.filter(|ns| *ns > LATEST_START_NS) {
            list.push(format!(
                "a change of the network was made {:.1} ms late",
                ns as f64 / 1e6
            ));
        }
        if let Some(lost) = self.lost.filter(|lost| *lost > 0) {
            list.push(format!(
                "{lost} frames were lost outside the switches' policies"
            ));
        }
        list
    }

    /// Returns the attempt as stored in a manifest.
    pub fn to_json(&self, seed: u64) -> Value {
        json!({
            "seed": seed,
            "wrong": self.wrong(),
            "lateness": self.late.to_json(),
            "stalls_per_s": self.stalls_per_s(),
            "stalled_share": self.stalled_share(),
            "lost": self.lost,
            "latest_start_us": self.latest_start_ns.map(|ns| ns as f64 / 1e3),
            "latest_change_us": self.latest_change_ns.map(|ns| ns as f64 / 1e3),
            "measured_ms": self.lasted_s * 1e3,
        })
    }
}

/// Returns the lateness of a flow's hand-over, in nanoseconds.
pub fn handed_late(flow: &FlowRan) -> Option<u64> {
    Some(flow.started_ns?.saturating_sub(flow.due_ns?))
}

/// Returns the lateness of a change, in nanoseconds, until the last switch has acknowledged it.
pub fn changed_late((due, done): &(u64, u64)) -> u64 {
    done.saturating_sub(*due)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Attempt of one second in which nothing was late or lost.
    fn good() -> Attempt {
        Attempt {
            late: Late {
                stalls: Some(0),
                stalled_ms: Some(0.0),
                ..Late::default()
            },
            lasted_s: 1.0,
            lost: Some(0),
            latest_start_ns: Some(LATEST_START_NS),
            latest_change_ns: None,
        }
    }

    /// [`good`] with stalls, in a run of `lasted_s`.
    fn stalled(stalls: u64, ms: f64, lasted_s: f64) -> Attempt {
        let late = Late {
            stalls: Some(stalls),
            stalled_ms: Some(ms),
            ..Late::default()
        };
        Attempt {
            late,
            lasted_s,
            ..good()
        }
    }

    #[test]
    fn a_run_is_marked_by_what_was_late_or_lost() {
        let nothing: [String; 0] = [];
        assert_eq!(good().wrong(), nothing);
        // Bridges count neither stalls nor losses.
        let nobody_counts = Attempt {
            late: Late::default(),
            lost: None,
            ..good()
        };
        assert_eq!(nobody_counts.wrong(), nothing);
        assert_eq!(nobody_counts.to_json(1)["stalls_per_s"], Value::Null);
        let late = Some(7_100_000);
        for (bad, word) in [
            (
                Attempt {
                    lost: Some(3),
                    ..good()
                },
                "3 frames were lost",
            ),
            (
                Attempt {
                    latest_start_ns: late,
                    ..good()
                },
                "handed over 7.1 ms late",
            ),
            (
                Attempt {
                    latest_change_ns: late,
                    ..good()
                },
                "a change of the network was made 7.1 ms late",
            ),
            (
                stalled(2, 12.0, 1.0),
                "the worst switch stalled for 12.0 of 1000 ms",
            ),
        ] {
            assert_eq!(bad.wrong().len(), 1);
            assert!(bad.wrong()[0].contains(word), "{:?}", bad.wrong());
        }
    }

    #[test]
    fn a_longer_run_is_not_marked_for_being_longer() {
        // The same number of stalls per second, each equally long.
        for seconds in [1, 3, 30] {
            let (n, lasted_s) = (seconds * 4, seconds as f64);
            let attempt = stalled(n, 2.0 * n as f64, lasted_s);
            assert_eq!(attempt.wrong(), [""; 0], "{seconds} s");
            assert_eq!(attempt.to_json(1)["stalls_per_s"], 4.0);
            assert_eq!(attempt.to_json(1)["stalled_share"], 0.008);
            let more = stalled(n, 3.0 * n as f64, lasted_s);
            assert_eq!(more.wrong().len(), 1, "{seconds} s");
        }
    }
}
