//! Flows with subflows: what is kept when their ends are closed.
//!
//! **Decision**     the answer to a segment of a subflow that arrives after its flow is complete.
//! **State**        the counts of each subflow; for complete flows the next byte each subflow expected.
//! **Units**        bytes.
//! **Errors**       none.
//! **Source**       RFC 8684 section 3.3.6: a subflow repairs what it has sent, although its bytes came by
//!                  another one.
//! **Deviations**   a late segment is acknowledged with all before it on its subflow, arrived or not:
//!                  no data is missing.

use crate::host::ReceivingEnd;
use crate::outcome::SubflowOutcome;
use sidestep_transport::{AnyReceiver, AnySender, Arrival, Endpoint};
use sidestep_types::{FlowId, Packet};
use std::collections::{BTreeMap, BTreeSet};

#[derive(Default, serde::Serialize, serde::Deserialize)]
pub(super) struct Multipath {
    subflows: Vec<SubflowOutcome>,
    /// Per complete flow: the next number each subflow expects.
    expected: BTreeMap<FlowId, Vec<u64>>,
    /// Flows whose data came by several subflows of a custom transport.
    foreign: BTreeSet<FlowId>,
}

impl Multipath {
    /// Keeps the counts of the subflows of a sender that closes.
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

    /// Keeps the state of a receiver that closes.
    pub fn received(&mut self, flow: FlowId, end: &ReceivingEnd) {
        if let AnyReceiver::Mptcp(all) = end.endpoint.machine()
            && end.endpoint.is_complete()
        {
            self.expected.insert(flow, all.expected_of_each());
        } else if end.order.has_subflows() {
            self.foreign.insert(flow);
        }
    }

    /// Returns true if the data of `flow` came by subflows of a custom transport.
    pub fn is_foreign(&self, flow: FlowId) -> bool {
        self.foreign.contains(&flow)
    }

    /// Returns the number that the subflow of a late segment of `flow` expects after it; `None` for a flow
    /// without subflows.
    pub fn late(&mut self, flow: FlowId, arrival: &Arrival) -> Option<u64> {
        let subflow = Packet::subflow_of(arrival.seq);
        let expected = self
            .expected
            .get_mut(&flow)?
            .get_mut(usize::from(subflow))?;
        if arrival.len > 0 {
            *expected = (*expected).max(arrival.seq + u64::from(arrival.len));
        } else if !arrival.syn && arrival.seq == Packet::first_of(subflow) {
            // Last packet of a handshake: it is no FIN, although nothing may have come before it.
            return Some(u64::MAX);
        }
        Some(*expected)
    }

    /// Returns the outcomes of all subflows.
    pub fn finish(&mut self) -> Vec<SubflowOutcome> {
        let mut all = std::mem::take(&mut self.subflows);
        all.sort_unstable_by_key(|s| (s.flow, s.subflow));
        all
    }
}
