//! Events of traced packets, as every observer of a run hears them.

use crate::network::End;
use sidestep_switch::Event;
use sidestep_types::{Packet, PortId, Time};

/// One event of a traced packet.
#[derive(Clone, Copy)]
pub(crate) struct PacketEvent<'a> {
    pub at: Time,
    /// The packet's slot in the pool: its own from when it is sent until its way ends.
    pub parcel: u32,
    /// The packet as it is now.
    pub packet: &'a Packet,
    pub what: What,
}

/// Kind of an event.
#[derive(Clone, Copy)]
pub(crate) enum What {
    /// The host of the packet sends it, under this number.
    Sent { number: u64 },
    /// A switch, or a NIC that decides, did something with the packet.
    At(End, Event),
    /// The packet was lost on the link behind a port, which is down, or before it. Its last bit left at `departs`, or
    /// would have.
    Lost {
        from: End,
        port: PortId,
        departs: Time,
    },
    /// The packet reached its host.
    Delivered,
}

impl What {
    /// Says whether the packet's way ends with it.
    pub fn ends(&self) -> bool {
        match self {
            What::Sent { .. } => false,
            What::At(_, event) => event.dropped().is_some(),
            What::Lost { .. } | What::Delivered => true,
        }
    }
}
