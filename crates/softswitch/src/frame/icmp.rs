//! ICMP messages of a router to the senders of packets that are not forwarded.
//!
//! **Decision**     none; about some packets no message may be sent: [`may_tell`].
//! **State**        none.
//! **Units**        bytes. A message quotes the packet as it came in, up to 576 bytes in all for IPv4, 1280 for
//!                  IPv6.
//! **Source**       RFC 792; RFC 1812, 4.3.2 (which message for which packet, with which precedence) and 5.3.1;
//!                  RFC 4443, 2.4, 3.1 and 3.3; RFC 6864, 4.1 (an identification of 0 where fragmentation is
//!                  forbidden).
//! **Deviations**   an ICMP message of a type not known to be a request counts as an error: no message is sent
//!                  about it. A fragment of IPv6 that is not the first is treated like one of IPv4.

use super::answer::sum_v6;
use super::bytes::{array, ones_sum};
use super::{ETHERNET_BYTES, Frame, FrameContent, Ip};
use crate::setup::Mac;
use etherparse::ip_number;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Bytes of the longest message, with Ethernet's header.
pub const ICMP_BYTES: usize = ETHERNET_BYTES + MOST_V6;

/// Limits of RFC 1812, 4.3.2.3, and RFC 4443, 2.4 (c).
const MOST_V4: usize = 576;
const MOST_V6: usize = 1280;

/// Bytes of the IP header, and of the ICMP header before the quote.
const V4_BYTES: usize = 20;
const V6_BYTES: usize = 40;
const HEAD_BYTES: usize = 8;

/// Precedence "internetwork control", which RFC 1812, 4.3.2.5, requires for errors; and the least default TTL
/// it allows.
const PRECEDENCE: u8 = 0xc0;
const TTL: u8 = 64;

/// Reason why a packet is not forwarded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IcmpReason {
    /// The TTL has expired.
    TimeExceeded,
    /// No prefix matches the destination.
    NoRoute,
    /// The destination is the router itself, which does not have this protocol.
    NoProtocol,
    /// The destination is the router itself, which does not have this port.
    NoPort,
}

impl IcmpReason {
    /// Returns type and code; `None` if the family has none for this reason.
    fn code(self, v6: bool) -> Option<[u8; 2]> {
        Some(match (self, v6) {
            (IcmpReason::TimeExceeded, false) => [11, 0],
            (IcmpReason::NoRoute, false) => [3, 0],
            (IcmpReason::NoProtocol, false) => [3, 2],
            (IcmpReason::NoPort, false) => [3, 3],
            (IcmpReason::TimeExceeded, true) => [3, 0],
            (IcmpReason::NoRoute, true) => [1, 0],
            (IcmpReason::NoProtocol, true) => return None,
            (IcmpReason::NoPort, true) => [1, 4],
        })
    }

    /// Returns the reason for a valid packet to the router itself; `None` for ICMP, which gets no message.
    pub fn of_own(bytes: &[u8], ip: &Ip) -> Option<IcmpReason> {
        match upper(bytes, ip)?.0 {
            6 | 17 => Some(IcmpReason::NoPort),
            1 | 58 => None,
            _ => Some(IcmpReason::NoProtocol),
        }
    }
}

/// Returns the protocol of a valid IP packet, and its payload; `None` for a fragment that is not the first.
fn upper<'a>(bytes: &'a [u8], ip: &Ip) -> Option<(u8, &'a [u8])> {
    let packet = bytes.get(usize::from(ip.at)..usize::from(ip.end))?;
    if !ip.v6 {
        let offset = u16::from_be_bytes([packet[6], packet[7]]) & 0x1fff;
        let header = usize::from(packet[0] & 15) * 4;
        return (offset == 0).then_some((packet[9], packet.get(header..)?));
    }
    let (mut next, mut rest) = (packet[6], packet.get(V6_BYTES..)?);
    loop {
        let length = match next {
            // Hop-by-hop, routing and destination options.
            0 | 43 | 60 => (usize::from(*rest.get(1)?) + 1) * 8,
            44 if u16::from_be_bytes([*rest.get(2)?, *rest.get(3)?]) >> 3 != 0 => return None,
            44 => 8,
            // Authentication.
            51 => (usize::from(*rest.get(1)?) + 2) * 4,
            upper => return Some((upper, rest)),
        };
        next = rest[0];
        rest = rest.get(length..)?;
    }
}

/// Returns source and destination of a valid IP packet.
fn ends(bytes: &[u8], ip: &Ip) -> (IpAddr, IpAddr) {
    let at = usize::from(ip.at);
    if ip.v6 {
        let end = |at: usize| Ipv6Addr::from(array::<16>(&bytes[at..at + 16])).into();
        return (end(at + 8), end(at + 24));
    }
    let end = |at: usize| Ipv4Addr::from(array::<4>(&bytes[at..at + 4])).into();
    (end(at + 12), end(at + 16))
}

/// Returns true if a message may be sent about a valid packet. Errors, fragments except for the first, packets
/// to a group and packets from no single host get none (RFC 1812, 4.3.2.7; RFC 4443, 2.4 (e)).
pub fn may_tell(bytes: &[u8], frame: &Frame) -> bool {
    let FrameContent::Ip(ip) = &frame.what else {
        return false;
    };
    let (from, to) = ends(bytes, ip);
    let single = match from {
        IpAddr::V4(from) => {
            let first = from.octets()[0];
            !(first == 0 || first == 127 || first >= 224)
        }
        IpAddr::V6(from) => !(from.is_unspecified() || from.is_loopback() || from.is_multicast()),
    };
    let group = frame.dst.is_group() || to.is_multicast() || to == Ipv4Addr::BROADCAST;
    let asks = match upper(bytes, ip) {
        None => false,
        Some((protocol, rest)) if protocol == ip_number::ICMP.0 && !ip.v6 => {
            matches!(rest.first(), Some(0 | 8..=10 | 13..=18))
        }
        Some((protocol, rest)) if protocol == ip_number::IPV6_ICMP.0 && ip.v6 => {
            matches!(rest.first(), Some(128..=136 | 138..))
        }
        Some(_) => true,
    };
    single && !group && asks
}

/// Writes the message to the sender of a valid packet into `out`: from the address `me`, which is of the
/// packet's family, and from the MAC `mac`. Returns its length; `None` if the family has no message for this
/// reason.
pub fn tell(
    bytes: &[u8],
    ip: &Ip,
    told: IcmpReason,
    me: IpAddr,
    mac: Mac,
    out: &mut [u8; ICMP_BYTES],
) -> Option<usize> {
    let code = told.code(ip.v6)?;
    let packet = &bytes[usize::from(ip.at)..usize::from(ip.end)];
    let (head, most) = match ip.v6 {
        true => (V6_BYTES, MOST_V6),
        false => (V4_BYTES, MOST_V4),
    };
    let quoted = &packet[..packet.len().min(most - head - HEAD_BYTES)];
    let length = HEAD_BYTES + quoted.len();
    out[..6].copy_from_slice(&bytes[6..12]);
    out[6..12].copy_from_slice(&mac.0);
    let kind: [u8; 2] = if ip.v6 { [0x86, 0xdd] } else { [0x08, 0x00] };
    out[12..14].copy_from_slice(&kind);
    let (header, icmp) = out[ETHERNET_BYTES..].split_at_mut(head);
    let icmp = &mut icmp[..length];
    icmp[..HEAD_BYTES].fill(0);
    icmp[..2].copy_from_slice(&code);
    icmp[HEAD_BYTES..].copy_from_slice(quoted);
    let checksum = match (me, ends(bytes, ip).0) {
        (IpAddr::V6(me), IpAddr::V6(to)) => {
            header[..8].copy_from_slice(&[
                0x60 | PRECEDENCE >> 4,
                PRECEDENCE << 4,
                0,
                0,
                0,
                0,
                58,
                TTL,
            ]);
            header[4..6].copy_from_slice(&(length as u16).to_be_bytes());
            header[8..24].copy_from_slice(&me.octets());
            header[24..40].copy_from_slice(&to.octets());
            !sum_v6(&header[8..40], icmp)
        }
        (IpAddr::V4(me), IpAddr::V4(to)) => {
            // Flag: do not fragment.
            header[..12].copy_from_slice(&[0x45, PRECEDENCE, 0, 0, 0, 0, 0x40, 0, TTL, 1, 0, 0]);
            header[2..4].copy_from_slice(&((head + length) as u16).to_be_bytes());
            header[12..16].copy_from_slice(&me.octets());
            header[16..20].copy_from_slice(&to.octets());
            let sum = !ones_sum(header);
            header[10..12].copy_from_slice(&sum.to_be_bytes());
            !ones_sum(icmp)
        }
        _ => return None,
    };
    icmp[2..4].copy_from_slice(&checksum.to_be_bytes());
    Some(ETHERNET_BYTES + head + length)
}
