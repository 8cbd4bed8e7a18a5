//! Senders and receivers of the caller's.

use crate::plan::FlowPlan;
use sidestep_transport::{AnyReceiver, AnySender};
use sidestep_types::FlowId;

/// What makes the ends of flows, when they are the caller's.
pub(super) struct Machines {
    pub sender: Box<Make<AnySender>>,
    pub receiver: Box<Make<AnyReceiver>>,
}

type Make<End> = dyn FnMut(FlowId, &FlowPlan) -> End + Send;
