//! One section of a scenario, resolved from its layers: later layers win, key by key.
//!
//! A section has parameters of its own and may choose policies (`buffer = "dibs"`, or
//! `buffer = { kind = "dibs", mark_at = "20 pkt" }`). Parameters given beside a kind belong to
//! that kind: a later layer with another kind drops them. Parameters given without one stay,
//! and reach whatever kind is chosen in the end.

use super::document::{Node, Table, find};
use super::problem::{At, Problems, suggest};
use super::source::Origin;
use super::value;
use sidestep_types::{Entry, Param, Value, Values};
use std::collections::BTreeMap;

/// What a section may say.
pub(crate) struct Spec<'a> {
    /// Its dotted name: `switch`, `workload.query`; empty at the top.
    pub name: &'a str,
    /// Its own parameters.
    pub params: &'static [Param],
    /// The section itself has a `kind`.
    pub kind: Option<Choice>,
    /// The policies it chooses.
    pub policies: &'a [Choice],
}

/// One choice from a registry.
#[derive(Clone, Copy)]
pub(crate) struct Choice {
    /// What is chosen, which is also its key: `buffer`, `topology`.
    pub what: &'static str,
    /// From these.
    pub entries: &'static [Entry],
    /// When nothing is said.
    pub default: Option<&'static str>,
}

/// One layer of a section.
pub(crate) struct Layer<'a> {
    pub table: &'a Table,
    pub origin: &'a Origin,
    /// What stands before the section's name in the `[source]` of this layer's file.
    pub prefix: &'a str,
    /// It speaks to every scheme: a parameter that some scheme's policy does not have is no error.
    pub shared: bool,
}

/// Parameters of shared layers, and whether any scheme took them.
#[derive(Default)]
pub(crate) struct Unused(BTreeMap<(At, String), (bool, String)>);

impl Unused {
    fn note(&mut self, at: &At, key: &str, taken: bool, message: String) {
        let seen = self.0.entry((at.clone(), key.to_string())).or_default();
        seen.0 |= taken;
        if seen.1.is_empty() {
            seen.1 = message;
        }
    }

    /// What no scheme took is a problem.
    pub fn report(self, problems: &mut Problems) {
        for ((at, _), (taken, message)) in self.0 {
            if !taken {
                problems.add(&at, message);
            }
        }
    }
}

/// A section with every value known.
#[derive(Debug, Default)]
pub(crate) struct Resolved {
    /// The name of its kind; empty for a section without one.
    pub kind: &'static str,
    /// Its parameters, the kind's included.
    pub values: Values,
    /// Its policies, in the order of [`Spec::policies`].
    pub policies: Vec<(&'static str, Values)>,
    /// Every value as text: dotted key, value, source.
    pub settings: Vec<(String, String, String)>,
    /// Where values were given, by dotted key.
    pub places: BTreeMap<String, At>,
}

impl Resolved {
    /// Reports what a policy refused at the parameter the message names first, or else at `fallback`.
    pub fn blame(&self, section: &str, message: &str, fallback: &At, problems: &mut Problems) {
        let words: Vec<&str> = message
            .split(|c: char| !c.is_ascii_alphanumeric() && c != '_')
            .collect();
        let under = |key: &str| {
            key.strip_prefix(section)?
                .strip_prefix('.')
                .map(str::to_string)
        };
        let named = self.places.iter().filter_map(|(key, at)| {
            let rank = words
                .iter()
                .position(|word| under(key).as_deref() == Some(*word))?;
            Some((rank, at))
        });
        let at = named
            .min_by_key(|(rank, _)| *rank)
            .map_or(fallback, |(_, at)| at);
        // A registry puts the kind before its message; the place says that already.
        let message = message
            .strip_prefix(self.kind)
            .and_then(|m| m.strip_prefix(": "))
            .unwrap_or(message);
        // A registry puts the kind before its message; the place says that already.
        let own = message
            .strip_prefix(self.kind)
            .and_then(|rest| rest.strip_prefix(": "));
        problems.add(at, format!("{section}: {}", own.unwrap_or(message)));
    }
}

/// A value that a layer gave.
struct Given<'a> {
    key: String,
    key_at: &'a At,
    node: &'a Node,
    layer: usize,
    /// It was given beside a kind.
    bound: bool,
}

/// What the layers said about one choice.
#[derive(Default)]
struct Picked<'a> {
    kind: Option<(&'a str, &'a At, usize)>,
    params: Vec<Given<'a>>,
}

impl<'a> Picked<'a> {
    fn choose(&mut self, kind: &'a str, at: &'a At, layer: usize) {
        if self.kind.is_none_or(|(before, _, _)| before != kind) {
            self.params.retain(|given| !given.bound);
        }
        self.kind = Some((kind, at, layer));
    }

    fn give(&mut self, given: Given<'a>) {
        self.params.retain(|before| before.key != given.key);
        self.params.push(given);
    }
}

/// Resolves a section. Returns `None` when a problem left it without a meaning.
pub(crate) fn resolve(
    spec: &Spec<'_>,
    layers: &[Layer<'_>],
    at: &At,
    unused: &mut Unused,
    problems: &mut Problems,
) -> Option<Resolved> {
    let gathered = gather(spec, layers, problems);
    let mut work = Work {
        spec,
        layers,
        unused,
        out: Resolved::default(),
        whole: true,
    };
    let mut values = Values::default();
    let own = spec
        .kind
        .and_then(|choice| work.kind(&choice, &gathered.own, at, problems));
    if let Some(entry) = own {
        work.out.kind = entry.name;
    }
    work.params(spec.params, &gathered.shared, "", at, &mut values, problems);
    if let (Some(choice), Some(entry)) = (spec.kind, own) {
        work.unfit(&choice, entry, &gathered.own, problems);
        work.params(
            entry.params,
            &gathered.own.params,
            "",
            at,
            &mut values,
            problems,
        );
    }
    for (choice, picked) in spec.policies.iter().zip(&gathered.policies) {
        let mut values = Values::default();
        if let Some(entry) = work.kind(choice, picked, at, problems) {
            work.unfit(choice, entry, picked, problems);
            work.params(
                entry.params,
                &picked.params,
                choice.what,
                at,
                &mut values,
                problems,
            );
            work.out.policies.push((entry.name, values));
        }
    }
    work.out.values = values;
    work.whole.then_some(work.out)
}

struct Gathered<'a> {
    shared: Vec<Given<'a>>,
    own: Picked<'a>,
    policies: Vec<Picked<'a>>,
}

/// Sorts every key of every layer to what it belongs to.
fn gather<'a>(spec: &Spec<'_>, layers: &[Layer<'a>], problems: &mut Problems) -> Gathered<'a> {
    let mut shared = Picked::default();
    let mut own = Picked::default();
    let mut policies: Vec<Picked<'_>> = spec.policies.iter().map(|_| Picked::default()).collect();
    for (index, layer) in layers.iter().enumerate() {
        let bound =
            spec.kind.is_some() && choose_kind(layer.table, index, spec.name, &mut own, problems);
        for entry in layer.table {
            let policy = spec
                .policies
                .iter()
                .position(|choice| choice.what == entry.key);
            let given = |key: &str, bound| Given {
                key: key.to_string(),
                key_at: &entry.at,
                node: &entry.node,
                layer: index,
                bound,
            };
            if let Some(position) = policy {
                gather_policy(spec.name, entry, index, &mut policies[position], problems);
            } else if spec.params.iter().any(|param| param.name == entry.key) {
                shared.give(given(&entry.key, false));
            } else if spec.kind.is_some() && entry.key != "kind" {
                own.give(given(&entry.key, bound));
            } else if spec.kind.is_none() {
                let known = spec.params.iter().map(|param| param.name);
                let known = known.chain(spec.policies.iter().map(|choice| choice.what));
                let hint = suggest(&entry.key, known);
                problems.add(
                    &entry.at,
                    format!("unknown key {:?} in [{}]{hint}", entry.key, spec.name),
                );
            }
        }
    }
    Gathered {
        shared: shared.params,
        own,
        policies,
    }
}

/// `buffer = "dibs"` or `buffer = { kind = "dibs", … }` or `buffer = { mark_at = … }`.
fn gather_policy<'a>(
    section: &str,
    entry: &'a super::document::Entry,
    layer: usize,
    picked: &mut Picked<'a>,
    problems: &mut Problems,
) {
    use super::document::Item;
    match &entry.node.item {
        Item::Text(kind) => picked.choose(kind, &entry.node.at, layer),
        Item::List(_) => {
            let expected = "expected a name or a table, got a list";
            problems.add(
                &entry.node.at,
                format!("{section}.{}: {expected}", entry.key),
            );
        }
        Item::Table(table) => {
            let path = format!("{section}.{}", entry.key);
            let bound = choose_kind(table, layer, &path, picked, problems);
            for inner in table.iter().filter(|inner| inner.key != "kind") {
                picked.give(Given {
                    key: inner.key.clone(),
                    key_at: &inner.at,
                    node: &inner.node,
                    layer,
                    bound,
                });
            }
        }
    }
}

/// Takes the `kind` of a table, if it has one.
fn choose_kind<'a>(
    table: &'a Table,
    layer: usize,
    path: &str,
    picked: &mut Picked<'a>,
    problems: &mut Problems,
) -> bool {
    let Some(entry) = find(table, "kind") else {
        return false;
    };
    let kind = entry.node.text(&format!("{path}.kind"), "a name", problems);
    if let Some(kind) = kind {
        picked.choose(kind, &entry.node.at, layer);
    }
    true
}

/// The state of one resolution.
struct Work<'a, 'b> {
    spec: &'b Spec<'b>,
    layers: &'b [Layer<'a>],
    unused: &'b mut Unused,
    out: Resolved,
    whole: bool,
}

impl Work<'_, '_> {
    fn path(&self, key: &str) -> String {
        match self.spec.name {
            "" => key.to_string(),
            section => format!("{section}.{key}"),
        }
    }

    fn fail(&mut self, at: &At, message: String, problems: &mut Problems) {
        self.whole = false;
        problems.add(at, message);
    }

    fn source(&self, layer: usize, path: &str) -> String {
        let layer = &self.layers[layer];
        layer.origin.source(&format!("{}{path}", layer.prefix))
    }

    /// The entry that was chosen.
    fn kind(
        &mut self,
        choice: &Choice,
        picked: &Picked<'_>,
        at: &At,
        problems: &mut Problems,
    ) -> Option<&'static Entry> {
        let own = self.spec.kind.is_some();
        let path = self.path(if own { "kind" } else { choice.what });
        let names = || choice.entries.iter().map(|entry| entry.name);
        let Some(name) = picked.kind.map(|(name, _, _)| name).or(choice.default) else {
            let known = names().collect::<Vec<_>>().join(", ");
            let message = format!("[{}] needs a kind: {known}", self.spec.name);
            self.fail(at, message, problems);
            return None;
        };
        let Some(entry) = choice.entries.iter().find(|entry| entry.name == name) else {
            let at = picked.kind.map_or(at, |(_, at, _)| at);
            let message = format!(
                "{} {name:?} is unknown{}",
                choice.what,
                suggest(name, names())
            );
            self.fail(at, message, problems);
            return None;
        };
        let source = match picked.kind {
            Some((_, at, layer)) => {
                self.out.places.insert(path.clone(), at.clone());
                self.source(layer, &path)
            }
            None => super::source::default(entry.summary),
        };
        self.out.settings.push((path, name.to_string(), source));
        Some(entry)
    }

    /// Keys that the chosen entry does not have.
    fn unfit(
        &mut self,
        choice: &Choice,
        entry: &'static Entry,
        picked: &Picked<'_>,
        problems: &mut Problems,
    ) {
        let has = |entry: &Entry, key: &str| entry.params.iter().any(|param| param.name == key);
        for given in &picked.params {
            let fits = has(entry, &given.key);
            let others: Vec<&str> = choice
                .entries
                .iter()
                .filter(|e| has(e, &given.key))
                .map(|e| e.name)
                .collect();
            let message = if others.is_empty() {
                let known = entry
                    .params
                    .iter()
                    .chain(self.spec.params)
                    .map(|param| param.name);
                let hint = suggest(&given.key, known);
                format!(
                    "unknown key {:?} in {} {:?}{hint}",
                    given.key, choice.what, entry.name
                )
            } else {
                let others = others.join(", ");
                format!(
                    "{} {:?} has no {:?}; {others} does",
                    choice.what, entry.name, given.key
                )
            };
            if self.layers[given.layer].shared && !others.is_empty() {
                self.unused.note(given.key_at, &given.key, fits, message);
            } else if !fits {
                self.fail(given.key_at, message, problems);
            }
        }
    }

    /// Reads the values of `params`, given or by default.
    fn params(
        &mut self,
        params: &'static [Param],
        given: &[Given<'_>],
        policy: &str,
        at: &At,
        values: &mut Values,
        problems: &mut Problems,
    ) {
        for param in params {
            let path = match policy {
                "" => self.path(param.name),
                policy => self.path(&format!("{policy}.{}", param.name)),
            };
            let found = given.iter().find(|given| given.key == param.name);
            let (value, source) = match (found, param.default) {
                (Some(given), _) => {
                    self.out.places.insert(path.clone(), given.node.at.clone());
                    let value = value::read(&path, given.node, param, problems);
                    (value, self.source(given.layer, &path))
                }
                (None, Some(text)) => {
                    let value = Value::parse(text, param).expect("a default reads as its own unit");
                    (Some(value), super::source::default(param.doc))
                }
                (None, None) => {
                    let example = param.unit.example();
                    let message = format!("{path} is missing: {example} ({})", param.doc);
                    self.fail(at, message, problems);
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
}
