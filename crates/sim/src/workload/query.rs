//! Queries: a host asks many others at once, and their answers collide at its port.
//!
//! **Decision**     queries arrive as a Poisson process over the whole network. Each draws its
//!                  target uniformly, then its responders uniformly from the others without
//!                  repetition. With more responses than other hosts, every other host answers
//!                  once before any answers twice, in the same order, up to `connections` each.
//! **State**        streams: the arrivals; one per query for the hosts, one for jitter, one for thought.
//!                  The hosts of a smaller degree are the first of a larger one.
//! **Units**        `rate` in queries per second, or `load` as [`super::share`] says; sizes in payload bytes.
//! **Errors**       a degree above the other hosts times `connections`; `think`, its deviation or a shared
//!                  `connection` without `request`; both `rate` and `load`, or neither.
//! **Source**       Zarifis et al., EuroSys 2014, sections 5.3 and 5.5.2.
//! **Deviations**   the paper names the rate, not the process: Poisson is assumed. Nor does it
//!                  say whether requests are packets: by default the responses start with the query.

use super::mss::MSS;
use super::share::{self, LOAD_OF};
use super::{Cost, Draft, Load, Poisson, Site, Workload, count, deck::Deck, jitter, later, size};
use crate::files::Files;
use crate::plan::Start;
use sidestep_types::{Entry, FlowId, Param, ParamUnit, Refusal, Rng, Time, Values};
use std::collections::BTreeMap;

/// See the module.
#[derive(Clone, Debug, PartialEq)]
pub struct Query {
    hosts: u32,
    per_megasecond: u64,
    degree: u32,
    size: u64,
    request: Option<u64>,
    think: Time,
    think_deviation: Time,
    jitter: Time,
    connection: Connection,
}

/// What a request and its response travel over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Connection {
    /// A connection each.
    Own,
    /// One for both.
    Shared,
    /// One for all that a host asks of another.
    Persistent,
}

impl Workload for Query {
    const ENTRY: Entry = Entry {
        name: "query",
        summary: "random hosts ask many others at once (partition-aggregate)",
        source: "Zarifis et al., EuroSys 2014 (DIBS), section 5.3",
        params: &[
            Param::with_default(
                "rate",
                ParamUnit::PerSecond,
                "300 /s",
                "queries in the whole network; DIBS Table 2",
            )
            .or_off("off"),
            Param::with_default(
                "load",
                ParamUnit::Fraction,
                "off",
                "instead of rate: payload of the responses, as a share of what load_of says",
            )
            .or_off("off"),
            LOAD_OF,
            Param::with_default(
                "degree",
                ParamUnit::Count,
                "40",
                "responses to a query; DIBS Table 2",
            ),
            Param::with_default(
                "size",
                ParamUnit::Bytes,
                "20 kB",
                "of a response; DIBS Table 2",
            ),
            Param::with_default(
                "connections",
                ParamUnit::Count,
                "1",
                "responses one host may send to a query, for degrees above the number of hosts; DIBS section 5.5.2",
            ),
            Param::with_default(
                "request",
                ParamUnit::Bytes,
                "off",
                "of a request that each response waits for; assumed off: DIBS is silent",
            )
            .or_off("off"),
            Param::with_default(
                "think",
                ParamUnit::Time,
                "0 us",
                "between a request and its response; assumed",
            ),
            Param::with_default(
                "think_deviation",
                ParamUnit::Time,
                "0 us",
                "standard deviation of that, normal, at least 0; assumed none",
            ),
            Param::with_default(
                "jitter",
                ParamUnit::Time,
                "0 us",
                "each response starts up to this much later, uniformly; assumed",
            ),
            Param::with_default(
                "connection",
                ParamUnit::Word(&["own", "shared", "persistent"]),
                "own",
                "a request and its response have one each, one for both, or one that queries to come use too; assumed",
            ),
            MSS,
        ],
    };

    fn build(values: &Values, _: &dyn Files, site: &Site) -> Result<Query, Refusal> {
        let hosts = site.pairs_of_hosts()?;
        let mut query = Query {
            hosts,
            per_megasecond: 0,
            degree: count(values, "degree", 1, u64::from(u32::MAX))?,
            size: size(values, "size")?,
            request: (values.bytes_or_off("request"))
                .map(|_| size(values, "request"))
                .transpose()?,
            think: values.time("think"),
            think_deviation: values.time("think_deviation"),
            jitter: values.time("jitter"),
            connection: match values.word("connection").as_str() {
                "shared" => Connection::Shared,
                "persistent" => Connection::Persistent,
                _ => Connection::Own,
            },
        };
        query.fits(count(values, "connections", 1, MOST_CONNECTIONS)?)?;
        query.per_megasecond = query.read_rate(values, site)?;
        if query.think > Time::ZERO && query.request.is_none() {
            let expected = format!("think ({}) needs a request", query.think);
            return Err(Refusal::about(&["think", "request"], expected).got("request = \"off\""));
        }
        if query.think_deviation > Time::ZERO && query.request.is_none() {
            let deviation = query.think_deviation;
            let expected = format!("think_deviation ({deviation}) needs a request");
            let refusal = Refusal::about(&["think_deviation", "request"], expected);
            return Err(refusal.got("request = \"off\""));
        }
        if query.connection != Connection::Own && query.request.is_none() {
            let word = values.word("connection");
            let expected = format!("connection = {word:?} needs a request to share with");
            let refusal = Refusal::about(&["connection", "request"], expected);
            return Err(refusal.got("request = \"off\""));
        }
        Ok(query)
    }

    fn draw(&self, into: &mut Draft<'_>) -> Result<(), Refusal> {
        let answers = f64::from(self.degree) * into.duration.as_s_f64();
        into.expect(self.per_megasecond as f64 / 1e6 * answers)?;
        let mut deck = Deck::new(self.hosts);
        let gap_ps = 1e18 / self.per_megasecond as f64;
        let mut arrivals = Poisson::new(into.seed.stream("arrivals"), gap_ps);
        let mut openers = BTreeMap::new();
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
                let Some(size) = self.request else {
                    let start = Start::At(later(at, delay)?);
                    into.response(query, *src, self.size, start)?;
                    continue;
                };
                let flow = into.request(query, *src, size, at)?;
                let pair = (target, *src, i / others.len());
                let opener = self.opener(flow, pair, &mut openers);
                opener.inspect(|opener| into.join(flow, *opener));
                let wait = later(self.thought(&mut thoughts), delay)?;
                let answer = into.response(query, *src, self.size, Start::After { flow, wait })?;
                opener.inspect(|opener| into.join(answer, *opener));
            }
            number += 1;
        }
        Ok(())
    }

    fn load(&self, cost: Cost, _: Time) -> Load {
        let queries = self.per_megasecond as f64 / 1e6;
        let mut load = Load {
            queries_per_s: queries,
            together: u64::from(self.degree),
            apart: (self.jitter).saturating_add(self.think_deviation.saturating_mul(4)),
            ..Load::default()
        };
        load.add_sized(queries * f64::from(self.degree), self.size, cost);
        if let Some(request) = self.request {
            load.add_sized(queries * f64::from(self.degree), request, cost);
        }
        let answer = u128::from(self.degree) * u128::from(self.size);
        load.notes
            .push(format!("each query brings {answer} B to one host"));
        load
    }
}

/// Connections of a query to one host.
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
            true => format!("; connections = {needed} would do"),
            false => String::new(),
        };
        let expected = format!(
            "degree must be at most {most} ({others} other hosts, connections = {connections}{set})"
        );
        Err(Refusal::about(&["degree", "connections"], expected).got(self.degree))
    }

    /// Queries in a megasecond: those of `rate`, or as many as have the payload of `load`.
    fn read_rate(&self, values: &Values, site: &Site) -> Result<u64, Refusal> {
        let given = values.per_megasecond_or_off("rate");
        let Some(share) = share::of_links(values, site, "rate", given.is_some())? else {
            let rate = given.expect("exactly one is given");
            return match rate {
                0 => Err(Refusal::of("rate", "must be above 0").got("0 /s")),
                _ => Ok(rate),
            };
        };
        let bits = f64::from(self.degree) * self.size as f64 * 8.0;
        let rate = libm::round(share * site.access_bps() / bits * 1e6) as u64;
        match rate {
            0 => {
                let expected = "load must make a query in a megasecond at least";
                Err(Refusal::about(&["load", "size", "degree"], expected).got("fewer"))
            }
            _ => Ok(rate),
        }
    }

    /// How long a host thinks before it answers: normal, and what falls below 0 is 0.
    fn thought(&self, rng: &mut Rng) -> Time {
        if self.think_deviation == Time::ZERO {
            return self.think;
        }
        let moved = rng.normal() * self.think_deviation.ps() as f64;
        // As integers: a float does not hold every picosecond of a long time.
        let by = Time::from_ps(moved.abs() as u64);
        match moved < 0.0 {
            true => self.think.saturating_sub(by),
            false => self.think.saturating_add(by),
        }
    }

    /// Which request opens the connection that `request` and its response share, if they do: one
    /// of who asks, whom, and how many of this query's it has asked before.
    fn opener(
        &self,
        request: FlowId,
        pair: (u32, u32, usize),
        openers: &mut BTreeMap<(u32, u32, usize), FlowId>,
    ) -> Option<FlowId> {
        match self.connection {
            Connection::Own => None,
            Connection::Shared => Some(request),
            Connection::Persistent => Some(*openers.entry(pair).or_insert(request)),
        }
    }
}
