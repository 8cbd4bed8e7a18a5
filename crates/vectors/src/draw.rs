//! Queues of a switch at one instant, drawn at random, and packets for it.

use crate::row::{Row, mask};
use sidestep_switch::testing::StillQueues;
use sidestep_switch::{Capacity, Class, Depth, Nature, RankSum};
use sidestep_types::{
    Bytes, FlowId, Framing, HEADER_BYTES, HostId, Kind, Packet, PortId, Rng, Size,
};
use std::cmp::Reverse;

/// Buffer used by a full packet and by the smallest packet, bytes: without preamble and gap.
const FULL: u32 = 1518;
const LEAST: u32 = 64;

/// Returns true with probability 1 / `n`.
pub fn chance(rng: &mut Rng, n: u64) -> bool {
    rng.below(n) == 0
}

/// Draws four to eight ports; half of their queues are full. With `Nature::control`, queues also hold packets
/// that are served first, which do not count toward a full queue. With `Nature::ranks`, they also hold unmarked
/// packets.
pub fn draw_queues(rng: &mut Rng, nature: Nature) -> StillQueues {
    let ports = 4 + rng.below(5) as u16;
    let limit = [8, 24, 100][rng.below(3) as usize];
    let in_bytes = chance(rng, 4);
    let capacity = if in_bytes {
        Capacity::PerPort(Size::Bytes(Bytes(limit * u64::from(FULL))))
    } else {
        Capacity::PerPort(Size::Packets(limit))
    };
    let mut queues = StillQueues::new(vec![Depth::default(); usize::from(ports)], capacity);
    queues.framing = Framing::Ethernet;
    queues.ingress = draw_ingress(rng, ports);
    for port in (0..ports).map(PortId) {
        draw_queue(rng, &mut queues, port, nature);
        if chance(rng, 2) {
            queues.to_switch.insert(port);
        }
    }
    queues
}

/// Draws the ingress port of a packet; sometimes there is none.
pub fn draw_ingress(rng: &mut Rng, ports: u16) -> Option<PortId> {
    (!chance(rng, 8)).then(|| PortId(rng.below(u64::from(ports)) as u16))
}

/// Draws the queue of `port`.
pub fn draw_queue(rng: &mut Rng, queues: &mut StillQueues, port: PortId, nature: Nature) {
    let limit = match queues.capacity {
        Capacity::PerPort(Size::Packets(n)) => n,
        Capacity::PerPort(Size::Bytes(b)) => b.0 / u64::from(FULL),
        other => unreachable!("{other:?} is not drawn"),
    };
    let (depth, first) = draw_depth(rng, limit, nature.control);
    queues.depths[port.index()] = depth;
    queues.classes[port.index()] = match nature.classes {
        true => draw_classes(rng, depth),
        false => control(first),
    };
    let rank = draw_rank(rng, nature.ranks).unwrap_or(u32::MAX);
    // The packet on the wire no longer counts for the worst rank.
    let waits = depth.packets - first.packets > 1;
    queues.worst[port.index()] = waits.then_some(rank);
}

/// Draws up to six of the packets waiting at `port`, sorted from the worst rank; each may be evicted.
pub fn draw_waiting(rng: &mut Rng, queues: &mut StillQueues, port: PortId) {
    let Depth { packets, bytes } = queues.depths[port.index()];
    // A full packet is on the wire.
    let mut room = bytes.saturating_sub(FULL);
    let most = u64::from(packets.saturating_sub(1).min(6));
    let mut waiting: Vec<(u32, u32)> = Vec::new();
    for _ in 0..rng.below(most + 1) {
        let bytes = [LEAST, 594, FULL][rng.below(3) as usize];
        let rank = draw_rank(rng, true).unwrap_or(u32::MAX);
        if bytes <= room {
            room -= bytes;
            waiting.push((rank, bytes));
        }
    }
    waiting.sort_by_key(|(rank, _)| Reverse(*rank));
    queues.worst[port.index()] = None;
    queues.waiting[port.index()] = waiting;
}

/// Draws the sum of the ranks waiting at `port`. The packet on the wire does not count; a random share of the
/// rest are acknowledgements.
pub fn draw_sum(rng: &mut Rng, queues: &mut StillQueues, port: PortId) {
    let packets = queues.depths[port.index()].packets.saturating_sub(1);
    let data = u64::from(packets) * rng.below(5) / 4;
    let rank = draw_rank(rng, true).unwrap_or(u32::MAX);
    queues.ranks[port.index()] = RankSum {
        packets,
        sum: data * u64::from(rank),
    };
}

/// Draws up to four classes and divides the packets behind the one on the wire among them. Some classes have
/// flows.
fn draw_classes(rng: &mut Rng, depth: Depth) -> Vec<Class> {
    let mut packets = depth.packets.saturating_sub(1);
    let mut bytes = depth.bytes.saturating_sub(FULL);
    let mut classes: Vec<Class> = Vec::new();
    for class in 0..4 {
        let part = match class {
            3 => packets,
            _ => packets * rng.below(5) as u32 / 4,
        };
        // Small packets go to a class only if the remaining bytes require it.
        let held = (part * FULL).min(bytes);
        let depth = Depth {
            packets: part,
            bytes: held,
        };
        // Often just few enough flows, or just too many, for three packets each.
        let flows = [0, 1, part / 3, part / 3 + 1, part / 3 + 2, 400][rng.below(6) as usize];
        classes.push(Class { depth, flows });
        (packets, bytes) = (packets - part, bytes - held);
    }
    classes
}

/// Returns the classes of a scheduler that serves control packets first.
pub fn control(depth: Depth) -> Vec<Class> {
    vec![Class { depth, flows: 0 }]
}

/// Draws the depth of a queue, and of the part that is served first.
fn draw_depth(rng: &mut Rng, limit: u64, control: bool) -> (Depth, Depth) {
    let full = chance(rng, 2);
    let packets = if full { limit } else { rng.below(limit) } as u32;
    // Small packets make a queue long but light.
    let small = if chance(rng, 3) && !full {
        rng.below(u64::from(packets) + 1) as u32
    } else {
        0
    };
    let first = match control {
        true => [0, 0, 1, 3, 99, 100][rng.below(6) as usize],
        false => 0,
    };
    let depth = Depth {
        packets: packets + first,
        bytes: (packets - small) * FULL + (small + first) * LEAST,
    };
    let first = Depth {
        packets: first,
        bytes: first * LEAST,
    };
    (depth, first)
}

/// Adds the cells of ports, capacity and queues.
pub fn put_queues(row: &mut Row, queues: &StillQueues) {
    let (packets, bytes) = match queues.capacity {
        Capacity::PerPort(Size::Packets(n)) => (Some(n), None),
        Capacity::PerPort(Size::Bytes(b)) => (None, Some(b.0)),
        _ => (None, None),
    };
    row.put("ports", queues.ports());
    row.put_some("capacity_packets", packets);
    row.put_some("capacity_bytes", bytes);
    row.put_list("depth_packets", queues.depths.iter().map(|d| d.packets));
    row.put_list("depth_bytes", queues.depths.iter().map(|d| d.bytes));
    row.put("to_switch_mask_hex", mask(queues.to_switch));
    row.put_some("ingress_port", queues.ingress.map(|p| p.0));
}

/// Draws one of so few ranks that some are equal. If the policy uses `ranks`, sometimes draws none.
fn draw_rank(rng: &mut Rng, ranks: bool) -> Option<u32> {
    let rank = [1_460, 2_920, 14_600, 20_000, 20_001, 146_000, 1_460_000][rng.below(7) as usize];
    (!ranks || !chance(rng, 6)).then_some(rank)
}

/// Draws a packet, more often data than an acknowledgement. Data is sometimes a trimmed header if `trimmed`,
/// and sometimes unmarked if the policy uses `ranks`.
pub fn draw_packet(rng: &mut Rng, trimmed: bool, ranks: bool) -> Packet {
    let ack = chance(rng, 4);
    let kind = if ack { Kind::Ack } else { Kind::Data };
    let mut packet = Packet::new(kind, FlowId(rng.below(4) as u32), HostId(0), rng.draw());
    let payload = if ack {
        0
    } else {
        [1, 536, 1_460, 1_460][rng.below(4) as usize]
    };
    packet.len = payload as u16;
    packet.wire = Framing::Ethernet.wire(HEADER_BYTES + payload) as u16;
    packet.set_ect(!ack && !chance(rng, 4));
    packet.ttl = 1 + rng.below(255) as u8;
    packet.detours = rng.below(4) as u8;
    packet.set_service(rng.below(3) as u8);
    let rank = draw_rank(rng, ranks);
    if let (Some(rank), false) = (rank, ack) {
        packet.set_rank(rank);
    }
    if trimmed && !ack && chance(rng, 4) {
        packet.trim(Framing::Ethernet.wire(HEADER_BYTES) as u16);
    }
    packet
}

/// Adds the fields of a packet that a switch reads.
pub fn put_packet(row: &mut Row, packet: &Packet) {
    let ack = packet.kind() == Kind::Ack;
    row.put("kind", if ack { "ack" } else { "data" });
    row.put("payload_bytes", packet.len);
    row.put("trimmed", u8::from(packet.is_trimmed_data()));
    row.put("wire_bytes", packet.wire);
    row.put(
        "buffer_bytes",
        u32::from(packet.wire) - Framing::Ethernet.unbuffered(),
    );
    let unmarked = !ack && !packet.tag().tagged();
    row.put_some("rank_bytes", (!unmarked).then(|| packet.rank()));
    row.put("flow", packet.flow.0);
    row.put("hash_hex", format!("{:08x}", packet.hash));
    row.put("service", packet.service());
    row.put("detours", packet.detours);
    row.put("ttl", packet.ttl);
    row.put("ect", u8::from(packet.ect()));
}
