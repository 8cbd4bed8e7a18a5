//! Learning bridge: the port at which each address was last seen.
//!
//! **Decision**     a source address is at the port of its last frame, for five minutes. A port at its limit
//!                  learns no further address, neither a new one nor one of another port: a host that floods a
//!                  switch with addresses evicts none of other ports.
//! **State**        a bounded table, and the number of addresses of each port; when it or a port is full, stale
//!                  entries are removed, at most once a second, and an address without a place is not learned.
//! **Source**       IEEE 802.1D, 7.8 and 7.9.2: ageing time 300 s by default. IEEE 802.1Q, 8.8.1: each VLAN
//!                  learns separately.
//! **Deviations**   a limit by port is in no standard; switches call it port security.

use super::Mixed;
use crate::setup::Mac;
use sidestep_types::{PortId, Time};
use std::collections::HashMap;

/// Most addresses stored.
pub const MOST_LEARNED: usize = 8192;

/// Time after which an address is stale.
pub const STALE_AFTER: Time = Time::from_s(300);

/// Least time between two searches of a full table for stale addresses.
const SWEEP_EVERY: Time = Time::from_s(1);

/// Result of learning an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Learned {
    /// The address is at the same port as before.
    Known,
    /// The address is new.
    New,
    /// The address was at another port before.
    Moved,
    /// The table has no place for the address.
    Full,
    /// The port is at its limit.
    PortFull,
}

#[derive(Clone, Copy, Debug)]
struct Place {
    port: PortId,
    seen: Time,
}

/// Addresses and the ports they were seen at.
#[derive(Debug)]
pub struct Learning {
    places: HashMap<u64, Place, Mixed>,
    swept: Option<Time>,
    most: usize,
    /// Number of addresses of each port, and its limit.
    ports: Vec<(u32, u32)>,
}

impl Learning {
    /// Returns a table with room for `most` addresses, and for so many of each port; for `salt` see [`Mixed`].
    pub fn new(most: usize, limits: impl IntoIterator<Item = Option<u32>>, salt: u64) -> Learning {
        let mut learning = Learning {
            places: HashMap::with_capacity_and_hasher(most, Mixed::new(salt)),
            swept: None,
            most,
            ports: Vec::new(),
        };
        learning.set_limits(limits);
        learning
    }

    /// Sets the limit of each port; `None` is unlimited. Stored addresses stay.
    pub fn set_limits(&mut self, limits: impl IntoIterator<Item = Option<u32>>) {
        let limits = limits.into_iter();
        self.ports = limits.map(|most| (0, most.unwrap_or(u32::MAX))).collect();
        self.count();
    }

    /// Learns that `mac` was seen at `port`, in this VLAN.
    pub fn see(&mut self, now: Time, mac: Mac, vlan: u16, port: PortId) -> Learned {
        let key = key(mac, vlan);
        let place = Place { port, seen: now };
        let known = self.places.get_mut(&key);
        if let Some(known) = known
            && known.port == port
        {
            *known = place;
            return Learned::Known;
        }
        if self.is_full(port) && (!self.sweep(now) || self.is_full(port)) {
            return Learned::PortFull;
        }
        // The sweep may have removed the address, if it was stale.
        if let Some(known) = self.places.get_mut(&key) {
            let before = std::mem::replace(known, place).port;
            self.ports[before.index()].0 -= 1;
            self.ports[port.index()].0 += 1;
            return Learned::Moved;
        }
        if self.places.len() >= self.most && (!self.sweep(now) || self.places.len() >= self.most) {
            return Learned::Full;
        }
        self.places.insert(key, place);
        self.ports[port.index()].0 += 1;
        Learned::New
    }

    fn is_full(&self, port: PortId) -> bool {
        let (many, most) = self.ports[port.index()];
        many >= most
    }

    /// Removes stale addresses, unless that was done within a second; returns true if it was done now.
    fn sweep(&mut self, now: Time) -> bool {
        let lately = |swept| now.saturating_sub(swept) < SWEEP_EVERY;
        if self.swept.is_some_and(lately) {
            return false;
        }
        self.swept = Some(now);
        self.places.retain(|_, place| !is_stale(now, place));
        self.count();
        true
    }

    /// Recounts the addresses of each port.
    fn count(&mut self) {
        self.ports.iter_mut().for_each(|port| port.0 = 0);
        // The order of counting makes no difference.
        for place in self.places.values() {
            self.ports[place.port.index()].0 += 1;
        }
    }

    /// Returns the port where `mac` was seen in this VLAN, unless that is stale.
    pub fn find(&self, now: Time, mac: Mac, vlan: u16) -> Option<PortId> {
        let place = self.places.get(&key(mac, vlan))?;
        (!is_stale(now, place)).then_some(place.port)
    }

    /// Returns the number of addresses stored, stale ones included.
    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// Returns the number of addresses of one port, stale ones included.
    pub fn len_at(&self, port: PortId) -> u32 {
        self.ports[port.index()].0
    }

    /// Returns the limit of this port.
    pub fn limit(&self, port: PortId) -> u32 {
        self.ports[port.index()].1
    }

    /// Returns true if no address is stored.
    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// Forgets all addresses.
    pub fn clear(&mut self) {
        self.places.clear();
        self.count();
    }

    /// Forgets the addresses seen at `port`.
    pub fn forget(&mut self, port: PortId) {
        self.places.retain(|_, place| place.port != port);
        self.count();
    }
}

/// Returns the key of an address in its VLAN: 48 and 12 bits.
fn key(mac: Mac, vlan: u16) -> u64 {
    u64::from(vlan) << 48 | mac.bits()
}

fn is_stale(now: Time, place: &Place) -> bool {
    now.saturating_sub(place.seen) > STALE_AFTER
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: PortId = PortId(0);
    const B: PortId = PortId(1);

    fn mac(n: u8) -> Mac {
        Mac([2, 0, 0, 0, 0, n])
    }

    /// Returns a table for two ports with these limits.
    fn table(most: usize, limits: [Option<u32>; 2]) -> Learning {
        Learning::new(most, limits, 1)
    }

    #[test]
    fn an_address_is_where_it_was_seen_last_until_it_is_stale() {
        let mut table = table(4, [None; 2]);
        let see = |table: &mut Learning, s, port| table.see(Time::from_s(s), mac(1), 0, port);
        assert_eq!(see(&mut table, 0, A), Learned::New);
        assert_eq!(see(&mut table, 1, A), Learned::Known);
        assert_eq!(see(&mut table, 2, B), Learned::Moved);
        assert_eq!((table.len_at(A), table.len_at(B)), (0, 1));
        assert_eq!(table.find(Time::from_s(302), mac(1), 0), Some(B));
        assert_eq!(table.find(Time::from_s(303), mac(1), 0), None);
        assert_eq!(table.find(Time::from_s(3), mac(2), 0), None);
    }

    #[test]
    fn each_vlan_learns_for_itself() {
        let mut table = table(4, [None; 2]);
        table.see(Time::ZERO, mac(1), 10, A);
        assert_eq!(table.see(Time::ZERO, mac(1), 20, B), Learned::New);
        assert_eq!(table.find(Time::ZERO, mac(1), 10), Some(A));
        assert_eq!(table.find(Time::ZERO, mac(1), 20), Some(B));
        assert_eq!(table.find(Time::ZERO, mac(1), 30), None);
    }

    #[test]
    fn a_full_table_keeps_who_is_there_and_makes_room_from_the_stale() {
        let mut table = table(2, [None; 2]);
        table.see(Time::ZERO, mac(1), 0, A);
        table.see(Time::from_s(200), mac(2), 0, B);
        let see = |table: &mut Learning, s| table.see(Time::from_s(s), mac(3), 0, A);
        assert_eq!(see(&mut table, 201), Learned::Full);
        assert_eq!(table.len(), 2);
        assert_eq!(see(&mut table, 301), Learned::New);
        assert_eq!(table.find(Time::from_s(301), mac(1), 0), None);
        assert_eq!(table.find(Time::from_s(301), mac(2), 0), Some(B));
        assert_eq!((table.len_at(A), table.len_at(B)), (1, 1));
    }

    #[test]
    fn a_full_port_learns_nobody_and_takes_nobody_elses() {
        let mut table = table(9, [Some(2), Some(1)]);
        for n in [1, 2] {
            assert_eq!(table.see(Time::ZERO, mac(n), 0, A), Learned::New);
        }
        assert_eq!(table.see(Time::ZERO, mac(3), 0, A), Learned::PortFull);
        assert_eq!(table.find(Time::ZERO, mac(3), 0), None);
        assert_eq!(table.see(Time::ZERO, mac(4), 0, B), Learned::New);
        // The address stays where it was: otherwise a host at a full port could cause floods of frames to
        // others.
        assert_eq!(table.see(Time::ZERO, mac(1), 0, B), Learned::PortFull);
        assert_eq!(table.find(Time::ZERO, mac(1), 0), Some(A));
        assert_eq!(table.see(Time::ZERO, mac(1), 0, A), Learned::Known);
    }

    #[test]
    fn a_full_port_gets_room_from_its_stale_ones_once_a_second_at_most() {
        let mut table = table(9, [Some(1), None]);
        let see = |table: &mut Learning, n, ms| table.see(Time::from_ms(ms), mac(n), 0, A);
        see(&mut table, 1, 0);
        assert_eq!(see(&mut table, 2, 300_000), Learned::PortFull);
        // Stale by now, but the last sweep was half a second ago.
        assert_eq!(see(&mut table, 2, 300_500), Learned::PortFull);
        assert_eq!(see(&mut table, 2, 301_000), Learned::New);
        assert_eq!((table.len(), table.len_at(A)), (1, 1));
    }

    #[test]
    fn another_limit_forgets_nobody_and_a_forgotten_port_has_room() {
        let mut table = table(9, [None; 2]);
        for n in [1, 2, 3] {
            table.see(Time::ZERO, mac(n), 0, A);
        }
        table.see(Time::ZERO, mac(4), 0, B);
        table.set_limits([Some(2), None]);
        assert_eq!((table.len(), table.len_at(A), table.limit(A)), (4, 3, 2));
        assert_eq!(table.see(Time::ZERO, mac(5), 0, A), Learned::PortFull);
        table.forget(A);
        assert_eq!((table.len(), table.len_at(A)), (1, 0));
        assert_eq!(table.see(Time::ZERO, mac(5), 0, A), Learned::New);
        table.clear();
        assert!(table.is_empty() && table.len_at(B) == 0);
    }
}
