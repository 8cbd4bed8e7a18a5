//! Warnings about settings of a scenario that no run uses, each with its place and its number.
//!
//! Defaults cause no warning: a written-out scenario contains all of them.

use super::names::descend;
use super::reader::Reader;
use crate::distances::{Distances, most_switches};
use crate::scenario::{Scenario, Setting};
use crate::shipped;
use crate::tables::{PROBE, SWITCH};
use sidestep_config::document::{self, Item, Table, find};
use sidestep_config::problem::{At, Problems};
use sidestep_sim::{FlowPlan, Start, TrafficPlan};
use sidestep_types::{Param, ParamUnit, Time, Value};

impl Reader<'_> {
    /// Warns of flows that are left out, and of settings that nothing reads. `first` is the plan of the first
    /// seed, if it was drawn.
    pub(super) fn silent(&self, scenario: &Scenario, first: Option<&TrafficPlan>) -> Vec<String> {
        let mut said = left_out(scenario);
        said.extend(first.and_then(|plan| never_started(scenario, plan)));
        said.extend(self.long_jitters(scenario));
        said.extend(self.too_few_hops(scenario));
        said.extend(self.beside_no_word(scenario));
        said.extend(self.probes_of_nothing(scenario, first));
        said.extend(self.made_finite(scenario));
        said
    }

    /// Returns the place of the last layer that has `path`.
    fn said_at(&self, path: &[&str]) -> Option<At> {
        let (key, tables) = path.split_last()?;
        let mut quiet = Problems::default();
        let mut found = None;
        for (root, _) in self.roots() {
            let table = match tables {
                [] => Some(root),
                tables => descend(root, tables, &mut quiet).map(|(table, _)| table),
            };
            if let Some(entry) = table.and_then(|table| find(table, key)) {
                found = Some(entry.at.clone());
            }
        }
        found
    }

    fn long_jitters(&self, scenario: &Scenario) -> Vec<String> {
        let param = Param::required("jitter", ParamUnit::Time, "");
        let long = |setting: &Setting| {
            let name = setting
                .key
                .strip_prefix("workload.")?
                .strip_suffix(".jitter")?;
            let Ok(Value::Time(jitter)) = Value::parse(&setting.value, &param) else {
                return None;
            };
            let duration = scenario.duration;
            (jitter > duration).then(|| {
                let at = self.said_at(&["workload", name, "jitter"]);
                let share = 100.0 * (1.0 - duration.as_s_f64() / jitter.as_s_f64());
                placed(
                    at.as_ref(),
                    format!(
                        "workload.{name}.jitter ({jitter}) is longer than duration ({duration}): \
                         about {share:.0} % of the flows it delays start in the drain or never"
                    ),
                )
            })
        };
        scenario.settings.iter().filter_map(long).collect()
    }

    /// Warns of a short time to live: a switch decrements it, and drops the packet at zero.
    fn too_few_hops(&self, scenario: &Scenario) -> Option<String> {
        let ttl = u32::from(scenario.schemes[0].config.ttl);
        if most_switches(&scenario.network).is_some_and(|most| ttl > most) {
            return None;
        }
        let (most, one, other) = Distances::of(&scenario.network).farthest;
        (ttl <= most).then(|| {
            placed(
                self.said_at(&["ttl"]).as_ref(),
                format!(
                    "ttl = {ttl} drops a packet at its switch number {ttl}, but some paths cross \
                     {most} switches, such as host {} to host {}: nothing arrives there; set ttl \
                     to {} or more",
                    one.0,
                    other.0,
                    most + 1
                ),
            )
        })
    }

    /// Warns of keys of `[switch]` that need a word of another key, which no scheme has.
    fn beside_no_word(&self, scenario: &Scenario) -> Vec<String> {
        let idle = |param: &Param| {
            let (other, words) = param.beside?;
            let name = param.name;
            let is_other = |key: &str| {
                let own = key
                    .strip_prefix("switch.")
                    .and_then(|key| key.strip_suffix(other));
                own.is_some_and(|about| about.is_empty() || about.starts_with("at."))
            };
            let mut settings = scenario.settings.iter().filter(|s| is_other(&s.key));
            if settings.any(|s| words.contains(&&*s.value))
                || !says_more(scenario, SWITCH, "switch", name)
            {
                return None;
            }
            let is_flag = |param: &Param| param.name == other && param.unit == ParamUnit::Flag;
            let quoted = |word: &&str| match SWITCH.iter().any(is_flag) {
                true => word.to_string(),
                false => format!("{word:?}"),
            };
            let words: Vec<String> = words.iter().map(quoted).collect();
            let words = words.join(" or ");
            let why = format!("switch.{name} has no effect: no scheme has {other} = {words}");
            Some(placed(self.said_of_switches(name).as_ref(), why))
        };
        SWITCH.iter().filter_map(idle).collect()
    }

    /// Returns the place of a key of `[switch]`, for all schemes or for one.
    fn said_of_switches(&self, key: &str) -> Option<At> {
        let mut quiet = Problems::default();
        let of_one = self.roots().filter_map(|(root, _)| {
            let (schemes, _) = descend(root, &["scheme"], &mut quiet)?;
            schemes.iter().find_map(|scheme| {
                let table = table_of(scheme)?;
                let switch = find(table, "switch")?;
                Some(find(table_of(switch)?, key)?.at.clone())
            })
        });
        let of_one = of_one.last();
        self.said_at(&["switch", key]).or(of_one)
    }

    fn probes_of_nothing(&self, scenario: &Scenario, plan: Option<&TrafficPlan>) -> Vec<String> {
        let probe = &scenario.probe;
        let is_off = |key: &str| {
            let key = format!("probe.{key}");
            (scenario.settings.iter()).any(|setting| setting.key == key && setting.value == "off")
        };
        let beside = PROBE.iter().filter_map(|param| {
            let (other, _) = param.beside?;
            is_off(other).then(|| (param.name, format!("{other} is off in [probe]")))
        });
        // Two keys, and flows, that `beside` cannot say. Where too many flows were planned to draw them, nobody knows.
        let looks = probe.links.is_some() || probe.neighbours.is_some();
        let endless = plan.is_none_or(|plan| plan.flows.iter().any(FlowPlan::is_endless));
        let others = [
            ("hot", looks, "links and neighbours are off in [probe]"),
            ("flows_from", endless, "no flow is endless"),
        ];
        let others = others.into_iter().filter(|(_, used, _)| !used);
        let idle = beside.chain(others.map(|(name, _, why)| (name, why.to_string())));
        let idle = idle.filter(|(name, _)| says_more(scenario, PROBE, "probe", name));
        idle.map(|(name, beside)| {
            placed(
                self.said_at(&["probe", name]).as_ref(),
                format!("probe.{name} has no effect: {beside}"),
            )
        })
        .collect()
    }

    /// Warns of a scheme that requires unlimited queues, and a `--set` for all that limits them.
    fn made_finite(&self, scenario: &Scenario) -> Vec<String> {
        let finite = |setting: &Setting| {
            let name = setting.scheme.as_deref()?;
            let set = setting.key == "switch.capacity" && setting.source.starts_with("user: --set");
            // A value for this scheme alone is intended.
            let meant = || {
                let own = self.over.iter().flat_map(|(root, _)| *root);
                let own = own
                    .filter(|entry| entry.key == "scheme")
                    .filter_map(table_of);
                let own = own.filter_map(|schemes| find(schemes, name).and_then(table_of));
                let mut switches =
                    own.filter_map(|scheme| find(scheme, "switch").and_then(table_of));
                switches.any(|switch| find(switch, "capacity").is_some())
            };
            if !set || setting.value == "unlimited" || meant() || !self.is_unlimited(name) {
                return None;
            }
            Some(format!(
                "--set switch.capacity={}: scheme {name} requires unlimited queues, which this \
                 takes away; --set scheme.NAME.switch.capacity changes only one scheme",
                setting.value
            ))
        };
        scenario.settings.iter().filter_map(finite).collect()
    }

    /// True if the scheme's own file, or the scenario, gives it unlimited queues.
    fn is_unlimited(&self, name: &str) -> bool {
        let mut quiet = Problems::default();
        let mut says = |root: &Table, path: &[&str]| {
            let (table, _) = descend(root, path, &mut quiet)?;
            match &find(table, "capacity")?.node.item {
                Item::Text(text) => Some(text.trim() == "unlimited"),
                _ => Some(false),
            }
        };
        let own = self.written.iter().rev();
        let own = own.filter_map(|(root, _)| says(root, &["scheme", name, "switch"]));
        if let Some(said) = { own }.next() {
            return said;
        }
        let text = shipped::scheme(name).map_or_else(
            || self.scheme_files.read(&format!("schemes/{name}.toml")).ok(),
            |text| Some(text.to_string()),
        );
        let mut quiet = Problems::default();
        let root = text.map(|text| document::parse(name, &text, &mut quiet));
        root.and_then(|root| says(&root, &["switch"]))
            .unwrap_or(false)
    }
}

/// Warns of flows of a list that no run has.
fn left_out(scenario: &Scenario) -> Vec<String> {
    let late = |of: &crate::scenario::Traffic| {
        let (late, all, [first, last]) = of.workload.left_out(scenario.duration)?;
        let key = format!("workload.{}.file", of.name);
        let at = of.places.get(&key).unwrap_or(&of.at);
        Some(placed(
            Some(at),
            format!(
                "workload.{}: {late} of {all} flows start at or after the end of duration ({}) and \
                 are left out, the first at {first}; set duration above {last} to include them",
                of.name, scenario.duration
            ),
        ))
    };
    scenario.traffic.iter().filter_map(late).collect()
}

/// Warns of flows that are planned for after the end of every run.
fn never_started(scenario: &Scenario, plan: &TrafficPlan) -> Option<String> {
    let end = scenario.duration.saturating_add(scenario.drain);
    let start = |start: Start| match start {
        Start::At(at) if at >= end => Some(at),
        _ => None,
    };
    let late = plan.flows.iter().filter_map(|flow| start(flow.start));
    let first: Time = late.clone().min()?;
    Some(format!(
        "{} of {} flows of seed {} would start at or after the end of the run ({end}) and never \
         do, the first at {first}; make duration or drain longer",
        late.count(),
        plan.flows.len(),
        scenario.seeds[0]
    ))
}

/// True if a value of this section is given that is not its default.
fn says_more(scenario: &Scenario, params: &[Param], section: &str, name: &str) -> bool {
    let param = params.iter().find(|param| param.name == name);
    let param = param.expect("a parameter of the section");
    // One value may be written in several ways: 0.9 and 9/10, 0 us and 0 ps.
    let value = |text: &str| Value::parse(text, param).ok();
    let default = param.default.and_then(value);
    let key = format!("{section}.{name}");
    let mut all = scenario.settings.iter().filter(|s| s.key == key);
    all.any(|s| value(&s.value) != default)
}

fn table_of(entry: &document::Entry) -> Option<&Table> {
    match &entry.node.item {
        Item::Table(table) => Some(table),
        _ => None,
    }
}

/// Puts the place before a warning.
fn placed(at: Option<&At>, warning: String) -> String {
    match at {
        Some(at) if at.line > 0 => format!("{}:{}:{}: {warning}", at.file, at.line, at.column),
        Some(at) => format!("{}: {warning}", at.file),
        None => warning,
    }
}
