//! What a policy may ask about the queues of its switch, and when a packet fits.

use crate::least::least;
use sidestep_types::{Bytes, Packet, PortId, PortSet, Size, Time};

/// How full one queue is: every packet from its arrival until its last bit has left.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Depth {
    /// Packets.
    pub packets: u32,
    /// Bytes of buffer.
    pub bytes: u32,
}

/// One class's part of a port, as its scheduler keeps it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Class {
    /// What of it waits.
    pub depth: Depth,
    /// Its flows, where the scheduler counts them ([`Queues::see`]).
    pub flows: u32,
}

/// How the packets that wait at one port rank together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct RankSum {
    /// Packets, the one on the wire not among them.
    pub packets: u32,
    /// Their ranks ([`Packet::rank`]) added up.
    pub sum: u64,
}

impl RankSum {
    /// Adds a packet of `rank`.
    pub fn add(&mut self, rank: u32) {
        self.packets += 1;
        self.sum += u64::from(rank);
    }
}

/// How much the switch may hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Capacity {
    /// Everything.
    Unlimited,
    /// So much on each port.
    PerPort(Size),
    /// One memory for all ports, with dynamic thresholds (Choudhury and Hahne, 1998):
    /// a queue takes a packet while it is shorter than `alpha` times the free memory.
    Shared {
        /// The whole memory.
        memory: Bytes,
        /// Alpha as numerator and denominator.
        alpha: (u64, u64),
    },
}

impl Capacity {
    /// Does a packet of `bytes` fit into a queue this deep, when the switch holds `used` bytes in all?
    ///
    /// `used` matters to [`Capacity::Shared`] alone.
    #[inline]
    pub fn fits(self, depth: Depth, bytes: u32, used: u64) -> bool {
        match self {
            Capacity::Shared { memory, alpha } => {
                let free = memory.0.saturating_sub(used);
                let below = u128::from(depth.bytes) * u128::from(alpha.1)
                    < u128::from(free) * u128::from(alpha.0);
                below && u64::from(bytes) <= free
            }
            own => own.fits_own(depth, bytes),
        }
    }

    /// The same where each port has room of its own; no packet fits by this where memory is shared.
    #[inline(always)]
    pub(crate) fn fits_own(self, depth: Depth, bytes: u32) -> bool {
        self.own_room().is_some_and(|room| room.fits(depth, bytes))
    }

    /// The room of each port, where it has its own.
    #[inline(always)]
    pub(crate) fn own_room(self) -> Option<Room> {
        match self {
            Capacity::PerPort(size) => Some(Room::of(size)),
            Capacity::Unlimited => Some(Room {
                packets: u64::MAX,
                bytes: u64::MAX,
            }),
            Capacity::Shared { .. } => None,
        }
    }

    /// How much one queue may hold while the switch holds `used` bytes in all; `None` without a limit.
    pub(crate) fn limit(self, used: u64) -> Option<Size> {
        match self {
            Capacity::PerPort(size) => Some(size),
            Capacity::Unlimited => None,
            Capacity::Shared { memory, alpha } => {
                let free = u128::from(memory.0.saturating_sub(used));
                let most = free * u128::from(alpha.0) / u128::from(alpha.1);
                Some(Size::Bytes(Bytes(u64::try_from(most).unwrap_or(u64::MAX))))
            }
        }
    }

    /// Must the driver know the whole switch's use before asking?
    pub fn is_shared(self) -> bool {
        matches!(self, Capacity::Shared { .. })
    }
}

/// A size as packets and bytes, such as the most that one port holds; what is not limited is [`u64::MAX`].
#[derive(Clone, Copy)]
pub(crate) struct Room {
    pub packets: u64,
    pub bytes: u64,
}

impl Room {
    /// Of a size, which limits one of the two.
    #[inline(always)]
    pub fn of(size: Size) -> Room {
        let (packets, bytes) = match size {
            Size::Packets(n) => (n, u64::MAX),
            Size::Bytes(b) => (u64::MAX, b.0),
        };
        Room { packets, bytes }
    }

    /// Does a packet of `bytes` fit into a queue this deep? Without a branch.
    #[inline(always)]
    pub fn fits(self, depth: Depth, bytes: u32) -> bool {
        let (packets, held) = (u64::from(depth.packets), u64::from(depth.bytes));
        (packets < self.packets) & (held + u64::from(bytes) <= self.bytes)
    }
}

/// A level that no queue reaches.
pub const NEVER: Size = Size::Packets(u64::MAX);

/// Is the queue this deep at least `level` deep?
#[inline]
pub(crate) fn reaches(depth: Depth, level: Size) -> bool {
    match level {
        Size::Packets(n) => u64::from(depth.packets) >= n,
        Size::Bytes(b) => u64::from(depth.bytes) >= b.0,
    }
}

/// The port a route chose, and what its queue looks like to the packet at hand.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Want {
    /// The port.
    pub port: PortId,
    /// Its queue, before the packet.
    pub depth: Depth,
    /// Is there room for the packet?
    pub fits: bool,
}

/// The queues of one switch at one instant, as policies see them. [`crate::ports::Live`] is this over
/// the ports of any driver, [`crate::testing::StillQueues`] over queues that stand still.
///
/// Only [`Want`] is worked out for every packet; what is asked here costs when it is asked.
pub trait Queues {
    /// Current simulation or clock time.
    fn now(&self) -> Time;
    /// How full `port` is.
    fn depth(&mut self, port: PortId) -> Depth;
    /// The place among `ports` of the one whose queue holds the fewest bytes: of equal ones the first from
    /// place `from` on, cyclically. One call asks about all of them.
    fn shortest(&mut self, ports: &[PortId], from: usize) -> usize {
        least(ports.len(), from, |at| self.depth(ports[at]).bytes)
    }
    /// The ports with room for `pkt`.
    fn open(&mut self, pkt: &Packet) -> PortSet;
    /// Those of `among` with room for `pkt`. Drivers look at no other queue, and panic where one of them is not there.
    fn open_among(&mut self, pkt: &Packet, among: PortSet) -> PortSet {
        self.open(pkt) & among
    }
    /// What `pkt` takes of a buffer, in bytes.
    fn buffered(&self, pkt: &Packet) -> u32;
    /// Would `pkt` find room in a queue that is `depth` deep, with the switch as full as it is?
    fn would_fit(&mut self, pkt: &Packet, depth: Depth) -> bool;
    /// How much one queue may hold at this instant: of shared memory its threshold. `None` without a limit.
    fn limit(&mut self) -> Option<Size>;
    /// The ports that lead to another switch.
    fn to_switch(&self) -> PortSet;
    /// The port the packet came in by: its cable leads back where the packet was last. `None`
    /// for one that the switch itself made.
    fn ingress(&self) -> Option<PortId>;
    /// The rank of the packet that `port` would evict, the one on the wire not among them.
    /// `None` when nothing waits there or the port's scheduler does not rank.
    fn worst(&self, port: PortId) -> Option<u32>;
    /// Calls `with(rank, bytes of buffer)` for every packet that waits at `port`, in the order in
    /// which it would evict them, until it says `false`. For none where [`Queues::worst`] is `None`.
    fn each_worst(&self, port: PortId, with: &mut dyn FnMut(u32, u32) -> bool);
    /// Would `pkt` find room at `port` if what waits there and ranks strictly worse left?
    fn could_fit(&mut self, pkt: &Packet, port: PortId) -> bool;
    /// How what waits at `port` ranks, whatever its scheduler. Looks at all of it, one by one.
    fn ranks(&mut self, port: PortId) -> RankSum;
    /// What waits at `port` in the queue of the class `service`, the packet on the wire not counted; nothing
    /// unless its scheduler has such a queue.
    fn queue(&mut self, port: PortId, service: u8) -> Class;
    /// Shows `pkt`, which wants to leave by `port`, to the scheduler there before anything is decided about
    /// it: one that counts flows counts it in, or else its first packet would find no room. Nothing
    /// happens where the scheduler does not look.
    fn see(&mut self, port: PortId, pkt: &Packet);
    /// The same; says what waits then in the queue of its class ([`Queues::queue`]). One call does both.
    fn seen(&mut self, port: PortId, pkt: &Packet) -> Class {
        self.see(port, pkt);
        self.queue(port, pkt.service())
    }
    /// When the last bit of `port`'s queue leaves, or left.
    fn empty_at(&self, port: PortId) -> Time;
    /// How long `port` takes to send `bytes`.
    fn time_to_send(&self, port: PortId, bytes: Bytes) -> Time;
}

/// Would a packet of `rank` and `bytes` fit if what ranks strictly worse left a queue that is
/// `depth` deep, in a switch that holds `used` bytes? `each_worst` names what waits there.
pub(crate) fn could_fit(
    capacity: Capacity,
    (rank, bytes): (u32, u32),
    mut depth: Depth,
    mut used: u64,
    each_worst: impl FnOnce(&mut dyn FnMut(u32, u32) -> bool),
) -> bool {
    let mut fits = capacity.fits(depth, bytes, used);
    if !fits {
        each_worst(&mut |worst, freed| {
            if worst <= rank {
                return false;
            }
            depth.packets = depth.packets.saturating_sub(1);
            depth.bytes = depth.bytes.saturating_sub(freed);
            used = used.saturating_sub(u64::from(freed));
            fits = capacity.fits(depth, bytes, used);
            !fits
        });
    }
    fits
}

#[cfg(test)]
mod tests {
    use super::*;

    fn depth(packets: u32, bytes: u32) -> Depth {
        Depth { packets, bytes }
    }

    #[test]
    fn a_port_of_n_packets_holds_n() {
        let two = Capacity::PerPort(Size::Packets(2));
        assert!(two.fits(depth(1, 1500), 1500, 0));
        assert!(!two.fits(depth(2, 3000), 1500, 0));
        let bytes = Capacity::PerPort(Size::Bytes(Bytes(3000)));
        assert!(bytes.fits(depth(1, 1500), 1500, 0));
        assert!(!bytes.fits(depth(1, 1501), 1500, 0));
    }

    #[test]
    fn a_limit_is_what_fits_and_of_shared_memory_alpha_times_what_is_free() {
        let size = Size::Packets(9);
        assert_eq!(Capacity::PerPort(size).limit(7), Some(size));
        assert_eq!(Capacity::Unlimited.limit(7), None);
        let shared = Capacity::Shared {
            memory: Bytes(10_000),
            alpha: (1, 2),
        };
        let bytes = |n| Some(Size::Bytes(Bytes(n)));
        assert_eq!(shared.limit(4_001), bytes(2_999));
        assert_eq!(shared.limit(12_000), bytes(0));
    }

    /// n queues that are always offered more settle at alpha·B / (1 + n·alpha) each.
    #[test]
    fn greedy_queues_settle_at_the_closed_form_of_dynamic_thresholds() {
        let memory = 1_700_000;
        for (above, below) in [(1, 2), (1, 1), (2, 1), (8, 1)] {
            for n in 1..=8usize {
                let capacity = Capacity::Shared {
                    memory: Bytes(memory),
                    alpha: (above, below),
                };
                let mut queues = vec![Depth::default(); n];
                let mut grew = true;
                while grew {
                    grew = false;
                    for i in 0..n {
                        let used: u64 = queues.iter().map(|q| u64::from(q.bytes)).sum();
                        if capacity.fits(queues[i], 100, used) {
                            queues[i].bytes += 100;
                            grew = true;
                        }
                    }
                }
                let alpha = above as f64 / below as f64;
                let closed = alpha * memory as f64 / (1.0 + n as f64 * alpha);
                for q in &queues {
                    let error = (f64::from(q.bytes) - closed).abs();
                    assert!(
                        error <= 100.0 * (1.0 + alpha),
                        "alpha {alpha}, n {n}: {q:?} {closed}"
                    );
                }
            }
        }
    }
}
