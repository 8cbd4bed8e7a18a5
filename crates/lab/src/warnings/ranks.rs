//! Policies that order by ranks, where nobody gives any.

use super::nature;
use crate::scenario::{Scenario, Setting};
use crate::scheme::Scheme;
use sidestep_sim::SwitchConfig;
use sidestep_switch::{Nature, route, sched};
use sidestep_transport::Ranking;

/// Policies that order by what hosts mark data with, where hosts mark nothing.
pub(super) fn nothing_is_ranked(
    scenario: &Scenario,
    scheme: &Scheme,
    switch: &SwitchConfig,
) -> Option<String> {
    if scheme.config.transport.nature().ranking != Ranking::Unmarked
        || super::marks::marks(scheme).is_some()
        || switch.sent.is_some()
    {
        return None;
    }
    let natures = natures(switch);
    let read = natures.iter().filter(|(_, _, nature)| nature.ranks);
    let read: Vec<String> = read
        .map(|(key, name, _)| format!("{key} {name:?}"))
        .collect();
    let own = |s: &&Setting| s.scheme.as_ref() == Some(&scheme.name) && s.key == "transport.rank";
    let rank = scenario.settings.iter().find(own)?;
    (!read.is_empty()).then(|| {
        format!(
            "{} with transport.rank = {:?} ({}): expected {:?}; no host marks data with a rank, so all \
             of it ranks alike, behind acknowledgements",
            read.join(" and "),
            rank.value,
            rank.source,
            Ranking::Unacknowledged.name(),
        )
    })
}

/// The policies of a switch: what each is, its name and what it does.
pub(super) fn natures(switch: &SwitchConfig) -> [(&'static str, &str, Nature); 3] {
    [
        ("route", &switch.route.0, route::nature(&switch.route.0)),
        ("buffer", &switch.buffer.0, nature(switch)),
        ("sched", &switch.sched.0, sched::nature(&switch.sched.0)),
    ]
}
