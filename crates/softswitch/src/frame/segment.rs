//! TCP segment as the ends of its connection see it, for shims.

use super::ETHERNET_BYTES;
use super::read::past_extensions;
use etherparse::{
    Ethernet2HeaderSlice, Ipv4HeaderSlice, Ipv6HeaderSlice, TcpHeaderSlice, TcpOptionElement,
    ip_number,
};
use std::net::IpAddr;

/// Address and port.
pub type End = (IpAddr, u16);

/// Unfragmented TCP segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Segment {
    /// Sender.
    pub from: End,
    /// Receiver.
    pub to: End,
    /// Code point of differentiated services, 0 to 63.
    pub dscp: u8,
    /// Sequence number of its first byte, or of its SYN.
    pub seq: u32,
    /// Next byte that its sender expects.
    pub ack: u32,
    /// Bytes of payload.
    pub payload: u16,
    /// SYN flag: it opens a connection, or answers that.
    pub syn: bool,
    /// ACK flag: it acknowledges data of the other direction.
    pub acks: bool,
    /// FIN flag: its sender sends nothing behind it.
    pub fin: bool,
    /// RST flag: the connection is aborted.
    pub rst: bool,
    /// ECE flag: its sender echoes a mark.
    pub ece: bool,
    /// Window, unscaled.
    pub window: u16,
    /// True if it has SACK blocks.
    pub sacks: bool,
}

/// Returns the segment in a valid frame; `None` for anything else, fragments included.
pub fn segment(bytes: &[u8]) -> Option<Segment> {
    let header = Ethernet2HeaderSlice::from_slice(bytes).ok()?;
    let packet = &bytes[ETHERNET_BYTES..];
    let (from, to, dscp, inner): (IpAddr, IpAddr, u8, &[u8]) = match header.ether_type().0 {
        super::read::IPV4 => {
            let header = Ipv4HeaderSlice::from_slice(packet).ok()?;
            if header.protocol() != ip_number::TCP || header.is_fragmenting_payload() {
                return None;
            }
            let inner = packet.get(header.slice().len()..usize::from(header.total_len()))?;
            let (from, to) = (header.source_addr(), header.destination_addr());
            (from.into(), to.into(), header.dcp().value(), inner)
        }
        super::read::IPV6 => {
            let header = Ipv6HeaderSlice::from_slice(packet).ok()?;
            let first = header.slice().len();
            let behind = packet.get(first..first + usize::from(header.payload_length()))?;
            let (next, inner, whole) = past_extensions(header.next_header(), behind);
            if next != ip_number::TCP || !whole {
                return None;
            }
            let (from, to) = (header.source_addr(), header.destination_addr());
            (from.into(), to.into(), header.traffic_class() >> 2, inner)
        }
        _ => return None,
    };
    let tcp = TcpHeaderSlice::from_slice(inner).ok()?;
    Some(Segment {
        from: (from, tcp.source_port()),
        to: (to, tcp.destination_port()),
        dscp,
        seq: tcp.sequence_number(),
        ack: tcp.acknowledgment_number(),
        payload: (inner.len() - tcp.slice().len()) as u16,
        syn: tcp.syn(),
        acks: tcp.ack(),
        fin: tcp.fin(),
        rst: tcp.rst(),
        ece: tcp.ece(),
        window: tcp.window_size(),
        sacks: tcp
            .options_iterator()
            .any(|option| matches!(option, Ok(TcpOptionElement::SelectiveAcknowledgement(..)))),
    })
}

impl Segment {
    /// Returns the sequence numbers that it uses, without a SYN's: the end of a connection uses one too.
    pub fn takes(&self) -> u16 {
        self.payload + u16::from(self.fin || self.rst)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::sample::{Sample, arp_request};

    #[test]
    fn an_acknowledgement_says_its_window_its_echo_and_whether_it_has_blocks() {
        let sample = Sample {
            flags: Some(0x50),
            ack: 77,
            window: 300,
            ..Sample::tcp(1, 2, 0)
        };
        let got = segment(&sample.bytes()).unwrap();
        assert_eq!(
            (got.ack, got.window, got.ece, got.sacks),
            (77, 300, true, false)
        );
        // Timestamps only, and then blocks behind them.
        let mut options = vec![1, 1, 8, 10, 0, 0, 0, 1, 0, 0, 0, 2];
        for blocks in [false, true] {
            if blocks {
                options.extend([1, 1, 5, 10, 0, 0, 0, 90, 0, 0, 0, 99]);
            }
            let with = Sample {
                flags: Some(0x10),
                options: options.clone(),
                ..sample.clone()
            };
            let got = segment(&with.bytes()).unwrap();
            assert_eq!((got.ece, got.sacks, got.takes()), (false, blocks, 0));
        }
    }

    #[test]
    fn a_segment_is_read_by_both_families_and_nothing_else_is_one() {
        let sample = Sample {
            seq: 0xffff_fff0,
            flags: Some(0x11),
            ..Sample::tcp(1, 2, 30)
        };
        for sample in [sample.clone(), sample.clone().over_v6()] {
            let got = segment(&sample.bytes()).unwrap();
            assert_eq!((got.from.0, got.to.0), sample.addresses);
            assert_eq!((got.from.1, got.to.1), sample.ports);
            assert_eq!((got.seq, got.payload, got.takes()), (0xffff_fff0, 30, 31));
            assert!(got.fin && got.acks && !got.syn && !got.rst);
        }
        // Ethernet pads short frames: padding is not payload.
        let short = Sample {
            payload: vec![],
            ..sample.clone()
        };
        let mut padded = short.bytes();
        padded.resize(60, 0);
        assert_eq!(segment(&padded).unwrap().payload, 0);
        let udp = Sample {
            flags: None,
            ..sample
        };
        assert_eq!(segment(&udp.bytes()), None);
        assert_eq!(segment(&arp_request(1, [10, 77, 0, 2])), None);
        assert_eq!(segment(&[]), None);
    }
}
