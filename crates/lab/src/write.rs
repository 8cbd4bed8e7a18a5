//! Writes a resolved scenario as TOML that reads back as the same scenario.

use crate::claim::{Claim, NO_NUMBER, Verdict};
use crate::experiment::{Experiment, PlotSpec, Point};
use crate::scenario::{Scenario, Setting};
use crate::scheme::{SWITCH_SPEC, TRANSPORT_SPEC};
use sidestep_config::decision::Decision;
use sidestep_config::differ::AT;
use sidestep_config::document::{self, join};
use sidestep_config::value::quoted;
use std::collections::BTreeMap;
use std::fmt::Write;

impl Scenario {
    /// Returns the decision policies of switch number `switch` under scheme number `scheme`, as the `[switch]`
    /// section of a software switch's config without its header. Pauses and crossbars are left out: only the
    /// simulator has them.
    pub fn decision_toml(&self, scheme: usize, switch: usize) -> String {
        self.decision(scheme, switch).to_toml()
    }

    /// Returns the decision policies of switch number `switch` as values.
    pub fn decision(&self, scheme: usize, switch: usize) -> Decision {
        let config = &self.schemes[scheme].config;
        let kind = config.others.kind(&config.switch, switch);
        Decision {
            route: kind.route.clone(),
            buffer: kind.buffer.clone(),
            sched: kind.sched.clone(),
            capacity: kind.capacity,
        }
    }

    /// Returns the scenario with every value and source written out: reads back as the same scenario.
    pub fn to_toml(&self) -> String {
        scenario(self, |_| true)
    }
}

impl Experiment {
    /// Returns the experiment with every value written out.
    pub fn to_toml(&self) -> String {
        experiment(self)
    }
}

/// Writes the experiment: its first point in full, the changes from it to the others, the plots and the claims.
fn experiment(experiment: &Experiment) -> String {
    let all: Vec<&Point> = experiment.points.iter().collect();
    let mut out = scenario(&experiment.points[0].scenario, |s| stands_alike(&all, s));
    if experiment.is_sweep() {
        // The points of a sweep hold no claims.
        for claim in &experiment.claims {
            // Keep those of several values of an axis that are left.
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

/// True if these values are still on the axes. `--set` and `[quick]` may have removed them; plots and claims at
/// removed values are left out.
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
    // Number of points between two neighbours on an axis.
    let mut stride = experiment.points.len();
    for (index, axis) in experiment.axes.iter().enumerate() {
        stride /= axis.values.len();
        if axis.is_key {
            let values: Vec<String> = axis.values.iter().map(|v| quoted(v)).collect();
            let _ = writeln!(out, "{} = [{}]", quoted(&axis.name), values.join(", "));
            continue;
        }
        // Each value of a named axis sets every key that differs between any two of its values.
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
            let own = |s: &&Setting| differs(s) || !stands_alike(&points, s);
            for setting in point.scenario.settings.iter().filter(own) {
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

/// True if a setting can be written once for all of these points. Switches that differ, changes and a
/// workload's own transport must be present at all points, in the same form (a name, or parameters alone): no
/// later layer can remove them at the others.
fn stands_alike(points: &[&Point], setting: &Setting) -> bool {
    let keys = split_keys(&setting.key);
    let many = match &keys[..] {
        [section, at, _, _, ..] if section == SWITCH_SPEC.name && at == AT => 4,
        [section, _, _] if section == "change" => 2,
        [section, _, own, _] if section == "workload" && own == TRANSPORT_SPEC.name => 3,
        _ => return true,
    };
    let whole = joined(&keys[..many]);
    let params = format!("{whole}.");
    let form = |point: &&Point| {
        let own = point.scenario.settings.iter();
        let mut own = own.filter(|s| s.scheme == setting.scheme);
        own.find_map(|s| match s.key == whole {
            true => Some(true),
            false => s.key.starts_with(&params).then_some(false),
        })
    };
    let mut forms = points.iter().map(form);
    let first = forms.next().flatten();
    first.is_some() && forms.all(|form| form == first)
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

/// Writes the scenario: the top, its sections, each scheme in full, sources and claims. Settings
/// for which `stays` is false are left out.
fn scenario(scenario: &Scenario, stays: impl Fn(&Setting) -> bool) -> String {
    let mut out = String::new();
    let settings: Vec<&Setting> = scenario.settings.iter().filter(|s| stays(s)).collect();
    let common: Vec<&Setting> = settings
        .iter()
        .filter(|s| s.scheme.is_none())
        .copied()
        .collect();
    for setting in common.iter().filter(|setting| !setting.key.contains('.')) {
        line(&mut out, &setting.key, &setting.value);
    }
    let dotted = common
        .into_iter()
        .filter(|setting| setting.key.contains('.'));
    sections(&mut out, "", dotted);
    for scheme in scenario.schemes.iter() {
        let _ = write!(out, "\n[scheme.{}]\n", scheme.name);
        line(&mut out, "summary", &scheme.summary);
        line(&mut out, "paper", &scheme.source);
        let own = settings
            .iter()
            .filter(|s| s.scheme.as_ref() == Some(&scheme.name))
            .copied();
        let (own, top): (Vec<&Setting>, _) = own.partition(|setting| setting.key.contains('.'));
        for setting in top {
            line(&mut out, &setting.key, &setting.value);
        }
        sections(
            &mut out,
            &format!("scheme.{}.", scheme.name),
            own.into_iter(),
        );
    }
    out.push_str("\n[source]\n");
    for setting in settings {
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

/// Writes settings under `[section]` headers, and a policy's parameters in an inline table.
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
        let mut firsts: Vec<&str> = Vec::new();
        for (key, _) in keys {
            let first = key.split_once('.').map_or(*key, |(first, _)| first);
            if !firsts.contains(&first) {
                firsts.push(first);
            }
        }
        for first in firsts {
            let kind = keys.iter().find(|(key, _)| *key == first);
            let kind = kind.map(|(_, value)| *value);
            let inner = keys
                .iter()
                .filter_map(|(k, v)| Some((k.strip_prefix(first)?.strip_prefix('.')?, v)));
            let mut words: Vec<String> = inner
                .map(|(k, v)| format!("{k} = {}", literal(v)))
                .collect();
            if let (Some(value), true) = (kind, words.is_empty()) {
                line(out, first, value);
                continue;
            }
            if let Some(kind) = kind {
                words.insert(0, format!("kind = {}", quoted(kind)));
            }
            let _ = writeln!(out, "{first} = {{ {} }}", words.join(", "));
        }
    }
}

/// Splits a key into section and rest: `workload.query.rate` is in `workload.query`, `switch.buffer.mark_at` in
/// `switch`, and `switch.at.core.buffer` in `switch.at.core`.
fn split(key: &str) -> (&str, &str) {
    let keys = split_keys(key);
    let many = match &keys[..] {
        [section, at, ..] if section == SWITCH_SPEC.name && at == AT => 3,
        [section, ..] if ["workload", "change"].contains(&section.as_str()) => 2,
        _ => 1,
    };
    let of = joined(&keys[..many]).len();
    (&key[..of], &key[of + 1..])
}

fn split_keys(path: &str) -> Vec<String> {
    document::split(path).expect("a setting's key is a dotted path")
}

fn joined(keys: &[String]) -> String {
    keys.iter()
        .fold(String::new(), |path, key| join(&path, key))
}

fn write_claim(out: &mut String, claim: &Claim) {
    out.push_str("\n[[claim]]\n");
    line(out, "id", &claim.id);
    line(out, "figure", &claim.figure);
    line(out, "says", &claim.says);
    line(out, "metric", &claim.metric);
    line(out, "compare", &claim.compare.to_string());
    let paper = claim.paper.map(|number| number.to_string());
    line(out, "paper", paper.as_deref().unwrap_or(NO_NUMBER));
    // Without a figure and a number, reading it back would take it for the user's own claim.
    if claim.own || claim.figure.is_empty() && claim.paper.is_none() {
        line(out, "own", if claim.own { "true" } else { "false" });
    }
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
    if let Some(between) = claim.expect_between {
        line(out, "expect_between", &between.to_string());
    }
    // A scenario read back from here still is not the one the claim was made for.
    if let Some(why) = &claim.not_judged {
        line(out, "not_judged", why);
    }
}

fn line(out: &mut String, key: &str, value: &str) {
    let _ = writeln!(out, "{key} = {}", literal(value));
}

/// Returns a number or flag as it is, anything else as a string. A scenario reads both alike.
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
