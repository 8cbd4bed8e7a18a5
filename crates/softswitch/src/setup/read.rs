//! A config's text as a [`Setup`]: all that is wrong is said at once, each with its place.

use super::bridge;
use super::hosts::{networks, router, stations};
use super::mtu;
use super::ports::ports;
use super::probe::{LoopProbe, probe};
use super::process::process;
use super::services::Services;
use super::settings::{SWITCH, SwitchSettings};
use super::tables::{table, tables};
use super::tags::{self, Tags};
use super::vlans;
use super::{Forwarding, Rank, Setup};
use sidestep_config::decision::{Decision, POLICIES, decision, holds_a_packet};
use sidestep_config::differ::AT;
use sidestep_config::document::{Table, find, parse};
use sidestep_config::problem::{At, Problem, Problems, suggest};
use sidestep_config::section::section;
use sidestep_types::{Param, ParamUnit, Settings, Time, Value};

/// The keys at the top.
pub const TOP: &[Param] = &[
    Param::with_default(
        "name",
        ParamUnit::File,
        "",
        "for logs and metrics; nothing: the file's name",
    ),
    Param::with_default("seed", ParamUnit::Count, "1", "of draws and the hash salt"),
];

/// The sections.
pub(super) const SECTIONS: [&str; 6] =
    ["switch", "process", "port", "station", "router", "network"];

/// Headers of IP and TCP without options, in bytes: the rest of the MTU is what a queue must hold with them.
const HEADERS: u32 = 40;

impl Setup {
    /// Reads the config `text` of `file`, which is named in messages. Errors are all that is wrong
    /// with it, in the order of the file.
    pub fn read(file: &str, text: &str) -> Result<Setup, Vec<Problem>> {
        let mut problems = Problems::default();
        let root = parse(file, text, &mut problems);
        let setup = whole(file, &root, &mut problems);
        match setup {
            Some(setup) if problems.is_empty() => Ok(setup),
            _ => Err(problems.into_sorted()),
        }
    }
}

fn whole(file: &str, root: &Table, problems: &mut Problems) -> Option<Setup> {
    let at = At::file(file);
    let top = top(root, &at, problems);
    let switch = switch(root, &at, problems);
    let process = process(root, &at, problems);
    let ports = ports(root, &at, problems);
    // Who hangs off a port that could not be read would be blamed for it.
    let ports = ports?;
    let stations = stations(root, &ports, problems);
    let router = router(root, stations.as_deref().unwrap_or(&[]), problems);
    let networks = networks(root, &ports, problems);
    if let (Some(entry), Ok(None)) = (find(root, "network"), &router) {
        let message = "[[network]] needs a [router]: only frames to its MAC are routed";
        problems.add(&entry.at, message);
    }
    let ((name, seed), switch) = (top?, switch?);
    let (decision, (rank, rank_gap), services, tags, forwarding, (mtu, probe)) = switch;
    let written = tables(root, "port", problems)?;
    for (port, (written, at)) in ports.iter().zip(&written) {
        tags::agree(tags, port, at, problems);
        bridge::learns(forwarding, written, problems);
        mtu::fits(mtu, port, at, problems);
    }
    let places: Vec<&At> = written.iter().map(|(_, at)| *at).collect();
    vlans::agree(&ports, &places, &decision, tags, problems);
    Some(Setup {
        name,
        seed,
        decision,
        rank,
        rank_gap,
        services,
        tags,
        forwarding,
        mtu,
        probe,
        process: process?,
        ports,
        stations: stations?,
        router: router.ok()?,
        networks: networks?,
    })
}

fn top(root: &Table, at: &At, problems: &mut Problems) -> Option<(String, u64)> {
    let mut own = Table::new();
    for entry in root {
        if SECTIONS.contains(&entry.key.as_str()) {
            continue;
        }
        if TOP.iter().any(|param| param.name == entry.key) {
            own.push(entry.clone());
            continue;
        }
        let known = TOP.iter().map(|param| param.name).chain(SECTIONS);
        let hint = suggest(&entry.key, known);
        problems.add(&entry.at, format!("unknown key {:?}{hint}", entry.key));
    }
    let resolved = section("", TOP, &[], &own, at, problems)?;
    let name = match resolved.values.word("name") {
        name if name.is_empty() => stem(&at.file),
        name => name,
    };
    Some((name, resolved.values.count("seed")))
}

/// A file's name without folder and `.toml`.
fn stem(file: &str) -> String {
    let base = file.rsplit('/').next().unwrap_or(file);
    base.strip_suffix(".toml").unwrap_or(base).to_string()
}

/// Of `[switch]`: the decision, what ranks are and after what silence they begin anew, which code points are which
/// class, how tags travel, how stations are found, how long a frame may be,
/// how loops are looked for.
type Switch = (
    Decision,
    (Rank, Time),
    Option<Services>,
    Option<Tags>,
    Forwarding,
    (u32, Option<LoopProbe>),
);

fn switch(root: &Table, at: &At, problems: &mut Problems) -> Option<Switch> {
    let (table, at) = table(root, "switch", at, problems)?;
    let own = without_the_simulators(&table, problems);
    let resolved = section("switch", SWITCH, POLICIES, &own, &at, problems)?;
    let decision = match decision(&resolved) {
        Ok(decision) => decision,
        Err((part, why)) => {
            resolved.refused(part, &why, &at, problems);
            return None;
        }
    };
    let settings = match SwitchSettings::read(&resolved.values) {
        Ok(settings) => settings,
        Err(why) => {
            resolved.refused("", &why, &at, problems);
            return None;
        }
    };
    let mtu = mtu::mtu(&settings, &resolved, &at, problems)?;
    if let Err(why) = holds_a_packet(&decision.capacity, mtu - HEADERS) {
        resolved.refused("", &why, &at, problems);
    }
    let forwarding = settings.forwarding;
    let place = |key: &str| resolved.places.get(key).unwrap_or(&at);
    if forwarding == Forwarding::Learning && decision.buffer.nature().detours {
        let name = decision.buffer.name();
        let message = format!(
            "switch.buffer {name:?} detours, and forwarding learns: a detoured frame would teach \
             the port it was detoured by; use forwarding = \"static\""
        );
        problems.add(place("switch.forwarding"), message);
    }
    let counts = decision.buffer.get("max_detours");
    if counts.is_some_and(|most| *most != Value::Off) {
        let message = "switch.buffer.max_detours: a real frame does not carry how often it was \
                       detoured; its TTL ends its way";
        problems.add(place("switch.buffer.max_detours"), message);
    }
    let tags = tags::tags(&settings, &resolved, &at, problems);
    let probe = probe(&settings, &resolved, &at, problems);
    Some((
        decision,
        (settings.rank, settings.gap.rank_gap),
        settings.dscp,
        tags,
        forwarding,
        (mtu, probe),
    ))
}

/// What a scenario's `[switch]` may say beside the decision, with what it belongs to.
const SIMULATORS: [(&str, &str); 7] = [
    ("pfc", "pauses"),
    ("pfc_xoff", "pauses"),
    ("pfc_xon", "pauses"),
    ("pfc_headroom", "pauses"),
    ("fabric", "crossbars"),
    ("speedup", "crossbars"),
    ("input_capacity", "crossbars"),
];

fn without_the_simulators(table: &Table, problems: &mut Problems) -> Table {
    let mut own = Table::new();
    for entry in table {
        if entry.key == AT {
            let message =
                format!("{AT:?} in [switch]: a config is of one switch, expected its own values");
            problems.add(&entry.at, message);
            continue;
        }
        let theirs = SIMULATORS.iter().find(|(key, _)| entry.key == *key);
        match theirs {
            None => own.push(entry.clone()),
            Some((_, what)) => {
                let key = &entry.key;
                let message = format!("{key:?} in [switch]: {what} are of the simulator alone");
                problems.add(&entry.at, message);
            }
        }
    }
    own
}
