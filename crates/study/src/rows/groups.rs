//! `groups.parquet`: one row a group of flows.

use super::{Point, span_us};
use crate::columns::{Col, columns};
use sidestep_sim::{GroupOutcome, GroupPlan};

/// Group of flows of a run.
pub struct GroupRow<'a> {
    group_id: u64,
    scheme: &'a str,
    seed: u64,
    disturbed: bool,
    class: String,
    plan: &'a GroupPlan,
    outcome: GroupOutcome,
}

/// Lists the groups of `point`, in the order of its plan.
pub fn group_rows(point: Point<'_>) -> Vec<GroupRow<'_>> {
    let rows = (0..)
        .zip(&point.plan.groups)
        .map(|(group_id, plan)| GroupRow {
            group_id,
            scheme: point.scheme,
            seed: point.seed,
            disturbed: point.disturbed,
            class: class(point, plan),
            plan,
            outcome: point.outcome.group(plan),
        });
    rows.collect()
}

/// Returns the class of the group's flows; with several classes, all their names.
fn class(point: Point<'_>, group: &GroupPlan) -> String {
    let of = |class: u8| point.plan.classes[usize::from(class)].as_str();
    if let Some(class) = group.class {
        return of(class).to_string();
    }
    let flows = group.flows.iter();
    let classes = flows.map(|flow| point.plan.flows[flow.0 as usize].class);
    let mut all: Vec<&str> = classes.map(of).collect();
    all.sort_unstable();
    all.dedup();
    all.join(" + ")
}

/// Returns the columns of `groups.parquet`.
pub fn group_columns<'a>() -> Vec<Col<GroupRow<'a>>> {
    columns! { r: GroupRow<'a>;
        /// number of the group within its seed; the same group in every scheme
        group_id: Int = r.group_id;
        /// name of the group in the flow list
        group: Text = &r.plan.name;
        /// name of the scheme
        scheme: Text = r.scheme;
        /// seed of the run
        seed: Int = r.seed;
        /// true if the machine disturbed the run (testbed only); such runs are in `marked` of `summary.json`
        disturbed: Flag = r.disturbed;
        /// traffic class of its flows; with several classes all of them, `a + b`
        class: Text = &r.class;
        /// flows that complete it
        flows: Int = r.plan.flows.len() as u64 + u64::from(r.plan.left_out);
        /// flows complete by the end of the run
        flows_done: Int = u64::from(r.outcome.done);
        /// hand-over of its first flow, rounded down; null if none was handed over
        start_ns: OptInt = Some(r.outcome.started?.as_ns());
        /// hand-over of its first flow, exact
        start_ps: OptInt = Some(r.outcome.started?.ps());
        /// true if all flows are complete; false: censored at the end of the run
        finished: Flag = r.outcome.finished.is_some();
        /// first hand-over to the last byte of all; null unless finished
        group_us: OptFloat = span_us(r.outcome.started, r.outcome.finished);
    }
}
