//! Leaf-spine: every leaf switch is cabled to every spine switch.
//!
//! **Decision**     hosts are numbered leaf by leaf.
//! **State**        ports: leaf = its hosts, then `spine 0…`; spine = `leaf 0…`.
//! **Units**        rates per direction.
//! **Errors**       a switch with more ports than there are.
//! **Source**       the defaults are the fabric of Vertigo's artefact: 4 spines, 8 leaves, 320 hosts
//!                  (Abdous et al., CoNEXT 2021).

use super::{Builder, Link, PORTS, Topology, at_most_hosts};
use crate::files::Files;
use crate::network::{Network, SwitchInfo};
use sidestep_types::{About, BitRate, Refusal, Settings, Time};

/// See the module.
#[derive(Settings)]
pub struct LeafSpine {
    /// leaf switches; Vertigo artefact
    #[setting(default = "8", range = 1..=PORTS)]
    leaves: u32,
    /// spine switches; Vertigo artefact
    #[setting(default = "4", range = 1..=PORTS)]
    spines: u32,
    /// hosts on each leaf; Vertigo artefact
    #[setting(default = "40", range = 1..=PORTS)]
    hosts_per_leaf: u32,
    /// delay of links from host to leaf; Vertigo artefact
    #[setting(default = "10 Gbps")]
    host_rate: BitRate,
    /// delay of links from leaf to spine; Vertigo artefact
    #[setting(default = "40 Gbps")]
    fabric_rate: BitRate,
    /// delay of links from host to leaf; Vertigo artefact
    #[setting(default = "1 us")]
    host_delay: Time,
    /// delay of links from leaf to spine; Vertigo artefact
    #[setting(default = "5 us")]
    fabric_delay: Time,
}

impl Topology for LeafSpine {
    const ABOUT: About = About {
        name: "leaf_spine",
        summary: "every leaf cabled to every spine, hosts on the leaves",
        source: "Abdous et al., CoNEXT 2021 (Vertigo), its artefact",
    };

    fn build_network(self, _: &dyn Files) -> Result<Network, Refusal> {
        let (leaves, spines, hosts) = (self.leaves, self.spines, self.hosts_per_leaf);
        at_most_hosts(
            u64::from(leaves) * u64::from(hosts),
            &["leaves", "hosts_per_leaf"],
        )?;
        let access = Link::of(self.host_rate, self.host_delay).called("host_rate", "host_delay");
        let fabric =
            Link::of(self.fabric_rate, self.fabric_delay).called("fabric_rate", "fabric_delay");

        let mut net = Builder::default();
        let leaf: Vec<_> = (0..leaves)
            .map(|i| net.switch(SwitchInfo::of_tier("leaf", i)))
            .collect();
        let spine: Vec<_> = (0..spines)
            .map(|i| net.switch(SwitchInfo::of_tier("spine", i)))
            .collect();
        for l in &leaf {
            net.hosts(hosts, *l, access);
        }
        for l in &leaf {
            for s in &spine {
                net.cable(*l, *s, fabric);
            }
        }
        net.done(&["hosts_per_leaf", "spines"])
    }
}
