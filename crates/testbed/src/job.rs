//! A scenario's plan as a job for the testbed's hosts.

use crate::scale::Scale;
use crate::traffic::{Flow, Job, Start};
use sidestep_study::lab::Scenario;
use sidestep_study::sim::{self, FlowPlan, Plan};
use sidestep_study::types::FlowId;

/// Every flow of `plan`, at the testbed's pace.
pub fn job(scenario: &Scenario, plan: &Plan, scale: Scale) -> Job {
    let opener = |f: usize| {
        let place = plan.joint_place(FlowId(f as u32))?;
        Some(plan.joint[place].opener.0 as usize).filter(|opener| *opener != f)
    };
    let transport = scenario.schemes[0].config.transport.mss();
    // Hosts were told the largest that any of them may have.
    let own = plan.flows.iter().any(|flow| flow.mss.is_some());
    let flow = |(f, flow): (usize, &FlowPlan)| Flow {
        back_on: opener(f),
        src: flow.src.0 as usize,
        dst: flow.dst.0 as usize,
        bytes: (!flow.is_endless()).then_some(flow.size),
        start: match flow.start {
            sim::Start::At(time) => Start::At(scale.here_ns(time)),
            sim::Start::After { flow, wait } => Start::After {
                flow: flow.0 as usize,
                wait_ns: scale.here_ns(wait),
            },
            sim::Start::Replace { flow, until } => Start::Replace {
                flow: flow.0 as usize,
                until_ns: scale.here_ns(until),
            },
        },
        mss: own.then(|| flow.mss_or(transport)),
    };
    Job {
        flows: plan.flows.iter().enumerate().map(flow).collect(),
        lasts_ns: scale.here_ns(scenario.duration),
        horizon_ns: scale.here_ns(scenario.duration.saturating_add(scenario.drain)),
    }
}
