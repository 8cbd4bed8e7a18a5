//! Incast: many hosts send to one at the same instant, once.
//!
//! **Decision**     one query; each of `degree` senders starts `flows` responses at `at`. Senders
//!                  are drawn uniformly (`random`), taken evenly over the host numbers (`spread`)
//!                  or lowest number first (`first`); never the target.
//! **State**        two streams: hosts, jitter.
//!                  All flows have `size` bytes, or share `total` equally: what is left over is a byte
//!                  more for each of the first flows.
//! **Units**        sizes in payload bytes.
//! **Errors**       more senders than other hosts; a target that is not there; `at` past the run; both or
//!                  neither of `size` and `total`; a total below one byte a flow.
//! **Source**       Zarifis et al., EuroSys 2014, section 5.2: there "the first five servers each
//!                  sent ten simultaneous flows of 32KB each to the last server". `total`: Mushtaq et al.,
//!                  SIGCOMM 2014 poster (MulBuff), where senders have equal shares of 1 MB.

use super::load::per_second;
use super::{Cost, Draft, FlowSize, Load, Site, Workload, deck::Deck, jitter, later, target};
use crate::files::Files;
use crate::plan::Start;
use sidestep_types::settings::bounded;
use sidestep_types::{About, Bytes, Refusal, Settings, Time, Words};

/// See the module.
#[derive(Clone, Debug, PartialEq)]
pub struct Incast {
    hosts: u32,
    degree: u32,
    flows: u32,
    sizes: Sizes,
    target: Option<u32>,
    senders: Senders,
    at: Time,
    jitter: Time,
}

/// Sizes of the flows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sizes {
    Each(u64),
    Total(u64),
}

impl Sizes {
    /// Returns the sizes, from exactly one of `size` and `total`.
    fn read(size: Option<FlowSize>, total: Option<FlowSize>) -> Result<Sizes, Refusal> {
        match (size, total) {
            (Some(FlowSize(size)), None) => Ok(Sizes::Each(size)),
            (None, Some(FlowSize(total))) => Ok(Sizes::Total(total)),
            given => {
                let word =
                    |size: Option<FlowSize>| size.map_or("off".into(), |s| Bytes(s.0).to_string());
                let expected = format!(
                    "set one of size and total, and the other to \"off\"; got size {}, total {}",
                    word(given.0),
                    word(given.1)
                );
                Err(Refusal::about(&["total", "size"], expected))
            }
        }
    }

    /// Returns the two sizes of `flows` flows, and the number of the first flows that have the first, larger
    /// one.
    fn of(self, flows: u64) -> (u64, u64, u64) {
        match self {
            Sizes::Each(size) => (size, size, flows),
            Sizes::Total(total) => (total / flows + 1, total / flows, total % flows),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Words)]
enum Senders {
    Random,
    Spread,
    First,
}

/// Settings of [`Incast`].
#[derive(Settings)]
pub struct IncastSettings {
    /// hosts that send; DIBS Table 2
    #[setting(default = "40")]
    degree: u64,
    /// size of a flow; DIBS Table 2
    #[setting(default = "20 kB", off = "off", unless = "total")]
    size: Option<FlowSize>,
    /// size of all flows together, shared equally, instead of size; MulBuff: 1 MB
    #[setting(default = "off", off = "off")]
    total: Option<FlowSize>,
    /// flows of each sender; assumed
    #[setting(default = "1", range = 1..=65_536)]
    flows: u32,
    /// number of the receiving host; assumed random
    #[setting(default = "random", off = "random")]
    target: Option<u64>,
    /// hosts that send: random ones, evenly spread over the numbers, or the first ones; assumed
    #[setting(default = "random")]
    senders: Senders,
    /// start of the burst; assumed
    #[setting(default = "0 us")]
    at: Time,
    /// each flow starts up to this much later, uniformly; assumed
    #[setting(default = "0 us")]
    jitter: Time,
}

impl Workload for Incast {
    type Settings = IncastSettings;
    const ABOUT: About = About {
        name: "incast",
        summary: "many hosts send to one at the same instant, once",
        source: "Zarifis et al., EuroSys 2014 (DIBS), section 5.2",
    };

    fn build(set: IncastSettings, _: &dyn Files, site: &Site) -> Result<Incast, Refusal> {
        let hosts = site.pairs_of_hosts()?;
        let others = u64::from(hosts - 1);
        let incast = Incast {
            hosts,
            degree: bounded("degree", set.degree, 1..=others, "")? as u32,
            flows: set.flows,
            sizes: Sizes::read(set.size, set.total)?,
            target: target(set.target, hosts)?,
            senders: set.senders,
            at: set.at,
            jitter: set.jitter,
        };
        let responses = u64::from(incast.degree) * u64::from(incast.flows);
        if u32::try_from(responses).is_err() {
            let expected = format!("degree times flows must be at most {}", u32::MAX);
            return Err(Refusal::about(&["degree", "flows"], expected).got(responses));
        }
        match incast.sizes {
            Sizes::Total(total) if total < responses => {
                let expected =
                    format!("total must be at least {responses} B, one byte for each flow");
                let params = ["total", "degree", "flows"];
                Err(Refusal::about(&params, expected).got(format!("{total} B")))
            }
            _ => Ok(incast),
        }
    }

    fn draw(&self, into: &mut Draft<'_>) -> Result<(), Refusal> {
        if self.at >= into.duration {
            let expected = format!("must be before duration ends at {}", into.duration);
            return Err(Refusal::of("at", expected).got(self.at));
        }
        let mut rng = into.seed.stream("hosts");
        let dealt = Deck::new(self.hosts).deal(&mut rng, self.degree + 1, self.target);
        let target = dealt[0];
        let others = self.hosts - 1;
        let other = |i: u32| if i < target { i } else { i + 1 };
        let sender = |i: u32| match self.senders {
            Senders::Random => dealt[i as usize + 1],
            Senders::First => other(i),
            Senders::Spread => {
                other((u64::from(i) * u64::from(others) / u64::from(self.degree)) as u32)
            }
        };
        let mut delays = into.seed.stream("jitter");
        let responses = self.degree * self.flows;
        let query = into.query(self.at, target, responses);
        let (large, small, larger) = self.sizes.of(u64::from(responses));
        for number in 0..responses {
            let start = later(self.at, jitter(&mut delays, self.jitter))?;
            let size = if u64::from(number) < larger {
                large
            } else {
                small
            };
            let src = sender(number / self.flows);
            into.response(query, src, size, Start::At(start))?;
        }
        Ok(())
    }

    fn load(&self, cost: Cost, duration: Time) -> Load {
        let flows = u64::from(self.degree) * u64::from(self.flows);
        let mut load = Load {
            queries_per_s: per_second(1, duration),
            together: flows,
            apart: self.jitter,
            ..Load::default()
        };
        let (large, small, larger) = self.sizes.of(flows);
        load.add_some(larger, large, cost, duration);
        if larger < flows {
            load.add_some(flows - larger, small, cost, duration);
        }
        let bytes = match self.sizes {
            Sizes::Each(size) => u128::from(flows) * u128::from(size),
            Sizes::Total(total) => u128::from(total),
        };
        load.notes.push(format!(
            "one burst of {flows} flows, {bytes} B in all, to one host"
        ));
        load
    }
}
