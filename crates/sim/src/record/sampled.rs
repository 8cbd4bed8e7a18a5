//! Flows and packets to record.

use sidestep_types::mix64;
use std::collections::BTreeSet;

/// Flows whose senders' windows are recorded.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Sampled {
    /// All flows.
    #[default]
    All,
    /// Every n-th flow, by number; no flows if 0.
    Every(u32),
    /// Listed flows.
    These(BTreeSet<u32>),
}

impl Sampled {
    /// Returns true if `flow` is recorded.
    pub fn has(&self, flow: u32) -> bool {
        match self {
            Sampled::All => true,
            Sampled::Every(every) => *every > 0 && flow.is_multiple_of(*every),
            Sampled::These(flows) => flows.contains(&flow),
        }
    }
}

/// Packets whose events are recorded. Unless all are, the length of every queue is recorded as well.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Packets {
    /// All packets.
    #[default]
    All,
    /// Every n-th packet on average, drawn by its host and its number there, so the same in any span of time;
    /// no packets if 0. Packets sent before the recording began are left out: their numbers are not known.
    Every(u32),
    /// Packets of these flows, acknowledgements included.
    Flows(Sampled),
}

impl Packets {
    /// Returns true if a packet of `flow` is recorded; `number` is the one its host gave it, if that is known.
    pub fn has(&self, flow: u32, number: Option<u64>) -> bool {
        match self {
            Packets::All => true,
            Packets::Every(0) => false,
            Packets::Every(every) => {
                number.is_some_and(|number| mix64(number).is_multiple_of(u64::from(*every)))
            }
            Packets::Flows(flows) => flows.has(flow),
        }
    }
}
