//! What a switch did with a packet: one value that the simulator's traces, the software switch's
//! captures and the tests that compare the two carry whole.

use crate::{Depth, DropReason};
use sidestep_types::PortId;

/// What was done with a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// It joined a queue that had room for it.
    Queued {
        /// On this port.
        port: PortId,
        /// The queue there, before the packet.
        ahead: Depth,
        /// What was changed about the packet here.
        changes: Changes,
    },
    /// It joined a queue although there was no room: others left it for the packet, or its own
    /// payload was cut off.
    Squeezed {
        /// On this port.
        port: PortId,
        /// The queue there, before the packet.
        ahead: Depth,
        /// What was changed about the packet here.
        changes: Changes,
    },
    /// It was dropped. Others may have been evicted for it in vain.
    Dropped(DropReason),
    /// It was to be queued, and the driver had no memory for it. Nothing is counted.
    NoMemory,
}

impl Action {
    /// How the packet, which wanted to leave by `wanted`, joined a queue, if it did. Made for whoever asks,
    /// out of the path of a hop: with a [`Joined`] in the variants a hop takes 14 instructions more.
    pub fn joined(self, wanted: PortId) -> Option<Joined> {
        let (port, ahead, changes) = match self {
            Action::Queued {
                port,
                ahead,
                changes,
            }
            | Action::Squeezed {
                port,
                ahead,
                changes,
            } => (port, ahead, changes),
            Action::Dropped(_) | Action::NoMemory => return None,
        };
        Some(Joined {
            wanted,
            port,
            ahead,
            changes,
        })
    }
}

/// How a packet joined a queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Joined {
    /// The port that it wanted.
    pub wanted: PortId,
    /// The port whose queue it joined.
    pub port: PortId,
    /// That queue, before the packet.
    pub ahead: Depth,
    /// What was changed about the packet here.
    pub changes: Changes,
}

impl Joined {
    /// Was it detoured?
    #[inline]
    pub fn detoured(&self) -> bool {
        self.port != self.wanted
    }
}

/// Writes [`Changes`]. What a new verdict does to packets is one line of the list below, and the
/// place that does it.
macro_rules! changes {
    ($($name:ident $word:literal $doc:literal;)*) => {
        #[allow(clippy::upper_case_acronyms)]
        enum Bit { $($name,)* }

        impl Changes {
            $(#[doc = $doc] pub const $name: Changes = Changes(1 << Bit::$name as u8);)*

            /// Each of them, and the word for it.
            pub const ALL: &[(Changes, &str)] = &[$((Changes::$name, $word),)*];
        }
    };
}

/// What a switch changed about a packet that it queued; none of it by default.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Changes(u8);

changes! {
    MARKED "marked" "Congestion experienced.";
    TRIMMED "trimmed" "Its payload was cut off.";
}

impl Changes {
    /// All of `self` and `other`.
    #[inline]
    #[must_use]
    pub const fn and(self, other: Changes) -> Changes {
        Changes(self.0 | other.0)
    }

    /// `self` where `so`, and otherwise nothing.
    #[inline]
    #[must_use]
    pub const fn when(self, so: bool) -> Changes {
        Changes(self.0 * so as u8)
    }

    /// Is `other` among them?
    #[inline]
    pub const fn has(self, other: Changes) -> bool {
        self.0 & other.0 == other.0
    }

    /// The words for them, in the order of [`Changes::ALL`].
    pub fn words(self) -> impl Iterator<Item = &'static str> {
        let there =
            move |(change, word): &(Changes, &'static str)| self.has(*change).then_some(*word);
        Changes::ALL.iter().filter_map(there)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_are_told_apart_and_named() {
        let both = Changes::MARKED.and(Changes::TRIMMED.when(true));
        assert_eq!(both.words().collect::<Vec<_>>(), ["marked", "trimmed"]);
        let one = Changes::MARKED.when(false).and(Changes::TRIMMED);
        assert_eq!(
            (one.has(Changes::MARKED), one.has(Changes::TRIMMED)),
            (false, true)
        );
        assert_eq!(Changes::default().words().count(), 0);
    }
}
