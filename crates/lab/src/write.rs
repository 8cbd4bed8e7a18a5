//! A resolved scenario as TOML that reads back as the same scenario.

use crate::claim::Claim;
use crate::scenario::{Scenario, Setting};
use std::collections::BTreeMap;
use std::fmt::Write;

/// Writes the experiment.
pub(crate) fn experiment(experiment: &crate::Experiment) -> String {
    scenario(&experiment.points[0].scenario)
}

/// Writes the scenario: the top, its sections, each scheme in full, sources and claims.
pub(crate) fn scenario(scenario: &Scenario) -> String {
    let mut out = String::new();
    let common: Vec<&Setting> = scenario
        .settings
        .iter()
        .filter(|s| s.scheme.is_none())
        .collect();
    for setting in common.iter().filter(|setting| !setting.key.contains('.')) {
        line(&mut out, &setting.key, &setting.value);
    }
    let dotted = common
        .into_iter()
        .filter(|setting| setting.key.contains('.'));
    sections(&mut out, "", dotted);
    for scheme in &scenario.schemes {
        let _ = write!(out, "\n[scheme.{}]\n", scheme.name);
        line(&mut out, "summary", &scheme.summary);
        line(&mut out, "paper", &scheme.source);
        let own = scenario
            .settings
            .iter()
            .filter(|s| s.scheme.as_ref() == Some(&scheme.name));
        sections(&mut out, &format!("scheme.{}.", scheme.name), own);
    }
    out.push_str("\n[source]\n");
    for setting in &scenario.settings {
        line(&mut out, &quoted(&full_key(setting)), &setting.source);
    }
    for claim in &scenario.claims {
        write_claim(&mut out, claim);
    }
    out
}

fn full_key(setting: &Setting) -> String {
    match &setting.scheme {
        Some(scheme) => format!("scheme.{scheme}.{}", setting.key),
        None => setting.key.clone(),
    }
}

/// Settings under `[section]` headers; a policy's parameters in an inline table.
fn sections<'a>(out: &mut String, prefix: &str, settings: impl Iterator<Item = &'a Setting>) {
    let settings: Vec<&Setting> = settings.collect();
    let mut order: Vec<&str> = Vec::new();
    let mut grouped: BTreeMap<&str, Vec<(&str, &str)>> = BTreeMap::new();
    for setting in settings {
        let (section, key) = split(&setting.key);
        if !order.contains(&section) {
            order.push(section);
        }
        grouped
            .entry(section)
            .or_default()
            .push((key, &setting.value));
    }
    for section in order {
        let _ = write!(out, "\n[{prefix}{section}]\n");
        let keys = &grouped[section];
        for (key, value) in keys.iter().filter(|(key, _)| !key.contains('.')) {
            let inner = keys
                .iter()
                .filter_map(|(k, v)| Some((k.strip_prefix(key)?.strip_prefix('.')?, v)));
            let inner: Vec<String> = inner
                .map(|(k, v)| format!("{k} = {}", literal(v)))
                .collect();
            if inner.is_empty() {
                line(out, key, value);
            } else {
                let _ = writeln!(
                    out,
                    "{key} = {{ kind = {}, {} }}",
                    quoted(value),
                    inner.join(", ")
                );
            }
        }
    }
}

/// `workload.query.rate` is in `workload.query`; `switch.buffer.mark_at` in `switch`.
fn split(key: &str) -> (&str, &str) {
    let dots = if key.starts_with("workload.") { 1 } else { 0 };
    let (at, _) = key
        .match_indices('.')
        .nth(dots)
        .expect("a section's key has a dot");
    (&key[..at], &key[at + 1..])
}

fn write_claim(out: &mut String, claim: &Claim) {
    out.push_str("\n[[claim]]\n");
    line(out, "id", &claim.id);
    line(out, "figure", &claim.figure);
    line(out, "says", &claim.says);
    line(out, "metric", claim.metric);
    line(out, "compare", &claim.compare.to_string());
    line(out, "paper", &claim.paper.to_string());
    line(out, "accept", &claim.accept.to_string());
    line(out, "tolerance", &claim.tolerance);
    line(out, "gap", &claim.gap);
}

fn line(out: &mut String, key: &str, value: &str) {
    let _ = writeln!(out, "{key} = {}", literal(value));
}

/// A number or flag as it is, anything else as a string. A scenario reads both alike.
fn literal(value: &str) -> String {
    let digits =
        !value.is_empty() && value.len() <= 18 && value.bytes().all(|b| b.is_ascii_digit());
    let bare = digits && (value == "0" || !value.starts_with('0'));
    if bare || value == "true" || value == "false" {
        value.to_string()
    } else {
        quoted(value)
    }
}

/// A TOML basic string.
fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            c if c.is_control() => {
                let _ = write!(out, "\\u{:04X}", c as u32);
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}
