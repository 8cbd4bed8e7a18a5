//! Site: the hosts that a workload runs on.

use crate::network::{End, Network};
use sidestep_types::{BitRate, Refusal, SwitchId};

/// Hosts that a workload runs on. Each list has an entry per host.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Site {
    /// Rate of the host's only link.
    pub access: Vec<BitRate>,
    /// Number of the switch to which the host is attached.
    pub racks: Vec<u32>,
    /// Pod of that switch, as its topology calls it.
    pub pods: Vec<Option<String>>,
    /// Links between switches with hosts and switches without, if there are both.
    pub fabric: Option<Fabric>,
}

/// Links from switches with hosts to switches without.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fabric {
    /// Capacity one way, in bits per second.
    pub bps: u64,
    /// Tiers that the links join, if the topology has tiers: `leaf to spine`.
    pub name: String,
}

impl Site {
    /// Returns the hosts of `network`.
    pub fn of(network: &Network) -> Site {
        let hosts = network.hosts as usize;
        let mut site = Site {
            access: vec![BitRate::bps(0); hosts],
            racks: vec![0; hosts],
            pods: vec![None; hosts],
            fabric: Fabric::of(network),
        };
        for cable in &network.cables {
            for (end, far) in [(cable.a, cable.b), (cable.b, cable.a)] {
                let End::Host(host) = end else { continue };
                let host = host.0 as usize;
                site.access[host] = cable.rate;
                if let End::Switch(switch) = far {
                    site.racks[host] = switch.0;
                    site.pods[host].clone_from(&network.switches[switch.0 as usize].pod);
                }
            }
        }
        site
    }

    /// Returns the number of hosts.
    pub fn hosts(&self) -> u32 {
        self.access.len() as u32
    }

    /// Returns the capacity of all their links one way, in bits per second.
    pub fn access_bps(&self) -> f64 {
        self.access.iter().map(|rate| rate.as_bps() as f64).sum()
    }

    /// Returns the number of hosts, at least two, since a flow needs two ends.
    pub(super) fn pairs_of_hosts(&self) -> Result<u32, Refusal> {
        match self.hosts() {
            n @ (0 | 1) => Err(Refusal::of_none("expected at least two hosts").got(n)),
            n => Ok(n),
        }
    }
}

impl Fabric {
    fn of(network: &Network) -> Option<Fabric> {
        let mut with_hosts = vec![false; network.switches.len()];
        for cable in &network.cables {
            if let (End::Host(_), End::Switch(s)) | (End::Switch(s), End::Host(_)) =
                (cable.a, cable.b)
            {
                with_hosts[s.0 as usize] = true;
            }
        }
        let (mut bps, mut ends) = (0, None);
        for cable in &network.cables {
            let (End::Switch(a), End::Switch(b)) = (cable.a, cable.b) else {
                continue;
            };
            let (low, high) = match (with_hosts[a.0 as usize], with_hosts[b.0 as usize]) {
                (true, false) => (a, b),
                (false, true) => (b, a),
                _ => continue,
            };
            bps += cable.rate.as_bps();
            ends.get_or_insert((low, high));
        }
        let (low, high) = ends?;
        let tier = |switch: SwitchId| network.switches[switch.0 as usize].tier.clone();
        let name = match (tier(low), tier(high)) {
            (Some(low), Some(high)) => format!("{low} to {high}"),
            _ => "switches with hosts to those without".to_string(),
        };
        Some(Fabric { bps, name })
    }
}
