//! `[host]`: the shims of every host, with their parameters, and the queue of its NIC.

use super::names::words;
use crate::kernel::Kernel;
use crate::marker::Marker;
use crate::scheme::{HOST_SPEC, SHIMS};
use crate::tables::HostSettings;
use sidestep_config::decision::{Decision, holds_a_packet};
use sidestep_config::document::{Entry, Item, Node, Table};
use sidestep_config::ledger::Ledger;
use sidestep_config::problem::{At, Problems, suggest};
use sidestep_config::section::{Resolved, resolve};
use sidestep_config::spec::Layer;
use sidestep_sim::{NicConfig, check_nic};
use sidestep_switch::{Capacity, buffer, route, sched};
use sidestep_transport::{TransportConfig, shim};
use sidestep_types::{FileName, Refusal, Settings, Size, Values};

/// Section as read, and its values.
pub(super) struct ReadHost {
    pub resolved: Resolved,
    pub shims: Vec<shim::Chosen>,
    /// Queue of the NIC; `None` is an unlimited FIFO.
    pub nic: Option<NicConfig>,
    pub kernel: Kernel,
    pub marker: Marker,
}

/// Reads the section. `None` if a problem makes it invalid.
pub(super) fn host(
    layers: &[Layer<'_>],
    at: &At,
    ledger: &mut Ledger,
    problems: &mut Problems,
) -> Option<ReadHost> {
    let mut whole = true;
    let tables: Vec<Table> = (layers.iter())
        .map(|layer| flat(layer.table, &mut whole, problems))
        .collect();
    let layers: Vec<Layer<'_>> = (layers.iter().zip(&tables))
        .map(|(layer, table)| Layer { table, ..*layer })
        .collect();
    let mut resolved = resolve(&HOST_SPEC, &layers, at, ledger, problems)?;
    if !whole {
        return None;
    }
    let settings = HostSettings::read(&resolved.values)
        .map_err(|why| resolved.refused("", &why, at, problems))
        .ok()?;
    let listed = settings
        .shims
        .map_or_else(String::new, |FileName(names)| names);
    let chosen = |name: &str| {
        let mut known = resolved.policies[..SHIMS].iter();
        let values = known.find(|(known, _)| *known == name);
        let values = &values.expect("its name was checked").1;
        // If no single value is to blame, the place is that of the choice of shims.
        let at = resolved.places.get("host.shims").unwrap_or(at);
        let read = shim::choose(name, values);
        read.map_err(|why| resolved.refused(name, &why, at, problems))
            .ok()
    };
    let shims: Vec<_> = names(&listed).map(chosen).collect();
    let shims = shims.into_iter().collect::<Option<Vec<_>>>()?;
    let (shown, places) = (&mut resolved.settings, &resolved.places);
    // The list chooses the shims; parameters of a shim that is not on it have no effect, and are kept
    // for the warning.
    shown.retain(|(key, _, _)| {
        let mut parts = key.split('.').skip(1);
        let (of, param) = (parts.next(), parts.next());
        let on = |name: &str| shims.iter().any(|shim| shim.name() == name);
        match (of, param) {
            (Some("shims" | "capacity" | "kernel" | "marker" | "buffer" | "sched"), None) => true,
            (Some("buffer" | "sched"), Some(_)) => true,
            (Some(name), Some(_)) => on(name) || places.contains_key(key),
            _ => false,
        }
    });
    let nic = match nic(&resolved, settings.capacity) {
        Ok(nic) => nic,
        Err((part, why)) => {
            resolved.refused(part, &why, at, problems);
            return None;
        }
    };
    Some(ReadHost {
        resolved,
        shims,
        nic,
        kernel: settings.kernel,
        marker: settings.marker,
    })
}

/// Reads the queue of a NIC. Errors name the part of the section that is refused.
fn nic(
    resolved: &Resolved,
    capacity: Option<Size>,
) -> Result<Option<NicConfig>, (&'static str, Refusal)> {
    let [buffer, sched] = &resolved.policies[SHIMS..] else {
        panic!("a resolved host has a buffer and a sched");
    };
    let nic = NicConfig {
        buffer: buffer::choose(buffer.0, &buffer.1).map_err(|why| ("buffer", why))?,
        sched: sched::choose(sched.0, &sched.1).map_err(|why| ("sched", why))?,
        capacity: capacity.map_or(Capacity::Unlimited, Capacity::PerPort),
    };
    if (nic.buffer.name(), nic.sched.name(), nic.capacity)
        == ("droptail", "fifo", Capacity::Unlimited)
    {
        return Ok(None);
    }
    check_nic(&nic).map_err(|why| ("", why))?;
    let decision = Decision {
        route: route::choose("single", &Values::default()).map_err(|why| ("", why))?,
        buffer: nic.buffer.clone(),
        sched: nic.sched.clone(),
        capacity: nic.capacity,
    };
    decision.fits(1)?;
    decision.goes_together()?;
    Ok(Some(nic))
}

impl ReadHost {
    /// Refuses shims that no host can have, or none with this transport, and a NIC that never accepts a full
    /// packet.
    pub fn check(
        &self,
        transport: &TransportConfig,
        at: &At,
        problems: &mut Problems,
    ) -> Option<()> {
        let resolved = &self.resolved;
        let longest = shim::longest(&self.shims, transport.mss());
        let holds =
            (self.nic.as_ref()).map_or(Ok(()), |nic| holds_a_packet(&nic.capacity, longest));
        let held = holds.map_err(|why| resolved.refused("", &why, at, problems));
        // If no single value is to blame, the place is that of the choice of shims.
        let at = resolved.places.get("host.shims").unwrap_or(at);
        let refused = |(part, why)| resolved.refused(part, &why, at, problems);
        let shims = shim::check(&self.shims, transport).map_err(refused);
        held.and(shims).ok()
    }
}

fn names(listed: &str) -> impl Iterator<Item = &str> {
    let words = listed.split(',').map(str::trim);
    words.filter(|name| !name.is_empty())
}

/// Returns the table with its list of shims as one text, and checks that they are shims and each is there once.
fn flat(table: &Table, whole: &mut bool, problems: &mut Problems) -> Table {
    let mut entries = Table::new();
    for entry in table {
        let mut entry: Entry = entry.clone();
        if entry.key == "shims" {
            let said = words(&entry.node, "host.shims", "names of shims", problems);
            *whole &= are_shims(&said, problems);
            let said: Vec<&str> = said.iter().map(|(name, _)| name.as_str()).collect();
            let text = match said[..] {
                [] => NONE.to_string(),
                _ => said.join(", "),
            };
            entry.node = Node {
                item: Item::Text(text),
                at: entry.node.at,
            };
        }
        entries.push(entry);
    }
    entries
}

/// Word for no shims.
const NONE: &str = "none";

fn are_shims(said: &[(String, At)], problems: &mut Problems) -> bool {
    if let [(word, _)] = said
        && word == NONE
    {
        return true;
    }
    let mut good = true;
    for (i, (name, at)) in said.iter().enumerate() {
        let known = || shim::ENTRIES.iter().map(|entry| entry.name);
        if !known().any(|known| known == name) {
            let hint = suggest(name, known());
            problems.add(at, format!("shim {name:?} is unknown{hint}"));
            good = false;
        } else if said[..i].iter().any(|(other, _)| other == name) {
            let message = format!("host.shims: a shim may be listed once, got {name:?} twice");
            problems.add(at, message);
            good = false;
        }
    }
    good
}
