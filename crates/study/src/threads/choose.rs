//! How many threads a run has.
//!
//! **Decision**     so many as are asked for, or a refusal. With `auto` one for each core that no other run has, as long as
//!                  each has enough to do in a window: less than [`LEAST_EVENTS`] and the threads wait for each other
//!                  more than they gain.
//! **Units**        events of a window are estimated from the offered load.
//! **Errors**       [`choose`] says why a run cannot have so many threads, and how many are useful.

use crate::Error;
use sidestep_lab::Scenario;
use sidestep_lab::cut;
use sidestep_sim::TraceFilter;
use sidestep_sim::parts::Cut;
use std::sync::Arc;

/// What `--threads` says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asked {
    /// As many as are worth it.
    Auto,
    /// So many, at least one.
    Of(usize),
}

/// How a run of one scheme is made.
#[derive(Clone, Debug, Default)]
pub struct Chosen {
    /// Its parts, a thread each; `None` is one thread, and a world in one piece.
    pub cut: Option<Arc<Cut>>,
    /// Why it has one thread, where `auto` chose that.
    pub why_one: Option<String>,
}

/// Events of a window that a thread must have on average to be worth it: measured (docs/performance.md).
pub const LEAST_EVENTS: f64 = 40.0;

impl Asked {
    /// `auto`, or a number from 1 up.
    pub fn parse(text: &str) -> Result<Asked, String> {
        match text.parse() {
            _ if text == "auto" => Ok(Asked::Auto),
            Ok(count) if count > 0 => Ok(Asked::Of(count)),
            _ => Err(format!(
                "expected `auto` or a number from 1 up, got {text:?}"
            )),
        }
    }
}

/// How many threads each of so many runs at a time has at most, on `cores`.
pub fn most_threads(asked: Option<Asked>, jobs: usize, cores: usize) -> usize {
    match asked {
        None => 1,
        Some(Asked::Of(threads)) => threads,
        Some(Asked::Auto) => (cores / jobs.max(1)).max(1),
    }
}

impl Chosen {
    fn one(why: impl Into<String>) -> Chosen {
        Chosen {
            cut: None,
            why_one: Some(why.into()),
        }
    }

    /// How many threads it has.
    pub fn threads(&self) -> usize {
        self.cut.as_ref().map_or(1, |cut| cut.parts())
    }
}

/// How each scheme of the scenario is run, where a run may have `cores`. `kept` names what else is asked for that needs a
/// world in one piece, if anything.
pub fn choose(
    scenario: &Scenario,
    asked: Asked,
    trace: &TraceFilter,
    kept: Option<&str>,
    cores: usize,
) -> Result<Vec<Chosen>, Error> {
    let schemes = 0..scenario.schemes.len();
    match asked {
        Asked::Of(1) => Ok(vec![Chosen::default(); scenario.schemes.len()]),
        Asked::Of(count) => schemes
            .map(|scheme| {
                insist(scenario, scheme, count, trace, kept).map_err(|why| {
                    let name = &scenario.schemes[scheme].name;
                    Error::Input(format!("--threads {count}: scheme {name}: {why}"))
                })
            })
            .collect(),
        Asked::Auto => {
            let hops = scenario.hops();
            let each =
                schemes.map(|scheme| best(scenario, scheme, (cores, hops[scheme]), trace, kept));
            Ok(each.collect())
        }
    }
}

fn in_one_piece(
    scenario: &Scenario,
    scheme: usize,
    trace: &TraceFilter,
    kept: Option<&str>,
) -> Option<String> {
    let kept = kept.map(|what| format!("{what} needs the world in one piece"));
    kept.or_else(|| cut::refused(scenario, scheme, trace))
}

fn insist(
    scenario: &Scenario,
    scheme: usize,
    count: usize,
    trace: &TraceFilter,
    kept: Option<&str>,
) -> Result<Chosen, String> {
    if let Some(why) = in_one_piece(scenario, scheme, trace, kept) {
        return Err(format!("{why}; --threads auto runs it on one thread"));
    }
    match cut::cut(scenario, scheme, count) {
        Ok(cut) => Ok(Chosen {
            cut: Some(Arc::new(cut)),
            why_one: None,
        }),
        Err(why) => Err(why.to_string()),
    }
}

fn best(
    scenario: &Scenario,
    scheme: usize,
    (cores, hops): (usize, f64),
    trace: &TraceFilter,
    kept: Option<&str>,
) -> Chosen {
    if let Some(why) = in_one_piece(scenario, scheme, trace, kept) {
        return Chosen::one(why);
    }
    if cores < 2 {
        return Chosen::one("a run has one core, as others run beside it or there is no other");
    }
    let most = cores.min(cut::most(&scenario.network)).max(2);
    let mut few = String::new();
    for count in (2..=most).rev() {
        let cut = match cut::cut(scenario, scheme, count) {
            Ok(cut) => cut,
            Err(why) => return Chosen::one(why.to_string()),
        };
        let span = scenario.duration.as_s_f64();
        let events = hops / span.max(1e-12) * cut.lookahead().as_s_f64();
        if events >= LEAST_EVENTS * count as f64 {
            return Chosen {
                cut: Some(Arc::new(cut)),
                why_one: None,
            };
        }
        let least = LEAST_EVENTS * count as f64;
        few = format!(
            "a window of {} has some {events:.0} events, and {count} threads are worth it from {least:.0} on",
            cut.lookahead()
        );
    }
    Chosen::one(few)
}
