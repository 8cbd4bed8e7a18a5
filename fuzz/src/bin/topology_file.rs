//! Fuzzes a topology file with any text: it is refused, or becomes a network on which packets arrive.

#![no_main]

use libfuzzer_sys::fuzz_target;
use sidestep_fuzz::{OneFile, config};
use sidestep_sim::agenda::WheelAgenda;
use sidestep_sim::{FlowPlan, Network, Start, TrafficPlan, World, topology};
use sidestep_types::{HostId, Time, Value, Values};
use std::sync::Arc;

fuzz_target!(|text: &str| {
    let mut values = Values::default();
    values.set("file", Value::Word("fuzz.csv".into()));
    let Ok(network) = topology::build("custom", &values, &OneFile(text)) else {
        return;
    };
    assert_eq!(network.validate(), Ok(()));
    for cable in &network.cables {
        assert!(cable.a != cable.b, "{cable:?}");
        assert!(cable.rate.as_bps() > 0, "{cable:?}");
    }
    if network.hosts >= 2 {
        send(&network);
    }
});

/// Sends one flow across the network, for a second; the rate may be a bit per second.
fn send(network: &Network) {
    let flow = FlowPlan {
        src: HostId(0),
        dst: HostId(network.hosts - 1),
        size: 20_000,
        start: Start::At(Time::ZERO),
        class: 0,
        query: None,
        request: false,
        mss: None,
    };
    let plan = Arc::new(TrafficPlan {
        classes: vec!["one".into()],
        flows: vec![flow],
        ..TrafficPlan::default()
    });
    let world = World::<WheelAgenda>::new(network, plan, config());
    let mut world = world.expect("a valid network can be run");
    world.run_until(Time::from_s(1));
    let totals = world.finish().totals;
    let gone: u64 = totals.drops.iter().sum();
    assert_eq!(
        totals.sent,
        totals.delivered + gone + totals.in_flight,
        "{totals:?}"
    );
}
