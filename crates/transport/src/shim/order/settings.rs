//! What can be set about ordering.

use sidestep_types::{Bytes, Refusal, Size, Time, Words};

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

/// What can be set about it.
#[derive(Clone, sidestep_types::Settings)]
pub struct OrderSettings {
    /// what says which data is next: its sequence number, or what its host's tag says is left of the message, as in the
    /// paper
    #[setting(default = "sequence")]
    by: PlacedBy,
    /// what goes on when a timer runs out: all up to the next gap, and nothing before that is waited for any more, or,
    /// as in the authors' simulator, what waited for so long and what is before it, and the gap stays
    #[setting(default = "paper")]
    release: Release,
    /// the longest that data is held; assumed: about the wait in one full queue of 100 packets at 1 Gbps
    #[setting(default = "1 ms", above = 0)]
    timeout: Time,
    /// open flows of a host that get a place, whichever way their data goes; data of others is not held; assumed
    #[setting(default = "unlimited", off = "unlimited", above = 0)]
    flows: Option<u64>,
    /// packets, or bytes of payload, that a host holds; assumed
    #[setting(default = "unlimited", off = "unlimited")]
    capacity: Option<Size>,
}

/// The words for [`By`].
#[derive(Clone, Copy, Words)]
enum PlacedBy {
    Sequence,
    Remaining,
}

/// The words for [`Rule`].
#[derive(Clone, Copy, Words)]
enum Release {
    Paper,
    Simulator,
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

impl Settings {
    /// What a user's settings come to. Errors when nothing may be held.
    pub fn of(set: &OrderSettings) -> Result<Settings, Refusal> {
        if let Some(none @ (Size::Packets(0) | Size::Bytes(Bytes(0)))) = set.capacity {
            return Err(Refusal::of("capacity", "must be above 0").got(none));
        }
        let by = match set.by {
            PlacedBy::Remaining => By::Tag(Axis::Remaining),
            PlacedBy::Sequence => By::Sequence,
        };
        let rule = match (set.release, by) {
            (Release::Simulator, _) => Rule::TimedOut,
            (Release::Paper, By::Sequence) => Rule::FirstHeld,
            (Release::Paper, By::Tag(_)) => Rule::BehindGap,
        };
        Ok(Settings {
            by,
            rule,
            timeout: set.timeout,
            most_flows: set.flows,
            capacity: set.capacity,
        })
    }
}
