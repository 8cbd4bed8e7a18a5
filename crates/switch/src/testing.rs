//! A switch's queues by hand, for dialogue tests.

use crate::{Capacity, Depth, Queues, Want};
use sidestep_types::{BitRate, Bytes, FlowId, HostId, Kind, Packet, PortId, PortSet, Size, Time};

/// Queues that stand as they are set.
pub struct StillQueues {
    pub now: Time,
    pub depths: Vec<Depth>,
    pub capacity: Capacity,
    pub to_switch: PortSet,
    pub empty_at: Time,
    pub ingress: Option<PortId>,
    /// Of every port.
    pub worst: Option<u32>,
    /// Of every port.
    pub urgent: Depth,
}

impl StillQueues {
    /// One port per number: so many packets of 1500 bytes wait there, of at most `limit`.
    pub fn of(packets: &[u32], limit: u64, to_switch: &[u16]) -> StillQueues {
        StillQueues {
            now: Time::ZERO,
            depths: packets.iter().map(|&n| full_packets(n)).collect(),
            capacity: Capacity::PerPort(Size::Packets(limit)),
            to_switch: to_switch.iter().map(|&p| PortId(p)).collect(),
            empty_at: Time::ZERO,
            ingress: None,
            worst: None,
            urgent: Depth::default(),
        }
    }

    /// How `port` looks to a packet of 1500 bytes.
    pub fn want(&self, port: u16) -> Want {
        let depth = self.depths[usize::from(port)];
        Want {
            port: PortId(port),
            depth,
            fits: self.capacity.fits(depth, 1500, 0),
        }
    }
}

impl Queues for StillQueues {
    fn now(&self) -> Time {
        self.now
    }
    fn depth(&mut self, port: PortId) -> Depth {
        self.depths[port.index()]
    }
    fn open(&mut self, _: &Packet) -> PortSet {
        let all = 0..self.depths.len() as u16;
        all.filter(|&p| self.want(p).fits).map(PortId).collect()
    }
    fn would_fit(&mut self, pkt: &Packet, depth: Depth) -> bool {
        self.capacity.fits(depth, u32::from(pkt.wire), 0)
    }
    fn to_switch(&self) -> PortSet {
        self.to_switch
    }
    fn ingress(&self) -> Option<PortId> {
        self.ingress
    }
    fn worst(&self, _: PortId) -> Option<u32> {
        self.worst
    }
    fn urgent(&self, _: PortId) -> Depth {
        self.urgent
    }
    fn empty_at(&self, _: PortId) -> Time {
        self.empty_at
    }
    fn time_to_send(&self, _: PortId, bytes: Bytes) -> Time {
        BitRate::gbps(1).time_to_send(bytes)
    }
}

/// `n` packets of 1500 bytes.
pub fn full_packets(n: u32) -> Depth {
    Depth {
        packets: n,
        bytes: n * 1500,
    }
}

/// An ECN-capable data packet of 1500 bytes.
pub fn data() -> Packet {
    let mut pkt = Packet::new(Kind::Data, FlowId(0), HostId(0), 0x1234_5678);
    pkt.wire = 1500;
    pkt.len = 1460;
    pkt.set_ect(true);
    pkt
}
