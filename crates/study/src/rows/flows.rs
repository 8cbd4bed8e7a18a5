//! `flows.parquet`: one row a flow.

use super::{Point, span_us};
use crate::columns::{Col, columns};

use sidestep_lab::ideal::Ideal;
use sidestep_lab::{CountSource, CountSources};
use sidestep_sim::{FlowOutcome, FlowPlan, TrafficPlan};
use sidestep_types::Time;
use std::collections::HashMap;

/// Flow of a run.
pub struct FlowRow<'a> {
    flow_id: u64,
    scheme: &'a str,
    seed: u64,
    disturbed: bool,
    class: &'a str,
    group: Option<u64>,
    plan: &'a FlowPlan,
    outcome: &'a FlowOutcome,
    mss: u32,
    ideal: Option<Time>,
    told: &'a CountSources,
}

impl FlowRow<'_> {
    fn size(&self) -> Option<u64> {
        (!self.plan.is_endless()).then_some(self.plan.size)
    }
    /// Returns a count, if `teller` measured it.
    fn told(&self, teller: CountSource, count: impl Into<u64>) -> Option<u64> {
        self.told.by(teller, count.into())
    }
    /// Returns a count that only the simulator can measure.
    fn simulated(&self, count: impl Into<u64>) -> Option<u64> {
        self.told(CountSource::Simulator, count)
    }
    fn fct_us(&self) -> Option<f64> {
        span_us(self.outcome.started, self.outcome.finished)
    }
}

/// Lists the flows of `point`, in the order of its plan. Flows of a closed loop that never started are left
/// out.
pub fn flow_rows<'a>(point: Point<'a>, ideal: &mut Ideal) -> Vec<FlowRow<'a>> {
    let flows = point.outcome.flows_of(point.plan);
    let groups = groups(point.plan);
    let rows = flows.map(|(id, plan, outcome)| FlowRow {
        group: groups.get(&id.0).copied(),
        flow_id: u64::from(id.0),
        scheme: point.scheme,
        seed: point.seed,
        disturbed: point.disturbed,
        class: &point.plan.classes[plan.class as usize],
        plan,
        outcome,
        told: point.told,
        mss: ideal.mss(plan),
        ideal: ideal.of(plan),
    });
    rows.collect()
}

/// Maps each flow in a group to its group.
fn groups(plan: &TrafficPlan) -> HashMap<u32, u64> {
    let each = (0..).zip(&plan.groups);
    each.flat_map(|(number, group)| group.flows.iter().map(move |flow| (flow.0, number)))
        .collect()
}

/// Returns the columns of `flows.parquet`. Counts are null if they were not measured.
pub fn flow_columns<'a>() -> Vec<Col<FlowRow<'a>>> {
    columns! { r: FlowRow<'a>;
        /// number of the flow within its seed; the same flow in every scheme
        flow_id: Int = r.flow_id;
        /// query it belongs to; null for other traffic
        query_id: OptInt = r.plan.query.map(u64::from);
        /// group it belongs to; null for a flow without one
        group_id: OptInt = r.group;
        /// true if the flow asks for an answer (of a query or a background flow); completion times leave it out
        request: Flag = r.plan.request;
        /// name of the scheme
        scheme: Text = r.scheme;
        /// seed of the run
        seed: Int = r.seed;
        /// true if the machine disturbed the run (testbed only); such runs are in `marked` of `summary.json`
        disturbed: Flag = r.disturbed;
        /// name of the traffic class
        class: Text = r.class;
        /// sending host
        src: Int = u64::from(r.plan.src.0);
        /// receiving host
        dst: Int = u64::from(r.plan.dst.0);
        /// payload; null for a flow that never ends
        size_bytes: OptInt = r.size();
        /// payload of a full segment
        mss_bytes: Int = u64::from(r.mss);
        /// hand-over by the application, rounded down; null if it was never handed over
        start_ns: OptInt = Some(r.outcome.started?.as_ns());
        /// hand-over by the application, exact
        start_ps: OptInt = Some(r.outcome.started?.ps());
        /// true if its last byte was delivered in order; false: censored at the end of the run
        finished: Flag = r.outcome.finished.is_some();
        /// start to last byte in order; null unless finished
        fct_us: OptFloat = r.fct_us();
        /// least completion time on an idle network: serialisation, store and forward, propagation
        ideal_fct_us: OptFloat = Some(r.ideal?.as_us_f64());
        /// fct_us / ideal_fct_us
        slowdown: OptFloat = Some(r.fct_us()? / r.ideal?.as_us_f64());
        /// bytes delivered in order by the end of the run
        delivered_bytes: Int = r.outcome.delivered_bytes;
        /// data packets sent, retransmissions included
        packets: OptInt = r.told(CountSource::DataOut, r.outcome.segments);
        /// data packets sent again
        retransmits: OptInt = Some(u64::from(r.outcome.retransmits));
        /// retransmission timeouts
        timeouts: OptInt = r.told(CountSource::Timeouts, r.outcome.timeouts);
        /// retransmissions although the network had lost nothing since the data was last sent
        spurious_retransmits: OptInt = r.simulated(r.outcome.spurious_retransmits);
        /// timeouts although the network had not lost the oldest unacknowledged byte
        spurious_timeouts: OptInt = r.simulated(r.outcome.spurious_timeouts);
        /// fast retransmits begun
        fast_retransmits: OptInt = r.simulated(r.outcome.fast_retransmits);
        /// duplicate segments that the receiver reported to the sender (RFC 2883)
        dsacks: OptInt = r.simulated(r.outcome.dsacks);
        /// window reductions undone, since the recovery turned out to be needless
        undone: OptInt = r.simulated(r.outcome.undone);
        /// data packets that arrived after one sent later (RFC 4737)
        reordered: OptInt = r.simulated(r.outcome.reordered);
        /// largest extent of a reordered packet: arrivals since the first sent later (RFC 4737 section 4.2)
        reordering_extent: OptInt = r.simulated(r.outcome.reordering_extent);
        /// largest n of a reordered packet: arrivals right before it, all sent later (RFC 4737 section 5.4)
        n_reordering: OptInt = r.simulated(r.outcome.n_reordering);
        /// data packets that reached the transport after one sent later; equal to `reordered` without shims
        transport_reordered: OptInt = r.simulated(r.outcome.transport_reordered);
        /// detours of its data packets that arrived
        detours: OptInt = r.simulated(r.outcome.detours);
        /// most detours of one of its packets that arrived
        max_detours: OptInt = r.simulated(r.outcome.max_detours);
        /// data packets that arrived marked
        marks: OptInt = r.told(CountSource::Marks, r.outcome.marks);
        /// data packets dropped
        drops: OptInt = r.simulated(r.outcome.drops);
    }
}
