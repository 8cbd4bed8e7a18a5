//! Parser of bytes into a [`Frame`].

use super::answer;
use super::bytes::{array, ones_sum};
use super::{ETHERNET_BYTES, Frame, FrameContent, Ip, LONGEST_FRAME, Refusal};
use crate::setup::Mac;
use etherparse::{
    Ethernet2HeaderSlice, IpNumber, Ipv4HeaderSlice, Ipv6ExtensionsSlice, Ipv6HeaderSlice,
    TcpHeaderSlice, UdpHeaderSlice, ip_number,
};
use sidestep_types::{Kind, mix64};

pub(super) const IPV4: u16 = 0x0800;
const ARP: u16 = 0x0806;
pub(super) const IPV6: u16 = 0x86dd;

/// Types of VLAN tags: 802.1Q, 802.1ad, and the one before that.
const VLANS: [u16; 3] = [0x8100, 0x88a8, 0x9100];

/// First type: lower values are lengths (IEEE 802.3, 3.2.6).
pub(super) const FIRST_TYPE: u16 = 0x0600;

/// Reads a frame, from its destination address to before its FCS. An error is the reason for dropping it.
#[inline]
pub fn read(bytes: &[u8]) -> Result<Frame, Refusal> {
    read_within(bytes, LONGEST_FRAME)
}

/// Reads a frame as [`read`] does, where frames have up to `longest` bytes.
#[inline]
pub fn read_within(bytes: &[u8], longest: usize) -> Result<Frame, Refusal> {
    if bytes.len() > longest {
        return Err(Refusal::Oversized);
    }
    body(bytes, ETHERNET_BYTES)
}

/// Reads a frame whose type stands right before `at`, and the rest of it from there.
#[inline]
pub(super) fn body(bytes: &[u8], at: usize) -> Result<Frame, Refusal> {
    let header = Ethernet2HeaderSlice::from_slice(bytes).map_err(|_| Refusal::Truncated)?;
    let (dst, src) = (Mac(header.destination()), Mac(header.source()));
    if src.is_group() {
        return Err(Refusal::GroupSource);
    }
    if dst.is_link_local() {
        return Err(Refusal::Reserved);
    }
    let payload = &bytes[at..];
    let (what, hash, host) = match u16::from_be_bytes([bytes[at - 2], bytes[at - 1]]) {
        IPV4 => v4(payload, at)?,
        IPV6 => v6(payload, at)?,
        ARP => (
            answer::asked_by_arp(payload)?,
            of_macs(dst, src),
            of_mac(dst),
        ),
        vlan if VLANS.contains(&vlan) => return Err(Refusal::Vlan),
        length if length < FIRST_TYPE => return Err(Refusal::Llc),
        _ => (FrameContent::Other, of_macs(dst, src), of_mac(dst)),
    };
    Ok(Frame {
        dst,
        src,
        what,
        hash,
        host,
        tag: None,
    })
}

fn of_mac(mac: Mac) -> u32 {
    mix64(mac.bits()) as u32
}

fn of_macs(dst: Mac, src: Mac) -> u32 {
    mix64(mix64(dst.bits()) ^ src.bits()) as u32
}

#[inline]
fn v4(packet: &[u8], start: usize) -> Result<(FrameContent, u32, u32), Refusal> {
    let header = Ipv4HeaderSlice::from_slice(packet).map_err(|error| match error {
        etherparse::err::ipv4::HeaderSliceError::Len(_) => Refusal::Truncated,
        etherparse::err::ipv4::HeaderSliceError::Content(_) => Refusal::BadHeader,
    })?;
    let head = header.slice();
    if ones_sum(head) != 0xffff {
        return Err(Refusal::BadChecksum);
    }
    let total = usize::from(header.total_len());
    if total > packet.len() || total < head.len() {
        return Err(Refusal::BadLength);
    }
    let whole = !header.is_fragmenting_payload();
    let rest = &packet[head.len()..total];
    let inner = Inner::read(header.protocol(), rest, whole);
    let addresses = u64::from_be_bytes(array(&head[12..20]));
    let hash = mix64(mix64(addresses) ^ inner.hashed) as u32;
    let at = start + head.len();
    let ip = Ip {
        v6: false,
        ttl: header.ttl(),
        dscp: head[1] >> 2,
        ecn: head[1] & 3,
        kind: inner.kind,
        ends: inner.ends,
        payload: inner.payload,
        tcp_at: inner.trims.then_some(at as u16),
        at: start as u16,
        end: (start + total) as u16,
    };
    // The destination is the lower half of the two.
    Ok((FrameContent::Ip(ip), hash, addresses as u32))
}

#[inline]
fn v6(packet: &[u8], start: usize) -> Result<(FrameContent, u32, u32), Refusal> {
    let header = Ipv6HeaderSlice::from_slice(packet).map_err(|error| match error {
        etherparse::err::ipv6::HeaderSliceError::Len(_) => Refusal::Truncated,
        etherparse::err::ipv6::HeaderSliceError::Content(_) => Refusal::BadHeader,
    })?;
    let head = header.slice();
    let total = head.len() + usize::from(header.payload_length());
    if total > packet.len() {
        return Err(Refusal::BadLength);
    }
    let behind = &packet[head.len()..total];
    let (next, rest, whole) = past_extensions(header.next_header(), behind);
    let hashed = |inner: u64| {
        let words = head[8..40].chunks_exact(8);
        let addresses = words.fold(0, |h, word| mix64(h ^ u64::from_be_bytes(array(word))));
        mix64(addresses ^ inner) as u32
    };
    let words = head[24..40].chunks_exact(8);
    let host = words.fold(0, |h, word| mix64(h ^ u64::from_be_bytes(array(word)))) as u32;
    if next == ip_number::IPV6_ICMP && whole {
        match answer::asked_by_neighbour(header, rest) {
            FrameContent::Ip(_) => {}
            discovery => return Ok((discovery, hashed(0), host)),
        }
    }
    let inner = Inner::read(next, rest, whole);
    let at = start + total - rest.len();
    let ip = Ip {
        v6: true,
        ttl: header.hop_limit(),
        dscp: header.traffic_class() >> 2,
        ecn: header.traffic_class() & 3,
        kind: inner.kind,
        ends: inner.ends,
        payload: inner.payload,
        tcp_at: inner.trims.then_some(at as u16),
        at: start as u16,
        end: (start + total) as u16,
    };
    Ok((FrameContent::Ip(ip), hashed(inner.hashed), host))
}

/// Returns protocol and payload behind IPv6's extension headers, and whether the payload is unfragmented.
/// Truncated headers are left to the receiving host: the packet then has no ports.
pub(super) fn past_extensions(first: IpNumber, behind: &[u8]) -> (IpNumber, &[u8], bool) {
    if !first.is_ipv6_ext_header_value() {
        return (first, behind, true);
    }
    let (extensions, next, rest, error) = Ipv6ExtensionsSlice::from_slice_lax(first, behind);
    let whole = error.is_none() && !extensions.is_fragmenting_payload();
    (next, rest, whole)
}

/// Parts of an IP packet's payload that a switch needs.
struct Inner {
    kind: Kind,
    /// True for TCP with FIN or RST.
    ends: bool,
    payload: u16,
    /// True for unfragmented TCP with payload.
    trims: bool,
    /// Protocol and ports, for the hash.
    hashed: u64,
}

impl Inner {
    #[inline]
    fn read(protocol: IpNumber, rest: &[u8], whole: bool) -> Inner {
        let data = Inner {
            kind: Kind::Data,
            ends: false,
            payload: rest.len() as u16,
            trims: false,
            hashed: 0,
        };
        if !whole {
            return data;
        }
        // Both ports, in the order of the header.
        let hashed = |from: u16, to: u16| {
            u64::from(protocol.0) << 32 | u64::from(from) << 16 | u64::from(to)
        };
        match protocol {
            ip_number::TCP => {
                let Ok(tcp) = TcpHeaderSlice::from_slice(rest) else {
                    return data;
                };
                let payload = rest.len() - tcp.slice().len();
                let kind = match (tcp.syn(), tcp.ack(), payload) {
                    (true, false, _) => Kind::Syn,
                    (true, true, _) => Kind::SynAck,
                    (false, _, 0) => Kind::Ack,
                    (false, _, _) => Kind::Data,
                };
                Inner {
                    kind,
                    ends: tcp.fin() || tcp.rst(),
                    payload: payload as u16,
                    trims: kind == Kind::Data,
                    hashed: hashed(tcp.source_port(), tcp.destination_port()),
                }
            }
            ip_number::UDP => {
                let Ok(udp) = UdpHeaderSlice::from_slice(rest) else {
                    return data;
                };
                Inner {
                    hashed: hashed(udp.source_port(), udp.destination_port()),
                    ..data
                }
            }
            _ => Inner {
                hashed: hashed(0, 0),
                ..data
            },
        }
    }
}
