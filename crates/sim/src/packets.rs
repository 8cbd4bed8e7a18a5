//! Conversion between the transport's segments and acknowledgements and packets.

use crate::config::WorldConfig;
use sidestep_transport::{Ack, Arrival, Segment};
use sidestep_types::{FlowId, HEADER_BYTES, HostId, Kind, Packet, ack_packet_bytes, mix64};

#[inline]
pub(crate) fn data_packet(
    segment: Segment,
    flow: FlowId,
    dst: HostId,
    hash: u32,
    class: u8,
    config: &WorldConfig,
) -> Packet {
    let kind = if segment.syn { Kind::Syn } else { Kind::Data };
    let mut packet = Packet::new(kind, flow, dst, hash);
    packet.set_seq(segment.seq);
    packet.len = segment.len as u16;
    packet.wire = config.framing.wire(HEADER_BYTES + segment.len) as u16;
    packet.ttl = config.ttl;
    packet.class = class;
    packet.set_ect(segment.ect);
    packet.set_cwr(segment.cwr);
    packet.set_retransmit(segment.retransmit);
    if let Some(rank) = segment.rank {
        packet.set_rank(rank);
    }
    packet
}

/// Writes into its tag the place of a data packet in the data that several subflows carry together.
#[cold]
pub(crate) fn set_data_seq(packet: &mut Packet, at: u64) {
    let mut tag = packet.tag();
    tag.set_data_seq(at);
    packet.set_tag(tag);
}

/// Reads the place written by [`set_data_seq`]; 0 for a SYN.
#[cold]
pub(crate) fn data_seq(packet: &Packet) -> u64 {
    match packet.kind() {
        Kind::Data => packet.tag().data_seq(),
        _ => 0,
    }
}

#[inline]
pub(crate) fn ack_packet(
    ack: &Ack,
    flow: FlowId,
    dst: HostId,
    hash: u32,
    class: u8,
    config: &WorldConfig,
) -> Packet {
    let kind = if ack.syn { Kind::SynAck } else { Kind::Ack };
    let mut packet = Packet::new(kind, flow, dst, hash);
    packet.set_seq(ack.ack);
    packet.set_echoed_hops(ack.hops);
    packet.wire = config.framing.wire(ack_packet_bytes(ack.sack.len())) as u16;
    packet.ttl = config.ttl;
    packet.class = class;
    packet.set_ece(ack.ece);
    packet.set_cut(ack.cut);
    packet.set_below(ack.below);
    packet.set_sack(ack.sack);
    packet
}

#[inline]
pub(crate) fn arrival(packet: &Packet, config: &WorldConfig) -> Arrival {
    Arrival {
        seq: packet.seq(),
        len: u32::from(packet.len),
        syn: packet.kind() == Kind::Syn,
        ce: packet.ce(),
        cwr: packet.cwr(),
        trimmed: packet.trimmed(),
        hops: config.ttl.wrapping_sub(packet.ttl),
    }
}

#[inline]
pub(crate) fn ack(packet: &Packet) -> Ack {
    Ack {
        ack: packet.seq(),
        ece: packet.ece(),
        syn: packet.kind() == Kind::SynAck,
        sack: packet.sack(),
        cut: packet.cut(),
        below: packet.below(),
        hops: packet.echoed_hops(),
    }
}

/// Returns a flow's two 5-tuple hashes, forward and back.
pub(crate) fn flow_hashes(salt: u64, flow: u32) -> (u32, u32) {
    let mixed = mix64(salt ^ u64::from(flow));
    (mixed as u32, (mixed >> 32) as u32)
}
