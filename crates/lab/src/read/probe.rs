//! `[probe]`: what is looked at while a run goes on.

use super::reader::Reader;
use super::words::{common, descend, words};
use crate::fair;
use crate::probe::{Between, LINKS_EXPECTED, Probe, classes_of};
use crate::scenario::{Said, Setting, Traffic};
use crate::scheme::Scheme;
use crate::tables::{PROBE, PROBE_LISTS};
use sidestep_config::document;
use sidestep_config::ledger::Ledger;
use sidestep_config::problem::{At, Problems, suggest};
use sidestep_config::section::resolve;
use sidestep_config::source::{Origin, default};
use sidestep_config::spec::{Layer, Spec};
use sidestep_config::value::LONGEST;
use sidestep_sim::{End, FlowPlan, Network, Plan};
use sidestep_switch::Capacity;
use sidestep_types::{Param, Size, Time, Value};

/// More looks than this at one run are taken for a mistake.
const MOST_LOOKS: u64 = 1_000_000;

/// A run may have so many windows with a value for each workload or selection of links together.
const MOST_OF_WINDOWS: u64 = 1_000_000;

/// More selections of links than this are taken for a mistake.
const MOST_SELECTIONS: usize = 100;

/// More paths, or instants, than any figure shows.
const MOST_KEPT: u64 = 1_000;

/// `[probe]` as it was read, with the places of its values.
pub(super) struct ProbeRead {
    pub probe: Probe,
    pub settings: Vec<Setting>,
    /// Where `neighbours` stands, when it is on.
    neighbours_at: Option<At>,
    /// Where `latency` names each workload.
    latency_at: Vec<At>,
    /// Where `goodput` stands, when it is on, and how many windows it has.
    goodput_at: Option<(At, u64)>,
    /// Where `fair` stands, when it is on.
    fair_at: Option<At>,
}

impl Reader<'_> {
    /// Reads `[probe]`; a run lasts for `duration` and at most `drain` more. What it says of links is not
    /// looked up where the network could not be read.
    pub(super) fn probe(
        &self,
        duration: Time,
        drain: Time,
        network: Option<&Network>,
        workloads: Option<&[Traffic]>,
        problems: &mut Problems,
    ) -> Option<ProbeRead> {
        let is_list = |key: &str| PROBE_LISTS.iter().any(|param| param.name == key);
        let mut at = None;
        let mut tables: Vec<(document::Table, &Origin)> = Vec::new();
        let (mut occupancy, mut spread, mut latency) = (None, None, None);
        for (root, origin) in self.roots() {
            let Some((table, place)) = descend(root, &["probe"], problems) else {
                continue;
            };
            at.get_or_insert_with(|| place.clone());
            let (lists, plain): (document::Table, document::Table) =
                table.iter().cloned().partition(|entry| is_list(&entry.key));
            tables.push((plain, origin));
            for entry in lists {
                let given = Some((entry.node, origin));
                match entry.key.as_str() {
                    "occupancy" => occupancy = given,
                    "latency" => latency = given,
                    _ => spread = given,
                }
            }
        }
        let Some(at) = at else {
            return Some(ProbeRead {
                probe: Probe::default(),
                settings: Vec::new(),
                neighbours_at: None,
                latency_at: Vec::new(),
                goodput_at: None,
                fair_at: None,
            });
        };
        let layers: Vec<Layer<'_>> = (tables.iter())
            .map(|(table, origin)| Layer {
                table,
                origin,
                name: "probe",
                prefix: "",
                shared: false,
            })
            .collect();
        let spec = Spec {
            name: "probe",
            params: PROBE,
            kind: None,
            policies: &[],
        };
        let resolved = resolve(&spec, &layers, &at, &mut Ledger::default(), problems)?;
        let mut refused = Problems::default();
        let place = |key: &str| resolved.places.get(key).unwrap_or(&at).clone();
        let last = duration.saturating_add(drain);
        let (instants, instants_setting) = instants(occupancy, last, &mut refused);
        let (between, between_setting) = between(spread, network, &mut refused);
        let (latency, latency_setting) = self::latency(latency, workloads, &mut refused);
        let latency_every = resolved.values.count("latency_every");
        if latency_every == 0 {
            let message = "probe.latency_every: expected 1 or more, got 0";
            refused.add(&place("probe.latency_every"), message);
        }
        let mut window = |name: &str, most: u64| {
            let key = format!("probe.{name}");
            let span = resolved.values.time_or_off(name)?;
            let said = if span == Time::ZERO {
                format!("{key}: a window must be above 0")
            } else if duration.ps() / span.ps() > most {
                format!("{key}: more than {most} windows of {span} in {duration}")
            } else if span > duration {
                format!("{key}: no window of {span} ends within {duration}")
            } else {
                return Some(span);
            };
            refused.add(&place(&key), said);
            Some(span)
        };
        let (links, neighbours) = (
            window("links", MOST_LOOKS),
            window("neighbours", MOST_LOOKS),
        );
        let (goodput, drops) = (
            window("goodput", MOST_LOOKS),
            window("drops", MOST_LOOKS / 10),
        );
        let spread_window = match between.len() as u64 {
            0 => resolved.values.time("spread_window"),
            many => {
                let most = MOST_OF_WINDOWS / many;
                window("spread_window", most).expect("a time that has no off")
            }
        };
        let mut begins = |name: &str, whose: bool| {
            let key = format!("probe.{name}");
            let from = resolved.values.time(name);
            if whose && from >= duration {
                let message = format!(
                    "{key}: must be before the end of the window at {duration}, got {from}"
                );
                refused.add(&place(&key), message);
            }
            from
        };
        let flows_from = begins("flows_from", true);
        let latency_from = begins("latency_from", !latency.is_empty());
        let spread_from = begins("spread_from", false);
        let later = spread_from > Time::ZERO && !between.is_empty();
        if later && spread_from.saturating_add(spread_window) > duration {
            let message = format!(
                "probe.spread_from: no window of {spread_window} begins at {spread_from} or later and \
                 ends within {duration}"
            );
            refused.add(&place("probe.spread_from"), message);
        }
        let fair = resolved.values.count("fair");
        if fair > MOST_KEPT {
            let message = format!("probe.fair: at most {MOST_KEPT}, got {fair}");
            refused.add(&place("probe.fair"), message);
        }
        let hot = resolved.values.fraction("hot");
        if hot.0 == 0 || hot.0 > hot.1 {
            let message = "probe.hot: expected a share above 0, at most 1";
            refused.add(&place("probe.hot"), message);
        }
        let paths = resolved.values.count("paths");
        if paths > MOST_KEPT {
            let message = format!("probe.paths: at most {MOST_KEPT}, got {paths}");
            refused.add(&place("probe.paths"), message);
        }
        if !refused.is_empty() {
            problems.extend(refused);
            return None;
        }
        let probe = Probe {
            links,
            neighbours,
            hot,
            goodput,
            drops,
            spread: between,
            spread_window,
            spread_from,
            latency: latency.iter().map(|(class, _)| *class).collect(),
            latency_every,
            latency_from,
            flows_from,
            fair,
            detours: resolved.values.flag("detours"),
            occupancy: instants,
            paths: paths as usize,
            loops: resolved.values.flag("loops"),
        };
        let neighbours_at = neighbours.map(|_| place("probe.neighbours"));
        let fair_at = (fair > 0).then(|| place("probe.fair"));
        let goodput_at = goodput.map(|span| (place("probe.goodput"), duration.ps() / span.ps()));
        let mut settings = common(resolved);
        settings.extend([instants_setting, latency_setting, between_setting]);
        Some(ProbeRead {
            probe,
            settings,
            neighbours_at,
            latency_at: latency.into_iter().map(|(_, at)| at).collect(),
            goodput_at,
            fair_at,
        })
    }
}

impl ProbeRead {
    /// Refuses what the schemes leave no meaning to.
    pub(super) fn check(&self, schemes: &[Scheme], workloads: usize, problems: &mut Problems) {
        if let Some((at, windows)) = &self.goodput_at
            && windows.saturating_mul(workloads as u64) > MOST_OF_WINDOWS
        {
            let message = format!(
                "probe.goodput: {windows} windows of {workloads} workloads are more than \
                 {MOST_OF_WINDOWS} values"
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
                    "scheme {name:?} has unlimited buffers{whose}, of which no share is free"
                ));
            }
            let some = held().any(|(_, c)| in_packets(c));
            (some && !held().all(|(_, c)| in_packets(c))).then(|| {
                format!(
                    "scheme {name:?} has buffers that are counted in packets and buffers that are \
                     counted in bytes: their free shares cannot be added"
                )
            })
        });
        if let Some(wrong) = wrong {
            problems.add(at, format!("probe.neighbours: {wrong}"));
        }
    }
}

impl ProbeRead {
    /// Refuses the latency of workloads whose flows all stay within one rack, and fair shares of no flow, as in `plan`.
    pub(super) fn check_plan(&self, network: &Network, plan: &Plan, problems: &mut Problems) {
        if let Some(at) = &self.fair_at
            && fair::active(plan).is_empty()
        {
            let message = "probe.fair: no flow is without an end and none is in a closed loop, so that \
                           nobody shares anything all the time";
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
                    "probe.latency: all flows of workload {name:?} stay within one rack, so that the \
                     first switch of its packets is their last"
                );
                problems.add(at, message);
            }
        }
    }
}

/// The instants of `occupancy`, in order, none twice.
fn instants(
    given: Option<(document::Node, &Origin)>,
    last: Time,
    problems: &mut Problems,
) -> (Vec<Time>, Setting) {
    const EXPECTED: &str = "times like [\"1 ms\", \"3 ms\"]";
    let (param, path, source) = list("occupancy", given.as_ref());
    let mut found = Vec::new();
    for (text, at) in given.map_or(Vec::new(), |(node, _)| {
        words(&node, &path, EXPECTED, problems)
    }) {
        match Value::parse(&text, param) {
            Ok(Value::Off) => {}
            Ok(Value::Time(t)) if t > last.min(LONGEST) => {
                problems.add(
                    &at,
                    format!("{path}: {t} is after the end of every run, {last}"),
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
    (found, listed(path, &texts, source))
}

/// The selections of links of `spread`, none twice.
fn between(
    given: Option<(document::Node, &Origin)>,
    network: Option<&Network>,
    problems: &mut Problems,
) -> (Vec<Between>, Setting) {
    let (param, path, source) = list("spread", given.as_ref());
    let mut found: Vec<Between> = Vec::new();
    for (text, at) in given.map_or(Vec::new(), |(node, _)| {
        words(&node, &path, LINKS_EXPECTED, problems)
    }) {
        let Some(network) = network.filter(|_| Some(text.as_str()) != param.off) else {
            continue;
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
    (found, listed(path, &texts, source))
}

/// The workloads of `latency`, by number, none twice, each with its place.
fn latency(
    given: Option<(document::Node, &Origin)>,
    workloads: Option<&[Traffic]>,
    problems: &mut Problems,
) -> (Vec<(u8, At)>, Setting) {
    let (param, path, source) = list("latency", given.as_ref());
    let mut found: Vec<(u8, At)> = Vec::new();
    let mut names: Vec<String> = Vec::new();
    for (text, at) in given.map_or(Vec::new(), |(node, _)| {
        words(&node, &path, "names of workloads", problems)
    }) {
        let Some(all) = workloads.filter(|_| Some(text.as_str()) != param.off) else {
            continue;
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
    (found, listed(path, &names, source))
}

/// What a key of [`PROBE_LISTS`] has come to.
fn listed(key: String, found: &[String], source: String) -> Setting {
    let value = match found.is_empty() {
        true => "off".to_string(),
        false => found.join(", "),
    };
    Setting::from(Said {
        scheme: None,
        key,
        value,
        source,
    })
}

/// A key of [`PROBE_LISTS`], its path, and where what it holds comes from.
fn list(name: &str, given: Option<&(document::Node, &Origin)>) -> (&'static Param, String, String) {
    let mut all = PROBE_LISTS.iter();
    let param = all.find(|param| param.name == name);
    let param = param.expect("a list of [probe]");
    let path = format!("probe.{name}");
    let source = match given {
        Some((_, origin)) => origin.source(&path),
        None => default(param.doc),
    };
    (param, path, source)
}
