//! Max-min fair shares of endless flows, by arithmetic, without sending a packet.
//!
//! **Decision**     each flow uses the links of its path, [`ways::Ways`]: where a switch keeps a flow together,
//!                  one next hop drawn for it; where it sprays, an equal part of the flow on each. The
//!                  acknowledgements, one for each full segment, use the links of a separate path back:
//!                  they take the capacity they need and limit no flow. [`fill::fill`] raises all rates
//!                  together until links are full. The result is repeated for many draws, each with other
//!                  hashes.
//! **State**        none; one stream for each draw, the same for every scheme of a seed.
//! **Units**        a share is goodput over the capacity of the slower of the two hosts' links.
//! **Errors**       none: a scenario without a flow to share for is refused when it is read.
//! **Source**       progressive filling: Bertsekas and Gallager, Data Networks, section 6.5.2.
//! **Deviations**   real TCP shares by round trips and losses instead; shares of several subflows are not
//!                  computed; acknowledgements are one a segment even where they are delayed, and take the
//!                  routes of data; links are as they are before the first change.

mod fill;
mod ways;

use crate::record::payload_share;
use crate::scheme::SchemeConfig;
use fill::{Use, fill};
use sidestep_sim::{FlowPlan, Network, Start, TrafficPlan};
use sidestep_types::{Framing, HEADER_BYTES, Seed};
use ways::Ways;

/// Returns the flows that are all active at once: the endless flows or, if there are none, the first flow
/// of each closed loop.
pub(crate) fn active(plan: &TrafficPlan) -> Vec<&FlowPlan> {
    let endless: Vec<&FlowPlan> = plan.flows.iter().filter(|f| f.is_endless()).collect();
    if !endless.is_empty() {
        return endless;
    }
    let mut followed = vec![false; plan.flows.len()];
    for flow in &plan.flows {
        if let Start::Replace { flow: before, .. } = flow.start {
            followed[before.0 as usize] = true;
        }
    }
    let heads = plan.flows.iter().zip(followed);
    let heads = heads.filter(|(flow, followed)| *followed && !flow.start.replaces());
    heads.map(|(flow, _)| flow).collect()
}

/// Computes the share of each active flow, for each of `draws` draws of hashes; for a single draw where nothing
/// is drawn. Empty if a flow has several subflows.
pub(crate) fn shares(
    network: &Network,
    plan: &TrafficPlan,
    config: &SchemeConfig,
    draws: u64,
    seed: u64,
) -> Vec<Vec<f64>> {
    let flows = active(plan);
    let transports = config.class_transports(plan);
    let of = |flow: &FlowPlan| transports.of(&config.transport, flow.class);
    let nobody = flows.is_empty() && config.transport.has_subflows();
    if nobody || flows.iter().any(|flow| of(flow).has_subflows()) {
        return Vec::new();
    }
    let ways = Ways::new(network, config);
    let draws = if ways.draws { draws } else { 1 };
    let capacities: Vec<f64> = (network.cables.iter())
        .flat_map(|cable| [cable.rate.as_bps() as f64; 2])
        .collect();
    let framing = config.framing;
    let mss = |flow: &FlowPlan| flow.mss_or(config.transport.mss());
    let of_draw = |draw: u64| {
        let mut rng = Seed(seed).stream(("fair", draw));
        let mut way = |src, dst| {
            let mut uses: Vec<Use> = Vec::new();
            ways.walk(src, dst, &mut rng, |link, part| uses.push((link, part)));
            uses
        };
        let ways_of = |flow: &&FlowPlan| (way(flow.src, flow.dst), way(flow.dst, flow.src));
        let (data, acks): (Vec<_>, Vec<_>) = flows.iter().map(ways_of).unzip();
        let per_byte: Vec<f64> = flows
            .iter()
            .map(|flow| ack_bytes(framing, mss(flow)))
            .collect();
        let mut rates = fill(&capacities, &data);
        for _ in 0..ROUNDS {
            let mut left = capacities.clone();
            for ((rate, per_byte), uses) in rates.iter().zip(&per_byte).zip(&acks) {
                for (link, part) in uses {
                    left[*link] -= rate * per_byte * part;
                }
            }
            left.iter_mut().for_each(|left| *left = left.max(0.0));
            rates = fill(&left, &data);
        }
        let share = |(rate, flow): (f64, &&FlowPlan)| {
            let own = |host| capacities[ways.nic(host)];
            rate * payload_share(framing, mss(flow)) / own(flow.src).min(own(flow.dst))
        };
        rates.into_iter().zip(&flows).map(share).collect()
    };
    (0..draws).map(of_draw).collect()
}

/// Iterations between rates and acknowledgements, which share the links: each brings them nearer by
/// the ratio of their sizes, 0.07 for segments of 512 B.
const ROUNDS: usize = 6;

/// Returns the bytes of acknowledgements for each byte of full packets, on a wire.
fn ack_bytes(framing: Framing, mss: u32) -> f64 {
    f64::from(framing.wire(HEADER_BYTES)) / f64::from(framing.wire(mss + HEADER_BYTES))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Scenario;

    fn read(text: &str) -> Scenario {
        let read = Scenario::read("t.toml", text, &[], &sidestep_sim::NoFiles);
        read.unwrap_or_else(|problems| panic!("{problems:?}"))
    }

    fn of(text: &str, draws: u64) -> Vec<Vec<f64>> {
        let scenario = read(text);
        let (plan, config) = (scenario.plan(1).unwrap(), &scenario.schemes[0].config);
        shares(&scenario.network, &plan, config, draws, 1)
    }

    /// Two leaves of two hosts, two spines; every host sends to the other leaf. IP packets of 552 B.
    const LEAVES: &str = "duration = \"1 ms\"\nschemes = [\"one\"]\nframing = \"ip\"\n\
        [topology]\nkind = \"leaf_spine\"\nleaves = 2\nspines = 2\nhosts_per_leaf = 2\n\
        host_rate = \"100 Mbps\"\nfabric_rate = \"100 Mbps\"\n\
        [transport]\nmss = \"512 B\"\n\
        [workload.all]\nkind = \"permutation\"\napart = \"rack\"\n\
        [scheme.one.switch]\nroute = \"ROUTE\"\n";

    /// A link carries a flow and the acknowledgements of the reverse flow: 552 and 40 B for each segment.
    #[test]
    fn equal_splits_leave_every_flow_what_acknowledgements_leave_of_its_link() {
        let shares = of(&LEAVES.replace("ROUTE", "spray-random"), 7);
        assert_eq!(shares.len(), 1, "nothing is drawn");
        assert_eq!(shares[0].len(), 4);
        for share in &shares[0] {
            assert!((share - 512.0 / 592.0).abs() < 1e-6, "{share}");
        }
    }

    /// If both flows of a leaf use one spine, each has half of it; if they use two, each has a whole one.
    #[test]
    fn hashes_put_two_flows_on_one_link_half_of_the_time() {
        let draws = of(&LEAVES.replace("ROUTE", "ecmp"), 400);
        assert_eq!(draws.len(), 400);
        let mean = draws.iter().flatten().sum::<f64>() / 1600.0;
        // Half of the flows have a link to themselves. The acknowledgements of a flow at full or half rate
        // leave 512/592 of it or more to payload, and less where two meet. The other half have half of a link,
        // less acknowledgements.
        assert!((0.62..0.69).contains(&mean), "{mean}");
        for share in draws.iter().flatten() {
            // Two flows, beside the acknowledgements of two at full rate.
            let ends = (1.0 - 80.0 / 552.0) / 2.0 * 512.0 / 552.0..512.0 / 552.0;
            assert!(ends.contains(share), "{share}");
        }
    }

    #[test]
    fn the_same_seed_draws_the_same_and_another_draws_others() {
        let text = LEAVES.replace("ROUTE", "ecmp");
        let scenario = read(&text);
        let (plan, config) = (scenario.plan(1).unwrap(), &scenario.schemes[0].config);
        let draw = |seed| shares(&scenario.network, &plan, config, 20, seed);
        assert_eq!(draw(1), draw(1));
        assert_ne!(draw(1), draw(2));
        assert_eq!(draw(1)[..5], shares(&scenario.network, &plan, config, 5, 1));
    }

    #[test]
    fn of_a_closed_loop_the_first_flows_count() {
        let scenario = read(
            "duration = \"2 ms\"\nschemes = [\"dctcp\"]\n[topology]\nkind = \"fat_tree\"\nk = 4\n\
             [workload.loop]\nkind = \"replace\"\nactive = 9\ncdf = \"off\"\nsize = \"20 kB\"\n\
             [workload.query]\nkind = \"incast\"\ndegree = 15\nsize = \"20 kB\"\n",
        );
        let plan = scenario.plan(1).unwrap();
        assert!(plan.flows.len() > 24);
        let heads = active(&plan);
        assert_eq!(heads.len(), 9);
        assert!(
            heads
                .iter()
                .all(|flow| flow.start == Start::At(sidestep_types::Time::ZERO))
        );
    }
}
