//! Custom shims, no shims, and impossible stacks.

use super::*;
use std::collections::VecDeque;

/// Shim that adds this many bytes to outgoing packets, and takes them off arriving ones.
struct Longer(u16);

impl Shim for Longer {
    fn down(&mut self, _: Time, packet: &mut Packet) {
        packet.wire += self.0;
    }
    fn up(&mut self, _: Time, packet: &mut Packet) -> Up {
        packet.wire -= self.0;
        Up::Pass
    }
}

fn run_with_stack(plan: Arc<TrafficPlan>, make: impl Fn() -> Vec<AnyShim>) -> Outcome {
    let network = topology("single_switch", &[("hosts", "4")]);
    let mut world: World = World::new(&network, plan, config("droptail", 100, 1)).unwrap();
    world.set_shims(|_| Stack::of(make()));
    world.run_until(Time::from_s(1));
    world.finish()
}

#[test]
fn a_shim_may_make_packets_longer() {
    let bytes = |outcome: &Outcome| outcome.ports.iter().map(|p| p.wire_bytes).sum::<u64>();
    let plain = run_with_stack(incast(1..4, 20_000), Vec::new);
    let long = run_with_stack(incast(1..4, 20_000), || {
        vec![
            AnyShim::Custom(Box::new(Longer(3))),
            AnyShim::Custom(Box::new(Longer(4))),
        ]
    });
    assert_eq!(plain.totals.packet_hops, long.totals.packet_hops);
    assert_eq!(bytes(&long), bytes(&plain) + 7 * plain.totals.packet_hops);
    assert!(long.end > plain.end);
}

/// Shim that drops the third data packet that arrives.
#[derive(Default)]
struct Agent(u32);

impl Shim for Agent {
    fn up(&mut self, _: Time, packet: &mut Packet) -> Up {
        self.0 += u32::from(packet.carries_data());
        match packet.carries_data() && self.0 == 3 {
            true => Up::Drop,
            false => Up::Pass,
        }
    }
}

/// Shim that holds each data packet for a millisecond.
#[derive(Default)]
struct Holds {
    held: VecDeque<(Time, Packet)>,
    due: Time,
}

impl Shim for Holds {
    fn up(&mut self, now: Time, packet: &mut Packet) -> Up {
        if !packet.carries_data() {
            return Up::Pass;
        }
        self.held.push_back((now + Time::from_ms(1), *packet));
        Up::Keep
    }
    fn deadline(&self) -> Option<Time> {
        self.held.front().map(|held| held.0)
    }
    fn on_timeout(&mut self, now: Time) {
        self.due = now;
    }
    fn poll_up(&mut self, _: Time) -> Option<Packet> {
        self.held
            .pop_front_if(|held| held.0 <= self.due)
            .map(|held| held.1)
    }
}

/// The timer of a shim delivers the last packet, and nothing arrives at that instant.
#[test]
fn a_run_ends_with_its_last_delivery_where_a_shim_makes_it() {
    let flows = plan(vec![flow(0, 1, 20_000, Time::ZERO)]);
    let outcome = run_with_stack(flows, || vec![AnyShim::Custom(Box::<Holds>::default())]);
    assert_eq!(Some(outcome.end), outcome.flows[0].finished);
    // Acknowledgements of the last segments are still in flight.
    assert!(outcome.totals.in_flight > 0);
}

#[test]
fn what_a_shim_drops_is_lost_above_the_network_and_repaired() {
    let flows = plan(vec![flow(0, 1, 20_000, Time::ZERO)]);
    let outcome = run_with_stack(flows, || vec![AnyShim::Custom(Box::<Agent>::default())]);
    assert_conserved(&outcome);
    let totals = outcome.totals;
    assert_eq!(
        (totals.shim_dropped, totals.drops.iter().sum::<u64>()),
        (1, 0)
    );
    // The result is the same as if a switch had dropped it.
    let below = run_losing(&[2], config("droptail", 100, 1));
    let counts = |o: &Outcome| (o.totals.retransmits, o.totals.spurious_retransmits);
    assert_eq!(counts(&outcome), counts(&below));
    assert!(outcome.flows[0].finished == below.flows[0].finished && below.end > Time::ZERO);
}

#[test]
fn shims_that_cannot_be_are_refused() {
    let network = topology("single_switch", &[("hosts", "4")]);
    let said = |shims| {
        let mut settings = config("ecn", 100, 1);
        settings.shims = shims;
        let world = World::<WheelAgenda>::new(&network, incast(1..2, 100), settings);
        world.err().expect("refused")
    };
    assert!(said([order("1 ms"), order("1 ms")].concat()).contains("\"order\" twice"));
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 60,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn no_shims_at_all_and_a_stack_of_none_are_the_same_run(
        network in any_network(), mut config in any_switches(), plan in any_plan(16),
    ) {
        config.shims = Vec::new();
        let until = Time::from_ms(40);
        let bare = run(&network, plan.clone(), config.clone(), until);
        let mut world: World = World::new(&network, plan, config).expect("a world");
        world.set_shims(|_| Stack::of(Vec::new()));
        world.run_until(until);
        prop_assert_eq!(bare, world.finish());
    }
}
