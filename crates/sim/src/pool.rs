//! Packets under way, in one array: a slot each, one cache line each, reused last-in first-out.

use crate::indexed::Table;
use sidestep_types::{Packet, Time};

/// No packet.
pub(crate) const NONE: u32 = u32::MAX;

/// A packet with its place in a queue.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(crate) struct Parcel {
    /// When its last bit leaves the queue it is in.
    pub departs: Time,
    /// The packet itself.
    pub packet: Packet,
    /// The parcel behind it, or the next free slot.
    pub next: u32,
}

/// All parcels.
pub(crate) struct Pool {
    parcels: Table<Parcel>,
    free: u32,
    live: u32,
}

impl Pool {
    pub fn new() -> Pool {
        Pool {
            parcels: Table::new(Vec::new()),
            free: NONE,
            live: 0,
        }
    }

    /// Stores a packet; says where.
    #[inline]
    pub fn put(&mut self, packet: Packet) -> u32 {
        self.live += 1;
        let parcel = Parcel {
            departs: Time::ZERO,
            packet,
            next: NONE,
        };
        if self.free == NONE {
            self.parcels.push(parcel);
            return self.parcels.len() as u32 - 1;
        }
        let at = self.free;
        self.free = self.parcels[at].next;
        self.parcels[at] = parcel;
        at
    }

    /// Frees a slot.
    #[inline]
    pub fn free(&mut self, at: u32) {
        self.live -= 1;
        self.parcels[at].next = self.free;
        self.free = at;
    }

    /// Is this the number of a slot, in use or free?
    pub fn has(&self, at: u32) -> bool {
        (at as usize) < self.parcels.len()
    }

    /// How many packets there are.
    pub fn live(&self) -> u32 {
        self.live
    }

    #[inline]
    pub fn get(&self, at: u32) -> &Parcel {
        &self.parcels[at]
    }

    #[inline]
    pub fn get_mut(&mut self, at: u32) -> &mut Parcel {
        &mut self.parcels[at]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sidestep_types::{FlowId, HostId, Kind};

    #[test]
    fn a_parcel_is_one_cache_line_and_slots_are_reused() {
        assert_eq!(std::mem::size_of::<Parcel>(), 64);
        let packet = Packet::new(Kind::Data, FlowId(1), HostId(2), 3);
        let mut pool = Pool::new();
        let (a, b) = (pool.put(packet), pool.put(packet));
        pool.free(a);
        assert_eq!((pool.put(packet), pool.live()), (a, 2));
        assert_ne!(a, b);
    }
}
