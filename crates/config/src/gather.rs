//! Sorting of the values in the layers of a section: by parameter and policy. Overridden values are kept, to be
//! checked.

use crate::document::{Entry as Written, Item, Node, Table, find};
use crate::problem::{At, Problems, suggest};
use crate::spec::{Choice, Layer, Spec};

/// Value given by a layer.
pub(super) struct Given<'a> {
    pub key: &'a str,
    pub key_at: &'a At,
    pub node: &'a Node,
    pub layer: usize,
    /// Kind beside which it was given.
    kind: Option<&'a str>,
}

/// Values that the layers give to one choice, or to a section's own parameters.
#[derive(Default)]
pub(super) struct Picked<'a> {
    pub kind: Option<(&'a str, &'a At, usize)>,
    pub params: Vec<Given<'a>>,
    /// Values replaced by a later layer, with that layer.
    pub lost: Vec<(Given<'a>, usize)>,
    /// Kinds replaced by a later layer: place, layer, later layer.
    pub lost_kinds: Vec<(&'a At, usize, usize)>,
}

impl<'a> Picked<'a> {
    fn choose(&mut self, kind: &'a str, at: &'a At, layer: usize) {
        if let Some((before, before_at, before_layer)) = self.kind
            && before != kind
        {
            self.lost_kinds.push((before_at, before_layer, layer));
            let gone = self.params.extract_if(.., |given| given.kind.is_some());
            self.lost.extend(gone.map(|given| (given, layer)));
        }
        self.kind = Some((kind, at, layer));
    }

    fn give(&mut self, given: Given<'a>) {
        let layer = given.layer;
        let gone = self.params.extract_if(.., |before| before.key == given.key);
        self.lost.extend(gone.map(|before| (before, layer)));
        self.params.push(given);
    }
}

/// Sorted values of all layers of a section.
pub(super) struct Gathered<'a> {
    /// Parameters of the section itself.
    pub shared: Picked<'a>,
    /// Kind of the section and its parameters.
    pub own: Picked<'a>,
    /// Policies, in the order of [`Spec::policies`].
    pub policies: Vec<Picked<'a>>,
}

/// Sorts every key of every layer by parameter and policy.
pub(super) fn gather<'a>(
    spec: &Spec<'_>,
    layers: &[Layer<'a>],
    problems: &mut Problems,
) -> Gathered<'a> {
    let mut out = Gathered {
        shared: Picked::default(),
        own: Picked::default(),
        policies: spec.policies.iter().map(|_| Picked::default()).collect(),
    };
    for (layer, (table, name)) in layers.iter().map(|l| (l.table, l.name)).enumerate() {
        let kind = (spec.kind)
            .and_then(|choice| choose_kind(&choice, table, layer, name, &mut out.own, problems));
        for written in table {
            let policy = spec.policies.iter().position(|p| p.what == written.key);
            if let Some(index) = policy {
                let choice = &spec.policies[index];
                let picked = &mut out.policies[index];
                gather_policy(choice, name, written, layer, picked, problems);
            } else if spec.params.iter().any(|param| param.name == written.key) {
                out.shared.give(given(written, layer, None));
            } else if spec.kind.is_none() {
                let known = spec.params.iter().map(|param| param.name);
                let known = known.chain(spec.policies.iter().map(|choice| choice.what));
                let hint = suggest(&written.key, known);
                let message = format!("unknown key {:?} in [{name}]{hint}", written.key);
                problems.add(&written.at, message);
            } else if written.key != "kind" {
                out.own.give(given(written, layer, kind));
            }
        }
    }
    out
}

fn given<'a>(written: &'a Written, layer: usize, kind: Option<&'a str>) -> Given<'a> {
    Given {
        key: &written.key,
        key_at: &written.at,
        node: &written.node,
        layer,
        kind,
    }
}

/// Reads a policy: `buffer = "dibs"`, `buffer = { kind = "dibs", … }` or `buffer = { mark_at = … }`.
fn gather_policy<'a>(
    choice: &Choice,
    section: &str,
    written: &'a Written,
    layer: usize,
    picked: &mut Picked<'a>,
    problems: &mut Problems,
) {
    let path = format!("{section}.{}", choice.what);
    match &written.node.item {
        Item::Text(kind) => {
            check_kind(choice, kind, &written.node.at, problems);
            picked.choose(kind, &written.node.at, layer);
        }
        Item::List(_) => {
            let message = format!("{path}: expected a name or a table, got a list");
            problems.add(&written.node.at, message);
        }
        Item::Table(table) => {
            let kind = choose_kind(choice, table, layer, &path, picked, problems);
            for inner in table.iter().filter(|inner| inner.key != "kind") {
                picked.give(given(inner, layer, kind));
            }
        }
    }
}

/// Reads the `kind` of a table, if it has one.
fn choose_kind<'a>(
    choice: &Choice,
    table: &'a Table,
    layer: usize,
    path: &str,
    picked: &mut Picked<'a>,
    problems: &mut Problems,
) -> Option<&'a str> {
    let written = find(table, "kind")?;
    let kind = written
        .node
        .text(&format!("{path}.kind"), "a name", problems)?;
    check_kind(choice, kind, &written.node.at, problems);
    picked.choose(kind, &written.node.at, layer);
    Some(kind)
}

fn check_kind(choice: &Choice, kind: &str, at: &At, problems: &mut Problems) {
    let names = || choice.entries.iter().map(|entry| entry.name);
    if !names().any(|name| name == kind) {
        let hint = match kind.split_once(':') {
            Some(("python" | "plugin", _)) => {
                "; such a policy comes from the calling program and cannot be named in a file"
                    .into()
            }
            _ => suggest(kind, names()),
        };
        problems.add(at, format!("{} {kind:?} is unknown{hint}", choice.what));
    }
}
