//! Replace: a closed loop. The number of active flows is constant: each that ends is followed by another at once.
//!
//! **Decision**     `active` chains of flows. The first flow of a chain starts at time zero, up to
//!                  `jitter` later, at a host drawn uniformly; each next one at the instant and at the host
//!                  at which the one before was delivered. Every flow goes to another host drawn
//!                  uniformly, and its size is drawn from `cdf` or is `size`.
//! **State**        two streams for each chain, hosts and sizes, and one for jitter: more chains leave
//!                  the earlier ones as they were, and a longer run only makes them longer.
//! **Units**        sizes in payload bytes.
//! **Errors**       no active flow, or more than a plan holds; both or neither of `cdf` and `size`; a
//!                  distribution that cannot be read; jitter that reaches the run's end.
//! **Source**       the field's usual closed loop; the next source is assumed.
//! **Deviations**   nothing starts at or after the window's end. A chain is drawn ahead until it would
//!                  fill the window on idle links at their full rate, so that it never runs out; a flow
//!                  that never started is not an unfinished flow. A flow begins where the previous one
//!                  ended, so that no host acts on another in zero time, and in the long run every
//!                  host is the source equally often.

use super::load::told;
use super::{Cost, Draft, FlowSize, Load, MAX_FLOWS, Site, Workload, jitter};
use crate::cdf::{Interpolation, Rule, SizeCdf};
use crate::files::Files;
use crate::plan::Start;
use sidestep_types::{About, BitRate, FileName, HEADER_BYTES, Refusal, Settings, Time};

/// See the module.
#[derive(Clone, Debug, PartialEq)]
pub struct Replace {
    access: Vec<BitRate>,
    active: u32,
    sizes: Sizes,
    jitter: Time,
}

/// Sizes of the flows.
#[derive(Clone, Debug, PartialEq)]
enum Sizes {
    One(u64),
    Drawn {
        cdf: SizeCdf,
        name: String,
        rule: Interpolation,
    },
}

/// Settings of [`Replace`].
#[derive(Settings)]
pub struct ReplaceSettings {
    /// number of active flows in the whole network; assumed
    #[setting(default = "100", range = 1..=MAX_FLOWS as u64)]
    active: u32,
    /// flow sizes; assumed: as in background
    #[setting(default = "imc10_aditya_packets_ns2", off = "off", unless = "size")]
    cdf: Option<FileName>,
    #[setting(flatten)]
    rule: Rule,
    /// size of every flow, instead of cdf
    #[setting(default = "off", off = "off")]
    size: Option<FlowSize>,
    /// the first flows start up to this much after time zero, uniformly; assumed
    #[setting(default = "0 us")]
    jitter: Time,
}

impl Workload for Replace {
    type Settings = ReplaceSettings;
    const ABOUT: About = About {
        name: "replace",
        summary: "a closed loop: a constant number of active flows, each replaced at once when it \
                  ends",
        source: "the usual closed loop",
    };

    fn build(set: ReplaceSettings, files: &dyn Files, site: &Site) -> Result<Replace, Refusal> {
        site.pairs_of_hosts()?;
        let sizes = match (set.cdf, set.size) {
            (None, Some(FlowSize(size))) => Sizes::One(size),
            (Some(FileName(name)), None) => Sizes::Drawn {
                cdf: SizeCdf::of(&name, set.rule, files)?,
                name,
                rule: set.rule.interpolation,
            },
            (cdf, _) => {
                let got = if cdf.is_some() { "both" } else { "neither" };
                let expected = "set one of cdf and size, and the other to \"off\"";
                return Err(Refusal::about(&["size", "cdf"], expected).got(got));
            }
        };
        Ok(Replace {
            access: site.access.clone(),
            active: set.active,
            sizes,
            jitter: set.jitter,
        })
    }

    fn draw(&self, into: &mut Draft<'_>) -> Result<(), Refusal> {
        if self.jitter > into.duration {
            let expected = format!("must end before duration ends at {}", into.duration);
            return Err(Refusal::of("jitter", expected).got(self.jitter));
        }
        into.expect(self.planned(into.duration))?;
        let mut delays = into.seed.stream("jitter");
        for chain in 0..u64::from(self.active) {
            let start = jitter(&mut delays, self.jitter);
            self.chain(chain, start, into)?;
        }
        Ok(())
    }

    fn load(&self, _: Cost, duration: Time) -> Load {
        let mut load = Load {
            active: u64::from(self.active),
            ..Load::default()
        };
        if let Sizes::Drawn { cdf, name, rule } = &self.sizes {
            load.notes.push(told(name, cdf, *rule));
        }
        let planned = self.planned(duration);
        load.planned = planned;
        load.notes.push(format!(
            "about {planned:.0} flows are drawn for this run: enough even if the links are idle"
        ));
        load
    }
}

impl Replace {
    /// Draws a chain whose first flow starts at `start`.
    fn chain(&self, chain: u64, start: Time, into: &mut Draft<'_>) -> Result<(), Refusal> {
        let hosts = self.access.len() as u64;
        let mut towards = into.seed.stream(("hosts", chain));
        let mut sizes = into.seed.stream(("sizes", chain));
        let mut src = towards.below(hosts) as u32;
        let (mut begins, mut done) = (Start::At(start), start);
        loop {
            let other = towards.below(hosts - 1) as u32;
            let dst = if other < src { other } else { other + 1 };
            let size = match &self.sizes {
                Sizes::One(size) => *size,
                Sizes::Drawn { cdf, rule, .. } => cdf.quantile(sizes.unit(), *rule),
            };
            let flow = into.flow(src, dst, size, begins)?;
            done = done.saturating_add(self.least(src, dst, size));
            // The first flow always has a follower, which tells it from a flow outside a loop.
            if done >= into.duration && begins.replaces() {
                return Ok(());
            }
            let until = into.duration;
            (src, begins) = (dst, Start::Replace { flow, until });
        }
    }

    /// Returns a lower bound of a flow's time: its payload and one header at the slower of its two hosts'
    /// rates.
    fn least(&self, src: u32, dst: u32, size: u64) -> Time {
        let rate = self.access[src as usize].min(self.access[dst as usize]);
        let bits = u128::from(size.saturating_add(u64::from(HEADER_BYTES))) * 8;
        let ps = bits * 1_000_000_000_000 / u128::from(rate.as_bps().max(1));
        Time::from_ps(u64::try_from(ps).unwrap_or(u64::MAX))
    }

    /// Returns the approximate number of flows drawn.
    fn planned(&self, duration: Time) -> f64 {
        let mean = match &self.sizes {
            Sizes::One(size) => *size as f64,
            Sizes::Drawn { cdf, rule, .. } => cdf.mean(*rule),
        };
        let bytes = mean + f64::from(HEADER_BYTES);
        let rates: f64 = self.access.iter().map(|rate| rate.as_bps() as f64).sum();
        let per_s = rates / self.access.len() as f64 / (8.0 * bytes);
        f64::from(self.active) * (per_s * duration.as_s_f64()).max(1.0)
    }
}
