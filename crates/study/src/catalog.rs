//! What there is to choose from: every registry, as `sidestep list` prints it.

use crate::reproduce::shelf::{Book, Shelf};
use serde_json::{Value, json};
use sidestep_lab::{Experiment, Scenario, shipped, tables};
use sidestep_sim::{NoFiles, SizeCdf, cdf, topology, workload};
use sidestep_switch::{buffer, route, sched};
use sidestep_transport::{CHOICES, shim};
use sidestep_types::{Entry, Param};
use std::path::Path;
use std::sync::LazyLock;

/// One kind of thing.
#[derive(Clone, Debug)]
pub struct Kind {
    /// The word for it on the command line.
    pub name: &'static str,
    /// Where it is chosen in a scenario.
    pub key: &'static str,
    /// What there is.
    pub items: Vec<Item>,
}

/// One thing.
#[derive(Clone, Debug)]
pub struct Item {
    /// Its name everywhere.
    pub name: String,
    /// What it does, in one line.
    pub summary: String,
    /// The paper or RFC.
    pub source: String,
    /// What can be set about it.
    pub params: &'static [Param],
}

/// The words for the kinds, in the order of the list.
pub static KINDS: LazyLock<Vec<&str>> = LazyLock::new(|| {
    let before = [
        "scenarios",
        "experiments",
        "schemes",
        "routes",
        "buffers",
        "schedulers",
        "transports",
        "shims",
    ];
    let choices = CHOICES.iter().map(|choice| choice.kind);
    let after = ["topologies", "workloads", "cdfs"];
    before.into_iter().chain(choices).chain(after).collect()
});

/// All there is of the kind called `name`, its singular included.
pub fn kind(name: &str) -> Option<Kind> {
    // The key in a scenario says `sched`.
    let name = if matches!(name, "sched" | "scheds") {
        "schedulers"
    } else {
        name
    };
    let name = KINDS.iter().find(|k| **k == name || singular(k) == name)?;
    let (key, items) = match *name {
        "scenarios" => ("sidestep run NAME", scenarios()),
        "experiments" => ("sidestep reproduce NAME", experiments()),
        "schemes" => ("schemes = [\"NAME\"]", schemes()),
        "routes" => ("switch.route", of(route::ENTRIES)),
        "buffers" => ("switch.buffer", of(buffer::ENTRIES)),
        "schedulers" => ("switch.sched", of(sched::ENTRIES)),
        "transports" => ("transport.kind", of(tables::TRANSPORTS)),
        "shims" => ("host.shims", of(shim::ENTRIES)),
        "topologies" => ("topology.kind", of(topology::ENTRIES)),
        "workloads" => ("workload.NAME.kind", of(workload::ENTRIES)),
        "cdfs" => ("workload.NAME.cdf", cdfs()),
        name => {
            let choice = CHOICES.iter().find(|choice| choice.kind == name)?;
            (choice.key, of(choice.entries))
        }
    };
    Some(Kind { name, key, items })
}

fn singular(kind: &str) -> String {
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
        params: e.params,
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
                .map_or_else(|_| "reads files of its own".into(), |s| s.title.clone()),
            source: read.as_ref().map(schemes).unwrap_or_default(),
            params: &[],
        }
    };
    shipped::SCENARIOS.iter().map(item).collect()
}

/// Figures of papers; those of the working directory instead of the shipped ones.
fn experiments() -> Vec<Item> {
    let shelf = Shelf::open(Path::new("")).unwrap_or_default();
    let about = |e: &Experiment| match (&e.title, &e.figure) {
        (title, Some(figure)) if title.is_empty() => figure.shows.clone(),
        (title, _) if title.is_empty() => "has no title".into(),
        (title, _) => title.clone(),
    };
    let item = |book: &Book| {
        let read = Experiment::read(&book.name, &book.text, &[], false, &shelf.beside(book));
        let paper = |e: &Experiment| {
            let figure = e.figure.as_ref();
            figure.map_or(String::new(), |f| format!("{} {}", f.paper, f.number))
        };
        Item {
            name: format!("{}/{}", book.paper, book.name),
            summary: read.as_ref().map_or("does not read".into(), about),
            source: read.as_ref().map(paper).unwrap_or_default(),
            params: &[],
        }
    };
    shelf.books.iter().map(item).collect()
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
            params: &[],
        }
    };
    shipped::SCHEMES.iter().map(item).collect()
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
            params: &[],
        }
    };
    cdf::SHIPPED.iter().map(item).collect()
}

impl Kind {
    /// One object: the kind's items with their parameters.
    pub fn to_json(&self) -> Value {
        let items = self.items.iter().map(|i| {
            let params = i.params.iter().map(|p| {
                json!({"name": p.name, "expected": p.unit.example(), "default": p.default, "off": p.off, "doc": p.doc})
            });
            json!({
                "name": i.name,
                "summary": i.summary,
                "source": i.source,
                "params": params.collect::<Vec<_>>(),
            })
        });
        json!({"kind": self.name, "key": self.key, "items": items.collect::<Vec<_>>()})
    }

    /// A line an item; with `details` its parameters too.
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
                out.push_str(&params_text(item.params));
            }
        }
        out
    }
}

fn params_text(params: &[Param]) -> String {
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
        out.push_str(&format!("          {}\n", p.doc));
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
            // Experiments may all be elsewhere.
            assert!(!kind.items.is_empty() || *name == "experiments", "{name}");
            assert!(kind.items.iter().all(|i| !i.summary.is_empty()), "{name}");
            assert_eq!(super::kind(&singular(name)).unwrap().name, *name);
        }
        assert!(kind("gadgets").is_none());
        assert_eq!(singular("topologies"), "topology");
    }

    #[test]
    fn the_details_name_every_parameter() {
        let text = kind("buffers").unwrap().to_text(true);
        assert!(text.contains("mark_at = a queue size"), "{text}");
        assert!(text.contains("default 20 pkt, or off"), "{text}");
    }
}
