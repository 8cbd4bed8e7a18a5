//! What a run leaves behind: one row per flow and port, totals, and the trajectory hash.

use crate::class_counts;
use crate::counts::Totals;
use crate::histogram::Histogram;
use crate::network::End;
use crate::pfc::Deadlock;
use crate::plan::{FlowPlan, GroupPlan, Plan};
use sidestep_switch::ports::Counts;
use sidestep_switch::{DropReason, Event, Joined};
use sidestep_types::{BitRate, FlowId, PortId, SwitchId, Time};

/// Everything a run recorded.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// One per flow of the plan, in its order.
    pub flows: Vec<FlowOutcome>,
    /// One per directed link, in the order of the network's cables, `a` to `b` first.
    pub ports: Vec<PortOutcome>,
    /// One per class of the plan.
    pub classes: Vec<ClassOutcome>,
    /// Of flows with subflows, one per subflow, by flow and subflow.
    pub subflows: Vec<SubflowOutcome>,
    /// Sums.
    pub totals: Totals,
    /// Ports that came to wait for each other for ever, in the order in which it was found.
    pub deadlocks: Vec<Deadlock>,
    /// When the run stopped.
    pub end: Time,
    /// A digest of every delivery over a link: its time, link and packet.
    pub trajectory_hash: u64,
    /// Paths of the packets that were chosen for tracing.
    pub traces: Vec<PacketTrace>,
}

impl Outcome {
    /// The flows of `plan`, which this came of, and what became of each: all but the followers in a
    /// closed loop that never came to start.
    pub fn flows_of<'a>(
        &'a self,
        plan: &'a Plan,
    ) -> impl Iterator<Item = (FlowId, &'a FlowPlan, &'a FlowOutcome)> {
        let each = (0..).map(FlowId).zip(plan.flows.iter().zip(&self.flows));
        each.filter(|(_, (flow, seen))| seen.started.is_some() || !flow.start.replaces())
            .map(|(id, (flow, seen))| (id, flow, seen))
    }

    /// What became of `group`, which is one of the plan.
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

/// What became of a group of flows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GroupOutcome {
    /// When the first of its flows was handed over; `None` if none was.
    pub started: Option<Time>,
    /// Its flows that were delivered.
    pub done: u32,
    /// When the last of them was; `None` if one never was: censored.
    pub finished: Option<Time>,
}

/// What became of one flow.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct FlowOutcome {
    /// When the application handed it over; `None` if it never did.
    pub started: Option<Time>,
    /// When its last byte was delivered in order; `None` if it never was: censored.
    pub finished: Option<Time>,
    /// Bytes delivered in order by the end of the run.
    pub delivered_bytes: u64,
    /// Data segments sent, retransmissions included.
    pub segments: u32,
    /// Data segments sent again.
    pub retransmits: u32,
    /// Retransmission timeouts.
    pub timeouts: u32,
    /// Of the retransmissions, those of which the network had lost nothing since it was last
    /// sent: something was late, or an acknowledgement was lost.
    pub spurious_retransmits: u32,
    /// Of the timeouts, those at which the network had not lost the oldest byte waited for.
    pub spurious_timeouts: u32,
    /// Fast retransmits begun.
    pub fast_retransmits: u32,
    /// Segments that arrived once more, as acknowledgements told the sender (RFC 2883).
    pub dsacks: u32,
    /// Windows given back, since the recovery that had cut them was needless.
    pub undone: u32,
    /// Data packets that arrived after one sent later had (RFC 4737 type P reordered).
    pub reordered: u32,
    /// The largest extent of one of them: arrivals since the first that was sent later
    /// (RFC 4737 section 4.2).
    pub reordering_extent: u32,
    /// The largest n of one of them: arrivals right before it that were all sent later
    /// (RFC 4737 section 5.4).
    pub n_reordering: u32,
    /// Data packets that reached the transport after one sent later had: what shims left of
    /// [`FlowOutcome::reordered`], and without shims the same.
    pub transport_reordered: u32,
    /// Data packets that arrived marked.
    pub marks: u32,
    /// Detours of the data packets that arrived.
    pub detours: u32,
    /// The most detours of one of them.
    pub max_detours: u8,
    /// Data packets dropped.
    pub drops: u32,
}

/// What one subflow of a flow did.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct SubflowOutcome {
    /// The flow.
    pub flow: FlowId,
    /// Its number, from 0 on.
    pub subflow: u8,
    /// The flow hash of its data, which chooses its path.
    pub hash: u32,
    /// Payload bytes put on it, each counted once.
    pub bytes: u64,
    /// Data segments sent, retransmissions included.
    pub segments: u32,
    /// Data segments sent again on it.
    pub retransmits: u32,
    /// Retransmission timeouts.
    pub timeouts: u32,
    /// Fast retransmits begun.
    pub fast_retransmits: u32,
    /// Segments that it carried for another one, which had timed out.
    pub reinjections: u32,
    /// Its congestion window in the end, in bytes.
    pub window: u64,
    /// Its smoothed round trip in the end; `None` if none was measured.
    pub round_trip: Option<Time>,
}

/// What one directed link and the queue before it saw.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PortOutcome {
    /// Whose port it is.
    pub from: End,
    /// Its number there; 0 at a host.
    pub port: PortId,
    /// What it leads to.
    pub to: End,
    /// The link's rate.
    pub rate: BitRate,
    /// Packets delivered over the link.
    pub packets: u64,
    /// Their bytes of link time.
    pub wire_bytes: u64,
    /// What policies did to packets here.
    pub counts: Counts,
    /// The longest queue, in packets, the one on the wire included.
    pub peak_packets: u32,
    /// The longest queue in bytes.
    pub peak_bytes: u32,
    /// Pauses that reached it.
    pub pauses: u64,
    /// For how long it was paused.
    pub paused: Time,
    /// With pauses or input queues: the most bytes that the far switch held of what came over this link.
    pub input_peak_bytes: u64,
}

/// Writes [`ClassOutcome`].
macro_rules! class_outcome {
    (
        path { $($(#[$path_doc:meta])* $path:ident by $path_teller:ident;)* }
        arrival { $($(#[$arrival_doc:meta])* $arrival:ident by $arrival_teller:ident;)* }
    ) => {
        /// What one traffic class saw, data packets only.
        #[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
        pub struct ClassOutcome {
            $($(#[$path_doc])* pub $path: u64,)*
            /// Data packets that arrived, by how often they were detoured; 255 stands for more as well.
            pub detours_each: Histogram,
            /// Detoured ones that arrived: by how many switches a shortest path has, and then by how many
            /// more they crossed. All others took a shortest path.
            pub extra_hops: Vec<Histogram>,
            $($(#[$arrival_doc])* pub $arrival: u64,)*
            /// The reordered ones by their n.
            pub n_reordering: NReordering,
        }

        impl ClassOutcome {
            /// Adds what another run, or another part of it, saw of the self.
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

/// How many reordered packets there were of each n (RFC 4737 section 5.4): a sender that waits
/// for more than n duplicate acknowledgements takes none of them for lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(into = "Vec<u64>", try_from = "Vec<u64>")]
pub struct NReordering {
    /// Of n = 1 to 64 in turn, and last of more. Those with n = 0 are in none.
    pub counts: [u64; NReordering::BUCKETS],
}

impl NReordering {
    /// 64 and one for all beyond.
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

/// The path of one packet.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct PacketTrace {
    /// Its number: counts the packets of its source host, in the order they were sent,
    /// with the host in the high half.
    pub id: u64,
    /// Its flow.
    pub flow: FlowId,
    /// Data or acknowledgement: the first byte carried, or the next expected.
    pub seq: u64,
    /// Is it an acknowledgement?
    pub ack: bool,
    /// What happened to it, in order.
    pub steps: Vec<TraceStep>,
}

impl PacketTrace {
    /// How often it was detoured.
    pub fn detours(&self) -> usize {
        let queued = self.steps.iter().filter_map(|step| step.what.queued());
        queued.filter(|(_, joined)| joined.detoured()).count()
    }

    /// Was it dropped?
    pub fn was_dropped(&self) -> bool {
        let last = self.steps.last();
        last.is_some_and(|step| step.what.dropped().is_some())
    }
}

/// One step of a packet's path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct TraceStep {
    /// Simulated time.
    pub at: Time,
    /// What happened to the packet.
    pub what: TraceEvent,
}

/// What happened at one step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum TraceEvent {
    /// Its host put it on the NIC.
    Sent,
    /// A switch queued or dropped it, or, where it decides, the NIC of its host. What is lost to a link that is down is
    /// dropped by whoever the link belongs to.
    At(End, Event),
    /// The packet reached its host.
    Delivered,
}

impl TraceEvent {
    /// The switch whose queue the packet joined, and how, if it did.
    pub fn queued(self) -> Option<(SwitchId, Joined)> {
        match self {
            TraceEvent::At(End::Switch(switch), event) => Some((switch, event.joined()?)),
            _ => None,
        }
    }

    /// Reason why the packet was dropped, if it was.
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
