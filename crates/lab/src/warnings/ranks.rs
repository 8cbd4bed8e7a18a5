//! Warnings about policies that order by ranks, where no host marks any.

use super::natures;
use super::parts::Part;
use crate::scenario::Scenario;
use sidestep_sim::SwitchConfig;
use sidestep_transport::Ranking;

/// Warns of policies that order by the ranks hosts mark, where hosts mark nothing.
pub(super) fn nothing_is_ranked(
    scenario: &Scenario,
    part: &Part<'_>,
    switch: &SwitchConfig,
) -> Option<String> {
    let scheme = &*part.scheme;
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
    let rank = part.setting(scenario, "rank")?;
    (!read.is_empty()).then(|| {
        format!(
            "{} with {} = {:?} ({}): expected {:?}; hosts mark no ranks, so all data has the same \
             rank, behind acknowledgements",
            read.join(" and "),
            rank.key,
            rank.value,
            rank.source,
            Ranking::Unacknowledged.name(),
        )
    })
}
