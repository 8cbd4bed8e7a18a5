//! A real frame as the packet that policies see.

use crate::frame::{ETHERNET_BYTES, Frame, What};
use sidestep_types::{FlowId, Framing, HostId, Kind, Packet};

/// What a frame of `length` bytes costs on a link: FCS, preamble and gap included, and padding.
#[inline]
pub(super) fn wire(length: usize) -> u16 {
    let rest = length.saturating_sub(ETHERNET_BYTES);
    Framing::Ethernet.wire(rest as u32) as u16
}

/// Stands for no packet in particular.
pub(super) fn blank() -> Packet {
    Packet::new(Kind::Data, FlowId(0), HostId(0), 0)
}

/// The packet of a frame of `length` bytes, after its TTL has fallen, if it does.
///
/// A question for an address is taken for control, as acknowledgements are; other frames without
/// IP for data that nobody may mark.
#[inline]
pub(super) fn packet_of(frame: &Frame, length: usize, ages: bool) -> Packet {
    let ip = match &frame.what {
        What::Ip(ip) => ip,
        What::Asks(_) => return plain(Kind::Ack, frame, length),
        What::Other => return plain(Kind::Data, frame, length),
    };
    let mut packet = plain(ip.kind, frame, length);
    packet.len = ip.payload;
    packet.class = ip.dscp;
    packet.set_ect(ip.ecn != 0);
    packet.set_ce(ip.ecn == 3);
    if ages {
        packet.ttl = ip.ttl.saturating_sub(1);
    }
    packet
}

#[inline]
fn plain(kind: Kind, frame: &Frame, length: usize) -> Packet {
    // The hash stands for the flow as well: schedulers keep those of one flow in order by it.
    let mut packet = Packet::new(kind, FlowId(frame.hash), HostId(0), frame.hash);
    packet.wire = wire(length);
    packet.len = length.saturating_sub(ETHERNET_BYTES) as u16;
    packet
}
