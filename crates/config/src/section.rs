//! Resolution of one section of a scenario from its layers: later layers win, key by key.
//!
//! A section has its own parameters and may choose policies (`buffer = "dibs"`, or `buffer = { kind = "dibs",
//! mark_at = "20 pkt" }`). Parameters given beside a kind belong to that kind: a later layer with another kind
//! drops them. Parameters given without a kind stay, and apply to whatever kind is finally chosen.

use crate::document::Table;
use crate::gather::{Gathered, Given, Picked, gather};
use crate::ledger::Ledger;
use crate::problem::{At, Problems, related, suggest};
use crate::source::{Origin, Sources};
use crate::spec::{Choice, Layer, Spec};
use crate::value;
use sidestep_types::{Entry, Param, Refusal, Value, Values};
use std::collections::BTreeMap;

/// Section with the values of all parameters.
#[derive(Debug, Default)]
pub struct Resolved {
    /// Dotted name: `switch`, `workload.query`.
    pub name: String,
    /// Name of its kind; empty for a section without a kind.
    pub kind: &'static str,
    /// Values of its parameters, including those of its kind.
    pub values: Values,
    /// Policies and their values, in the order of [`Spec::policies`].
    pub policies: Vec<(&'static str, Values)>,
    /// Every value as text: dotted key, value, source.
    pub settings: Vec<(String, String, String)>,
    /// Places of the given values, by dotted key.
    pub places: BTreeMap<String, At>,
}

impl Resolved {
    /// Reports a refusal of this section's values, or of those of the policy `part` if that is not empty. The
    /// place is the first of its parameters that was given, else the place where the policy was chosen, else
    /// `fallback`.
    pub fn refused(&self, part: &str, why: &Refusal, fallback: &At, problems: &mut Problems) {
        refused(&self.places, &self.part(part), why, fallback, problems);
    }

    /// Returns the place at which [`Resolved::refused`] reports a refusal.
    pub fn place<'a>(&'a self, part: &str, why: &Refusal, fallback: &'a At) -> &'a At {
        place(&self.places, &self.part(part), why, fallback)
    }

    fn part(&self, part: &str) -> String {
        match part {
            "" => self.name.clone(),
            part => format!("{}.{part}", self.name),
        }
    }
}

/// Reports a refusal like [`Resolved::refused`], for a caller that kept only the [`Resolved::places`] of the
/// section.
pub fn refused(
    places: &BTreeMap<String, At>,
    section: &str,
    why: &Refusal,
    fallback: &At,
    problems: &mut Problems,
) {
    let at = place(places, section, why, fallback);
    problems.add(at, format!("{section}: {why}"));
}

fn place<'a>(
    places: &'a BTreeMap<String, At>,
    section: &str,
    why: &Refusal,
    fallback: &'a At,
) -> &'a At {
    let of = |param: &&str| places.get(&format!("{section}.{param}"));
    let given = why.params.iter().find_map(of);
    given.or(places.get(section)).unwrap_or(fallback)
}

/// Resolves a section without a kind and with a single layer. Returns `None` if a problem left it incomplete.
pub fn section(
    name: &str,
    params: &'static [Param],
    policies: &[Choice],
    table: &Table,
    at: &At,
    problems: &mut Problems,
) -> Option<Resolved> {
    let spec = Spec {
        name,
        params,
        kind: None,
        policies,
    };
    let layers = [Layer {
        table,
        origin: &Origin::Scenario(Sources::new()),
        name,
        prefix: "",
        shared: false,
    }];
    resolve(&spec, &layers, at, &mut Ledger::default(), problems)
}

/// Resolves a section. Returns `None` if a problem left it incomplete.
pub fn resolve(
    spec: &Spec<'_>,
    layers: &[Layer<'_>],
    at: &At,
    ledger: &mut Ledger,
    problems: &mut Problems,
) -> Option<Resolved> {
    let Gathered {
        shared,
        own,
        policies,
    } = gather(spec, layers, problems);
    let mut work = Work {
        spec,
        layers,
        at,
        ledger,
        problems,
        out: Resolved {
            name: spec.name.to_string(),
            ..Resolved::default()
        },
        whole: true,
    };
    let mut values = Values::default();
    let kind = spec.kind.and_then(|choice| work.kind(&choice, &own));
    work.params(spec.params, &shared, None, &mut values);
    work.check_lost(None, &shared);
    if let (Some(choice), Some(entry)) = (&spec.kind, kind) {
        work.out.kind = entry.name;
        work.unfit(choice, entry, &own);
        work.params(entry.params, &own, None, &mut values);
        work.check_lost(Some(choice), &own);
    }
    for (choice, picked) in spec.policies.iter().zip(&policies) {
        let mut values = Values::default();
        let Some(entry) = work.kind(choice, picked) else {
            continue;
        };
        work.unfit(choice, entry, picked);
        work.params(entry.params, picked, Some(choice.what), &mut values);
        work.check_lost(Some(choice), picked);
        work.out.policies.push((entry.name, values));
    }
    work.out.values = values;
    work.whole.then_some(work.out)
}

/// State of one resolution.
struct Work<'a, 'b> {
    spec: &'b Spec<'b>,
    layers: &'b [Layer<'a>],
    at: &'b At,
    ledger: &'b mut Ledger,
    problems: &'b mut Problems,
    out: Resolved,
    whole: bool,
}

impl Work<'_, '_> {
    fn path(&self, policy: Option<&str>, key: &str) -> String {
        path(self.spec.name, policy, key)
    }

    /// Returns the dotted path of a key as named in this layer.
    fn path_in(&self, layer: usize, policy: Option<&str>, key: &str) -> String {
        path(self.layers[layer].name, policy, key)
    }

    fn fail(&mut self, at: &At, message: String) {
        self.whole = false;
        self.problems.add(at, message);
    }

    fn source(&self, layer: usize, path: &str) -> String {
        let layer = &self.layers[layer];
        layer.origin.source(&format!("{}{path}", layer.prefix))
    }

    /// Records that a value of a layer for every scheme is used, and so has an effect.
    fn used(&mut self, layer: usize, at: &At) {
        if self.layers[layer].shared {
            self.ledger.used(at);
        }
    }

    /// Records that a value was replaced by another layer. An override for all schemes is intentional, and not
    /// recorded.
    fn overridden(&mut self, layer: usize, by: usize, at: &At, path: &str) {
        let by = &self.layers[by];
        if self.layers[layer].shared && !by.shared && !by.origin.replaces() {
            self.ledger.overridden(at, path);
        }
    }

    /// Returns the chosen entry.
    fn kind(&mut self, choice: &Choice, picked: &Picked<'_>) -> Option<&'static Entry> {
        let key = if self.spec.kind.is_some() {
            "kind"
        } else {
            choice.what
        };
        let path = self.path(None, key);
        for (at, layer, by) in &picked.lost_kinds {
            self.overridden(*layer, *by, at, &self.path_in(*layer, None, key));
        }
        let Some(name) = picked.kind.map(|(name, _, _)| name).or(choice.default) else {
            let known: Vec<&str> = choice.entries.iter().map(|entry| entry.name).collect();
            let message = format!(
                "[{}] needs a kind: one of {}",
                self.spec.name,
                known.join(", ")
            );
            self.fail(self.at, message);
            return None;
        };
        let Some(entry) = choice.entries.iter().find(|entry| entry.name == name) else {
            // The problem was reported when the layers were gathered.
            self.whole = false;
            return None;
        };
        let source = match picked.kind {
            Some((_, at, layer)) => {
                self.used(layer, at);
                self.out.places.insert(path.clone(), at.clone());
                self.source(layer, &self.path_in(layer, None, key))
            }
            None => crate::source::default(entry.summary),
        };
        self.out.settings.push((path, name.to_string(), source));
        Some(entry)
    }

    /// Reports keys that the chosen entry does not have.
    fn unfit(&mut self, choice: &Choice, entry: &'static Entry, picked: &Picked<'_>) {
        for given in &picked.params {
            let fits = has(entry, given.key);
            let owners = owners(choice, given.key);
            let message = if owners.is_empty() {
                self.unknown(choice, entry, given.key)
            } else {
                let owners = match &owners[..] {
                    [a, b, c, _, _, ..] => format!("{a}, {b}, {c} and others"),
                    few => few.join(", "),
                };
                let (what, name, key) = (choice.what, entry.name, given.key);
                let known: Vec<&str> = self.known(entry).collect();
                let hint = related(key, &known).unwrap_or_default();
                format!("{what} {name:?} has no setting {key:?}; it belongs to {owners}{hint}")
            };
            if self.layers[given.layer].shared && !owners.is_empty() {
                self.ledger.asked(given.key_at, fits, message);
            } else if !fits {
                self.fail(given.key_at, message);
            }
        }
    }

    /// Returns the keys of the entry, and those beside it.
    fn known(&self, entry: &Entry) -> impl Iterator<Item = &'static str> {
        // Only a section's own kind shares its table with the section's parameters.
        let beside = if self.spec.kind.is_some() {
            self.spec.params
        } else {
            &[]
        };
        entry.params.iter().chain(beside).map(|param| param.name)
    }

    fn unknown(&self, choice: &Choice, entry: &Entry, key: &str) -> String {
        let hint = suggest(key, self.known(entry));
        format!(
            "unknown key {key:?} in {} {:?}{hint}",
            choice.what, entry.name
        )
    }

    /// Reads the values of `params`, given or default.
    fn params(
        &mut self,
        params: &'static [Param],
        picked: &Picked<'_>,
        policy: Option<&str>,
        values: &mut Values,
    ) {
        for param in params {
            let path = self.path(policy, param.name);
            let given = picked.params.iter().find(|given| given.key == param.name);
            let (value, source) = match (given, param.default) {
                (Some(given), _) => {
                    self.used(given.layer, given.key_at);
                    self.out.places.insert(path.clone(), given.node.at.clone());
                    let said = self.path_in(given.layer, policy, param.name);
                    let value = value::read(&said, given.node, param, self.problems);
                    (value, self.source(given.layer, &said))
                }
                (None, Some(_)) if replaced(param, params, picked) => {
                    let other = param.unless.unwrap_or_default();
                    (Some(Value::Off), format!("default: {other} is given"))
                }
                (None, Some(text)) => {
                    let value = Value::parse(text, param).expect("a default reads as its own unit");
                    (Some(value), crate::source::default(param.doc))
                }
                (None, None) => {
                    let example = param.unit.example();
                    let message = format!("{path} is missing: {example} ({})", param.doc);
                    self.fail(self.at, message);
                    continue;
                }
            };
            let Some(value) = value else {
                self.whole = false;
                continue;
            };
            self.out
                .settings
                .push((path, value::show(&value, param), source));
            values.set(param.name, value);
        }
    }

    /// Reads overridden values as well: an error in one is reported even if no scheme uses it.
    fn check_lost(&mut self, choice: Option<&Choice>, picked: &Picked<'_>) {
        for (given, by) in &picked.lost {
            let policy = choice
                .filter(|_| self.spec.kind.is_none())
                .map(|choice| choice.what);
            let path = self.path_in(given.layer, policy, given.key);
            self.overridden(given.layer, *by, given.key_at, &path);
            let entries = choice.map_or(&[][..], |choice| choice.entries);
            let params = entries
                .iter()
                .flat_map(|entry| entry.params)
                .chain(self.spec.params);
            let named: Vec<&Param> = params.filter(|param| param.name == given.key).collect();
            let Some(first) = named.first() else {
                self.fail_lost(choice, given);
                continue;
            };
            // Policies differ in the values they accept under one name: a value is wrong if no policy accepts
            // it.
            let taken = named.iter().any(|param| {
                value::read(&path, given.node, param, &mut Problems::default()).is_some()
            });
            if !taken {
                value::read(&path, given.node, first, self.problems);
            }
        }
    }

    fn fail_lost(&mut self, choice: Option<&Choice>, given: &Given<'_>) {
        let what = choice.map_or(self.spec.name, |choice| choice.what);
        let known = choice.into_iter().flat_map(|choice| choice.entries);
        let hint = suggest(
            given.key,
            known.flat_map(|e| e.params).map(|param| param.name),
        );
        self.fail(
            given.key_at,
            format!("unknown key {:?} in {what}{hint}", given.key),
        );
    }
}

/// True if another parameter that replaces the default of `param` is given, and is not off.
fn replaced(param: &Param, params: &[Param], picked: &Picked<'_>) -> bool {
    let other = params.iter().find(|other| param.unless == Some(other.name));
    other.is_some_and(|other| {
        let mut given = picked.params.iter();
        given.any(|given| {
            let read = || value::read("", given.node, other, &mut Problems::default());
            given.key == other.name && read() != Some(Value::Off)
        })
    })
}

fn path(section: &str, policy: Option<&str>, key: &str) -> String {
    let words = [
        Some(section).filter(|name| !name.is_empty()),
        policy,
        Some(key),
    ];
    words.into_iter().flatten().collect::<Vec<_>>().join(".")
}

fn has(entry: &Entry, key: &str) -> bool {
    entry.params.iter().any(|param| param.name == key)
}

fn owners(choice: &Choice, key: &str) -> Vec<&'static str> {
    let owners = choice.entries.iter().filter(|entry| has(entry, key));
    owners.map(|entry| entry.name).collect()
}
