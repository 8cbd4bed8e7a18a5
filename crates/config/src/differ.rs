//! `[switch.at.NAME]`: switches whose policies or capacity differ from `[switch]`.
//!
//! NAME is a tier of the network or the name of a switch. For these switches, the table is laid over `[switch]`
//! key by key. A policy that it names begins with its own defaults; parameters alone change those of the policy
//! that `[switch]` chose. If two such tables match one switch, both must give it the same settings: neither is
//! more specific than the other.

use crate::decision::{Decision, Memory, decision};
use crate::document::{Entry, Item, Table, find, join};
use crate::ledger::Ledger;
use crate::problem::{At, Problems, suggest};
use crate::section::{Resolved, resolve};
use crate::spec::{Layer, Spec};
use sidestep_types::{Param, Settings};

/// Key of a section with the switches that differ, by name.
pub const AT: &str = "at";

/// Parameters that may differ, in addition to the policies.
pub const MAY_DIFFER: &[Param] = Memory::PARAMS;

/// Names of a switch, as given by its topology.
#[derive(Clone, Copy, Debug)]
pub struct Called<'a> {
    /// Name of the switch.
    pub name: &'a str,
    /// Tier of the switch, if it has one.
    pub tier: Option<&'a str>,
}

impl Called<'_> {
    fn is(&self, word: &str) -> bool {
        self.name == word || self.tier == Some(word)
    }
}

/// Group of switches that differ.
#[derive(Debug)]
pub struct Differing {
    /// Name of the tier or the switch.
    pub about: String,
    /// Section of the group, such as `switch.at.core`: only its own settings, but the places of all.
    pub resolved: Resolved,
    /// Place of the section.
    pub at: At,
    /// Decision of these switches, inherited settings included.
    pub decision: Decision,
    /// Numbers of the switches in the network, in order.
    pub switches: Vec<usize>,
}

/// Resolves a section of switches: the settings of all switches, and the groups that differ, in the order in
/// which they are first named. Matches no switches without a `network`, which is `None` if it could not be
/// read.
pub fn resolve_switches(
    spec: &Spec<'_>,
    layers: &[Layer<'_>],
    network: Option<&[Called<'_>]>,
    at: &At,
    ledger: &mut Ledger,
    problems: &mut Problems,
) -> Option<(Resolved, Option<Decision>, Vec<Differing>)> {
    let reader = Reader {
        spec,
        layers,
        network,
    };
    let astray = |entry: &Entry| reader.is_astray(entry);
    for entry in layers
        .iter()
        .flat_map(|layer| layer.table)
        .filter(|e| astray(e))
    {
        let (key, meant) = (&entry.key, reader.section(&entry.key));
        let message = format!(
            "unknown key {key:?} in [{}]; did you mean [{meant}]?",
            spec.name
        );
        problems.add(&entry.at, message);
    }
    let plain = tables(layers, |entry| entry.key != AT && !astray(entry));
    let resolved = resolve(spec, &with(layers, &plain), at, ledger, problems);
    let (mut common, mut shown) = (None, None);
    if let Some(all) = &resolved {
        match decision(all) {
            Ok(decision) => common = Some(decision),
            Err((part, why)) => {
                all.refused(part, &why, at, problems);
                shown = Some((part, all.place(part, &why, at)));
            }
        }
    }
    let (names, whole) = reader.names(problems);
    let differing = names
        .into_iter()
        .map(|(name, at)| reader.differing(name, at, shown, ledger, problems));
    let differing: Vec<_> = differing.collect();
    let differing = differing.into_iter().collect::<Option<Vec<_>>>()?;
    let agreed = reader.agreed(&differing, problems);
    (whole && agreed).then_some((resolved?, common, differing))
}

/// Returns the tables of the layers, each with only the entries for which `stays` is true.
fn tables(layers: &[Layer<'_>], stays: impl Fn(&&Entry) -> bool) -> Vec<Table> {
    let kept = |layer: &Layer<'_>| layer.table.iter().filter(&stays).cloned().collect();
    layers.iter().map(kept).collect()
}

/// Returns the layers with their tables replaced by these.
fn with<'a>(layers: &[Layer<'a>], tables: &'a [Table]) -> Vec<Layer<'a>> {
    let pair = |(layer, table): (&Layer<'a>, &'a Table)| Layer { table, ..*layer };
    layers.iter().zip(tables).map(pair).collect()
}

struct Reader<'a> {
    spec: &'a Spec<'a>,
    layers: &'a [Layer<'a>],
    network: Option<&'a [Called<'a>]>,
}

impl<'a> Reader<'a> {
    /// Returns true if the entry is the table of a tier or a switch without `at` before it.
    fn is_astray(&self, entry: &Entry) -> bool {
        let mut network = self.network.unwrap_or_default().iter();
        let known = self.may_differ(&entry.key);
        !known && inner(entry).is_some() && network.any(|switch| switch.is(&entry.key))
    }

    /// Returns the names under `at`, each with its last place, and true if all entries are tables.
    fn names(&self, problems: &mut Problems) -> (Vec<(&'a str, &'a At)>, bool) {
        let mut names: Vec<(&str, &At)> = Vec::new();
        let mut whole = true;
        for layer in self.layers {
            let Some(entry) = find(layer.table, AT) else {
                continue;
            };
            let Some(table) = (entry.node).table(&join(layer.name, AT), problems) else {
                whole = false;
                continue;
            };
            for entry in table {
                whole &= (entry.node)
                    .table(&self.section(&entry.key), problems)
                    .is_some();
                match names.iter_mut().find(|(name, _)| *name == entry.key) {
                    Some((_, at)) => *at = &entry.at,
                    None => names.push((&entry.key, &entry.at)),
                }
            }
        }
        (names, whole)
    }

    fn section(&self, name: &str) -> String {
        join(&join(self.spec.name, AT), name)
    }

    /// Resolves the group `name` under `at`. Does not repeat a refusal of inherited values that was already
    /// reported for `[switch]` itself (`shown`).
    fn differing(
        &self,
        name: &str,
        at: &At,
        shown: Option<(&str, &At)>,
        ledger: &mut Ledger,
        problems: &mut Problems,
    ) -> Option<Differing> {
        let section = self.section(name);
        let switches = self.switches(name, &section, at, problems);
        let own = self.own(name, &section, problems);
        let named: Vec<&str> = own.iter().flatten().filter_map(chooses).collect();
        let inherited = tables(self.layers, |entry| {
            self.may_differ(&entry.key) && !named.contains(&entry.key.as_str())
        });
        let mut layers = with(self.layers, &inherited);
        let of_name = with(self.layers, &own).into_iter();
        layers.extend(of_name.map(|layer| Layer {
            name: &section,
            ..layer
        }));
        let spec = Spec {
            name: &section,
            params: MAY_DIFFER,
            ..*self.spec
        };
        let mut resolved = resolve(&spec, &layers, at, ledger, problems)?;
        let stands: Vec<String> = own.iter().flat_map(|own| keys(&section, own)).collect();
        let own = |key: &str| {
            let of = |policy: &&str| key.starts_with(&format!("{section}.{policy}."));
            stands.iter().any(|own| own == key) || named.iter().any(of)
        };
        resolved.settings.retain(|(key, _, _)| own(key));
        match decision(&resolved) {
            Ok(decision) => Some(Differing {
                about: name.to_string(),
                resolved,
                at: at.clone(),
                decision,
                switches: switches?,
            }),
            Err((part, why)) => {
                if shown != Some((part, resolved.place(part, &why, at))) {
                    resolved.refused(part, &why, at, problems);
                }
                None
            }
        }
    }

    fn may_differ(&self, key: &str) -> bool {
        let mut policies = self.spec.policies.iter();
        policies.any(|choice| choice.what == key) || MAY_DIFFER.iter().any(|p| p.name == key)
    }

    /// Returns the settings of `name` under `at` from each layer. Reports and leaves out settings that must be
    /// the same for every switch.
    fn own(&self, name: &str, section: &str, problems: &mut Problems) -> Vec<Table> {
        let mut own = Vec::new();
        for layer in self.layers {
            let table = find(layer.table, AT)
                .and_then(|at| inner(at))
                .and_then(|at| inner(find(at, name)?));
            let mut stays = Table::new();
            for entry in table.into_iter().flatten() {
                let key = &entry.key;
                if self.may_differ(key) || !self.spec.params.iter().any(|p| p.name == key) {
                    stays.push(entry.clone());
                    continue;
                }
                let message = format!(
                    "{key:?} in [{section}]: expected a policy, capacity, memory or alpha; {key:?} \
                     is the same for every switch: set it in [{}]",
                    self.spec.name
                );
                problems.add(&entry.at, message);
            }
            own.push(stays);
        }
        own
    }

    /// Returns the numbers of the switches that match `name`.
    fn switches(
        &self,
        name: &str,
        section: &str,
        at: &At,
        problems: &mut Problems,
    ) -> Option<Vec<usize>> {
        let network = self.network?;
        let found = (0..network.len()).filter(|&s| network[s].is(name));
        let found: Vec<usize> = found.collect();
        if found.is_empty() {
            let hint = known(name, network);
            let message = format!(
                "{section}: expected a tier or a switch of the network, got {name:?}{hint}"
            );
            problems.add(at, message);
            return None;
        }
        Some(found)
    }

    /// Checks that any two groups that match one switch give it the same settings. Reports each conflicting
    /// pair once.
    fn agreed(&self, all: &[Differing], problems: &mut Problems) -> bool {
        let mut agreed = true;
        for (i, one) in all.iter().enumerate() {
            for before in &all[..i] {
                let mut shared = one
                    .switches
                    .iter()
                    .filter(|s| before.switches.binary_search(s).is_ok());
                let Some(switch) = shared.next().filter(|_| one.decision != before.decision) else {
                    continue;
                };
                let name = self.network.map_or("", |network| network[*switch].name);
                let message = format!(
                    "[{}] and [{}] ({}) both match switch {name:?}, with different values: {}; \
                     make them equal",
                    one.resolved.name,
                    before.resolved.name,
                    place(&before.at),
                    differences(&one.decision, &before.decision)
                );
                problems.add(&one.at, message);
                agreed = false;
            }
        }
        agreed
    }
}

/// Lists the differences: `capacity "9 pkt" and "60 pkt"`
fn differences(one: &Decision, other: &Decision) -> String {
    let all = one.differences(other).into_iter();
    let said: Vec<String> = all
        .map(|(key, one, two)| format!("{key} {one:?} and {two:?}"))
        .collect();
    said.join(", ")
}

fn place(at: &At) -> String {
    match at.line {
        0 => at.file.to_string(),
        line => format!("{}:{line}:{}", at.file, at.column),
    }
}

/// Returns the policy that an entry names, with or without parameters.
fn chooses(entry: &Entry) -> Option<&str> {
    match &entry.node.item {
        Item::Text(_) => Some(&entry.key),
        Item::Table(table) => find(table, "kind").map(|_| entry.key.as_str()),
        Item::List(_) => None,
    }
}

/// Returns the dotted keys of a section's entries, and of the parameters of its policies.
fn keys(section: &str, table: &Table) -> Vec<String> {
    let each = |entry: &Entry| {
        let key = join(section, &entry.key);
        let params = inner(entry).into_iter().flatten();
        let mut all: Vec<String> = params.map(|param| join(&key, &param.key)).collect();
        if chooses(entry).is_some() {
            all.push(key);
        }
        all
    };
    table.iter().flat_map(each).collect()
}

fn inner(entry: &Entry) -> Option<&Table> {
    match &entry.node.item {
        Item::Table(table) => Some(table),
        _ => None,
    }
}

/// Suggests the nearest tier or switch, or lists the tiers. A name with a digit can only be a switch.
fn known(name: &str, network: &[Called<'_>]) -> String {
    let mut tiers: Vec<&str> = Vec::new();
    for tier in network.iter().filter_map(|switch| switch.tier) {
        if !tiers.contains(&tier) {
            tiers.push(tier);
        }
    }
    let names = network.iter().map(|switch| switch.name);
    let numbered = name.contains(|c: char| c.is_ascii_digit());
    let tiers_too = tiers.iter().copied().filter(|_| !numbered);
    let near = suggest(name, tiers_too.chain(names));
    if !near.starts_with("; known") {
        return near;
    }
    let like = network.first().map_or("", |switch| switch.name);
    match tiers.is_empty() {
        true => format!("; the network has no tiers; its switches have names like {like:?}"),
        false => format!(
            "; the network has the tiers {}, and switches with names like {like:?}",
            tiers.join(", ")
        ),
    }
}
