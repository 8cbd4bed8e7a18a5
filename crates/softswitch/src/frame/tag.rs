//! Tag of `mark` in a real frame: inserting, reading, removing.
//!
//! **Decision**     none. A tag that differs from the layout here is refused, with the reason.
//! **State**        none.
//! **Units**        bytes. The five of a tag, first bit first: 32 number, 4 retransmissions, 3 message modulo
//!                  8, 1 the first packet of its message. [`Carry::Ethertype`]: behind the MACs, [`TAG`], the
//!                  five, and the Ethertype of the IP packet, which is unchanged: 7 B. [`Carry::Option`]: the
//!                  first option of the IPv4 header, type [`OPTION`], length 7, the five, and a no-operation
//!                  that fills the word: 8 B; header length, total length and checksum are updated.
//! **Errors**       [`Refusal::TagTruncated`]: it does not fit into the frame or header. [`Refusal::TagInTag`]:
//!                  there are two. [`Refusal::TagVersion`]: [`OTHER`] for its Ethertype, or an option of its
//!                  type that is not first, not 7 long or without its filler. [`Refusal::TagMisplaced`]: the
//!                  frame has no IP packet, or one of neighbour discovery. Padding of Ethernet is dropped when
//!                  a tag is inserted: the longer packet does not need it.
//! **Source**       Abdous et al., CoNEXT 2021 (Vertigo), section 3.1 and figure 3, for fields and lengths;
//!                  IEEE 802, 9.2.3 (Ethertypes for local experiments); RFC 791, 3.1; RFC 4727, 3.3 (option
//!                  158, for experiments, copied into fragments).
//! **Deviations**   the paper's option has type 8, which is assigned, and the end of options for a filler,
//!                  which would hide existing options behind it. IEEE requires a subtype and a version behind
//!                  an experimental Ethertype; 40 bits have no room for them, so another version has the other
//!                  Ethertype.

use super::bytes::ones_sum;
use super::read::{FIRST_TYPE, body, read};
use super::{ETHERNET_BYTES, Frame, FrameContent, Ip, LONGEST_TAGGED, Refusal};
use sidestep_types::{Tag, Words};

/// Ethertype of a tag: local experiment 1.
pub const TAG: u16 = 0x88b5;
/// Ethertype of a tag of any other version: local experiment 2.
pub const OTHER: u16 = 0x88b6;
/// Type of the option: for experiments, copied into fragments.
pub const OPTION: u8 = 158;

/// Bytes of the option without its filler.
const OPTION_BYTES: usize = 7;
/// Bytes of a tag between Ethernet and IP.
const BETWEEN: usize = 7;
/// Bytes of a tag as an option, with its filler.
const IN_HEADER: usize = 8;
/// Bytes of an IPv4 header without options, and of the longest.
const HEADER: usize = 20;
const LONGEST_HEADER: usize = 60;
/// Bytes of the longest IP packet, tag included.
const MTU: usize = 1500;

const END_OF_OPTIONS: u8 = 0;
const NO_OPERATION: u8 = 1;

/// Position of a tag in a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Words)]
pub enum Carry {
    /// Between Ethernet and IP.
    Ethertype,
    /// In the header of IPv4.
    Option,
}

impl Carry {
    /// Returns the bytes that a tag adds to a frame.
    pub const fn adds(self) -> usize {
        match self {
            Carry::Ethertype => BETWEEN,
            Carry::Option => IN_HEADER,
        }
    }

    /// Returns the MTU that an interface needs for frames with a tag.
    pub const fn mtu(self) -> u32 {
        match self {
            Carry::Ethertype => (MTU + BETWEEN) as u32,
            Carry::Option => MTU as u32,
        }
    }
}

/// Content of a tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WireTag {
    /// Number as it travels on the wire.
    pub number: u32,
    /// Retransmissions of its packet: 4 bits.
    pub again: u8,
    /// Number of its message, modulo 8: 3 bits.
    pub id: u8,
    /// True for the first packet of its message.
    pub first: bool,
}

impl WireTag {
    /// Returns a tag with the `number` on the wire, and the other fields of a shim's tag.
    pub fn of(number: u32, tag: &Tag) -> WireTag {
        WireTag {
            number,
            again: tag.retransmissions(),
            id: tag.flow_id(),
            first: tag.first(),
        }
    }

    /// Returns all fields but the number, as shims see them.
    pub fn unread(self) -> Tag {
        let mut tag = Tag::NONE;
        tag.set_retransmissions(self.again);
        tag.set_flow_id(self.id);
        tag.set_first(self.first);
        tag
    }

    fn bytes(self) -> [u8; 5] {
        let [a, b, c, d] = self.number.to_be_bytes();
        [
            a,
            b,
            c,
            d,
            self.again << 4 | self.id << 1 | u8::from(self.first),
        ]
    }

    fn read(bytes: &[u8]) -> WireTag {
        let [a, b, c, d, rest] = bytes.try_into().expect("five bytes");
        WireTag {
            number: u32::from_be_bytes([a, b, c, d]),
            again: rest >> 4,
            id: rest >> 1 & 7,
            first: rest & 1 == 1,
        }
    }
}

/// Reads a frame that may carry a tag in this way. [`read`] skips tags of either kind.
pub fn read_tagged(bytes: &[u8], carry: Carry) -> Result<Frame, Refusal> {
    match carry {
        Carry::Ethertype => read_between(bytes),
        Carry::Option => read_option(bytes),
    }
}

/// Reads a frame of a switch whose tags are carried as `carry` says, or which has none.
#[inline]
pub fn read_as(bytes: &[u8], carry: Option<Carry>) -> Result<Frame, Refusal> {
    match carry {
        None => read(bytes),
        Some(carry) => read_tagged(bytes, carry),
    }
}

fn read_between(bytes: &[u8]) -> Result<Frame, Refusal> {
    let kind = |at: usize| Some(u16::from_be_bytes([*bytes.get(at)?, *bytes.get(at + 1)?]));
    match kind(12) {
        Some(TAG) => {}
        Some(OTHER) => return Err(Refusal::TagVersion),
        _ => return read(bytes),
    }
    if bytes.len() > LONGEST_TAGGED {
        return Err(Refusal::Oversized);
    }
    let at = ETHERNET_BYTES + BETWEEN;
    match kind(at - 2) {
        None => return Err(Refusal::TagTruncated),
        Some(TAG | OTHER) => return Err(Refusal::TagInTag),
        Some(length) if length < FIRST_TYPE => return Err(Refusal::TagMisplaced),
        Some(_) => {}
    }
    let mut frame = body(bytes, at)?;
    if !matches!(frame.what, FrameContent::Ip(_)) {
        return Err(Refusal::TagMisplaced);
    }
    frame.tag = Some(WireTag::read(&bytes[ETHERNET_BYTES..at - 2]));
    Ok(frame)
}

fn read_option(bytes: &[u8]) -> Result<Frame, Refusal> {
    let mut frame = read(bytes)?;
    if let FrameContent::Ip(ip) = frame.what
        && !ip.v6
    {
        frame.tag = option(options(bytes, &ip))?;
    }
    Ok(frame)
}

/// Returns the options of a valid IPv4 header.
fn options<'a>(bytes: &'a [u8], ip: &Ip) -> &'a [u8] {
    let at = usize::from(ip.at);
    &bytes[at + HEADER..at + header_bytes(bytes, at)]
}

fn header_bytes(bytes: &[u8], at: usize) -> usize {
    usize::from(bytes[at] & 15) * 4
}

/// Returns the tag among options, if there is one. Errors in other options are left to the receiving host.
fn option(options: &[u8]) -> Result<Option<WireTag>, Refusal> {
    let mut found = None;
    let mut at = 0;
    while let Some(&kind) = options.get(at) {
        match kind {
            END_OF_OPTIONS => break,
            NO_OPERATION => {
                at += 1;
                continue;
            }
            _ => {}
        }
        let length = options.get(at + 1).map_or(0, |length| usize::from(*length));
        let fits = length >= 2 && at + length <= options.len();
        if kind == OPTION {
            if found.is_some() {
                return Err(Refusal::TagInTag);
            }
            if !fits {
                return Err(Refusal::TagTruncated);
            }
            let filled = options.get(at + length) == Some(&NO_OPERATION);
            if at != 0 || length != OPTION_BYTES || !filled {
                return Err(Refusal::TagVersion);
            }
            found = Some(WireTag::read(&options[at + 2..at + length]));
        }
        if !fits {
            break;
        }
        at += length;
    }
    Ok(found)
}

/// Writes a valid frame without a tag, whose packet is `ip`, into `out` with a tag; returns the new length.
/// Returns `None` if there is no room: an option in IPv6, in a full header, or beyond an MTU of 1500.
pub fn put_tag(
    bytes: &[u8],
    ip: &Ip,
    carry: Carry,
    tag: WireTag,
    out: &mut [u8; LONGEST_TAGGED],
) -> Option<usize> {
    let (at, end) = (usize::from(ip.at), usize::from(ip.end));
    match carry {
        Carry::Ethertype => {
            out[..12].copy_from_slice(&bytes[..12]);
            out[12..14].copy_from_slice(&TAG.to_be_bytes());
            out[14..19].copy_from_slice(&tag.bytes());
            out[19..end + BETWEEN].copy_from_slice(&bytes[12..end]);
        }
        Carry::Option => {
            let header = header_bytes(bytes, at);
            if ip.v6 || header + IN_HEADER > LONGEST_HEADER || end - at + IN_HEADER > MTU {
                return None;
            }
            let first = at + HEADER;
            out[..first].copy_from_slice(&bytes[..first]);
            out[first..first + 2].copy_from_slice(&[OPTION, OPTION_BYTES as u8]);
            out[first + 2..first + OPTION_BYTES].copy_from_slice(&tag.bytes());
            out[first + OPTION_BYTES] = NO_OPERATION;
            out[first + IN_HEADER..end + IN_HEADER].copy_from_slice(&bytes[first..end]);
            set_lengths(out, at, header + IN_HEADER, end - at + IN_HEADER);
        }
    }
    Some(end + carry.adds())
}

/// Removes the tag from a valid frame that carries it as `carry` says, in place; returns the tag and the new
/// length. Returns `None` if there is no tag.
pub fn take_tag(bytes: &mut [u8], carry: Carry) -> Option<(WireTag, usize)> {
    let frame = read_tagged(bytes, carry).ok()?;
    let (tag, FrameContent::Ip(ip)) = (frame.tag?, frame.what) else {
        return None;
    };
    match carry {
        Carry::Ethertype => bytes.copy_within(ETHERNET_BYTES + BETWEEN - 2.., ETHERNET_BYTES - 2),
        Carry::Option => {
            let (at, end) = (usize::from(ip.at), usize::from(ip.end));
            let header = header_bytes(bytes, at) - IN_HEADER;
            bytes.copy_within(at + HEADER + IN_HEADER.., at + HEADER);
            set_lengths(bytes, at, header, end - at - IN_HEADER);
        }
    }
    Some((tag, bytes.len() - carry.adds()))
}

/// Sets header length, total length and checksum of the IPv4 packet at `at`.
fn set_lengths(bytes: &mut [u8], at: usize, header: usize, total: usize) {
    bytes[at] = 0x40 | (header / 4) as u8;
    bytes[at + 2..at + 4].copy_from_slice(&(total as u16).to_be_bytes());
    bytes[at + 10..at + 12].fill(0);
    let sum = !ones_sum(&bytes[at..at + header]);
    bytes[at + 10..at + 12].copy_from_slice(&sum.to_be_bytes());
}

#[cfg(test)]
mod tests;
