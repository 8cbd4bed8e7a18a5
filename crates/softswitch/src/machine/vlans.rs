//! VLANs: the VLAN of each frame, and its tag on each port.
//!
//! **Decision**     none about queues: those see frames without VLAN tags. A frame is in the VLAN of its tag,
//!                  or in that of its port if it has none; a port accepts and sends frames of its own VLANs
//!                  only.
//! **State**        the VLANs of each port.
//! **Units**        a tag's 16 bits: priority, drop eligible, 12 of the VLAN. 0 means no tag.
//! **Errors**       an invalid tag, a tag where none is allowed, no tag where one is required, another port's
//!                  VLAN.
//! **Source**       IEEE 802.1Q, 6.9 (a tag of VLAN 0 carries a priority only), 8.6.2 (ingress), 8.6.4
//!                  (egress).
//! **Deviations**   tags of 802.1ad, and tags in tags, are refused. A priority is kept from trunk to trunk, and
//!                  decides nothing.

use super::packet::wire;
use crate::frame::Refusal;
use crate::setup::{PortVlan, Setup};
use sidestep_types::PortId;

/// EtherType of an 802.1Q tag.
const TYPE: [u8; 2] = [0x81, 0x00];
/// Bits of a tag that hold the VLAN.
const VLAN_BITS: u16 = 0x0fff;

/// Bytes that a tag adds to a frame.
pub(super) const TAG_BYTES: usize = 4;

/// VLANs of each port.
#[derive(Debug)]
pub(super) struct Vlans {
    ports: Vec<PortVlan>,
}

/// Tag of a received frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ReceivedTag {
    /// Tag of the frame, or the tag it would have.
    pub tag: u16,
    /// True if the frame contains the tag.
    pub tagged: bool,
}

/// Returns the VLAN of a tag.
#[inline]
pub(super) const fn vlan_of(tag: u16) -> u16 {
    tag & VLAN_BITS
}

/// Returns the tag with another VLAN.
pub(super) const fn moved(tag: u16, vlan: u16) -> u16 {
    tag & !VLAN_BITS | vlan
}

impl Vlans {
    /// Returns the VLANs that `setup` configures, if any.
    pub fn of(setup: &Setup) -> Option<Box<Vlans>> {
        let ports: Option<Vec<PortVlan>> = setup.ports.iter().map(|p| p.vlan.clone()).collect();
        ports.map(|ports| Box::new(Vlans { ports }))
    }

    /// Returns the VLAN tag of a frame that came in by `port`, or the reason for refusing it.
    #[inline]
    pub fn came(&self, port: PortId, bytes: &[u8]) -> Result<ReceivedTag, Refusal> {
        let own = &self.ports[port.index()];
        let (priority, vlan) = match bytes.get(12..14) {
            Some(kind) if kind == TYPE => {
                let tag = bytes.get(14..16).ok_or(Refusal::Truncated)?;
                let tag = u16::from_be_bytes([tag[0], tag[1]]);
                (Some(tag & !VLAN_BITS), vlan_of(tag))
            }
            _ => (None, 0),
        };
        let vlan = match vlan {
            0 => own.untagged().ok_or(Refusal::VlanUntagged)?,
            _ if matches!(own, PortVlan::Access(_)) => return Err(Refusal::VlanTagged),
            vlan if own.carries(vlan) => vlan,
            _ => return Err(Refusal::VlanOther),
        };
        Ok(ReceivedTag {
            tag: priority.unwrap_or(0) | vlan,
            tagged: priority.is_some(),
        })
    }

    /// Returns true if this port carries frames of that VLAN.
    #[inline]
    pub fn carries(&self, port: PortId, vlan: u16) -> bool {
        self.ports[port.index()].carries(vlan)
    }

    /// Returns the tag that a frame leaves by `port` with, 0 for none; `None` if the port does not carry its
    /// VLAN.
    #[inline]
    pub fn leaving(&self, port: PortId, tag: u16) -> Option<u16> {
        let own = &self.ports[port.index()];
        let vlan = vlan_of(tag);
        if own.untagged() == Some(vlan) {
            return Some(0);
        }
        own.carries(vlan).then_some(tag)
    }
}

/// Copies a frame without its VLAN tag into `out`.
pub(super) fn without_tag(bytes: &[u8], out: &mut Vec<u8>) {
    out.clear();
    out.extend_from_slice(&bytes[..12]);
    out.extend_from_slice(&bytes[12 + TAG_BYTES..]);
}

/// Inserts a tag into a frame of `length` bytes with room behind it; returns the new length.
pub(super) fn put_tag(bytes: &mut [u8], length: usize, tag: u16) -> usize {
    bytes.copy_within(12..length, 12 + TAG_BYTES);
    bytes[12..14].copy_from_slice(&TYPE);
    bytes[14..16].copy_from_slice(&tag.to_be_bytes());
    length + TAG_BYTES
}

/// Returns the bytes that a frame of `length` bytes occupies on a link with this tag, or without one.
#[inline]
pub(super) fn wire_with(length: usize, tag: u16) -> u16 {
    match tag {
        0 => wire(length),
        _ => wire(length + TAG_BYTES),
    }
}
