//! Choice of the number of threads of a run.
//!
//! **Decision**     the number requested, or a refusal. With `auto`, one thread for each core that no other run
//!                  uses, as long as each has enough events in a window: below [`LEAST_EVENTS`] the threads
//!                  wait for each other longer than they save.
//! **Units**        events of a window are estimated from the offered load.
//! **Errors**       [`choose`] explains why a run cannot have that many threads, and how many are useful.

use crate::Error;
use sidestep_lab::Scenario;
use sidestep_lab::cut;
use sidestep_sim::TraceFilter;
use sidestep_sim::parts::Cut;
use std::sync::Arc;

/// Value of `--threads`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ThreadChoice {
    /// As many threads as are useful.
    Auto,
    /// Given number of threads, at least one.
    Of(usize),
}

/// Threads chosen for the runs of one scheme.
#[derive(Clone, Debug, Default)]
pub struct Chosen {
    /// Parts, one thread each; `None` for one thread and an undivided world.
    pub cut: Option<Arc<Cut>>,
    /// Reason for a single thread, if `auto` chose that.
    pub why_one: Option<String>,
}

/// Average events of a window above which a thread is useful: measured (docs/explanation/performance.md).
pub const LEAST_EVENTS: f64 = 40.0;

impl ThreadChoice {
    /// Reads `auto`, or a number from 1 up.
    pub fn parse(text: &str) -> Result<ThreadChoice, String> {
        match text.parse() {
            _ if text == "auto" => Ok(ThreadChoice::Auto),
            Ok(count) if count > 0 => Ok(ThreadChoice::Of(count)),
            _ => Err(format!(
                "expected `auto` or a number from 1 up, got {text:?}"
            )),
        }
    }
}

/// Returns the maximum threads of each of `jobs` concurrent runs on `cores` cores.
pub fn most_threads(asked: Option<ThreadChoice>, jobs: usize, cores: usize) -> usize {
    match asked {
        None => 1,
        Some(ThreadChoice::Of(threads)) => threads,
        Some(ThreadChoice::Auto) => (cores / jobs.max(1)).max(1),
    }
}

impl Chosen {
    fn one(why: impl Into<String>) -> Chosen {
        Chosen {
            cut: None,
            why_one: Some(why.into()),
        }
    }

    /// Returns the number of threads.
    pub fn threads(&self) -> usize {
        self.cut.as_ref().map_or(1, |cut| cut.parts())
    }
}

/// Chooses the threads of each scheme of the scenario, where a run may use `cores` cores. `kept` names another
/// option that needs an undivided world, if there is one.
pub fn choose(
    scenario: &Scenario,
    asked: ThreadChoice,
    trace: &TraceFilter,
    kept: Option<&str>,
    cores: usize,
) -> Result<Vec<Chosen>, Error> {
    let schemes = 0..scenario.schemes.len();
    match asked {
        ThreadChoice::Of(1) => Ok(vec![Chosen::default(); scenario.schemes.len()]),
        ThreadChoice::Of(count) => schemes
            .map(|scheme| {
                insist(scenario, scheme, count, trace, kept).map_err(|why| {
                    let name = &scenario.schemes[scheme].name;
                    Error::Input(format!("--threads {count}: scheme {name}: {why}"))
                })
            })
            .collect(),
        ThreadChoice::Auto => {
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
    let kept = kept.map(|what| format!("{what} works with one thread only"));
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
        return Chosen::one("only one core is free for each run");
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
            "a window of {} has about {events:.0} events; {count} threads need {least:.0} or more \
             to be faster",
            cut.lookahead()
        );
    }
    Chosen::one(few)
}
