//! What is known of all runs of a session: how late they were, and which are marked.

use crate::attempt::{Attempt, changed_late, handed_late};
use crate::counted::Counted;
use crate::network::blueprint::Congestion;
use crate::network::changes::Step;
use crate::network::features::{self, KernelFeatures};
use crate::network::hosts;
use crate::network::state::State;
use crate::network::switches;
use crate::order::Order;
use crate::scene::Scene;
use crate::seen::Late;
use crate::traffic::Ran;
use serde_json::{Map, Value, json};

/// What is known of all runs.
#[derive(Default)]
pub struct Log {
    attempts: Vec<Value>,
    /// Of the worst switch of the worst run.
    late: Option<Late>,
    /// How late their flows were handed over, in nanoseconds.
    starts_ns: Vec<u64>,
    counted: Counted,
    /// Seeds whose run something was wrong with, and what.
    marked: Vec<(u64, String)>,
    timeouts_unknown: bool,
    ecn: bool,
    /// Changes of the network that were to be, those that were made, and how late the
    /// latest was, in nanoseconds.
    changes: (usize, usize, u64),
    /// What must be read of the kernel of its hosts.
    kernel: Vec<String>,
}

impl Log {
    /// A log of runs on this testbed, before the first.
    pub fn of(state: &State) -> Log {
        Log {
            kernel: kernel_warnings(state),
            ..Log::default()
        }
    }

    /// The run of `seed`; the switches dropped so many frames, where they count them.
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

    /// When the changes of the last run that was noted were made: each as late as the last who was told.
    pub fn changes(&mut self, steps: &[Step], ran: &Ran) {
        let mut done = ran.changed_ns.iter();
        let list: Vec<Value> = steps
            .iter()
            .map(|step| {
                // Made in this order; the run may have ended before the last.
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

    /// The changes of all runs, in a line; nothing without one.
    fn changes_text(&self) -> String {
        match self.changes {
            (0, ..) => String::new(),
            (due, made, latest) => format!(
                "changes: {made} of {due} made before a run's end, the latest {:.0} us late\n",
                latest as f64 / 1e3
            ),
        }
    }

    /// The start that a share `q` of all is not later than, in microseconds; `None` of none.
    fn start_us(&self, q: f64) -> Option<f64> {
        let n = self.starts_ns.len();
        let rank = ((q * n as f64).ceil() as usize).clamp(1, n.max(1));
        self.starts_ns.get(rank - 1).map(|ns| *ns as f64 / 1e3)
    }

    /// What was counted in all runs.
    pub fn counted(&self) -> &Counted {
        &self.counted
    }

    /// How late the switches were; nothing is known without a run.
    fn late(&self) -> Late {
        self.late.unwrap_or_default()
    }

    /// The seeds whose runs are marked.
    pub fn marked(&self) -> impl Iterator<Item = u64> {
        self.marked.iter().map(|(seed, _)| *seed)
    }

    /// What must be read before trusting a number.
    pub fn warnings(&self) -> Vec<String> {
        let mut list = self.kernel.clone();
        for (seed, wrong) in &self.marked {
            list.push(format!(
                "seed {seed} is marked, as this machine had too little time: {wrong}"
            ));
        }
        if self.timeouts_unknown {
            list.push("this kernel does not count timeouts of single connections (Linux 6.7 does): timeouts of flows are null; see testbed.hosts.TCPTimeouts of the manifest".into());
        }
        list
    }

    /// The log in the form that a manifest stores.
    pub fn to_json(&self, scene: &Scene, state: &State, order: &Order) -> Value {
        let settings = &scene.blueprint.settings;
        let mut differences = scene.differences.clone();
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
                "emulated": kernel.tick_us as f64 / scene.scale.factor(),
            })),
            "cores": std::thread::available_parallelism().map_or(1, usize::from),
            "engine": state.engine,
            "scale": scene.scale.factor(),
            "rate_bps": scene.scale.bed.as_bps(),
            "times": "in tables and summary: of the emulated network, that is as measured and divided by scale",
            "order": order.to_json(),
            "dctcp": match (&state.dctcp, settings.congestion) {
                (Some(name), _) => json!(format!("BPF program {name}")),
                (None, Congestion::Dctcp { .. }) => json!("of the kernel"),
                _ => Value::Null,
            },
            "ecn_negotiated": self.ecn,
            "pacing_lateness": self.late().to_json(),
            "pacing_lateness_is": "of the worst switch of the worst run, number by number, as measured; stalls are those of all",
            "start_lateness_us": {
                "p50": self.start_us(0.5), "p99": self.start_us(0.99), "p999": self.start_us(0.999),
                "max": self.start_us(1.0),
            },
            "marked": self.marked().collect::<Vec<u64>>(),
            "marked_because": "in the worst switch frames were more than 1 ms late for over a hundredth of the run, a flow was handed over or a change done more than 5 ms late, or a frame was lost or refused beside the decision; marked runs are kept, and results are stated with and without them",
            "hosts": hosts,
            "differences": differences,
            "attempts": self.attempts,
        })
    }

    /// In a line.
    pub fn to_text(&self, scene: &Scene, state: &State) -> String {
        format!(
            "\ntestbed: Linux {}, {} for {}, times divided by {}; {}\n{}{}",
            features::release(),
            scene.scale.bed,
            scene.scale.model,
            scene.scale.factor(),
            self.late_text(),
            self.changes_text(),
            kernel_text(state),
        )
    }

    /// How late switches and hosts were, in a line.
    pub fn late_text(&self) -> String {
        let us = |value: Option<f64>| value.map_or("-".into(), |us| format!("{us:.0} us"));
        let late = self.late();
        format!(
            "pacing late by p50 {}, p99 {}, p99.9 {} in the worst switch of the worst run; \
             hand-over late by p99 {}; {} of {} runs marked",
            us(late.p50_us),
            us(late.p99_us),
            us(late.p999_us),
            us(self.start_us(0.99)),
            self.marked.len(),
            self.attempts.len()
        )
    }
}

/// The kernel's features of a testbed, in lines.
pub fn kernel_text(state: &State) -> String {
    let scale = state.blueprint.scale;
    let kernel = state.kernel.as_ref();
    kernel.map_or(String::new(), |kernel| kernel.to_text(scale))
}

/// What is not as host 0 had it when the testbed was built.
pub fn changed(state: &State) -> Vec<String> {
    let Some(built) = &state.kernel else {
        return Vec::new();
    };
    let now = KernelFeatures::of_space(&state.blueprint.host_space(0));
    now.map_or(Vec::new(), |now| built.changes_to(&now))
}

/// What must be read before a number of this testbed is trusted, of the kernel of its hosts.
pub fn kernel_warnings(state: &State) -> Vec<String> {
    let settings = &state.blueprint.settings;
    let kernel = state.kernel.as_ref();
    let mut list = kernel.map_or(Vec::new(), |kernel| hosts::warnings(settings, kernel));
    let changed = changed(state);
    if !changed.is_empty() {
        list.push(format!(
            "the kernel of {} is not as it was built: {}",
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
            "changes: 1 of 2 made before a run's end, the latest 250 us late\n"
        );
    }
}
