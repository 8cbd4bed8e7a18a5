//! Tests of links that fail on a testbed; [`testbed.rs`](testbed.rs) has the other tests. Skipped, with the
//! reason, if the kernel forbids namespaces.

mod common;

use common::bed::{Bed, check_laws, json, sum, table};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Makes a run into the directory `out` and checks what holds however late it was; returns true if frames were
/// lost at the failed link.
fn drops_where_the_link_failed(bed: &Bed, out: &str) -> bool {
    let run = ["run", "--kernel-stats", "--record"];
    let done = bed.testbed(&[&run[..], &["--json", "--out", out]].concat());
    let result: Value = serde_json::from_str(&done.with_status(0).out).unwrap();
    check_laws(bed, out, &result["schemes"]["droptail"]);
    let dir = bed.room.path().join(out);
    let flows = table(&dir.join("flows.parquet"));
    assert_eq!(flows.len(), 60);
    assert_eq!(sum(&flows, "delivered_bytes"), 60 * 200_000);
    let lost = sum(&table(&dir.join("ports.parquet")), "drops_link_down");
    let manifest = json(&dir.join("manifest.json"));
    let attempt = &manifest["testbed"]["attempts"][0];
    let in_time = attempt["wrong"].as_array().unwrap().is_empty();
    assert!(!in_time || lost > 0, "{result}");
    each_change_is_listed(attempt);
    kernels_said_what_the_tables_say(&dir, &manifest, &flows);
    lost > 0
}

/// Sixty flows of one host to a host of another edge, while a cable on one of their two paths fails and
/// recovers. A flow takes 16 ms of its link as measured: a second in all, so that even a switch without
/// processor time for half of it receives every change before the run is over.
const FAILS: &str = r#"
duration = "60 ms"
drain = "20 s"
seeds = 1
schemes = ["droptail"]

[topology]
kind = "testbed"

[transport]
rto_min = "10 ms"
rto_initial = "10 ms"

[workload.many]
kind = "incast"
degree = 1
flows = 60
size = "200 kB"
target = 5
senders = "first"

[scheme.droptail]
summary = "TCP over queues without a limit"
[scheme.droptail.switch]
buffer = "droptail"
capacity = "unlimited"
[scheme.droptail.transport]
kind = "newreno"

[[change]]
at = "5 ms"
link = "edge 0 - agg 0"
down = true
reroute = "4 ms"

[[change]]
at = "20 ms"
link = "edge 0 - agg 1"
rate = "500 Mbps"

[[change]]
at = "30 ms"
link = "edge 0 - agg 0"
up = true
reroute = "1 ms"
"#;

#[test]
fn links_fail_and_come_back_as_the_scenario_says() {
    let Some(bed) = Bed::new("fails") else { return };
    bed.room.file("fails.toml", FAILS);
    bed.testbed(&["up", "fails.toml"]).with_status(0);
    // On a busy machine the reroute may follow the failure at once, or the hosts may have paused: repeat.
    let lost = (0..10).any(|n| drops_where_the_link_failed(&bed, &format!("out{n}")));
    if !lost {
        // The checks of each run, and those below, hold nevertheless.
        eprintln!(
            "in none of ten runs did a frame meet the link that was down: no processor for hosts or switches"
        );
    }
    // Everything is restored.
    let logs = |i: u32| {
        let log = format!("/run/sidestep/{}/s{i}.log", bed.name);
        std::fs::read_to_string(log).unwrap()
    };
    let edge = logs(0);
    for said in [
        "change: p2 down,",
        "change: new next hops for 6 stations",
        "change: p3 at 50 Mbps",
        "change: p2 up",
    ] {
        assert!(edge.contains(said), "{said}: {edge}");
    }
    assert!(logs(3).contains("change: p0 down,"));
    let status = bed.testbed(&["status", "--json"]);
    let status: Value = serde_json::from_str(&status.out).unwrap();
    for switch in status["testbeds"][0]["switches"].as_array().unwrap() {
        for (name, port) in switch["ports"].as_object().unwrap() {
            assert_eq!(port["link_up"], true, "{name}");
            assert_eq!(port["rate_bps"], 100_000_000, "{name}");
        }
    }
}

/// Checks that the changes are listed in time order with their descriptions. All were made, since the flows
/// last longer, and none before its time.
fn each_change_is_listed(attempt: &Value) {
    let changes = attempt["changes"].as_array().unwrap();
    let brief: Vec<(f64, String)> = changes
        .iter()
        .map(|change| {
            let says = change["change"].as_array().unwrap().iter();
            let says: Vec<&str> = says.map(|s| s.as_str().unwrap()).collect();
            (change["due_ms"].as_f64().unwrap(), says.join("; "))
        })
        .collect();
    let expected = [
        (50.0, "edge 0 - agg 0: down"),
        (90.0, "next hops follow"),
        (200.0, "edge 0 - agg 1: 50 Mbps"),
        (300.0, "edge 0 - agg 0: up"),
        (310.0, "next hops follow"),
    ];
    assert_eq!(brief, expected.map(|(at, says)| (at, says.to_string())));
    let late: Vec<f64> = (changes.iter())
        .map(|change| change["late_us"].as_f64().expect("it was made"))
        .collect();
    assert!(late.iter().all(|late| *late >= 0.0), "{late:?}");
    let latest = late.iter().copied().fold(0.0, f64::max);
    assert_eq!(attempt["latest_change_us"], latest);
}

/// Checks that every flow has a row, and that no row exceeds the final values in the tables.
fn kernels_said_what_the_tables_say(
    dir: &Path,
    manifest: &Value,
    flows: &[BTreeMap<String, Option<i64>>],
) {
    let rows = table(&dir.join("kernel.parquet"));
    let columns = manifest["columns"]["kernel.parquet"].as_object().unwrap();
    assert!(rows[0].keys().eq(columns.keys().collect::<BTreeSet<_>>()));
    for flow in flows {
        let own = rows.iter().filter(|row| row["flow_id"] == flow["flow_id"]);
        let own: Vec<_> = own.collect();
        assert!(!own.is_empty(), "{flow:?}");
        for row in own {
            assert_eq!((row["seed"], row["subflow"]), (Some(1), None));
            assert!(row["window_packets"] >= Some(1), "{row:?}");
            assert!(row["retransmits"] <= flow["retransmits"], "{row:?}");
            assert!(row["timeouts"] <= flow["timeouts"], "{row:?}");
        }
    }
}

#[test]
fn changes_that_bridges_cannot_make_are_refused_before_anything_is_built() {
    let Some(bed) = Bed::new("failb") else { return };
    bed.room.file("fails.toml", FAILS);
    let done = bed.testbed(&["up", "fails.toml", "--bridge"]);
    let why = done.with_status(2).err;
    assert!(
        why.contains("change: Linux bridges cannot change a link's rate"),
        "{why}"
    );
    assert_eq!(bed.traces(), [""; 0]);
    // A tenth of it on this machine, which is below the least rate of a port.
    let slow = FAILS.replace("500 Mbps", "5 kbps");
    bed.room.file("slow.toml", &slow);
    let why = bed.testbed(&["up", "slow.toml"]).with_status(2).err;
    assert!(
        why.contains("change: rate: expected at least 1 kbps"),
        "{why}"
    );
    assert_eq!(bed.traces(), [""; 0]);
}
