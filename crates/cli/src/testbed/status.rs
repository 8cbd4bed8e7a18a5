//! `sidestep testbed status`

use super::args::StatusArgs;
use super::seen;
use crate::{Failure, Outcome, out};
use serde_json::{Value, json};
use sidestep_softswitch::testbed::{self, Standing};

/// Says what stands of one testbed, or of all. Exit status 1 when something is missing.
pub fn status(args: &StatusArgs) -> Outcome {
    let names = match &args.name {
        Some(name) => vec![name.clone()],
        None => testbed::names(),
    };
    let mut beds = Vec::new();
    for name in &names {
        match testbed::status(name)? {
            Some(standing) => beds.push(standing),
            None if args.name.is_some() => {
                return Err(Failure::input(format!("no testbed called {name} is up")));
            }
            None => {}
        }
    }
    let answers: Vec<Vec<Value>> = beds.iter().map(answers).collect();
    let whole = beds.iter().all(is_whole);
    if args.json {
        let json = beds.iter().zip(&answers).map(|(b, a)| to_json(b, a));
        out::say_json(&json!({"testbeds": json.collect::<Vec<_>>()}));
    } else if beds.is_empty() {
        out::say("no testbed is up\n");
    } else {
        for (bed, answers) in beds.iter().zip(&answers) {
            out::say(&to_text(bed, answers));
        }
    }
    Ok(u8::from(!whole))
}

fn answers(bed: &Standing) -> Vec<Value> {
    testbed::counters(&bed.state.blueprint, &bed.state.engine).unwrap_or_default()
}

/// Is everything there that was built?
fn is_whole(bed: &Standing) -> bool {
    let switches = bed.state.engine != "switch" || bed.answers.iter().all(|a| *a);
    bed.state.complete && bed.missing.is_empty() && switches
}

fn to_json(bed: &Standing, answers: &[Value]) -> Value {
    let print = &bed.state.blueprint;
    json!({
        "name": print.name,
        "complete": is_whole(bed),
        "order": bed.state.note,
        "engine": bed.state.engine,
        "scale": print.scale,
        "dctcp": bed.state.dctcp,
        "namespaces": bed.state.spaces,
        "missing": bed.missing,
        "processes": bed.processes,
        "switches": answers,
    })
}

fn to_text(bed: &Standing, answers: &[Value]) -> String {
    let state = &bed.state;
    let print = &state.blueprint;
    let mut text = format!(
        "testbed {}: scheme {} of {}, {} times slower\n",
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
        text.push_str("  was begun and not finished\n");
    }
    for (i, switch) in print.switches.iter().enumerate() {
        let pids: Vec<String> = bed.processes[i].iter().map(i32::to_string).collect();
        let stands = match (state.engine.as_str(), bed.answers[i]) {
            ("bridge", _) => "a Linux bridge".to_string(),
            (_, true) => format!("process {}", pids.join(" ")),
            (_, false) => "does not answer".to_string(),
        };
        text.push_str(&format!(
            "  {} ({}-s{i}): {stands}",
            switch.name, print.name
        ));
        if let Some(answer) = answers.get(i) {
            let seen = seen::ports(answer, print.ports(i).len()).unwrap_or_default();
            let sum = |of: fn(&seen::PortSeen) -> u64| seen.iter().map(of).sum::<u64>();
            text.push_str(&format!(
                "; {} frames, {} drops, {} detours, {} marks, p99.9 {} us late",
                sum(|p| p.packets),
                sum(|p| p.drops.iter().sum()),
                sum(|p| p.detours_in),
                sum(|p| p.marks),
                seen::late(std::slice::from_ref(answer)).p999_us
            ));
        }
        text.push('\n');
    }
    text
}
