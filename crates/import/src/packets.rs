//! Captures: pcap and pcapng.
//!
//! **Decision**     payload is counted by the lengths in the IP headers, so that a capture of headers alone (a
//!                  snapshot length of 96 bytes) gives the same flows. [`crate::tcp`] defines flows.
//! **Errors**       if a capture ends within a packet, the packets before it are kept, and the report says so.

use crate::counts::counted;
use crate::flows::{self, Flow};
use crate::hosts::Hosts;
use crate::number::micros;
use crate::tcp::{Conversations, Ends, Segment};
use crate::{Imported, Options};
use core::net::IpAddr;
use core::time::Duration;
use etherparse::{
    EtherType, IpNumber, LaxIpPayloadSlice, LaxNetSlice, LaxSlicedPacket, TransportSlice,
    ether_type,
};
use pcap_file::DataLink;
use pcap_file::pcap::{PcapParseError, PcapParser, RawPcapPacket};
use pcap_file::pcapng::{Block, PcapNgParseError, PcapNgParser};
use std::borrow::Cow;

/// Reads a capture as flows.
pub fn import(name: &str, bytes: &[u8], options: &Options) -> Result<Imported, String> {
    let mut reader = Reader {
        out: Imported::default(),
        conversations: Conversations::new(u128::from(options.idle_gap)),
        udp: options.udp,
        packets: 0,
    };
    if bytes.starts_with(&[0x0a, 0x0d, 0x0d, 0x0a]) {
        reader.pcapng(name, bytes)?;
    } else {
        reader.pcap(name, bytes)?;
    }
    let Reader {
        mut out,
        conversations,
        packets,
        ..
    } = reader;
    out.read("packets", packets);
    let done = conversations.finish();
    out.drop("payload bytes that were sent or captured again", done.again);
    if done.unseen > 0 {
        out.note(format!(
            "{} from the capture according to sequence numbers; they are counted",
            counted(done.unseen, "payload bytes are missing")
        ));
    }
    if done.between > 0 {
        out.note(format!(
            "Sequence numbers jump by {} bytes over pauses: the capture missed bytes or a SYN \
             there; they are in no flow",
            done.between
        ));
    }
    if done.joined > 0 {
        out.note(format!(
            "{} in the capture: earlier bytes are missing",
            counted(done.joined, "directions of connections have no SYN")
        ));
    }
    let mut hosts = options.hosts.clone().unwrap_or_else(Hosts::assigned);
    let mut all = Vec::new();
    for sent in done.flows {
        let Ends { src, dst, .. } = sent.ends;
        let (Some(src), Some(dst)) = (hosts.of(src.0), hosts.of(dst.0)) else {
            out.drop("flows with an address that is not in the map", 1);
            continue;
        };
        let flow = Flow {
            start: sent.start,
            src,
            dst,
            size: Some(sent.bytes),
            class: options.class_by_port.then(|| sent.class()),
            group: None,
        };
        all.push((sent.packet as usize, flow));
    }
    out.note(format!(
        "A flow is the payload of one direction of a connection, up to SYN, FIN, RST or {} us \
         without data; a wait of TCP (data sent again, a window of zero) is no pause",
        micros(options.idle_gap)
    ));
    hosts.settle(all.iter_mut().map(|(_, flow)| flow), &mut out);
    flows::write_placed(all, "packet", options, &mut out)?;
    Ok(out)
}

struct Reader {
    out: Imported,
    conversations: Conversations,
    udp: bool,
    packets: u64,
}

fn no_header(name: &str, kind: &str) -> String {
    format!("{name}: expected a whole {kind} header, got a file that ends within the header")
}

impl Reader {
    fn pcap(&mut self, name: &str, bytes: &[u8]) -> Result<(), String> {
        let (mut rest, parser) = PcapParser::new(bytes).map_err(|_| no_header(name, "pcap"))?;
        let header = parser.header();
        let nanos = header.ts_resolution == pcap_file::pcap::PcapTsResolution::NanoSecond;
        while !rest.is_empty() {
            if rest.len() >= 24 && rest[..6] == bytes[..6] {
                return Err(format!(
                    "{name}: packet {}: expected a packet, got the header of another capture: join \
                     captures with mergecap",
                    self.packets + 1
                ));
            }
            let (after, packet) = match parser.next_raw_packet(rest) {
                Ok(read) => read,
                Err(PcapParseError::IncompleteBuffer(..)) => return self.cut(name),
                Err(why) => return Err(self.wrong(name, &why.to_string())),
            };
            rest = after;
            let RawPcapPacket {
                ts_sec,
                ts_frac,
                orig_len,
                data,
                ..
            } = packet;
            self.packets += 1;
            let (unit, most) = if nanos {
                (1_000, 1_000_000_000)
            } else {
                (1_000_000, 1_000_000)
            };
            if ts_frac >= most {
                let unit = if nanos { "nanoseconds" } else { "microseconds" };
                return Err(format!(
                    "{name}: packet {}: expected less than a second of {unit}, as the header says, \
                     got {ts_frac}: the header or the times are wrong",
                    self.packets
                ));
            }
            let frac = u128::from(ts_frac) * unit;
            let at = u128::from(ts_sec) * 1_000_000_000_000 + frac;
            self.frame(at, header.datalink, &data, orig_len);
        }
        self.some(name)
    }

    fn pcapng(&mut self, name: &str, bytes: &[u8]) -> Result<(), String> {
        let (mut rest, mut parser) = PcapNgParser::new(bytes).map_err(|why| match why {
            PcapNgParseError::IncompleteBuffer(..) => no_header(name, "pcapng"),
            why => self.wrong(name, &why.to_string()),
        })?;
        while !rest.is_empty() {
            let (after, block) = match parser.next_block(rest) {
                Ok(read) => read,
                Err(PcapNgParseError::IncompleteBuffer(..)) => return self.cut(name),
                Err(why) => return Err(self.wrong(name, &why.to_string())),
            };
            rest = after;
            let link = |id: u32| parser.interfaces().get(id as usize).map(|of| of.linktype);
            match block {
                Block::EnhancedPacket(packet) => {
                    self.packets += 1;
                    match link(packet.interface_id) {
                        Some(link) => {
                            let at = picoseconds(packet.timestamp);
                            self.frame(at, link, &packet.data, packet.original_len);
                        }
                        None => self
                            .out
                            .drop("packets of an interface without a description block", 1),
                    }
                }
                Block::SimplePacket(_) | Block::Packet(_) => {
                    self.packets += 1;
                    self.out.drop(
                        "packets in blocks without a time, or of an obsolete kind",
                        1,
                    );
                }
                _ => {}
            }
        }
        self.some(name)
    }

    /// Reports a file that ends within a packet.
    fn cut(&mut self, name: &str) -> Result<(), String> {
        self.some(name)?;
        self.out.note(format!(
            "The capture ends within packet {}: the packets before it are kept",
            self.packets + 1
        ));
        Ok(())
    }

    fn some(&self, name: &str) -> Result<(), String> {
        match self.packets {
            0 => Err(format!(
                "{name}: expected packets, got a capture without a complete one"
            )),
            _ => Ok(()),
        }
    }

    fn wrong(&self, name: &str, why: &str) -> String {
        let why: String = why.chars().filter(|c| !c.is_control()).take(80).collect();
        format!(
            "{name}: packet {}: expected a capture, got: {why}",
            self.packets + 1
        )
    }

    /// Reads a packet of which `data` was captured and `length` bytes were on the wire.
    fn frame(&mut self, at: u128, link: DataLink, data: &[u8], length: u32) {
        let packet = match sliced(link, data) {
            Ok(packet) => packet,
            Err(why) => return self.out.drop(&why, 1),
        };
        let Some((src, dst, payload, ip_bytes)) = network(&packet, data, length) else {
            return self.out.drop("packets that are neither IPv4 nor IPv6", 1);
        };
        if payload.fragmented {
            return self.out.drop("fragments of IP packets", 1);
        }
        let udp = payload.ip_number == IpNumber::UDP;
        match &packet.transport {
            Some(TransportSlice::Tcp(tcp)) => {
                let header = tcp.header_slice().len() as u64;
                self.conversations.segment(Segment {
                    at,
                    packet: self.packets,
                    ends: Ends {
                        tcp: true,
                        src: (src, tcp.source_port()),
                        dst: (dst, tcp.destination_port()),
                    },
                    sequence: tcp.sequence_number(),
                    acknowledges: tcp.ack().then(|| tcp.acknowledgment_number()),
                    window: tcp.window_size(),
                    bytes: ip_bytes.saturating_sub(header),
                    syn: tcp.syn(),
                    fin: tcp.fin(),
                    rst: tcp.rst(),
                    push: tcp.psh(),
                });
            }
            Some(TransportSlice::Udp(datagram)) if self.udp => {
                self.conversations.datagram(
                    at,
                    self.packets,
                    Ends {
                        tcp: false,
                        src: (src, datagram.source_port()),
                        dst: (dst, datagram.destination_port()),
                    },
                    ip_bytes.saturating_sub(8),
                );
            }
            _ if payload.ip_number == IpNumber::TCP || (udp && self.udp) => {
                self.out
                    .drop("packets captured without a complete header", 1);
            }
            _ if udp => self.out.drop("UDP packets (--udp includes them)", 1),
            _ => self.out.drop("packets that are neither TCP nor UDP", 1),
        }
    }
}

fn picoseconds(time: Duration) -> u128 {
    time.as_nanos().saturating_mul(1_000)
}

/// Parses the headers of a frame, of which only a part may have been captured.
fn sliced(link: DataLink, data: &[u8]) -> Result<LaxSlicedPacket<'_>, Cow<'static, str>> {
    const SHORT: &str = "packets captured without a complete header";
    let typed = |skip: usize, at: usize| {
        let kind = data
            .get(at..at + 2)
            .and_then(|two| two.first_chunk::<2>())
            .ok_or(SHORT)?;
        let rest = data.get(skip..).ok_or(SHORT)?;
        let kind = EtherType(u16::from_be_bytes(*kind));
        Ok(LaxSlicedPacket::from_ether_type(kind, rest))
    };
    let ip = |rest: Option<&'_ [u8]>| -> Result<_, Cow<'static, str>> {
        // The version field decides, whatever the link type.
        let rest = rest.filter(|rest| !rest.is_empty()).ok_or(SHORT)?;
        Ok(if rest[0] >> 4 == 6 {
            ether_type::IPV6
        } else {
            ether_type::IPV4
        })
    };
    match link {
        DataLink::ETHERNET => LaxSlicedPacket::from_ethernet(data).map_err(|_| SHORT.into()),
        DataLink::LINUX_SLL => typed(16, 14),
        DataLink::LINUX_SLL2 => typed(20, 0),
        DataLink::RAW | DataLink::IPV4 | DataLink::IPV6 => {
            Ok(LaxSlicedPacket::from_ether_type(ip(Some(data))?, data))
        }
        DataLink::NULL | DataLink::LOOP => {
            let kind = ip(data.get(4..))?;
            Ok(LaxSlicedPacket::from_ether_type(kind, &data[4..]))
        }
        other => Err(unread_link(u32::from(other)).into()),
    }
}

/// Names of link types that are not read.
const LINKS: &[(u32, &str)] = &[
    (9, "PPP"),
    (105, "Wi-Fi"),
    (119, "Wi-Fi with Prism headers"),
    (127, "Wi-Fi with radiotap headers"),
    (147, "private use"),
    (187, "Bluetooth"),
    (189, "USB of Linux"),
    (192, "PPI"),
    (195, "IEEE 802.15.4"),
    (201, "Bluetooth with directions"),
    (220, "USB of Linux, padded"),
    (239, "NFLOG of Linux"),
    (249, "USBPcap"),
    (253, "netlink of Linux"),
];

/// Says which link type packets have, and which ones are read.
fn unread_link(link: u32) -> String {
    let named = LINKS.iter().find(|(number, _)| *number == link);
    let name = named.map_or(String::new(), |(_, name)| format!(" ({name})"));
    format!(
        "packets of link type {link}{name}: those that are read are Ethernet (1), raw IP (101, 228, 229), loopback \
         (0, 108) and Linux cooked (113, 276)"
    )
}

/// Returns the addresses, the captured payload, and its length according to the header.
fn network<'a, 'p>(
    packet: &'p LaxSlicedPacket<'a>,
    data: &[u8],
    length: u32,
) -> Option<(IpAddr, IpAddr, &'p LaxIpPayloadSlice<'a>, u64)> {
    let not_captured = u64::from(length).saturating_sub(data.len() as u64);
    match packet.net.as_ref()? {
        LaxNetSlice::Ipv4(v4) => {
            let header = v4.header();
            let own = header.slice().len() as u64;
            let auth = v4
                .extensions()
                .auth
                .map_or(0, |auth| auth.slice().len() as u64);
            let said = u64::from(header.total_len());
            let payload = v4.payload();
            let bytes = match said {
                // With segmentation left to the NIC, the header has no length; that of the frame is used.
                0 => payload.payload.len() as u64 + not_captured,
                said => said.saturating_sub(own + auth),
            };
            let (src, dst) = (header.source_addr(), header.destination_addr());
            Some((src.into(), dst.into(), payload, bytes))
        }
        LaxNetSlice::Ipv6(v6) => {
            let header = v6.header();
            let said = u64::from(header.payload_length());
            let payload = v6.payload();
            let bytes = match said {
                0 => payload.payload.len() as u64 + not_captured,
                said => said.saturating_sub(v6.extensions().slice().len() as u64),
            };
            let (src, dst) = (header.source_addr(), header.destination_addr());
            Some((src.into(), dst.into(), payload, bytes))
        }
        LaxNetSlice::Arp(_) => None,
    }
}
