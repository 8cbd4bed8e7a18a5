//! Splits the workloads of a scheme by transport: each transport gets the warnings it would get if all
//! workloads used it.

use crate::scenario::{Scenario, Setting};
use crate::scheme::{Scheme, TRANSPORT_SPEC};
use sidestep_sim::{ClassTransports, FlowPlan, TrafficPlan};
use sidestep_transport::TransportConfig;
use std::borrow::Cow;

/// Workloads with one transport.
pub(super) struct Part<'a> {
    /// Scheme as if all workloads used that transport.
    pub scheme: Cow<'a, Scheme>,
    /// Section with the transport's settings: `transport`, or `workload.web.transport`.
    section: String,
    /// Numbers of the workloads; `None` if all use it.
    workloads: Option<Vec<u8>>,
}

impl Part<'_> {
    /// Returns the setting of the transport's key `name`.
    pub fn setting<'a>(&self, scenario: &'a Scenario, name: &str) -> Option<&'a Setting> {
        let key = format!("{}.{name}", self.section);
        let own = |s: &&Setting| s.scheme.as_ref() == Some(&self.scheme.name) && s.key == key;
        scenario.settings.iter().find(own)
    }

    /// Returns that setting, unless a workload inherits it from `[transport]`, where it serves others as well.
    pub fn said<'a>(&self, scenario: &'a Scenario, name: &str) -> Option<&'a Setting> {
        let key = format!("{}.{name}", TRANSPORT_SPEC.name);
        let own = self.setting(scenario, name)?;
        let inherited = scenario.settings.iter().any(|other| {
            own.key != key
                && (&other.scheme, &other.key) == (&own.scheme, &key)
                && (&other.value, &other.source) == (&own.value, &own.source)
        });
        (!inherited).then_some(own)
    }

    /// Returns the section with the transport's settings.
    pub fn section(&self) -> &str {
        &self.section
    }

    /// Returns a test for flows of `plan` that belong to its workloads.
    pub fn has(&self, plan: &TrafficPlan) -> impl Fn(&FlowPlan) -> bool + use<> {
        let of_class: Vec<bool> = match &self.workloads {
            None => vec![true; plan.classes.len()],
            Some(own) => {
                let workload = |class: &String| {
                    let name = class.split_once('/').map_or(&class[..], |(name, _)| name);
                    plan.classes.iter().position(|other| other == name)
                };
                let of = |class| workload(class).is_some_and(|at| own.contains(&(at as u8)));
                plan.classes.iter().map(of).collect()
            }
        };
        move |flow| of_class[usize::from(flow.class)]
    }
}

/// Collects `warnings` of each part of a scheme. A warning of all parts is given once, any other with its
/// workloads.
pub(super) fn of_each(
    scenario: &Scenario,
    scheme: &Scheme,
    warnings: impl Fn(&Part<'_>) -> Vec<String>,
) -> Vec<String> {
    let config = &scheme.config;
    let each = config.each_transport(scenario.traffic.len());
    let one = |section, workloads, transport: &TransportConfig| {
        let mut scheme = scheme.clone();
        scheme.config.transport = transport.clone();
        scheme.config.transports = ClassTransports::default();
        Part {
            scheme: Cow::Owned(scheme),
            section,
            workloads,
        }
    };
    let section = |workloads: &[u8]| {
        let named = |class: &&u8| {
            let own = config.transports.own.get(usize::from(**class));
            own.is_some_and(Option::is_some)
        };
        match workloads.iter().find(named) {
            None => TRANSPORT_SPEC.name.to_string(),
            Some(class) => {
                let name = &scenario.traffic[usize::from(*class)].name;
                format!("workload.{name}.{}", TRANSPORT_SPEC.name)
            }
        }
    };
    if config.transports.is_empty() {
        return warnings(&Part {
            scheme: Cow::Borrowed(scheme),
            section: TRANSPORT_SPEC.name.to_string(),
            workloads: None,
        });
    }
    if let [(transport, workloads)] = &each[..] {
        return warnings(&one(section(workloads), None, transport));
    }
    let said: Vec<(String, Vec<String>)> = (each.iter())
        .map(|(transport, workloads)| {
            let names = workloads
                .iter()
                .map(|class| &scenario.traffic[usize::from(*class)].name);
            let names: Vec<&str> = names.map(String::as_str).collect();
            let part = one(section(workloads), Some(workloads.clone()), transport);
            (names.join(", "), warnings(&part))
        })
        .collect();
    let of_all = |warning: &String| said.iter().all(|(_, others)| others.contains(warning));
    let mut all: Vec<String> = Vec::new();
    for (names, own) in &said {
        for warning in own {
            match of_all(warning) {
                true if all.contains(warning) => {}
                true => all.push(warning.clone()),
                false => all.push(format!("workload {names}: {warning}")),
            }
        }
    }
    all
}
