//! What changes about a network while its switch runs: rates, links, ways.
//!
//! **Decision**     none. What waits leaves at the new rate; what waits for a link that is down, is on
//!                  its wire or comes for it or by it is dropped, `link_down`.
//! **State**        a rate and ways become part of the config that holds, so a reload puts them back; a
//!                  link that is down stays so until it is said to be up.
//! **Errors**       a station that is not there changes nothing.

use super::{Machine, make_sched};
use crate::setup::{Mac, Setup, alike};
use crate::table::Stations;
use sidestep_switch::AnyRoute;
use sidestep_types::{BitRate, PortId, PortSet, Seed, Time};

/// A change of the network around a switch. Its ports must be the switch's.
#[derive(Clone, Debug, PartialEq)]
pub enum Change {
    /// These ports send at this rate. What is on the wire leaves as was foreseen.
    Rate(PortSet, BitRate),
    /// The links at these ports fail.
    Down(PortSet),
    /// The links at these ports work again.
    Up(PortSet),
    /// Frames to these stations leave by these ports, one or more.
    Ways {
        /// The ports of each.
        stations: Vec<(Mac, Vec<PortId>)>,
        /// The ports that take detours, if others than before.
        detours: Option<PortSet>,
    },
}

impl Machine {
    /// Makes a change; says how many frames that dropped. An error says what is in the way, and
    /// leaves all as it was.
    pub fn change(&mut self, now: Time, change: &Change) -> Result<u64, String> {
        self.core.outputs.advance(now);
        let lost = match change {
            Change::Rate(ports, rate) => self.pace(*ports, *rate)?,
            Change::Down(ports) => self.cut(*ports)?,
            Change::Up(ports) => {
                ports
                    .iter()
                    .for_each(|port| self.core.outputs.down.remove(port));
                0
            }
            Change::Ways { stations, detours } => self.lead(stations, *detours)?,
        };
        self.changes += 1;
        Ok(lost)
    }

    /// Gives ports another rate.
    fn pace(&mut self, ports: PortSet, rate: BitRate) -> Result<u64, String> {
        for port in ports.iter() {
            let sched = self.sched()?;
            let setup = &mut self.setup.ports[port.index()];
            setup.rate = rate;
            self.core.outputs.requeue(port.index(), setup, sched);
        }
        Ok(0)
    }

    /// Takes links down.
    fn cut(&mut self, ports: PortSet) -> Result<u64, String> {
        let mut lost = 0;
        for port in ports.iter() {
            let sched = self.sched()?;
            self.core.outputs.down.insert(port);
            for handle in self.core.outputs.empty(port.index(), sched) {
                self.core.lose(handle, port);
                lost += 1;
            }
        }
        Ok(lost)
    }

    /// Changes the ways to stations. A route forgets what it remembered of others.
    fn lead(
        &mut self,
        stations: &[(Mac, Vec<PortId>)],
        detours: Option<PortSet>,
    ) -> Result<u64, String> {
        let switches = self.core.outputs.switches;
        let detours = detours.unwrap_or(self.core.outputs.to_switch);
        if let Some(port) = detours.iter().find(|port| !switches.has(*port)) {
            let name = &self.setup.ports[port.index()].name;
            return Err(format!(
                "port {name:?} leads to a host, and takes no detours"
            ));
        }
        let mut setup = self.setup.clone();
        for (mac, ports) in stations {
            let station = setup.stations.iter_mut().find(|s| s.mac == *mac);
            let station = station.ok_or_else(|| format!("no station has the MAC {mac}"))?;
            if !alike(
                &self.setup.ports,
                &[&ports[..], &station.ports[..1]].concat(),
            ) {
                return Err(format!(
                    "station {mac}: expected ports that carry the VLANs of the ones before, in the same way"
                ));
            }
            station.ports = ports.clone();
        }
        let route = make_route(&setup, self.identity.salt(&setup))?;
        self.core.decider.set_route(route);
        self.stations = Stations::new(&setup, Seed(setup.seed).salt("stations"));
        self.core.outputs.to_switch = detours;
        self.setup = setup;
        Ok(0)
    }

    /// A scheduler of the kind that each port has.
    fn sched(&self) -> Result<sidestep_switch::AnySched, String> {
        make_sched(&self.setup, self.identity.salt(&self.setup))
    }
}

fn make_route(setup: &Setup, salt: u64) -> Result<AnyRoute, String> {
    let route = setup.decision.route.build(setup.ports.len() as u16, salt);
    route.map_err(String::from)
}
