//! Metrics, samples, probes and plots, as the catalogue lists them.

use super::Item;
use crate::experiment::PlotKind;
use crate::stats::metric::{
    CLASS_METRICS, Each, METRICS, Metric, Needs, Population, SAMPLES, SampleKind, Unit, Values,
    class_samples, sample,
};
use crate::tables::{PROBE, PROBE_LISTS};
use serde::Serialize;
use sidestep_switch::DropReason;
use sidestep_types::Param;

/// Facts about a measured item, for programs that read the catalogue.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Measured {
    /// Unit of its values.
    pub unit: Unit,
    /// Population that is counted, in words.
    pub population: &'static str,
    /// True if it is summed over the seeds, and so grows with their number.
    pub count: bool,
    /// Probe without which it has no value.
    pub probe: Option<&'static str>,
    /// Row in the report of a run.
    pub row: Option<&'static str>,
    /// Name in the legend of a figure.
    pub legend: Option<&'static str>,
}

/// Returns all drop reasons.
pub(super) fn drops() -> Vec<Item> {
    let item = |reason: DropReason| Item {
        measured: Some(Measured {
            count: true,
            row: Some(reason.row()),
            legend: Some(reason.legend()),
            ..facts(Unit::Number, Population::Packets, None)
        }),
        ..plain(reason.name(), reason.metric_doc().into())
    };
    DropReason::ALL.map(item).to_vec()
}

/// Returns all metrics, those of a single class last.
pub(super) fn metrics() -> Vec<Item> {
    let of_class = CLASS_METRICS
        .iter()
        .map(|metric| item(&format!("{}:CLASS", metric.name), metric));
    let over_all = METRICS.iter().map(|metric| item(metric.name, metric));
    over_all.chain(of_class).collect()
}

fn item(name: &str, metric: &Metric) -> Item {
    let facts = Measured {
        count: metric.is_count,
        row: metric.row,
        ..facts(metric.unit, metric.population, metric.needs)
    };
    listed(name.into(), metric.heading, facts)
}

fn facts(unit: Unit, population: Population, needs: Option<Needs>) -> Measured {
    Measured {
        unit,
        population: population.words(),
        count: false,
        probe: needs.map(Needs::key),
        row: None,
        legend: None,
    }
}

/// Returns all samples, those of a single class last.
pub(super) fn samples() -> Vec<Item> {
    let item = |kind: &SampleKind, name: String| {
        // Several samples share an axis label: the population tells them apart.
        let words = match kind.values {
            Values::Times(_) | Values::OfClass(_) => {
                format!("{}: {}", kind.population.words(), kind.axis)
            }
            Values::Flows(_) | Values::Probed => kind.axis.into(),
        };
        listed(name, &words, facts(kind.unit, kind.population, kind.needs))
    };
    let over_all = SAMPLES
        .iter()
        .filter_map(|name| Some((name, sample(name)?)));
    let over_all = over_all.flat_map(|(name, kind)| {
        let own = kind.each.map(|each| match each {
            Each::Workload => "WORKLOAD",
            Each::Reason => "REASON",
            Each::Links => "LINKS",
        });
        let own = own.map(|own| item(kind, format!("{name}.{own}")));
        [Some(item(kind, name.to_string())), own]
    });
    let over_all = over_all.flatten();
    let of_class = class_samples().filter_map(|name| {
        let name = format!("{name}:CLASS");
        Some(item(sample(&name)?, name))
    });
    over_all.chain(of_class).collect()
}

/// Returns the item of a measured quantity: its words, its unit and the probe it needs.
fn listed(name: String, words: &str, facts: Measured) -> Item {
    let unit = match facts.unit.suffix() {
        "" => String::new(),
        unit => format!(", {unit}"),
    };
    let needs = facts
        .probe
        .map_or(String::new(), |key| format!("; needs probe {key}"));
    Item {
        measured: Some(facts),
        ..plain(&name, format!("{words}{unit}{needs}"))
    }
}

/// Returns the keys of `[probe]`.
pub(super) fn probes() -> Vec<Item> {
    let one = |param: &'static Param| Item {
        params: vec![param],
        ..plain(param.name, param.doc.into())
    };
    // The description of a list key describes the elements of its list.
    let list = |param: &Param| {
        let default = param.default.unwrap_or_default();
        plain(param.name, format!("{} (default {default})", param.doc))
    };
    let lists = PROBE_LISTS.iter().map(list);
    PROBE.iter().map(one).chain(lists).collect()
}

/// Returns the kinds of plots.
pub(super) fn plots() -> Vec<Item> {
    let item = |(name, kind): &(&str, PlotKind)| plain(name, kind.doc().into());
    PlotKind::ALL.iter().map(item).collect()
}

fn plain(name: &str, summary: String) -> Item {
    Item {
        name: name.into(),
        summary,
        source: String::new(),
        params: Vec::new(),
        measured: None,
    }
}
