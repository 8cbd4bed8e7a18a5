//! Settings of ordering.

use sidestep_types::{Bytes, Refusal, Size, Time, Words};

use super::place::Axis;

/// Rules and limits by which a host orders.
#[derive(Clone, Copy, Debug, serde::Serialize, serde::Deserialize)]
pub(super) struct Settings {
    pub by: By,
    pub rule: Rule,
    pub timeout: Time,
    pub most_flows: Option<u64>,
    pub capacity: Option<Size>,
}

/// Settings of [`super::Order`].
#[derive(Clone, sidestep_types::Settings)]
pub struct OrderSettings {
    /// order of data: by its sequence number, or by the remaining size in its host's tag, as in the paper
    #[setting(default = "sequence")]
    by: PlacedBy,
    /// packets that go on when a timer expires: all up to the next gap, and nothing before it is awaited any
    /// longer; or, as in the authors' simulator, those that have waited so long and those before them, and the
    /// gap stays
    #[setting(default = "paper")]
    release: Release,
    /// longest time that data is held; assumed: about the wait in one full queue of 100 packets at 1 Gbps
    #[setting(default = "1 ms", above = 0)]
    timeout: Time,
    /// most open flows of a host that get a place, in either direction; data of others is not held; assumed
    #[setting(default = "unlimited", off = "unlimited", above = 0)]
    flows: Option<u64>,
    /// most packets, or bytes of payload, that a host holds; assumed
    #[setting(default = "unlimited", off = "unlimited")]
    capacity: Option<Size>,
}

/// Words for [`By`].
#[derive(Clone, Copy, Words)]
enum PlacedBy {
    Sequence,
    Remaining,
}

/// Words for [`Rule`].
#[derive(Clone, Copy, Words)]
enum Release {
    Paper,
    Simulator,
}

/// Quantity that places packets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(super) enum By {
    Sequence,
    /// Tags, which count by this axis.
    Tag(Axis),
}

/// Start of a timer, and the packets that go on when it expires.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(super) enum Rule {
    /// From the first held packet; all up to the next gap go on, and the place behind it is next.
    FirstHeld,
    /// From the packet behind the next gap; otherwise as `FirstHeld`.
    BehindGap,
    /// From the first held packet; the packets that timed out and those before them go on, and the next place
    /// does not move.
    TimedOut,
}

impl Settings {
    /// Converts a user's settings. Errors when nothing may be held.
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
