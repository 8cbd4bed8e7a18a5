//! Counts of the switches during a run, read from their answers.

use crate::error::Error;
use crate::network::blueprint::Blueprint;
use serde_json::Value;
use sidestep_softswitch::frame::Refusal;
use sidestep_switch::DropReason;
use sidestep_switch::ports::Counts;

/// Counts of one port of a switch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PortSeen {
    pub packets: u64,
    pub bytes: u64,
    /// Counts of the switch's decisions.
    pub counts: Counts,
    pub peak_packets: u32,
    pub peak_bytes: u32,
    /// Frames lost outside the switch's decision: by the kernel, or refused.
    pub lost: u64,
}

impl PortSeen {
    /// Returns the counts since `before`; peaks are those since the switch last reset them.
    fn since(&self, before: &PortSeen) -> PortSeen {
        let mut counts = self.counts;
        counts -= &before.counts;
        PortSeen {
            packets: self.packets - before.packets,
            bytes: self.bytes - before.bytes,
            counts,
            peak_packets: self.peak_packets,
            peak_bytes: self.peak_bytes,
            lost: self.lost - before.lost,
        }
    }
}

/// Returns the counts of every switch's ports between two sets of answers; empty with bridges.
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

/// Returns the number of frames that the switches hold.
pub fn held(answers: &[Value]) -> Result<u64, Error> {
    answers
        .iter()
        .map(|a| count(a, "the switch", a, "held"))
        .sum()
}

/// Lateness of a switch; a value it does not report is `None`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Late {
    pub p50_us: Option<f64>,
    pub p99_us: Option<f64>,
    pub p999_us: Option<f64>,
    pub max_us: Option<f64>,
    /// Number of stalls: spans in which some frame was more than 1 ms late to leave or to be decided on; `None`
    /// if not counted, as with bridges.
    pub stalls: Option<u64>,
    /// Total length of the stalls, in milliseconds as measured.
    pub stalled_ms: Option<f64>,
}

impl Late {
    /// Returns the larger of each value, and the sum of the stalls; a value unknown in either is unknown.
    pub fn worst(self, other: Late) -> Late {
        let larger = |a: Option<f64>, b: Option<f64>| Some(a?.max(b?));
        Late {
            p50_us: larger(self.p50_us, other.p50_us),
            p99_us: larger(self.p99_us, other.p99_us),
            p999_us: larger(self.p999_us, other.p999_us),
            max_us: larger(self.max_us, other.max_us),
            stalls: self.stalls.zip(other.stalls).map(|(a, b)| a + b),
            stalled_ms: larger(self.stalled_ms, other.stalled_ms),
        }
    }

    /// Returns the times as stored in a manifest.
    pub fn to_json(self) -> Value {
        serde_json::json!({
            "p50_us": self.p50_us,
            "p99_us": self.p99_us,
            "p999_us": self.p999_us,
            "max_us": self.max_us,
            "stalls": self.stalls,
            "stalled_ms": self.stalled_ms,
        })
    }
}

/// Returns the lateness of the worst switch; all values are `None` with bridges, which do not answer.
///
/// A switch that does not report its stalls is an error: without them a run cannot be judged.
pub fn late(answers: &[Value]) -> Result<Late, Error> {
    let of = |answer: &Value| {
        let late = &answer["lateness"];
        let us = |key: &str| late[key].as_f64();
        // A frame decided on late also leaves late: the two kinds of spans mostly coincide, and count once.
        let (mut stalls, mut stalled_ms) = (0, 0.0f64);
        for part in ["lateness", "overtaken"] {
            stalls = count(answer, part, &answer[part], "stalls")?.max(stalls);
            stalled_ms = number(answer, part, "stalled_ms")?.max(stalled_ms);
        }
        Ok(Late {
            p50_us: us("p50_us"),
            p99_us: us("p99_us"),
            p999_us: us("p999_us"),
            max_us: us("max_us"),
            stalls: Some(stalls),
            stalled_ms: Some(stalled_ms),
        })
    };
    let all: Vec<Late> = answers.iter().map(of).collect::<Result<_, Error>>()?;
    Ok(all.into_iter().reduce(Late::worst).unwrap_or_default())
}

/// Reads a number that may have a fraction from the part `what` of an answer.
fn number(answer: &Value, what: &str, key: &str) -> Result<f64, Error> {
    answer[what][key].as_f64().ok_or_else(|| {
        Error::Work(format!(
            "switch {}, {what}: expected its counters to have {key:?}, got {}",
            answer["switch"], answer[what]
        ))
    })
}

/// Reads a count from `part`, which is the whole `answer` or a part of it.
fn count(answer: &Value, what: &str, part: &Value, key: &str) -> Result<u64, Error> {
    part[key].as_u64().ok_or_else(|| {
        Error::Work(format!(
            "switch {}, {what}: expected its counters to have {key:?}, got {part}",
            answer["switch"]
        ))
    })
}

/// Name of the reason for refusing a frame from a link that is down.
const LINK_DOWN: &str = Refusal::LinkDown.name();

/// Reads the answer of one switch with ports `p0`, `p1` …
pub fn ports(answer: &Value, count: usize) -> Result<Vec<PortSeen>, Error> {
    (0..count).map(|p| port(answer, &format!("p{p}"))).collect()
}

fn port(answer: &Value, name: &str) -> Result<PortSeen, Error> {
    let what = format!("port {name}");
    let of = |value: &Value, key: &str| count(answer, &what, value, key);
    let port = &answer["ports"][name];
    let io = &port["io"];
    let dropped = |reason: DropReason| of(&port["drops"], reason.name());
    let counts = Counts::read(|name| of(port, name), dropped)?;
    // Frames that the switch refused to forward, for any reason: a run expects none.
    let Some(reasons) = port["refused"].as_object() else {
        return Err(Error::Work(format!(
            "switch {}, {what}: expected its counters to have \"refused\", got {port}",
            answer["switch"]
        )));
    };
    let mut refused = 0;
    // Frames from a link that was down are expected: the scenario takes it down.
    for reason in reasons.keys().filter(|reason| *reason != LINK_DOWN) {
        refused += of(&port["refused"], reason)?;
    }
    Ok(PortSeen {
        packets: of(port, "tx_frames")?,
        bytes: of(port, "tx_bytes")?,
        counts,
        peak_packets: of(port, "peak_packets")? as u32,
        peak_bytes: of(port, "peak_bytes")? as u32,
        lost: of(io, "kernel_drops")?
            + of(io, "tx_refused")?
            + of(io, "interface_down")?
            + of(io, "unfinished_checksum")?
            + refused,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// Returns the answer of an idle switch with one port.
    fn answer() -> Value {
        let drops: serde_json::Map<String, Value> = DropReason::ALL
            .iter()
            .map(|r| (r.name().to_string(), json!(0)))
            .collect();
        let mut answer = json!({
            "switch": "s", "held": 2,
            "lateness": {
                "p50_us": 3.0, "p99_us": 9.0, "p999_us": 9.0, "max_us": 9.5, "stalls": 1, "stalled_ms": 2.5,
            },
            "overtaken": {"stalls": 0, "stalled_ms": 0.0},
            "ports": {"p0": {
                "tx_frames": 7, "tx_bytes": 700,
                "drops": drops, "peak_packets": 3, "peak_bytes": 300, "refused": {"vlan": 4, "link_down": 9},
                "io": {"kernel_drops": 1, "tx_refused": 0, "interface_down": 0, "unfinished_checksum": 0},
            }},
        });
        for count in Counts::ALL {
            answer["ports"]["p0"][count.name] = json!(0);
        }
        answer
    }

    /// Returns [`answer`] without `key` at `path`.
    fn without(path: &str, key: &str) -> Value {
        let mut answer = answer();
        let part = answer.pointer_mut(path).and_then(Value::as_object_mut);
        part.unwrap().remove(key).unwrap();
        answer
    }

    #[test]
    fn a_switch_that_does_not_count_its_stalls_is_not_one_without_stalls() {
        assert_eq!(late(&[answer()]).unwrap().stalls, Some(1));
        for part in ["lateness", "overtaken"] {
            for key in ["stalls", "stalled_ms"] {
                let both = late(&[answer(), without(&format!("/{part}"), key)]);
                let why = both.unwrap_err().to_string();
                assert!(why.contains(key) && why.contains("\"s\""), "{why}");
            }
        }
    }

    #[test]
    fn stalls_of_switches_add_up_and_what_was_decided_and_left_late_counts_once() {
        let mut other = answer();
        other["overtaken"] = json!({"stalls": 2, "stalled_ms": 4.0});
        let both = late(&[answer(), other]).unwrap();
        // One stall of the first switch; two of the other, which include the one in which frames left late.
        assert_eq!((both.stalls, both.stalled_ms), (Some(3), Some(4.0)));
    }

    #[test]
    fn what_a_switch_holds_or_refuses_is_not_taken_for_nothing() {
        assert_eq!(held(&[answer(), answer()]).unwrap(), 4);
        assert!(held(&[answer(), without("", "held")]).is_err());
        assert_eq!(ports(&answer(), 1).unwrap()[0].lost, 5);
        assert!(ports(&without("/ports/p0", "refused"), 1).is_err());
    }

    #[test]
    fn how_late_nobody_measured_is_not_in_time() {
        assert_eq!(late(&[]).unwrap(), Late::default());
        let mut later = without("/lateness", "p99_us");
        later["lateness"]["p50_us"] = json!(4.0);
        let worst = late(&[later, answer()]).unwrap();
        assert_eq!((worst.p50_us, worst.p99_us), (Some(4.0), None));
        assert_eq!(worst.stalls, Some(2));
        assert_eq!(late(&[]).unwrap().to_json()["stalls"], Value::Null);
    }
}
