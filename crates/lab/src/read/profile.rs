//! Profiles: values of a named system's senders, below everything that a scenario or a scheme says.
//!
//! **Decision**     the profile of a scheme: its file's `profile`, over it the scenario's (unless that is "scheme"), over
//!                  it that of `[scheme.NAME]`, then each `--set` and sweep in the order given. A value of a profile
//!                  gives way where the transport would refuse it beside what the scenario and the scheme say, or where
//!                  it has no effect: `recovery = "newreno"` alone turns off what needs SACK.
//! **State**        none.
//! **Units**        those of `[transport]`.
//! **Errors**       an unknown profile, at its place.
//! **Source**       ours; each value of `profiles/NAME.toml` has its own.
//! **Deviations**   none known.

use super::reader::Reader;
use super::schemes::SchemeFile;
use super::words::descend;
use crate::scenario::{Said, Setting};
use crate::scheme::{TRANSPORT_SPEC, transport};
use crate::shipped;
use crate::tables::{TRANSPORT, takes};
use sidestep_config::document::{self, Entry, Item, Table, find};
use sidestep_config::ledger::Ledger;
use sidestep_config::problem::{At, Problems, suggest};
use sidestep_config::section::resolve;
use sidestep_config::source::{self, Origin};
use sidestep_config::spec::{Layer, Spec};
use sidestep_types::Value;

/// The key of a scenario or a scheme that names a profile.
pub(super) const PROFILE: &str = "profile";

/// A profile of a scenario that leaves the choice to each scheme.
const OF_SCHEME: &str = "scheme";

/// Words of a scenario's `profile`: [`OF_SCHEME`], and the name of every profile.
pub const PROFILE_WORDS: &[&str] = &{
    let mut words = [OF_SCHEME; shipped::PROFILES.len() + 1];
    let mut i = 0;
    while i < shipped::PROFILES.len() {
        words[i + 1] = shipped::PROFILES[i].0;
        i += 1;
    }
    words
};

/// The profile of a scheme.
pub(super) struct Profile {
    at: At,
    transport: Table,
    origin: Origin,
    pub setting: Setting,
}

impl<'a> Reader<'a> {
    /// The profile of the scheme called `name`. `None` when a problem left it unknown.
    pub(super) fn profile(
        &self,
        name: &str,
        file: &SchemeFile,
        problems: &mut Problems,
    ) -> Option<Profile> {
        let of_file = find(&file.root, PROFILE).map(|entry| (entry, file.origin.source(PROFILE)));
        let mut said = of_file.clone();
        let own = ["scheme", name];
        let key = format!("scheme.{name}.{PROFILE}");
        let mut take = |root: &'a Table, origin: &Origin, of_all: bool, problems: &mut Problems| {
            let entry = match of_all {
                true => find(root, PROFILE),
                false => descend(root, &own, problems).and_then(|(own, _)| find(own, PROFILE)),
            };
            let key = if of_all { PROFILE } else { &key };
            match entry {
                Some(entry) if of_all && is_of_scheme(entry) => said = of_file.clone(),
                Some(entry) => said = Some((entry, origin.source(key))),
                None => {}
            }
        };
        for of_all in [true, false] {
            for (root, origin) in self.written {
                take(root, origin, of_all, problems);
            }
        }
        for (root, origin) in &self.over {
            take(root, origin, true, problems);
            take(root, origin, false, problems);
        }
        let (word, source) = match said {
            Some((entry, source)) => (known(entry, problems)?, source),
            None => ("none", source::default("no profile is named")),
        };
        let path = format!("profiles/{word}.toml");
        let root = document::parse(&path, shipped::profile(word)?, problems);
        let sources = source::read(&root, problems);
        let transport = descend(&root, &[TRANSPORT_SPEC.name], problems);
        Some(Profile {
            at: At::file(&path),
            transport: transport.map_or_else(Table::new, |(table, _)| table.clone()),
            origin: Origin::Profile(word.to_string(), sources),
            setting: Setting::from(Said {
                scheme: Some(name.to_string()),
                key: PROFILE.to_string(),
                value: word.to_string(),
                source,
            }),
        })
    }
}

fn is_of_scheme(entry: &Entry) -> bool {
    matches!(&entry.node.item, Item::Text(word) if word == OF_SCHEME)
}

/// The name that `entry` gives, if there is such a profile.
fn known<'a>(entry: &'a Entry, problems: &mut Problems) -> Option<&'a str> {
    let word = entry
        .node
        .text(PROFILE, "the name of a profile", problems)?;
    if shipped::profile(word).is_none() {
        let known = shipped::PROFILES.iter().map(|(name, _)| *name);
        let message = format!("profile {word:?} is unknown{}", suggest(word, known));
        problems.add(&entry.node.at, message);
        return None;
    }
    Some(word)
}

impl Profile {
    /// Values for the transport that `spec` describes, below `layers`: all that are not refused beside them and have an
    /// effect.
    pub fn beside(&self, spec: &Spec<'_>, layers: &[Layer<'_>]) -> Table {
        let mut table = self.transport.clone();
        while let Some(index) = self.unfit(spec, &table, layers) {
            table.remove(index);
        }
        table
    }

    /// The first value of `table` that the transport does not take, or refuses, or that has no effect. A key that a
    /// layer gives as well is not the profile's.
    fn unfit(&self, spec: &Spec<'_>, table: &Table, layers: &[Layer<'_>]) -> Option<usize> {
        let own = self.layer(table, spec.name);
        let all: Vec<Layer<'_>> = std::iter::once(own).chain(layers.iter().copied()).collect();
        let quiet = &mut Problems::default();
        // What cannot be read is reported where the layers are resolved in earnest.
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
        let why = match transport(&resolved) {
            Ok(_) => return table.iter().position(idle),
            Err(why) => why,
        };
        let free = |key: &str| layers.iter().all(|layer| find(layer.table, key).is_none());
        let ours = |key: &&str| {
            table
                .iter()
                .position(|entry| entry.key == *key && free(key))
        };
        why.params.iter().find_map(ours)
    }

    /// `table` as the lowest layer of the section `name`.
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
