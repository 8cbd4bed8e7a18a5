//! Links that fail on a testbed, as [`testbed.rs`](testbed.rs) has the rest. Skips, with the reason, where
//! the kernel forbids namespaces.

mod common;

use common::bed::{Bed, check_laws, json, sum, table};
use common::skip;
use serde_json::Value;

/// A run into the directory `out`, with what holds of it however late it was; were frames lost at the link that failed?
fn drops_where_the_link_failed(bed: &Bed, out: &str) -> bool {
    let done = bed.testbed(&["run", "--json", "--out", out]);
    let result: Value = serde_json::from_str(&done.with_status(0).out).unwrap();
    check_laws(bed, out, &result["schemes"]["droptail"]);
    let dir = bed.room.path().join(out);
    let flows = table(&dir.join("flows.parquet"));
    assert_eq!(flows.len(), 60);
    assert_eq!(sum(&flows, "delivered_bytes"), 60 * 200_000);
    let lost = sum(&table(&dir.join("ports.parquet")), "drops_link_down");
    let late = &json(&dir.join("manifest.json"))["testbed"]["attempts"][0]["wrong"];
    let in_time = late.as_array().unwrap().is_empty();
    assert!(!in_time || lost > 0, "{result}");
    lost > 0
}

/// Sixty flows of one host to a host of another edge, while a cable on one of their two paths dies and comes
/// back. A flow is 16 ms of its link as measured: a second in all, so that a switch that gets no processor for half of it is
/// still told of every change before the run is over.
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
    // On a busy machine the other way may be told at once with the link's end, or the hosts may have paused: then once more.
    let lost = (0..10).any(|n| drops_where_the_link_failed(&bed, &format!("out{n}")));
    if !lost {
        skip(
            "skipped: in none of ten runs did a frame meet the link that was down: no processor for hosts or switches",
        );
    }
    // All is as it was built.
    let logs = |i: u32| {
        let log = format!("/run/sidestep/{}/s{i}.log", bed.name);
        std::fs::read_to_string(log).unwrap()
    };
    let edge = logs(0);
    for said in [
        "change: p2 down,",
        "change: other ways to 6 stations",
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
