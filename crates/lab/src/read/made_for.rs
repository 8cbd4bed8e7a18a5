//! Settings that a claim was made for and that `--set` changed.
//!
//! **Decision**     a claim is made for the settings of its file, and for the values of axes that it does not
//!                  fix itself. Seeds and schemes may differ.

use super::axes::ReadAxis;
use super::scheme_file::PROFILE;
use crate::claim::Claim;
use crate::scenario::{Scenario, Setting, of_profile};
use std::collections::BTreeSet;

/// Notes in each claim the settings it was made for, where `here` differs from `file`.
pub(super) fn made_for(claims: &mut [Claim], file: &Scenario, here: &Scenario, axes: &[ReadAxis]) {
    let compared = Compared { file, here, axes };
    let changed = compared.changed();
    let changed = changed.map(|setting| format!("{} = {}", setting.key, setting.value));
    let added = compared.added().into_iter().map(|key| format!("no {key}"));
    let mut settings: Vec<String> = changed.chain(added).collect();
    // A setting of several schemes is noted once.
    let mut said = BTreeSet::new();
    settings.retain(|words| said.insert(words.clone()));
    for claim in claims {
        let named = |axis: &&ReadAxis| claim.at.iter().any(|(name, _)| *name == axis.name);
        let moved = axes
            .iter()
            .filter(|axis| !is_declared(axis) && !named(axis));
        let moved = moved.map(|axis| format!("{} = {}", axis.name, axis.declared.join(", ")));
        let made: Vec<String> = settings.iter().cloned().chain(moved).collect();
        if !made.is_empty() {
            claim.not_judged = Some(format!("made for {}", made.join(", ")));
        }
    }
}

/// True if the axis has only values of its file.
fn is_declared(axis: &ReadAxis) -> bool {
    let mut values = axis.values.iter();
    values.all(|value| axis.declared.contains(&value.word))
}

/// Scenario as in its file, and as it is run.
struct Compared<'a> {
    file: &'a Scenario,
    here: &'a Scenario,
    axes: &'a [ReadAxis],
}

impl<'a> Compared<'a> {
    /// Iterates over the settings of the file that have another value here.
    fn changed(&self) -> impl Iterator<Item = &'a Setting> {
        let free = |setting: &Setting| ["seeds", "schemes", "title"].contains(&&*setting.key);
        let swept = |setting: &Setting| self.axes.iter().any(|axis| axis.name == setting.key);
        let all = self.file.settings().iter();
        all.filter(move |setting| {
            !free(setting)
                && !swept(setting)
                && runs(self.here, setting)
                && self
                    .now(setting)
                    .is_none_or(|now| now.value != setting.value)
                && !self.follows_profile(setting)
        })
    }

    /// Returns the same setting as it is here.
    fn now(&self, setting: &Setting) -> Option<&'a Setting> {
        let mut all = self.here.settings().iter();
        all.find(|now| now.scheme == setting.scheme && now.key == setting.key)
    }

    /// True if the change follows from a changed profile, which is noted itself. A profile for all schemes is
    /// noted with each scheme.
    fn follows_profile(&self, setting: &Setting) -> bool {
        if setting.scheme.is_none() {
            return setting.key == PROFILE;
        }
        let of_profile =
            of_profile(setting) || self.now(setting).is_some_and(|now| of_profile(now));
        let mut all = self.file.settings().iter();
        let named = all.find(|s| s.key == PROFILE && s.scheme == setting.scheme);
        let changed = |s: &Setting| self.now(s).is_some_and(|now| now.value != s.value);
        of_profile && named.is_some_and(changed)
    }

    /// Returns the settings that exist only here: a workload by its name, others by their key.
    fn added(&self) -> Vec<String> {
        // Probes change no run.
        let new = self.here.settings().iter().filter(|setting| {
            runs(self.file, setting) && !self.had(setting) && !setting.key.starts_with("probe.")
        });
        let mut all: Vec<String> = new.map(|setting| self.added_name(setting)).collect();
        all.dedup();
        all
    }

    fn had(&self, setting: &Setting) -> bool {
        let mut all = self.file.settings().iter();
        all.any(|was| {
            let one_for_all = was.scheme.is_none() || setting.scheme.is_none();
            was.key == setting.key && (one_for_all || was.scheme == setting.scheme)
        })
    }

    /// Returns the name of a workload that the file does not have, or the setting's key.
    fn added_name(&self, setting: &Setting) -> String {
        let key = &setting.key;
        let of = key.rsplit_once('.').map_or("", |(of, _)| of);
        let within = format!("{of}.");
        let mut all = self.file.settings().iter();
        let is_new = of.starts_with("workload.") && !all.any(|was| was.key.starts_with(&within));
        if is_new { of } else { key }.to_string()
    }
}

/// True if the setting is one of all schemes, or of a scheme that `scenario` runs. Other settings do not affect
/// the schemes that a claim compares.
fn runs(scenario: &Scenario, setting: &Setting) -> bool {
    let known = |name: &String| scenario.schemes.iter().any(|scheme| scheme.name == *name);
    setting.scheme.as_ref().is_none_or(known)
}
