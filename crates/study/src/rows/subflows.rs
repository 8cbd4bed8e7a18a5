//! `subflows.parquet`: one row a subflow of a flow that has several.

use super::Point;
use crate::columns::{Col, columns};
use sidestep_sim::SubflowOutcome;

/// Subflow of a run.
pub struct SubflowRow<'a> {
    scheme: &'a str,
    seed: u64,
    disturbed: bool,
    outcome: &'a SubflowOutcome,
}

/// Lists the subflows of `point`, by flow and number.
pub fn subflow_rows(point: Point<'_>) -> Vec<SubflowRow<'_>> {
    let rows = point.outcome.subflows.iter().map(|outcome| SubflowRow {
        scheme: point.scheme,
        seed: point.seed,
        disturbed: point.disturbed,
        outcome,
    });
    rows.collect()
}

/// Returns the columns of `subflows.parquet`.
pub fn subflow_columns<'a>() -> Vec<Col<SubflowRow<'a>>> {
    columns! { r: SubflowRow<'a>;
        /// number of the flow within its seed, as in `flows.parquet`
        flow_id: Int = u64::from(r.outcome.flow.0);
        /// number of the subflow in its flow, from 0
        subflow: Int = u64::from(r.outcome.subflow);
        /// name of the scheme
        scheme: Text = r.scheme;
        /// seed of the run
        seed: Int = r.seed;
        /// true if the machine disturbed the run (testbed only); such runs are in `marked` of `summary.json`
        disturbed: Flag = r.disturbed;
        /// flow hash of its data, which chooses its path
        hash: Int = u64::from(r.outcome.hash);
        /// payload bytes assigned to it, each counted once, including those sent for another subflow
        bytes: Int = r.outcome.bytes;
        /// data segments sent, retransmissions included
        segments: Int = u64::from(r.outcome.segments);
        /// data segments sent again on it
        retransmits: Int = u64::from(r.outcome.retransmits);
        /// retransmission timeouts
        timeouts: Int = u64::from(r.outcome.timeouts);
        /// fast retransmits begun
        fast_retransmits: Int = u64::from(r.outcome.fast_retransmits);
        /// data segments sent for another subflow that had timed out
        reinjections: Int = u64::from(r.outcome.reinjections);
        /// congestion window at the end
        window_bytes: Int = r.outcome.window;
        /// smoothed round trip at the end; null if none was measured
        srtt_us: OptFloat = Some(r.outcome.round_trip?.as_us_f64());
    }
}
