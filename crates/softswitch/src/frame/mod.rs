//! A frame read and changed: no more of it than a switch needs to know.
//!
//! **Decision**     none; a frame that a wire or a liar has spoiled is a [`Refusal`] with its reason.
//! **State**        none.
//! **Units**        offsets and lengths in bytes from the destination address; no FCS.
//! **Source**       RFC 791, 8200, 9293, 826, 4861; `etherparse` for the headers.
//! **Deviations**   IP options and extension headers are looked past, never acted upon; but for a [`WireTag`],
//!                  where a switch carries tags so.

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
pub use icmp::{ICMP_BYTES, Told, may_tell, tell};
pub use probe::{PROBE_BYTES, Probe};
pub use read::{read, read_within};
pub use refusal::Refusal;
pub use segment::{End, Segment, segment};
pub use tag::{Carry, OPTION, OTHER, TAG, WireTag, put_tag, read_as, read_tagged, take_tag};

use crate::setup::Mac;
use sidestep_types::Kind;
use std::net::IpAddr;

/// Ethernet's header: two addresses and a type.
pub const ETHERNET_BYTES: usize = 14;

/// The longest frame without FCS: an IP packet of 1500 bytes.
pub const LONGEST_FRAME: usize = 1514;

/// The same with a tag between Ethernet and IP.
pub const LONGEST_TAGGED: usize = LONGEST_FRAME + Carry::Ethertype.adds();

/// What a switch needs to know of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frame {
    /// Where it goes on this link.
    pub dst: Mac,
    /// Who sent it on this link.
    pub src: Mac,
    /// Its type and what belongs to it.
    pub what: What,
    /// Of the 5-tuple, of the addresses where there are no ports; of the MACs where it is not IP.
    pub hash: u32,
    /// A number for the host that it goes to: its IPv4 address, a hash of its IPv6 address, or of its MAC where it is
    /// not IP.
    pub host: u32,
    /// What a host says of it, where frames are read for that.
    pub tag: Option<WireTag>,
}

/// What a frame carries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// An IP packet.
    Ip(Ip),
    /// Somebody asks for the MAC of this address, by ARP or as a neighbour solicitation.
    Asks(IpAddr),
    /// Anything else: the rest of ARP and neighbour discovery, other protocols.
    Other,
}

/// What a switch needs to know of an IP packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ip {
    /// IPv6, not IPv4.
    pub v6: bool,
    /// Time to live, or hop limit.
    pub ttl: u8,
    /// The code point of differentiated services, 0 to 63.
    pub dscp: u8,
    /// The ECN field: 0 is not capable, 3 is marked.
    pub ecn: u8,
    /// What a scheduler takes it for. TCP without payload is an acknowledgement.
    pub kind: Kind,
    /// A TCP segment with FIN or RST: its sender says that nothing new follows.
    pub ends: bool,
    /// Bytes behind the TCP or UDP header; of other packets and fragments, behind the IP headers.
    pub payload: u16,
    /// Where the TCP header begins, if it may be trimmed: whole TCP segments with payload alone.
    pub tcp_at: Option<u16>,
    /// Where the IP packet begins: behind Ethernet's header, or the tag behind that.
    pub at: u16,
    /// Where the IP packet ends; padding may follow.
    pub end: u16,
}

impl Frame {
    /// Where an IP packet is going.
    pub fn ip_destination(&self, bytes: &[u8]) -> Option<IpAddr> {
        let What::Ip(ip) = self.what else {
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
