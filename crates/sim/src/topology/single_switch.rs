//! Single switch with hosts on its ports: the smallest network for an incast.
//!
//! **State**        ports: host 0, host 1, …
//! **Units**        rates per direction.

use super::{Builder, EveryLink, Link, PORTS, Topology};
use crate::files::Files;
use crate::network::{Network, SwitchInfo};
use sidestep_types::{About, Refusal, Settings};

/// See the module.
#[derive(Settings)]
pub struct SingleSwitch {
    /// number of hosts; assumed
    #[setting(default = "8", range = 1..=PORTS)]
    hosts: u32,
    #[setting(flatten = EveryLink)]
    link: Link,
}

impl Topology for SingleSwitch {
    const ABOUT: About = About {
        name: "single_switch",
        summary: "one switch with hosts on its ports",
        source: "the smallest network for an incast",
    };

    fn build_network(self, _: &dyn Files) -> Result<Network, Refusal> {
        let mut net = Builder::default();
        let switch = net.switch(SwitchInfo::named("switch 0"));
        net.hosts(self.hosts, switch, self.link);
        net.done(&["hosts"])
    }
}
