//! What can be recorded, and by which fields.
//!
//! A new kind of event is one entry of the table below, a row in `docs/recording.md`, and a new version.

/// How a field's column is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Coding {
    /// As it is.
    Plain,
    /// As the difference to the same field of the event of this kind before, in this chunk.
    Delta,
    /// As the difference to the first field of the same event.
    First,
}

/// Writes [`Kind`], [`What`], and the table of their columns.
macro_rules! events {
    ($(
        $(#[$doc:meta])*
        $kind:ident = $word:literal {
            $( $(#[$field_doc:meta])* $field:ident: $type:ty, $coding:ident; )*
        }
    )*) => {
        /// What kinds of events there are.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        #[repr(u8)]
        pub enum Kind {
            $( $(#[$doc])* $kind, )*
        }

        /// One event; its fields are those of `docs/recording.md`.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum What {
            $( $(#[$doc])* $kind { $( $(#[$field_doc])* $field: $type, )* }, )*
        }

        /// All kinds, in the order of their numbers.
        pub const KINDS: &[Kind] = &[$(Kind::$kind),*];

        impl Kind {
            /// The word for it.
            pub const fn word(self) -> &'static str {
                match self { $(Kind::$kind => $word,)* }
            }

            /// The names of its fields.
            pub const fn fields(self) -> &'static [&'static str] {
                match self { $(Kind::$kind => &[$(stringify!($field)),*],)* }
            }

            pub(crate) const fn codings(self) -> &'static [Coding] {
                match self { $(Kind::$kind => &[$(Coding::$coding),*],)* }
            }
        }

        impl What {
            /// Its kind.
            pub const fn kind(&self) -> Kind {
                match self { $(What::$kind { .. } => Kind::$kind,)* }
            }

            /// Calls `with` for the values of its fields, in their order.
            #[inline]
            pub fn each(&self, mut with: impl FnMut(u64)) {
                match *self { $(What::$kind { $($field),* } => { $(with(u64::from($field));)* })* }
            }

            /// Calls `with` for each field in its order: its place, how it is written, the first field, its value.
            #[inline]
            pub(crate) fn code(&self, mut with: impl FnMut(usize, Coding, u64, u64)) {
                match *self { $(What::$kind { $($field),* } => {
                    let values = [$(u64::from($field)),*];
                    const CODINGS: &[Coding] = &[$(Coding::$coding),*];
                    for (at, value) in values.into_iter().enumerate() {
                        with(at, CODINGS[at], values[0], value);
                    }
                })* }
            }

            /// The event of a kind whose fields `next` gives, in their order; the name of a field whose value is
            /// too large.
            pub(crate) fn from_fields(
                kind: Kind,
                mut next: impl FnMut() -> u64,
            ) -> Result<What, (&'static str, u64)> {
                Ok(match kind {
                    $(Kind::$kind => What::$kind { $(
                        $field: {
                            let value = next();
                            value.try_into().map_err(|_| (stringify!($field), value))?
                        },
                    )* },)*
                })
            }
        }
    };
}

events! {
    /// A host sends a packet: it gets the next number, from 0 on.
    Send = "send" {
        /// Its flow.
        flow: u32, Delta;
        /// Its first byte of data, or the next byte that an acknowledgement expects.
        seq: u64, Delta;
        /// Its payload in bytes.
        bytes: u32, Plain;
        /// What it says of itself: [`Says`].
        says: u8, Plain;
        /// The host.
        host: u32, Delta;
        /// How many packets that host had sent before.
        number: u64, Delta;
    }
    /// A packet joins a queue.
    Enqueue = "enqueue" {
        /// Of this port.
        port: u32, Delta;
        /// The packet.
        packet: u32, Delta;
        /// Its bytes of buffer.
        bytes: u32, Plain;
        /// The port that it wanted: another one when it is detoured.
        wanted: u32, First;
        /// What was done to it, one bit each: 1 marked, 2 trimmed.
        changes: u8, Plain;
        /// 1: it waited in another queue of the switch and was evicted from there; it is deflected if `wanted` is
        /// another port.
        moved: u8, Plain;
    }
    /// The last bit of a packet leaves a queue: it is on the link now.
    Dequeue = "dequeue" {
        /// From this port.
        port: u32, Delta;
        /// The packet.
        packet: u32, Delta;
    }
    /// A packet is taken out of the queue where it waits, for another. What becomes of it comes next.
    Evict = "evict" {
        /// From this port.
        port: u32, Delta;
        /// The packet.
        packet: u32, Delta;
    }
    /// A packet is dropped.
    Drop = "drop" {
        /// The port that it wanted, or where it waited, or whose link lost it.
        port: u32, Delta;
        /// The packet.
        packet: u32, Delta;
        /// Why: an index of the head's `reasons`.
        reason: u8, Plain;
        /// 1: it was in that port's queue until now.
        waited: u8, Plain;
    }
    /// A packet arrives at its host.
    Deliver = "deliver" {
        /// The packet.
        packet: u32, Delta;
    }
    /// How a sampled flow's sender stands.
    Window = "window" {
        /// The flow.
        flow: u32, Delta;
        /// Bytes that may be in the network.
        cwnd: u64, Delta;
        /// Where slow start ends, in bytes; the largest number before the first loss or mark.
        ssthresh: u64, Delta;
        /// Bytes acknowledged.
        acked: u64, Delta;
        /// Segments sent again so far.
        retransmits: u32, Delta;
        /// Timeouts so far.
        timeouts: u32, Delta;
        /// What made it so: [`Cause`].
        cause: u8, Plain;
    }
    /// A queue that was measured, where its enqueues and dequeues are not recorded.
    Depth = "depth" {
        /// Of this port.
        port: u32, Delta;
        /// Packets.
        packets: u32, Delta;
        /// Bytes of buffer.
        bytes: u64, Delta;
    }
    /// A link has another rate from now on.
    Link = "link" {
        /// The port that feeds it.
        port: u32, Delta;
        /// Bits per second; 0 when it is down.
        rate_bps: u64, Delta;
    }
}

/// An event and when it happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event {
    /// In picoseconds since the run began.
    pub at: u64,
    /// What happens.
    pub what: What,
}

/// What a packet says of itself, in the field `says`: two bits for its kind, then one each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Says(pub u8);

impl Says {
    /// The words for the kinds, in the order of their numbers.
    pub const KINDS: [&'static str; 4] = ["data", "ack", "syn", "syn_ack"];
    /// Its sender has sent the same before.
    pub const AGAIN: u8 = 4;
    /// Acknowledgement: it echoes a mark.
    pub const ECHO: u8 = 8;

    /// The word for its kind.
    pub fn kind(self) -> &'static str {
        Says::KINDS[usize::from(self.0 & 3)]
    }

    /// Has its sender sent the same before?
    pub fn again(self) -> bool {
        self.0 & Says::AGAIN != 0
    }
}

/// What changed a sender, in the field `cause`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Cause {
    /// It sent its first packet, or the recording begins.
    Start,
    /// An acknowledgement arrived.
    Ack,
    /// Its timer ran out.
    Timeout,
    /// It sends again for another reason: duplicate acknowledgements, or a packet that a switch had cut.
    Again,
}

impl Cause {
    /// The words for them, in the order of their numbers.
    pub const WORDS: [&'static str; 4] = ["start", "ack", "timeout", "again"];
}

impl Kind {
    /// The kind of this number.
    pub fn of(number: u8) -> Option<Kind> {
        KINDS.get(usize::from(number)).copied()
    }
}

impl Event {
    /// The port that it is about, if it is about one.
    pub fn port(&self) -> Option<u32> {
        match self.what {
            What::Enqueue { port, .. }
            | What::Dequeue { port, .. }
            | What::Evict { port, .. }
            | What::Drop { port, .. }
            | What::Depth { port, .. }
            | What::Link { port, .. } => Some(port),
            What::Send { .. } | What::Deliver { .. } | What::Window { .. } => None,
        }
    }

    /// The packet that it is about, if it is about one that was sent before.
    pub fn packet(&self) -> Option<u32> {
        match self.what {
            What::Enqueue { packet, .. }
            | What::Dequeue { packet, .. }
            | What::Evict { packet, .. }
            | What::Drop { packet, .. }
            | What::Deliver { packet } => Some(packet),
            What::Send { .. } | What::Window { .. } | What::Depth { .. } | What::Link { .. } => {
                None
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_numbered_in_their_order() {
        for (number, kind) in KINDS.iter().enumerate() {
            assert_eq!(Kind::of(number as u8), Some(*kind));
            assert_eq!(kind.fields().len(), kind.codings().len());
            assert_ne!(kind.codings()[0], Coding::First, "{}", kind.word());
        }
        assert_eq!(Kind::of(KINDS.len() as u8), None);
    }
}
