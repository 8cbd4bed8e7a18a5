//! Split runs: a run in parts equals the run in one piece, whatever the partition.

use crate::common;

use common::any::*;
use proptest::prelude::*;
use sidestep_sim::parts::{Cut, CutError, Parts, SequentialCrew, refused};
use sidestep_sim::*;
use sidestep_types::*;
use std::sync::Arc;

/// End of every run here.
const UNTIL: Time = Time::from_ms(40);

fn cut(network: &Network, parts: usize, config: &WorldConfig) -> Result<Arc<Cut>, CutError> {
    Cut::of(network, parts, config.framing).map(Arc::new)
}

fn parts(
    network: &Network,
    plan: &Arc<TrafficPlan>,
    config: &WorldConfig,
    cut: &Arc<Cut>,
) -> Parts {
    let parts = Parts::new(network, plan, config, cut, Box::new(SequentialCrew));
    parts.expect("parts")
}

/// Results that a run can be queried for between its events.
type Look = (Vec<sidestep_switch::Depth>, Vec<u64>, Vec<u64>, u64, u64);

fn compare(
    network: &Network,
    plan: &Arc<TrafficPlan>,
    config: &WorldConfig,
    counts: &[usize],
    stops: &[Time],
) -> Result<(), TestCaseError> {
    let whole = World::new(network, Arc::clone(plan), config.clone());
    let mut whole: World = whole.expect("a world");
    let mut looks: Vec<(bool, Look)> = Vec::new();
    let flows = plan.flows.len() as u32;
    for stop in stops {
        let ended = whole.run_until(*stop);
        let now = if ended { whole.now() } else { *stop };
        let look = (
            whole.queue_depths(now),
            whole.link_bytes(),
            (0..flows).map(|f| whole.delivered(FlowId(f)).0).collect(),
            whole.unfinished(),
            whole.packet_hops(),
        );
        looks.push((ended, look));
    }
    whole.run_until(UNTIL);
    let whole = whole.finish();
    for &count in counts {
        let Ok(cut) = cut(network, count, config) else {
            continue;
        };
        let mut parts = parts(network, plan, config, &cut);
        for (stop, expected) in stops.iter().zip(&looks) {
            let ended = parts.run_until(*stop);
            let now = if ended { parts.now() } else { *stop };
            let look = (
                parts.queue_depths(now),
                parts.link_bytes(),
                (0..flows).map(|f| parts.delivered(FlowId(f)).0).collect(),
                parts.unfinished(),
                parts.packet_hops(),
            );
            prop_assert_eq!(&(ended, look), expected, "{} parts at {}", count, stop);
        }
        parts.run_until(UNTIL);
        let parts = parts.finish();
        prop_assert_eq!(
            parts.trajectory_hash,
            whole.trajectory_hash,
            "{} parts",
            count
        );
        prop_assert_eq!(&parts, &whole, "{} parts", count);
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn a_run_in_parts_is_the_run_in_one_piece(
        network in any_network(), mut config in any_switches(), plan in any_plan(16),
        subflows in any_subflows(),
        stops in proptest::collection::vec(0u64..9_000_000, 0..3),
    ) {
        over(subflows, &mut config);
        if refused(&config).is_some() {
            config.switch.pfc = None;
        }
        let mut stops: Vec<Time> = stops.into_iter().map(Time::from_ns).collect();
        stops.sort();
        compare(&network, &plan, &config, &[1, 2, 3, 4, 8], &stops)?;
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn a_run_of_several_transports_in_parts_is_the_run_in_one_piece(
        network in any_network(), mut config in any_switches(), plan in any_plan(16),
        subflows in any_subflows(),
    ) {
        config.switch.pfc = None;
        config.shims.clear();
        let mut other = config.clone();
        other.transport = common::dctcp().into();
        over(subflows, &mut other);
        config.transports.own = vec![None, Some(other.transport), Some(common::pfabric().into())];
        let mut plan = TrafficPlan::clone(&plan);
        plan.classes = ["one", "other", "third"].map(String::from).to_vec();
        for f in 0..plan.flows.len() {
            // Flows that share a connection have one transport.
            let joint = plan.joint_place(FlowId(f as u32)).map(|i| plan.joint[i].opener.0);
            plan.flows[f].class = (joint.unwrap_or(f as u32) % 3) as u8;
        }
        compare(&network, &plan.into(), &config, &[1, 2, 3], &[])?;
    }
}
