//! Transports of workloads: the transport of `[workload.NAME]`, over that of the scheme.
//!
//! **Decision**     key by key, later ones win: the resolved `[transport]` of the scheme, `transport` of the
//!                  workload, `transport` of `[scheme.NAME.workload.NAME]`. A `--set` or a sweep of
//!                  `[transport]` changes keys that a workload does not set itself. `transport = "dctcp"` is
//!                  `transport = { kind = "dctcp" }`.
//! **State**        none.
//! **Units**        those of `[transport]`.
//! **Errors**       those of `[transport]`, and shims or a NIC of the scheme that do not fit the transport.
//! **Source**       ours: coexistence is a question of two transports on one network.
//! **Deviations**   none known.

use super::host::ReadHost;
use super::names::{descend, of_scheme};
use super::profile::Profile;
use super::reader::Reader;
use crate::scenario::Setting;
use crate::scheme::{TRANSPORT_SPEC, transport};
use crate::tables::{TRANSPORT, TRANSPORTS};
use sidestep_config::decision::holds_a_packet;
use sidestep_config::document::{Entry, Item, Node, Table, find};
use sidestep_config::ledger::Ledger;
use sidestep_config::problem::{At, Problems, suggest};
use sidestep_config::section::{Resolved, resolve};
use sidestep_config::source::Origin;
use sidestep_config::spec::{Layer, Spec};
use sidestep_sim::ClassTransports;
use sidestep_transport::{TransportConfig, shim};

/// Transports of a scheme's workloads.
#[derive(Default)]
pub(super) struct ReadTransports {
    pub transports: ClassTransports,
    pub settings: Vec<Setting>,
    /// Own transports, to report what does not fit them.
    chosen: Vec<Chosen>,
}

/// Transport that a workload chooses for itself.
struct Chosen {
    section: String,
    /// Place of the choice.
    at: At,
    /// Place of its `mss`, if it sets one.
    mss: Option<At>,
    transport: TransportConfig,
}

/// Layer of a workload's own transport.
struct WorkloadLayer<'a> {
    table: Table,
    origin: &'a Origin,
    prefix: &'a str,
    shared: bool,
}

impl Reader<'_> {
    /// Reads the transports of all workloads under the scheme called `name`, whose own resolves to `common`
    /// from the profile and the layers `inherited`, above these shims. `None` if a problem makes one invalid.
    pub(super) fn transports(
        &self,
        name: &str,
        prefix: &str,
        inherited: (&Profile, &[Layer<'_>], &[shim::Chosen]),
        common: &Resolved,
        ledger: &mut Ledger,
        problems: &mut Problems,
    ) -> Option<ReadTransports> {
        let mut read = ReadTransports::default();
        let mut own = Vec::new();
        let mut whole = true;
        for (workload, _) in self.named_workloads(&mut Problems::default()) {
            let (layers, at) = self.own_layers(name, workload, prefix, &mut whole, problems);
            let Some(at) = at else {
                own.push(None);
                continue;
            };
            let section = format!("workload.{workload}.{}", TRANSPORT_SPEC.name);
            let resolved =
                own_transport(&section, &layers, &at, inherited, common, ledger, problems);
            let built = resolved.and_then(|resolved| {
                let built = transport(&resolved);
                let built = built.map_err(|why| resolved.refused("", &why, &at, problems));
                Some((resolved, built.ok()?))
            });
            let Some((resolved, built)) = built else {
                whole = false;
                continue;
            };
            let kind = layers.iter().rev().find_map(|own| find(&own.table, "kind"));
            let at = kind.map_or(at, |kind| kind.node.at.clone());
            read.chosen.push(Chosen {
                mss: resolved.places.get(&format!("{section}.mss")).cloned(),
                section,
                at,
                transport: built.clone(),
            });
            read.settings.extend(of_scheme(Some(name), resolved));
            own.push(Some(built));
        }
        if !whole {
            return None;
        }
        if !read.chosen.is_empty() {
            read.transports = ClassTransports { own };
        }
        Some(read)
    }

    /// Returns the layers of the transport of `workload` itself, and the place of the first.
    fn own_layers<'a>(
        &'a self,
        name: &str,
        workload: &str,
        prefix: &'a str,
        whole: &mut bool,
        problems: &mut Problems,
    ) -> (Vec<WorkloadLayer<'a>>, Option<At>) {
        let (mut layers, mut first) = (Vec::new(), None);
        let of_all: [&str; 2] = ["workload", workload];
        let of_one: [&str; 4] = ["scheme", name, "workload", workload];
        let mut add = |root: &'a Table, path: &[&str], origin, prefix, shared| {
            let Some((table, _)) = descend(root, path, problems) else {
                return;
            };
            let Some(entry) = find(table, TRANSPORT_SPEC.name) else {
                return;
            };
            first.get_or_insert_with(|| entry.at.clone());
            match as_table(&entry.node) {
                Some(table) => layers.push(WorkloadLayer {
                    table,
                    origin,
                    prefix,
                    shared,
                }),
                None => {
                    *whole = false;
                    let path = path.join(".");
                    let message = format!(
                        "{path}.{}: expected the name of a transport, or a table of keys of [transport], got {}",
                        TRANSPORT_SPEC.name,
                        entry.node.item.kind()
                    );
                    problems.add(&entry.node.at, message);
                }
            }
        };
        for (root, origin) in self.written {
            add(root, &of_all, origin, "", true);
        }
        for (root, origin) in self.written {
            add(root, &of_one, origin, prefix, false);
        }
        for (root, origin) in &self.over {
            add(root, &of_all, origin, "", true);
            add(root, &of_one, origin, "", false);
        }
        (layers, first)
    }

    /// Checks that each `[scheme.NAME.workload.NAME]` is about a workload of the scenario, and sets only its
    /// transport.
    pub(super) fn check_workloads_of(&self, scheme: &Table, what: &str, problems: &mut Problems) {
        let Some((all, _)) = descend(scheme, &["workload"], problems) else {
            return;
        };
        let names = self.named_workloads(&mut Problems::default());
        let known = || names.iter().map(|(name, _)| *name);
        for entry in all {
            if !known().any(|name| name == entry.key) {
                let hint = suggest(&entry.key, known());
                let message = format!(
                    "[{what}.workload.{}]: no workload has this name{hint}",
                    entry.key
                );
                problems.add(&entry.at, message);
            }
            let section = format!("{what}.workload.{}", entry.key);
            let Some(table) = entry.node.table(&section, problems) else {
                continue;
            };
            for inner in table
                .iter()
                .filter(|inner| inner.key != TRANSPORT_SPEC.name)
            {
                let message = format!(
                    "unknown key {:?} in [{section}]: a scheme can set only the transport of a \
                     workload; its flows are the same for all schemes{}",
                    inner.key,
                    suggest(&inner.key, [TRANSPORT_SPEC.name])
                );
                problems.add(&inner.at, message);
            }
        }
    }
}

impl ReadTransports {
    /// Returns the payload bytes of the largest segment, if the scheme's own transport has `common`.
    pub fn largest_mss(&self, common: u32) -> u32 {
        let own = self.chosen.iter().map(|own| own.transport.mss());
        own.fold(common, u32::max)
    }

    /// Refuses a transport that does not fit the shims of the scheme called `name`, or its NIC.
    pub fn check(&self, name: &str, host: &ReadHost, problems: &mut Problems) -> Option<()> {
        let mut fits = true;
        for own in &self.chosen {
            let longest = shim::longest(&host.shims, own.transport.mss());
            let nic =
                (host.nic.as_ref()).map_or(Ok(()), |nic| holds_a_packet(&nic.capacity, longest));
            let nic =
                nic.map_err(|why| (own.mss.as_ref().unwrap_or(&own.at), format!("host: {why}")));
            let shims =
                shim::check(&host.shims, &own.transport).map_err(|(part, why)| match part {
                    "" => (&own.at, format!("host: {why}")),
                    part => (&own.at, format!("host.{part}: {why}")),
                });
            for (at, why) in [shims.err(), nic.err()].into_iter().flatten() {
                fits = false;
                let (section, kind) = (&own.section, own.transport.name());
                problems.add(
                    at,
                    format!("{section}: {kind:?} does not fit scheme {name:?}: {why}"),
                );
            }
        }
        fits.then_some(())
    }
}

/// Resolves the workload's transport: its own layers over those of the scheme.
fn own_transport(
    section: &str,
    own: &[WorkloadLayer<'_>],
    at: &At,
    (profile, inherited, shims): (&Profile, &[Layer<'_>], &[shim::Chosen]),
    common: &Resolved,
    ledger: &mut Ledger,
    problems: &mut Problems,
) -> Option<Resolved> {
    let named = |own: &WorkloadLayer<'_>| match &find(&own.table, "kind")?.node.item {
        Item::Text(kind) => Some(kind.clone()),
        _ => None,
    };
    let kind = own.iter().rev().find_map(named);
    let kind = kind.as_deref().unwrap_or(common.kind);
    // A key that a scheme gives for its own kind, and this kind does not use, is no error.
    let taken = |key: &str| {
        let entry = TRANSPORTS.iter().find(|entry| entry.name == kind);
        let own = entry.into_iter().flat_map(|entry| entry.params);
        key == "kind" || TRANSPORT.iter().chain(own).any(|param| param.name == key)
    };
    let tables: Vec<Table> = (inherited.iter())
        .map(|layer| {
            let kept = layer
                .table
                .iter()
                .filter(|entry| layer.shared || taken(&entry.key));
            kept.cloned().collect()
        })
        .collect();
    let above = (inherited.iter().zip(&tables)).map(|(layer, table)| Layer { table, ..*layer });
    let own = own.iter().map(|own| Layer {
        table: &own.table,
        origin: own.origin,
        name: section,
        prefix: own.prefix,
        shared: own.shared,
    });
    let above: Vec<Layer<'_>> = above.chain(own).collect();
    let spec = Spec {
        name: section,
        ..TRANSPORT_SPEC
    };
    let lowest = profile.beside(&spec, &above, shims);
    let mut layers = vec![profile.layer(&lowest, TRANSPORT_SPEC.name)];
    layers.extend(above);
    resolve(&spec, &layers, at, ledger, problems)
}

/// Returns `"dctcp"` or `{ kind = "dctcp", … }` as a table.
fn as_table(node: &Node) -> Option<Table> {
    match &node.item {
        Item::Table(table) => Some(table.clone()),
        Item::Text(_) => Some(vec![Entry {
            key: "kind".into(),
            at: node.at.clone(),
            node: node.clone(),
        }]),
        Item::List(_) => None,
    }
}
