//! Single path: always the first of the equal-cost next hops.
//!
//! **Decision**     the lowest-numbered port on a shortest path.
//! **State**        none. No draws.
//! **Units**        none.
//! **Errors**       none.
//! **Source**       spanning-tree forwarding, as a reference to compare with.
//! **Deviations**   none.

use super::{Hops, Route};
use crate::why::SwitchSnapshot;
use crate::{Nature, Policy, Queues};
use sidestep_types::{About, Packet, PortId, Refusal, Rng};

/// Route that always takes the first next hop.
#[derive(Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Single;

impl Policy for Single {
    type Settings = ();
    const ABOUT: About = About {
        name: "single",
        summary: "always the first shortest path",
        source: "spanning-tree forwarding",
    };
    const NATURE: Nature = Nature {
        one_way: true,
        ..Nature::PLAIN
    };

    fn build(_: (), _: u16, _: u64) -> Result<Single, Refusal> {
        Ok(Single)
    }
}

impl Route for Single {
    #[inline]
    fn pick(&mut self, _: &Packet, hops: Hops<'_>, _: &mut dyn Queues, _: &mut Rng) -> PortId {
        hops.ports[0]
    }

    fn why(&self, _: &mut SwitchSnapshot<'_>, _: Hops<'_>, _: PortId) -> String {
        "always the first next hop".into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{StillQueues, data};

    #[test]
    fn it_takes_the_first_hop_whatever_the_flow() {
        let mut q = StillQueues::of(&[0; 8], 100, &[]);
        let port = Single.pick(
            &data(),
            Hops::of(&[PortId(4), PortId(6)]),
            &mut q,
            &mut Rng::from_seed(0),
        );
        assert_eq!(port, PortId(4));
    }
}
