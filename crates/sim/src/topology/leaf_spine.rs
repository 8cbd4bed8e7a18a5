//! Leaf-spine: every leaf switch is cabled to every spine switch.
//!
//! **Decision**     hosts are numbered leaf by leaf.
//! **State**        ports: leaf = its hosts, then `spine 0…`; spine = `leaf 0…`.
//! **Units**        rates per direction.
//! **Errors**       a switch with more ports than there are.
//! **Source**       the defaults are the fabric of Vertigo's artefact: 4 spines, 8 leaves, 320 hosts
//!                  (Abdous et al., CoNEXT 2021).

use super::{Builder, Link, MAX_PORTS, Topology, at_most_hosts, count};
use crate::files::Files;
use crate::network::{Network, SwitchInfo};
use sidestep_types::{Entry, Param, ParamUnit, Refusal, Values};

/// See the module.
pub struct LeafSpine;

impl Topology for LeafSpine {
    const ENTRY: Entry = Entry {
        name: "leaf_spine",
        summary: "every leaf cabled to every spine, hosts on the leaves",
        source: "Abdous et al., CoNEXT 2021 (Vertigo), its artefact",
        params: &[
            Param::with_default(
                "leaves",
                ParamUnit::Count,
                "8",
                "leaf switches; Vertigo artefact",
            ),
            Param::with_default(
                "spines",
                ParamUnit::Count,
                "4",
                "spine switches; Vertigo artefact",
            ),
            Param::with_default(
                "hosts_per_leaf",
                ParamUnit::Count,
                "40",
                "hosts on each leaf; Vertigo artefact",
            ),
            Param::with_default(
                "host_rate",
                ParamUnit::Rate,
                "10 Gbps",
                "rate of links from host to leaf; Vertigo artefact",
            ),
            Param::with_default(
                "fabric_rate",
                ParamUnit::Rate,
                "40 Gbps",
                "rate of links from leaf to spine; Vertigo artefact",
            ),
            Param::with_default(
                "host_delay",
                ParamUnit::Time,
                "1 us",
                "delay of links from host to leaf; Vertigo artefact",
            ),
            Param::with_default(
                "fabric_delay",
                ParamUnit::Time,
                "5 us",
                "delay of links from leaf to spine; Vertigo artefact",
            ),
        ],
    };

    fn lay(values: &Values, _: &dyn Files) -> Result<Network, Refusal> {
        let leaves = count(values, "leaves", 1, MAX_PORTS)?;
        let spines = count(values, "spines", 1, MAX_PORTS)?;
        let hosts = count(values, "hosts_per_leaf", 1, MAX_PORTS)?;
        at_most_hosts(
            u64::from(leaves) * u64::from(hosts),
            &["leaves", "hosts_per_leaf"],
        )?;
        let access = Link::of(values, "host_rate", "host_delay");
        let fabric = Link::of(values, "fabric_rate", "fabric_delay");

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
