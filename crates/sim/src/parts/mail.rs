//! Mail between parts.

use sidestep_types::{Packet, Time};

/// Packet on its way from one part to another.
#[derive(Clone, Debug)]
pub struct Mail {
    /// Link between the parts.
    pub(crate) link: u32,
    /// Departure of its last bit.
    pub(crate) departs: Time,
    pub(crate) packet: Packet,
}
