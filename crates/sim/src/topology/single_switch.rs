//! Single switch with hosts on its ports: the smallest network for an incast.
//!
//! **State**        ports: host 0, host 1, …
//! **Units**        rates per direction.

use super::{Builder, Link, MAX_PORTS, Topology, count};
use crate::files::Files;
use crate::network::{Network, SwitchInfo};
use sidestep_types::{Entry, Param, ParamUnit, Refusal, Values};

/// See the module.
pub struct SingleSwitch;

impl Topology for SingleSwitch {
    const ENTRY: Entry = Entry {
        name: "single_switch",
        summary: "one switch with hosts on its ports",
        source: "the smallest network for an incast",
        params: &[
            Param::with_default("hosts", ParamUnit::Count, "8", "number of hosts; assumed"),
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
        let hosts = count(values, "hosts", 1, MAX_PORTS)?;
        let mut net = Builder::default();
        let switch = net.switch(SwitchInfo::named("switch 0"));
        net.hosts(hosts, switch, Link::of(values, "rate", "delay"));
        net.done(&["hosts"])
    }
}
