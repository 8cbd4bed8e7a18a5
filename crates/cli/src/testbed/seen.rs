//! What the switches counted during a run, read from their answers.

use crate::Failure;
use serde_json::Value;
use sidestep_study::switch::DropReason;

/// One port of one switch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PortSeen {
    pub packets: u64,
    pub bytes: u64,
    pub marks: u64,
    pub trims: u64,
    pub detours_in: u64,
    pub detours_out: u64,
    pub drops: [u64; DropReason::COUNT],
    pub peak_packets: u32,
    pub peak_bytes: u32,
    /// Frames that the kernel, and not the switch, lost.
    pub lost: u64,
}

/// How late a switch was.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Late {
    pub p50_us: f64,
    pub p99_us: f64,
    pub p999_us: f64,
    pub max_us: f64,
    /// Departures more than 1 ms late.
    pub stalls: u64,
}

impl Late {
    /// The worst of both, number by number.
    pub fn worst(self, other: Late) -> Late {
        Late {
            p50_us: self.p50_us.max(other.p50_us),
            p99_us: self.p99_us.max(other.p99_us),
            p999_us: self.p999_us.max(other.p999_us),
            max_us: self.max_us.max(other.max_us),
            stalls: self.stalls + other.stalls,
        }
    }

    /// As it stands in a manifest.
    pub fn to_json(self) -> Value {
        serde_json::json!({
            "p50_us": self.p50_us,
            "p99_us": self.p99_us,
            "p999_us": self.p999_us,
            "max_us": self.max_us,
            "stalls": self.stalls,
        })
    }
}

/// Reads the answer of one switch with ports `p0`, `p1` …
pub fn ports(answer: &Value, count: usize) -> Result<Vec<PortSeen>, Failure> {
    (0..count).map(|p| port(answer, &format!("p{p}"))).collect()
}

fn port(answer: &Value, name: &str) -> Result<PortSeen, Failure> {
    let of = |value: &Value, key: &str| {
        value[key].as_u64().ok_or_else(|| {
            Failure::work(format!(
                "switch {}, port {name}: expected its counters to have {key:?}, got {value}",
                answer["switch"]
            ))
        })
    };
    let port = &answer["ports"][name];
    let io = &port["io"];
    let mut drops = [0; DropReason::COUNT];
    for reason in DropReason::ALL {
        drops[reason as usize] = of(&port["drops"], reason.name())?;
    }
    Ok(PortSeen {
        packets: of(port, "tx_frames")?,
        bytes: of(port, "tx_bytes")?,
        marks: of(port, "marks")?,
        trims: of(port, "trims")?,
        detours_in: of(port, "detours_in")?,
        detours_out: of(port, "detours_out")?,
        drops,
        peak_packets: of(port, "peak_packets")? as u32,
        peak_bytes: of(port, "peak_bytes")? as u32,
        lost: of(io, "kernel_drops")? + of(io, "tx_refused")? + of(io, "interface_down")?,
    })
}

/// How late the worst of all switches was.
pub fn late(answers: &[Value]) -> Late {
    let of = |answer: &Value| {
        let late = &answer["lateness"];
        let us = |key: &str| late[key].as_f64().unwrap_or(0.0);
        Late {
            p50_us: us("p50_us"),
            p99_us: us("p99_us"),
            p999_us: us("p999_us"),
            max_us: us("max_us"),
            stalls: late["stalls"].as_u64().unwrap_or(0),
        }
    };
    answers.iter().map(of).fold(Late::default(), Late::worst)
}
