//! What is kept of flows with subflows when their ends are gone.
//!
//! **Decision**     what a segment of a subflow is told that comes after its flow is complete.
//! **State**        what each subflow did; of flows that are complete what each expected next.
//! **Units**        bytes.
//! **Errors**       none.
//! **Source**       RFC 8684 section 3.3.6: a subflow repairs what it has sent, although its bytes came by
//!                  another one.
//! **Deviations**   a late segment is acknowledged with all before it on its subflow, arrived or not: nobody
//!                  misses them.

use crate::host::ReceivingEnd;
use crate::outcome::SubflowOutcome;
use sidestep_transport::{AnyReceiver, AnySender, Arrival, Endpoint};
use sidestep_types::{FlowId, Packet};
use std::collections::{BTreeMap, BTreeSet};

#[derive(Default, serde::Serialize, serde::Deserialize)]
pub(super) struct Multipath {
    subflows: Vec<SubflowOutcome>,
    /// Of complete flows.
    expected: BTreeMap<FlowId, Vec<u64>>,
    /// Flows whose data came by several subflows of somebody's own.
    foreign: BTreeSet<FlowId>,
}

impl Multipath {
    /// The sender of `flow` goes.
    pub fn sent(&mut self, flow: FlowId, end: &Endpoint<AnySender>) {
        let AnySender::Mptcp(all) = end.machine() else {
            return;
        };
        let rows = (0..)
            .zip(all.subflows())
            .map(|(subflow, did)| SubflowOutcome {
                flow,
                subflow,
                hash: end.hash(subflow),
                bytes: did.bytes,
                segments: did.counters.segments,
                retransmits: did.counters.retransmits,
                timeouts: did.counters.timeouts,
                fast_retransmits: did.counters.fast_retransmits,
                reinjections: did.reinjections,
                window: did.window,
                round_trip: did.round_trip,
            });
        self.subflows.extend(rows);
    }

    /// The receiver of `flow` goes.
    pub fn received(&mut self, flow: FlowId, end: &ReceivingEnd) {
        if let AnyReceiver::Mptcp(all) = end.endpoint.machine()
            && end.endpoint.is_complete()
        {
            self.expected.insert(flow, all.expected_of_each());
        } else if end.order.has_subflows() {
            self.foreign.insert(flow);
        }
    }

    /// Did its data come by subflows of which nothing is known?
    pub fn is_foreign(&self, flow: FlowId) -> bool {
        self.foreign.contains(&flow)
    }

    /// The number that the subflow of a late segment of `flow` expects after it; `None` of a flow without
    /// subflows.
    pub fn late(&mut self, flow: FlowId, arrival: &Arrival) -> Option<u64> {
        let subflow = Packet::subflow_of(arrival.seq);
        let expected = self
            .expected
            .get_mut(&flow)?
            .get_mut(usize::from(subflow))?;
        if arrival.len > 0 {
            *expected = (*expected).max(arrival.seq + u64::from(arrival.len));
        } else if !arrival.syn && arrival.seq == Packet::first_of(subflow) {
            // The last packet of a handshake: it is no FIN, although nothing may have come before it.
            return Some(u64::MAX);
        }
        Some(*expected)
    }

    /// What every subflow did.
    pub fn finish(&mut self) -> Vec<SubflowOutcome> {
        let mut all = std::mem::take(&mut self.subflows);
        all.sort_unstable_by_key(|s| (s.flow, s.subflow));
        all
    }
}
