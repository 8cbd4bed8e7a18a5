//! Outcome of a run: one row per flow and port, totals, and the trajectory hash.

use crate::class_counts;
use crate::counts::Totals;
use crate::histogram::Histogram;
use crate::network::End;
use crate::pfc::Deadlock;
use crate::plan::{FlowPlan, GroupPlan, TrafficPlan};
use sidestep_switch::ports::Counts;
use sidestep_switch::{DropReason, Event, Joined};
use sidestep_types::{BitRate, FlowId, PortId, SwitchId, Time};

/// Everything a run recorded.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// Rows of the flows, in the order of the plan.
    pub flows: Vec<FlowOutcome>,
    /// Rows of the directed links, in the order of the network's cables, `a` to `b` first.
    pub ports: Vec<PortOutcome>,
    /// Rows of the classes, in the order of the plan.
    pub classes: Vec<ClassOutcome>,
    /// Rows of the subflows, for flows that have some, by flow and subflow.
    pub subflows: Vec<SubflowOutcome>,
    /// Sums over the run.
    pub totals: Totals,
    /// Deadlocks: ports that wait for each other forever, in the order in which they were found.
    pub deadlocks: Vec<Deadlock>,
    /// Time at which the run stopped: its last delivery, or the limit up to which it was served if a flow had not
    /// finished.
    pub end: Time,
    /// Digest of every delivery over a link: its time, link and packet.
    pub trajectory_hash: u64,
    /// Paths of the packets chosen for tracing.
    pub traces: Vec<PacketTrace>,
}

impl Outcome {
    /// Returns the flows of `plan`, from which this outcome came, each with its own outcome. Followers in a
    /// closed loop that never started are left out.
    pub fn flows_of<'a>(
        &'a self,
        plan: &'a TrafficPlan,
    ) -> impl Iterator<Item = (FlowId, &'a FlowPlan, &'a FlowOutcome)> {
        let each = (0..).map(FlowId).zip(plan.flows.iter().zip(&self.flows));
        each.filter(|(_, (flow, seen))| seen.started.is_some() || !flow.start.replaces())
            .map(|(id, (flow, seen))| (id, flow, seen))
    }

    /// Returns the outcome of `group`, which is one of the plan.
    pub fn group(&self, group: &GroupPlan) -> GroupOutcome {
        let mut all = GroupOutcome::default();
        for flow in &group.flows {
            let seen = &self.flows[flow.0 as usize];
            let earlier = |at: Time| all.started.is_none_or(|first| at < first);
            all.started = seen.started.filter(|at| earlier(*at)).or(all.started);
            all.done += u32::from(seen.finished.is_some());
            all.finished = all.finished.max(seen.finished);
        }
        if group.left_out > 0 || (all.done as usize) < group.flows.len() {
            all.finished = None;
        }
        all
    }
}

/// Outcome of a group of flows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GroupOutcome {
    /// Hand-over of the first of its flows; `None` if none was handed over.
    pub started: Option<Time>,
    /// Flows delivered.
    pub done: u32,
    /// Delivery of the last of its flows; `None` if one was not delivered: censored.
    pub finished: Option<Time>,
}

/// Outcome of one flow.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct FlowOutcome {
    /// Hand-over by the application; `None` if it never happened.
    pub started: Option<Time>,
    /// Delivery of its last byte in order; `None` if it never happened: censored.
    pub finished: Option<Time>,
    /// Bytes delivered in order by the end of the run.
    pub delivered_bytes: u64,
    /// Data segments sent, retransmissions included.
    pub segments: u32,
    /// Data segments retransmitted.
    pub retransmits: u32,
    /// Retransmission timeouts.
    pub timeouts: u32,
    /// Retransmissions of segments that the network had not lost since they were last sent: something was late,
    /// or an acknowledgement was lost.
    pub spurious_retransmits: u32,
    /// Timeouts at which the network had not lost the oldest byte waited for.
    pub spurious_timeouts: u32,
    /// Fast retransmits begun.
    pub fast_retransmits: u32,
    /// Segments that arrived twice, as acknowledgements told the sender (RFC 2883).
    pub dsacks: u32,
    /// Windows restored because the recovery that had cut them was needless.
    pub undone: u32,
    /// Data packets that arrived after one sent later (RFC 4737 type P reordered).
    pub reordered: u32,
    /// Largest extent of a reordered packet: arrivals since the first that was sent later (RFC 4737 section
    /// 4.2).
    pub reordering_extent: u32,
    /// Largest n of a reordered packet: arrivals right before it that were all sent later (RFC 4737 section
    /// 5.4).
    pub n_reordering: u32,
    /// Data packets that reached the transport after one sent later: what shims left of
    /// [`FlowOutcome::reordered`]; equal to it without shims.
    pub transport_reordered: u32,
    /// Data packets that arrived marked.
    pub marks: u32,
    /// Detours of the data packets that arrived.
    pub detours: u32,
    /// Most detours of one data packet that arrived.
    pub max_detours: u8,
    /// Data packets dropped.
    pub drops: u32,
}

/// Outcome of one subflow of a flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct SubflowOutcome {
    /// Flow it belongs to.
    pub flow: FlowId,
    /// Number of the subflow, from 0.
    pub subflow: u8,
    /// Flow hash of its data, which chooses the path.
    pub hash: u32,
    /// Payload bytes sent on it, each counted once.
    pub bytes: u64,
    /// Data segments sent, retransmissions included.
    pub segments: u32,
    /// Data segments retransmitted on it.
    pub retransmits: u32,
    /// Retransmission timeouts.
    pub timeouts: u32,
    /// Fast retransmits begun.
    pub fast_retransmits: u32,
    /// Segments that it carried for another subflow, which had timed out.
    pub reinjections: u32,
    /// Congestion window at the end, bytes.
    pub window: u64,
    /// Smoothed round trip at the end; `None` if none was measured.
    pub round_trip: Option<Time>,
}

/// Outcome of one directed link and the queue before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PortOutcome {
    /// Switch or host of the port.
    pub from: End,
    /// Port number; 0 at a host.
    pub port: PortId,
    /// Far end of the link.
    pub to: End,
    /// Rate of the link.
    pub rate: BitRate,
    /// Packets delivered over the link.
    pub packets: u64,
    /// Bytes of link time of these packets.
    pub wire_bytes: u64,
    /// Decisions of the policies here.
    pub counts: Counts,
    /// Peak queue length in packets, the one on the wire included.
    pub peak_packets: u32,
    /// Peak queue length in bytes.
    pub peak_bytes: u32,
    /// Pauses that reached the port.
    pub pauses: u64,
    /// Time for which it was paused.
    pub paused: Time,
    /// With pauses or input queues: the most bytes that the far switch held of packets that came over this
    /// link.
    pub input_peak_bytes: u64,
}

/// Writes [`ClassOutcome`].
macro_rules! class_outcome {
    (
        path { $($(#[$path_doc:meta])* $path:ident by $path_teller:ident;)* }
        arrival { $($(#[$arrival_doc:meta])* $arrival:ident by $arrival_teller:ident;)* }
    ) => {
        /// Outcome of one traffic class, data packets only.
        #[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
        pub struct ClassOutcome {
            $($(#[$path_doc])* pub $path: u64,)*
            /// Data packets that arrived, by their number of detours; 255 includes more.
            pub detours_each: Histogram,
            /// Detoured data packets that arrived, by the number of switches on a shortest path, then by the number of
            /// switches they crossed beyond that. All others took a shortest path.
            pub extra_hops: Vec<Histogram>,
            $($(#[$arrival_doc])* pub $arrival: u64,)*
            /// Reordered packets by their n.
            pub n_reordering: NReordering,
        }

        impl ClassOutcome {
            /// Adds the same class of another run, or of another part of this one.
            pub fn merge(&mut self, more: &ClassOutcome) {
                $(self.$path += more.$path;)*
                $(self.$arrival += more.$arrival;)*
                self.detours_each.merge(&more.detours_each);
                let shortest = self.extra_hops.len().max(more.extra_hops.len());
                self.extra_hops.resize_with(shortest, Default::default);
                for (hops, more) in self.extra_hops.iter_mut().zip(&more.extra_hops) {
                    hops.merge(more);
                }
                let counts = more.n_reordering.counts;
                let sums = self.n_reordering.counts.iter_mut();
                sums.zip(counts).for_each(|(sum, more)| *sum += more);
            }
        }
    };
}

class_counts!(class_outcome);

/// Number of reordered packets for each n (RFC 4737 section 5.4): a sender that waits for more than n duplicate
/// acknowledgements takes none of them for lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(into = "Vec<u64>", try_from = "Vec<u64>")]
pub struct NReordering {
    /// Counts for n = 1 to 64, and last for all larger n. Packets with n = 0 are not counted.
    pub counts: [u64; NReordering::BUCKETS],
}

impl NReordering {
    /// Buckets: 64, and one for all beyond.
    pub const BUCKETS: usize = 65;

    pub(crate) fn count(&mut self, n: u32) {
        if let Some(bucket) = (n as usize).checked_sub(1) {
            self.counts[bucket.min(NReordering::BUCKETS - 1)] += 1;
        }
    }
}

impl From<NReordering> for Vec<u64> {
    fn from(all: NReordering) -> Vec<u64> {
        all.counts.to_vec()
    }
}

impl TryFrom<Vec<u64>> for NReordering {
    type Error = String;

    fn try_from(counts: Vec<u64>) -> Result<NReordering, String> {
        let counts = <[u64; NReordering::BUCKETS]>::try_from(counts);
        let counts = counts.map_err(|counts| {
            format!(
                "reorderings: expected {} counts, got {}",
                NReordering::BUCKETS,
                counts.len()
            )
        });
        Ok(NReordering { counts: counts? })
    }
}

impl Default for NReordering {
    fn default() -> NReordering {
        NReordering {
            counts: [0; NReordering::BUCKETS],
        }
    }
}

/// Path of one packet.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct PacketTrace {
    /// Number of the packet: counts the packets of its source host in the order of sending, with the host in
    /// the high half.
    pub id: u64,
    /// Flow of the packet.
    pub flow: FlowId,
    /// First byte carried by data, or next byte expected by an acknowledgement.
    pub seq: u64,
    /// True for an acknowledgement.
    pub ack: bool,
    /// Events of the packet, in order.
    pub steps: Vec<TraceStep>,
}

impl PacketTrace {
    /// Returns the number of detours.
    pub fn detours(&self) -> usize {
        let queued = self.steps.iter().filter_map(|step| step.what.queued());
        queued.filter(|(_, joined)| joined.detoured()).count()
    }

    /// Returns true if the packet was dropped.
    pub fn was_dropped(&self) -> bool {
        let last = self.steps.last();
        last.is_some_and(|step| step.what.dropped().is_some())
    }
}

/// Step of a packet's path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct TraceStep {
    /// Simulated time.
    pub at: Time,
    /// Event of the packet.
    pub what: TraceEvent,
}

/// Event of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum TraceEvent {
    /// The packet's host put it on the NIC.
    Sent,
    /// A switch queued or dropped the packet, or the NIC of its host did, if it has a buffer policy. A packet
    /// lost to a link that is down counts as dropped by the owner of the link.
    At(End, Event),
    /// The packet reached its host.
    Delivered,
}

impl TraceEvent {
    /// Returns the switch whose queue the packet joined, and how, if it did.
    pub fn queued(self) -> Option<(SwitchId, Joined)> {
        match self {
            TraceEvent::At(End::Switch(switch), event) => Some((switch, event.joined()?)),
            _ => None,
        }
    }

    /// Returns the reason why the packet was dropped, if it was.
    pub fn dropped(self) -> Option<DropReason> {
        match self {
            TraceEvent::At(_, event) => event.dropped(),
            TraceEvent::Sent | TraceEvent::Delivered => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_group_takes_from_its_first_start_to_its_last_end() {
        let took = |from, to: Option<u64>| FlowOutcome {
            started: Some(Time::from_ms(from)),
            finished: to.map(Time::from_ms),
            ..FlowOutcome::default()
        };
        let never = FlowOutcome::default();
        let of = |flows: Vec<FlowOutcome>, left_out| {
            let group = GroupPlan {
                name: "burst".into(),
                class: None,
                start: Time::ZERO,
                flows: (0..flows.len() as u32).map(FlowId).collect(),
                left_out,
            };
            let seen = Outcome {
                flows,
                ports: Vec::new(),
                classes: Vec::new(),
                subflows: Vec::new(),
                totals: Totals::default(),
                deadlocks: Vec::new(),
                end: Time::MAX,
                trajectory_hash: 0,
                traces: Vec::new(),
            }
            .group(&group);
            let ms = |at: Option<Time>| at.map(Time::as_ms_f64);
            (ms(seen.started), seen.done, ms(seen.finished))
        };
        let both = vec![took(3, Some(9)), took(2, Some(5))];
        assert_eq!(of(both.clone(), 0), (Some(2.0), 2, Some(9.0)));
        assert_eq!(of(both, 1), (Some(2.0), 2, None));
        assert_eq!(of(vec![never, took(2, Some(5))], 0), (Some(2.0), 1, None));
        assert_eq!(of(vec![never], 0), (None, 0, None));
    }
}
