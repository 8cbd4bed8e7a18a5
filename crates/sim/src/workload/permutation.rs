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

use super::apart::{APART, Apart};
use super::mss::MSS;
use super::{Cost, Draft, Load, Site, Workload, deck::Deck, jitter, later, size_or_endless};
use crate::files::Files;
use crate::plan::Start;
use sidestep_types::{Entry, Param, ParamUnit, Refusal, Time, Values};

/// See the module.
#[derive(Clone, Debug, PartialEq)]
pub struct Permutation {
    hosts: u32,
    apart: Option<Apart>,
    size: u64,
    start: Time,
    jitter: Time,
}

impl Workload for Permutation {
    const ENTRY: Entry = Entry {
        name: "permutation",
        summary: "every host sends one flow and receives one",
        source: "Al-Fares et al., NSDI 2010 (Hedera)",
        params: &[
            Param::with_default(
                "size",
                ParamUnit::Bytes,
                "endless",
                "size of each flow; assumed endless",
            )
            .or_off("endless"),
            Param::with_default(
                "start",
                ParamUnit::Time,
                "0 us",
                "start of all flows; assumed",
            ),
            Param::with_default(
                "jitter",
                ParamUnit::Time,
                "0 us",
                "each flow starts up to this much later, uniformly; assumed",
            ),
            APART,
            MSS,
        ],
    };

    fn build(values: &Values, _: &dyn Files, site: &Site) -> Result<Permutation, Refusal> {
        let hosts = site.pairs_of_hosts()?;
        Ok(Permutation {
            hosts,
            apart: Apart::build(values, site, hosts / 2, "permutation")?,
            size: size_or_endless(values, "size")?,
            start: values.time("start"),
            jitter: values.time("jitter"),
        })
    }

    fn draw(&self, into: &mut Draft<'_>) -> Result<(), Refusal> {
        if self.start >= into.duration {
            let expected = format!("must be before duration ends at {}", into.duration);
            return Err(Refusal::of("start", expected).got(self.start));
        }
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
            let start = later(self.start, jitter(&mut delays, self.jitter))?;
            into.flow(src, dst, self.size, Start::At(start))?;
        }
        Ok(())
    }

    fn load(&self, cost: Cost, duration: Time) -> Load {
        let mut load = Load::default();
        load.add_some(u64::from(self.hosts), self.size, cost, duration);
        load
    }
}
