//! Custom senders and receivers, made by the caller's functions.

use crate::plan::FlowPlan;
use sidestep_transport::{AnyReceiver, AnySender};
use sidestep_types::FlowId;

/// Functions that make the ends of flows, if the caller provides them.
pub(super) struct CustomEnds {
    pub sender: Box<MakeEnd<AnySender>>,
    pub receiver: Box<MakeEnd<AnyReceiver>>,
}

type MakeEnd<End> = dyn FnMut(FlowId, &FlowPlan) -> End + Send;
