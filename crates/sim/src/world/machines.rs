//! Custom senders and receivers, made by the caller's functions.

use crate::plan::FlowPlan;
use sidestep_transport::{AnyReceiver, AnySender};
use sidestep_types::FlowId;

/// Functions that make the ends of flows, if the caller provides them.
pub(super) struct Machines {
    pub sender: Box<Make<AnySender>>,
    pub receiver: Box<Make<AnyReceiver>>,
}

type Make<End> = dyn FnMut(FlowId, &FlowPlan) -> End + Send;
