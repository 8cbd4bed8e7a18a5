//! `[topology]` and `[workload.NAME]`: the network and the traffic over it.

use super::names::{NAME_RULE, common, descend, is_name};
use super::reader::Reader;
use crate::scenario::{Setting, Traffic};
use crate::scheme::{Scheme, TRANSPORT_SPEC};
use crate::tables::WORKLOAD;
use sidestep_config::decision::holds_a_packet;
use sidestep_config::document::{Table, find};
use sidestep_config::ledger::Ledger;
use sidestep_config::problem::{At, Problems, suggest};
use sidestep_config::section::{refused, resolve};
use sidestep_config::spec::{Choice, Layer, Spec};
use sidestep_sim::{Network, check_switch, topology, workload};
use sidestep_transport::shim;
use sidestep_types::Refusal;
use std::sync::Arc;

/// Maximum number of workloads: a packet holds its class in a byte.
const MOST_CLASSES: usize = 255;

/// Refuses workloads whose flows may send larger segments than a scheme can carry.
pub(super) fn check_mss(traffic: &[Traffic], schemes: &[Scheme], problems: &mut Problems) {
    for (class, of) in (0..).zip(traffic) {
        let Some((mss, param)) = of.workload.largest_mss() else {
            continue;
        };
        let wrong = schemes.iter().find_map(|scheme| {
            let why = unfit(scheme, class, mss).err()?;
            let too_large = match param {
                "mss" => "mss is too large",
                _ => "file has an mss that is too large",
            };
            let expected = format!("{too_large} for scheme {:?}: {why}", scheme.name);
            Some(Refusal::about(&[param], expected))
        });
        if let Some(why) = wrong {
            let section = format!("workload.{}", of.name);
            refused(&of.places, &section, &why, &of.at, problems);
        }
    }
}

/// Returns the table of the workload `name` in a layer.
fn workload_in<'a>(root: &'a Table, name: &str) -> Option<&'a Table> {
    Some(descend(root, &["workload", name], &mut Problems::default())?.0)
}

/// Refuses segments of `mss` bytes in the flows of `class` if the scheme cannot carry them.
fn unfit(scheme: &Scheme, class: u8, mss: u32) -> Result<(), Refusal> {
    let config = &scheme.config;
    let transport = config.transport_of(class);
    if mss <= transport.mss() {
        return Ok(());
    }
    let window = transport.receive_window();
    if u64::from(mss) > window {
        let expected = format!("mss must be at most receive_window ({window} B)");
        return Err(Refusal::of_none(expected).got(format!("{mss} B")));
    }
    shim::check_mss(&config.shims, mss).map_err(|(_, why)| why)?;
    let longest = shim::longest(&config.shims, mss);
    for (_, switch) in scheme.switches() {
        holds_a_packet(&switch.capacity, longest)?;
    }
    check_switch(&config.switch, config.framing, longest)
}

/// Key of a workload's transport.
const TRANSPORT: &str = TRANSPORT_SPEC.name;

/// Returns the table of a workload without its transport.
fn without_transport(layer: &Layer<'_>) -> Table {
    let others = layer.table.iter().filter(|entry| entry.key != TRANSPORT);
    others.cloned().collect()
}

impl Reader<'_> {
    /// Reads `[topology]`.
    pub(super) fn network(&self, problems: &mut Problems) -> Option<(Network, Vec<Setting>)> {
        let spec = Spec {
            name: "topology",
            params: &[],
            kind: Some(Choice {
                what: "topology",
                entries: topology::ENTRIES,
                default: None,
            }),
            policies: &[],
        };
        let (layers, at) = self.layers("topology", &["topology"], problems);
        let resolved = resolve(&spec, &layers, &at, &mut Ledger::default(), problems)?;
        match topology::build(resolved.kind, &resolved.values, self.files) {
            Ok(network) => Some((network, common(resolved))),
            Err(why) => {
                resolved.refused("", &why, &at, problems);
                None
            }
        }
    }

    /// Reads the workloads, in the order in which they are first named.
    pub(super) fn traffic(
        &self,
        network: Option<&(Network, Vec<Setting>)>,
        problems: &mut Problems,
    ) -> Option<(Vec<Traffic>, Vec<Setting>)> {
        let names = self.named_workloads(problems);
        if names.is_empty() {
            problems.add(
                &self.at,
                "[workload.NAME] is missing: expected at least one workload",
            );
            return None;
        }
        if names.len() > MOST_CLASSES {
            let many = names.len();
            let at = names[MOST_CLASSES].1;
            problems.add(
                at,
                format!("expected at most {MOST_CLASSES} workloads, got {many}"),
            );
            return None;
        }
        if self.misspelt(&names, problems) {
            return None;
        }
        let all: Vec<_> = names
            .into_iter()
            .map(|(name, at)| self.workload(name, at, network.map(|(n, _)| n), problems))
            .collect();
        let all: Vec<(Traffic, Vec<Setting>)> = all.into_iter().collect::<Option<_>>()?;
        let (mut traffic, mut settings) = (Vec::with_capacity(all.len()), Vec::new());
        for (own, of_own) in all {
            traffic.push(own);
            settings.extend(of_own);
        }
        Some((traffic, settings))
    }

    /// Returns the names of the workloads with their places, in the order in which they are first named.
    pub(super) fn named_workloads(&self, problems: &mut Problems) -> Vec<(&str, &At)> {
        let mut names: Vec<(&str, &At)> = Vec::new();
        for (root, _) in self.roots() {
            let Some((table, _)) = descend(root, &["workload"], problems) else {
                continue;
            };
            for entry in table {
                if !names.iter().any(|(name, _)| *name == entry.key) {
                    names.push((&entry.key, &entry.at));
                }
            }
        }
        names
    }

    /// Reports workloads that no file has and that are near one of a file: `--set` misspelt its name. Returns true
    /// if there are any.
    fn misspelt(&self, names: &[(&str, &At)], problems: &mut Problems) -> bool {
        let written = |name: &str| {
            let mut files = self.written.iter();
            files.any(|(root, _)| workload_in(root, name).is_some())
        };
        let known: Vec<&str> = (names.iter().map(|(name, _)| *name))
            .filter(|name| written(name))
            .collect();
        let mut any = false;
        for (name, at) in names {
            if known.contains(name) || self.is_over(name, "kind") {
                continue;
            }
            let hint = suggest(name, known.iter().copied());
            if hint.contains("did you mean") {
                problems.add(at, format!("unknown workload {name:?}{hint}"));
                any = true;
            }
        }
        any
    }

    /// Returns true if a layer over the files gives `key` of the workload `name`.
    fn is_over(&self, name: &str, key: &str) -> bool {
        let mut over = self.over.iter();
        over.any(|(root, _)| {
            workload_in(root, name).is_some_and(|table| find(table, key).is_some())
        })
    }

    /// Adds to a refusal of two settings, of which `--set` gives one, the `--set` that switches off the other.
    fn with_the_other_off(&self, section: &str, name: &str, why: Refusal) -> Refusal {
        let given = |param: &str| self.is_over(name, param);
        match (why.got.as_deref(), &why.params[..]) {
            (Some("both"), [a, b]) if given(a) != given(b) => {
                let other = if given(a) { b } else { a };
                let got = format!("both; add --set {section}.{other}=off");
                why.got(got)
            }
            _ => why,
        }
    }

    fn workload(
        &self,
        name: &str,
        at: &At,
        network: Option<&Network>,
        problems: &mut Problems,
    ) -> Option<(Traffic, Vec<Setting>)> {
        if !is_name(name) {
            problems.add(at, format!("workload {name:?}: {NAME_RULE}"));
            return None;
        }
        let section = format!("workload.{name}");
        let spec = Spec {
            name: &section,
            params: WORKLOAD,
            kind: Some(Choice {
                what: "workload",
                entries: workload::ENTRIES,
                default: None,
            }),
            policies: &[],
        };
        let (layers, at) = self.layers(&section, &["workload", name], problems);
        // The flows are the same for all schemes; their transport is read with each scheme's.
        let tables: Vec<Table> = layers.iter().map(without_transport).collect();
        let layers: Vec<Layer<'_>> = (layers.iter().zip(&tables))
            .map(|(layer, table)| Layer { table, ..*layer })
            .collect();
        let mut resolved = resolve(&spec, &layers, &at, &mut Ledger::default(), problems)?;
        let own = format!("{section}.{TRANSPORT}");
        resolved.settings.retain(|(key, _, _)| *key != own);
        match workload::build(resolved.kind, &resolved.values, self.files, network?) {
            Ok(built) => {
                let traffic = Traffic {
                    name: name.to_string(),
                    workload: built,
                    at,
                    places: Arc::new(std::mem::take(&mut resolved.places)),
                };
                Some((traffic, common(resolved)))
            }
            Err(why) => {
                let why = self.with_the_other_off(&section, name, why);
                resolved.refused("", &why, &at, problems);
                None
            }
        }
    }
}
