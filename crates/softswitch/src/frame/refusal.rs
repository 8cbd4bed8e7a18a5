//! Why a frame is not forwarded, before any queue was asked.

/// Writes [`Refusal`].
macro_rules! refusals {
    ($($(#[$doc:meta])* $refusal:ident = $name:literal,)*) => {
        /// Why a frame was refused.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(u8)]
        pub enum Refusal {
            $($(#[$doc])* $refusal,)*
        }

        impl Refusal {
            /// How many there are.
            pub const COUNT: usize = Refusal::ALL.len();
            /// All of them, in the order of their numbers.
            pub const ALL: [Refusal; [$($name),*].len()] = [$(Refusal::$refusal),*];

            /// The word for it in counters and captures; in capitals its name in the program of the kernel.
            pub const fn name(self) -> &'static str {
                match self { $(Refusal::$refusal => $name,)* }
            }
        }
    };
}

refusals! {
    /// Shorter than its headers.
    Truncated = "truncated",
    /// Longer than the MTU allows: than 1514 bytes by default, 1521 with a tag before IP.
    Oversized = "oversized",
    /// Tagged with a VLAN where there are none, in another way than that of 802.1Q, or twice.
    Vlan = "vlan",
    /// An 802.3 length where a type should be.
    Llc = "llc",
    /// The source MAC is a group's.
    GroupSource = "group_source",
    /// To one of the addresses that bridges keep to themselves (IEEE 802.1D, 7.12.6).
    Reserved = "reserved",
    /// An IP header that cannot be.
    BadHeader = "bad_header",
    /// The checksum of an IPv4 header is wrong.
    BadChecksum = "bad_checksum",
    /// An IP length that is more than the frame holds, or less than its own header.
    BadLength = "bad_length",
    /// Nobody has its destination.
    NoStation = "no_station",
    /// It would go back where it came from, and no detour can have brought it.
    Hairpin = "hairpin",
    /// It came in by a port that the switch does not have.
    NoPort = "no_port",
    /// There is no memory for another frame.
    NoMemory = "no_memory",
    /// The link that it came by is down.
    LinkDown = "link_down",
    /// A tag that does not fit into what holds it.
    TagTruncated = "tag_truncated",
    /// A tag within a tag, or two of them.
    TagInTag = "tag_in_tag",
    /// A tag of another version than this switch knows.
    TagVersion = "tag_version",
    /// A tag on what is no IP packet.
    TagMisplaced = "tag_misplaced",
    /// A tag from a host, which may not say itself who comes first.
    TagFromHost = "tag_from_host",
    /// One broadcast more than its port may have flooded.
    StormBroadcast = "storm_broadcast",
    /// One frame more to a group that is not everyone.
    StormMulticast = "storm_multicast",
    /// One frame more to a station that nobody knows.
    StormUnknown = "storm_unknown",
    /// A tag at a port whose frames have none.
    VlanTagged = "vlan_tagged",
    /// No tag at a port all of whose VLANs have one.
    VlanUntagged = "vlan_untagged",
    /// A VLAN that its port, or the one that it wants, does not carry.
    VlanOther = "vlan_other",
    /// By or for a port that is blocked as it is part of a loop.
    LoopBlocked = "loop_blocked",
}

impl Refusal {
    /// Is it about a tag that is not as it should be?
    pub const fn is_of_tag(self) -> bool {
        matches!(
            self,
            Refusal::TagTruncated | Refusal::TagInTag | Refusal::TagVersion | Refusal::TagMisplaced
        )
    }
}
