//! Keys that were given and that nothing in the scenario reads: of a shim, a transport or a switch that is not there,
//! where `beside` goes by the words of another key of one table.

use super::parts::Part;
use crate::scenario::{Scenario, Setting};
use crate::scheme::Scheme;
use crate::tables::{TRANSPORT, takes};
use sidestep_config::document::join;
use sidestep_config::source::{QUICK, SWEEP, default};
use sidestep_transport::shim;
use sidestep_types::Param;

/// Parameters of shims that no scheme has.
pub(super) fn shims_of_no_scheme(scenario: &Scenario) -> Vec<String> {
    let has =
        |scheme: &Scheme, name: &str| scheme.config.shims.iter().any(|shim| shim.name() == name);
    let mut warnings = Vec::new();
    for entry in shim::ENTRIES {
        let begins = format!("host.{}.", entry.name);
        let said = (scenario.settings.iter()).find(|s| s.key.starts_with(&begins));
        if let Some(said) = said
            && !scenario
                .schemes
                .iter()
                .any(|scheme| has(scheme, entry.name))
        {
            let (key, name) = (&said.key, entry.name);
            warnings.push(format!(
                "{key} has no effect: no scheme has {name:?} among its host.shims"
            ));
        }
    }
    warnings
}

/// Values of `[transport]` that this kind of transport does not take.
pub(super) fn without_effect(scenario: &Scenario, part: &Part<'_>) -> Option<String> {
    let kind = &part.setting(scenario, "kind")?.value;
    let given = |param: &&Param| {
        let setting = part.said(scenario, param.name);
        !takes(kind, param.name) && setting.is_some_and(|s| s.source != default(param.doc))
    };
    let given: Vec<&str> = TRANSPORT.iter().filter(given).map(|p| p.name).collect();
    (!given.is_empty()).then(|| {
        let given = given.join(", ");
        let of_its_own = match part.scheme.config.transport.tcp() {
            Some(_) => "an initial window of its own",
            None => "a window, a timeout and a recovery of its own and opens no connection",
        };
        format!("{given}: no effect on transport {kind}, which has {of_its_own}")
    })
}

/// A kind that was set for all, beside workloads each of which names its own.
pub(super) fn kind_of_nobody(scenario: &Scenario, scheme: &Scheme) -> Option<String> {
    let own = |s: &&Setting| s.scheme.as_ref() == Some(&scheme.name) && s.key == "transport.kind";
    let kind = scenario.settings.iter().find(own)?;
    let own = &scheme.config.transports.own;
    let nobody = !own.is_empty() && own.iter().all(Option::is_some);
    let meant = ["user: --set", SWEEP, QUICK]
        .iter()
        .any(|source| kind.source == *source);
    (nobody && meant).then(|| {
        format!(
            "transport.kind = {:?} ({}) has no effect: every workload names a transport of its own; expected a \
             workload without one, or workload.NAME.transport",
            kind.value, kind.source
        )
    })
}

/// Policies and capacities of `[switch]` that every switch of the network has its own of.
pub(super) fn of_no_switch(scenario: &Scenario, scheme: &Scheme) -> Vec<String> {
    if scheme.switches().any(|(about, _)| about.is_none()) {
        return Vec::new();
    }
    let setting = |key: &str| {
        let own = |s: &&Setting| s.scheme.as_ref() == Some(&scheme.name) && s.key == key;
        scenario.settings.iter().find(own)
    };
    let given = |key: &str| setting(key).is_some_and(|s| !s.source.starts_with("default: "));
    let of_all = |key: &&str| {
        let mut kinds = scheme.switches().filter_map(|(about, _)| about);
        kinds.all(|about| setting(&join(&join("switch.at", about), key)).is_some())
    };
    let idle = ["route", "buffer", "sched", "capacity"].into_iter();
    let idle = idle
        .filter(|key| given(&format!("switch.{key}")))
        .filter(of_all);
    idle.map(|key| {
        format!(
            "switch.{key} has no effect: every switch of the network has its own under switch.at"
        )
    })
    .collect()
}
