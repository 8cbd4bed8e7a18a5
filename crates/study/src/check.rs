//! Summary of a scenario before anything runs, as `sidestep check --json` prints it.

use crate::{Error, memory};
use serde_json::{Value, json};
use sidestep_lab::{ClassLoad, Estimate, Experiment, FULL_HOPS_A_SECOND, HOPS_A_SECOND};

/// Describes an experiment: its settings, load and axes, and the resources its runs need.
pub fn to_json(experiment: &Experiment, jobs: usize) -> Value {
    let scenario = &experiment.points[0].scenario;
    let axes = experiment.axes.iter();
    let axes = axes.map(|axis| json!({"name": axis.name, "values": axis.values}));
    let settings = scenario
        .settings()
        .iter()
        .map(|s| json!({"scheme": s.scheme, "key": s.key, "value": s.value, "source": s.source}));
    let load = scenario.load();
    let class = |c: &ClassLoad| {
        json!({
            "name": c.name,
            "flows_per_s": c.flows_per_s,
            "queries_per_s": c.queries_per_s,
            "payload_bps": c.payload_bps,
            "wire_bps": c.wire_bps,
            "share": c.share,
            "payload_share": c.payload_share,
            "fabric_share": c.fabric_share,
            "fabric_payload_share": c.fabric_payload_share,
            "endless_flows": c.endless,
            "active_flows": c.active,
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
            "fabric": load.fabric.as_ref().map(|f| json!({"links": f.name, "bps": f.bps})),
            "notes": load.notes,
        },
        "axes": axes.collect::<Vec<_>>(),
        "points": experiment.points.len(),
        "runs": experiment.runs(),
        "estimate": estimate_json(&experiment.estimate(), jobs),
        "notes": experiment.notes,
        "warnings": experiment.warnings(),
    })
}

/// Lists each problem of a scenario. A problem without a position has neither line nor column.
pub fn problems_json(scenario: &str, error: &Error) -> Vec<Value> {
    let one = |file: &str, line: u32, column: u32, message: &str| {
        let place = |number: u32| (number > 0).then_some(number);
        json!({
            "scenario": scenario,
            "file": file,
            "line": place(line),
            "column": place(column),
            "message": message,
        })
    };
    match error {
        Error::Wrong(problems) => {
            let all = problems.iter();
            all.map(|p| one(&p.file, p.line, p.column, &p.message))
                .collect()
        }
        other => vec![one(scenario, 0, 0, &other.to_string())],
    }
}

fn estimate_json(estimate: &Estimate, jobs: usize) -> Value {
    json!({
        "flows_of_a_run": estimate.flows.round(),
        "packet_hops_of_a_run": estimate.hops.round(),
        "packet_hops": estimate.all_hops.round(),
        "jobs": jobs,
        "peak_bytes": estimate.bytes(jobs).round(),
        "free_bytes": memory::free(),
        "cpu_s": estimate.cpu_s(),
        "most_cpu_s": estimate.most_cpu_s(),
        "assumed_packet_hops_per_cpu_s": HOPS_A_SECOND,
        "least_packet_hops_per_cpu_s": FULL_HOPS_A_SECOND,
    })
}
