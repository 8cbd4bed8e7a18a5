//! The testbed of DIBS: two aggregation switches, three edge switches, two hosts in each rack.
//!
//! **Decision**     every edge switch is cabled to both aggregation switches.
//! **State**        ports: edge = its two hosts, `agg 0`, `agg 1`; agg = `edge 0…2`.
//! **Units**        rates per direction.
//! **Source**       Zarifis et al., EuroSys 2014, section 5.2: "a small FatTree topology with two
//!                  aggregator switches, three edge switches, and two servers per rack".
//! **Deviations**   the delay is assumed; the paper ran on Emulab and states none.

use super::{Builder, Link, Topology};
use crate::files::Files;
use crate::network::{Network, SwitchInfo};
use sidestep_types::{About, BitRate, Refusal, Settings, Time};

/// See the module.
#[derive(Settings)]
pub struct Testbed {
    /// rate of every link; DIBS Table 1
    #[setting(default = "1 Gbps")]
    rate: BitRate,
    /// delay of every link; assumed: DIBS is silent
    #[setting(default = "1 us")]
    delay: Time,
}

impl Topology for Testbed {
    const ABOUT: About = About {
        name: "testbed",
        summary: "2 aggregation switches, 3 edge switches, 6 hosts: the testbed of DIBS",
        source: "Zarifis et al., EuroSys 2014 (DIBS), section 5.2",
    };

    fn build_network(self, _: &dyn Files) -> Result<Network, Refusal> {
        let link = Link::of(self.rate, self.delay);
        let mut net = Builder::default();
        let edges = [0, 1, 2].map(|i| net.switch(SwitchInfo::of_tier("edge", i)));
        let aggs = [0, 1].map(|i| net.switch(SwitchInfo::of_tier("agg", i)));
        for edge in edges {
            net.hosts(2, edge, link);
        }
        for edge in edges {
            for agg in aggs {
                net.cable(edge, agg, link);
            }
        }
        net.done(&[])
    }
}
