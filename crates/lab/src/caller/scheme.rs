//! Adds a scheme with policies of the caller to a scenario.

use super::CallerPolicies;
use crate::experiment::Experiment;
use crate::scenario::{Scenario, Setting, SettingContent};
use crate::scheme::{SWITCH_SPEC, Scheme};
use sidestep_types::{Param, Value};
use std::sync::Arc;

/// Reason why a scheme cannot be added.
const TAKEN: &str = "is already a scheme of the scenario; expected another name";

impl Scenario {
    /// Adds a scheme `name`: the scenario's scheme `extends`, with these policies instead of its own.
    ///
    /// Errors report a name that is taken, or an unknown scheme to extend.
    pub fn add_caller_scheme(
        &mut self,
        name: &str,
        extends: &str,
        own: CallerPolicies,
    ) -> Result<(), String> {
        // The name is part of file names, settings' keys and tables: a bare key of TOML, so that written
        // results read back.
        let plain = |c: char| c.is_ascii_alphanumeric() || "-_".contains(c);
        if name.is_empty() || name.len() > 64 || !name.chars().all(plain) {
            return Err(format!(
                "scheme {name:?}: expected a name of at most 64 letters, digits, - and _"
            ));
        }
        if self.schemes.iter().any(|scheme| scheme.name == name) {
            return Err(format!("scheme {name:?} {TAKEN}"));
        }
        let Some(base) = self.schemes.iter().find(|scheme| scheme.name == extends) else {
            let known: Vec<&str> = self.schemes.iter().map(|scheme| &*scheme.name).collect();
            let known = known.join(", ");
            return Err(format!(
                "scheme {name:?} extends {extends:?}, expected one of {known}"
            ));
        };
        let mut scheme = base.clone();
        let source = match &own.key {
            Some(key) => format!("the caller's own, {key}"),
            None => "the caller's own".into(),
        };
        let policies: Vec<String> =
            (own.names().map(|(seam, policy)| format!("{seam} {policy}"))).collect();
        scheme.name = name.to_string();
        scheme.summary = format!("{extends} with {}", policies.join(", "));
        scheme.source = source.clone();
        let of = self
            .settings
            .iter()
            .filter(|s| s.scheme.as_deref() == Some(extends));
        let mut settings: Vec<Setting> = of.cloned().collect();
        for (seam, policy) in own.names() {
            let key = format!("{}.{seam}", SWITCH_SPEC.name);
            // Switches that differ use the caller's policies as well.
            let about = |s: &Setting| {
                let mut words = s.key.split('.');
                s.key == key
                    || s.key.starts_with(&format!("{key}."))
                    || s.key.starts_with("switch.at.") && words.any(|word| word == seam)
            };
            settings.retain(|s| !about(s));
            settings.push(Setting::from(SettingContent {
                scheme: None,
                key,
                value: policy.into(),
                source: source.clone(),
            }));
        }
        self.warnings
            .extend(unread(base, &own, &self.settings, name));
        settings
            .iter_mut()
            .for_each(|s| s.scheme = Some(name.to_string()));
        self.settings.extend(settings);
        scheme.own = Some(own);
        Arc::make_mut(&mut self.schemes).push(scheme);
        self.name_schemes();
        Ok(())
    }

    /// Removes all schemes but those of `names`.
    pub fn keep_schemes(&mut self, names: &[String]) {
        let removed = self
            .schemes
            .iter()
            .filter(|scheme| !names.contains(&scheme.name));
        let about: Vec<String> = removed
            .map(|scheme| format!("scheme {}: ", scheme.name))
            .collect();
        self.warnings
            .retain(|warning| !about.iter().any(|about| warning.starts_with(about)));
        Arc::make_mut(&mut self.schemes).retain(|scheme| names.contains(&scheme.name));
        let kept = |s: &Setting| s.scheme.as_ref().is_none_or(|of| names.contains(of));
        self.settings.retain(kept);
        self.name_schemes();
    }

    /// Updates the setting that lists the schemes.
    fn name_schemes(&mut self) {
        let names: Vec<&str> = self.schemes.iter().map(|scheme| &*scheme.name).collect();
        let names = names.join(", ");
        let mut listed = self
            .settings
            .iter_mut()
            .filter(|s| s.scheme.is_none() && s.key == "schemes");
        if let Some(listed) = listed.next() {
            listed.value = names;
        }
    }

    /// True if runs of scheme number `scheme` may be stored and stored runs reused.
    pub fn may_be_kept(&self, scheme: usize) -> bool {
        let own = self.schemes[scheme].own.as_ref();
        own.is_none_or(|own| own.key.is_some())
    }
}

/// Warns of values of the replaced policies that are not their defaults: the caller's policy may have another value for the
/// same purpose.
fn unread(base: &Scheme, own: &CallerPolicies, settings: &[Setting], name: &str) -> Vec<String> {
    let switch = &base.config.switch;
    let mut warnings = Vec::new();
    for (seam, policy) in own.names() {
        let (replaced, params, values) = match seam {
            "route" => (
                switch.route.name(),
                switch.route.params(),
                switch.route.values(),
            ),
            "buffer" => (
                switch.buffer.name(),
                switch.buffer.params(),
                switch.buffer.values(),
            ),
            _ => (
                switch.sched.name(),
                switch.sched.params(),
                switch.sched.values(),
            ),
        };
        let is_other = |param: &&Param| {
            let default = param.default.map(|text| Value::parse(text, param));
            default
                .is_some_and(|default| default.is_ok_and(|value| *values.get(param.name) != value))
        };
        let said = |param: &Param| {
            let key = format!("{}.{seam}.{}", SWITCH_SPEC.name, param.name);
            let of = |s: &&Setting| s.key == key && s.scheme.as_ref() == Some(&base.name);
            let value = settings.iter().find(of).map_or("?", |s| &s.value);
            format!("{} = {value:?}", param.name)
        };
        let lost: Vec<String> = params.iter().filter(is_other).map(said).collect();
        if !lost.is_empty() {
            warnings.push(format!(
                "scheme {name}: {policy} does not receive {}, which scheme {} sets for its {seam} {replaced}: give it to the \
                 policy as a parameter",
                lost.join(", "),
                base.name
            ));
        }
    }
    warnings
}

impl Experiment {
    /// Applies [`Scenario::add_caller_scheme`] at every point.
    pub fn add_caller_scheme(
        &mut self,
        name: &str,
        extends: &str,
        own: &CallerPolicies,
    ) -> Result<(), String> {
        let mut points = self.points.iter_mut();
        points.try_for_each(|point| point.scenario.add_caller_scheme(name, extends, own.clone()))
    }

    /// Applies [`Scenario::keep_schemes`] at every point.
    pub fn keep_schemes(&mut self, names: &[String]) {
        let points = self.points.iter_mut();
        points.for_each(|point| point.scenario.keep_schemes(names));
    }
}
