//! Conversion of a scenario's plan into a job for the testbed's hosts.

use crate::scale::Scale;
use crate::setup::MARKS;
use crate::traffic::{Flow, Job, Start};
use sidestep_lab::Scenario;
use sidestep_sim::{FlowPlan, TrafficPlan};
use sidestep_transport::shim::by_size::Announced;
use sidestep_types::{FlowId, Settings};

/// Returns the job of all flows of `plan`, with times scaled to the testbed.
pub fn job(scenario: &Scenario, plan: &TrafficPlan, scale: Scale) -> Job {
    let opener = |f: usize| {
        let place = plan.joint_place(FlowId(f as u32))?;
        Some(plan.joint[place].opener.0 as usize).filter(|opener| *opener != f)
    };
    let transport = scenario.schemes[0].config.transport.mss();
    let mut shims = scenario.schemes[0].config.shims.iter();
    let marks = shims.find(|shim| shim.name() == MARKS);
    let announced = marks.map(|shim| Announced::read(shim.values()).expect("it was read"));
    let says =
        |f: usize, size| announced.map_or(size, |announced| announced.of(FlowId(f as u32), size));
    // Hosts are configured with the largest MSS of any flow; a flow's own MSS is set if any flow has one.
    let own = plan.flows.iter().any(|flow| flow.mss.is_some());
    let flow = |(f, flow): (usize, &FlowPlan)| Flow {
        back_on: opener(f),
        src: flow.src.0 as usize,
        dst: flow.dst.0 as usize,
        bytes: (!flow.is_endless()).then_some(flow.size),
        says: (!flow.is_endless()).then(|| says(f, flow.size)),
        start: match flow.start {
            sidestep_sim::Start::At(time) => Start::At(scale.here_ns(time)),
            sidestep_sim::Start::After { flow, wait } => Start::After {
                flow: flow.0 as usize,
                wait_ns: scale.here_ns(wait),
            },
            sidestep_sim::Start::Replace { flow, until } => Start::Replace {
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

#[cfg(test)]
mod tests {
    use super::*;
    use sidestep_types::BitRate;

    /// Returns the sizes that flows of 20 kB announce with the settings `by_size`.
    fn says(by_size: &str) -> Vec<Option<u64>> {
        let text = format!(
            "duration = \"1 ms\"\nseeds = [1]\nschemes = [\"dctcp\"]\n[topology]\nkind = \"single_switch\"\n\
             hosts = 30\n[workload.w]\nkind = \"incast\"\ndegree = 29\nsize = \"20 kB\"\n[scheme.dctcp.host]\n\
             shims = [\"by-size\"]\nby-size = {{ {by_size} }}\n"
        );
        let scenario = Scenario::read("a.toml", &text, &[], &sidestep_sim::NoFiles);
        let scenario = scenario.unwrap_or_else(|why| panic!("{why:?}"));
        let plan = scenario.plan(1).unwrap();
        let rate = BitRate::gbps(1);
        let scale = Scale {
            model: rate,
            bed: rate,
        };
        let flows = job(&scenario, &plan, scale).flows;
        assert!(flows.iter().all(|flow| flow.bytes == Some(20_000)));
        flows.iter().map(|flow| flow.says).collect()
    }

    #[test]
    fn flows_say_what_the_shim_announces_of_them() {
        assert_eq!(says(""), [Some(20_000); 29]);
        assert_eq!(says("announce = \"1/10\""), [Some(2_000); 29]);
        let some = says("announce = \"1/10\", announce_share = \"1/2\"");
        let announced = |size| some.iter().filter(|says| **says == Some(size)).count();
        let (wrong, right) = (announced(2_000), announced(20_000));
        assert!(wrong > 0 && right > 0, "{some:?}");
        assert_eq!(wrong + right, 29);
    }
}
