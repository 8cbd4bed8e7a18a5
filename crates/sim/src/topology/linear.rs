//! Chain of switches, each with hosts: one path between any two, of any length.
//!
//! **Decision**     hosts are numbered switch by switch.
//! **State**        ports: each switch's hosts, then the switch before it, then the one after.
//! **Units**        rates per direction.

use super::{Builder, EveryLink, Link, PORTS, Topology, at_most_hosts};
use crate::files::Files;
use crate::network::{Network, SwitchInfo};
use sidestep_types::{About, Refusal, Settings};

/// See the module.
#[derive(Settings)]
pub struct Linear {
    /// switches in a row; assumed
    #[setting(default = "4", range = 1..=65_536)]
    switches: u32,
    /// hosts on each switch; assumed
    #[setting(default = "2", range = 1..=PORTS)]
    hosts_per_switch: u32,
    #[setting(flatten = EveryLink)]
    link: Link,
}

impl Topology for Linear {
    const ABOUT: About = About {
        name: "linear",
        summary: "a chain of switches, each with hosts",
        source: "the field's standard parking lot",
    };

    fn build_network(self, _: &dyn Files) -> Result<Network, Refusal> {
        let (switches, hosts, link) = (self.switches, self.hosts_per_switch, self.link);
        at_most_hosts(
            u64::from(switches) * u64::from(hosts),
            &["switches", "hosts_per_switch"],
        )?;
        let mut net = Builder::default();
        let row: Vec<_> = (0..switches)
            .map(|i| net.switch(SwitchInfo::named(format!("switch {i}"))))
            .collect();
        for switch in &row {
            net.hosts(hosts, *switch, link);
        }
        for pair in row.windows(2) {
            net.cable(pair[0], pair[1], link);
        }
        net.done(&["hosts_per_switch"])
    }
}
