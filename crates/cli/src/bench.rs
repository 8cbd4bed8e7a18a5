//! `sidestep bench`

use crate::args::BenchArgs;
use crate::bench_history::History;
use crate::bench_latency;
use crate::failure::{Failure, Outcome};
use crate::out;
use serde_json::json;
use sidestep_softswitch::trial::garbage::garbage;
use sidestep_softswitch::trial::soak::{Round, SoakPlan, soak};
use sidestep_softswitch::trial::throughput::{Between, Throughput, throughput};
use sidestep_study::bench::{BENCHES, BenchResult, bench as run, brief};
use sidestep_types::{Quantity, Unit, parse_quantity};
use std::path::PathBuf;
use std::time::Duration;

/// Name of the throughput benchmark of real switches: needs root, and runs only if named.
const SWITCH: &str = "switch";

/// Name of the latency part of [`SWITCH`] alone.
const LATENCY: &str = "latency";

/// Name of the benchmark with a million random frames a round at a running switch; needs root.
const GARBAGE: &str = "garbage";

/// Name of the same benchmark with AF_XDP.
const GARBAGE_XDP: &str = "garbage-xdp";

/// Name of the same benchmark with the datapath in the kernel.
const GARBAGE_EBPF: &str = "garbage-ebpf";

/// Soak benchmarks of a minute a round at half load: name and datapath.
const SOAKS: [(&str, &str); 3] = [
    ("soak", "packet"),
    ("soak-xdp", "xdp"),
    ("soak-ebpf", "ebpf"),
];

/// Runs one benchmark or all, and prints the measurements.
pub fn bench(args: &BenchArgs) -> Outcome {
    if args.rounds == 0 {
        return Err(Failure::input("--rounds: expected at least 1, got 0"));
    }
    if args.history.is_some() && of_frames(args.name.as_deref()) {
        return Err(Failure::input(format!(
            "--history: expected a benchmark of the simulator, got {:?}",
            args.name.as_deref().unwrap_or_default()
        )));
    }
    let soak = SOAKS
        .iter()
        .find(|(name, _)| args.name.as_deref() == Some(name));
    if soak.is_none() && (args.load.is_some() || args.rate.is_some()) {
        return Err(Failure::input(format!(
            "--load and --rate: expected with soak, soak-xdp or soak-ebpf, got {:?}",
            args.name.as_deref().unwrap_or_default()
        )));
    }
    if let Some((name, io)) = soak {
        return long_run(args, name, io);
    }
    if args.name.as_deref() == Some(SWITCH) {
        return switch(args);
    }
    if args.name.as_deref() == Some(LATENCY) {
        return idle(args);
    }
    if args.name.as_deref() == Some(GARBAGE) {
        return random_frames(args, GARBAGE, "packet");
    }
    if args.name.as_deref() == Some(GARBAGE_XDP) {
        return random_frames(args, GARBAGE_XDP, "xdp");
    }
    if args.name.as_deref() == Some(GARBAGE_EBPF) {
        return random_frames(args, GARBAGE_EBPF, "ebpf");
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
            "benchmark {name:?} is unknown; expected one of {}, {SWITCH}, {LATENCY}, {GARBAGE}, \
             {GARBAGE_XDP}, {GARBAGE_EBPF}, soak, soak-xdp, soak-ebpf",
            known.join(", ")
        )));
    }
    if let (true, Some(name)) = (args.brief, &args.name) {
        let hops = brief(name).map_err(Failure::work)?;
        out::say(&format!("{hops}\n"));
        return Ok(0);
    }
    let history = args.history.as_deref().map(History::open).transpose()?;
    if !args.json {
        out::say(&heading());
    }
    let mut results = Vec::new();
    for name in names {
        let result = run(name, args.rounds).map_err(Failure::work)?;
        if !args.json {
            out::say(&line(&result));
        }
        if let Some(history) = &history {
            history.append(&myself()?, &result)?;
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

/// Returns true for a benchmark of real frames, which has other columns.
fn of_frames(name: Option<&str>) -> bool {
    name.is_some_and(|name| {
        [SWITCH, LATENCY, GARBAGE, GARBAGE_XDP, GARBAGE_EBPF].contains(&name)
            || SOAKS.iter().any(|(soak, _)| *soak == name)
    })
}

/// Returns the path of this program.
fn myself() -> Result<PathBuf, Failure> {
    std::env::current_exe()
        .map_err(|e| Failure::work(format!("cannot find the path of this program: {e}")))
}

/// Measures the latency of a frame through the idle software switch and the Linux bridge, in turn in each
/// round.
fn idle(args: &BenchArgs) -> Outcome {
    let rows = bench_latency::measure(&myself()?, args.rounds)?;
    if args.json {
        let rows = bench_latency::to_json(&rows);
        out::say_json(&json!({"benchmark": LATENCY, "rounds": args.rounds, "latency": rows}));
    } else {
        bench_latency::print(&rows);
    }
    Ok(0)
}

/// Measures frames per second through the software switch and the Linux bridge, in turn in each round; then the
/// latency of one frame.
fn switch(args: &BenchArgs) -> Outcome {
    let command = myself()?;
    let time = Duration::from_secs(2);
    let mut all = Vec::new();
    for round in 1..=args.rounds {
        for bytes in [60, 1514] {
            for between in Between::ALL {
                match throughput(&command, between, bytes, time) {
                    Ok(result) => all.push(result),
                    Err(e) if [Between::Xdp, Between::Ebpf].contains(&between) => {
                        out::remark(&format!("round {round}: {} left out: {e}", between.name()));
                    }
                    Err(e) => return Err(Failure::work(format!("{}: {e}", between.name()))),
                }
            }
        }
    }
    let rows = [60, 1514].into_iter().flat_map(|bytes| {
        let of = |between| {
            all.iter()
                .filter(move |r: &&Throughput| r.between == between)
        };
        (Between::ALL.into_iter())
            .map(move |between| of(between).filter(|r| r.bytes == bytes).collect::<Vec<_>>())
            .collect::<Vec<_>>()
    });
    let rows: Vec<Vec<&Throughput>> = rows.filter(|row| !row.is_empty()).collect();
    let idle = bench_latency::measure(&command, args.rounds)?;
    if args.json {
        let each: Vec<_> = rows.iter().map(|row| row_json(row)).collect();
        let idle = bench_latency::to_json(&idle);
        out::say_json(
            &json!({"benchmark": SWITCH, "rounds": args.rounds, "rows": each, "latency": idle}),
        );
        return Ok(0);
    }
    out::say(&format!(
        "{:<20}{:>8}{:>14}{:>14}{:>16}{:>14}\n",
        "between two hosts", "bytes", "k frames/s", "of k sent/s", "ns/frame there", "ns/frame all"
    ));
    for row in &rows {
        let value = |pick: fn(&Throughput) -> f64| median(row, pick);
        out::say(&format!(
            "{:<20}{:>8}{:>14.0}{:>14.0}{:>16.0}{:>14.0}\n",
            row[0].between.name(),
            // With FCS, as Ethernet counts.
            row[0].bytes + 4,
            value(|r| r.received_per_s) / 1e3,
            value(|r| r.sent_per_s) / 1e3,
            value(|r| r.switch_ns),
            value(|r| r.all_ns),
        ));
    }
    out::say("\n");
    bench_latency::print(&idle);
    Ok(0)
}

/// Sends random frames; fails if the switch ends or its counters do not add up.
fn random_frames(args: &BenchArgs, name: &str, io: &str) -> Outcome {
    const ROUND: u64 = 1_000_000;
    let command = myself()?;
    let frames = ROUND * u64::from(args.rounds);
    let result = garbage(&command, io, frames, 1).map_err(Failure::work)?;
    if args.json {
        out::say_json(&json!({
            "benchmark": name,
            "sent": result.sent,
            "grown_kb": result.grown_kb,
            "wrong": result.wrong,
            "counters": result.counters,
        }));
    } else {
        let refused = &result.counters["ports"]["p0"]["refused"];
        out::say(&format!(
            "{name}: {} random frames sent; the switch still runs; its memory grew by {} kB in the \
             second half; refused: {refused}\n",
            result.sent, result.grown_kb
        ));
    }
    match result.wrong.is_empty() {
        true => Ok(0),
        false => Err(Failure::work(result.wrong.join("\n"))),
    }
}

/// Runs a minute a round at a load below the paced rate; fails if a frame is lost.
fn long_run(args: &BenchArgs, name: &str, io: &str) -> Outcome {
    let plan = SoakPlan {
        rounds: args.rounds,
        time: Duration::from_secs(60),
        rate_bps: rate(args.rate.as_deref().unwrap_or("100 Mbps"))?,
        load: f64::from(args.load.unwrap_or(50)) / 100.0,
    };
    if !args.json {
        out::say(&format!(
            "{:<8}{:>8}{:>12}{:>16}{:>12}\n",
            "bytes", "load %", "sent", "lost, each way", "left out"
        ));
    }
    let mut told = |round: &Round| {
        if !args.json {
            out::say(&format!(
                "{:<8}{:>8.1}{:>12}{:>16}{:>12}\n",
                round.bytes,
                round.load() * 100.0,
                round.sent[0] + round.sent[1],
                format!("{}, {}", round.lost[0], round.lost[1]),
                round.left_out,
            ));
        }
    };
    let result = soak(&myself()?, io, plan, &mut told).map_err(Failure::work)?;
    let sent: u64 = result.rounds.iter().flat_map(|round| round.sent).sum();
    if args.json {
        let rounds: Vec<_> = result.rounds.iter().map(round_json).collect();
        out::say_json(&json!({
            "benchmark": name,
            "rounds": rounds,
            "grown_kb": result.grown_kb,
            "switch_cpu_share": result.cpu,
            "wrong": result.wrong,
            "counters": result.counters,
        }));
    } else {
        out::say(&format!(
            "{name}: {sent} frames sent; the switch still runs; its memory grew by {} kB in the \
             second half; CPU: {:.1} % of a core\n",
            result.grown_kb,
            result.cpu * 100.0
        ));
    }
    match result.wrong.is_empty() {
        true => Ok(0),
        false => Err(Failure::work(result.wrong.join("\n"))),
    }
}

fn rate(text: &str) -> Result<u64, Failure> {
    match parse_quantity(text, Unit::Rate) {
        Ok(Quantity::Rate(rate)) => Ok(rate.as_bps()),
        Ok(other) => unreachable!("a rate was asked for, got {other:?}"),
        Err(why) => Err(Failure::input(format!("--rate {text:?}: {why}"))),
    }
}

fn round_json(round: &Round) -> serde_json::Value {
    json!({
        "frame_bytes": round.bytes,
        "seconds": round.seconds,
        "load": round.load(),
        "sent": round.sent,
        "lost": round.lost,
        "left_out": round.left_out,
    })
}

fn row_json(row: &[&Throughput]) -> serde_json::Value {
    let each = |pick: fn(&Throughput) -> f64| -> Vec<f64> { row.iter().map(|r| pick(r)).collect() };
    json!({
        "between": row[0].between.name(),
        "frame_bytes": row[0].bytes + 4,
        "received_per_s": each(|r| r.received_per_s),
        "sent_per_s": each(|r| r.sent_per_s),
        "switch_cpu_ns_per_frame": each(|r| r.switch_ns),
        "all_cpu_ns_per_frame": each(|r| r.all_ns),
    })
}

fn median(row: &[&Throughput], pick: fn(&Throughput) -> f64) -> f64 {
    let mut values: Vec<f64> = row.iter().map(|r| pick(r)).collect();
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
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
