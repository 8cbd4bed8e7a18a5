//! Dumbbell: two switches with one shared cable between them.
//!
//! **Decision**     hosts `0..left` are attached to the left switch, the others to the right one.
//! **State**        ports: each switch's hosts, then the bottleneck.
//! **Units**        rates per direction.

use super::{Builder, Link, MAX_PORTS, Topology, count};
use crate::files::Files;
use crate::network::{Network, SwitchInfo};
use sidestep_types::{Entry, Param, ParamUnit, Refusal, Values};

/// See the module.
pub struct Dumbbell;

impl Topology for Dumbbell {
    const ENTRY: Entry = Entry {
        name: "dumbbell",
        summary: "two switches with hosts, and one shared cable between them",
        source: "the field's standard test of congestion control",
        params: &[
            Param::with_default(
                "left",
                ParamUnit::Count,
                "8",
                "hosts on the left switch; assumed",
            ),
            Param::with_default(
                "right",
                ParamUnit::Count,
                "8",
                "hosts on the right switch; assumed",
            ),
            Param::with_default(
                "rate",
                ParamUnit::Rate,
                "1 Gbps",
                "rate of host links; DIBS Table 1",
            ),
            Param::with_default(
                "delay",
                ParamUnit::Time,
                "1 us",
                "delay of host links; assumed",
            ),
            Param::with_default(
                "bottleneck_rate",
                ParamUnit::Rate,
                "1 Gbps",
                "rate of the shared cable; assumed: as one host",
            ),
            Param::with_default(
                "bottleneck_delay",
                ParamUnit::Time,
                "1 us",
                "delay of the shared cable; assumed",
            ),
        ],
    };

    fn lay(values: &Values, _: &dyn Files) -> Result<Network, Refusal> {
        let mut net = Builder::default();
        let [left, right] = ["left", "right"].map(|name| net.switch(SwitchInfo::named(name)));
        let access = Link::of(values, "rate", "delay");
        let on_left = count(values, "left", 1, MAX_PORTS)?;
        net.hosts(on_left, left, access);
        net.hosts(count(values, "right", 1, MAX_PORTS)?, right, access);
        net.cable(
            left,
            right,
            Link::of(values, "bottleneck_rate", "bottleneck_delay"),
        );
        // The shared cable takes a port, and the left switch is checked first.
        net.done(if on_left < MAX_PORTS {
            &["right"]
        } else {
            &["left"]
        })
    }
}
