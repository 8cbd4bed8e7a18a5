//! What the applications will do: every flow and query of a run, drawn before it starts.
//!
//! A plan is immutable while the run goes on, so that hosts may read it from any thread.

use sidestep_types::{FlowId, HostId, Packet, Time};

/// The flows and queries of a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Plan {
    /// Names of the traffic classes, one per workload of the scenario; at most 256.
    pub classes: Vec<String>,
    /// All flows. A [`FlowId`] is an index here.
    pub flows: Vec<FlowPlan>,
    /// All queries.
    pub queries: Vec<QueryPlan>,
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
}

impl FlowPlan {
    /// The size of a flow that never ends.
    pub const ENDLESS: u64 = u64::MAX;

    /// The largest flow that ends, in bytes: a packet's sequence number has 48 bits.
    pub const LARGEST: u64 = Packet::SUBFLOW_BYTES - 1;

    /// Does the flow never end?
    pub fn is_endless(&self) -> bool {
        self.size == FlowPlan::ENDLESS
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
