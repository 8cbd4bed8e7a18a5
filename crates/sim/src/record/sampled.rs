//! Of which flows and packets something is recorded.

use sidestep_types::mix64;
use std::collections::BTreeSet;

/// Of which flows it is recorded how their senders stand.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Sampled {
    /// Of all.
    #[default]
    All,
    /// Of every so-many-th, by number; of none when it is 0.
    Every(u32),
    /// Of these.
    These(BTreeSet<u32>),
}

impl Sampled {
    /// Is `flow` among them?
    pub fn has(&self, flow: u32) -> bool {
        match self {
            Sampled::All => true,
            Sampled::Every(every) => *every > 0 && flow.is_multiple_of(*every),
            Sampled::These(flows) => flows.contains(&flow),
        }
    }
}

/// Of which packets it is recorded what they do. Where not of all, it is recorded of every queue how long it is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Packets {
    /// Of all.
    #[default]
    All,
    /// Of one in so many, drawn from its host and its number there, and so the same in any window; of none when it is
    /// 0. One that was sent before the recording is not among them, as nobody knows its number.
    Every(u32),
    /// Of those of these flows, acknowledgements included.
    Flows(Sampled),
}

impl Packets {
    /// Is one of `flow` among them, of which this is the number that its host gave it, if that is known?
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
