//! Runs with policies of the caller's code, read back with the policies that the caller supplies again.
//!
//! **Decision**  a file names such a policy, `python:Mine`, and cannot contain its code. So the schemes with
//!               such policies are removed from the text. The chosen scheme stays: it is read with the policies
//!               of the scheme that it extends, and then gets the caller's. The trajectory hash shows whether
//!               the run is the recorded one.
//! **Errors**    the caller supplies no policies for the chosen scheme, or other ones.

use crate::Error;
use crate::caller::CallerScheme;
use serde_json::Value;
use sidestep_lab::Scenario;
use std::sync::Arc;

/// Policy of the caller's code in a scheme.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct RecordedPolicy {
    scheme: String,
    /// Kind of policy: `route`, `buffer` or `sched`.
    seam: String,
    /// Name: `python:Mine`, `plugin:mine`.
    policy: String,
}

/// Lists the callers' policies in a manifest.
pub(super) fn had(manifest: &Value) -> Vec<RecordedPolicy> {
    let settings = manifest["scenario"]["settings"].as_array();
    let settings = settings.map_or(&[][..], Vec::as_slice).iter();
    settings
        .filter_map(|setting| {
            let seam = setting["key"].as_str()?.strip_prefix("switch.")?;
            let policy = setting["value"].as_str()?;
            let own = ["route", "buffer", "sched"].contains(&seam)
                && ["python:", "plugin:"]
                    .iter()
                    .any(|of| policy.starts_with(of));
            own.then_some(RecordedPolicy {
                scheme: setting["scheme"].as_str()?.into(),
                seam: seam.into(),
                policy: policy.into(),
            })
        })
        .collect()
}

/// Function that reads a text with changes as of `--set`.
pub(super) type Reads<'a> = dyn Fn(&str, &[String]) -> Result<Scenario, Error> + 'a;

/// Reads the scenario of `text`. If `scheme` had policies of the caller's code, it gets those in `own`.
pub(super) fn read(
    text: &str,
    scheme: &str,
    had: &[RecordedPolicy],
    own: &[CallerScheme],
    read: &Reads<'_>,
) -> Result<Scenario, Error> {
    if had.is_empty() {
        return read(text, &[]);
    }
    let alone = |name: &str| [format!("schemes={name}")];
    let of_it: Vec<&RecordedPolicy> = had.iter().filter(|one| one.scheme == scheme).collect();
    let others = |name: &str| name != scheme && had.iter().any(|one| one.scheme == name);
    if of_it.is_empty() {
        return read(&without(text, &others), &alone(scheme));
    }
    let brought = brought(scheme, &of_it, own)?;
    let plain = without(text, &|name| had.iter().any(|one| one.scheme == name));
    let base = read(&plain, &alone(&brought.extends))?;
    let switch = &base.schemes[0].config.switch;
    let mut text = without(text, &others);
    for one in &of_it {
        let kind = match &*one.seam {
            "route" => switch.route.name(),
            "buffer" => switch.buffer.name(),
            _ => switch.sched.name(),
        };
        text = stand_in(&text, one, kind);
    }
    let mut scenario = read(&text, &alone(scheme))?;
    Arc::make_mut(&mut scenario.schemes)[0].own = Some(brought.own.clone());
    Ok(scenario)
}

/// Returns the scheme that the caller supplies for one that had these policies.
fn brought<'a>(
    scheme: &str,
    had: &[&RecordedPolicy],
    own: &'a [CallerScheme],
) -> Result<&'a CallerScheme, Error> {
    let words = |all: Vec<(&str, &str)>| {
        let all: Vec<String> = { all.iter() }
            .map(|(seam, policy)| format!("{seam} {policy}"))
            .collect();
        all.join(", ")
    };
    let mut needed: Vec<(&str, &str)> = had.iter().map(|one| (&*one.seam, &*one.policy)).collect();
    needed.sort_unstable();
    let Some(found) = own.iter().find(|one| one.name == scheme) else {
        return Err(Error::Input(format!(
            "scheme {scheme:?} cannot be repeated without its policies ({}), which are not stored; \
             give them again with --plugin DIR or, in Python, policies=[…]",
            words(needed)
        )));
    };
    let mut got: Vec<(&str, &str)> = found.own.names().collect();
    got.sort_unstable();
    match got == needed {
        true => Ok(found),
        false => Err(Error::Input(format!(
            "scheme {scheme:?} cannot be repeated with other policies: expected {}, got {}",
            words(needed),
            words(got)
        ))),
    }
}

/// Removes the tables and sources of the schemes for which `gone` is true, from a text as a run writes it.
fn without(text: &str, gone: &dyn Fn(&str) -> bool) -> String {
    let mut inside = false;
    let mut kept = String::new();
    for line in text.lines() {
        if let Some(head) = line.strip_prefix('[') {
            inside = of_scheme(head).is_some_and(gone);
        }
        let source = line.strip_prefix('"').and_then(of_scheme);
        if !inside && !source.is_some_and(gone) {
            kept.push_str(line);
            kept.push('\n');
        }
    }
    kept
}

/// Returns the scheme in a table head or a key: `scheme.mine]`, `scheme.mine.switch.buffer" = …`.
fn of_scheme(text: &str) -> Option<&str> {
    let name = text.strip_prefix("scheme.")?;
    name.find(['.', ']', '"']).map(|end| &name[..end])
}

/// Replaces a policy of the caller's code with one of the registry.
fn stand_in(text: &str, had: &RecordedPolicy, kind: &str) -> String {
    let head = format!("[scheme.{}.switch]", had.scheme);
    let written = format!("{} = ", had.seam);
    let mut inside = false;
    let mut out = String::new();
    for line in text.lines() {
        if line.starts_with('[') {
            inside = line == head;
        }
        if inside && line.starts_with(&written) {
            out.push_str(&format!("{written}\"{kind}\"\n"));
        } else {
            out.push_str(line);
            out.push('\n');
        }
    }
    out
}
