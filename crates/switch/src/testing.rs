//! Queues set by hand and packets in memory, for dialogue tests, conformance vectors and examples.

use crate::ports::{Parcel, Store};
use crate::queues::could_fit;
use crate::{Capacity, Class, Depth, Queues, RankSum, Want};
use sidestep_types::{
    BitRate, Bytes, FlowId, Framing, HostId, Kind, Packet, PortId, PortSet, Size, Time,
};

/// Queues that stay as they are set: nothing arrives and nothing leaves.
///
/// Every port sends at 1 Gbps.
#[derive(Clone, Debug)]
pub struct StillQueues {
    /// Current time.
    pub now: Time,
    /// Depth of each port's queue.
    pub depths: Vec<Depth>,
    /// Class queues of each port's scheduler, from class 0 on.
    pub classes: Vec<Vec<Class>>,
    /// Packets shown to the schedulers, with the port.
    pub seen: Vec<(PortId, Packet)>,
    /// Rank of the packet that each queue would evict.
    pub worst: Vec<Option<u32>>,
    /// Rank and bytes of buffer of the packets that each queue would evict, worst first. If the list is empty,
    /// `worst` is used.
    pub waiting: Vec<Vec<(u32, u32)>>,
    /// Sum of the ranks that wait in each queue.
    pub ranks: Vec<RankSum>,
    /// Buffer capacity of the switch. [`Capacity::Shared`] ignores the use of the other queues here.
    pub capacity: Capacity,
    /// Link framing, which decides how much of a packet's link time takes buffer.
    pub framing: Framing,
    /// Ports that lead to another switch.
    pub to_switch: PortSet,
    /// Port by which the packet at hand came in.
    pub ingress: Option<PortId>,
    /// Time when each queue's last bit leaves, or left.
    pub empty_at: Vec<Time>,
}

impl StillQueues {
    /// Creates queues of these depths with this capacity; no port leads to a switch.
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

    /// Creates one port per number: that many packets of 1500 bytes wait there, of at most `limit`.
    pub fn of(packets: &[u32], limit: u64, to_switch: &[u16]) -> StillQueues {
        let depths = packets.iter().map(|&n| full_packets(n)).collect();
        StillQueues {
            to_switch: to_switch.iter().map(|&p| PortId(p)).collect(),
            ..StillQueues::new(depths, Capacity::PerPort(Size::Packets(limit)))
        }
    }

    /// Returns the number of ports.
    pub fn ports(&self) -> u16 {
        self.depths.len() as u16
    }

    /// Returns the queue of `port` as a packet of 1500 bytes finds it.
    pub fn want(&self, port: u16) -> Want {
        self.want_for(PortId(port), &data())
    }

    /// Returns the queue of `port` as `packet` finds it.
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

/// Packets in memory, in order of arrival; none is ever freed.
#[derive(Debug, Default)]
pub struct Shelf(pub Vec<Parcel>);

impl Shelf {
    /// Stores a packet and returns its number.
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

/// Returns the depth of a queue of `n` packets of 1500 bytes.
pub fn full_packets(n: u32) -> Depth {
    Depth {
        packets: n,
        bytes: n * 1500,
    }
}

/// Creates an ECN-capable data packet of 1500 bytes.
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
