//! Queries: a host asks many others at once, and their answers collide at its port.
//!
//! **Decision**     queries arrive as a Poisson process over the whole network. Each draws its
//!                  target uniformly, then its responders uniformly from the others without
//!                  repetition. With more responses than other hosts, every other host answers
//!                  once before any answers twice, in the same order, up to `connections` each.
//! **State**        streams: the arrivals; one per query for the hosts, one for jitter, one for think times.
//!                  The hosts of a smaller degree are the first of a larger one.
//! **Units**        `rate` in queries per second, or `load` as [`super::share`] says; sizes in payload bytes.
//! **Errors**       a degree above the other hosts times `connections`; what [`super::exchange`] refuses; both `rate` and
//!                  `load`, or neither.
//! **Source**       Zarifis et al., EuroSys 2014, sections 5.3 and 5.5.2.
//! **Deviations**   the paper names the rate, not the process: Poisson is assumed. Nor does it
//!                  say whether requests are packets: by default the responses start with the query.

use super::exchange::{Ask, Exchange, Openers, Over, Request};
use super::share::{self, LoadOf};
use super::{Cost, Draft, FlowSize, Load, Poisson, Site, Workload, deck::Deck, jitter, later};
use crate::files::Files;
use crate::plan::Start;
use sidestep_types::{About, PerMegasecond, Refusal, Settings, Time};

/// See the module.
#[derive(Clone, Debug, PartialEq)]
pub struct Query {
    hosts: u32,
    per_megasecond: u64,
    degree: u32,
    size: u64,
    exchange: Option<Exchange>,
    jitter: Time,
}

/// Settings of [`Query`].
#[derive(Settings)]
pub struct QuerySettings {
    /// rate of queries in the whole network; DIBS Table 2
    #[setting(default = "300 /s", off = "off", above = 0, unless = "load")]
    rate: Option<PerMegasecond>,
    /// payload of the responses as a share of the capacity of the links of load_of, instead of rate
    #[setting(default = "off", off = "off", above = 0)]
    load: Option<f64>,
    #[setting(flatten)]
    load_of: LoadOf,
    /// responses to a query; DIBS Table 2
    #[setting(default = "40", range = 1..=u64::from(u32::MAX))]
    degree: u32,
    /// size of a response; DIBS Table 2
    #[setting(default = "20 kB")]
    size: FlowSize,
    /// responses that one host may send to a query, for degrees above the number of hosts; DIBS section 5.5.2
    #[setting(default = "1", range = 1..=MOST_CONNECTIONS)]
    connections: u32,
    #[setting(flatten)]
    request: Request,
    /// each response starts up to this much later, uniformly; assumed
    #[setting(default = "0 us")]
    jitter: Time,
    #[setting(flatten)]
    over: Over,
}

impl Workload for Query {
    type Settings = QuerySettings;
    const ABOUT: About = About {
        name: "query",
        summary: "random hosts ask many others at once (partition-aggregate)",
        source: "Zarifis et al., EuroSys 2014 (DIBS), section 5.3",
    };

    fn build(set: QuerySettings, _: &dyn Files, site: &Site) -> Result<Query, Refusal> {
        let mut query = Query {
            hosts: site.pairs_of_hosts()?,
            per_megasecond: 0,
            degree: set.degree,
            size: set.size.0,
            exchange: Exchange::of(set.request, set.over)?,
            jitter: set.jitter,
        };
        query.fits(set.connections)?;
        query.per_megasecond = query.read_rate(&set, site)?;
        Ok(query)
    }

    fn draw(&self, into: &mut Draft<'_>) -> Result<(), Refusal> {
        let answers = f64::from(self.degree) * into.duration.as_s_f64();
        into.expect(self.per_megasecond as f64 / 1e6 * answers)?;
        let mut deck = Deck::new(self.hosts);
        let gap_ps = 1e18 / self.per_megasecond as f64;
        let mut arrivals = Poisson::new(into.seed.stream("arrivals"), gap_ps);
        let mut openers = Openers::new();
        let mut number = 0;
        while let Some(at) = arrivals.next_before(into.duration) {
            let mut rng = into.seed.stream(("hosts", number));
            let mut delays = into.seed.stream(("jitter", number));
            let mut thoughts = into.seed.stream(("think", number));
            let dealt = deck.deal(&mut rng, self.degree.saturating_add(1), None);
            let (target, others) = (dealt[0], &dealt[1..]);
            let query = into.query(at, target, self.degree);
            for (i, src) in (others.iter().cycle().take(self.degree as usize)).enumerate() {
                let delay = jitter(&mut delays, self.jitter);
                let Some(exchange) = &self.exchange else {
                    let start = Start::At(later(at, delay)?);
                    into.response(query, *src, self.size, start)?;
                    continue;
                };
                let ask = Ask {
                    query: Some(query),
                    from: target,
                    to: *src,
                    nth: i / others.len(),
                    at,
                    delay,
                };
                let (start, opener) = exchange.ask(into, &ask, &mut thoughts, &mut openers)?;
                let answer = into.response(query, *src, self.size, start)?;
                opener.inspect(|opener| into.join(answer, *opener));
            }
            number += 1;
        }
        Ok(())
    }

    fn load(&self, cost: Cost, _: Time) -> Load {
        let queries = self.per_megasecond as f64 / 1e6;
        let deviation = (self.exchange.as_ref()).map_or(Time::ZERO, |exchange| exchange.deviation);
        let mut load = Load {
            queries_per_s: queries,
            together: u64::from(self.degree),
            apart: (self.jitter).saturating_add(deviation.saturating_mul(4)),
            ..Load::default()
        };
        load.add_sized(queries * f64::from(self.degree), self.size, cost);
        if let Some(exchange) = &self.exchange {
            load.add_sized(queries * f64::from(self.degree), exchange.size, cost);
        }
        let answer = u128::from(self.degree) * u128::from(self.size);
        load.notes
            .push(format!("each query sends {answer} B to one host"));
        load
    }
}

/// Most connections of a query to one host.
const MOST_CONNECTIONS: u64 = 65_536;

impl Query {
    /// Refuses more responses than the other hosts give.
    fn fits(&self, connections: u32) -> Result<(), Refusal> {
        let others = u64::from(self.hosts - 1);
        let most = others * u64::from(connections);
        if u64::from(self.degree) <= most {
            return Ok(());
        }
        let needed = u64::from(self.degree).div_ceil(others);
        let set = match needed <= MOST_CONNECTIONS {
            true => format!("; set connections = {needed}"),
            false => String::new(),
        };
        let expected = format!(
            "degree must be at most {most} ({others} other hosts, connections = {connections}{set})"
        );
        Err(Refusal::about(&["degree", "connections"], expected).got(self.degree))
    }

    /// Returns the queries in a megasecond: those of `rate`, or as many as have the payload of `load`.
    fn read_rate(&self, set: &QuerySettings, site: &Site) -> Result<u64, Refusal> {
        let share = share::of_links(set.load, set.load_of, site, "rate", set.rate.is_some())?;
        let Some(share) = share else {
            return Ok(set.rate.expect("exactly one is given").0);
        };
        let bits = f64::from(self.degree) * self.size as f64 * 8.0;
        let rate = libm::round(share * site.access_bps() / bits * 1e6) as u64;
        match rate {
            0 => {
                let expected = "load must give at least one query in 1,000,000 s";
                Err(Refusal::about(&["load", "size", "degree"], expected).got("fewer"))
            }
            _ => Ok(rate),
        }
    }
}
