//! Dumbbell: two switches with one shared cable between them.
//!
//! **Decision**     hosts `0..left` are attached to the left switch, the others to the right one.
//! **State**        ports: each switch's hosts, then the bottleneck.
//! **Units**        rates per direction.

use super::{Builder, Link, MAX_PORTS, PORTS, Topology};
use crate::files::Files;
use crate::network::{Network, SwitchInfo};
use sidestep_types::{About, BitRate, Refusal, Settings, Time};

/// See the module.
#[derive(Settings)]
pub struct Dumbbell {
    /// hosts on the left switch; assumed
    #[setting(default = "8", range = 1..=PORTS)]
    left: u32,
    /// hosts on the right switch; assumed
    #[setting(default = "8", range = 1..=PORTS)]
    right: u32,
    /// rate of host links; DIBS Table 1
    #[setting(default = "1 Gbps")]
    rate: BitRate,
    /// delay of host links; assumed
    #[setting(default = "1 us")]
    delay: Time,
    /// rate of the shared cable; assumed: as one host
    #[setting(default = "1 Gbps")]
    bottleneck_rate: BitRate,
    /// delay of the shared cable; assumed
    #[setting(default = "1 us")]
    bottleneck_delay: Time,
}

impl Topology for Dumbbell {
    const ABOUT: About = About {
        name: "dumbbell",
        summary: "two switches with hosts, and one shared cable between them",
        source: "the field's standard test of congestion control",
    };

    fn build_network(self, _: &dyn Files) -> Result<Network, Refusal> {
        let mut net = Builder::default();
        let [left, right] = ["left", "right"].map(|name| net.switch(SwitchInfo::named(name)));
        let access = Link::of(self.rate, self.delay);
        let shared = Link::of(self.bottleneck_rate, self.bottleneck_delay);
        net.hosts(self.left, left, access);
        net.hosts(self.right, right, access);
        net.cable(
            left,
            right,
            shared.called("bottleneck_rate", "bottleneck_delay"),
        );
        // The shared cable takes a port, and the left switch is checked first.
        net.done(if self.left < MAX_PORTS {
            &["right"]
        } else {
            &["left"]
        })
    }
}
