//! Report as JSON: `report.json`, and the output of `--json`.

use super::beside::ArmAgreement;
use super::drawn::Drawn;
use super::{FigureResult, Reproduction, Totals};
use serde_json::{Map, Value, json};
use sidestep_lab::stats::Summary;
use sidestep_lab::{ClaimResult, PointResult, Setting};

impl Reproduction {
    /// Converts the report to JSON, claims first, then figures. It contains no clock times: the same runs give
    /// the same bytes.
    pub fn to_json(&self) -> Value {
        let claims = self
            .claims()
            .map(|(figure, claim)| claim_json(figure, claim, self.quick));
        let palette = self.palette();
        let figures = self
            .figures
            .iter()
            .map(|f| figure_json(f, &f.plots(&palette)));
        json!({
            "sidestep": {"version": env!("CARGO_PKG_VERSION"), "commit": crate::COMMIT},
            "intervals": crate::claim_text::INTERVALS,
            "asked": self.asked,
            "quick": self.quick,
            "status": self.status().word(),
            "totals": totals_json(self.totals()),
            "own_totals": totals_json(self.own_totals()),
            "claims": claims.collect::<Vec<_>>(),
            "figures": figures.collect::<Vec<_>>(),
        })
    }
}

fn totals_json(totals: Totals) -> Value {
    json!({
        "claims": totals.all(),
        "reproduced": totals.reproduced,
        "not_reproduced": totals.not,
        "cant_tell": totals.unsure,
        "not_judged": totals.not_judged,
        "unexpected": totals.failed,
    })
}

/// Converts a claim. `figure` is the figure of this report that contains it, `source` the paper's figure.
fn claim_json(figure: &FigureResult, claim: &ClaimResult, quick: bool) -> Value {
    let mut value = json!(claim);
    value["source"] = claim.figure.clone().into();
    value["figure"] = figure.path().into();
    value["fails"] = crate::claim_text::fails(claim, quick).into();
    value["moved"] = claim.has_moved().into();
    value
}

fn figure_json(figure: &FigureResult, plots: &[Drawn]) -> Value {
    let experiment = &figure.experiment;
    let spec = experiment.figure.clone().unwrap_or_default();
    let axes = experiment
        .axes
        .iter()
        .map(|a| json!({"name": a.name, "values": a.values}));
    let points = figure.results.points.iter().map(|p| point_json(figure, p));
    let plots = plots.iter().map(|p| {
        json!({
            "kind": p.kind,
            "title": p.title,
            "file": p.drawing.is_ok().then(|| format!("{}/{}.svg", figure.path(), p.file)),
            "missing": p.drawing.as_ref().err(),
            "columns": p.table.head,
            "rows": p.table.rows,
        })
    });
    json!({
        "name": figure.path(),
        "paper": spec.paper,
        "number": spec.number,
        "shows": spec.shows,
        "title": experiment.title,
        "status": figure.status.word(),
        "trajectory_hash": hash(figure),
        "axes": axes.collect::<Vec<_>>(),
        "points": points.collect::<Vec<_>>(),
        "plots": plots.collect::<Vec<_>>(),
        "settings": settings_json(figure),
        "warnings": experiment.warnings_of(&figure.results),
        "notes": experiment.notes,
        "beside": figure.beside.as_ref().map(beside_json),
    })
}

fn beside_json(beside: &ArmAgreement) -> Value {
    let named = |all: &[(String, String)]| -> Map<String, Value> {
        let pair = |(name, value): &(String, String)| (name.clone(), value.clone().into());
        all.iter().map(pair).collect()
    };
    json!({
        "arms": named(&beside.arms),
        "facts": named(&beside.facts),
        "columns": beside.agreement.head,
        "rows": beside.agreement.rows,
        "counted": {"columns": beside.counted.head, "rows": beside.counted.rows},
    })
}

fn point_json(figure: &FigureResult, point: &PointResult) -> Value {
    let axes = figure.experiment.axes.iter().map(|a| a.name.clone());
    let at = axes.zip(point.at.iter().map(|v| json!(v)));
    let schemes = point.summaries();
    let schemes = schemes.map(|s| (s.scheme.clone(), summary_json(&s)));
    json!({"at": Map::from_iter(at), "schemes": Map::from_iter(schemes)})
}

/// Converts a summary, without the seeds' own summaries, which `summary.json` has, and without clock times.
fn summary_json(summary: &Summary) -> Value {
    json!(Summary {
        per_seed: Vec::new(),
        cpu_s: None,
        hops_per_cpu_s: None,
        ..summary.clone()
    })
}

fn settings_json(figure: &FigureResult) -> Vec<Value> {
    let first = figure.experiment.points.first();
    let all = first.map_or(&[][..], |p| p.scenario.settings());
    let one = |s: &Setting| json!({"scheme": s.scheme, "key": s.key, "value": s.value, "source": s.source});
    all.iter().map(one).collect()
}

/// Returns a digest of the trajectories of all runs that have one, in their order: equal on all machines.
fn hash(figure: &FigureResult) -> String {
    crate::page::digest(&figure.results)
}
