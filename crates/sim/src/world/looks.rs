//! Queries about a run between its events. They change nothing.

use super::World;
use crate::agenda::Agenda;
use crate::counts::Totals;
use sidestep_switch::DropReason;
use sidestep_types::FlowId;

impl<A: Agenda> World<A> {
    /// Returns the bytes of `flow` delivered in order so far, and whether the flow is complete.
    pub fn delivered(&self, flow: FlowId) -> (u64, bool) {
        let f = flow.0 as usize;
        let received = &self.flows[f];
        let bytes = match &self.receivers[f] {
            Some(end) => end.endpoint.delivered(),
            None => received.delivered_bytes,
        };
        (bytes, received.finished.is_some())
    }

    /// Returns the packets dropped so far, by reason.
    pub fn drops(&self) -> [u64; DropReason::COUNT] {
        let mut totals = Totals::default();
        (self.switches.iter()).for_each(|switch| totals.decided(&switch.total()));
        (0..self.hosts.len() as u32)
            .for_each(|host| totals.decided_by_host(&self.nic_counts(host)));
        totals.drops
    }
}
