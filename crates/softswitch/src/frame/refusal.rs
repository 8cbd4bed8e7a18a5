//! Reasons for refusing a frame before any queue is involved.

/// Defines [`Refusal`].
macro_rules! refusals {
    ($($(#[$doc:meta])* $refusal:ident = $name:literal,)*) => {
        /// Reason for refusing a frame.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(u8)]
        pub enum Refusal {
            $($(#[$doc])* $refusal,)*
        }

        impl Refusal {
            /// Number of reasons.
            pub const COUNT: usize = Refusal::ALL.len();
            /// All reasons, in the order of their numbers.
            pub const ALL: [Refusal; [$($name),*].len()] = [$(Refusal::$refusal),*];

            /// Returns the name in counters and captures; in capitals it is the name in the kernel's program.
            pub const fn name(self) -> &'static str {
                match self { $(Refusal::$refusal => $name,)* }
            }
        }
    };
}

refusals! {
    /// The frame is shorter than its headers.
    Truncated = "truncated",
    /// The frame is longer than the MTU allows: than 1514 bytes by default, 1521 with a tag before IP.
    Oversized = "oversized",
    /// The frame has a VLAN tag where there are no VLANs, a tag other than that of 802.1Q, or two tags.
    Vlan = "vlan",
    /// The frame has an 802.3 length in place of a type.
    Llc = "llc",
    /// The source MAC is a group.
    GroupSource = "group_source",
    /// The destination is an address reserved for bridges (IEEE 802.1D, 7.12.6).
    Reserved = "reserved",
    /// The IP header is invalid.
    BadHeader = "bad_header",
    /// The checksum of the IPv4 header is wrong.
    BadChecksum = "bad_checksum",
    /// The IP length is more than the frame holds, or less than the header.
    BadLength = "bad_length",
    /// No station has the destination.
    NoStation = "no_station",
    /// The frame would go back where it came from, and no detour can have brought it.
    Hairpin = "hairpin",
    /// The frame came in by a port that the switch does not have.
    NoPort = "no_port",
    /// The switch has no memory for another frame.
    NoMemory = "no_memory",
    /// The link of the ingress port is down.
    LinkDown = "link_down",
    /// The tag does not fit into the frame or header.
    TagTruncated = "tag_truncated",
    /// The frame has a tag within a tag, or two of them.
    TagInTag = "tag_in_tag",
    /// The tag has a version that this switch does not support.
    TagVersion = "tag_version",
    /// The frame has a tag but no IP packet.
    TagMisplaced = "tag_misplaced",
    /// The frame has a tag and comes from a host, which may not choose its own priority.
    TagFromHost = "tag_from_host",
    /// The port has exceeded its limit of flooded broadcasts.
    StormBroadcast = "storm_broadcast",
    /// The port has exceeded its limit of flooded multicasts.
    StormMulticast = "storm_multicast",
    /// The port has exceeded its limit of flooded frames to unknown stations.
    StormUnknown = "storm_unknown",
    /// The frame has a tag, at a port whose frames have none.
    VlanTagged = "vlan_tagged",
    /// The frame has no tag, at a port all of whose VLANs have one.
    VlanUntagged = "vlan_untagged",
    /// The frame's VLAN is not carried by its ingress port, or by its egress port.
    VlanOther = "vlan_other",
    /// The ingress or egress port is blocked as part of a loop.
    LoopBlocked = "loop_blocked",
}

impl Refusal {
    /// Returns true if the reason is an invalid tag.
    pub const fn is_of_tag(self) -> bool {
        matches!(
            self,
            Refusal::TagTruncated | Refusal::TagInTag | Refusal::TagVersion | Refusal::TagMisplaced
        )
    }
}
