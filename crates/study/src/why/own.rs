//! Runs whose policies were their caller's: read back with those that the caller brings again.
//!
//! **Decision**  a file names such a policy, `python:Mine`, and cannot hold it. So the schemes that had one are taken out of
//!               the text; the one that is asked about stays, with the policies of the scheme that it extends in their
//!               place, and gets its caller's once it is read. Whether it is the recorded run, the trajectory hash says.
//! **Errors**    the caller brings none for the scheme that is asked about, or others than it had.

use crate::Error;
use crate::own::OwnScheme;
use serde_json::Value;
use sidestep_lab::Scenario;
use std::sync::Arc;

/// A policy of the caller's that a scheme had.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Had {
    scheme: String,
    /// `route`, `buffer` or `sched`.
    seam: String,
    /// `python:Mine`, `plugin:mine`.
    policy: String,
}

/// Those that a manifest names.
pub(super) fn had(manifest: &Value) -> Vec<Had> {
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
            own.then_some(Had {
                scheme: setting["scheme"].as_str()?.into(),
                seam: seam.into(),
                policy: policy.into(),
            })
        })
        .collect()
}

/// Reads a text with changes as of `--set`.
pub(super) type Reads<'a> = dyn Fn(&str, &[String]) -> Result<Scenario, Error> + 'a;

/// The scenario of `text`, in which `scheme` has the policies that `own` brings for it, if it had any of its caller's.
pub(super) fn read(
    text: &str,
    scheme: &str,
    had: &[Had],
    own: &[OwnScheme],
    read: &Reads<'_>,
) -> Result<Scenario, Error> {
    if had.is_empty() {
        return read(text, &[]);
    }
    let alone = |name: &str| [format!("schemes={name}")];
    let of_it: Vec<&Had> = had.iter().filter(|one| one.scheme == scheme).collect();
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

/// What the caller brings for a scheme that had these policies.
fn brought<'a>(scheme: &str, had: &[&Had], own: &'a [OwnScheme]) -> Result<&'a OwnScheme, Error> {
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
            "scheme {scheme:?} cannot be run again without its policies ({}), which no directory holds: expected them \
             again, by --plugin DIR or, in Python, policies=[…]",
            words(needed)
        )));
    };
    let mut got: Vec<(&str, &str)> = found.own.names().collect();
    got.sort_unstable();
    match got == needed {
        true => Ok(found),
        false => Err(Error::Input(format!(
            "scheme {scheme:?} cannot be run again with other policies: expected {}, got {}",
            words(needed),
            words(got)
        ))),
    }
}

/// The text without the tables and sources of schemes that `gone` says, as a run writes them.
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

/// Which scheme a head or a key is of: `scheme.mine]`, `scheme.mine.switch.buffer" = …`.
fn of_scheme(text: &str) -> Option<&str> {
    let name = text.strip_prefix("scheme.")?;
    name.find(['.', ']', '"']).map(|end| &name[..end])
}

/// The text with a policy of the registry in the place of one of the caller's.
fn stand_in(text: &str, had: &Had, kind: &str) -> String {
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
