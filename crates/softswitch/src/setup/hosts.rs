//! `[[station]]`, `[router]`, `[[network]]`: stations, the router and networks, and the ports toward them.

use super::icmp::{ICMP, ICMP_RATE, icmp};
use super::ports::named;
use super::tables::{split, tables, words};
use super::vlans::{IN_VLAN, station_vlan};
use super::{Mac, Network, PortSetup, Router, Station};
use sidestep_config::document::{Entry, Table, find};
use sidestep_config::problem::{At, Problems};
use sidestep_config::section::section;
use sidestep_types::{Param, ParamUnit};
use std::net::IpAddr;

const MAC: Param = Param::required("mac", ParamUnit::File, "a MAC like \"02:00:00:00:00:01\"");

pub(super) const STATION: &[Param] = &[MAC, IN_VLAN];

pub(super) const ROUTER: &[Param] = &[MAC, ICMP, ICMP_RATE];

pub(super) const NETWORK: &[Param] = &[
    Param::required(
        "prefix",
        ParamUnit::File,
        "prefix like \"10.78.0.0/16\"; the longest match wins",
    ),
    Param::required(
        "next_hop",
        ParamUnit::File,
        "destination MAC that frames get",
    ),
    IN_VLAN,
];

/// Reads all stations. Each address must be unique.
pub(super) fn stations(
    root: &Table,
    ports: &[PortSetup],
    problems: &mut Problems,
) -> Option<Vec<Station>> {
    let mut all: Vec<Station> = Vec::new();
    let mut whole = true;
    for (table, at) in tables(root, "station", problems)? {
        let Some(station) = station(table, at, ports, problems) else {
            whole = false;
            continue;
        };
        for before in &all {
            if before.mac == station.mac {
                problems.add(at, format!("station {} is listed twice", station.mac));
            }
            if let Some(ip) = station
                .addresses
                .iter()
                .find(|a| before.addresses.contains(a))
            {
                let (me, other) = (station.mac, before.mac);
                problems.add(
                    at,
                    format!("station {me}: address {ip} already belongs to station {other}"),
                );
            }
        }
        all.push(station);
    }
    whole.then_some(all)
}

fn station(
    table: &Table,
    at: &At,
    ports: &[PortSetup],
    problems: &mut Problems,
) -> Option<Station> {
    let (plain, lists) = split(table, &["addresses", "ports"]);
    let resolved = section("station", STATION, &[], &plain, at, problems);
    let mac = resolved.as_ref().and_then(|resolved| {
        let place = resolved.places.get("station.mac").unwrap_or(at);
        mac(&resolved.values.word("mac"), "station.mac", place, problems)
    });
    let addresses = addresses(&lists, "station", problems);
    let words = words(&lists, "ports", problems);
    let what = mac.map_or("station".to_string(), |mac| format!("station {mac}"));
    let named = words.and_then(|words| named(&words, ports, &what, at, problems));
    let (resolved, of) = (resolved?, named?);
    let place = resolved.places.get("station.vlan").unwrap_or(at);
    let vlan = station_vlan(ports, &of, resolved.values.count_or_off("vlan"), &what);
    let vlan = vlan.map_err(|why| problems.add(place, why));
    Some(Station {
        mac: mac?,
        addresses: addresses?,
        ports: of,
        vlan: vlan.ok()?,
    })
}

/// Reads `[router]`, if there is one. `Err` if it is there and wrong.
pub(super) fn router(
    root: &Table,
    stations: &[Station],
    problems: &mut Problems,
) -> Result<Option<Router>, ()> {
    let Some(entry) = find(root, "router") else {
        return Ok(None);
    };
    read_router(entry, stations, problems).map(Some).ok_or(())
}

fn read_router(entry: &Entry, stations: &[Station], problems: &mut Problems) -> Option<Router> {
    let table = entry.node.table("router", problems)?;
    let at = &entry.at;
    let (plain, lists) = split(table, &["addresses"]);
    let resolved = section("router", ROUTER, &[], &plain, at, problems)?;
    let place = resolved.places.get("router.mac").unwrap_or(at);
    let mac = mac(&resolved.values.word("mac"), "router.mac", place, problems)?;
    let addresses = addresses(&lists, "router", problems)?;
    for station in stations {
        if station.mac == mac {
            problems.add(
                place,
                format!("router.mac: {mac} already belongs to a station"),
            );
        }
        if let Some(ip) = addresses.iter().find(|a| station.addresses.contains(a)) {
            problems.add(
                at,
                format!(
                    "router: address {ip} already belongs to station {}",
                    station.mac
                ),
            );
        }
    }
    let icmp = icmp(&resolved, addresses.len(), at, problems);
    Some(Router {
        mac,
        addresses,
        icmp,
    })
}

/// Reads all networks. Each prefix must be unique.
pub(super) fn networks(
    root: &Table,
    ports: &[PortSetup],
    problems: &mut Problems,
) -> Option<Vec<Network>> {
    let mut all: Vec<Network> = Vec::new();
    let mut whole = true;
    for (table, at) in tables(root, "network", problems)? {
        let Some(network) = network(table, at, ports, problems) else {
            whole = false;
            continue;
        };
        let same = |n: &&Network| (n.prefix, n.length) == (network.prefix, network.length);
        if all.iter().find(same).is_some() {
            let (prefix, length) = (network.prefix, network.length);
            problems.add(at, format!("network {prefix}/{length} is listed twice"));
        }
        all.push(network);
    }
    whole.then_some(all)
}

fn network(
    table: &Table,
    at: &At,
    ports: &[PortSetup],
    problems: &mut Problems,
) -> Option<Network> {
    let (plain, lists) = split(table, &["ports"]);
    let resolved = section("network", NETWORK, &[], &plain, at, problems);
    let words = words(&lists, "ports", problems);
    let read = resolved.and_then(|resolved| {
        let place = |key: &str| resolved.places.get(key).unwrap_or(at);
        let text = resolved.values.word("prefix");
        let prefix = match prefix(&text) {
            Ok(prefix) => Some((prefix, text)),
            Err(message) => {
                problems.add(
                    place("network.prefix"),
                    format!("network.prefix: {message}"),
                );
                None
            }
        };
        let next_hop = resolved.values.word("next_hop");
        let next_hop = mac(
            &next_hop,
            "network.next_hop",
            place("network.next_hop"),
            problems,
        );
        let vlan = (
            resolved.values.count_or_off("vlan"),
            place("network.vlan").clone(),
        );
        Some((prefix?, next_hop?, vlan))
    });
    let what = match &read {
        Some(((_, text), ..)) => format!("network {text}"),
        None => "network".to_string(),
    };
    let of = words.and_then(|words| named(&words, ports, &what, at, problems))?;
    let (((prefix, length), _), next_hop, (vlan, place)) = read?;
    let vlan = station_vlan(ports, &of, vlan, &what);
    let vlan = vlan.map_err(|why| problems.add(&place, why));
    Some(Network {
        prefix,
        length,
        ports: of,
        next_hop,
        vlan: vlan.ok()?,
    })
}

/// Reads a MAC, which must not be a group.
fn mac(text: &str, what: &str, at: &At, problems: &mut Problems) -> Option<Mac> {
    let message = match text.parse::<Mac>() {
        Ok(mac) if mac.is_group() => {
            format!("{what}: expected the MAC of one station, got the group address {mac}")
        }
        Ok(mac) if mac == Mac::default() => {
            format!("{what}: expected the MAC of a station, got {mac}")
        }
        Ok(mac) => return Some(mac),
        Err(message) => format!("{what}: {message}"),
    };
    problems.add(at, message);
    None
}

fn addresses(lists: &[&Entry], what: &str, problems: &mut Problems) -> Option<Vec<IpAddr>> {
    let mut all: Vec<IpAddr> = Vec::new();
    let mut whole = true;
    for (word, at) in words(lists, "addresses", problems)? {
        let message = match word.trim().parse::<IpAddr>() {
            Ok(ip) if ip.is_multicast() || ip.is_unspecified() => {
                format!("{what}.addresses: expected a unicast address, got {ip}")
            }
            Ok(ip) if all.contains(&ip) => format!("{what}.addresses has {ip} twice"),
            Ok(ip) => {
                all.push(ip);
                continue;
            }
            Err(_) => format!(
                "{what}.addresses: expected an address like \"10.77.0.1\" or \"fd77::1\", got {word:?}"
            ),
        };
        problems.add(at, message);
        whole = false;
    }
    whole.then_some(all)
}

/// Reads an address and a length in bits; bits beyond the length must be zero.
fn prefix(text: &str) -> Result<(IpAddr, u8), String> {
    let refuse = || format!("expected a prefix like \"10.78.0.0/16\", got {text:?}");
    let (address, length) = text.trim().split_once('/').ok_or_else(refuse)?;
    let address: IpAddr = address.parse().map_err(|_| refuse())?;
    let length: u8 = length.parse().map_err(|_| refuse())?;
    let most = if address.is_ipv4() { 32 } else { 128 };
    if length > most {
        return Err(format!("expected a length of at most {most}, got {length}"));
    }
    let net = crate::table::masked(address, length);
    if net != address {
        return Err(format!(
            "{address} has bits set beyond its length of {length}: write {net}/{length}"
        ));
    }
    Ok((address, length))
}
