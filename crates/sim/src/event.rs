//! Events of traced packets, as every observer of a run receives them.

use crate::network::End;
use sidestep_switch::Event;
use sidestep_types::{Packet, PortId, Time};

/// Event of a traced packet.
#[derive(Clone, Copy)]
pub(crate) struct PacketEvent<'a> {
    pub at: Time,
    /// Packet's slot in the pool, which it keeps from sending to the end of its path.
    pub parcel: u32,
    /// Packet as it is now.
    pub packet: &'a Packet,
    pub what: PacketAction,
}

/// Kind of an event.
#[derive(Clone, Copy)]
pub(crate) enum PacketAction {
    /// The host of the packet sends it, under this number.
    Sent { number: u64 },
    /// A switch, or a NIC with a buffer policy, did something with the packet.
    At(End, Event),
    /// The packet was lost on the link behind a port, which is down, or before it. Its last bit left at
    /// `departs`, or would have.
    Lost {
        from: End,
        port: PortId,
        departs: Time,
    },
    /// The packet reached its host.
    Delivered,
}

impl PacketAction {
    /// Returns true if the packet's path ends with it.
    pub fn ends(&self) -> bool {
        match self {
            PacketAction::Sent { .. } => false,
            PacketAction::At(_, event) => event.dropped().is_some(),
            PacketAction::Lost { .. } | PacketAction::Delivered => true,
        }
    }
}
