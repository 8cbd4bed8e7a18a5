//! A scenario's plan as a job for the testbed's hosts.

use crate::scale::Scale;
use crate::traffic::{Flow, Job, Start};
use sidestep_study::lab::Scenario;
use sidestep_study::sim::{self, FlowPlan, Plan};

/// Every flow of `plan`, at the testbed's pace.
pub fn job(scenario: &Scenario, plan: &Plan, scale: Scale) -> Job {
    let flow = |flow: &FlowPlan| Flow {
        src: flow.src.0 as usize,
        dst: flow.dst.0 as usize,
        bytes: (!flow.is_endless()).then_some(flow.size),
        start: match flow.start {
            sim::Start::At(time) => Start::At(scale.here_ns(time)),
            sim::Start::After { flow, wait } => Start::After {
                flow: flow.0 as usize,
                wait_ns: scale.here_ns(wait),
            },
            sim::Start::Replace { flow, .. } => Start::After {
                flow: flow.0 as usize,
                wait_ns: 0,
            },
        },
    };
    Job {
        flows: plan.flows.iter().map(flow).collect(),
        lasts_ns: scale.here_ns(scenario.duration),
        horizon_ns: scale.here_ns(scenario.duration.saturating_add(scenario.drain)),
    }
}
