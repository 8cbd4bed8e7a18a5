//! From text to a resolved [`Scenario`], with every problem reported and every value's source kept.
//!
//! Layers, later ones win: defaults, the scenario's `[switch]` and `[transport]`, the scheme's
//! file, the scenario's `[scheme.NAME.*]`, `[quick]`, the point of a `[sweep]`, `--set`. Of two
//! files, a base and the one that extends it, the base's is the earlier layer each time.

mod axes;
mod claims;
mod experiment;
mod head;
mod plots;
mod probe;
mod schemes;

pub(crate) use experiment::experiment;

use crate::scenario::{Scenario, Setting, Traffic};
use crate::{tables, warnings};
use sidestep_config::document::{self, Item, Table, find};
use sidestep_config::ledger::Ledger;
use sidestep_config::problem::{At, Problem, Problems, suggest};
use sidestep_config::section::{Resolved, refused, resolve};
use sidestep_config::source::{self, AROUND, Origin};
use sidestep_config::spec::{Choice, Layer, Spec};
use sidestep_sim::{Files, Network, topology, workload};
use sidestep_types::Param;
use std::sync::Arc;

/// What a scenario's text, the `--set`s and the files behind it say together.
pub(crate) fn scenario(
    file: &str,
    text: &str,
    sets: &[String],
    files: &dyn Files,
) -> Result<Scenario, Vec<Problem>> {
    let mut experiment = experiment(file, text, sets, false, files)?;
    if experiment.points.len() > 1 {
        let mut problems = Problems::default();
        let many = experiment.points.len();
        let message = format!("[sweep] makes {many} points of it: expected a scenario without one");
        problems.add(&At::file(file), message);
        return Err(problems.into_sorted());
    }
    let point = experiment.points.pop().expect("there is a point");
    Ok(point.scenario)
}

/// The sections of a scenario.
const SECTIONS: [&str; 8] = [
    "topology",
    "switch",
    "transport",
    "workload",
    "scheme",
    "probe",
    "source",
    "claim",
];

/// At most this many workloads: a packet holds its class in a byte.
const MOST_CLASSES: usize = 255;

/// All that was written about one point, not yet understood.
pub(crate) struct Reader<'a> {
    at: At,
    /// The files, later ones win: the base, if there is one, and the scenario.
    written: &'a [(Table, Origin)],
    /// What is laid over them, in this order: `[quick]`, the point, each `--set`.
    over: Vec<(&'a Table, &'a Origin)>,
    /// What decides the numbers: topologies, distributions, flow lists.
    files: &'a dyn Files,
    /// Where schemes are found.
    scheme_files: &'a dyn Files,
}

impl Reader<'_> {
    fn read(&self, file: &str, problems: &mut Problems) -> Option<Scenario> {
        self.check_top_keys(problems);
        let head = self.head(problems);
        let network = self.network(problems);
        let traffic = self.traffic(network.as_ref(), problems);
        let listed = self.scheme_names(problems);
        let names = listed.as_ref().map_or(&[][..], |(names, _)| names);
        let schemes = self.schemes(names, problems);
        let probe = (head.as_ref()).and_then(|h| self.probe(h.duration, h.drain, problems));
        let (head, (network, network_settings)) = (head?, network?);
        let listed_setting = listed?.1;
        let (traffic, traffic_settings) = traffic?;
        let mut settings = head.settings.clone();
        settings.push(listed_setting);
        settings.extend(network_settings);
        settings.extend(traffic_settings);
        let (probe, (schemes, overridden)) = (probe?, schemes?);
        settings.extend(probe.settings.iter().cloned());
        let mut all = Vec::new();
        for scheme in schemes {
            settings.extend(scheme.settings);
            all.push(head.finish(scheme.scheme));
        }
        probe.check(&all, problems);
        let mut scenario = Scenario {
            name: stem(file).to_string(),
            title: head.title,
            duration: head.duration,
            drain: head.drain,
            seeds: head.seeds,
            schemes: all,
            network: Arc::new(network),
            claims: Vec::new(),
            probe: probe.probe,
            traffic,
            settings,
            warnings: Vec::new(),
            files: Vec::new(),
        };
        if !problems.is_empty() {
            return None;
        }
        // What can only be seen in a plan (a start past the end, too many flows) is seen in the first.
        let plan = match scenario.draw(scenario.seeds[0]) {
            Ok(plan) => plan,
            Err((of, why)) => {
                let section = format!("workload.{}", of.name);
                refused(&of.places, &section, &why, &of.at, problems);
                return None;
            }
        };
        scenario.warnings = overridden;
        scenario.warnings.extend(warnings::of(&scenario, &plan));
        Some(scenario)
    }

    fn check_top_keys(&self, problems: &mut Problems) {
        let params = || {
            tables::SCENARIO
                .iter()
                .chain(tables::LISTS)
                .map(|param| param.name)
        };
        let sections = SECTIONS.iter().filter(|s| !AROUND.contains(s));
        let known: Vec<&str> = params().chain(sections.copied()).collect();
        for entry in self.written.iter().flat_map(|(root, _)| root) {
            if !known.contains(&entry.key.as_str()) && !AROUND.contains(&entry.key.as_str()) {
                let known = params().chain(SECTIONS).chain(AROUND[2..].iter().copied());
                let hint = suggest(&entry.key, known);
                problems.add(&entry.at, format!("unknown key {:?}{hint}", entry.key));
            }
        }
        for entry in self.over.iter().flat_map(|(root, _)| *root) {
            if !known.contains(&entry.key.as_str()) {
                let hint = self
                    .longer(&entry.key)
                    .unwrap_or_else(|| suggest(&entry.key, known.iter().copied()));
                problems.add(&entry.at, format!("unknown key {:?}{hint}", entry.key));
            }
        }
    }

    /// `k` alone may mean `topology.k`, which the file says, or a key of `[switch]` or `[transport]`.
    fn longer(&self, key: &str) -> Option<String> {
        let said = (self.written.iter())
            .flat_map(|(root, _)| source::keys(root))
            .find(|said| said.ends_with(&format!(".{key}")));
        let has = |params: &[Param]| params.iter().any(|param| param.name == key);
        let sections = [("switch", tables::SWITCH), ("transport", tables::TRANSPORT)];
        let of = sections.iter().find(|(_, params)| has(params));
        let found = said.or_else(|| of.map(|(section, _)| format!("{section}.{key}")))?;
        Some(format!("; did you mean {found:?}?"))
    }

    /// The files' own trees and then what is laid over them, with who wrote them.
    fn roots(&self) -> impl Iterator<Item = (&Table, &Origin)> {
        let written = self.written.iter().map(|(root, origin)| (root, origin));
        written.chain(self.over.iter().copied())
    }

    /// The layers of a section that stands at `path`, and its place.
    fn layers(&self, path: &[&str], shared: bool, problems: &mut Problems) -> (Vec<Layer<'_>>, At) {
        let mut at = self.at.clone();
        let mut layers = Vec::new();
        for (root, origin) in self.roots() {
            let Some((table, place)) = descend(root, path, problems) else {
                continue;
            };
            if layers.is_empty() {
                at = place.clone();
            }
            layers.push(Layer {
                table,
                origin,
                prefix: "",
                shared,
            });
        }
        (layers, at)
    }

    fn network(&self, problems: &mut Problems) -> Option<(Network, Vec<Setting>)> {
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
        let (layers, at) = self.layers(&["topology"], false, problems);
        let resolved = resolve(&spec, &layers, &at, &mut Ledger::default(), problems)?;
        match topology::build(resolved.kind, &resolved.values, self.files) {
            Ok(network) => Some((network, common(resolved))),
            Err(why) => {
                resolved.refused("topology", &why, &at, problems);
                None
            }
        }
    }

    /// The workloads, in the order in which they are first named.
    fn traffic(
        &self,
        network: Option<&(Network, Vec<Setting>)>,
        problems: &mut Problems,
    ) -> Option<(Vec<Traffic>, Vec<Setting>)> {
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
        if names.is_empty() {
            problems.add(&self.at, "no [workload.NAME]: nothing would be sent");
            return None;
        }
        if names.len() > MOST_CLASSES {
            let many = names.len();
            let at = names[MOST_CLASSES].1;
            problems.add(
                at,
                format!("{many} workloads are too many: at most {MOST_CLASSES}"),
            );
            return None;
        }
        let all: Vec<_> = names
            .into_iter()
            .map(|(name, at)| self.workload(name, at, network.map(|(n, _)| n), problems))
            .collect();
        let (traffic, settings): (Vec<_>, Vec<_>) = all
            .into_iter()
            .collect::<Option<Vec<_>>>()?
            .into_iter()
            .unzip();
        Some((traffic, settings.concat()))
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
            params: &[],
            kind: Some(Choice {
                what: "workload",
                entries: workload::ENTRIES,
                default: None,
            }),
            policies: &[],
        };
        let (layers, at) = self.layers(&["workload", name], false, problems);
        let mut resolved = resolve(&spec, &layers, &at, &mut Ledger::default(), problems)?;
        match workload::build(resolved.kind, &resolved.values, self.files, network?) {
            Ok(built) => {
                let traffic = Traffic {
                    name: name.to_string(),
                    workload: built,
                    at,
                    places: std::mem::take(&mut resolved.places),
                };
                Some((traffic, common(resolved)))
            }
            Err(why) => {
                resolved.refused(&section, &why, &at, problems);
                None
            }
        }
    }
}

/// Settings that hold for every scheme.
fn common(resolved: Resolved) -> Vec<Setting> {
    of_scheme(None, resolved)
}

/// Settings of one scheme.
fn of_scheme(scheme: Option<&str>, resolved: Resolved) -> Vec<Setting> {
    let setting = |(key, value, source)| Setting {
        scheme: scheme.map(str::to_string),
        key,
        value,
        source,
    };
    resolved.settings.into_iter().map(setting).collect()
}

/// The table at `path`, and the place of its key.
fn descend<'a>(
    root: &'a Table,
    path: &[&str],
    problems: &mut Problems,
) -> Option<(&'a Table, &'a At)> {
    let mut at = None;
    let mut table = root;
    for (depth, key) in path.iter().enumerate() {
        let entry = find(table, key)?;
        at = Some(&entry.at);
        table = entry.node.table(&path[..=depth].join("."), problems)?;
    }
    Some((table, at?))
}

const NAME_RULE: &str = "a name has letters, digits, \"-\" and \"_\" alone";

fn is_name(name: &str) -> bool {
    !name.is_empty()
        && name
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || "-_".contains(c))
}

/// `dibs` of `schemes/dibs.toml`.
fn stem(path: &str) -> &str {
    let file = path.rsplit(['/', '\\']).next().unwrap_or(path);
    file.strip_suffix(".toml").unwrap_or(file)
}

/// The words of `"a, b"` or `["a", "b"]`, each with its place.
fn words(
    node: &document::Node,
    what: &str,
    expected: &str,
    problems: &mut Problems,
) -> Vec<(String, At)> {
    let nodes: Vec<&document::Node> = match &node.item {
        Item::List(items) => items.iter().collect(),
        _ => vec![node],
    };
    let mut words = Vec::new();
    for node in nodes {
        let Some(text) = node.text(what, expected, problems) else {
            continue;
        };
        let parts = text.split(',').map(|part| part.trim().to_string());
        words.extend(parts.map(|part| (part, node.at.clone())));
    }
    words
}
