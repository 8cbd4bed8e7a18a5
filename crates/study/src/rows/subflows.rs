//! `subflows.parquet`: one row a subflow of a flow that has several.

use super::Point;
use crate::columns::{Col, columns};
use sidestep_sim::SubflowOutcome;

/// One subflow of one run.
pub struct SubflowRow<'a> {
    scheme: &'a str,
    seed: u64,
    disturbed: bool,
    outcome: &'a SubflowOutcome,
}

/// The subflows of `point`, by flow and number.
pub fn subflow_rows(point: Point<'_>) -> Vec<SubflowRow<'_>> {
    let rows = point.outcome.subflows.iter().map(|outcome| SubflowRow {
        scheme: point.scheme,
        seed: point.seed,
        disturbed: point.disturbed,
        outcome,
    });
    rows.collect()
}

/// The columns of `subflows.parquet`.
pub fn subflow_columns<'a>() -> Vec<Col<SubflowRow<'a>>> {
    columns! { r: SubflowRow<'a>;
        /// number of the flow within its seed, as in `flows.parquet`
        flow_id: Int = u64::from(r.outcome.flow.0);
        /// its number in the flow, from 0 on
        subflow: Int = u64::from(r.outcome.subflow);
        /// name of the scheme
        scheme: Text = r.scheme;
        /// seed of the run
        seed: Int = r.seed;
        /// the machine disturbed the run (only on a testbed): it is one of `marked` of `summary.json`
        disturbed: Flag = r.disturbed;
        /// the flow hash of its data, which chooses its path
        hash: Int = u64::from(r.outcome.hash);
        /// payload bytes put on it, each counted once, those carried for another subflow included
        bytes: Int = r.outcome.bytes;
        /// data segments sent, retransmissions included
        segments: Int = u64::from(r.outcome.segments);
        /// data segments sent again on it
        retransmits: Int = u64::from(r.outcome.retransmits);
        /// retransmission timeouts
        timeouts: Int = u64::from(r.outcome.timeouts);
        /// fast retransmits begun
        fast_retransmits: Int = u64::from(r.outcome.fast_retransmits);
        /// data segments that it carried for another subflow, which had timed out
        reinjections: Int = u64::from(r.outcome.reinjections);
        /// its congestion window in the end
        window_bytes: Int = r.outcome.window;
        /// its smoothed round trip in the end; null if none was measured
        srtt_us: OptFloat = Some(r.outcome.round_trip?.as_us_f64());
    }
}
