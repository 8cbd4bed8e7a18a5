//! Events of a packet at a switch. The simulator's traces and recordings, the software switch's notes and
//! captures, and the tests that compare the two share this type.

use crate::{Depth, DropReason};
use sidestep_types::PortId;

/// Event of a packet at a switch, or at a NIC that decides like a switch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Event {
    /// The packet arrived and joined a queue: that of the wanted port, or that of another port in a detour.
    Enqueue(Joined),
    /// The packet was evicted from a queue and joined another one.
    Move(Joined),
    /// The packet arrived and was dropped. Other packets may have been evicted for it in vain.
    Drop {
        /// Port that the packet wanted.
        port: PortId,
        /// Reason of the drop.
        reason: DropReason,
    },
    /// The packet was evicted from a queue and dropped.
    Evict {
        /// Port where the packet waited.
        port: PortId,
        /// Reason of the drop.
        reason: DropReason,
    },
}

impl Event {
    /// Returns the queue that the packet joined, if any.
    pub fn joined(self) -> Option<Joined> {
        match self {
            Event::Enqueue(joined) | Event::Move(joined) => Some(joined),
            Event::Drop { .. } | Event::Evict { .. } => None,
        }
    }

    /// Returns the reason of the drop, if the packet was dropped.
    pub fn dropped(self) -> Option<DropReason> {
        match self {
            Event::Drop { reason, .. } | Event::Evict { reason, .. } => Some(reason),
            Event::Enqueue(_) | Event::Move(_) => None,
        }
    }

    /// Returns the port that the packet wanted, or where it waited.
    pub fn wanted(self) -> PortId {
        match self {
            Event::Enqueue(joined) | Event::Move(joined) => joined.wanted,
            Event::Drop { port, .. } | Event::Evict { port, .. } => port,
        }
    }

    /// Returns true if the packet waited in a queue before.
    pub fn waited(self) -> bool {
        matches!(self, Event::Move(_) | Event::Evict { .. })
    }
}

/// Observer of events. A closure is an observer; the unit type ignores events at no cost; pairs and options
/// compose observers.
pub trait Sink<E> {
    /// Receives an event.
    fn observe(&mut self, event: &E);
}

impl<E> Sink<E> for () {
    #[inline(always)]
    fn observe(&mut self, _: &E) {}
}

impl<E, F: FnMut(&E)> Sink<E> for F {
    #[inline]
    fn observe(&mut self, event: &E) {
        self(event);
    }
}

impl<E, S: Sink<E>> Sink<E> for Option<S> {
    #[inline]
    fn observe(&mut self, event: &E) {
        if let Some(sink) = self {
            sink.observe(event);
        }
    }
}

impl<E, A: Sink<E>, B: Sink<E>> Sink<E> for (A, B) {
    #[inline]
    fn observe(&mut self, event: &E) {
        self.0.observe(event);
        self.1.observe(event);
    }
}

/// Queue that a packet joined, and the state in which it joined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Joined {
    /// Port that the packet wanted, or where it waited before.
    pub wanted: PortId,
    /// Packets in the queue of the port `wanted`: at the decision about the packet, or after the packet was
    /// taken out.
    pub wanted_queue: u32,
    /// Port whose queue the packet joined.
    pub port: PortId,
    /// Depth of that queue before the packet joined.
    pub ahead: Depth,
    /// Changes made to the packet here.
    pub changes: Changes,
}

impl Joined {
    /// Returns true if the packet was detoured.
    #[inline]
    pub fn detoured(&self) -> bool {
        self.port != self.wanted
    }
}

/// Generates the constants of [`Changes`]. A new change needs one line in the list below and the code that
/// makes it.
macro_rules! changes {
    ($($name:ident $word:literal $doc:literal;)*) => {
        #[allow(clippy::upper_case_acronyms)]
        enum Bit { $($name,)* }

        impl Changes {
            $(#[doc = $doc] pub const $name: Changes = Changes(1 << Bit::$name as u8);)*

            /// All changes, each with its word.
            pub const ALL: &[(Changes, &str)] = &[$((Changes::$name, $word),)*];
        }
    };
}

/// Set of changes that a switch made to a packet it queued; empty by default.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Changes(u8);

changes! {
    MARKED "marked" "Congestion experienced.";
    TRIMMED "trimmed" "Its payload was cut off.";
}

impl Changes {
    /// Returns the union of `self` and `other`.
    #[inline]
    #[must_use]
    pub const fn and(self, other: Changes) -> Changes {
        Changes(self.0 | other.0)
    }

    /// Returns `self` if `so` is true, else the empty set.
    #[inline]
    #[must_use]
    pub const fn when(self, so: bool) -> Changes {
        Changes(self.0 * so as u8)
    }

    /// Returns true if `other` is in the set.
    #[inline]
    pub const fn has(self, other: Changes) -> bool {
        self.0 & other.0 == other.0
    }

    /// Iterates over the words of the changes, in the order of [`Changes::ALL`].
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
