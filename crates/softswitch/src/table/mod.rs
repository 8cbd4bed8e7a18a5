//! Forwarding tables: stations, prefixes, learned addresses, and ports for flooding.

mod hash;
mod learning;
mod prefixes;
pub(crate) mod ways;

pub use hash::Mixed;
pub use learning::{Learned, Learning, MOST_LEARNED, STALE_AFTER};
pub use prefixes::{Prefixes, masked};
pub use ways::only;

use crate::setup::{Mac, NO_VLAN, Setup};
use sidestep_switch::Hops;
use sidestep_types::PortId;
use std::collections::HashMap;
use std::net::IpAddr;
use ways::{Numbering, Ways};

/// Next hop of a routed frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NextHop {
    /// Destination MAC that the frame gets.
    pub mac: Mac,
    /// Ports toward the next hop.
    pub ways: Ways,
    /// VLAN that the frame gets.
    pub vlan: u16,
}

/// Forwarding tables of the config. No table is ever iterated in the order of a hash.
#[derive(Debug)]
pub struct Stations {
    /// Ports toward each station, and its VLAN.
    ways: Vec<(Ways, u16)>,
    by_mac: HashMap<u64, u32, Mixed>,
    answers: HashMap<IpAddr, Answer, Mixed>,
    /// MAC of the router, if the switch is one.
    router: Option<Mac>,
    routed: Prefixes<NextHop>,
    flood: Box<[PortId]>,
}

/// Answer to a request for an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Answer {
    /// MAC of the address.
    pub mac: Mac,
    /// True if the address is the switch's own, as a router.
    pub router: bool,
    /// VLAN of the address; the router is in all of them.
    pub vlan: u16,
}

impl Stations {
    /// Builds the tables of `setup`; `salt` keeps others from choosing colliding addresses.
    pub fn new(setup: &Setup, salt: u64) -> Stations {
        let mixed = Mixed::new(salt);
        let mut by_mac = HashMap::with_hasher(mixed);
        let mut answers = HashMap::with_hasher(mixed);
        let mut routed = Prefixes::new(salt);
        let mut ways = Vec::new();
        let mut numbering = Numbering::new(setup.ports.len() as u16);
        for (index, station) in setup.stations.iter().enumerate() {
            by_mac.insert(station.mac.bits(), index as u32);
            let to_station = numbering.entry(&station.ports);
            for &ip in &station.addresses {
                let answer = Answer {
                    mac: station.mac,
                    router: false,
                    vlan: station.vlan,
                };
                answers.insert(ip, answer);
                // For frames to the router's MAC, a station's address is the longest prefix.
                let hop = NextHop {
                    mac: station.mac,
                    ways: to_station.clone(),
                    vlan: station.vlan,
                };
                routed.insert(ip, if ip.is_ipv4() { 32 } else { 128 }, hop);
            }
            ways.push((to_station, station.vlan));
        }
        for network in &setup.networks {
            let hop = NextHop {
                mac: network.next_hop,
                ways: numbering.entry(&network.ports),
                vlan: network.vlan,
            };
            routed.insert(network.prefix, network.length, hop);
        }
        for &ip in setup.router.iter().flat_map(|router| &router.addresses) {
            let mac = setup.router.as_ref().map_or(Mac::default(), |r| r.mac);
            let answer = Answer {
                mac,
                router: true,
                vlan: NO_VLAN,
            };
            answers.insert(ip, answer);
        }
        let flood = setup.ports.iter().enumerate();
        let flood = flood.filter(|(_, port)| port.flood);
        Stations {
            ways,
            by_mac,
            answers,
            router: setup.router.as_ref().map(|router| router.mac),
            routed,
            flood: flood.map(|(index, _)| PortId(index as u16)).collect(),
        }
    }

    /// Returns the ports toward the station with this MAC, if it is in this VLAN.
    #[inline]
    pub fn hops(&self, mac: Mac, vlan: u16) -> Option<Hops<'_>> {
        let index = *self.by_mac.get(&mac.bits())?;
        let (ways, its) = &self.ways[index as usize];
        (*its == vlan).then(|| ways.hops())
    }

    /// Returns true for the MAC of the switch itself, as a router.
    #[inline]
    pub fn is_router(&self, mac: Mac) -> bool {
        self.router == Some(mac)
    }

    /// Returns the next hop of the longest prefix of `ip`.
    pub fn route(&self, ip: IpAddr) -> Option<&NextHop> {
        self.routed.longest(ip)
    }

    /// Returns the MAC of a known address, for a request in this VLAN.
    pub fn answer(&self, ip: IpAddr, vlan: u16) -> Option<Answer> {
        let answer = self.answers.get(&ip)?;
        (answer.router || answer.vlan == vlan).then_some(*answer)
    }

    /// Returns the ports that take flooded frames.
    pub fn flood(&self) -> &[PortId] {
        &self.flood
    }
}
