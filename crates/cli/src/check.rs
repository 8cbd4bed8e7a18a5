//! `sidestep check`

use crate::args::CheckArgs;
use crate::{Failure, Outcome, files, out};
use serde_json::{Value, json};
use sidestep_study::lab::{ClassLoad, Scenario, Setting};

/// Says what each scenario means. A wrong one does not keep the others from being checked.
pub fn check(args: &CheckArgs) -> Outcome {
    let mut wrong = Vec::new();
    let mut answers = Vec::new();
    for name in &args.scenarios {
        match files::scenario(name, &args.sets) {
            Ok(scenario) if args.json => answers.push(to_json(&scenario)),
            Ok(scenario) => out::say(&to_text(&scenario)),
            Err(failure) => wrong.push(failure.words),
        }
    }
    if !wrong.is_empty() {
        return Err(Failure::input(wrong.join("\n")));
    }
    if args.json {
        out::say_json(&json!({"scenarios": answers}));
    }
    Ok(0)
}

fn to_json(scenario: &Scenario) -> Value {
    let settings = scenario.settings().iter().map(|s| {
        json!({"scheme": s.scheme, "key": s.key, "value": s.value, "source": s.source})
    });
    let load = scenario.load();
    let class = |c: &ClassLoad| {
        json!({
            "name": c.name,
            "flows_per_s": c.flows_per_s,
            "queries_per_s": c.queries_per_s,
            "payload_bps": c.payload_bps,
            "wire_bps": c.wire_bps,
            "share": c.share,
            "endless_flows": c.endless,
            "notes": c.notes,
        })
    };
    json!({
        "name": scenario.name,
        "title": scenario.title,
        "settings": settings.collect::<Vec<_>>(),
        "load": {
            "classes": load.classes.iter().map(class).collect::<Vec<_>>(),
            "sum": class(&load.sum),
            "capacity_bps": load.capacity_bps,
            "notes": load.notes,
        },
        "warnings": scenario.warnings(),
    })
}

fn to_text(scenario: &Scenario) -> String {
    let mut text = scenario.name.clone();
    if !scenario.title.is_empty() {
        text.push_str(&format!(": {}", scenario.title));
    }
    text.push_str("\n\n");
    text.push_str(&settings_text(scenario.settings()));
    text.push('\n');
    text.push_str(&load_text(scenario));
    for warning in scenario.warnings() {
        text.push_str(&format!("\nwarning: {warning}\n"));
    }
    text
}

/// `key = value  # source`, those of one scheme under its name.
fn settings_text(settings: &[Setting]) -> String {
    let mut text = String::new();
    let mut scheme: Option<&String> = None;
    let width = |of: fn(&Setting) -> usize| settings.iter().map(of).max().unwrap_or(0).min(44);
    let (keys, values) = (width(|s| s.key.len()), width(|s| s.value.len()));
    for setting in settings {
        if setting.scheme.as_ref() != scheme {
            scheme = setting.scheme.as_ref();
            text.push_str(&format!("\nscheme {}\n", scheme.map_or("", String::as_str)));
        }
        let Setting { key, value, source, .. } = setting;
        text.push_str(&format!("  {key:keys$} = {value:values$}  # {source}\n"));
    }
    text
}

fn load_text(scenario: &Scenario) -> String {
    let load = scenario.load();
    let mut text = format!(
        "offered load, of {:.6} Gbps that all hosts' links carry one way\n",
        load.capacity_bps / 1e9
    );
    text.push_str(&format!(
        "  {:<16}{:>12}{:>12}{:>16}{:>14}{:>10}\n",
        "class", "flows/s", "queries/s", "payload Gbps", "wire Gbps", "share"
    ));
    for c in load.classes.iter().chain([&load.sum]) {
        text.push_str(&format!(
            "  {:<16}{:>12.1}{:>12.1}{:>16.4}{:>14.4}{:>9.2} %\n",
            c.name,
            c.flows_per_s,
            c.queries_per_s,
            c.payload_bps / 1e9,
            c.wire_bps / 1e9,
            c.share * 100.0
        ));
        for note in &c.notes {
            text.push_str(&format!("      {note}\n"));
        }
    }
    for note in &load.notes {
        text.push_str(&format!("  note: {note}\n"));
    }
    text
}
