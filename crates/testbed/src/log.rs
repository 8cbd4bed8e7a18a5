//! What is known of all attempts of a session: how late they were, and which were kept.

use crate::network::blueprint::Congestion;
use crate::network::hosts;
use crate::network::state::State;
use crate::order::Order;
use crate::scene::Scene;
use crate::seen::Late;
use crate::traffic::{FlowRan, HostCounters, Ran};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// Runs a seed at most this often until one run is free of stalls. Assumed.
pub const ATTEMPTS: usize = 5;

/// A run in which a host handed a flow over later than this is discarded, in nanoseconds as measured.
/// Assumed: half a millisecond of a network that is emulated ten times slower.
pub const LATEST_START_NS: u64 = 5_000_000;

/// How late a flow was handed over, in nanoseconds.
pub fn handed_late(flow: &FlowRan) -> Option<u64> {
    Some(flow.started_ns?.saturating_sub(flow.due_ns?))
}

/// What is known of all attempts.
#[derive(Default)]
pub struct Log {
    attempts: Vec<Value>,
    /// Of the runs that were kept.
    late: Late,
    /// How late their flows were handed over, in nanoseconds.
    starts_ns: Vec<u64>,
    hosts: BTreeMap<String, u64>,
    discarded: usize,
    pub given_up: Vec<u64>,
    timeouts_unknown: bool,
    ecn: bool,
}

impl Log {
    pub fn note(&mut self, seed: u64, ran: &Ran, late: Late, lost: u64, kept: bool) {
        let mut attempt =
            json!({"seed": seed, "kept": kept, "lateness": late.to_json(), "lost": lost});
        attempt["measured_ms"] = json!(ran.end_ns as f64 / 1e6);
        self.attempts.push(attempt);
        if !kept {
            self.discarded += 1;
            return;
        }
        self.late = self.late.worst(late);
        self.starts_ns
            .extend(ran.flows.iter().filter_map(handed_late));
        self.starts_ns.sort_unstable();
        for (key, n) in ran.hosts.iter().flat_map(|h: &HostCounters| &h.tcp) {
            *self.hosts.entry(key.clone()).or_default() += n;
        }
        self.timeouts_unknown |= !ran.timeouts_known;
        self.ecn |= ran.flows.iter().any(|f| f.sender.ecn);
    }

    /// The start that a share `q` of all is not later than, in microseconds.
    fn start_us(&self, q: f64) -> f64 {
        let n = self.starts_ns.len();
        let rank = ((q * n as f64).ceil() as usize).clamp(1, n.max(1));
        self.starts_ns
            .get(rank - 1)
            .map_or(0.0, |ns| *ns as f64 / 1e3)
    }

    /// Was a seed left out?
    pub fn gave_up(&self) -> bool {
        !self.given_up.is_empty()
    }

    /// What must be read before trusting a number.
    pub fn warnings(&self) -> Vec<String> {
        let mut list = Vec::new();
        for seed in &self.given_up {
            list.push(format!(
                "seed {seed}: all of {ATTEMPTS} runs had a stall of over 1 ms, a flow handed over 5 ms late, or frames lost beside the decision; it is left out"
            ));
        }
        if self.timeouts_unknown {
            list.push("this kernel does not count timeouts of single connections (Linux 6.7 does): timeouts of flows are 0; see testbed.hosts.TCPTimeouts of the manifest".into());
        }
        list
    }

    /// As it stands in a manifest.
    pub fn to_json(&self, scene: &Scene, state: &State, order: &Order) -> Value {
        let settings = &scene.blueprint.settings;
        let mut differences = scene.differences.clone();
        differences.extend(hosts::differences(settings));
        let hosts: Map<String, Value> = self
            .hosts
            .iter()
            .map(|(k, n)| (k.clone(), json!(n)))
            .collect();
        json!({
            "kernel": kernel(),
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
            "pacing_lateness": self.late.to_json(),
            "pacing_lateness_is": "of the worst switch of the worst run that was kept, number by number, as measured",
            "start_lateness_us": {
                "p50": self.start_us(0.5), "p99": self.start_us(0.99), "p999": self.start_us(0.999),
                "max": self.start_us(1.0),
            },
            "discarded": self.discarded,
            "discarded_because": "a departure or a reading was more than 1 ms late, a host handed a flow over more than 5 ms late, or a frame was lost or refused beside the decision",
            "given_up": self.given_up,
            "hosts": hosts,
            "differences": differences,
            "attempts": self.attempts,
        })
    }

    /// In a line.
    pub fn to_text(&self, scene: &Scene) -> String {
        format!(
            "\ntestbed: Linux {}, {} for {}, times divided by {}; {}\n",
            kernel(),
            scene.scale.bed,
            scene.scale.model,
            scene.scale.factor(),
            self.late_text(),
        )
    }

    /// How late switches and hosts were, in a line.
    pub fn late_text(&self) -> String {
        format!(
            "pacing late by p50 {:.0} us, p99 {:.0} us, p99.9 {:.0} us in the worst switch of the worst run; \
             hand-over late by p99 {:.0} us; {} runs discarded",
            self.late.p50_us,
            self.late.p99_us,
            self.late.p999_us,
            self.start_us(0.99),
            self.discarded
        )
    }
}

/// The kernel's release.
pub fn kernel() -> String {
    let release = std::fs::read_to_string("/proc/sys/kernel/osrelease");
    release.map_or_else(|_| "unknown".into(), |r| r.trim().to_string())
}
