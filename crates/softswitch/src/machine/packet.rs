//! Conversion of a real frame into the packet that policies see.

use crate::frame::{ETHERNET_BYTES, Frame, FrameContent};
use sidestep_types::{FlowId, Framing, HostId, Kind, Packet};

/// Returns the bytes that a frame of `length` bytes occupies on a link: with FCS, preamble, gap and padding.
#[inline]
pub(super) fn wire(length: usize) -> u16 {
    let rest = length.saturating_sub(ETHERNET_BYTES);
    Framing::Ethernet.wire(rest as u32) as u16
}

/// Returns a placeholder packet.
pub(super) fn blank() -> Packet {
    Packet::new(Kind::Data, FlowId(0), HostId(0), 0)
}

/// Returns the packet of a frame of `length` bytes, after its TTL is decremented if `ages`.
///
/// A request for an address counts as control, like an acknowledgement; other frames without IP count as data
/// that nobody may mark.
#[inline]
pub(super) fn packet_of(frame: &Frame, length: usize, ages: bool) -> Packet {
    let ip = match &frame.what {
        FrameContent::Ip(ip) => ip,
        FrameContent::Asks(_) => return plain(Kind::Ack, frame, length),
        FrameContent::Other => return plain(Kind::Data, frame, length),
    };
    let mut packet = plain(ip.kind, frame, length);
    packet.len = ip.payload;
    packet.set_service(ip.dscp);
    packet.set_ends(ip.ends);
    packet.set_ect(ip.ecn != 0);
    packet.set_ce(ip.ecn == 3);
    if ages {
        packet.ttl = ip.ttl.saturating_sub(1);
    }
    packet
}

#[inline]
fn plain(kind: Kind, frame: &Frame, length: usize) -> Packet {
    // The hash stands for the flow as well: schedulers keep the order of a flow by it.
    let mut packet = Packet::new(kind, FlowId(frame.hash), HostId(frame.host), frame.hash);
    packet.wire = wire(length);
    packet.len = length.saturating_sub(ETHERNET_BYTES) as u16;
    packet
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::{self, sample::Sample};

    #[test]
    fn a_frame_is_an_unmarked_packet_whose_service_is_its_code_point() {
        let sample = Sample {
            tos: 63 << 2 | 2,
            ..Sample::tcp(1, 2, 1000)
        };
        let bytes = sample.bytes();
        let packet = packet_of(&frame::read(&bytes).unwrap(), bytes.len(), true);
        assert_eq!((packet.service(), packet.class), (63, 0));
        assert_eq!((packet.tag().tagged(), packet.rank()), (false, u32::MAX));
    }

    #[test]
    fn a_segment_with_fin_or_rst_ends_its_flow_with_payload_or_without() {
        for (flags, ends) in [(0x10, false), (0x11, true), (0x14, true), (0x02, false)] {
            for payload in [0, 1000] {
                let sample = Sample {
                    flags: Some(flags),
                    ..Sample::tcp(1, 2, payload)
                };
                for sample in [sample.clone(), sample.over_v6()] {
                    let bytes = sample.bytes();
                    let packet = packet_of(&frame::read(&bytes).unwrap(), bytes.len(), true);
                    assert_eq!(packet.ends(), ends, "{flags:x} {payload}");
                }
            }
        }
    }
}
