//! `sidestep bench`

use crate::args::BenchArgs;
use crate::{Failure, Outcome, out};
use serde_json::json;
use sidestep_study::bench::{BENCHES, BenchResult, bench as run};

/// Runs one benchmark or all and prints what they measured.
pub fn bench(args: &BenchArgs) -> Outcome {
    if args.rounds == 0 {
        return Err(Failure::input("--rounds: expected at least 1, got 0"));
    }
    let names: Vec<&str> = match &args.name {
        Some(name) => vec![name.as_str()],
        None => BENCHES.iter().map(|b| b.name).collect(),
    };
    if let Some(name) = &args.name
        && !BENCHES.iter().any(|b| b.name == name)
    {
        let known: Vec<&str> = BENCHES.iter().map(|b| b.name).collect();
        return Err(Failure::input(format!(
            "benchmark {name:?} is unknown; expected one of {}",
            known.join(", ")
        )));
    }
    if !args.json {
        out::say(&heading());
    }
    let mut results = Vec::new();
    for name in names {
        let result = run(name, args.rounds).map_err(Failure::work)?;
        if !args.json {
            out::say(&line(&result));
        }
        results.push(result);
    }
    if args.json {
        let all: Vec<_> = results.iter().map(BenchResult::to_json).collect();
        match (&args.name, &all[..]) {
            (Some(_), [one]) => out::say_json(one),
            _ => out::say_json(&json!({"benchmarks": all})),
        }
    }
    Ok(0)
}

fn heading() -> String {
    format!(
        "{:<14}{:>14}{:>10}{:>16}{:>12}{:>10}{:>10}\n",
        "benchmark", "packet-hops", "CPU s", "M hops/CPU s", "events/hop", "peak MB", "x heap"
    )
}

fn line(r: &BenchResult) -> String {
    format!(
        "{:<14}{:>14}{:>10.3}{:>16.2}{:>12.4}{:>10.1}{:>10.2}\n",
        r.name,
        r.packet_hops,
        r.cpu_s,
        r.hops_per_cpu_s / 1e6,
        r.events_per_hop,
        r.peak_rss_mb,
        r.ratio_to_heap
    )
}
