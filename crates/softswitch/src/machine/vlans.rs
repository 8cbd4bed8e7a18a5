//! VLANs: which frame is in which, and where it has a tag.
//!
//! **Decision**     none of queues: those see frames without their tags. A frame is in the VLAN of its tag, or in
//!                  that of its port where it has none; a port takes and gives frames of its own VLANs alone.
//! **State**        what each port carries.
//! **Units**        a tag's 16 bits: priority, drop eligible, 12 of the VLAN. 0 is no tag.
//! **Errors**       a tag that cannot be, or where none may be; none where one must be; another port's VLAN.
//! **Source**       IEEE 802.1Q, 6.9 (a tag of VLAN 0 says a priority alone), 8.6.2 (ingress), 8.6.4 (egress).
//! **Deviations**   tags of 802.1ad, and tags in tags, are refused. A priority is kept from trunk to trunk, and
//!                  decides nothing.

use super::packet::wire;
use crate::frame::Refusal;
use crate::setup::{PortVlan, Setup};
use sidestep_types::PortId;

/// What stands for a tag of 802.1Q where a type would be.
const TYPE: [u8; 2] = [0x81, 0x00];
/// The bits of a tag that say the VLAN.
const VLAN_BITS: u16 = 0x0fff;

/// Bytes by which a tag makes a frame longer.
pub(super) const TAG_BYTES: usize = 4;

/// What each port carries.
#[derive(Debug)]
pub(super) struct Vlans {
    ports: Vec<PortVlan>,
}

/// A frame that came in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Came {
    /// Its tag, or the one that it would have.
    pub tag: u16,
    /// The tag stands in it.
    pub tagged: bool,
}

/// The VLAN of a tag.
#[inline]
pub(super) const fn vlan_of(tag: u16) -> u16 {
    tag & VLAN_BITS
}

/// The same tag with another VLAN.
pub(super) const fn moved(tag: u16, vlan: u16) -> u16 {
    tag & !VLAN_BITS | vlan
}

impl Vlans {
    /// Those of `setup`, if it has any.
    pub fn of(setup: &Setup) -> Option<Box<Vlans>> {
        let ports: Option<Vec<PortVlan>> = setup.ports.iter().map(|p| p.vlan.clone()).collect();
        ports.map(|ports| Box::new(Vlans { ports }))
    }

    /// In which VLAN a frame is that came in by `port`, or why it may not.
    #[inline]
    pub fn came(&self, port: PortId, bytes: &[u8]) -> Result<Came, Refusal> {
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
        Ok(Came {
            tag: priority.unwrap_or(0) | vlan,
            tagged: priority.is_some(),
        })
    }

    /// Does this port carry frames of that VLAN?
    #[inline]
    pub fn carries(&self, port: PortId, vlan: u16) -> bool {
        self.ports[port.index()].carries(vlan)
    }

    /// The tag that a frame leaves by `port` with, 0 for none; `None` where its VLAN is not carried.
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

/// The bytes of a frame without the tag that stands in it.
pub(super) fn without_tag(bytes: &[u8], out: &mut Vec<u8>) {
    out.clear();
    out.extend_from_slice(&bytes[..12]);
    out.extend_from_slice(&bytes[12 + TAG_BYTES..]);
}

/// Puts a tag into a frame of `length` bytes, behind which there is room; says how long it is now.
pub(super) fn put_tag(bytes: &mut [u8], length: usize, tag: u16) -> usize {
    bytes.copy_within(12..length, 12 + TAG_BYTES);
    bytes[12..14].copy_from_slice(&TYPE);
    bytes[14..16].copy_from_slice(&tag.to_be_bytes());
    length + TAG_BYTES
}

/// What a frame of `length` bytes costs on a link that it leaves by with this tag, or without one.
#[inline]
pub(super) fn wire_with(length: usize, tag: u16) -> u16 {
    match tag {
        0 => wire(length),
        _ => wire(length + TAG_BYTES),
    }
}
