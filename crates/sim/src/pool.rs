//! Packets in flight, in one array: a slot each, one cache line each, reused last-in first-out.

use crate::indexed::Table;
pub(crate) use sidestep_switch::ports::NONE;
use sidestep_switch::ports::{Parcel, Store};
use sidestep_types::{Packet, Time};

/// Pool of all parcels.
#[derive(serde::Serialize, serde::Deserialize)]
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

    /// Stores a packet; returns its slot.
    #[inline]
    pub fn put(&mut self, packet: Packet) -> u32 {
        self.live += 1;
        let parcel = Parcel::new(packet);
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

    /// Returns the slots without a packet. Returns an error if the list of free slots leaves the pool, does not
    /// end, or does not fit the count of packets.
    pub fn free_ones(&self) -> Result<Vec<u32>, String> {
        let (mut found, mut free) = (Vec::new(), self.free);
        while free != NONE {
            if !self.has(free) || found.len() >= self.parcels.len() {
                return Err(format!("the list of free slots is broken at {free}"));
            }
            found.push(free);
            free = self.parcels[free].next;
        }
        match self.parcels.len() == found.len() + self.live as usize {
            true => Ok(found),
            false => Err(format!(
                "{} slots, but {} free and {} used",
                self.parcels.len(),
                found.len(),
                self.live
            )),
        }
    }

    /// Returns the number of slots.
    pub fn len(&self) -> usize {
        self.parcels.len()
    }

    /// Returns the packets that a scheduler holds for `link`.
    pub fn waiting(&self, link: u32) -> impl Iterator<Item = &Packet> {
        let waits = move |p: &&Parcel| p.departs == Time::MAX && p.next == link;
        self.parcels.iter().filter(waits).map(|p| &p.packet)
    }

    /// Returns the slots with a packet in them, in their order.
    pub fn taken(&self) -> impl Iterator<Item = u32> {
        let mut taken = vec![true; self.parcels.len()];
        let mut free = self.free;
        while free != NONE {
            taken[free as usize] = false;
            free = self.parcels[free].next;
        }
        (0..)
            .zip(taken)
            .filter_map(|(at, taken)| taken.then_some(at))
    }

    /// Returns the number of packets.
    pub fn live(&self) -> u32 {
        self.live
    }

    /// Prefetches a slot that will be read soon; [`NONE`] is allowed.
    #[inline(always)]
    pub fn fetch(&self, at: u32) {
        self.parcels.fetch(at);
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

impl Store for Pool {
    #[inline(always)]
    fn parcel(&self, at: u32) -> &Parcel {
        self.get(at)
    }
    #[inline(always)]
    fn parcel_mut(&mut self, at: u32) -> &mut Parcel {
        self.get_mut(at)
    }
    fn has(&self, at: u32) -> bool {
        (at as usize) < self.parcels.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sidestep_types::{FlowId, HostId, Kind};

    #[test]
    fn slots_are_reused() {
        let packet = Packet::new(Kind::Data, FlowId(1), HostId(2), 3);
        let mut pool = Pool::new();
        let (a, b) = (pool.put(packet), pool.put(packet));
        pool.free(a);
        assert_eq!((pool.put(packet), pool.live()), (a, 2));
        assert_ne!(a, b);
    }
}
