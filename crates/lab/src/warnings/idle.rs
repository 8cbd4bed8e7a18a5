//! What is accepted and decides nothing: values that mean something only beside a word of another parameter, paths that
//! nobody takes, and two agents where one does all.

use super::parts::Part;
use crate::scenario::Scenario;
use crate::scheme::Scheme;
use crate::tables::{TRANSPORT, takes};
use sidestep_sim::SwitchConfig;
use sidestep_transport::TransportConfig;
use sidestep_types::{Chosen, Param, Value, Values};

/// Of a scheme as a whole.
pub(super) fn of_scheme(scenario: &Scenario, part: &Part<'_>) -> Vec<String> {
    let scheme = &*part.scheme;
    let mut said = of_transport(scenario, part);
    let shims = scheme.config.shims.iter();
    said.extend(shims.flat_map(|shim| of_chosen("shim", shim)));
    said.extend(two_agents(scheme));
    said
}

/// Of one kind of its switches.
pub(super) fn of_switch(scheme: &Scheme, switch: &SwitchConfig) -> Vec<String> {
    let mut said = of_chosen("route", &switch.route);
    said.extend(of_chosen("buffer", &switch.buffer));
    said.extend(of_chosen("sched", &switch.sched));
    said.extend(one_way_for_all(scheme, switch));
    said
}

/// Values of a policy or a shim that are not their defaults and that another one leaves without a meaning.
fn of_chosen<M: ?Sized>(seam: &str, chosen: &Chosen<M>) -> Vec<String> {
    let (name, values) = (chosen.name(), chosen.values());
    let defaults = Values::defaults(chosen.params());
    let said = |param: &Param| values.get(param.name) != defaults.get(param.name);
    let word = |other: &str| match values.get(other) {
        Value::Word(word) => Some(word.clone()),
        _ => None,
    };
    let idle = idle(chosen.params(), said, word);
    idle.map(|why| format!("{why} (of {seam} {name:?})"))
        .collect()
}

fn of_transport(scenario: &Scenario, part: &Part<'_>) -> Vec<String> {
    let own = |name: &str| part.setting(scenario, name);
    let Some(kind) = own("kind") else {
        return Vec::new();
    };
    let said = |param: &Param| {
        let value = |text: &str| Value::parse(text, param).ok();
        let given = own(param.name).and_then(|setting| value(&setting.value));
        takes(&kind.value, param.name) && given.is_some() && given != param.default.and_then(value)
    };
    let word = |other: &str| own(other).map(|setting| setting.value.clone());
    let idle = idle(TRANSPORT, said, word);
    idle.map(|why| format!("{}: {why}", part.section()))
        .collect()
}

/// `limit has no effect beside by = "queued": expected by = "sent"`
fn idle(
    params: &[Param],
    said: impl Fn(&Param) -> bool,
    word: impl Fn(&str) -> Option<String>,
) -> impl Iterator<Item = String> {
    params.iter().filter_map(move |param| {
        let (other, words) = param.beside?;
        let got = word(other)?;
        (!words.contains(&&*got) && said(param)).then(|| {
            let words: Vec<String> = words.iter().map(|word| format!("{word:?}")).collect();
            let (name, words) = (param.name, words.join(" or "));
            format!("{name} has no effect beside {other} = {got:?}: expected {other} = {words}")
        })
    })
}

/// Subflows are told apart by the hash of their ports, which such a route does not look at.
fn one_way_for_all(scheme: &Scheme, switch: &SwitchConfig) -> Option<String> {
    let TransportConfig::Mptcp(mptcp) = &scheme.config.transport else {
        return None;
    };
    let (route, many) = (switch.route.name(), mptcp.subflows);
    (many > 1 && switch.route.nature().one_way).then(|| {
        format!(
            "transport mptcp has {many} subflows, and route {route:?} sends all of them the same way: expected a \
             route that chooses by flow, as \"ecmp\""
        )
    })
}

/// Each would decide about what the other has left.
fn two_agents(scheme: &Scheme) -> Option<String> {
    let shims = scheme.config.shims.iter();
    let agents = shims.filter(|shim| shim.nature().duplicates);
    let agents: Vec<&str> = agents.map(|shim| shim.name()).collect();
    (agents.len() > 1).then(|| {
        format!(
            "host.shims has {}: each decides which duplicate acknowledgements go on, and counts none that another \
             has dropped; expected one of them",
            agents.join(" and ")
        )
    })
}
