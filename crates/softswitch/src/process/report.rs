//! Counters as JSON, the answer of the control socket.

use super::lateness::{Lateness, Stalls};
use super::snapshot::{PortSnapshot, Snapshot};
use crate::io::IoCounters;
use crate::machine::PortCounters;
use serde_json::{Map, Value, json};

/// Returns one object: counters since the start; lateness and peaks since the last reset.
pub fn counters(name: &str, snapshot: &Snapshot) -> Value {
    let ports: Map<String, Value> = (snapshot.ports.iter().zip(&snapshot.machine.ports))
        .map(|(io, counts)| (io.name.clone(), port(io, counts)))
        .collect();
    json!({
        "switch": name,
        "uptime_s": snapshot.uptime.as_s_f64(),
        "held": snapshot.machine.held,
        "learned": snapshot.machine.learned,
        "not_learned": snapshot.machine.not_learned,
        "no_port": snapshot.machine.no_port,
        "changes": snapshot.machine.changes,
        "ports": ports,
        "lateness": lateness("departures", &snapshot.lateness),
        "read_lateness": lateness("frames", &snapshot.read_lateness),
        "overtaken": stalls(&snapshot.overtaken),
        "realtime_given_up": snapshot.lowered,
        "capture": {"kept": snapshot.captured.kept, "lost": snapshot.captured.lost},
    })
}

/// Returns the counters of the switch for one port, with those of its interface as `io`.
fn port(port: &PortSnapshot, counts: &PortCounters) -> Value {
    let mut io = json!({"running": port.running});
    for (name, _, count) in io_counters(&port.io) {
        io[name] = json!(count);
    }
    // Plain counts and names: they can always be written as JSON.
    let mut value = serde_json::to_value(counts).unwrap_or_default();
    value["io"] = io;
    value
}

fn lateness(what: &str, late: &Lateness) -> Value {
    let us = |q: f64| late.quantile_ns(q) as f64 / 1e3;
    let mut value = stalls(late.stalls());
    value[what] = json!(late.count());
    value["p50_us"] = json!(us(0.5));
    value["p99_us"] = json!(us(0.99));
    value["p999_us"] = json!(us(0.999));
    value["max_us"] = json!(late.max_ns() as f64 / 1e3);
    value
}

/// Returns late frames, the number of stalls, and their total length.
fn stalls(stalls: &Stalls) -> Value {
    json!({
        "late": stalls.frames(),
        "stalls": stalls.spans(),
        "stalled_ms": stalls.time().as_ms_f64(),
    })
}

/// Returns name, meaning and value of each counter of an interface; names of byte counters contain "bytes".
pub(super) fn io_counters(io: &IoCounters) -> [(&'static str, &'static str, u64); 8] {
    [
        ("received", "Frames passed to the switch", io.received),
        (
            "received_bytes",
            "Bytes of frames handed to the switch, without FCS",
            io.received_bytes,
        ),
        ("sent", "Frames passed to the interface", io.sent),
        (
            "sent_bytes",
            "Bytes of frames given to the interface, without FCS",
            io.sent_bytes,
        ),
        (
            "kernel_drops",
            "Frames dropped by the kernel: receive ring full",
            io.kernel_drops,
        ),
        (
            "unfinished_checksum",
            "Frames dropped: checksum left to hardware by the sender (switch off its offloads)",
            io.unfinished_checksum,
        ),
        (
            "tx_refused",
            "Frames refused by the interface",
            io.tx_refused,
        ),
        (
            "interface_down",
            "Frames that were due while the interface was down",
            io.interface_down,
        ),
    ]
}
