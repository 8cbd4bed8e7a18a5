//! What the applications will do: every flow and query of a run, drawn before it starts.
//!
//! A plan is immutable while the run goes on, so that hosts may read it from any thread.

use sidestep_types::{FlowId, HostId, Packet, Time};
use std::num::NonZeroU16;

/// The flows and queries of a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Plan {
    /// Names of the traffic classes, one per workload of the scenario; at most 256.
    pub classes: Vec<String>,
    /// All flows. A [`FlowId`] is an index here.
    pub flows: Vec<FlowPlan>,
    /// All queries.
    pub queries: Vec<QueryPlan>,
    /// The flows that share a connection, in the order of their numbers; any other has its own.
    pub joint: Vec<Joint>,
    /// All groups of flows.
    pub groups: Vec<GroupPlan>,
}

/// A group of flows, a burst, say, or a step of a collective: it begins with the first start of one of
/// them and completes with the last byte of all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GroupPlan {
    /// Its name in its workload.
    pub name: String,
    /// Index into [`Plan::classes`]; `None` when its flows are of several.
    pub class: Option<u8>,
    /// The first start of one of them.
    pub start: Time,
    /// Its flows in the plan, never none, in the order of their numbers. None of them is endless.
    pub flows: Vec<FlowId>,
    /// More flows of it that would start after the run's end. With any, it never completes.
    pub left_out: u32,
}

/// A flow whose connection also carries others, one way or the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Joint {
    /// Which.
    pub flow: FlowId,
    /// Whose source opens the connection, and names it; of itself `flow`.
    pub opener: FlowId,
}

impl Plan {
    /// Where `flow` stands in [`Plan::joint`], if its connection is shared.
    pub fn joint_place(&self, flow: FlowId) -> Option<usize> {
        self.joint
            .binary_search_by_key(&flow, |joint| joint.flow)
            .ok()
    }

    /// The segments of a connection are as large as those of the flow that opens it.
    pub(crate) fn share_mss(&mut self) {
        for joint in &self.joint {
            self.flows[joint.flow.0 as usize].mss = self.flows[joint.opener.0 as usize].mss;
        }
    }

    /// 1 for a flow towards the host that opened its connection, 0 for one from there.
    pub(crate) fn answers(&self, joint: Joint) -> usize {
        let src = |flow: FlowId| self.flows[flow.0 as usize].src;
        usize::from(src(joint.flow) != src(joint.opener))
    }
}

/// One flow: a message of `size` bytes from `src` to `dst`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FlowPlan {
    /// Who sends it.
    pub src: HostId,
    /// Who receives it; never `src`.
    pub dst: HostId,
    /// Payload bytes, from 1 to [`FlowPlan::LARGEST`]; [`FlowPlan::ENDLESS`] for a flow that never ends.
    pub size: u64,
    /// When the application hands it over.
    pub start: Start,
    /// Index into [`Plan::classes`].
    pub class: u8,
    /// The query it answers or asks, an index into [`Plan::queries`].
    pub query: Option<u32>,
    /// It is a query's request, not a response.
    pub request: bool,
    /// Payload bytes of a full segment; `None` is what the transport says.
    pub mss: Option<NonZeroU16>,
}

impl FlowPlan {
    /// The size of a flow that never ends.
    pub const ENDLESS: u64 = u64::MAX;

    /// The largest flow that ends, in bytes: what one subflow has sequence numbers for.
    pub const LARGEST: u64 = Packet::SUBFLOW_BYTES - 1;

    /// Does the flow never end?
    pub fn is_endless(&self) -> bool {
        self.size == FlowPlan::ENDLESS
    }

    /// Payload bytes of a full segment, where the transport's has `transport`.
    pub fn mss_or(&self, transport: u32) -> u32 {
        self.mss.map_or(transport, |mss| u32::from(mss.get()))
    }
}

impl Plan {
    /// How many flows a run does not wait for: those without an end, and those in a closed loop, which
    /// replace another or are replaced. What is under way when the others are done is left so.
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

    /// Payload bytes of the largest segment that a flow may send, where the transport's has `transport`.
    pub fn largest_mss(&self, transport: u32) -> u32 {
        let each = self.flows.iter().map(|flow| flow.mss_or(transport));
        each.fold(transport, u32::max)
    }
}

/// When the application hands a flow over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    /// The flow starts at this instant.
    At(Time),
    /// `wait` after the last byte of `flow` was delivered; that flow ends at this flow's source.
    After {
        /// The flow waited for.
        flow: FlowId,
        /// The time from the end of that flow to the start of this one.
        wait: Time,
    },
    /// In a closed loop: at once after the last byte of `flow` was delivered, if that is before
    /// `until`, and otherwise never. That flow ends at this flow's source.
    Replace {
        /// The flow whose place it takes.
        flow: FlowId,
        /// The end of the loop.
        until: Time,
    },
}

impl Start {
    /// The flow that it waits for.
    pub fn follows(self) -> Option<FlowId> {
        match self {
            Start::At(_) => None,
            Start::After { flow, .. } | Start::Replace { flow, .. } => Some(flow),
        }
    }

    /// Does it take another flow's place in a closed loop?
    pub fn replaces(self) -> bool {
        matches!(self, Start::Replace { .. })
    }
}

/// One query: it begins at `start` and completes with its last response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QueryPlan {
    /// When it is asked.
    pub start: Time,
    /// Who asks, and receives the responses.
    pub target: HostId,
    /// How many responses complete it.
    pub responses: u32,
    /// Index into [`Plan::classes`].
    pub class: u8,
}
