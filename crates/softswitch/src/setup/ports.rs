//! `[[port]]`: the interfaces of a switch.

use super::PortSetup;
use super::bridge::{BROADCAST, LIMIT, MULTICAST, STORM_BURST, UNKNOWN, bridge};
use super::rate::check_rate;
use super::shims::{SHIMS, shims};
use super::tables::{split, tables};
use super::vlans::{NATIVE, TRUNK, VLAN, port_vlan};
use sidestep_config::document::Table;
use sidestep_config::problem::{At, Problems, suggest};
use sidestep_config::section::section;
use sidestep_types::{Param, ParamUnit, PortId, PortSet};

pub(super) const PORT: &[Param] = &[
    Param::with_default(
        "name",
        ParamUnit::File,
        "",
        "name of the port; empty: that of its interface",
    ),
    Param::required("interface", ParamUnit::File, "Linux interface of the port"),
    Param::required(
        "rate",
        ParamUnit::Rate,
        "sending rate, with all of Ethernet's framing",
    ),
    Param::with_default(
        "delay",
        ParamUnit::Time,
        "0 s",
        "delay added after the last bit has left",
    ),
    Param::with_default(
        "leads_to",
        ParamUnit::Word(&["host", "switch"]),
        "host",
        "device at the other end; detours go to switches only",
    ),
    Param::with_default(
        "flood",
        ParamUnit::Flag,
        "true",
        "whether flooded frames leave by the port",
    ),
    Param::with_default(
        "io",
        ParamUnit::Word(&["packet", "xdp"]),
        "packet",
        "AF_PACKET or AF_XDP",
    ),
    LIMIT,
    BROADCAST,
    MULTICAST,
    UNKNOWN,
    STORM_BURST,
    VLAN,
    TRUNK,
    NATIVE,
];

/// Characters of the longest interface name: Linux's IFNAMSIZ, less the terminating zero.
const LONGEST_INTERFACE: usize = 15;

/// Reads all ports; there must be at least one.
pub(super) fn ports(root: &Table, at: &At, problems: &mut Problems) -> Option<Vec<PortSetup>> {
    let written = tables(root, "port", problems)?;
    if written.is_empty() {
        problems.add(at, "no [[port]]: expected at least one");
        return None;
    }
    if written.len() > PortSet::CAPACITY {
        let (many, most) = (written.len(), PortSet::CAPACITY);
        let at = written[most].1;
        problems.add(at, format!("expected at most {most} ports, got {many}"));
        return None;
    }
    let mut ports: Vec<PortSetup> = Vec::new();
    let mut whole = true;
    for (table, at) in written {
        let Some(port) = port(table, at, problems) else {
            whole = false;
            continue;
        };
        for before in &ports {
            if before.name == port.name {
                problems.add(at, format!("port {:?} is listed twice", port.name));
            }
            if before.interface == port.interface {
                let (one, interface) = (&before.name, &port.interface);
                let message = format!(
                    "port {:?}: interface {interface:?} already belongs to port {one:?}",
                    port.name
                );
                problems.add(at, message);
            }
        }
        ports.push(port);
    }
    whole.then_some(ports)
}

fn port(table: &Table, at: &At, problems: &mut Problems) -> Option<PortSetup> {
    let (plain, lists) = split(table, &["shims"]);
    let resolved = section("port", PORT, SHIMS, &plain, at, problems)?;
    let shims = shims(&lists, &resolved, problems)?;
    let values = &resolved.values;
    let interface = values.word("interface");
    let place = |key: &str| resolved.places.get(key).unwrap_or(at);
    let odd = |c: char| c == '/' || c == ':' || c.is_whitespace() || c.is_control();
    let length = interface.len();
    if !(1..=LONGEST_INTERFACE).contains(&length)
        || interface.contains(odd)
        || [".", ".."].contains(&interface.as_str())
    {
        let message = format!(
            "port.interface: expected 1 to {LONGEST_INTERFACE} characters without \"/\", \":\" \
             and spaces, got {interface:?}"
        );
        problems.add(place("port.interface"), message);
        return None;
    }
    let rate = values.rate("rate");
    if let Err(why) = check_rate(rate) {
        problems.add(place("port.rate"), format!("port.rate: {why}"));
        return None;
    }
    let to_switch = values.word("leads_to") == "switch";
    if let (true, [list, ..]) = (to_switch && !shims.is_empty(), &lists[..]) {
        let message = "port.shims: expected a port that leads to a host, this one leads to a \
                       switch";
        problems.add(&list.at, message);
        return None;
    }
    let name = match values.word("name") {
        name if name.is_empty() => interface.clone(),
        name => name,
    };
    Some(PortSetup {
        name,
        interface,
        rate,
        delay: values.time("delay"),
        to_switch,
        flood: values.flag("flood"),
        xdp: values.word("io") == "xdp",
        shims,
        bridge: bridge(&resolved, at, problems)?,
        vlan: port_vlan(&resolved, at, problems).ok()?,
    })
}

/// Returns the ports called `words`, at least one and each once; `what` names their owner in messages.
pub(super) fn named(
    words: &[(&str, &At)],
    ports: &[PortSetup],
    what: &str,
    at: &At,
    problems: &mut Problems,
) -> Option<Vec<PortId>> {
    if words.is_empty() {
        problems.add(
            at,
            format!("{what}: expected at least one port toward it, got none"),
        );
        return None;
    }
    let mut found = Vec::new();
    let mut whole = true;
    for (word, at) in words {
        let Some(index) = ports.iter().position(|port| port.name == *word) else {
            let hint = suggest(word, ports.iter().map(|port| port.name.as_str()));
            problems.add(at, format!("{what}: port {word:?} is unknown{hint}"));
            whole = false;
            continue;
        };
        let port = PortId(index as u16);
        if found.contains(&port) {
            problems.add(at, format!("{what} has port {word:?} twice"));
            whole = false;
        }
        found.push(port);
    }
    whole.then_some(found)
}
