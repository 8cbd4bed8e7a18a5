//! Catalogue of everything a scenario can choose from: all registries, and the keys of each section.
//!
//! **Decision**     `sidestep list`, the Python package and the page's form show this list. Serialised, a kind
//!                  is the object that `sidestep list --json` prints for it.
//! **State**        none.
//! **Units**        each parameter gives its unit in words, with an example of a value.
//! **Errors**       none: a test checks that everything shipped can be read.

mod measures;

pub use measures::Measured;

use crate::scenario::Scenario;
use crate::{shipped, tables};
use serde::ser::SerializeStruct;
use serde::{Serialize, Serializer};
use sidestep_sim::{NoFiles, SizeCdf, cdf, topology, workload};
use sidestep_switch::{buffer, route, sched};
use sidestep_transport::{CHOICES, shim};
use sidestep_types::{Entry, Param};
use std::sync::LazyLock;

/// Kind of item, such as routes or workloads.
#[derive(Clone, Debug, Serialize)]
pub struct Kind {
    /// Word for the kind on the command line.
    #[serde(rename = "kind")]
    pub name: &'static str,
    /// Key of a scenario that chooses an item of this kind.
    pub key: &'static str,
    /// Items of this kind.
    pub items: Vec<Item>,
}

/// Item that can be chosen.
#[derive(Clone, Debug, Serialize)]
pub struct Item {
    /// Name used everywhere.
    pub name: String,
    /// Description in one line.
    pub summary: String,
    /// Paper or RFC.
    pub source: String,
    /// Parameters.
    #[serde(serialize_with = "params")]
    pub params: Vec<&'static Param>,
    /// Further facts about an item that is measured.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub measured: Option<Measured>,
}

/// Words for the kinds, in listing order. Papers' figures are not among them: they are in files.
pub static KINDS: LazyLock<Vec<&str>> = LazyLock::new(|| {
    let before = [
        "scenarios",
        "schemes",
        "profiles",
        "routes",
        "buffers",
        "schedulers",
        "transports",
        "shims",
    ];
    let choices = CHOICES.iter().map(|choice| choice.kind);
    let after = [
        "topologies",
        "workloads",
        "cdfs",
        "probes",
        "drops",
        "metrics",
        "samples",
        "plots",
    ];
    before.into_iter().chain(choices).chain(after).collect()
});

/// Returns the kind called `name`, plural or singular.
pub fn kind(name: &str) -> Option<Kind> {
    // Scenarios use the key `sched`.
    let name = if matches!(name, "sched" | "scheds") {
        "schedulers"
    } else {
        name
    };
    let name = KINDS.iter().find(|k| **k == name || singular(k) == name)?;
    let (key, items) = match *name {
        "scenarios" => ("sidestep run NAME", scenarios()),
        "schemes" => ("schemes = [\"NAME\"]", schemes()),
        "profiles" => ("profile", profiles()),
        "routes" => ("switch.route", of(route::ENTRIES)),
        "buffers" => ("switch.buffer", of(buffer::ENTRIES)),
        "schedulers" => ("switch.sched", of(sched::ENTRIES)),
        "transports" => ("transport.kind", of(tables::TRANSPORTS)),
        "shims" => ("host.shims", of(shim::ENTRIES)),
        "topologies" => ("topology.kind", of(topology::ENTRIES)),
        "workloads" => ("workload.NAME.kind", of(workload::ENTRIES)),
        "cdfs" => ("workload.NAME.cdf", cdfs()),
        "probes" => ("probe.NAME", measures::probes()),
        "drops" => ("metric drops_NAME", measures::drops()),
        "metrics" => ("claim.metric, plot.y", measures::metrics()),
        "samples" => ("plot.of", measures::samples()),
        "plots" => ("plot.kind", measures::plots()),
        name => {
            let choice = CHOICES.iter().find(|choice| choice.kind == name)?;
            (choice.key, of(choice.entries))
        }
    };
    Some(Kind { name, key, items })
}

/// Returns the keys that no registry holds, one section an item; the item `scenario` has the top-level keys.
pub fn sections() -> Kind {
    let item = |name: &str, summary: &str, tables: &[&'static [Param]]| Item {
        name: name.into(),
        summary: summary.into(),
        source: String::new(),
        params: tables.iter().copied().flatten().collect(),
        measured: None,
    };
    let items = vec![
        item(
            "scenario",
            "top-level keys",
            &[tables::SCENARIO, tables::LISTS],
        ),
        item(
            "switch",
            "settings of every switch, besides its policies",
            &[tables::SWITCH],
        ),
        item(
            "transport",
            "settings of every transport",
            &[tables::TRANSPORT],
        ),
        item(
            "workload",
            "settings of every workload",
            &[tables::WORKLOAD],
        ),
        item(
            "host",
            "settings of every host, besides its shims",
            &[tables::HOST],
        ),
    ];
    Kind {
        name: "sections",
        key: "[NAME]",
        items,
    }
}

/// Parameter, serialised for programs.
struct SerializedParam(&'static Param);

impl Serialize for SerializedParam {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let mut object = to.serialize_struct("Param", 5)?;
        object.serialize_field("name", self.0.name)?;
        object.serialize_field("expected", &self.0.unit.example())?;
        object.serialize_field("default", &self.0.default)?;
        object.serialize_field("off", &self.0.off)?;
        object.serialize_field("doc", self.0.doc)?;
        object.end()
    }
}

fn params<S: Serializer>(params: &[&'static Param], to: S) -> Result<S::Ok, S::Error> {
    to.collect_seq(params.iter().map(|param| SerializedParam(param)))
}

/// Returns the singular of a kind: `topology` for `topologies`.
pub fn singular(kind: &str) -> String {
    match kind.strip_suffix("ies") {
        Some(stem) => format!("{stem}y"),
        None => kind.trim_end_matches('s').to_string(),
    }
}

fn of(entries: &'static [Entry]) -> Vec<Item> {
    let item = |e: &Entry| Item {
        name: e.name.into(),
        summary: e.summary.into(),
        source: e.source.into(),
        params: e.params.iter().collect(),
        measured: None,
    };
    entries.iter().map(item).collect()
}

fn scenarios() -> Vec<Item> {
    let item = |(name, text): &(&str, &str)| {
        let read = Scenario::read(name, text, &[], &NoFiles);
        let schemes = |s: &Scenario| {
            let names: Vec<&str> = s.schemes.iter().map(|s| s.name.as_str()).collect();
            names.join(", ")
        };
        Item {
            name: name.to_string(),
            summary: read
                .as_ref()
                .map_or_else(|_| "needs its own files".into(), |s| s.title.clone()),
            source: read.as_ref().map(schemes).unwrap_or_default(),
            params: Vec::new(),
            measured: None,
        }
    };
    shipped::SCENARIOS.iter().map(item).collect()
}

fn schemes() -> Vec<Item> {
    let item = |(name, _): &(&str, &str)| {
        let text = format!(
            "duration = \"1 ms\"\nschemes = [\"{name}\"]\n[topology]\nkind = \"single_switch\"\n\
             [workload.w]\nkind = \"permutation\"\n"
        );
        let read = Scenario::read("list", &text, &[], &NoFiles).expect("a shipped scheme reads");
        let scheme = &read.schemes[0];
        Item {
            name: name.to_string(),
            summary: scheme.summary.clone(),
            source: scheme.source.clone(),
            params: Vec::new(),
            measured: None,
        }
    };
    shipped::SCHEMES.iter().map(item).collect()
}

fn profiles() -> Vec<Item> {
    let item = |(name, text): &(&str, &str)| {
        let said = text
            .lines()
            .find_map(|line| line.strip_prefix("summary = "));
        Item {
            name: name.to_string(),
            summary: said.unwrap_or_default().trim_matches('"').to_string(),
            source: String::new(),
            params: Vec::new(),
            measured: None,
        }
    };
    shipped::PROFILES.iter().map(item).collect()
}

fn cdfs() -> Vec<Item> {
    let item = |(name, text): &(&'static str, &'static str)| {
        let paper = text.lines().find_map(|l| l.strip_prefix("# paper: "));
        let read = SizeCdf::load(name, &NoFiles).expect("a shipped distribution reads");
        let linear = sidestep_sim::Interpolation::Linear;
        let below = read.share_below(100_000, linear) * 100.0;
        let summary = format!(
            "mean {:.0} B, {below:.0} % of flows below 100 kB (linear)",
            read.mean(linear)
        );
        Item {
            name: name.to_string(),
            summary,
            source: paper.unwrap_or_default().into(),
            params: Vec::new(),
            measured: None,
        }
    };
    cdf::SHIPPED.iter().map(item).collect()
}

impl Kind {
    /// Formats the kind as text, one line an item; with `details`, parameters too.
    pub fn to_text(&self, details: bool) -> String {
        let mut out = format!("{} ({})\n", self.name, self.key);
        let width = self.items.iter().map(|i| i.name.len()).max().unwrap_or(0);
        for item in &self.items {
            let source = match item.source.as_str() {
                "" => String::new(),
                source => format!("  [{source}]"),
            };
            out.push_str(&format!(
                "  {:width$}  {}{source}\n",
                item.name, item.summary
            ));
            if details {
                out.push_str(&params_text(&item.params, &item.summary));
            }
        }
        out
    }
}

/// Formats parameters. A description equal to the line `above` is not repeated.
fn params_text(params: &[&Param], above: &str) -> String {
    let mut out = String::new();
    for p in params {
        let default = match (p.default, p.off) {
            (None, _) => "required".to_string(),
            (Some(d), Some(off)) if d != off => format!("default {d}, or {off}"),
            (Some(d), _) => format!("default {d}"),
        };
        out.push_str(&format!(
            "      {} = {} ({default})\n",
            p.name,
            p.unit.example()
        ));
        if p.doc != above {
            out.push_str(&format!("          {}\n", p.doc));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_lists_something_under_both_its_words() {
        for name in KINDS.iter() {
            let kind = kind(name).unwrap();
            assert!(!kind.items.is_empty(), "{name}");
            assert!(kind.items.iter().all(|i| !i.summary.is_empty()), "{name}");
            assert_eq!(super::kind(&singular(name)).unwrap().name, *name);
        }
        assert!(kind("gadgets").is_none());
        assert_eq!(singular("topologies"), "topology");
    }

    #[test]
    fn what_can_be_measured_is_listed_with_its_unit_and_what_it_needs() {
        let text = |name: &str| kind(name).unwrap().to_text(true);
        let line = |text: &str, begins: &str| {
            let found = text
                .lines()
                .find(|line| line.trim_start().starts_with(begins));
            found.unwrap_or_default().trim().to_string()
        };
        let p99 = line(&text("metrics"), "qct_p99_ms ");
        assert!(
            p99.ends_with("99th percentile of query completion time, ms"),
            "{p99}"
        );
        assert!(!line(&text("metrics"), "fct_p99_ms:CLASS ").is_empty());
        let goodput = line(&text("samples"), "goodput_gbps ");
        assert!(goodput.contains(", Gbps"), "{goodput}");
        assert!(goodput.ends_with("; needs probe goodput"), "{goodput}");
        assert!(!line(&text("samples"), "window_drops.REASON ").is_empty());
        let window = line(&text("probes"), "spread_window = ");
        assert!(
            window.ends_with("a time like \"50 us\" (default 10 ms)"),
            "{window}"
        );
        assert!(text("plots").contains("over_time"));
    }

    #[test]
    fn sections_say_what_the_registries_do_not() {
        let all = sections();
        let capacity = all.items[1].params.iter().find(|p| p.name == "capacity");
        let told = serde_json::to_value(SerializedParam(capacity.unwrap())).unwrap();
        assert_eq!(told["default"], "100 pkt");
        assert_eq!(
            told["expected"],
            "a queue size like \"100 pkt\" or \"150 kB\""
        );
        let keys: Vec<&String> = told.as_object().unwrap().keys().collect();
        assert_eq!(keys, ["name", "expected", "default", "off", "doc"]);
    }

    #[test]
    fn the_details_name_every_parameter() {
        let text = kind("buffers").unwrap().to_text(true);
        assert!(text.contains("mark_at = a queue size"), "{text}");
        assert!(text.contains("default 20 pkt, or off"), "{text}");
    }
}
