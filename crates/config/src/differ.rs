//! `[switch.at.NAME]`: switches that decide otherwise, or hold more or less, than `[switch]` says.
//!
//! NAME is a tier of the network or the name of a switch. What stands there is laid over `[switch]`
//! for those switches, key by key: a policy that it names begins with its own defaults, parameters
//! alone change those of the policy that `[switch]` chose. Of a switch that two such tables match both
//! must say the same: none is more specific than the other.

use crate::decision::{Decision, Memory, decision};
use crate::document::{Entry, Item, Table, find, join};
use crate::ledger::Ledger;
use crate::problem::{At, Problems, suggest};
use crate::section::{Resolved, resolve};
use crate::spec::{Layer, Spec};
use sidestep_types::{Param, Settings};

/// The key of a section under which switches that differ stand by name.
pub const AT: &str = "at";

/// What may differ beside the policies.
pub const MAY_DIFFER: &[Param] = Memory::PARAMS;

/// A switch of a network, as its topology calls it.
#[derive(Clone, Copy, Debug)]
pub struct Called<'a> {
    /// Its own name.
    pub name: &'a str,
    /// Its tier, if it is of one.
    pub tier: Option<&'a str>,
}

impl Called<'_> {
    fn is(&self, word: &str) -> bool {
        self.name == word || self.tier == Some(word)
    }
}

/// Switches that differ.
#[derive(Debug)]
pub struct Differing {
    /// The tier or the switch that it is about.
    pub about: String,
    /// Its section, `switch.at.core`, with the settings of what stands there alone, and the places of all.
    pub resolved: Resolved,
    /// Where it stands.
    pub at: At,
    /// What these switches decide by, with all that they inherit.
    pub decision: Decision,
    /// Their numbers in the network, in order.
    pub switches: Vec<usize>,
}

/// Resolves a section of switches: what it says of all of them, and those that differ, in the order in
/// which they are first named. Without a `network`, which could not be read, nobody is looked for.
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

/// The tables of the layers, each with the entries that are to stay.
fn tables(layers: &[Layer<'_>], stays: impl Fn(&&Entry) -> bool) -> Vec<Table> {
    let kept = |layer: &Layer<'_>| layer.table.iter().filter(&stays).cloned().collect();
    layers.iter().map(kept).collect()
}

/// The layers with these tables in the place of their own.
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
    /// Is it the table of a tier or a switch, without `at` before it?
    fn is_astray(&self, entry: &Entry) -> bool {
        let mut network = self.network.unwrap_or_default().iter();
        let known = self.may_differ(&entry.key);
        !known && inner(entry).is_some() && network.any(|switch| switch.is(&entry.key))
    }

    /// The names under `at`, each with its last place, and whether all of it are tables.
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

    /// What stands under `at` for `name`. A refusal of what it inherits is not repeated when `[switch]`
    /// itself has it, as `shown`.
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

    /// What each layer says under `at` for `name`, without what is the same for every switch.
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
                    "{key:?} in [{section}]: expected a policy or how much is held, which may differ; \
                     this is the same for every switch, in [{}]",
                    self.spec.name
                );
                problems.add(&entry.at, message);
            }
            own.push(stays);
        }
        own
    }

    /// The numbers of the switches that `name` means.
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

    /// Do any two that match one switch say the same of it? Each two that do not are reported once.
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
                    "[{}] and [{}] ({}) both match switch {name:?}: expected the same of it, got {}",
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

/// `capacity "9 pkt" and "60 pkt"`
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

/// The policy that an entry names, beside its parameters or alone.
fn chooses(entry: &Entry) -> Option<&str> {
    match &entry.node.item {
        Item::Text(_) => Some(&entry.key),
        Item::Table(table) => find(table, "kind").map(|_| entry.key.as_str()),
        Item::List(_) => None,
    }
}

/// The dotted keys of a section's entries, and of a policy's parameters.
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

/// The nearest tier or switch, or what there is. What has a number is a switch's name.
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
        true => format!("; it has no tiers, and switches like {like:?}"),
        false => format!(
            "; it has the tiers {} and switches like {like:?}",
            tiers.join(", ")
        ),
    }
}
