//! State of the testbeds that are up, as text and as JSON.

use crate::error::Error;
use crate::log::{kernel_text, kernel_warnings};
use crate::network::state::{State, names};
use crate::network::status::{TestbedStatus, status};
use crate::network::switches::{self, answers, counters};
use crate::seen;
use serde_json::{Value, json};

/// State of one testbed, and the counters of its switches.
pub struct Overview {
    bed: TestbedStatus,
    answers: Vec<Value>,
}

impl Overview {
    /// Reads the state of the testbed called `name`, which must be up, or of all testbeds.
    pub fn of(name: &Option<String>) -> Result<Vec<Overview>, Error> {
        let all = match name {
            Some(name) => vec![name.clone()],
            None => names(),
        };
        let mut beds = Vec::new();
        for each in &all {
            match status(each)? {
                Some(bed) => beds.push(Overview {
                    answers: counters(&bed.state.blueprint, &bed.state.engine).unwrap_or_default(),
                    bed,
                }),
                None if name.is_some() => {
                    return Err(Error::Input(format!("no testbed {each} is up")));
                }
                None => {}
            }
        }
        Ok(beds)
    }

    /// Returns true if every part that was built is still there.
    pub fn is_whole(&self) -> bool {
        is_whole(&self.bed)
    }

    /// Returns the output of `testbed status --json`.
    pub fn to_json(&self) -> Value {
        to_json(&self.bed, &self.answers)
    }

    /// Returns the state as lines of text.
    pub fn to_text(&self) -> String {
        to_text(&self.bed, &self.answers)
    }
}

/// Returns true if every part that was built is still there.
fn is_whole(bed: &TestbedStatus) -> bool {
    let switches = !answers(&bed.state.engine) || bed.answers.iter().all(|a| *a);
    bed.state.complete && bed.missing.is_empty() && switches
}

fn to_json(bed: &TestbedStatus, answers: &[Value]) -> Value {
    let print = &bed.state.blueprint;
    json!({
        "name": print.name,
        "complete": is_whole(bed),
        "order": bed.state.note,
        "engine": bed.state.engine,
        "scale": print.scale,
        "dctcp": bed.state.dctcp,
        "kernel": bed.state.kernel,
        "warnings": kernel_warnings(&bed.state),
        "namespaces": bed.state.spaces,
        "missing": bed.missing,
        "processes": bed.processes,
        "switches": answers,
    })
}

fn to_text(bed: &TestbedStatus, answers: &[Value]) -> String {
    let state = &bed.state;
    let print = &state.blueprint;
    let mut text = format!(
        "testbed {}: scheme {} of scenario {}, {} times slower\n",
        print.name,
        state.note["scheme"].as_str().unwrap_or("?"),
        state.note["scenario"].as_str().unwrap_or("?"),
        print.scale
    );
    text.push_str(&format!(
        "  {} namespaces{}\n",
        state.spaces.len(),
        match bed.missing.is_empty() {
            true => String::new(),
            false => format!(
                ", {} of them missing: {}",
                bed.missing.len(),
                bed.missing.join(", ")
            ),
        }
    ));
    if !state.complete {
        text.push_str("  is incomplete\n");
    }
    for (i, switch) in print.switches.iter().enumerate() {
        let pids: Vec<String> = bed.processes[i].iter().map(i32::to_string).collect();
        let stands = match (state.engine.as_str(), bed.answers[i]) {
            ("bridge", _) => "a Linux bridge".to_string(),
            (switches::EBPF, true) => format!("in the kernel, process {}", pids.join(" ")),
            (_, true) => format!("process {}", pids.join(" ")),
            (_, false) => "does not answer".to_string(),
        };
        text.push_str(&format!(
            "  {} ({}-s{i}): {stands}",
            switch.name, print.name
        ));
        if let Some(answer) = answers.get(i) {
            text.push_str(&counted(answer, print.ports(i).len()));
        }
        text.push('\n');
    }
    text.push_str(&about_kernel(state));
    text
}

/// Describes the kernel's features and the warnings about them, indented below the testbed's lines.
pub fn about_kernel(state: &State) -> String {
    let mut text: String = kernel_text(state)
        .lines()
        .map(|line| format!("  {line}\n"))
        .collect();
    for warning in kernel_warnings(state) {
        text.push_str(&format!("  warning: {warning}\n"));
    }
    text
}

/// Describes the counters of a switch; `-` stands for a value it does not report.
fn counted(answer: &Value, ports: usize) -> String {
    let seen = seen::ports(answer, ports).ok();
    let sum = |of: fn(&seen::PortSeen) -> u64| {
        let all = seen.as_ref().map(|all| all.iter().map(of).sum::<u64>());
        all.map_or("-".to_string(), |n| n.to_string())
    };
    let late = seen::late(std::slice::from_ref(answer)).ok();
    let late = late.and_then(|late| late.p999_us);
    format!(
        "; {} frames, {} drops, {} detours, {} marks, p99.9 {} us late",
        sum(|p| p.packets),
        sum(|p| p.counts.drops.iter().sum()),
        sum(|p| p.counts.detours_in),
        sum(|p| p.counts.marks),
        late.map_or("-".to_string(), |us| us.to_string()),
    )
}
