//! `[[change]]`: changes of the network during a run.
//!
//! Changes are numbered in the order of the file, from 1. `[change.1]` adds keys to the first: in the
//! file, in `[quick]`, in `[sweep]`, and as `--set change.1.rate="1 Gbps"`.

use super::names::common;
use super::reader::Reader;
use crate::cables::{ChangeTarget, Written, cable, of_cables, switch};
use crate::scenario::Setting;
use crate::tables::CHANGE;
use sidestep_config::document::{Item, Table, find};
use sidestep_config::ledger::Ledger;
use sidestep_config::problem::{At, Problems};
use sidestep_config::section::{Resolved, resolve};
use sidestep_config::source::Origin;
use sidestep_config::spec::{Layer, Spec};
use sidestep_sim::{Becomes, Change, LEAST_RATE, Network, check_changes};
use sidestep_types::{Param, Refusal, Time, Value};
use std::collections::BTreeMap;

/// Maximum number of changes in one scenario; more are taken for a mistake.
const MOST_CHANGES: u32 = 1_000;

/// Changes of a scenario, as read.
#[derive(Default)]
pub(super) struct ChangesRead {
    pub changes: Vec<Change>,
    pub settings: Vec<Setting>,
    pub warnings: Vec<String>,
}

/// Layers of one change, and the place of the first.
struct Numbered<'a> {
    tables: Vec<(&'a Table, &'a Origin)>,
    at: At,
}

impl Numbered<'_> {
    /// True if `key` was given for this change as it now is, with its rate. A key in the file below a rate from
    /// an axis or `--set`, or a key from an axis, may serve another point instead.
    fn says_for_this_alone(&self, key: &str) -> bool {
        let last = |key| (self.tables.iter()).rposition(|(table, _)| find(table, key).is_some());
        let swept = |at: usize| matches!(self.tables[at].1, Origin::Sweep);
        last(key).is_some_and(|at| Some(at) >= last("rate") && !swept(at))
    }
}

/// Keys that state the change, for messages.
const ONE_OF: [&str; 3] = ["rate", "down", "up"];

impl Reader<'_> {
    /// Reads all changes. A run lasts until `last`, if that could be read.
    pub(super) fn changes(
        &self,
        last: Option<Time>,
        network: Option<&Network>,
        problems: &mut Problems,
    ) -> Option<ChangesRead> {
        let numbered = self.numbered(problems)?;
        let mut read = ChangesRead::default();
        let (mut written, mut all, mut whole) = (Vec::new(), Vec::new(), true);
        for (number, of) in &numbered {
            let name = format!("change.{number}");
            let Some(resolved) = resolve_one(&name, of, problems) else {
                whole = false;
                continue;
            };
            match network.map(|network| one(&resolved, last, network)) {
                Some(Ok(change)) => written.push(change),
                Some(Err(why)) => {
                    resolved.refused("", &why, &of.at, problems);
                    whole = false;
                }
                None => whole = false,
            }
            all.push((resolved, of));
        }
        if !whole {
            return None;
        }
        let Some(network) = network else {
            return Some(read);
        };
        let refuse = |number: usize, why: String, problems: &mut Problems| {
            let (resolved, of): &(Resolved, &Numbered<'_>) = &all[number];
            resolved.refused("", &Refusal::about(&ONE_OF, why), &of.at, problems);
        };
        let of_cables = match of_cables(network, &written) {
            Ok(of_cables) => of_cables,
            Err((number, why)) => {
                refuse(number, why, problems);
                return None;
            }
        };
        read.changes = of_cables.iter().map(|(_, change)| *change).collect();
        match check_changes(network, &read.changes) {
            Ok(cuts) => {
                for cut in cuts {
                    let number = of_cables[cut.change].0;
                    let name = &all[number].0.name;
                    let why = cut.why;
                    read.warnings.push(format!(
                        "{name}: {why} and has reroute = \"never\": packets between them are lost"
                    ));
                }
            }
            Err(wrong) => {
                let why = format!("{}; to allow that, set reroute = \"never\"", wrong.why);
                refuse(of_cables[wrong.change].0, why, problems);
                return None;
            }
        }
        for ((resolved, of), change) in all.into_iter().zip(&written) {
            let says = change.reroute != default_reroute() && of.says_for_this_alone("reroute");
            if matches!(change.to, Becomes::Rate(_)) && says {
                let name = &resolved.name;
                read.warnings.push(format!(
                    "{name}.reroute has no effect: next hops do not depend on rates"
                ));
            }
            read.settings.extend(common(resolved));
        }
        Some(read)
    }

    /// Collects the layers of each change, by its number.
    fn numbered(&self, problems: &mut Problems) -> Option<BTreeMap<u32, Numbered<'_>>> {
        let mut all: BTreeMap<u32, Numbered<'_>> = BTreeMap::new();
        let mut whole = true;
        for (root, origin) in self.roots() {
            let Some(entry) = find(root, "change") else {
                continue;
            };
            let mut add = |number: u32, table, at: &At| {
                let of = all.entry(number).or_insert_with(|| Numbered {
                    tables: Vec::new(),
                    at: at.clone(),
                });
                of.tables.push((table, origin));
            };
            match &entry.node.item {
                Item::Text(_) => {
                    let got = entry.node.item.kind();
                    let message = format!("change: expected [[change]], got {got}");
                    problems.add(&entry.node.at, message);
                    whole = false;
                }
                Item::List(nodes) => {
                    if matches!(origin, Origin::Quick | Origin::Sweep) {
                        let message = "change: [quick] and [sweep] refer to a change by its \
                                       number, such as change.1.rate";
                        problems.add(&entry.node.at, message);
                        whole = false;
                        continue;
                    }
                    // A list replaces the changes of the file that it extends.
                    all.clear();
                    for (number, node) in (1..).zip(nodes) {
                        match node.table("change", problems) {
                            Some(table) => {
                                all.insert(
                                    number,
                                    Numbered {
                                        tables: vec![(table, origin)],
                                        at: node.at.clone(),
                                    },
                                );
                            }
                            None => whole = false,
                        }
                    }
                }
                Item::Table(entries) => {
                    for entry in entries {
                        let number = entry.key.parse().ok().filter(|n| *n > 0);
                        let table = entry.node.table(&format!("change.{}", entry.key), problems);
                        match (number, table) {
                            (Some(number), Some(table)) => add(number, table, &entry.at),
                            (None, _) => {
                                let key = &entry.key;
                                let message = format!(
                                    "change: expected the number of a change, as in change.1.rate, got {key:?}"
                                );
                                problems.add(&entry.at, message);
                                whole = false;
                            }
                            (_, None) => whole = false,
                        }
                    }
                }
            }
        }
        let many = all.len() as u32;
        if let Some((number, of)) = all
            .iter()
            .find(|(number, _)| **number > many.min(MOST_CHANGES))
        {
            let message = match many > MOST_CHANGES {
                true => format!("change: expected at most {MOST_CHANGES} changes, got {many}"),
                false => {
                    let gap = (1..*number).find(|before| !all.contains_key(before));
                    let missing = gap.unwrap_or(1);
                    format!("change.{missing} is missing; number changes from 1 without gaps")
                }
            };
            problems.add(&of.at, message);
            whole = false;
        }
        whole.then_some(all)
    }
}

fn resolve_one(name: &str, of: &Numbered<'_>, problems: &mut Problems) -> Option<Resolved> {
    let layers: Vec<Layer<'_>> = (of.tables.iter())
        .map(|&(table, origin)| Layer {
            table,
            origin,
            name,
            prefix: "",
            shared: false,
        })
        .collect();
    let spec = Spec {
        name,
        params: CHANGE,
        kind: None,
        policies: &[],
    };
    let rates = of
        .tables
        .iter()
        .filter_map(|(table, _)| find(table, "rate"));
    for entry in rates {
        if let Item::Text(text) = &entry.node.item
            && let Ok(Value::Rate(rate)) = Value::parse(text, param("rate"))
            && rate.as_bps() == 0
        {
            let message =
                format!("{name}.rate: a link of {text} carries nothing; set down = true instead");
            problems.add(&entry.node.at, message);
            return None;
        }
    }
    resolve(&spec, &layers, &of.at, &mut Ledger::default(), problems)
}

fn param(name: &str) -> &'static Param {
    let mut params = CHANGE.iter();
    params
        .find(|param| param.name == name)
        .expect("a key of a change")
}

/// Returns the default of `reroute`.
fn default_reroute() -> Option<Time> {
    let param = param("reroute");
    match Value::parse(param.default?, param) {
        Ok(Value::Time(after)) => Some(after),
        _ => None,
    }
}

/// Reads one change and checks it against `network`.
fn one(resolved: &Resolved, last: Option<Time>, network: &Network) -> Result<Written, Refusal> {
    let values = &resolved.values;
    let at = values.time("at");
    if let Some(last) = last.filter(|last| at > *last) {
        let expected = format!("must not be after the latest possible end of a run, {last}");
        return Err(Refusal::of("at", expected).got(at));
    }
    let (link, of_switch) = (values.word("link"), values.word("switch"));
    let about = match (link.trim(), of_switch.trim()) {
        ("", "") => Err(Refusal::of_none(
            "link or switch is missing: the cable or the switch that changes",
        )),
        (link, "") => (cable(network, link).map(ChangeTarget::Cable))
            .map_err(|why| Refusal::about(&["link"], format!("link: {why}"))),
        ("", name) => (switch(network, name).map(ChangeTarget::Switch))
            .map_err(|why| Refusal::about(&["switch"], format!("switch: {why}"))),
        _ => {
            let wrong = "link and switch are both given; give only one";
            Err(Refusal::about(&["switch", "link"], wrong))
        }
    }?;
    let to = match (
        values.rate_or_off("rate"),
        values.flag("down"),
        values.flag("up"),
    ) {
        (Some(rate), false, false) => Becomes::Rate(rate),
        (None, true, false) => Becomes::Down,
        (None, false, true) => Becomes::Up,
        (None, false, false) => {
            let wrong = "rate, down or up is missing: the change to make";
            return Err(Refusal::about(&["down", "up"], wrong));
        }
        _ => {
            let wrong = "rate, down and up exclude each other; give only one";
            return Err(Refusal::about(&["up", "down", "rate"], wrong));
        }
    };
    if let Becomes::Rate(rate) = to
        && rate < LEAST_RATE
    {
        let expected = format!("must be {LEAST_RATE} or more (down = true carries nothing)");
        return Err(Refusal::of("rate", expected).got(rate));
    }
    let reroute = values.time_or_off("reroute");
    Ok(Written {
        at,
        about,
        to,
        reroute,
    })
}
