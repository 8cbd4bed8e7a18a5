//! What can be set about ordering.

use sidestep_types::{Bytes, Param, ParamUnit, Refusal, Size, Time, Values};

use super::place::Axis;

/// How a host orders.
#[derive(Clone, Copy, Debug, serde::Serialize, serde::Deserialize)]
pub(super) struct Settings {
    pub by: By,
    pub rule: Rule,
    pub timeout: Time,
    pub most_flows: Option<u64>,
    pub capacity: Option<Size>,
}

/// What packets are placed by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(super) enum By {
    Sequence,
    /// Their tags, which count by this axis.
    Tag(Axis),
}

/// From when on a timer counts, and what goes on when it runs out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(super) enum Rule {
    /// From the first of what is held; all up to the next gap, and that is next.
    FirstHeld,
    /// From the packet behind the next gap; the same.
    BehindGap,
    /// From the first of what is held; what timed out and what is before it, and nothing else is next.
    TimedOut,
}

const BY: &[&str] = &["sequence", "remaining"];
const RELEASE: &[&str] = &["paper", "simulator"];

pub(super) const PARAMS: &[Param] = &[
    Param::with_default(
        "by",
        ParamUnit::Word(BY),
        "sequence",
        "what says which data is next: its sequence number, or what its host's tag says is \
         left of the message, as in the paper",
    ),
    Param::with_default(
        "release",
        ParamUnit::Word(RELEASE),
        "paper",
        "what goes on when a timer runs out: all up to the next gap, and nothing before that \
         is waited for any more, or, as in the authors' simulator, what waited for so long and \
         what is before it, and the gap stays",
    ),
    Param::with_default(
        "timeout",
        ParamUnit::Time,
        "1 ms",
        "the longest that data is held; assumed: about the wait in one full queue of 100 \
         packets at 1 Gbps",
    ),
    Param::with_default(
        "flows",
        ParamUnit::Count,
        "unlimited",
        "open flows of a host that get a place, whichever way their data goes; data of \
         others is not held; assumed",
    )
    .or_off("unlimited"),
    Param::with_default(
        "capacity",
        ParamUnit::Size,
        "unlimited",
        "packets, or bytes of payload, that a host holds; assumed",
    )
    .or_off("unlimited"),
];

impl Settings {
    /// From a complete set of values. Errors say which cannot be had.
    pub fn read(values: &Values) -> Result<Settings, Refusal> {
        let timeout = values.time("timeout");
        if timeout == Time::ZERO {
            return Err(Refusal::of("timeout", "must be above 0").got(timeout));
        }
        let most_flows = values.count_or_off("flows");
        if most_flows == Some(0) {
            return Err(Refusal::of("flows", "must be above 0").got(0));
        }
        let capacity = values.size_or_off("capacity");
        if let Some(none @ (Size::Packets(0) | Size::Bytes(Bytes(0)))) = capacity {
            return Err(Refusal::of("capacity", "must be above 0").got(none));
        }
        let by = match values.word("by") == "remaining" {
            true => By::Tag(Axis::Remaining),
            false => By::Sequence,
        };
        let rule = match (values.word("release").as_str(), by) {
            ("simulator", _) => Rule::TimedOut,
            (_, By::Sequence) => Rule::FirstHeld,
            (_, By::Tag(_)) => Rule::BehindGap,
        };
        Ok(Settings {
            by,
            rule,
            timeout,
            most_flows,
            capacity,
        })
    }
}
