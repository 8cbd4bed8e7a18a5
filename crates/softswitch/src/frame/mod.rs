//! Reading and changing frames, as far as a switch needs it.
//!
//! **Decision**     none; a damaged or forged frame is a [`Refusal`] with its reason.
//! **State**        none.
//! **Units**        offsets and lengths in bytes from the destination address; no FCS.
//! **Source**       RFC 791, 8200, 9293, 826, 4861; `etherparse` for the headers.
//! **Deviations**   IP options and extension headers are skipped, except for a [`WireTag`], where a switch
//!                  carries tags in them.

mod answer;
mod bytes;
mod change;
mod icmp;
mod probe;
mod read;
mod refusal;
pub mod sample;
mod segment;
mod tag;
#[cfg(test)]
mod tests;

pub use answer::{ANSWER_BYTES, answer_to};
pub use change::{lower_ttl, mark_ce, set_dscp, set_macs, trim};
pub use icmp::{ICMP_BYTES, IcmpReason, may_tell, tell};
pub use probe::{PROBE_BYTES, Probe};
pub use read::{read, read_within};
pub use refusal::Refusal;
pub use segment::{End, Segment, segment};
pub use tag::{Carry, OPTION, OTHER, TAG, WireTag, put_tag, read_as, read_tagged, take_tag};

use crate::setup::Mac;
use sidestep_types::Kind;
use std::net::IpAddr;

/// Bytes of Ethernet's header: two addresses and a type.
pub const ETHERNET_BYTES: usize = 14;

/// Bytes of the longest frame without FCS: an IP packet of 1500 bytes.
pub const LONGEST_FRAME: usize = 1514;

/// Bytes of the longest frame with a tag between Ethernet and IP.
pub const LONGEST_TAGGED: usize = LONGEST_FRAME + Carry::Ethertype.adds();

/// Parts of a frame that a switch needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frame {
    /// Destination on this link.
    pub dst: Mac,
    /// Sender on this link.
    pub src: Mac,
    /// Type of the frame, with the fields of that type.
    pub what: FrameContent,
    /// Hash of the 5-tuple; of the addresses if there are no ports; of the MACs if it is not IP.
    pub hash: u32,
    /// Number of the destination host: its IPv4 address, a hash of its IPv6 address, or of its MAC if it is not
    /// IP.
    pub host: u32,
    /// Tag of the sending host, where frames are read for tags.
    pub tag: Option<WireTag>,
}

/// Content of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FrameContent {
    /// IP packet.
    Ip(Ip),
    /// Request for the MAC of this address, by ARP or as a neighbour solicitation.
    Asks(IpAddr),
    /// Anything else: the rest of ARP and neighbour discovery, other protocols.
    Other,
}

/// Parts of an IP packet that a switch needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ip {
    /// True for IPv6, false for IPv4.
    pub v6: bool,
    /// Time to live, or hop limit.
    pub ttl: u8,
    /// Code point of differentiated services, 0 to 63.
    pub dscp: u8,
    /// ECN field: 0 is not capable, 3 is marked.
    pub ecn: u8,
    /// Kind for schedulers. TCP without payload is an acknowledgement.
    pub kind: Kind,
    /// True for a TCP segment with FIN or RST: its sender sends nothing new after it.
    pub ends: bool,
    /// Bytes behind the TCP or UDP header; for other packets and fragments, behind the IP headers.
    pub payload: u16,
    /// Offset of the TCP header, if the packet may be trimmed: only unfragmented TCP segments with payload.
    pub tcp_at: Option<u16>,
    /// Offset of the IP packet: behind Ethernet's header, or behind the tag after that.
    pub at: u16,
    /// Offset of the end of the IP packet; padding may follow.
    pub end: u16,
}

impl Frame {
    /// Returns the destination address of an IP packet.
    pub fn ip_destination(&self, bytes: &[u8]) -> Option<IpAddr> {
        let FrameContent::Ip(ip) = self.what else {
            return None;
        };
        let at = usize::from(ip.at) + if ip.v6 { 24 } else { 16 };
        Some(if ip.v6 {
            let address: [u8; 16] = bytes.get(at..at + 16)?.try_into().ok()?;
            address.into()
        } else {
            let address: [u8; 4] = bytes.get(at..at + 4)?.try_into().ok()?;
            address.into()
        })
    }
}
