//! Permutation: every host sends one flow and receives one.
//!
//! **Decision**     the receivers are a permutation of the senders without a fixed point, drawn
//!                  uniformly from all such: a uniform permutation is drawn until one has none.
//!                  With `apart` every receiver is in another pod or rack than its sender, drawn as
//!                  [`super::apart`] says.
//! **State**        two streams: the permutation, jitter.
//! **Units**        sizes in payload bytes.
//! **Errors**       fewer than two hosts; a start past the run; hosts that cannot be apart.
//! **Source**       the field's standard test of load balancing (Al-Fares et al., NSDI 2010).

use super::apart::HostGroups;
use super::starts::Starts;
use super::{Cost, Draft, FlowSize, Load, Site, Workload, deck::Deck, endless};
use crate::files::Files;
use sidestep_types::{About, Refusal, Settings, Time};

/// See the module.
#[derive(Clone, Debug, PartialEq)]
pub struct Permutation {
    hosts: u32,
    apart: Option<HostGroups>,
    size: u64,
    starts: Starts,
}

/// Settings of [`Permutation`].
#[derive(Settings)]
pub struct PermutationSettings {
    /// size of each flow; assumed endless
    #[setting(default = "endless", off = "endless")]
    size: Option<FlowSize>,
    #[setting(flatten)]
    starts: Starts,
}

impl Workload for Permutation {
    type Settings = PermutationSettings;
    const ABOUT: About = About {
        name: "permutation",
        summary: "every host sends one flow and receives one",
        source: "Al-Fares et al., NSDI 2010 (Hedera)",
    };

    fn build(set: PermutationSettings, _: &dyn Files, site: &Site) -> Result<Permutation, Refusal> {
        let hosts = site.pairs_of_hosts()?;
        Ok(Permutation {
            hosts,
            apart: HostGroups::build(set.starts.apart, site, hosts / 2, "permutation")?,
            size: endless(set.size),
            starts: set.starts,
        })
    }

    fn draw(&self, into: &mut Draft<'_>) -> Result<(), Refusal> {
        self.starts.check(into.duration)?;
        let mut rng = into.seed.stream("hosts");
        let mut delays = into.seed.stream("jitter");
        let mut deck = Deck::new(self.hosts);
        let receivers = match &self.apart {
            Some(apart) => apart.permutation(&mut deck, &mut rng),
            // One permutation in e has no fixed point (one in two with two hosts).
            None => loop {
                let drawn = deck.deal(&mut rng, self.hosts, None);
                if drawn.iter().zip(0..).all(|(dst, src)| *dst != src) {
                    break drawn;
                }
            },
        };
        for (src, dst) in (0..).zip(receivers) {
            let start = self.starts.draw(&mut delays)?;
            into.flow(src, dst, self.size, start)?;
        }
        Ok(())
    }

    fn load(&self, cost: Cost, duration: Time) -> Load {
        let mut load = Load::default();
        load.add_some(u64::from(self.hosts), self.size, cost, duration);
        load
    }
}
