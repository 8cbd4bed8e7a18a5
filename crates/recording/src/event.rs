//! Events of a recording, and their fields.
//!
//! A new kind of event needs an entry in the table below, a row in `docs/reference/recording.md`, and a new version.

/// Encoding of a field's column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Coding {
    /// The value itself.
    Plain,
    /// Difference to the same field of the previous event of this kind in the chunk.
    Delta,
    /// Difference to the first field of the same event.
    First,
}

/// Defines [`Kind`], [`EventKind`], and the table of their columns.
macro_rules! events {
    ($(
        $(#[$doc:meta])*
        $kind:ident = $word:literal {
            $( $(#[$field_doc:meta])* $field:ident: $type:ty, $coding:ident; )*
        }
    )*) => {
        /// Kinds of events.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        #[repr(u8)]
        pub enum Kind {
            $( $(#[$doc])* $kind, )*
        }

        /// Event of a recording; `docs/reference/recording.md` defines its fields.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum EventKind {
            $( $(#[$doc])* $kind { $( $(#[$field_doc])* $field: $type, )* }, )*
        }

        /// All kinds, in the order of their numbers.
        pub const KINDS: &[Kind] = &[$(Kind::$kind),*];

        impl Kind {
            /// Returns the word for the kind.
            pub const fn word(self) -> &'static str {
                match self { $(Kind::$kind => $word,)* }
            }

            /// Returns the names of the kind's fields.
            pub const fn fields(self) -> &'static [&'static str] {
                match self { $(Kind::$kind => &[$(stringify!($field)),*],)* }
            }

            pub(crate) const fn codings(self) -> &'static [Coding] {
                match self { $(Kind::$kind => &[$(Coding::$coding),*],)* }
            }
        }

        impl EventKind {
            /// Returns the kind of the event.
            pub const fn kind(&self) -> Kind {
                match self { $(EventKind::$kind { .. } => Kind::$kind,)* }
            }

            /// Calls `with` for the value of each field, in order.
            #[inline]
            pub fn each(&self, mut with: impl FnMut(u64)) {
                match *self { $(EventKind::$kind { $($field),* } => { $(with(u64::from($field));)* })* }
            }

            /// Calls `with` for each field, in order: its index, its coding, the value of the first field, its
            /// value.
            #[inline]
            pub(crate) fn code(&self, mut with: impl FnMut(usize, Coding, u64, u64)) {
                match *self { $(EventKind::$kind { $($field),* } => {
                    let values = [$(u64::from($field)),*];
                    const CODINGS: &[Coding] = &[$(Coding::$coding),*];
                    for (at, value) in values.into_iter().enumerate() {
                        with(at, CODINGS[at], values[0], value);
                    }
                })* }
            }

            /// Builds an event of a kind from the values that `next` returns, in the order of its fields. An
            /// error names the field whose value is too large, and the value.
            pub(crate) fn from_fields(
                kind: Kind,
                mut next: impl FnMut() -> u64,
            ) -> Result<EventKind, (&'static str, u64)> {
                Ok(match kind {
                    $(Kind::$kind => EventKind::$kind { $(
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
    /// A host sends a packet. The packet gets the next number, from 0 on.
    Send = "send" {
        /// Flow of the packet.
        flow: u32, Delta;
        /// First byte of data, or the next byte that an acknowledgement expects.
        seq: u64, Delta;
        /// Payload, bytes.
        bytes: u32, Plain;
        /// Kind and flags of the packet: [`PacketFlags`].
        says: u8, Plain;
        /// Sending host.
        host: u32, Delta;
        /// Number of packets that the host had sent before.
        number: u64, Delta;
    }
    /// A packet joins a queue.
    Enqueue = "enqueue" {
        /// Port of the queue.
        port: u32, Delta;
        /// Packet.
        packet: u32, Delta;
        /// Buffer that the packet uses, bytes.
        bytes: u32, Plain;
        /// Port to which the packet was routed; differs from `port` if the packet is detoured.
        wanted: u32, First;
        /// Changes to the packet, one bit each: 1 marked, 2 trimmed.
        changes: u8, Plain;
        /// 1 if the packet was evicted from another queue of the switch. The packet is deflected if `wanted` is
        /// another port.
        moved: u8, Plain;
    }
    /// The last bit of a packet leaves a queue: the packet is on the link now.
    Dequeue = "dequeue" {
        /// Port of the queue.
        port: u32, Delta;
        /// Packet.
        packet: u32, Delta;
    }
    /// A packet is evicted from its queue to make room for another. A later event records its fate.
    Evict = "evict" {
        /// Port of the queue.
        port: u32, Delta;
        /// Packet evicted.
        packet: u32, Delta;
    }
    /// A packet is dropped.
    Drop = "drop" {
        /// Port to which the packet was routed, or whose queue held it, or whose link lost it.
        port: u32, Delta;
        /// Packet dropped.
        packet: u32, Delta;
        /// Reason: an index of the head's `reasons`.
        reason: u8, Plain;
        /// 1 if the packet waited in that port's queue.
        waited: u8, Plain;
    }
    /// A packet arrives at its destination host.
    Deliver = "deliver" {
        /// Packet delivered.
        packet: u32, Delta;
    }
    /// State of a sampled flow's sender.
    Window = "window" {
        /// Flow of the sender.
        flow: u32, Delta;
        /// Congestion window: bytes that may be in flight.
        cwnd: u64, Delta;
        /// Slow-start threshold, bytes; the largest number before the first loss or mark.
        ssthresh: u64, Delta;
        /// Bytes acknowledged.
        acked: u64, Delta;
        /// Segments retransmitted so far.
        retransmits: u32, Delta;
        /// Timeouts so far.
        timeouts: u32, Delta;
        /// Cause of the change: [`Cause`].
        cause: u8, Plain;
    }
    /// The length of a queue is measured, in a recording without its enqueues and dequeues.
    Depth = "depth" {
        /// Port of the queue.
        port: u32, Delta;
        /// Packets.
        packets: u32, Delta;
        /// Bytes of buffer.
        bytes: u64, Delta;
    }
    /// The rate of a link changes.
    Link = "link" {
        /// Port that feeds the link.
        port: u32, Delta;
        /// New rate, bit/s; 0 when the link is down.
        rate_bps: u64, Delta;
    }
}

/// Event and its time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event {
    /// Time since the start of the run, ps.
    pub at: u64,
    /// Event.
    pub what: EventKind,
}

/// Kind and flags of a packet, in the field `says`: two bits for the kind, then one bit for each flag.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PacketFlags(pub u8);

impl PacketFlags {
    /// Words for the kinds, in the order of their numbers.
    pub const KINDS: [&'static str; 4] = ["data", "ack", "syn", "syn_ack"];
    /// Retransmission: the sender has sent the same before.
    pub const AGAIN: u8 = 4;
    /// Acknowledgement that echoes a mark.
    pub const ECHO: u8 = 8;

    /// Returns the word for the packet's kind.
    pub fn kind(self) -> &'static str {
        PacketFlags::KINDS[usize::from(self.0 & 3)]
    }

    /// Returns true if the packet is a retransmission.
    pub fn again(self) -> bool {
        self.0 & PacketFlags::AGAIN != 0
    }
}

/// Cause of a change of a sender's state, in the field `cause`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Cause {
    /// The sender sent its first packet, or the recording begins.
    Start,
    /// An acknowledgement arrived.
    Ack,
    /// The retransmission timer expired.
    Timeout,
    /// The sender retransmits for another reason: duplicate acknowledgements, or a packet that a switch
    /// trimmed.
    Again,
}

impl Cause {
    /// Words for the causes, in the order of their numbers.
    pub const WORDS: [&'static str; 4] = ["start", "ack", "timeout", "again"];
}

impl Kind {
    /// Returns the kind with this number.
    pub fn of(number: u8) -> Option<Kind> {
        KINDS.get(usize::from(number)).copied()
    }
}

impl Event {
    /// Returns the port of the event, if its kind has one.
    pub fn port(&self) -> Option<u32> {
        match self.what {
            EventKind::Enqueue { port, .. }
            | EventKind::Dequeue { port, .. }
            | EventKind::Evict { port, .. }
            | EventKind::Drop { port, .. }
            | EventKind::Depth { port, .. }
            | EventKind::Link { port, .. } => Some(port),
            EventKind::Send { .. } | EventKind::Deliver { .. } | EventKind::Window { .. } => None,
        }
    }

    /// Returns the packet of the event, if the event concerns a packet sent earlier.
    pub fn packet(&self) -> Option<u32> {
        match self.what {
            EventKind::Enqueue { packet, .. }
            | EventKind::Dequeue { packet, .. }
            | EventKind::Evict { packet, .. }
            | EventKind::Drop { packet, .. }
            | EventKind::Deliver { packet } => Some(packet),
            EventKind::Send { .. }
            | EventKind::Window { .. }
            | EventKind::Depth { .. }
            | EventKind::Link { .. } => None,
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
