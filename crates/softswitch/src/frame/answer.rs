//! Address requests, by ARP (RFC 826) or neighbour solicitation (RFC 4861), and their answers.

use super::bytes::{array, ones_sum};
use super::{ETHERNET_BYTES, FrameContent, Refusal};
use crate::setup::Mac;
use etherparse::{ArpPacketSlice, Ipv6HeaderSlice, ip_number};
use std::net::{IpAddr, Ipv6Addr};

/// Bytes of the longest answer: Ethernet, IPv6, a neighbour advertisement with one option.
pub const ANSWER_BYTES: usize = ETHERNET_BYTES + 40 + 32;

/// Bytes of an ARP packet for IPv4 on Ethernet, without padding.
const ARP_BYTES: usize = 28;

/// MAC of the group ff02::1 (RFC 2464, 7).
const ALL_NODES: [u8; 6] = [0x33, 0x33, 0, 0, 0, 1];

const REQUEST: u16 = 1;
const SOLICITATION: u8 = 135;
const ADVERTISEMENT: u8 = 136;

/// Types of router and neighbour discovery, and redirects: hosts accept them only with a hop limit of 255.
const DISCOVERY: std::ops::RangeInclusive<u8> = 133..=137;

/// Returns the request in an ARP packet, if it is one.
pub(super) fn asked_by_arp(packet: &[u8]) -> Result<FrameContent, Refusal> {
    let arp = ArpPacketSlice::from_slice(packet).map_err(|_| Refusal::Truncated)?;
    let sizes = (arp.hw_addr_size(), arp.proto_addr_size());
    let plain = arp.hw_addr_type().0 == 1 && arp.proto_addr_type().0 == 0x0800 && sizes == (6, 4);
    if !plain || arp.operation().0 != REQUEST {
        return Ok(FrameContent::Other);
    }
    let target: [u8; 4] = array(arp.target_protocol_addr());
    Ok(FrameContent::Asks(target.into()))
}

/// Returns the request in an ICMPv6 packet: [`FrameContent::Asks`] for a valid solicitation, [`FrameContent::Other`] for other
/// neighbour discovery, `FrameContent::Ip` for everything else.
pub(super) fn asked_by_neighbour(header: Ipv6HeaderSlice<'_>, icmp: &[u8]) -> FrameContent {
    let discovery = icmp.first().is_some_and(|kind| DISCOVERY.contains(kind));
    if !discovery || header.hop_limit() != 255 {
        return FrameContent::Ip(NOTHING);
    }
    let sound = icmp.len() >= 24 && icmp[1] == 0 && checks(header.slice(), icmp);
    if icmp[0] != SOLICITATION || !sound {
        return FrameContent::Other;
    }
    let target: [u8; 16] = array(&icmp[8..24]);
    FrameContent::Asks(Ipv6Addr::from(target).into())
}

/// Placeholder for any IP packet.
const NOTHING: super::Ip = super::Ip {
    v6: true,
    ttl: 0,
    dscp: 0,
    ecn: 0,
    kind: sidestep_types::Kind::Data,
    ends: false,
    payload: 0,
    tcp_at: None,
    at: 0,
    end: 0,
};

/// Returns true if the checksum of this ICMPv6 packet is right.
fn checks(header: &[u8], icmp: &[u8]) -> bool {
    sum_v6(&header[8..40], icmp) == 0xffff
}

/// Returns the sum over the pseudo-header of RFC 8200, 8.1, and an ICMPv6 packet.
pub(super) fn sum_v6(addresses: &[u8], icmp: &[u8]) -> u16 {
    let rest = [icmp.len() as u32, u32::from(ip_number::IPV6_ICMP.0)];
    let sum = u32::from(ones_sum(addresses)) + u32::from(ones_sum(icmp)) + rest[0] + rest[1];
    let sum = (sum & 0xffff) + (sum >> 16);
    ((sum & 0xffff) + (sum >> 16)) as u16
}

/// Writes the answer to `asked`, in which [`super::read`] found a request for `ip`, into `out`: `mac` has the
/// address, and is a `router` or not. Returns the length of the answer.
pub fn answer_to(
    asked: &[u8],
    ip: IpAddr,
    mac: Mac,
    router: bool,
    out: &mut [u8; ANSWER_BYTES],
) -> usize {
    let asker: [u8; 6] = array(&asked[6..12]);
    out[..6].copy_from_slice(&asker);
    out[6..12].copy_from_slice(&mac.0);
    out[12..14].copy_from_slice(&asked[12..14]);
    let body = &mut out[ETHERNET_BYTES..];
    match ip {
        IpAddr::V4(_) => arp_reply(&asked[ETHERNET_BYTES..], mac, body),
        IpAddr::V6(ip) => {
            let nameless = advertisement(&asked[ETHERNET_BYTES..], ip, mac, router, body);
            if nameless {
                out[..6].copy_from_slice(&ALL_NODES);
            }
            ANSWER_BYTES
        }
    }
}

/// Writes the request with both sides swapped and the MAC filled in.
fn arp_reply(request: &[u8], mac: Mac, out: &mut [u8]) -> usize {
    out[..8].copy_from_slice(&request[..8]);
    out[7] = 2;
    out[8..14].copy_from_slice(&mac.0);
    out[14..18].copy_from_slice(&request[24..28]);
    out[18..28].copy_from_slice(&request[8..18]);
    ETHERNET_BYTES + ARP_BYTES
}

/// Writes an advertisement; returns true if it goes to all nodes.
fn advertisement(
    solicitation: &[u8],
    ip: Ipv6Addr,
    mac: Mac,
    router: bool,
    out: &mut [u8],
) -> bool {
    let asker: [u8; 16] = array(&solicitation[8..24]);
    // A requester without an address is answered by a message to all nodes (RFC 4861, 7.2.4).
    let nameless = Ipv6Addr::from(asker).is_unspecified();
    let to = if nameless {
        Ipv6Addr::new(0xff02, 0, 0, 0, 0, 0, 0, 1)
    } else {
        asker.into()
    };
    out[..8].copy_from_slice(&[0x60, 0, 0, 0, 0, 32, ip_number::IPV6_ICMP.0, 255]);
    out[8..24].copy_from_slice(&ip.octets());
    out[24..40].copy_from_slice(&to.octets());
    let (head, icmp) = out.split_at_mut(40);
    let icmp = &mut icmp[..32];
    // Router, solicited, override.
    let flags = u8::from(router) << 7 | u8::from(!nameless) << 6 | 1 << 5;
    icmp[..8].copy_from_slice(&[ADVERTISEMENT, 0, 0, 0, flags, 0, 0, 0]);
    icmp[8..24].copy_from_slice(&ip.octets());
    icmp[24..26].copy_from_slice(&[2, 1]);
    icmp[26..32].copy_from_slice(&mac.0);
    let checksum = !sum_v6(&head[8..40], icmp);
    icmp[2..4].copy_from_slice(&checksum.to_be_bytes());
    nameless
}
