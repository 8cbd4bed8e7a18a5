//! Learning bridges: who was seen at which port.
//!
//! **Decision**     a source address stands at the port it was seen at last, for five minutes. A port
//!                  that has as many as it may does not get one more, be it new or another port's: who
//!                  floods a switch with addresses drives out nobody else's.
//! **State**        a bounded table, and how many of it each port has; where it or a port is full, what is
//!                  stale goes, at most once a second, and what finds no place is not learned.
//! **Source**       IEEE 802.1D, 7.8 and 7.9.2: ageing time 300 s by default. IEEE 802.1Q, 8.8.1: each VLAN
//!                  learns for itself.
//! **Deviations**   a limit by port is of no standard; switches call it port security.

use super::Mixed;
use crate::setup::Mac;
use sidestep_types::{PortId, Time};
use std::collections::HashMap;

/// The most addresses that are kept.
pub const MOST_LEARNED: usize = 8192;

/// How long an address is believed.
pub const STALE_AFTER: Time = Time::from_s(300);

/// How often a full table is searched for what is stale.
const SWEEP_EVERY: Time = Time::from_s(1);

/// What came of learning an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Learned {
    /// It stands where it stood.
    Known,
    /// It is new.
    New,
    /// It stood at another port before.
    Moved,
    /// There is no place for it.
    Full,
    /// Its port has as many as it may.
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
    /// How many addresses each port has, and may have.
    ports: Vec<(u32, u32)>,
}

impl Learning {
    /// Room for `most` addresses, and for so many of each port; for `salt` see [`Mixed`].
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

    /// From now on each port has at most so many, `None` as many as there is room for. What is kept stays.
    pub fn set_limits(&mut self, limits: impl IntoIterator<Item = Option<u32>>) {
        let limits = limits.into_iter();
        self.ports = limits.map(|most| (0, most.unwrap_or(u32::MAX))).collect();
        self.count();
    }

    /// `mac` was seen at `port`, in this VLAN.
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
        // The sweep may have taken it, as it was stale where it stood.
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

    /// Forgets what is stale, unless that was done within a second; says whether it was done.
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

    /// Counts anew how many each port has.
    fn count(&mut self) {
        self.ports.iter_mut().for_each(|port| port.0 = 0);
        // The order in which they are counted makes no difference.
        for place in self.places.values() {
            self.ports[place.port.index()].0 += 1;
        }
    }

    /// Where `mac` was seen in this VLAN, unless that is too long ago.
    pub fn find(&self, now: Time, mac: Mac, vlan: u16) -> Option<PortId> {
        let place = self.places.get(&key(mac, vlan))?;
        (!is_stale(now, place)).then_some(place.port)
    }

    /// How many addresses are kept, stale ones included.
    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// The same of one port.
    pub fn len_at(&self, port: PortId) -> u32 {
        self.ports[port.index()].0
    }

    /// The most that this port may have.
    pub fn limit(&self, port: PortId) -> u32 {
        self.ports[port.index()].1
    }

    /// Is none kept?
    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// Forgets everyone.
    pub fn clear(&mut self) {
        self.places.clear();
        self.count();
    }

    /// Forgets who was seen at `port`.
    pub fn forget(&mut self, port: PortId) {
        self.places.retain(|_, place| place.port != port);
        self.count();
    }
}

/// An address in its VLAN: 48 and 12 bits.
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

    /// Of two ports with these limits.
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
        // It stays where it was: else who is full could have what is sent to others flooded.
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
        // Stale by now, and looked for half a second ago.
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
