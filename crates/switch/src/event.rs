//! Events of a packet at a switch: one value that the simulator's traces and recordings, the software switch's
//! notes and captures, and the tests that compare the two carry whole.

use crate::{Depth, DropReason};
use sidestep_types::PortId;

/// One event of a packet at a switch, or at a NIC that decides as one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Event {
    /// The packet came, and joined a queue: the one it wanted, or that of another port in a detour.
    Enqueue(Joined),
    /// The packet waited, was evicted, and joined another queue.
    Move(Joined),
    /// The packet came, and was dropped. Others may have been evicted for it in vain.
    Drop {
        /// The port that the packet wanted.
        port: PortId,
        /// The reason of the drop.
        reason: DropReason,
    },
    /// The packet waited, was evicted, and was dropped.
    Evict {
        /// The port where it waited.
        port: PortId,
        /// The reason of the drop.
        reason: DropReason,
    },
}

impl Event {
    /// Queue that the packet joined, if it joined one.
    pub fn joined(self) -> Option<Joined> {
        match self {
            Event::Enqueue(joined) | Event::Move(joined) => Some(joined),
            Event::Drop { .. } | Event::Evict { .. } => None,
        }
    }

    /// Reason why the packet was dropped, if it was.
    pub fn dropped(self) -> Option<DropReason> {
        match self {
            Event::Drop { reason, .. } | Event::Evict { reason, .. } => Some(reason),
            Event::Enqueue(_) | Event::Move(_) => None,
        }
    }

    /// Port that the packet wanted, or where it waited.
    pub fn wanted(self) -> PortId {
        match self {
            Event::Enqueue(joined) | Event::Move(joined) => joined.wanted,
            Event::Drop { port, .. } | Event::Evict { port, .. } => port,
        }
    }

    /// Says whether the packet waited in a queue before.
    pub fn waited(self) -> bool {
        matches!(self, Event::Move(_) | Event::Evict { .. })
    }
}

/// Observer of events: a closure is one. The unit type hears nothing and costs nothing; observers compose as pairs and
/// options.
pub trait Sink<E> {
    /// Takes note of an event.
    fn hear(&mut self, event: &E);
}

impl<E> Sink<E> for () {
    #[inline(always)]
    fn hear(&mut self, _: &E) {}
}

impl<E, F: FnMut(&E)> Sink<E> for F {
    #[inline]
    fn hear(&mut self, event: &E) {
        self(event);
    }
}

impl<E, S: Sink<E>> Sink<E> for Option<S> {
    #[inline]
    fn hear(&mut self, event: &E) {
        if let Some(sink) = self {
            sink.hear(event);
        }
    }
}

impl<E, A: Sink<E>, B: Sink<E>> Sink<E> for (A, B) {
    #[inline]
    fn hear(&mut self, event: &E) {
        self.0.hear(event);
        self.1.hear(event);
    }
}

/// Queue that a packet joined, and as what.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Joined {
    /// The port that it wanted, or where it waited before.
    pub wanted: PortId,
    /// Packets in the queue of that port: when it was decided about the packet, or without the packet that waited there.
    pub wanted_queue: u32,
    /// The port whose queue it joined.
    pub port: PortId,
    /// Depth of that queue, before the packet.
    pub ahead: Depth,
    /// Changes made to the packet here.
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
