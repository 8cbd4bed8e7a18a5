//! A switch's queues by hand, and packets in memory: for dialogue tests, conformance vectors and examples.

use crate::ports::{Parcel, Store};
use crate::queues::could_fit;
use crate::{Capacity, Class, Depth, Queues, RankSum, Want};
use sidestep_types::{
    BitRate, Bytes, FlowId, Framing, HostId, Kind, Packet, PortId, PortSet, Size, Time,
};

/// Queues that stand as they are set: nothing arrives and nothing leaves.
///
/// Every port sends at 1 Gbps.
#[derive(Clone, Debug)]
pub struct StillQueues {
    /// Current time.
    pub now: Time,
    /// Each port's queue.
    pub depths: Vec<Depth>,
    /// Of each port the classes that its scheduler has, from 0 on.
    pub classes: Vec<Vec<Class>>,
    /// What was shown to the schedulers, and where.
    pub seen: Vec<(PortId, Packet)>,
    /// Of each queue, the rank of the packet that it would evict.
    pub worst: Vec<Option<u32>>,
    /// Of each queue, the rank and the bytes of buffer of the packets that it would evict, the worst
    /// first. The first of them is its worst: [``worst`] counts where there is none.
    pub waiting: Vec<Vec<(u32, u32)>>,
    /// How what waits in each queue ranks together.
    pub ranks: Vec<RankSum>,
    /// How much the switch may hold; [`Capacity::Shared`] counts no other queue's use here.
    pub capacity: Capacity,
    /// What part of a packet's link time takes buffer.
    pub framing: Framing,
    /// The ports that lead to another switch.
    pub to_switch: PortSet,
    /// The port the packet at hand came in by.
    pub ingress: Option<PortId>,
    /// When each queue's last bit leaves, or left.
    pub empty_at: Vec<Time>,
}

impl StillQueues {
    /// Queues of these depths, of which each port takes so much; no port leads to a switch.
    pub fn new(depths: Vec<Depth>, capacity: Capacity) -> StillQueues {
        StillQueues {
            now: Time::ZERO,
            classes: vec![Vec::new(); depths.len()],
            seen: Vec::new(),
            worst: vec![None; depths.len()],
            waiting: vec![Vec::new(); depths.len()],
            ranks: vec![RankSum::default(); depths.len()],
            empty_at: vec![Time::ZERO; depths.len()],
            depths,
            capacity,
            framing: Framing::Ip,
            to_switch: PortSet::EMPTY,
            ingress: None,
        }
    }

    /// One port per number: so many packets of 1500 bytes wait there, of at most `limit`.
    pub fn of(packets: &[u32], limit: u64, to_switch: &[u16]) -> StillQueues {
        let depths = packets.iter().map(|&n| full_packets(n)).collect();
        StillQueues {
            to_switch: to_switch.iter().map(|&p| PortId(p)).collect(),
            ..StillQueues::new(depths, Capacity::PerPort(Size::Packets(limit)))
        }
    }

    /// How many ports there are.
    pub fn ports(&self) -> u16 {
        self.depths.len() as u16
    }

    /// How `port` looks to a packet of 1500 bytes.
    pub fn want(&self, port: u16) -> Want {
        self.want_for(PortId(port), &data())
    }

    /// How `port` looks to `packet`.
    pub fn want_for(&self, port: PortId, packet: &Packet) -> Want {
        let depth = self.depths[port.index()];
        Want {
            port,
            depth,
            fits: self.fits(packet, depth),
        }
    }

    fn fits(&self, packet: &Packet, depth: Depth) -> bool {
        self.capacity.fits(depth, self.buffered(packet), 0)
    }
}

impl Queues for StillQueues {
    fn now(&self) -> Time {
        self.now
    }
    fn depth(&mut self, port: PortId) -> Depth {
        self.depths[port.index()]
    }
    fn open(&mut self, packet: &Packet) -> PortSet {
        let fits = |port: &PortId| self.want_for(*port, packet).fits;
        (0..self.ports()).map(PortId).filter(fits).collect()
    }
    fn buffered(&self, packet: &Packet) -> u32 {
        u32::from(packet.wire) - self.framing.unbuffered()
    }
    fn would_fit(&mut self, packet: &Packet, depth: Depth) -> bool {
        self.fits(packet, depth)
    }
    fn limit(&mut self) -> Option<Size> {
        self.capacity.limit(0)
    }
    fn to_switch(&self) -> PortSet {
        self.to_switch
    }
    fn ingress(&self) -> Option<PortId> {
        self.ingress
    }
    fn worst(&self, port: PortId) -> Option<u32> {
        let waiting = self.waiting[port.index()].first();
        waiting.map(|worst| worst.0).or(self.worst[port.index()])
    }
    fn each_worst(&self, port: PortId, with: &mut dyn FnMut(u32, u32) -> bool) {
        for &(rank, bytes) in &self.waiting[port.index()] {
            if !with(rank, bytes) {
                return;
            }
        }
    }
    fn could_fit(&mut self, packet: &Packet, port: PortId) -> bool {
        let asks = (packet.rank(), self.buffered(packet));
        let depth = self.depths[port.index()];
        could_fit(self.capacity, asks, depth, 0, |with| {
            self.each_worst(port, with)
        })
    }
    fn ranks(&mut self, port: PortId) -> RankSum {
        self.ranks[port.index()]
    }
    fn queue(&mut self, port: PortId, service: u8) -> Class {
        let class = self.classes[port.index()].get(usize::from(service));
        class.copied().unwrap_or_default()
    }
    fn see(&mut self, port: PortId, packet: &Packet) {
        self.seen.push((port, *packet));
    }
    fn empty_at(&self, port: PortId) -> Time {
        self.empty_at[port.index()]
    }
    fn time_to_send(&self, _: PortId, bytes: Bytes) -> Time {
        BitRate::gbps(1).time_to_send(bytes)
    }
}

/// Packets in memory, in the order in which they came; none is ever freed.
#[derive(Debug, Default)]
pub struct Shelf(pub Vec<Parcel>);

impl Shelf {
    /// Stores a packet; says where.
    pub fn put(&mut self, packet: Packet) -> u32 {
        self.0.push(Parcel::new(packet));
        self.0.len() as u32 - 1
    }
}

impl Store for Shelf {
    fn parcel(&self, at: u32) -> &Parcel {
        &self.0[at as usize]
    }
    fn parcel_mut(&mut self, at: u32) -> &mut Parcel {
        &mut self.0[at as usize]
    }
    fn has(&self, at: u32) -> bool {
        (at as usize) < self.0.len()
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn queues_that_say_what_waits_name_it_in_order_and_its_first_is_the_worst() {
        let mut queues = StillQueues::of(&[3, 3], 3, &[]);
        queues.worst = vec![Some(70), Some(80)];
        queues.waiting[1] = vec![(90, 1500), (60, 64), (60, 1500)];
        let named = |port, most| {
            let mut seen = Vec::new();
            queues.each_worst(PortId(port), &mut |rank, bytes| {
                seen.push((rank, bytes));
                seen.len() < most
            });
            seen
        };
        assert_eq!(named(0, 9), []);
        assert_eq!(named(1, 9), queues.waiting[1]);
        assert_eq!(named(1, 2), [(90, 1500), (60, 64)]);
        let worst = [0, 1].map(|port| Queues::worst(&queues, PortId(port)));
        assert_eq!(worst, [Some(70), Some(90)]);
    }
}
