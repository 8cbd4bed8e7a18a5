//! Changes that a switch makes in a frame. Checksums are updated as in RFC 1624, so that a wrong checksum stays
//! wrong.

use super::bytes::{array, ones_sum};
use super::{ETHERNET_BYTES, Frame, Ip};
use crate::setup::Mac;

/// Replaces the MACs of a frame.
pub fn set_macs(bytes: &mut [u8], dst: Mac, src: Mac) {
    bytes[..6].copy_from_slice(&dst.0);
    bytes[6..12].copy_from_slice(&src.0);
}

/// Decrements the time to live of an IP packet, if it is above zero.
#[inline]
pub fn lower_ttl(bytes: &mut [u8], ip: &mut Ip) {
    if ip.ttl == 0 {
        return;
    }
    ip.ttl -= 1;
    let at = usize::from(ip.at);
    if ip.v6 {
        bytes[at + 7] = ip.ttl;
    } else {
        let ttl = at + 8;
        let to = [ip.ttl, bytes[ttl + 1]];
        replace(bytes, ttl, to, at + 10);
    }
}

/// Marks an IP packet "congestion experienced". The caller has checked that it is ECN-capable.
#[inline]
pub fn mark_ce(bytes: &mut [u8], ip: &mut Ip) {
    ip.ecn = 3;
    let at = usize::from(ip.at);
    if ip.v6 {
        // Version, traffic class and flow label: 4, 8 and 20 bits.
        bytes[at + 1] |= 0x30;
    } else {
        let to = [bytes[at], bytes[at + 1] | 3];
        replace(bytes, at, to, at + 10);
    }
}

/// Sets the code point of differentiated services, 0 to 63, of an IP packet; other frames are left alone.
pub fn set_dscp(bytes: &mut [u8], dscp: u8) {
    let at = ETHERNET_BYTES;
    match bytes.get(12..at) {
        Some([0x08, 0x00]) if bytes.len() >= at + 20 => {
            let to = [bytes[at], dscp << 2 | bytes[at + 1] & 3];
            replace(bytes, at, to, at + 10);
        }
        Some([0x86, 0xdd]) if bytes.len() >= at + 40 => {
            // Version, traffic class and flow label: 4, 8 and 20 bits.
            bytes[at] = bytes[at] & 0xf0 | dscp >> 2;
            bytes[at + 1] = bytes[at + 1] & 0x3f | dscp << 6;
        }
        _ => {}
    }
}

const FIN: u8 = 0x01;
const RST: u8 = 0x04;
const PSH: u8 = 0x08;
const URG: u8 = 0x20;

/// Cuts a TCP segment off behind its header; returns the new length of the frame. Returns `None` if the frame
/// cannot be cut: see [`Ip::tcp_at`].
///
/// The flags that refer to the end of the payload are cleared: a FIN would otherwise seem to follow the missing
/// payload, and end the connection early.
pub fn trim(bytes: &mut [u8], frame: &mut Frame) -> Option<usize> {
    let super::FrameContent::Ip(ip) = &mut frame.what else {
        return None;
    };
    let tcp = usize::from(ip.tcp_at?);
    let end = usize::from(ip.end);
    let cut = tcp + usize::from(bytes[tcp + 12] >> 4) * 4;
    let gone = !ones_sum(&bytes[cut..end]);
    let (before, after) = (end - tcp, cut - tcp);
    let flags = [bytes[tcp + 12], bytes[tcp + 13] & !(FIN | PSH | URG)];
    replace(bytes, tcp + 12, flags, tcp + 16);
    replace(bytes, tcp + 18, [0, 0], tcp + 16);
    // The pseudo-header holds the length of the segment.
    let mut sum = u32::from(!word(bytes, tcp + 16)) + u32::from(gone);
    sum += u32::from(!(before as u16)) + u32::from(after as u16);
    put(bytes, tcp + 16, !fold(sum));
    let at = usize::from(ip.at);
    if ip.v6 {
        put(bytes, at + 4, (cut - at - 40) as u16);
    } else {
        let length = ((cut - at) as u16).to_be_bytes();
        replace(bytes, at + 2, length, at + 10);
    }
    ip.end = cut as u16;
    ip.payload = 0;
    ip.ends = flags[1] & RST != 0;
    ip.tcp_at = None;
    Some(cut)
}

/// Writes `to` at the 16-bit word `at`, and updates the checksum that covers it: HC' = ~(~HC + ~m + m').
#[inline]
fn replace(bytes: &mut [u8], at: usize, to: [u8; 2], checksum: usize) {
    let (old, new) = (word(bytes, at), u16::from_be_bytes(to));
    bytes[at..at + 2].copy_from_slice(&to);
    let sum = u32::from(!word(bytes, checksum)) + u32::from(!old) + u32::from(new);
    put(bytes, checksum, !fold(sum));
}

#[inline]
fn fold(sum: u32) -> u16 {
    let sum = (sum & 0xffff) + (sum >> 16);
    ((sum & 0xffff) + (sum >> 16)) as u16
}

#[inline]
fn word(bytes: &[u8], at: usize) -> u16 {
    u16::from_be_bytes(array(&bytes[at..at + 2]))
}

#[inline]
fn put(bytes: &mut [u8], at: usize, word: u16) {
    bytes[at..at + 2].copy_from_slice(&word.to_be_bytes());
}
