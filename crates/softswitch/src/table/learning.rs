//! Learning bridges: who was seen at which port.
//!
//! **Decision**     a source address stands at the port it was seen at last, for five minutes.
//! **State**        a bounded table; when it is full, what is stale goes, at most once a second,
//!                  and what finds no place is not learned.
//! **Source**       IEEE 802.1D, 7.8 and 7.9.2: ageing time 300 s by default.

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
    /// It is new, or has moved.
    New,
    /// There is no place for it.
    Full,
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
    swept: Time,
    most: usize,
}

impl Learning {
    /// Room for `most` addresses; for `salt` see [`Mixed`].
    pub fn new(most: usize, salt: u64) -> Learning {
        Learning {
            places: HashMap::with_capacity_and_hasher(most, Mixed::new(salt)),
            swept: Time::ZERO,
            most,
        }
    }

    /// `mac` was seen at `port`.
    pub fn see(&mut self, now: Time, mac: Mac, port: PortId) -> Learned {
        let place = Place { port, seen: now };
        if let Some(known) = self.places.get_mut(&mac.bits()) {
            let moved = known.port != port;
            *known = place;
            return if moved { Learned::New } else { Learned::Known };
        }
        if self.places.len() >= self.most {
            if now.saturating_sub(self.swept) < SWEEP_EVERY {
                return Learned::Full;
            }
            self.swept = now;
            self.places.retain(|_, place| !is_stale(now, place));
            if self.places.len() >= self.most {
                return Learned::Full;
            }
        }
        self.places.insert(mac.bits(), place);
        Learned::New
    }

    /// Where `mac` was seen, unless that is too long ago.
    pub fn find(&self, now: Time, mac: Mac) -> Option<PortId> {
        let place = self.places.get(&mac.bits())?;
        (!is_stale(now, place)).then_some(place.port)
    }

    /// How many addresses are kept, stale ones included.
    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// Is none kept?
    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// Forgets everyone.
    pub fn clear(&mut self) {
        self.places.clear();
    }
}

fn is_stale(now: Time, place: &Place) -> bool {
    now.saturating_sub(place.seen) > STALE_AFTER
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mac(n: u8) -> Mac {
        Mac([2, 0, 0, 0, 0, n])
    }

    #[test]
    fn an_address_is_where_it_was_seen_last_until_it_is_stale() {
        let mut table = Learning::new(4, 1);
        assert_eq!(table.see(Time::ZERO, mac(1), PortId(0)), Learned::New);
        assert_eq!(
            table.see(Time::from_s(1), mac(1), PortId(0)),
            Learned::Known
        );
        assert_eq!(table.see(Time::from_s(2), mac(1), PortId(3)), Learned::New);
        assert_eq!(table.find(Time::from_s(302), mac(1)), Some(PortId(3)));
        assert_eq!(table.find(Time::from_s(303), mac(1)), None);
        assert_eq!(table.find(Time::from_s(3), mac(2)), None);
    }

    #[test]
    fn a_full_table_keeps_who_is_there_and_makes_room_from_the_stale() {
        let mut table = Learning::new(2, 1);
        table.see(Time::ZERO, mac(1), PortId(0));
        table.see(Time::from_s(200), mac(2), PortId(1));
        assert_eq!(
            table.see(Time::from_s(201), mac(3), PortId(2)),
            Learned::Full
        );
        assert_eq!(table.len(), 2);
        assert_eq!(
            table.see(Time::from_s(301), mac(3), PortId(2)),
            Learned::New
        );
        assert_eq!(table.find(Time::from_s(301), mac(1)), None);
        assert_eq!(table.find(Time::from_s(301), mac(2)), Some(PortId(1)));
    }
}
