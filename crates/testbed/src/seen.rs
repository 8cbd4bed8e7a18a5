//! What the switches counted during a run, read from their answers.

use crate::error::Error;
use crate::network::blueprint::Blueprint;
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
    /// Frames that were lost beside the switch's decision: by the kernel, or refused.
    pub lost: u64,
}

impl PortSeen {
    /// What came on top of `before`; the longest queues are those since the switch was last told to forget them.
    fn since(&self, before: &PortSeen) -> PortSeen {
        let mut drops = self.drops;
        for (now, before) in drops.iter_mut().zip(before.drops) {
            *now -= before;
        }
        PortSeen {
            packets: self.packets - before.packets,
            bytes: self.bytes - before.bytes,
            marks: self.marks - before.marks,
            trims: self.trims - before.trims,
            detours_in: self.detours_in - before.detours_in,
            detours_out: self.detours_out - before.detours_out,
            drops,
            peak_packets: self.peak_packets,
            peak_bytes: self.peak_bytes,
            lost: self.lost - before.lost,
        }
    }
}

/// The ports of every switch of `print`, by its answers before and after; none with bridges.
pub fn between(
    print: &Blueprint,
    before: &[Value],
    after: &[Value],
) -> Result<Vec<Vec<PortSeen>>, Error> {
    let mut all = Vec::new();
    for (s, (before, after)) in before.iter().zip(after).enumerate() {
        let count = print.ports(s).len();
        let (before, after) = (ports(before, count)?, ports(after, count)?);
        let pairs = after.iter().zip(&before);
        all.push(pairs.map(|(after, before)| after.since(before)).collect());
    }
    Ok(all)
}

/// Frames that the switches hold.
pub fn held(answers: &[Value]) -> u64 {
    answers.iter().filter_map(|a| a["held"].as_u64()).sum()
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
pub fn ports(answer: &Value, count: usize) -> Result<Vec<PortSeen>, Error> {
    (0..count).map(|p| port(answer, &format!("p{p}"))).collect()
}

fn port(answer: &Value, name: &str) -> Result<PortSeen, Error> {
    let of = |value: &Value, key: &str| {
        value[key].as_u64().ok_or_else(|| {
            Error::Work(format!(
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
        lost: of(io, "kernel_drops")?
            + of(io, "tx_refused")?
            + of(io, "interface_down")?
            + of(io, "unfinished_checksum")?
            + refused(port),
    })
}

/// Frames that the switch would not forward, for whatever reason: none is expected in a run.
fn refused(port: &Value) -> u64 {
    let reasons = port["refused"].as_object();
    reasons.map_or(0, |all| all.values().filter_map(Value::as_u64).sum())
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
