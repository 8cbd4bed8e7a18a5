//! Packets as switches and hosts see them, and their cost on a link.

use crate::extra::{Extra, SackBlocks, Tag};
use std::fmt;

/// Number of a host, from zero.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct HostId(pub u32);

/// Number of a switch, from zero.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct SwitchId(pub u32);

/// Number of a flow, from zero. A flow is one message from one host to another.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct FlowId(pub u32);

/// IPv4 and TCP headers without options, in bytes.
pub const HEADER_BYTES: u32 = 40;

/// Link-layer overhead of an IP packet, as defined in docs/explanation/model.md.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Framing {
    /// IP + 38: header 14, FCS 4, preamble 8, gap 12; at least 84.
    #[default]
    Ethernet,
    /// IP bytes alone, as in many simulators.
    Ip,
    /// IP + 2, all of it buffered: only the protocol field of PPP (RFC 1661), as on ns-3's point-to-point
    /// links.
    Ppp,
}

impl Framing {
    /// Returns the bytes of link time for a packet of `ip` bytes.
    pub const fn wire(self, ip: u32) -> u32 {
        match self {
            Framing::Ethernet if ip + 38 < 84 => 84,
            Framing::Ethernet => ip + 38,
            Framing::Ip => ip,
            Framing::Ppp => ip + 2,
        }
    }

    /// Returns the bytes of [`Framing::wire`] that take link time but no buffer: preamble and gap.
    pub const fn unbuffered(self) -> u32 {
        match self {
            Framing::Ethernet => 20,
            Framing::Ip | Framing::Ppp => 0,
        }
    }
}

/// Size of the longest data packet: a full segment and the bytes that shims add.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Longest {
    /// Payload of a full segment, bytes.
    pub mss: u32,
    /// Bytes added by shims.
    pub adds: u32,
}

impl Longest {
    /// Returns the IP bytes of the packet, those added by shims included.
    pub const fn ip(self) -> u32 {
        HEADER_BYTES + self.adds + self.mss
    }
}

/// Longest packet without shims.
impl From<u32> for Longest {
    fn from(mss: u32) -> Longest {
        Longest { mss, adds: 0 }
    }
}

impl fmt::Display for Longest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "mss {} B", self.mss)?;
        match self.adds {
            0 => Ok(()),
            adds => write!(f, " and {adds} B of shims"),
        }
    }
}

/// Purpose of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Kind {
    /// Carries bytes of a flow. Without payload, it is the last packet of a handshake.
    Data = 0,
    /// Acknowledges data.
    Ack = 1,
    /// Opens a connection.
    Syn = 2,
    /// Answers a `Syn`.
    SynAck = 3,
}

/// Returns the IP bytes of an acknowledgement with `blocks` SACK blocks (RFC 2018: 2 + 8n, padded to 4).
pub const fn ack_packet_bytes(blocks: u32) -> u32 {
    if blocks == 0 {
        HEADER_BYTES
    } else {
        HEADER_BYTES + 4 + 8 * blocks
    }
}

/// Packet of 52 bytes, so that a simulator's queue links fit beside it in a cache line.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Packet {
    /// 64 packed bits, low word first: the service in 6 bits, a free bit, the end of the flow, the echo of hops
    /// in 8 bits, and in the upper 48 the sequence number, which one shift reads.
    seq_and_service: [u32; 2],
    /// Flow of the packet, in both directions.
    pub flow: FlowId,
    /// Destination host.
    pub dst: HostId,
    /// Hash of the 5-tuple. A switch salts it before use.
    pub hash: u32,
    /// Bytes of link time.
    pub wire: u16,
    /// Payload bytes; for a trimmed packet, the bytes it has lost.
    pub len: u16,
    /// Time to live: falls by one per switch; at zero the packet is dropped.
    pub ttl: u8,
    flags: u8,
    /// Number of times the packet was detoured or deflected.
    pub detours: u8,
    /// Traffic class of the workload, used for counts alone.
    pub class: u8,
    /// SACK blocks of an acknowledgement, or the tag of data.
    extra: Extra,
}

const KIND: u8 = 0b0000_0011;
const ECT: u8 = 0b0000_0100;
const CE: u8 = 0b0000_1000;
const ECE: u8 = 0b0001_0000;
const CWR: u8 = 0b0010_0000;
const TRACED: u8 = 0b0100_0000;
const RETRANSMIT: u8 = 0b1000_0000;

/// Bits of the first word of `seq_and_service` in [`Packet`].
const SERVICE: u32 = 0x3f;
const ENDS: u32 = 0x80;

impl Packet {
    /// Largest class of service: a code point has 6 bits.
    pub const MOST_SERVICE: u8 = SERVICE as u8;

    /// Largest sequence number: that of the last byte of the last subflow.
    pub const MOST_SEQ: u64 = (1 << 48) - 1;

    /// Most subflows of a flow, each with its own sequence numbers. The upper 4 of 48 bits select the subflow.
    pub const SUBFLOWS: u8 = 16;

    /// Size limit of a subflow: it has fewer bytes than this, 17.6 TB.
    pub const SUBFLOW_BYTES: u64 = 1 << 44;

    /// Returns the sequence number of the first byte of a subflow.
    pub const fn first_of(subflow: u8) -> u64 {
        subflow as u64 * Packet::SUBFLOW_BYTES
    }

    /// Creates a packet of `kind` with a TTL of 255 and nothing else set.
    pub fn new(kind: Kind, flow: FlowId, dst: HostId, hash: u32) -> Packet {
        Packet {
            seq_and_service: [0; 2],
            flow,
            dst,
            hash,
            wire: 0,
            len: 0,
            ttl: 255,
            flags: kind as u8,
            detours: 0,
            class: 0,
            extra: Extra::NONE,
        }
    }

    /// Returns the sequence number. Data: the first byte carried. Acknowledgement: the next byte expected. At
    /// most [`Packet::MOST_SEQ`].
    #[inline]
    pub fn seq(&self) -> u64 {
        self.first_word() >> 16
    }

    /// Returns the subflow of [`Packet::seq`]; 0 for a flow without subflows.
    #[inline]
    pub fn subflow(&self) -> u8 {
        Packet::subflow_of(self.seq())
    }

    /// Returns the subflow of a sequence number.
    #[inline]
    pub const fn subflow_of(seq: u64) -> u8 {
        (seq / Packet::SUBFLOW_BYTES) as u8
    }

    #[inline]
    fn first_word(&self) -> u64 {
        let [low, high] = self.seq_and_service;
        u64::from(low) | u64::from(high) << 32
    }

    /// Returns the class of service chosen by the host; for a real frame, the DSCP of the IP header.
    #[inline]
    pub fn service(&self) -> u8 {
        (self.seq_and_service[0] & SERVICE) as u8
    }

    /// Sets [`Packet::service`]; only 6 bits are kept.
    ///
    /// Panics in debug builds above [`Packet::MOST_SERVICE`].
    #[inline]
    pub fn set_service(&mut self, service: u8) {
        debug_assert!(
            service <= Packet::MOST_SERVICE,
            "a class of service has 6 bits, got {service}"
        );
        let others = self.seq_and_service[0] & !SERVICE;
        self.seq_and_service[0] = others | u32::from(service) & SERVICE;
    }

    /// Returns true if the host marked the packet as the end of its flow: no new data follows. For a real
    /// segment: FIN or RST.
    #[inline]
    pub fn ends(&self) -> bool {
        self.seq_and_service[0] & ENDS != 0
    }

    /// Sets [`Packet::ends`].
    #[inline]
    pub fn set_ends(&mut self, on: bool) {
        let others = self.seq_and_service[0] & !ENDS;
        self.seq_and_service[0] = others | if on { ENDS } else { 0 };
    }

    /// Returns the number of switches that the acknowledged data crossed; 0 for packets other than
    /// acknowledgements.
    #[inline]
    pub fn echoed_hops(&self) -> u8 {
        (self.seq_and_service[0] >> 8) as u8
    }

    /// Sets [`Packet::echoed_hops`].
    #[inline]
    pub fn set_echoed_hops(&mut self, hops: u8) {
        self.seq_and_service[0] = self.seq_and_service[0] & !0xff00 | u32::from(hops) << 8;
    }

    /// Sets [`Packet::seq`].
    ///
    /// Panics in debug builds above [`Packet::MOST_SEQ`].
    #[inline]
    pub fn set_seq(&mut self, seq: u64) {
        debug_assert!(
            seq <= Packet::MOST_SEQ,
            "a packet's sequence number has 48 bits, got {seq}"
        );
        let low = (seq as u32) << 16 | self.seq_and_service[0] & 0xffff;
        self.seq_and_service = [low, (seq >> 16) as u32];
    }

    /// Returns the rank by which switches order packets, smallest first: [`Tag::rank`] of data, which is
    /// `u32::MAX` without a mark. Acknowledgements and other packets without payload rank first, as 0.
    #[inline]
    pub fn rank(&self) -> u32 {
        if self.kind() != Kind::Data {
            return 0;
        }
        let tag = self.tag();
        if tag.tagged() || self.len > 0 {
            tag.rank()
        } else {
            0
        }
    }

    /// Sets [`Packet::rank`] and thereby marks the packet.
    #[inline]
    pub fn set_rank(&mut self, rank: u32) {
        let mut tag = self.tag();
        tag.set_rank(rank);
        self.set_tag(tag);
    }

    /// Returns the tag set by the host. Only data has a tag.
    #[inline]
    pub fn tag(&self) -> Tag {
        debug_assert!(self.kind() == Kind::Data, "only data has a tag");
        self.extra.tag()
    }

    /// Sets [`Packet::tag`].
    #[inline]
    pub fn set_tag(&mut self, tag: Tag) {
        debug_assert!(self.kind() == Kind::Data, "only data has a tag");
        self.extra.set_tag(tag);
    }

    /// Returns the SACK blocks: ranges received above [`Packet::seq`]. Only acknowledgements have them.
    #[inline]
    pub fn sack(&self) -> SackBlocks {
        debug_assert!(self.acknowledges(), "only an acknowledgement has blocks");
        self.extra.sack()
    }

    /// Sets [`Packet::sack`].
    #[inline]
    pub fn set_sack(&mut self, sack: SackBlocks) {
        debug_assert!(self.acknowledges(), "only an acknowledgement has blocks");
        self.extra.set_sack(sack);
    }

    /// Returns true if the packet has SACK blocks rather than a tag.
    #[inline]
    fn acknowledges(&self) -> bool {
        matches!(self.kind(), Kind::Ack | Kind::SynAck)
    }

    /// Returns the purpose of the packet.
    #[inline]
    pub fn kind(&self) -> Kind {
        match self.flags & KIND {
            0 => Kind::Data,
            1 => Kind::Ack,
            2 => Kind::Syn,
            _ => Kind::SynAck,
        }
    }

    /// Returns true if the packet carries bytes of a flow.
    #[inline]
    pub fn carries_data(&self) -> bool {
        self.len > 0 && self.flags & (KIND | ECE) == Kind::Data as u8
    }

    /// Returns true if the host sent these bytes before. Acknowledgements use the same bit for
    /// [`Packet::below`].
    pub fn sent_again(&self) -> bool {
        self.retransmit() && !self.acknowledges()
    }

    /// Returns true for a data packet whose payload a switch has cut off.
    #[inline]
    pub fn is_trimmed_data(&self) -> bool {
        self.len > 0 && self.flags & (KIND | ECE) == Kind::Data as u8 | ECE
    }

    /// Cuts the payload off. `wire` becomes the cost of the headers alone; [`Packet::len`] stays and tells how
    /// much is missing.
    pub fn trim(&mut self, wire: u16) {
        debug_assert!(self.carries_data(), "only data can be trimmed");
        self.set_trimmed(true);
        self.wire = wire;
    }

    /// Marks the packet "congestion experienced" if it is ECN-capable. Returns true if it is marked.
    #[inline]
    pub fn mark(&mut self) -> bool {
        let ect = self.flags & ECT != 0;
        self.flags |= if ect { CE } else { 0 };
        ect
    }
}

/// Generates the getter and the setter of each flag bit.
macro_rules! flag {
    ($(#[$doc:meta] $get:ident $set:ident $bit:ident;)*) => {
        impl Packet {
            $(
                #[$doc]
                #[inline]
                pub fn $get(&self) -> bool {
                    self.flags & $bit != 0
                }
                /// Sets or clears the flag.
                #[inline]
                pub fn $set(&mut self, on: bool) {
                    self.flags = self.flags & !$bit | if on { $bit } else { 0 };
                }
            )*
        }
    };
}

flag! {
    /// ECN-capable transport: switches may mark the packet.
    ect set_ect ECT;
    /// Congestion experienced: a switch has marked the packet.
    ce set_ce CE;
    /// Acknowledgement: the receiver echoes a mark (ECE).
    ece set_ece ECE;
    /// Data: the sender has reduced its window (CWR).
    cwr set_cwr CWR;
    /// Set while the path of the packet is recorded.
    traced set_traced TRACED;
    /// Data: a retransmission.
    retransmit set_retransmit RETRANSMIT;
    /// Acknowledgement: its first SACK block lies below it (RFC 2883). Shares the bit of `retransmit`.
    below set_below RETRANSMIT;
    /// Data: a switch has cut the payload off. Shares the bit of `ece`.
    trimmed set_trimmed ECE;
    /// Acknowledgement: answers a trimmed packet. Shares the bit of `cwr`.
    cut set_cut CWR;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ethernet_costs_38_bytes_and_84_at_least() {
        assert_eq!(Framing::Ethernet.wire(1500), 1538);
        assert_eq!(Framing::Ethernet.wire(40), 84);
        assert_eq!(Framing::Ethernet.wire(46), 84);
        assert_eq!(Framing::Ethernet.wire(47), 85);
        assert_eq!(Framing::Ip.wire(40), 40);
    }

    #[test]
    fn ppp_costs_two_bytes_and_buffers_them() {
        assert_eq!(Framing::Ppp.wire(40), 42);
        assert_eq!(Framing::Ppp.unbuffered(), 0);
    }

    #[test]
    fn a_packet_leaves_room_for_queue_links_in_a_cache_line() {
        assert_eq!(std::mem::size_of::<Packet>(), 52);
        assert_eq!(std::mem::align_of::<Packet>(), 4);
    }

    #[test]
    fn only_a_capable_packet_takes_a_mark() {
        let mut p = Packet::new(Kind::Data, FlowId(1), HostId(2), 3);
        assert!(!p.mark() && !p.ce());
        p.set_ect(true);
        assert!(p.mark() && p.ce());
        assert_eq!(p.kind(), Kind::Data);
    }

    #[test]
    fn an_acknowledgement_whose_first_block_lies_below_is_not_sent_again() {
        for (kind, again) in [(Kind::Data, true), (Kind::Syn, true), (Kind::Ack, false)] {
            let mut p = Packet::new(kind, FlowId(0), HostId(0), 0);
            assert!(!p.below() && !p.sent_again());
            p.set_below(true);
            assert_eq!((p.below(), p.sent_again()), (true, again), "{kind:?}");
            assert_eq!(p.kind(), kind);
        }
    }

    #[test]
    fn sequence_numbers_keep_48_bits_beside_the_service_the_end_and_the_echo_of_hops() {
        let most = Packet::MOST_SERVICE;
        for (service, ends, hops) in [
            (0, false, 0),
            (most, false, 0),
            (0, true, 0),
            (0, false, u8::MAX),
            (3, true, 5),
        ] {
            let mut p = Packet::new(Kind::Ack, FlowId(0), HostId(0), 0);
            p.set_ends(!ends);
            p.set_service(service);
            p.set_echoed_hops(hops);
            p.set_ends(ends);
            for seq in [Packet::MOST_SEQ, 0x1234_5678_9abc, 0] {
                p.set_seq(seq);
                assert_eq!(
                    (p.seq(), p.service(), p.ends(), p.echoed_hops()),
                    (seq, service, ends, hops)
                );
            }
            p.set_service(7);
            p.set_echoed_hops(9);
            assert_eq!((p.seq(), p.service(), p.echoed_hops()), (0, 7, 9));
            assert_eq!(p.ends(), ends);
        }
    }

    #[test]
    #[cfg(debug_assertions)]
    #[should_panic(expected = "a packet's sequence number has 48 bits, got 281474976710656")]
    fn a_sequence_number_of_49_bits_is_a_mistake() {
        Packet::new(Kind::Data, FlowId(0), HostId(0), 0).set_seq(1 << 48);
    }

    #[test]
    fn unmarked_data_ranks_behind_all_that_is_marked_and_what_has_no_payload_before() {
        let mut data = Packet::new(Kind::Data, FlowId(0), HostId(0), 0);
        assert_eq!(data.rank(), 0, "it carries nothing");
        data.len = 1460;
        assert_eq!((data.tag().tagged(), data.rank()), (false, u32::MAX));
        data.trim(84);
        assert_eq!(data.rank(), u32::MAX);
        data.set_rank(7);
        assert_eq!((data.tag().tagged(), data.rank()), (true, 7));
        let mut ack = Packet::new(Kind::Ack, FlowId(0), HostId(0), 0);
        let mut sack = SackBlocks::NONE;
        sack.push(u32::MAX - 1, u32::MAX);
        ack.set_sack(sack);
        assert_eq!((ack.sack(), ack.rank()), (sack, 0));
    }

    #[test]
    #[cfg(debug_assertions)]
    #[should_panic(expected = "only data has a tag")]
    fn an_acknowledgement_has_no_tag() {
        Packet::new(Kind::Ack, FlowId(0), HostId(0), 0).set_rank(0);
    }

    #[test]
    #[cfg(debug_assertions)]
    #[should_panic(expected = "only an acknowledgement has blocks")]
    fn data_has_no_sack_blocks() {
        Packet::new(Kind::Data, FlowId(0), HostId(0), 0).sack();
    }

    #[test]
    fn an_acknowledgement_grows_with_its_blocks() {
        assert_eq!([0, 1, 3].map(ack_packet_bytes), [40, 52, 68]);
    }
}
