//! Chain of switches, each with hosts: one path between any two, of any length.
//!
//! **Decision**     hosts are numbered switch by switch.
//! **State**        ports: each switch's hosts, then the switch before it, then the one after.
//! **Units**        rates per direction.

use super::{Builder, Link, MAX_PORTS, Topology, at_most_hosts, count};
use crate::files::Files;
use crate::network::{Network, SwitchInfo};
use sidestep_types::{Entry, Param, ParamUnit, Refusal, Values};

/// See the module.
pub struct Linear;

impl Topology for Linear {
    const ENTRY: Entry = Entry {
        name: "linear",
        summary: "a chain of switches, each with hosts",
        source: "the field's standard parking lot",
        params: &[
            Param::with_default(
                "switches",
                ParamUnit::Count,
                "4",
                "switches in a row; assumed",
            ),
            Param::with_default(
                "hosts_per_switch",
                ParamUnit::Count,
                "2",
                "hosts on each switch; assumed",
            ),
            Param::with_default(
                "rate",
                ParamUnit::Rate,
                "1 Gbps",
                "rate of every link; DIBS Table 1",
            ),
            Param::with_default(
                "delay",
                ParamUnit::Time,
                "1 us",
                "delay of every link; assumed",
            ),
        ],
    };

    fn lay(values: &Values, _: &dyn Files) -> Result<Network, Refusal> {
        let switches = count(values, "switches", 1, 65_536)?;
        let hosts = count(values, "hosts_per_switch", 1, MAX_PORTS)?;
        at_most_hosts(
            u64::from(switches) * u64::from(hosts),
            &["switches", "hosts_per_switch"],
        )?;
        let link = Link::of(values, "rate", "delay");
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
