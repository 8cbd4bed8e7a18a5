//! A resolved scenario as TOML that reads back as the same scenario.

use crate::claim::{Claim, NO_NUMBER, Verdict};
use crate::experiment::{Experiment, PlotSpec, Point};
use crate::scenario::{Scenario, Setting};
use sidestep_config::decision::{ALPHA, CAPACITY, MEMORY, POLICIES};
use std::collections::BTreeMap;
use std::fmt::Write;

impl Scenario {
    /// The scenario with every value written out, and its sources: reads back as the same scenario.
    pub fn to_toml(&self) -> String {
        scenario(self)
    }

    /// What the switches of scheme number `scheme` decide by, as the `[switch]` of a software switch's config
    /// without its head. Pauses and crossbars are not in it: only the simulator has them.
    pub fn decision_toml(&self, scheme: usize) -> String {
        decision(self, scheme)
    }
}

impl Experiment {
    /// The experiment with every value written out.
    pub fn to_toml(&self) -> String {
        experiment(self)
    }
}

/// Writes the experiment: its first point in full, what changes from there to the others, the
/// plots and the claims.
fn experiment(experiment: &Experiment) -> String {
    let mut out = scenario(&experiment.points[0].scenario);
    if experiment.is_sweep() {
        // The points of a sweep hold no claims.
        for claim in &experiment.claims {
            // Of several values of an axis those that are left.
            let left = |at: &&(String, String)| has(experiment, std::slice::from_ref(at));
            let at: Vec<(String, String)> = claim.at.iter().filter(left).cloned().collect();
            let mut named = claim.at.iter();
            let whole = named.all(|(axis, _)| at.iter().any(|(name, _)| name == axis));
            if whole && has(experiment, &claim.less) && has(experiment, &claim.per) {
                write_claim(
                    &mut out,
                    &Claim {
                        at,
                        ..claim.clone()
                    },
                );
            }
        }
    }
    if let Some(figure) = &experiment.figure {
        out.push_str("\n[figure]\n");
        line(&mut out, "paper", &figure.paper);
        line(&mut out, "number", &figure.number);
        line(&mut out, "shows", &figure.shows);
    }
    sweep(&mut out, experiment);
    let plots = experiment.plots.iter().filter(|p| has(experiment, &p.at));
    plots.for_each(|p| write_plot(&mut out, p));
    out
}

/// Are these values still there? `--set` and `[quick]` may have left them out, and then what
/// speaks of them has no meaning any more.
fn has(experiment: &Experiment, at: &[(String, String)]) -> bool {
    let on = |name: &String, value: &String| {
        let mut axes = experiment.axes.iter();
        axes.any(|axis| axis.name == *name && axis.values.contains(value))
    };
    at.iter().all(|(name, value)| on(name, value))
}

fn sweep(out: &mut String, experiment: &Experiment) {
    if experiment.axes.is_empty() {
        return;
    }
    out.push_str("\n[sweep]\n");
    // How many points lie between two neighbours on an axis.
    let mut stride = experiment.points.len();
    for (index, axis) in experiment.axes.iter().enumerate() {
        stride /= axis.values.len();
        if axis.is_key {
            let values: Vec<String> = axis.values.iter().map(|v| quoted(v)).collect();
            let _ = writeln!(out, "{} = [{}]", quoted(&axis.name), values.join(", "));
            continue;
        }
        // A value of a named axis sets whatever differs between the points of any two values.
        let points = (0..axis.values.len()).map(|value| &experiment.points[value * stride]);
        let points: Vec<&Point> = points.collect();
        let differs = |s: &&Setting| {
            let here = |point: &&Point| {
                let other = point.scenario.settings.iter();
                let mut other = other.filter(|o| (&o.scheme, &o.key) == (&s.scheme, &s.key));
                other.next().map(|o| o.value.clone())
            };
            points
                .iter()
                .any(|point| here(point).as_ref() != Some(&s.value))
        };
        let _ = writeln!(out, "{} = [", quoted(&axis.name));
        for point in &points {
            let _ = write!(out, "  {{ is = {}", quoted(&point.at[index]));
            for setting in point.scenario.settings.iter().filter(differs) {
                let _ = write!(
                    out,
                    ", {} = {}",
                    quoted(&full_key(setting)),
                    literal(&setting.value)
                );
            }
            out.push_str(" },\n");
        }
        out.push_str("]\n");
    }
}

fn write_plot(out: &mut String, plot: &PlotSpec) {
    out.push_str("\n[[plot]]\n");
    line(out, "kind", plot.kind.name());
    let list = |words: &[String]| {
        let words: Vec<String> = words.iter().map(|word| quoted(word)).collect();
        format!("[{}]", words.join(", "))
    };
    for (key, text) in [("title", &plot.title), ("x", &plot.x), ("of", &plot.of)] {
        if !text.is_empty() {
            let _ = writeln!(out, "{key} = {}", quoted(text));
        }
    }
    for (key, words) in [("y", &plot.y), ("schemes", &plot.schemes)] {
        if !words.is_empty() {
            let _ = writeln!(out, "{key} = {}", list(words));
        }
    }
    write_at(out, "at", &plot.at);
    let log = match (plot.log_x, plot.log_y) {
        (false, false) => return,
        (true, false) => "x",
        (false, true) => "y",
        (true, true) => "xy",
    };
    line(out, "log", log);
}

fn write_at(out: &mut String, key: &str, at: &[(String, String)]) {
    if at.is_empty() {
        return;
    }
    let mut axes: Vec<(&str, Vec<String>)> = Vec::new();
    for (axis, value) in at {
        match axes.iter_mut().find(|(name, _)| name == axis) {
            Some((_, values)) => values.push(quoted(value)),
            None => axes.push((axis, vec![quoted(value)])),
        }
    }
    let pair = |(axis, values): &(&str, Vec<String>)| match &values[..] {
        [one] => format!("{} = {one}", quoted(axis)),
        several => format!("{} = [{}]", quoted(axis), several.join(", ")),
    };
    let pairs: Vec<String> = axes.iter().map(pair).collect();
    let _ = writeln!(out, "{key} = {{ {} }}", pairs.join(", "));
}

/// Writes the scenario: the top, its sections, each scheme in full, sources and claims.
fn scenario(scenario: &Scenario) -> String {
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

/// The lines of `[switch]` of scheme number `scheme` that decide what becomes of a packet: those that the
/// config of a software switch has as well.
fn decision(scenario: &Scenario, scheme: usize) -> String {
    let name = &scenario.schemes[scheme].name;
    let own = |s: &&Setting| s.scheme.as_ref().is_none_or(|of| of == name);
    let known = |s: &&Setting| {
        let key = s.key.strip_prefix("switch.");
        let first = key.and_then(|key| key.split('.').next());
        first.is_some_and(|first| {
            let mut policies = POLICIES.iter().map(|policy| policy.what);
            let params = [CAPACITY, MEMORY, ALPHA];
            policies.any(|what| what == first) || params.iter().any(|p| p.name == first)
        })
    };
    let mut out = String::new();
    sections(
        &mut out,
        "",
        scenario.settings.iter().filter(own).filter(known),
    );
    out.trim_start()
        .lines()
        .skip(1)
        .map(|line| format!("{line}\n"))
        .collect()
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
    let paper = claim.paper.map(|number| number.to_string());
    line(out, "paper", paper.as_deref().unwrap_or(NO_NUMBER));
    line(out, "accept", &claim.accept.to_string());
    line(out, "tolerance", &claim.tolerance);
    line(out, "gap", &claim.gap);
    write_at(out, "at", &claim.at);
    if let Some(over) = claim.over {
        line(out, "over", over.name());
    }
    write_at(out, "less", &claim.less);
    write_at(out, "per", &claim.per);
    if claim.expect != Verdict::Reproduced {
        line(out, "expect", &claim.expect.to_string());
    }
    if claim.testbed_expect != claim.expect {
        line(out, "testbed_expect", &claim.testbed_expect.to_string());
    }
    if claim.testbed_gap != claim.gap {
        line(out, "testbed_gap", &claim.testbed_gap);
    }
    if !claim.gap_sweep.is_empty() {
        line(out, "gap_sweep", &claim.gap_sweep);
    }
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
