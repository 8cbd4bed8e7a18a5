//! Incast: many hosts send to one at the same instant, once.
//!
//! **Decision**     one query; each of `degree` senders starts `flows` responses at `at`. Senders
//!                  are drawn uniformly (`random`), taken evenly over the host numbers (`spread`)
//!                  or lowest number first (`first`); never the target.
//! **State**        two streams: hosts, jitter.
//! **Units**        sizes in payload bytes.
//! **Errors**       more senders than other hosts; a target that is not there; `at` past the run.
//! **Source**       Zarifis et al., EuroSys 2014, section 5.2: there "the first five servers each
//!                  sent ten simultaneous flows of 32KB each to the last server".

use super::load::per_second;
use super::mss::MSS;
use super::{Cost, Draft, Load, Site, Workload, count, deck::Deck, jitter, later, size};
use crate::files::Files;
use crate::plan::Start;
use sidestep_types::{Entry, Param, ParamUnit, Refusal, Time, Values};

/// See the module.
#[derive(Clone, Debug, PartialEq)]
pub struct Incast {
    hosts: u32,
    degree: u32,
    flows: u32,
    size: u64,
    target: Option<u32>,
    senders: Senders,
    at: Time,
    jitter: Time,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Senders {
    Random,
    Spread,
    First,
}

impl Workload for Incast {
    const ENTRY: Entry = Entry {
        name: "incast",
        summary: "many hosts send to one at the same instant, once",
        source: "Zarifis et al., EuroSys 2014 (DIBS), section 5.2",
        params: &[
            Param::with_default(
                "degree",
                ParamUnit::Count,
                "40",
                "hosts that send; DIBS Table 2",
            ),
            Param::with_default("size", ParamUnit::Bytes, "20 kB", "of a flow; DIBS Table 2"),
            Param::with_default(
                "flows",
                ParamUnit::Count,
                "1",
                "flows of each sender; assumed",
            ),
            Param::with_default(
                "target",
                ParamUnit::Count,
                "random",
                "number of the receiving host; assumed random",
            )
            .or_off("random"),
            Param::with_default(
                "senders",
                ParamUnit::Word(&["random", "spread", "first"]),
                "random",
                "which hosts send: drawn, evenly over the numbers, or lowest first; assumed",
            ),
            Param::with_default("at", ParamUnit::Time, "0 us", "when; assumed"),
            Param::with_default(
                "jitter",
                ParamUnit::Time,
                "0 us",
                "each flow starts up to this much later, uniformly; assumed",
            ),
            MSS,
        ],
    };

    fn build(values: &Values, _: &dyn Files, site: &Site) -> Result<Incast, Refusal> {
        let hosts = site.pairs_of_hosts()?;
        let target = values.count_or_off("target");
        if let Some(target) = target.filter(|t| *t >= u64::from(hosts)) {
            let expected = format!("must be a host from 0 to {}", hosts - 1);
            return Err(Refusal::of("target", expected).got(target));
        }
        let incast = Incast {
            hosts,
            degree: count(values, "degree", 1, u64::from(hosts - 1))?,
            flows: count(values, "flows", 1, 65_536)?,
            size: size(values, "size")?,
            target: target.map(|t| t as u32),
            senders: match values.word("senders").as_str() {
                "spread" => Senders::Spread,
                "first" => Senders::First,
                _ => Senders::Random,
            },
            at: values.time("at"),
            jitter: values.time("jitter"),
        };
        let responses = u64::from(incast.degree) * u64::from(incast.flows);
        match u32::try_from(responses) {
            Ok(_) => Ok(incast),
            Err(_) => {
                let expected = format!("degree times flows must be at most {}", u32::MAX);
                Err(Refusal::about(&["degree", "flows"], expected).got(responses))
            }
        }
    }

    fn draw(&self, into: &mut Draft<'_>) -> Result<(), Refusal> {
        if self.at >= into.duration {
            let expected = format!("must be before the run's end at {}", into.duration);
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
        let query = into.query(self.at, target, self.degree * self.flows);
        for i in 0..self.degree {
            for _ in 0..self.flows {
                let start = later(self.at, jitter(&mut delays, self.jitter))?;
                into.response(query, sender(i), self.size, Start::At(start))?;
            }
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
        load.add_some(flows, self.size, cost, duration);
        let bytes = u128::from(flows) * u128::from(self.size);
        load.notes.push(format!(
            "one burst of {flows} flows, {bytes} B in all, to one host"
        ));
        load
    }
}
