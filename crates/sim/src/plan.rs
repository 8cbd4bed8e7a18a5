//! Plan of a run: every flow and query, drawn before it starts.
//!
//! A plan is immutable during the run, so that hosts may read it from any thread.

use sidestep_types::{FlowId, HostId, Packet, Time};
use std::num::NonZeroU16;

/// Flows and queries of a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TrafficPlan {
    /// Names of the traffic classes, one per workload of the scenario; at most 256.
    pub classes: Vec<String>,
    /// All flows. A [`FlowId`] is an index here.
    pub flows: Vec<FlowPlan>,
    /// All queries.
    pub queries: Vec<QueryPlan>,
    /// Flows that share a connection, in the order of their numbers; any other flow has its own.
    pub joint: Vec<Joint>,
    /// All groups of flows.
    pub groups: Vec<GroupPlan>,
}

/// Group of flows, for example a burst or a step of a collective: it begins with the first start of a flow and
/// completes with the last byte of all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GroupPlan {
    /// Name in its workload.
    pub name: String,
    /// Index into [`TrafficPlan::classes`]; `None` if its flows are of several.
    pub class: Option<u8>,
    /// First start of a flow.
    pub start: Time,
    /// Flows in the plan, at least one, in the order of their numbers. None of them is endless.
    pub flows: Vec<FlowId>,
    /// Further flows that would start after the run's end. With any, the group never completes.
    pub left_out: u32,
}

/// Flow on a connection that also carries others, in either direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Joint {
    /// Flow on the connection.
    pub flow: FlowId,
    /// Flow whose source opens the connection, and which names it; `flow` itself for the opener.
    pub opener: FlowId,
}

impl TrafficPlan {
    /// Returns the place of `flow` in [`TrafficPlan::joint`], if its connection is shared.
    pub fn joint_place(&self, flow: FlowId) -> Option<usize> {
        self.joint
            .binary_search_by_key(&flow, |joint| joint.flow)
            .ok()
    }

    /// Gives all flows of a connection the segment size of the flow that opens it.
    pub(crate) fn share_mss(&mut self) {
        for joint in &self.joint {
            self.flows[joint.flow.0 as usize].mss = self.flows[joint.opener.0 as usize].mss;
        }
    }

    /// Returns 1 for a flow towards the host that opened its connection, 0 for one from there.
    pub(crate) fn answers(&self, joint: Joint) -> usize {
        let src = |flow: FlowId| self.flows[flow.0 as usize].src;
        usize::from(src(joint.flow) != src(joint.opener))
    }
}

/// Flow: a message of `size` bytes from `src` to `dst`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FlowPlan {
    /// Sending host.
    pub src: HostId,
    /// Receiving host; never `src`.
    pub dst: HostId,
    /// Payload bytes, from 1 to [`FlowPlan::LARGEST`]; [`FlowPlan::ENDLESS`] for a flow that never ends.
    pub size: u64,
    /// Hand-over by the application.
    pub start: Start,
    /// Index into [`TrafficPlan::classes`].
    pub class: u8,
    /// Query that it answers or asks, an index into [`TrafficPlan::queries`].
    pub query: Option<u32>,
    /// True for a query's request, false for a response.
    pub request: bool,
    /// Payload bytes of a full segment; `None` for the transport's.
    pub mss: Option<NonZeroU16>,
}

impl FlowPlan {
    /// Size of a flow that never ends.
    pub const ENDLESS: u64 = u64::MAX;

    /// Largest flow that ends, in bytes: the sequence numbers of one subflow.
    pub const LARGEST: u64 = Packet::SUBFLOW_BYTES - 1;

    /// Returns true if the flow never ends.
    pub fn is_endless(&self) -> bool {
        self.size == FlowPlan::ENDLESS
    }

    /// Returns the payload bytes of a full segment; `transport` if the flow has none.
    pub fn mss_or(&self, transport: u32) -> u32 {
        self.mss.map_or(transport, |mss| u32::from(mss.get()))
    }
}

impl TrafficPlan {
    /// Returns the number of flows a run does not wait for: endless ones, and those in a closed loop, which
    /// replace another or are replaced. They may be unfinished when the others are done.
    pub fn unawaited(&self) -> u64 {
        let mut unawaited: Vec<bool> = (self.flows.iter()).map(FlowPlan::is_endless).collect();
        for (f, flow) in self.flows.iter().enumerate() {
            if let Start::Replace { flow: before, .. } = flow.start {
                unawaited[f] = true;
                unawaited[before.0 as usize] = true;
            }
        }
        unawaited.into_iter().filter(|is| *is).count() as u64
    }

    /// Returns the payload bytes of the largest segment that a flow may send; `transport` is the transport's.
    pub fn largest_mss(&self, transport: u32) -> u32 {
        let each = self.flows.iter().map(|flow| flow.mss_or(transport));
        each.fold(transport, u32::max)
    }
}

/// Time at which the application hands a flow over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    /// The flow starts at this instant.
    At(Time),
    /// The flow starts `wait` after the last byte of `flow` was delivered; that flow ends at this flow's
    /// source.
    After {
        /// Flow waited for.
        flow: FlowId,
        /// Time from the end of that flow to the start of this one.
        wait: Time,
    },
    /// In a closed loop, the flow starts when the last byte of `flow` is delivered, if that is before `until`,
    /// and otherwise never. That flow ends at this flow's source.
    Replace {
        /// Flow whose place it takes.
        flow: FlowId,
        /// End of the loop.
        until: Time,
    },
}

impl Start {
    /// Returns the flow that it waits for.
    pub fn follows(self) -> Option<FlowId> {
        match self {
            Start::At(_) => None,
            Start::After { flow, .. } | Start::Replace { flow, .. } => Some(flow),
        }
    }

    /// Returns true if it takes another flow's place in a closed loop.
    pub fn replaces(self) -> bool {
        matches!(self, Start::Replace { .. })
    }
}

/// Query: it begins at `start` and completes with its last response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QueryPlan {
    /// Time at which it is asked.
    pub start: Time,
    /// Host that asks, and receives the responses.
    pub target: HostId,
    /// Responses that complete it.
    pub responses: u32,
    /// Index into [`TrafficPlan::classes`].
    pub class: u8,
}
