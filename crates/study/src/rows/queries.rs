//! `queries.parquet`: one row a query.

use super::{Point, span_us};
use crate::columns::{Col, columns};
use sidestep_sim::QueryPlan;
use sidestep_types::Time;

/// Query of a run.
pub struct QueryRow<'a> {
    query_id: u64,
    scheme: &'a str,
    seed: u64,
    disturbed: bool,
    class: &'a str,
    plan: &'a QueryPlan,
    done: u64,
    last: Option<Time>,
}

impl QueryRow<'_> {
    fn finished(&self) -> bool {
        self.done == u64::from(self.plan.responses)
    }
    fn qct_us(&self) -> Option<f64> {
        self.finished()
            .then(|| span_us(Some(self.plan.start), self.last))
            .flatten()
    }
}

/// Lists the queries of `point`, in the order of its plan.
pub fn query_rows(point: Point<'_>) -> Vec<QueryRow<'_>> {
    let rows = point
        .plan
        .queries
        .iter()
        .enumerate()
        .map(|(i, plan)| QueryRow {
            query_id: i as u64,
            scheme: point.scheme,
            seed: point.seed,
            disturbed: point.disturbed,
            class: &point.plan.classes[plan.class as usize],
            plan,
            done: 0,
            last: None,
        });
    let mut rows: Vec<QueryRow<'_>> = rows.collect();
    for (flow, outcome) in point.plan.flows.iter().zip(&point.outcome.flows) {
        let (Some(query), false, Some(at)) = (flow.query, flow.request, outcome.finished) else {
            continue;
        };
        let row = &mut rows[query as usize];
        row.done += 1;
        row.last = row.last.max(Some(at));
    }
    rows
}

/// Returns the columns of `queries.parquet`.
pub fn query_columns<'a>() -> Vec<Col<QueryRow<'a>>> {
    columns! { r: QueryRow<'a>;
        /// number of the query within its seed; the same query in every scheme
        query_id: Int = r.query_id;
        /// name of the scheme
        scheme: Text = r.scheme;
        /// seed of the run
        seed: Int = r.seed;
        /// true if the machine disturbed the run (testbed only); such runs are in `marked` of `summary.json`
        disturbed: Flag = r.disturbed;
        /// name of the traffic class
        class: Text = r.class;
        /// host that asks and receives the responses
        target: Int = u64::from(r.plan.target.0);
        /// responses that complete it
        responses: Int = u64::from(r.plan.responses);
        /// responses complete by the end of the run
        responses_done: Int = r.done;
        /// start of the query, rounded down
        start_ns: Int = r.plan.start.as_ns();
        /// start of the query, exact
        start_ps: Int = r.plan.start.ps();
        /// true if all responses are complete; false: censored at the end of the run
        finished: Flag = r.finished();
        /// start to the last response's last byte; null unless finished
        qct_us: OptFloat = r.qct_us();
    }
}
