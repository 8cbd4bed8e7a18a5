//! Where the hosts are that a workload runs on.

use crate::network::{End, Network};
use sidestep_types::{BitRate, Refusal};

/// The hosts a workload runs on. Each list has an entry per host.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Site {
    /// The rate of its only link.
    pub access: Vec<BitRate>,
    /// The number of the switch that it hangs off.
    pub racks: Vec<u32>,
    /// The pod of that switch, as its topology calls it.
    pub pods: Vec<Option<String>>,
}

impl Site {
    /// The hosts of `network`.
    pub fn of(network: &Network) -> Site {
        let hosts = network.hosts as usize;
        let mut site = Site {
            access: vec![BitRate::bps(0); hosts],
            racks: vec![0; hosts],
            pods: vec![None; hosts],
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

    /// How many there are.
    pub fn hosts(&self) -> u32 {
        self.access.len() as u32
    }

    /// How many there are, at least two, since a flow needs two ends.
    pub(super) fn pairs_of_hosts(&self) -> Result<u32, Refusal> {
        match self.hosts() {
            n @ (0 | 1) => Err(Refusal::of_none("expected at least two hosts").got(n)),
            n => Ok(n),
        }
    }
}
