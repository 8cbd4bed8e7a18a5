//! Latency of an idle switch: `sidestep bench latency`, and the second half of `bench switch`.

use crate::failure::Failure;
use crate::out;
use serde_json::{Value, json};
use sidestep_softswitch::trial::latency::{GAPS, Latency, latency, quantile};
use sidestep_softswitch::trial::throughput::Between;
use std::path::Path;
use std::time::Duration;

/// Forwarders to measure; without one no request arrives.
const TRIED: [Between; 5] = [
    Between::Bridge,
    Between::Default,
    Between::Sleep,
    Between::Busy,
    Between::Xdp,
];

/// Measurements of each forwarder and gap, over all rounds.
pub type Rows = Vec<Latency>;

/// Measures each of [`TRIED`] in turn, for this number of rounds.
pub fn measure(command: &Path, rounds: u32) -> Result<Rows, Failure> {
    let mut rows: Rows = Vec::new();
    for round in 1..=rounds {
        for between in TRIED {
            let name = between.name();
            match latency(command, between, u64::from(round)) {
                Ok(all) => all.into_iter().for_each(|one| add(&mut rows, one)),
                Err(e) if between == Between::Xdp => {
                    out::remark(&format!("round {round}: {name} left out: {e}"));
                }
                Err(e) => return Err(Failure::work(format!("{name}: {e}"))),
            }
        }
    }
    for row in rows.iter_mut() {
        row.cpu /= f64::from(rounds);
    }
    Ok(rows)
}

fn add(rows: &mut Rows, one: Latency) {
    let same = |row: &&mut Latency| row.between == one.between && row.gap == one.gap;
    let Some(row) = rows.iter_mut().find(same) else {
        return rows.push(one);
    };
    row.there_ns.extend(one.there_ns);
    row.back_ns.extend(one.back_ns);
    row.lost += one.lost;
    row.cpu += one.cpu;
}

/// Returns the rows as JSON.
pub fn to_json(rows: &Rows) -> Vec<Value> {
    let of = |values: &[u64]| json!({"p50": quantile(values, 0.5), "p99": quantile(values, 0.99), "max": values.iter().max()});
    (rows.iter())
        .map(|row| {
            json!({
                "between": row.between.name(),
                "gap_us": row.gap.as_micros() as u64,
                "answered": row.back_ns.len(),
                "lost": row.lost,
                "there_ns": of(&row.there_ns),
                "back_ns": of(&row.back_ns),
                "switch_cpu_share": row.cpu,
            })
        })
        .collect()
}

/// Prints the rows, grouped by gap.
pub fn print(rows: &Rows) {
    out::say(&format!(
        "{:<20}{:>10}{:>12}{:>12}{:>12}{:>12}{:>8}{:>8}\n",
        "ping, us", "gap", "there p50", "there p99", "back p50", "back p99", "lost", "CPU %"
    ));
    for (gap, _) in GAPS {
        for row in rows.iter().filter(|row| row.gap == gap) {
            let us = |values: &[u64], share: f64| match quantile(values, share) {
                Some(ns) => format!("{:.1}", ns as f64 / 1e3),
                None => "-".into(),
            };
            out::say(&format!(
                "{:<20}{:>10}{:>12}{:>12}{:>12}{:>12}{:>8}{:>8.1}\n",
                row.between.name(),
                named(gap),
                us(&row.there_ns, 0.5),
                us(&row.there_ns, 0.99),
                us(&row.back_ns, 0.5),
                us(&row.back_ns, 0.99),
                row.lost,
                row.cpu * 100.0,
            ));
        }
    }
}

fn named(gap: Duration) -> String {
    match gap.is_zero() {
        true => "none".into(),
        false => format!("{} ms", gap.as_millis()),
    }
}
