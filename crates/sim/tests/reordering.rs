//! Senders that learn from needless repairs, on a network that loses nothing and puts nothing in order.

use crate::common;

use common::*;
use sidestep_sim::*;
use sidestep_switch::*;
use sidestep_transport::*;
use sidestep_types::*;

/// Sixteen hosts, each of which sends 4 MB to one in another pod, over paths drawn for each packet.
fn sprayed(transport: TcpConfig) -> Outcome {
    let network = topology("fat_tree", &[("k", "4")]);
    let mut settings = config("droptail", 1, 1);
    settings.switch.route = chosen_route("spray-random", &[]);
    settings.switch.capacity = Capacity::Unlimited;
    settings.transport = transport.into();
    let flows = (0..16).map(|src| flow(src, (src + 5) % 16, 4_000_000, Time::ZERO));
    let outcome = run(&network, plan(flows.collect()), settings, Time::from_s(2));
    assert_conserved(&outcome);
    assert!(outcome.flows.iter().all(|f| f.finished.is_some()));
    let totals = &outcome.totals;
    assert_eq!(totals.drops, [0; DropReason::COUNT]);
    assert_eq!(
        totals.spurious_retransmits, totals.retransmits,
        "nothing is lost"
    );
    let sum = |of: fn(&FlowOutcome) -> u32| outcome.flows.iter().map(|f| u64::from(of(f))).sum();
    let [fast, dsacks, undone]: [u64; 3] = [
        sum(|f| f.fast_retransmits),
        sum(|f| f.dsacks),
        sum(|f| f.undone),
    ];
    assert_eq!(
        (totals.fast_retransmits, totals.dsacks, totals.undone),
        (fast, dsacks, undone)
    );
    outcome
}

fn newreno(recovery: Recovery, reordering: ReorderingConfig) -> TcpConfig {
    TcpConfig {
        recovery,
        reordering,
        limited_transmit: true,
        receive_window: 64 << 10,
        ..TcpConfig::default()
    }
}

#[test]
fn senders_that_hear_of_needless_repairs_make_fewer_and_are_done_sooner() {
    let fixed = ReorderingConfig {
        dsack: true,
        ..TcpConfig::default().reordering
    };
    let learns = ReorderingConfig {
        rule: ThresholdRule::Dsack,
        share: 1.0,
        undo: true,
        ..fixed
    };
    let early = ReorderingConfig {
        dsack: false,
        rule: ThresholdRule::Early,
        ..learns
    };
    let before = sprayed(newreno(Recovery::Sack, fixed));
    let after = sprayed(newreno(Recovery::Sack, learns));
    let alone = sprayed(newreno(Recovery::NewReno, early));
    let plain = sprayed(newreno(Recovery::NewReno, TcpConfig::default().reordering));
    let (told, repaired) = (before.totals.dsacks, before.totals.retransmits);
    // What comes when all is delivered is told by nobody.
    assert!(
        told <= repaired && told * 10 > repaired * 9,
        "{told} of {repaired}"
    );
    assert_eq!(before.totals.undone, 0);
    assert!(after.totals.undone > 0);
    assert!(after.totals.fast_retransmits * 4 < before.totals.fast_retransmits);
    assert!(after.end < before.end, "{} and {}", after.end, before.end);
    assert!(alone.totals.undone > 0 && alone.totals.dsacks == 0);
    assert!(alone.totals.fast_retransmits < plain.totals.fast_retransmits);
}
