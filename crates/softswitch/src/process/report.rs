//! Counters as JSON, for people and programs that ask by the control socket.

use super::engine::{PortSnapshot, Snapshot};
use super::lateness::Lateness;
use crate::io::IoCounters;
use serde_json::{Map, Value, json};

/// One object: what happened since the start or the last reset.
pub fn counters(name: &str, snapshot: &Snapshot) -> Value {
    let ports: Map<String, Value> = (snapshot.ports.iter())
        .map(|port| (port.name.clone(), self::port(port)))
        .collect();
    json!({
        "switch": name,
        "uptime_s": snapshot.uptime.as_s_f64(),
        "ports": ports,
        "lateness": lateness(&snapshot.lateness),
        "realtime_given_up": snapshot.lowered,
        "capture": {"kept": snapshot.captured.kept, "lost": snapshot.captured.lost},
    })
}

fn port(port: &PortSnapshot) -> Value {
    let mut value = json!({"interface": port.interface, "running": port.running});
    for (name, _, count) in io_counters(&port.io) {
        value[name] = json!(count);
    }
    value
}

fn lateness(late: &Lateness) -> Value {
    let us = |q: f64| late.quantile_ns(q) as f64 / 1e3;
    json!({
        "departures": late.count(),
        "p50_us": us(0.5),
        "p99_us": us(0.99),
        "p999_us": us(0.999),
        "max_us": late.max_ns() as f64 / 1e3,
        "stalls": late.stalls(),
    })
}

/// Name, meaning and value of each count at an interface; bytes have it in their names.
pub(super) fn io_counters(io: &IoCounters) -> [(&'static str, &'static str, u64); 8] {
    [
        ("received", "Frames handed to the switch", io.received),
        (
            "received_bytes",
            "Bytes of frames handed to the switch, without FCS",
            io.received_bytes,
        ),
        ("sent", "Frames given to the interface", io.sent),
        (
            "sent_bytes",
            "Bytes of frames given to the interface, without FCS",
            io.sent_bytes,
        ),
        (
            "kernel_drops",
            "Frames that found the receive ring full",
            io.kernel_drops,
        ),
        (
            "unfinished_checksum",
            "Frames dropped since their sender left the checksum to hardware",
            io.unfinished_checksum,
        ),
        (
            "tx_refused",
            "Frames that the interface would not take",
            io.tx_refused,
        ),
        (
            "interface_down",
            "Frames that were due while the interface was down",
            io.interface_down,
        ),
    ]
}
