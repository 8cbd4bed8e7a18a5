//! Background: every host sends flows to random others, with sizes from a distribution.
//!
//! **Decision**     each host starts flows as an independent Poisson process; each flow goes to
//!                  another host drawn uniformly, and has a size drawn from `cdf`. With a `target` all flows
//!                  go there, it starts none, and `load` is a share of its link; the others offer equal parts of that.
//!                  With a `request` the host that a flow goes to asks for it, and the flow waits for that.
//! **State**        per host four streams: gaps, destinations, sizes, thought.
//! **Units**        `inter_arrival` is the mean gap at one host. `load` is payload bits offered, headers and
//!                  framing not counted, over what [`super::share`] says.
//! **Errors**       both or neither of `inter_arrival` and `load`; a distribution that cannot be read; a target that
//!                  is not there, or beside `load_of = "fabric"`; what [`super::exchange`] refuses.
//! **Source**       Zarifis et al., EuroSys 2014, section 5.3, which takes the traffic of DCTCP
//!                  (Alizadeh et al., SIGCOMM 2010). `target`: figure 1 of the MulBuff poster (Mushtaq et al.,
//!                  SIGCOMM 2014), where all flows cross one link.
//! **Deviations**   the paper says of the sizes only that 80 % of the flows are below 100 KB, and
//!                  of the gaps only 10 to 120 ms. The circulated DCTCP web-search distribution
//!                  has 54 % below 100 kB. With it (mean 1.7 MB) and 10 ms between the flows of a
//!                  host, every 1 Gbps host would offer 1.37 Gbps: it cannot be the paper's. The
//!                  default has 82 % and a mean of 195 kB: 156 Mbps per host at 10 ms, 13 at 120 ms.
//!                  That the gap is per host, and exponential, is assumed.

use super::exchange::{Ask, Exchange, Openers, Over, Request};
use super::load::told;
use super::share::{self, Links, LoadOf};
use super::{Cost, Draft, Load, Poisson, Site, Workload, target};
use crate::cdf::{Interpolation, Rule, SizeCdf};
use crate::files::Files;
use crate::plan::Start;
use sidestep_types::{About, FileName, Refusal, Settings, Time};

/// See the module.
#[derive(Clone, Debug, PartialEq)]
pub struct Background {
    cdf: SizeCdf,
    cdf_name: String,
    rule: Interpolation,
    /// Mean gap of each host, in picoseconds.
    gaps_ps: Vec<f64>,
    target: Option<u32>,
    exchange: Option<Exchange>,
}

/// Settings of [`Background`].
#[derive(Settings)]
pub struct BackgroundSettings {
    /// flow sizes; assumed: 82 % are below 100 kB, DIBS section 5.3 says 80 %
    #[setting(default = "imc10_aditya_packets_ns2")]
    cdf: FileName,
    #[setting(flatten)]
    rule: Rule,
    /// mean time between the flows of a host; DIBS Table 2; per host is assumed
    #[setting(default = "120 ms", off = "off", above = 0, unless = "load")]
    inter_arrival: Option<Time>,
    /// offered payload as a share of the capacity of the links of load_of, instead of inter_arrival
    #[setting(default = "off", off = "off", above = 0)]
    load: Option<f64>,
    #[setting(flatten)]
    load_of: LoadOf,
    /// host that receives all flows; load is then a share of its link; MulBuff, figure 1; assumed all
    #[setting(default = "all", off = "all")]
    target: Option<u64>,
    #[setting(flatten)]
    request: Request,
    #[setting(flatten)]
    over: Over,
}

impl Workload for Background {
    type Settings = BackgroundSettings;
    const ABOUT: About = About {
        name: "background",
        summary: "every host sends flows to random others, sizes from a distribution",
        source: "Zarifis et al., EuroSys 2014 (DIBS), section 5.3",
    };

    fn build(
        set: BackgroundSettings,
        files: &dyn Files,
        site: &Site,
    ) -> Result<Background, Refusal> {
        let hosts = site.pairs_of_hosts()?;
        let (FileName(cdf_name), rule) = (set.cdf, set.rule.interpolation);
        let cdf = SizeCdf::of(&cdf_name, set.rule, files)?;
        let given = set.inter_arrival;
        let target = target(set.target, hosts)?;
        if target.is_some() && set.load_of.load_of == Links::Fabric {
            let expected = "expected load_of = \"host\" with a target, since load is then a share \
                            of the target's link";
            return Err(
                Refusal::about(&["load_of", "target"], expected).got("load_of = \"fabric\"")
            );
        }
        let per = "inter_arrival";
        let share = share::of_links(set.load, set.load_of, site, per, given.is_some())?;
        let gaps_ps = match (given, share) {
            (Some(gap), _) => vec![gap.ps() as f64; hosts as usize],
            (None, share) => {
                let share = share.expect("exactly one is given");
                let bits = cdf.mean(rule) * 8.0;
                let gap = |rate: f64| bits / (rate * share) * 1e12;
                let of_target =
                    |to: u32| site.access[to as usize].as_bps() as f64 / f64::from(hosts - 1);
                let rates = site.access.iter().map(|rate| match target {
                    Some(to) => of_target(to),
                    None => rate.as_bps() as f64,
                });
                rates.map(gap).collect()
            }
        };
        Ok(Background {
            cdf,
            cdf_name,
            rule,
            gaps_ps,
            target,
            exchange: Exchange::of(set.request, set.over)?,
        })
    }

    fn draw(&self, into: &mut Draft<'_>) -> Result<(), Refusal> {
        let hosts = self.gaps_ps.len() as u32;
        let with_requests = if self.exchange.is_some() { 2.0 } else { 1.0 };
        into.expect(with_requests * self.flows_per_s() * into.duration.as_s_f64())?;
        let mut openers = Openers::new();
        let sources = (0..hosts).zip(&self.gaps_ps);
        for (src, gap_ps) in sources.filter(|(src, _)| Some(*src) != self.target) {
            let stream = |purpose| into.seed.stream((purpose, u64::from(src)));
            let mut arrivals = Poisson::new(stream("gaps"), *gap_ps);
            let (mut towards, mut sizes) = (stream("destinations"), stream("sizes"));
            let mut thoughts = stream("think");
            while let Some(at) = arrivals.next_before(into.duration) {
                let dst = self.target.unwrap_or_else(|| {
                    let other = towards.below(u64::from(hosts - 1)) as u32;
                    if other < src { other } else { other + 1 }
                });
                let size = self.cdf.quantile(sizes.unit(), self.rule);
                let Some(exchange) = &self.exchange else {
                    into.flow(src, dst, size, Start::At(at))?;
                    continue;
                };
                let ask = Ask {
                    query: None,
                    from: dst,
                    to: src,
                    nth: 0,
                    at,
                    delay: Time::ZERO,
                };
                let (start, opener) = exchange.ask(into, &ask, &mut thoughts, &mut openers)?;
                let answer = into.flow(src, dst, size, start)?;
                opener.inspect(|opener| into.join(answer, *opener));
            }
        }
        Ok(())
    }

    fn load(&self, cost: Cost, duration: Time) -> Load {
        let mut load = Load::default();
        let flows = self.flows_per_s();
        load.add_drawn(flows, &self.cdf, self.rule, cost);
        if let Some(exchange) = &self.exchange {
            load.add_sized(flows, exchange.size, cost);
        }
        load.notes.push(told(&self.cdf_name, &self.cdf, self.rule));
        let expected = flows * duration.as_s_f64();
        load.notes
            .push(format!("about {expected:.0} flows in this run"));
        load
    }
}

impl Background {
    /// Returns the flows per second of all hosts that start flows.
    fn flows_per_s(&self) -> f64 {
        let gaps = (0..).zip(&self.gaps_ps);
        let starts = gaps.filter(|(src, _)| Some(*src) != self.target);
        starts.map(|(_, gap)| 1e12 / gap).sum()
    }
}
