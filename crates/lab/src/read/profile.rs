//! Profiles: values of a named system's senders, below all settings of a scenario or a scheme.
//!
//! **Decision**     the profile of a scheme: the scenario's, over it that of the scheme's file, over it that of
//!                  `[scheme.NAME]`, then each `--set` and sweep in the order given. A value of a profile gives
//!                  way if the transport would refuse it beside the settings of scenario and scheme, or if it
//!                  has no effect: `recovery = "newreno"` alone turns off everything that needs SACK.
//! **State**        none.
//! **Units**        those of `[transport]`.
//! **Errors**       an unknown profile, at its place.
//! **Source**       ours; each value of `profiles/NAME.toml` has its own.
//! **Deviations**   none known.

use super::names::descend;
use super::reader::Reader;
use super::scheme_file::{PROFILE, SchemeFile};
use crate::scenario::{Setting, SettingContent};
use crate::scheme::{TRANSPORT_SPEC, transport};
use crate::shipped;
use crate::tables::{TRANSPORT, takes};
use sidestep_config::document::{self, Entry, Item, Table, find};
use sidestep_config::ledger::Ledger;
use sidestep_config::problem::{At, Problems, suggest};
use sidestep_config::section::resolve;
use sidestep_config::source::{self, Origin};
use sidestep_config::spec::{Layer, Spec};
use sidestep_transport::{TransportConfig, shim};
use sidestep_types::{Refusal, Value};

/// Profile of a scheme.
pub(super) struct Profile {
    at: At,
    transport: Table,
    origin: Origin,
    pub setting: Setting,
}

impl<'a> Reader<'a> {
    /// Finds the profile of the scheme called `name`. `None` if a problem left it unknown.
    pub(super) fn profile(
        &self,
        name: &str,
        file: &SchemeFile,
        problems: &mut Problems,
    ) -> Option<Profile> {
        let own = ["scheme", name];
        let key = format!("scheme.{name}.{PROFILE}");
        // The scenario's profile is checked with its other top-level keys.
        let of_all = |(root, origin): (&'a Table, &Origin)| {
            let word = named(find(root, PROFILE)?)?;
            Some((word, origin.source(PROFILE)))
        };
        let mut said = self
            .written
            .iter()
            .rev()
            .find_map(|(root, origin)| of_all((root, origin)));
        if let Some(entry) = find(&file.root, PROFILE) {
            said = Some((known(entry, problems)?, file.origin.source(PROFILE)));
        }
        let of_scheme = |root: &'a Table, origin: &Origin, problems: &mut Problems| {
            let Some((own, _)) = descend(root, &own, problems) else {
                return Some(None);
            };
            let Some(entry) = find(own, PROFILE) else {
                return Some(None);
            };
            Some(Some((known(entry, problems)?, origin.source(&key))))
        };
        for (root, origin) in self.written {
            said = of_scheme(root, origin, problems)?.or(said);
        }
        for (root, origin) in &self.over {
            said = of_all((root, origin)).or(said);
            said = of_scheme(root, origin, problems)?.or(said);
        }
        let by_default = || (shipped::PROFILES[0].0, source::default("senders of today"));
        let (word, source) = said.unwrap_or_else(by_default);
        let path = format!("profiles/{word}.toml");
        let root = document::parse(&path, shipped::profile(word)?, problems);
        let sources = source::read(&root, problems);
        let transport = descend(&root, &[TRANSPORT_SPEC.name], problems);
        Some(Profile {
            at: At::file(&path),
            transport: transport.map_or_else(Table::new, |(table, _)| table.clone()),
            origin: Origin::Profile(word.to_string(), sources),
            setting: Setting::from(SettingContent {
                scheme: Some(name.to_string()),
                key: PROFILE.to_string(),
                value: word.to_string(),
                source,
            }),
        })
    }
}

/// Returns the profile that `entry` names.
fn named(entry: &Entry) -> Option<&str> {
    let Item::Text(word) = &entry.node.item else {
        return None;
    };
    shipped::profile(word).is_some().then_some(word)
}

/// Returns the name in `entry`, if there is such a profile.
fn known<'a>(entry: &'a Entry, problems: &mut Problems) -> Option<&'a str> {
    let word = entry
        .node
        .text(PROFILE, "the name of a profile", problems)?;
    if named(entry).is_none() {
        let hint = suggest(word, shipped::PROFILES.iter().map(|(name, _)| *name));
        problems.add(&entry.node.at, format!("profile {word:?} is unknown{hint}"));
        return None;
    }
    Some(word)
}

impl Profile {
    /// Returns values for the transport that `spec` describes, below `layers`: all that are not refused beside
    /// these or beside `shims`, and have an effect.
    pub fn beside(&self, spec: &Spec<'_>, layers: &[Layer<'_>], shims: &[shim::Chosen]) -> Table {
        let mut table = self.transport.clone();
        while let Some(index) = self.unfit(spec, &table, layers, shims) {
            table.remove(index);
        }
        table
    }

    /// Finds the first value of `table` that the transport does not use, or refuses, or that has no effect. A
    /// key that a layer also gives is not the profile's.
    fn unfit(
        &self,
        spec: &Spec<'_>,
        table: &Table,
        layers: &[Layer<'_>],
        shims: &[shim::Chosen],
    ) -> Option<usize> {
        let own = self.layer(table, spec.name);
        let all: Vec<Layer<'_>> = std::iter::once(own).chain(layers.iter().copied()).collect();
        let quiet = &mut Problems::default();
        // Unreadable values are reported when the layers are resolved for use.
        let resolved = resolve(spec, &all, &self.at, &mut Ledger::default(), quiet)?;
        let word = |key: &str| match resolved.values.get(key) {
            Value::Word(word) => word.clone(),
            _ => String::new(),
        };
        let idle = |entry: &Entry| {
            let param = TRANSPORT.iter().find(|param| param.name == entry.key);
            let beside = param.and_then(|param| param.beside);
            !takes(resolved.kind, &entry.key)
                || beside.is_some_and(|(other, words)| !words.contains(&&*word(other)))
        };
        // A shim that counts duplicates needs senders without SACK.
        let beside_shims = |built: TransportConfig| match shim::check(shims, &built) {
            Ok(()) => Ok(()),
            Err((_, why)) => Err(Refusal::about(&["recovery"], why.to_string())),
        };
        let Err(why) = transport(&resolved).and_then(beside_shims) else {
            return table.iter().position(idle);
        };
        let free = |key: &str| layers.iter().all(|layer| find(layer.table, key).is_none());
        let ours = |key: &&str| {
            table
                .iter()
                .position(|entry| entry.key == *key && free(key))
        };
        why.params.iter().find_map(ours)
    }

    /// Returns `table` as the lowest layer of the section `name`.
    pub fn layer<'a>(&'a self, table: &'a Table, name: &'a str) -> Layer<'a> {
        Layer {
            table,
            origin: &self.origin,
            name,
            prefix: "",
            shared: false,
        }
    }
}
