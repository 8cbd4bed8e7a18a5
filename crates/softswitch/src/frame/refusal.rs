//! Why a frame is not forwarded, before any queue was asked.

/// Why a frame was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Refusal {
    /// Shorter than its headers.
    Truncated = 0,
    /// Longer than the MTU allows: than 1514 bytes by default, 1521 with a tag before IP.
    Oversized = 1,
    /// Tagged with a VLAN where there are none, in another way than that of 802.1Q, or twice.
    Vlan = 2,
    /// An 802.3 length where a type should be.
    Llc = 3,
    /// The source MAC is a group's.
    GroupSource = 4,
    /// To one of the addresses that bridges keep to themselves (IEEE 802.1D, 7.12.6).
    Reserved = 5,
    /// An IP header that cannot be.
    BadHeader = 6,
    /// The checksum of an IPv4 header is wrong.
    BadChecksum = 7,
    /// An IP length that is more than the frame holds, or less than its own header.
    BadLength = 8,
    /// Nobody has its destination.
    NoStation = 9,
    /// It would go back where it came from, and no detour can have brought it.
    Hairpin = 10,
    /// It came in by a port that the switch does not have.
    NoPort = 11,
    /// There is no memory for another frame.
    NoMemory = 12,
    /// The link that it came by is down.
    LinkDown = 13,
    /// A tag that does not fit into what holds it.
    TagTruncated = 14,
    /// A tag within a tag, or two of them.
    TagInTag = 15,
    /// A tag of another version than this switch knows.
    TagVersion = 16,
    /// A tag on what is no IP packet.
    TagMisplaced = 17,
    /// A tag from a host, which may not say itself who comes first.
    TagFromHost = 18,
    /// One broadcast more than its port may have flooded.
    StormBroadcast = 19,
    /// One frame more to a group that is not everyone.
    StormMulticast = 20,
    /// One frame more to a station that nobody knows.
    StormUnknown = 21,
    /// A tag at a port whose frames have none.
    VlanTagged = 22,
    /// No tag at a port all of whose VLANs have one.
    VlanUntagged = 23,
    /// A VLAN that its port, or the one that it wants, does not carry.
    VlanOther = 24,
    /// By or for a port that is blocked as it is part of a loop.
    LoopBlocked = 25,
}

impl Refusal {
    /// How many there are.
    pub const COUNT: usize = 26;
    /// All of them, in the order of their numbers.
    pub const ALL: [Refusal; Refusal::COUNT] = [
        Refusal::Truncated,
        Refusal::Oversized,
        Refusal::Vlan,
        Refusal::Llc,
        Refusal::GroupSource,
        Refusal::Reserved,
        Refusal::BadHeader,
        Refusal::BadChecksum,
        Refusal::BadLength,
        Refusal::NoStation,
        Refusal::Hairpin,
        Refusal::NoPort,
        Refusal::NoMemory,
        Refusal::LinkDown,
        Refusal::TagTruncated,
        Refusal::TagInTag,
        Refusal::TagVersion,
        Refusal::TagMisplaced,
        Refusal::TagFromHost,
        Refusal::StormBroadcast,
        Refusal::StormMulticast,
        Refusal::StormUnknown,
        Refusal::VlanTagged,
        Refusal::VlanUntagged,
        Refusal::VlanOther,
        Refusal::LoopBlocked,
    ];

    /// Is it about a tag that is not as it should be?
    pub const fn is_of_tag(self) -> bool {
        matches!(
            self,
            Refusal::TagTruncated | Refusal::TagInTag | Refusal::TagVersion | Refusal::TagMisplaced
        )
    }

    /// The word for it in counters and captures.
    pub const fn name(self) -> &'static str {
        match self {
            Refusal::Truncated => "truncated",
            Refusal::Oversized => "oversized",
            Refusal::Vlan => "vlan",
            Refusal::Llc => "llc",
            Refusal::GroupSource => "group_source",
            Refusal::Reserved => "reserved",
            Refusal::BadHeader => "bad_header",
            Refusal::BadChecksum => "bad_checksum",
            Refusal::BadLength => "bad_length",
            Refusal::NoStation => "no_station",
            Refusal::Hairpin => "hairpin",
            Refusal::NoPort => "no_port",
            Refusal::NoMemory => "no_memory",
            Refusal::LinkDown => "link_down",
            Refusal::TagTruncated => "tag_truncated",
            Refusal::TagInTag => "tag_in_tag",
            Refusal::TagVersion => "tag_version",
            Refusal::TagMisplaced => "tag_misplaced",
            Refusal::TagFromHost => "tag_from_host",
            Refusal::StormBroadcast => "storm_broadcast",
            Refusal::StormMulticast => "storm_multicast",
            Refusal::StormUnknown => "storm_unknown",
            Refusal::VlanTagged => "vlan_tagged",
            Refusal::VlanUntagged => "vlan_untagged",
            Refusal::VlanOther => "vlan_other",
            Refusal::LoopBlocked => "loop_blocked",
        }
    }
}
