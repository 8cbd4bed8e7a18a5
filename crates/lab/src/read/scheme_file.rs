//! File of a scheme: found by name, shipped or the user's.

use super::reader::Reader;
use crate::shipped;
use sidestep_config::document::{self, Table};
use sidestep_config::problem::{At, Problems, suggest};
use sidestep_config::source::{self, Origin};

/// Key of a scenario or a scheme that names a profile.
pub(super) const PROFILE: &str = "profile";

/// File of a scheme.
pub(super) struct SchemeFile {
    pub at: At,
    pub root: Table,
    pub origin: Origin,
}

impl Reader<'_> {
    /// Finds the scheme's file: a shipped one, the one at this path, `schemes/NAME.toml`, or an empty
    /// one if the scenario defines the scheme itself.
    pub(super) fn scheme_file(
        &self,
        word: &str,
        name: &str,
        at: &At,
        problems: &mut Problems,
    ) -> Option<SchemeFile> {
        let is_path = word.contains(['/', '\\']) || word.ends_with(".toml");
        let path = if is_path {
            word.to_string()
        } else {
            format!("schemes/{name}.toml")
        };
        let shipped = if is_path { None } else { shipped::scheme(name) };
        let text = match shipped
            .map(str::to_string)
            .map_or_else(|| self.scheme_files.read(&path), Ok)
        {
            Ok(text) => text,
            Err(why) if is_path => {
                problems.add(at, format!("scheme file {path:?} cannot be read: {why}"));
                return None;
            }
            Err(_) if self.defines(name, problems) => String::new(),
            Err(_) => {
                let known = shipped::SCHEMES.iter().map(|(name, _)| *name);
                problems.add(
                    at,
                    format!("scheme {name:?} is unknown{}", suggest(name, known)),
                );
                return None;
            }
        };
        let mut own = Problems::default();
        let root = document::parse(&path, &text, &mut own);
        if !own.is_empty() {
            problems.extend(own);
            return None;
        }
        check_keys(&root, "", &["source"], problems);
        let origin = Origin::Scheme(name.to_string(), source::read(&root, problems));
        let at = if text.is_empty() {
            at.clone()
        } else {
            At::file(&path)
        };
        Some(SchemeFile { at, root, origin })
    }
}

/// Keys of a scheme's file or a `[scheme.NAME]`.
pub const SCHEME_KEYS: [&str; 6] = ["summary", "paper", PROFILE, "switch", "transport", "host"];

/// Further key of a `[scheme.NAME]` in a scenario: transports of its workloads.
pub const WORKLOADS: &str = "workload";

/// Refuses keys other than [`SCHEME_KEYS`] and `more`.
pub(super) fn check_keys(
    table: &Table,
    section: &str,
    more: &[&'static str],
    problems: &mut Problems,
) {
    let known = || SCHEME_KEYS.iter().chain(more).copied();
    for entry in table {
        if !known().any(|name| name == entry.key) {
            let place = if section.is_empty() {
                String::new()
            } else {
                format!(" in [{section}]")
            };
            let hint = suggest(&entry.key, known());
            problems.add(
                &entry.at,
                format!("unknown key {:?}{place}{hint}", entry.key),
            );
        }
    }
}
