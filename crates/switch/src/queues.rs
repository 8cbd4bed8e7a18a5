//! Queue state that policies can query, and the rules that decide if a packet fits.

use crate::least::least;
use sidestep_types::{Bytes, Packet, PortId, PortSet, Size, Time};

/// Depth of a queue. A packet counts from its arrival until its last bit has left.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Depth {
    /// Packets.
    pub packets: u32,
    /// Bytes of buffer.
    pub bytes: u32,
}

/// Queue of one class at a port, as its scheduler keeps it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Class {
    /// Packets and bytes that wait.
    pub depth: Depth,
    /// Number of flows, if the scheduler counts them ([`Queues::see`]).
    pub flows: u32,
}

/// Sum of the ranks of all packets that wait at one port.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct RankSum {
    /// Number of packets, without the one being sent.
    pub packets: u32,
    /// Sum of their ranks ([`Packet::rank`]).
    pub sum: u64,
}

impl RankSum {
    /// Adds a packet of `rank`.
    pub fn add(&mut self, rank: u32) {
        self.packets += 1;
        self.sum += u64::from(rank);
    }
}

/// Buffer capacity of a switch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Capacity {
    /// No limit.
    Unlimited,
    /// A limit per port.
    PerPort(Size),
    /// Shared memory of all ports, with dynamic thresholds (Choudhury and Hahne, 1998): a queue accepts a
    /// packet while it is shorter than `alpha` times the free memory.
    Shared {
        /// Total memory.
        memory: Bytes,
        /// Alpha as numerator and denominator.
        alpha: (u64, u64),
    },
}

impl Capacity {
    /// Returns true if a packet of `bytes` fits into a queue of this depth while the switch holds `used` bytes
    /// in all.
    ///
    /// Only [`Capacity::Shared`] uses `used`.
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

    /// Returns true if a packet of `bytes` fits into a queue of this depth, where each port has its own room.
    /// Always false for shared memory.
    #[inline(always)]
    pub(crate) fn fits_own(self, depth: Depth, bytes: u32) -> bool {
        self.own_room().is_some_and(|room| room.fits(depth, bytes))
    }

    /// Returns the room of each port; `None` for shared memory.
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

    /// Returns the most that one queue may hold while the switch holds `used` bytes in all; `None` without a
    /// limit.
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

    /// Returns true if the driver must compute the use of the whole switch before a check.
    pub fn is_shared(self) -> bool {
        matches!(self, Capacity::Shared { .. })
    }
}

/// Limit of a queue in packets and bytes; [`u64::MAX`] means unlimited.
#[derive(Clone, Copy)]
pub(crate) struct Room {
    pub packets: u64,
    pub bytes: u64,
}

impl Room {
    /// Creates the limit of a size, which is in packets or in bytes.
    #[inline(always)]
    pub fn of(size: Size) -> Room {
        let (packets, bytes) = match size {
            Size::Packets(n) => (n, u64::MAX),
            Size::Bytes(b) => (u64::MAX, b.0),
        };
        Room { packets, bytes }
    }

    /// Returns true if a packet of `bytes` fits into a queue of this depth. Branch-free.
    #[inline(always)]
    pub fn fits(self, depth: Depth, bytes: u32) -> bool {
        let (packets, held) = (u64::from(depth.packets), u64::from(depth.bytes));
        (packets < self.packets) & (held + u64::from(bytes) <= self.bytes)
    }
}

/// Level that no queue reaches.
pub const NEVER: Size = Size::Packets(u64::MAX);

/// Returns true if a queue of this depth has reached `level`.
#[inline]
pub(crate) fn reaches(depth: Depth, level: Size) -> bool {
    match level {
        Size::Packets(n) => u64::from(depth.packets) >= n,
        Size::Bytes(b) => u64::from(depth.bytes) >= b.0,
    }
}

/// Port that the route chose, and its queue as the packet at hand finds it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Want {
    /// Wanted port.
    pub port: PortId,
    /// Depth of its queue, before the packet.
    pub depth: Depth,
    /// True if the packet fits.
    pub fits: bool,
}

/// Queues of one switch at one instant, as policies see them. [`crate::ports::Live`] implements this over the
/// ports of any driver, [`crate::testing::StillQueues`] over queues that do not change.
///
/// Only [`Want`] is computed for every packet; each query here has a cost when it is made.
pub trait Queues {
    /// Returns the current simulation or clock time.
    fn now(&self) -> Time;
    /// Returns the depth of the queue of `port`.
    fn depth(&mut self, port: PortId) -> Depth;
    /// Returns the index in `ports` of the port whose queue holds the fewest bytes. Among equal queues, the
    /// first at or after index `from` wins, cyclically. One call compares all ports.
    fn shortest(&mut self, ports: &[PortId], from: usize) -> usize {
        least(ports.len(), from, |at| self.depth(ports[at]).bytes)
    }
    /// Returns the ports with room for `pkt`.
    fn open(&mut self, pkt: &Packet) -> PortSet;
    /// Returns the ports of `among` with room for `pkt`. Drivers read no other queue, and panic if one of the
    /// ports does not exist.
    fn open_among(&mut self, pkt: &Packet, among: PortSet) -> PortSet {
        self.open(pkt) & among
    }
    /// Returns the bytes of buffer that `pkt` takes.
    fn buffered(&self, pkt: &Packet) -> u32;
    /// Returns true if `pkt` would fit into a queue of this `depth`, at the current use of the switch.
    fn would_fit(&mut self, pkt: &Packet, depth: Depth) -> bool;
    /// Returns the most that one queue may hold at this instant: the threshold, if memory is shared. `None`
    /// without a limit.
    fn limit(&mut self) -> Option<Size>;
    /// Returns the ports that lead to another switch.
    fn to_switch(&self) -> PortSet;
    /// Returns the port by which the packet came in; its cable leads back to the previous hop. `None` for a
    /// packet that the switch itself made.
    fn ingress(&self) -> Option<PortId>;
    /// Returns the rank of the packet that `port` would evict; the packet being sent cannot be evicted. `None`
    /// if no packet waits there or the scheduler of the port does not rank.
    fn worst(&self, port: PortId) -> Option<u32>;
    /// Calls `with(rank, bytes of buffer)` for the packets that wait at `port`, in the order of eviction, until
    /// it returns `false`. Makes no call if [`Queues::worst`] is `None`.
    fn each_worst(&self, port: PortId, with: &mut dyn FnMut(u32, u32) -> bool);
    /// Returns true if `pkt` would fit at `port` after the eviction of all waiting packets that rank strictly
    /// worse.
    fn could_fit(&mut self, pkt: &Packet, port: PortId) -> bool;
    /// Returns the sum of the ranks that wait at `port`, under any scheduler. Reads every packet that waits.
    fn ranks(&mut self, port: PortId) -> RankSum;
    /// Returns what waits at `port` in the queue of the class `service`, without the packet being sent. Empty
    /// if the scheduler has no such queue.
    fn queue(&mut self, port: PortId, service: u8) -> Class;
    /// Shows `pkt`, which wants to leave by `port`, to the scheduler there before the decision. A scheduler
    /// that counts flows counts it now, or else the first packet of a flow would find no room. Other schedulers
    /// ignore the call.
    fn see(&mut self, port: PortId, pkt: &Packet);
    /// Shows `pkt` to the scheduler like [`Queues::see`], and returns the queue of its class afterwards
    /// ([`Queues::queue`]), in one call.
    fn seen(&mut self, port: PortId, pkt: &Packet) -> Class {
        self.see(port, pkt);
        self.queue(port, pkt.service())
    }
    /// Returns the time when the last bit of `port`'s queue leaves, or left.
    fn empty_at(&self, port: PortId) -> Time;
    /// Returns the time that `port` takes to send `bytes`.
    fn time_to_send(&self, port: PortId, bytes: Bytes) -> Time;
}

/// Returns true if a packet of `rank` and `bytes` would fit into a queue of this `depth` after the eviction of
/// all that ranks strictly worse, in a switch that holds `used` bytes. `each_worst` lists the waiting packets,
/// worst first.
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

    /// Checks the closed form: n queues that are always offered more settle at alpha·B / (1 + n·alpha) each.
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
