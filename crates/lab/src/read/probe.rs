//! `[probe]`: measurements during a run.

use super::names::{common, descend, words};
use super::reader::Reader;
use crate::fair;
use crate::probe::{Between, LINKS_EXPECTED, Probe, classes_of};
use crate::scenario::{Setting, SettingContent, Traffic};
use crate::scheme::Scheme;
use crate::tables::{PROBE, PROBE_LISTS, ProbeSettings};
use sidestep_config::document::{Entry, Node, Table};
use sidestep_config::ledger::Ledger;
use sidestep_config::problem::{At, Problems, suggest};
use sidestep_config::section::{Resolved, resolve};
use sidestep_config::source::{Origin, default};
use sidestep_config::spec::{Layer, Spec};
use sidestep_config::value::LONGEST;
use sidestep_sim::{End, FlowPlan, Network, TrafficPlan};
use sidestep_switch::Capacity;
use sidestep_types::{Fraction, Param, Settings, Size, Time, Value};
use std::collections::BTreeMap;

/// Maximum number of windows of a probe in a run; more are taken for a mistake.
const MOST_LOOKS: u64 = 1_000_000;

/// Maximum number of values of windowed probes in a run, over all workloads or selections of links together.
const MOST_OF_WINDOWS: u64 = 1_000_000;

/// Maximum number of selections of links; more are taken for a mistake.
const MOST_SELECTIONS: usize = 100;

/// Maximum number of paths, instants, or draws: more than any figure shows.
const MOST_KEPT: u64 = 1_000;

/// `[probe]` as it was read, with the places of its values.
#[derive(Default)]
pub(super) struct ProbeRead {
    pub probe: Probe,
    pub settings: Vec<Setting>,
    /// Place of `neighbours`, if it is on.
    neighbours_at: Option<At>,
    /// Place of each workload in `latency`.
    latency_at: Vec<At>,
    /// Place of `goodput`, if it is on, and its number of windows.
    goodput_at: Option<(At, u64)>,
    /// Place of `fair`, if it is on.
    fair_at: Option<At>,
}

impl Reader<'_> {
    /// Reads `[probe]`; a run lasts for `duration` and at most `drain` more. Links are not looked up if the
    /// network could not be read.
    pub(super) fn probe(
        &self,
        duration: Time,
        drain: Time,
        network: Option<&Network>,
        workloads: Option<&[Traffic]>,
        problems: &mut Problems,
    ) -> Option<ProbeRead> {
        let Some(written) = self.written_probe(problems) else {
            return Some(ProbeRead::default());
        };
        let resolved = written.resolve(problems)?;
        let mut refused = Problems::default();
        let last = duration.saturating_add(drain);
        let (occupancy, instants) = instants(written.list("occupancy"), last, &mut refused);
        let (spread, selections) = between(written.list("spread"), network, &mut refused);
        let (latency, classes) = latency(written.list("latency"), workloads, &mut refused);
        let settings = ProbeSettings::read(&resolved.values).expect("values without bounds");
        let mut values = Checked {
            settings,
            resolved: &resolved,
            at: &written.at,
            duration,
            refused,
        };
        values.check_shares();
        let windows = [
            ("links", settings.links, MOST_LOOKS),
            ("neighbours", settings.neighbours, MOST_LOOKS),
            ("goodput", settings.goodput, MOST_LOOKS),
            ("drops", settings.drops, MOST_LOOKS / 10),
        ];
        for (name, span, most) in windows {
            span.inspect(|span| values.check_window(name, *span, most));
        }
        values.check_begin("flows_from", settings.flows_from);
        if !latency.is_empty() {
            values.check_begin("latency_from", settings.latency_from);
        }
        if !spread.is_empty() {
            values.check_spread(spread.len() as u64);
        }
        values.check_kept("fair", settings.fair);
        values.check_kept("paths", settings.paths);
        if !values.refused.is_empty() {
            problems.extend(values.refused);
            return None;
        }
        let place = |key: &str| values.place(key);
        let neighbours_at = settings.neighbours.map(|_| place("neighbours"));
        let fair_at = (settings.fair > 0).then(|| place("fair"));
        let goodput_at = (settings.goodput).map(|span| (place("goodput"), values.windows(span)));
        let probe = Probe {
            links: settings.links,
            neighbours: settings.neighbours,
            hot: (settings.hot.0, settings.hot.1),
            goodput: settings.goodput,
            drops: settings.drops,
            spread,
            spread_window: settings.spread_window,
            spread_from: settings.spread_from,
            latency: latency.iter().map(|(class, _)| *class).collect(),
            latency_every: settings.latency_every,
            latency_from: settings.latency_from,
            flows_from: settings.flows_from,
            fair: settings.fair,
            detours: settings.detours,
            occupancy,
            paths: settings.paths as usize,
            loops: settings.loops,
        };
        let mut settings = common(resolved);
        settings.extend([instants, classes, selections]);
        Some(ProbeRead {
            probe,
            settings,
            neighbours_at,
            latency_at: latency.into_iter().map(|(_, at)| at).collect(),
            goodput_at,
            fair_at,
        })
    }

    /// Collects the layers of `[probe]`; `None` if there are none.
    fn written_probe(&self, problems: &mut Problems) -> Option<Written<'_>> {
        let mut found: Option<Written<'_>> = None;
        for (root, origin) in self.roots() {
            let Some((table, place)) = descend(root, &["probe"], problems) else {
                continue;
            };
            let written = found.get_or_insert_with(|| Written {
                at: place.clone(),
                tables: Vec::new(),
                lists: BTreeMap::new(),
            });
            let is_list = |entry: &Entry| PROBE_LISTS.iter().any(|param| param.name == entry.key);
            let (lists, plain) = table.iter().cloned().partition(is_list);
            written.tables.push((plain, origin));
            let lists: Table = lists;
            let lists = lists.into_iter();
            written
                .lists
                .extend(lists.map(|entry| (entry.key, (entry.node, origin))));
        }
        found
    }
}

/// Layers of `[probe]`: keys with one value, and lists, where the last layer counts.
struct Written<'a> {
    /// Place of the section.
    at: At,
    tables: Vec<(Table, &'a Origin)>,
    lists: BTreeMap<String, (Node, &'a Origin)>,
}

impl Written<'_> {
    fn resolve(&self, problems: &mut Problems) -> Option<Resolved> {
        let layer = |(table, origin)| Layer {
            table,
            origin,
            name: "probe",
            prefix: "",
            shared: false,
        };
        let tables = self.tables.iter();
        let layers: Vec<Layer<'_>> = tables
            .map(|(table, origin)| layer((table, *origin)))
            .collect();
        let spec = Spec {
            name: "probe",
            params: PROBE,
            kind: None,
            policies: &[],
        };
        resolve(&spec, &layers, &self.at, &mut Ledger::default(), problems)
    }

    /// Returns the list under `name` of [`PROBE_LISTS`].
    fn list(&self, name: &str) -> List<'_> {
        let mut all = PROBE_LISTS.iter();
        let param = all.find(|param| param.name == name);
        let param = param.expect("a list of [probe]");
        let path = format!("probe.{name}");
        let given = self.lists.get(name);
        List {
            param,
            source: given.map_or_else(|| default(param.doc), |(_, origin)| origin.source(&path)),
            path,
            node: given.map(|(node, _)| node),
        }
    }
}

/// List as written, if it was.
struct List<'a> {
    param: &'static Param,
    path: String,
    source: String,
    node: Option<&'a Node>,
}

impl List<'_> {
    /// Returns its words with their places; refuses anything but a list of words, with the text `expected`.
    fn words(&self, expected: &str, problems: &mut Problems) -> Vec<(String, At)> {
        self.node
            .map_or_else(Vec::new, |node| words(node, &self.path, expected, problems))
    }

    /// Returns its words without the one for none.
    fn names(&self, expected: &str, problems: &mut Problems) -> Vec<(String, At)> {
        let mut words = self.words(expected, problems);
        words.retain(|(word, _)| Some(word.as_str()) != self.param.off);
        words
    }

    /// Returns the resulting setting.
    fn setting(self, found: &[String]) -> Setting {
        Setting::from(SettingContent {
            scheme: None,
            key: self.path,
            value: match found.is_empty() {
                true => "off".to_string(),
                false => found.join(", "),
            },
            source: self.source,
        })
    }
}

/// Resolved values under check; collects their problems.
struct Checked<'a> {
    settings: ProbeSettings,
    resolved: &'a Resolved,
    /// Place of `[probe]`.
    at: &'a At,
    duration: Time,
    refused: Problems,
}

impl Checked<'_> {
    fn place(&self, key: &str) -> At {
        let places = &self.resolved.places;
        places
            .get(&format!("probe.{key}"))
            .unwrap_or(self.at)
            .clone()
    }

    fn refuse(&mut self, key: &str, why: String) {
        self.refused
            .add(&self.place(key), format!("probe.{key}: {why}"));
    }

    /// Returns the number of windows of `span` in the run.
    fn windows(&self, span: Time) -> u64 {
        self.duration.ps() / span.ps()
    }

    /// Refuses a window that `name` gives, of which a run has `most` at most.
    fn check_window(&mut self, name: &str, span: Time, most: u64) {
        let duration = self.duration;
        if span == Time::ZERO {
            self.refuse(name, "a window must be above 0".into());
        } else if self.windows(span) > most {
            let why = format!("more than {most} windows of {span} in {duration}");
            self.refuse(name, why);
        } else if span > duration {
            let why = format!("no window of {span} ends within {duration}");
            self.refuse(name, why);
        }
    }

    /// Refuses an instant that `name` gives and that is not within the run.
    fn check_begin(&mut self, name: &str, from: Time) {
        if from >= self.duration {
            let end = self.duration;
            let why = format!("must be before duration ends at {end}, got {from}");
            self.refuse(name, why);
        }
    }

    /// Refuses a window of so many selections of links, and a first one that does not end within the run.
    fn check_spread(&mut self, selections: u64) {
        let (from, window) = (self.settings.spread_from, self.settings.spread_window);
        self.check_window("spread_window", window, MOST_OF_WINDOWS / selections);
        let duration = self.duration;
        if from > Time::ZERO && from.saturating_add(window) > duration {
            let why = format!(
                "no window of {window} begins at {from} or later and ends within {duration}"
            );
            self.refuse("spread_from", why);
        }
    }

    fn check_shares(&mut self) {
        if self.settings.latency_every == 0 {
            self.refuse("latency_every", "expected 1 or more, got 0".into());
        }
        let Fraction(above, below) = self.settings.hot;
        if above == 0 || above > below {
            self.refuse("hot", "expected a share above 0, at most 1".into());
        }
    }

    /// Refuses to keep so many of something.
    fn check_kept(&mut self, name: &str, many: u64) {
        if many > MOST_KEPT {
            self.refuse(name, format!("expected at most {MOST_KEPT}, got {many}"));
        }
    }
}

impl ProbeRead {
    /// Refuses probes that make no sense with these schemes.
    pub(super) fn check(&self, schemes: &[Scheme], workloads: usize, problems: &mut Problems) {
        if let Some((at, windows)) = &self.goodput_at
            && windows.saturating_mul(workloads as u64) > MOST_OF_WINDOWS
        {
            let message = format!(
                "probe.goodput: {windows} windows times {workloads} workloads are more than \
                 {MOST_OF_WINDOWS} values; use a longer window"
            );
            problems.add(at, message);
        }
        let Some(at) = &self.neighbours_at else {
            return;
        };
        let wrong = schemes.iter().find_map(|scheme| {
            let held = || {
                scheme
                    .switches()
                    .map(|(about, kind)| (about, kind.capacity))
            };
            let in_packets = |c: Capacity| matches!(c, Capacity::PerPort(Size::Packets(_)));
            let name = &scheme.name;
            if let Some((about, _)) = held().find(|(_, c)| *c == Capacity::Unlimited) {
                let whose = about.map_or(String::new(), |about| format!(" at {about}"));
                return Some(format!(
                    "scheme {name:?} has unlimited buffers{whose}, which have no free share to \
                     measure"
                ));
            }
            let some = held().any(|(_, c)| in_packets(c));
            (some && !held().all(|(_, c)| in_packets(c))).then(|| {
                format!(
                    "scheme {name:?} has some capacities in packets and some in bytes, whose free \
                     shares cannot be compared; give all of them in one unit"
                )
            })
        });
        if let Some(wrong) = wrong {
            problems.add(at, format!("probe.neighbours: {wrong}"));
        }
    }
}

impl ProbeRead {
    /// Refuses the latency of workloads whose flows all stay within one rack, and fair shares without active
    /// flows, as in `plan`.
    pub(super) fn check_plan(
        &self,
        network: &Network,
        plan: &TrafficPlan,
        problems: &mut Problems,
    ) {
        if let Some(at) = &self.fair_at
            && fair::active(plan).is_empty()
        {
            let message = "probe.fair needs endless flows or a closed loop, and this scenario has \
                           neither";
            problems.add(at, message);
        }
        let mut rack = vec![None; network.hosts as usize];
        for cable in &network.cables {
            for ends in [(cable.a, cable.b), (cable.b, cable.a)] {
                if let (End::Host(host), End::Switch(switch)) = ends {
                    rack[host.0 as usize] = Some(switch);
                }
            }
        }
        for (class, at) in self.probe.latency.iter().zip(&self.latency_at) {
            let classes: Vec<u8> = classes_of(plan, *class).collect();
            let own = plan.flows.iter();
            let mut own = own.filter(|flow| classes.contains(&flow.class)).peekable();
            let stays = |flow: &FlowPlan| rack[flow.src.0 as usize] == rack[flow.dst.0 as usize];
            if own.peek().is_some() && own.all(stays) {
                let name = &plan.classes[usize::from(*class)];
                let message = format!(
                    "probe.latency: all flows of workload {name:?} stay within one rack and cross \
                     a single switch, so there is no latency between switches"
                );
                problems.add(at, message);
            }
        }
    }
}

/// Reads the instants of `occupancy`, in order, without duplicates.
fn instants(list: List<'_>, last: Time, problems: &mut Problems) -> (Vec<Time>, Setting) {
    const EXPECTED: &str = "times like [\"1 ms\", \"3 ms\"]";
    let path = &list.path;
    let mut found = Vec::new();
    for (text, at) in list.words(EXPECTED, problems) {
        match Value::parse(&text, list.param) {
            Ok(Value::Off) => {}
            Ok(Value::Time(t)) if t > last.min(LONGEST) => {
                problems.add(
                    &at,
                    format!("{path}: {t} is after the latest possible end of a run, {last}"),
                );
            }
            Ok(Value::Time(t)) => found.push(t),
            _ => problems.add(&at, format!("{path}: expected {EXPECTED}, got {text:?}")),
        }
        if found.len() as u64 > MOST_KEPT {
            problems.add(&at, format!("{path}: more than {MOST_KEPT} instants"));
            break;
        }
    }
    found.sort_unstable();
    found.dedup();
    let texts: Vec<String> = found.iter().map(Time::to_string).collect();
    (found, list.setting(&texts))
}

/// Reads the selections of links of `spread`, without duplicates.
fn between(
    list: List<'_>,
    network: Option<&Network>,
    problems: &mut Problems,
) -> (Vec<Between>, Setting) {
    let path = &list.path;
    let mut found: Vec<Between> = Vec::new();
    for (text, at) in list.names(LINKS_EXPECTED, problems) {
        let Some(network) = network else {
            break;
        };
        match Between::read(network, &text) {
            Ok(between) if found.contains(&between) => {}
            Ok(between) => found.push(between),
            Err(why) => problems.add(&at, format!("{path}: {why}")),
        }
        if found.len() > MOST_SELECTIONS {
            problems.add(
                &at,
                format!("{path}: more than {MOST_SELECTIONS} selections"),
            );
            break;
        }
    }
    let texts: Vec<String> = found.iter().map(|between| between.says.clone()).collect();
    (found, list.setting(&texts))
}

/// Reads the workloads of `latency`, by number, without duplicates, each with its place.
fn latency(
    list: List<'_>,
    workloads: Option<&[Traffic]>,
    problems: &mut Problems,
) -> (Vec<(u8, At)>, Setting) {
    let path = &list.path;
    let mut found: Vec<(u8, At)> = Vec::new();
    let mut names: Vec<String> = Vec::new();
    for (text, at) in list.names("names of workloads", problems) {
        let Some(all) = workloads else {
            break;
        };
        let known = || all.iter().map(|of| of.name.as_str());
        match known().position(|name| name == text) {
            Some(_) if names.contains(&text) => {}
            Some(class) => {
                found.push((class as u8, at));
                names.push(text);
            }
            None => {
                let hint = suggest(&text, known());
                problems.add(&at, format!("{path}: no workload is called {text:?}{hint}"));
            }
        }
    }
    (found, list.setting(&names))
}
