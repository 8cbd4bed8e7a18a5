//! Log of a session's runs: lateness, counts and marks.

use crate::attempt::{Attempt, changed_late, handed_late};
use crate::counted::Counted;
use crate::network::blueprint::Congestion;
use crate::network::changes::Step;
use crate::network::features::{self, KernelFeatures};
use crate::network::hosts;
use crate::network::state::State;
use crate::network::switches;
use crate::order::Order;
use crate::seen::Late;
use crate::setup::TestbedSetup;
use crate::traffic::Ran;
use serde_json::{Map, Value, json};

/// Measurements of all runs.
#[derive(Default)]
pub struct Log {
    attempts: Vec<Value>,
    /// Lateness of the worst switch of the worst run.
    late: Option<Late>,
    /// Lateness of flows' hand-overs, in nanoseconds, sorted.
    starts_ns: Vec<u64>,
    counted: Counted,
    /// Seeds of marked runs, and the reasons.
    marked: Vec<(u64, String)>,
    timeouts_unknown: bool,
    ecn: bool,
    /// Changes of the network: number planned, number made, and the largest lateness in nanoseconds.
    changes: (usize, usize, u64),
    /// Warnings about the kernel of the hosts.
    kernel: Vec<String>,
}

impl Log {
    /// Creates an empty log of runs on the testbed of `state`.
    pub fn of(state: &State) -> Log {
        Log {
            kernel: kernel_warnings(state),
            ..Log::default()
        }
    }

    /// Adds the run of `seed`, in which switches `dropped` frames; `None` if not counted.
    pub fn note(&mut self, seed: u64, ran: &Ran, attempt: &Attempt, dropped: Option<u64>) {
        let (late, wrong) = (attempt.late, attempt.wrong());
        self.attempts.push(attempt.to_json(seed));
        if !wrong.is_empty() {
            self.marked.push((seed, wrong.join(", ")));
        }
        self.late = Some(self.late.map_or(late, |worst| worst.worst(late)));
        self.starts_ns
            .extend(ran.flows.iter().filter_map(handed_late));
        self.starts_ns.sort_unstable();
        self.counted.add(ran, dropped);
        self.timeouts_unknown |= !ran.timeouts_known;
        self.ecn |= ran.flows.iter().any(|f| f.sender.ecn);
    }

    /// Adds the changes made in the run noted last; a change is as late as the last switch that acknowledged
    /// it.
    pub fn changes(&mut self, steps: &[Step], ran: &Ran) {
        let mut done = ran.changed_ns.iter();
        let list: Vec<Value> = steps
            .iter()
            .map(|step| {
                // Changes are made in this order; the run may have ended before the last.
                let late = done.next().map(changed_late);
                json!({
                    "due_ms": step.at_ns as f64 / 1e6,
                    "change": step.says,
                    "late_us": late.map(|ns| ns as f64 / 1e3),
                })
            })
            .collect();
        if let Some(attempt) = self.attempts.last_mut() {
            attempt["changes"] = list.into();
        }
        let (due, made, latest) = self.changes;
        let late = ran.changed_ns.iter().map(changed_late).max();
        self.changes = (
            due + steps.len(),
            made + ran.changed_ns.len(),
            latest.max(late.unwrap_or(0)),
        );
    }

    /// Describes the changes of all runs in one line; empty without changes.
    fn changes_text(&self) -> String {
        match self.changes {
            (0, ..) => String::new(),
            (due, made, latest) => format!(
                "changes: {made} of {due} made before the end of their run, at most {:.0} us \
                 late\n",
                latest as f64 / 1e3
            ),
        }
    }

    /// Returns the quantile `q` of the hand-overs' lateness, in microseconds; `None` without flows.
    fn start_us(&self, q: f64) -> Option<f64> {
        let n = self.starts_ns.len();
        let rank = ((q * n as f64).ceil() as usize).clamp(1, n.max(1));
        self.starts_ns.get(rank - 1).map(|ns| *ns as f64 / 1e3)
    }

    /// Returns the counts of all runs.
    pub fn counted(&self) -> &Counted {
        &self.counted
    }

    /// Returns the lateness of the switches; all values are `None` before the first run.
    fn late(&self) -> Late {
        self.late.unwrap_or_default()
    }

    /// Returns the seeds whose runs are marked.
    pub fn marked(&self) -> impl Iterator<Item = u64> {
        self.marked.iter().map(|(seed, _)| *seed)
    }

    /// Returns warnings that affect the results.
    pub fn warnings(&self) -> Vec<String> {
        let mut list = self.kernel.clone();
        for (seed, wrong) in &self.marked {
            list.push(format!(
                "seed {seed} is marked, since this machine was too busy: {wrong}"
            ));
        }
        if self.timeouts_unknown {
            list.push(
                "this kernel does not count timeouts per connection (Linux 6.7 and later do): \
                 timeouts of flows are null; testbed.hosts.TCPTimeouts in the manifest has the sum"
                    .into(),
            );
        }
        list
    }

    /// Returns the log as stored in a manifest.
    pub fn to_json(&self, setup: &TestbedSetup, state: &State, order: &Order) -> Value {
        let settings = &setup.blueprint.settings;
        let mut differences = setup.differences.clone();
        let rack = state
            .kernel
            .as_ref()
            .map_or_else(features::rack, |kernel| kernel.rack);
        differences.extend(hosts::differences(settings, rack));
        differences.extend(switches::differences(&state.engine));
        let hosts: Map<String, Value> = self
            .counted
            .hosts
            .iter()
            .map(|(k, n)| (k.clone(), json!(n)))
            .collect();
        json!({
            "kernel": features::release(),
            "kernel_features": state.kernel,
            "kernel_changes": changed(state),
            "jiffy_us": state.kernel.as_ref().map(|kernel| json!({
                "measured": kernel.tick_us,
                "emulated": kernel.tick_us as f64 / setup.scale.factor(),
            })),
            "cores": std::thread::available_parallelism().map_or(1, usize::from),
            "engine": state.engine,
            "scale": setup.scale.factor(),
            "rate_bps": setup.scale.bed.as_bps(),
            "times": "times in tables and summary are those of the emulated network: measured \
                      times divided by scale",
            "order": order.to_json(),
            "dctcp": match (&state.dctcp, settings.congestion) {
                (Some(name), _) => json!(format!("BPF program {name}")),
                (None, Congestion::Dctcp { .. }) => json!("of the kernel"),
                _ => Value::Null,
            },
            "ecn_negotiated": self.ecn,
            "pacing_lateness": self.late().to_json(),
            "pacing_lateness_is": "each value is that of the worst switch in the worst run, as \
                                   measured; stalls are the sum over all",
            "start_lateness_us": {
                "p50": self.start_us(0.5), "p99": self.start_us(0.99), "p999": self.start_us(0.999),
                "max": self.start_us(1.0),
            },
            "marked": self.marked().collect::<Vec<u64>>(),
            "marked_because": "the worst switch sent frames more than 1 ms late for over a \
                               hundredth of the run, a flow was handed over or a change made more \
                               than 5 ms late, or a frame was lost or refused outside the \
                               switches' policies; marked runs are kept, and results are given \
                               with and without them",
            "hosts": hosts,
            "differences": differences,
            "attempts": self.attempts,
        })
    }

    /// Returns a summary of a few lines.
    pub fn to_text(&self, setup: &TestbedSetup, state: &State) -> String {
        format!(
            "\ntestbed: Linux {}, links of {} emulate {}, times divided by {}; {}\n{}{}",
            features::release(),
            setup.scale.bed,
            setup.scale.model,
            setup.scale.factor(),
            self.late_text(),
            self.changes_text(),
            kernel_text(state),
        )
    }

    /// Describes the lateness of switches and hosts in one line.
    pub fn late_text(&self) -> String {
        let us = |value: Option<f64>| value.map_or("-".into(), |us| format!("{us:.0} us"));
        let late = self.late();
        format!(
            "lateness of frames in the worst switch of the worst run: p50 {}, p99 {}, p99.9 {}; of \
             hand-overs: p99 {}; {} of {} runs marked",
            us(late.p50_us),
            us(late.p99_us),
            us(late.p999_us),
            us(self.start_us(0.99)),
            self.marked.len(),
            self.attempts.len()
        )
    }
}

/// Describes the kernel features of a testbed, one per line.
pub fn kernel_text(state: &State) -> String {
    let scale = state.blueprint.scale;
    let kernel = state.kernel.as_ref();
    kernel.map_or(String::new(), |kernel| kernel.to_text(scale))
}

/// Returns the kernel features of host 0 that differ from those at the testbed's creation.
pub fn changed(state: &State) -> Vec<String> {
    let Some(built) = &state.kernel else {
        return Vec::new();
    };
    let now = KernelFeatures::of_space(&state.blueprint.host_space(0));
    now.map_or(Vec::new(), |now| built.changes_to(&now))
}

/// Returns warnings about the kernel of this testbed's hosts that affect its results.
pub fn kernel_warnings(state: &State) -> Vec<String> {
    let settings = &state.blueprint.settings;
    let kernel = state.kernel.as_ref();
    let mut list = kernel.map_or(Vec::new(), |kernel| hosts::warnings(settings, kernel));
    let changed = changed(state);
    if !changed.is_empty() {
        list.push(format!(
            "kernel settings of {} changed since the testbed was built: {}; build it again to \
             reset them",
            state.blueprint.host_space(0),
            changed.join("; ")
        ));
    }
    list
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_that_the_run_did_not_live_to_see_has_no_lateness() {
        let step = |at_ns, says: &str| Step {
            at_ns,
            says: vec![says.into()],
            ..Step::default()
        };
        let steps = [step(1_000_000, "a: down"), step(9_000_000, "a: up")];
        let ran = Ran {
            changed_ns: vec![(1_000_000, 1_250_000)],
            ..Ran::default()
        };
        let mut log = Log::default();
        assert_eq!(log.changes_text(), "");
        log.attempts.push(json!({}));
        log.changes(&steps, &ran);
        let expected = json!([
            {"due_ms": 1.0, "change": ["a: down"], "late_us": 250.0},
            {"due_ms": 9.0, "change": ["a: up"], "late_us": null},
        ]);
        assert_eq!(log.attempts[0]["changes"], expected);
        assert_eq!(
            log.changes_text(),
            "changes: 1 of 2 made before the end of their run, at most 250 us late\n"
        );
    }
}
