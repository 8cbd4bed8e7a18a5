//! What goes between parts.

use sidestep_types::{Packet, Time};

/// A packet on its way from one part to another.
#[derive(Clone, Debug)]
pub struct Mail {
    /// The link that is cut.
    pub(crate) link: u32,
    /// When its last bit leaves.
    pub(crate) departs: Time,
    pub(crate) packet: Packet,
}
