//! Custom policies, in no registry: plugged in, called and obeyed like any other.

use crate::common;

use common::any::*;
use common::*;
use proptest::prelude::*;
use sidestep_sim::*;
use sidestep_switch::*;
use sidestep_types::Rng;
use sidestep_types::*;
use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;

/// Scheduler that ranks by the number of the flow: the highest is the worst, of equals the latest.
#[derive(Default)]
struct ByFlow(Vec<(u32, u32)>);

impl Sched for ByFlow {
    fn push(&mut self, packet: &Packet, handle: u32) {
        self.0.push((packet.flow.0, handle));
    }
    fn pop(&mut self) -> Option<u32> {
        (!self.0.is_empty()).then(|| self.0.remove(0).1)
    }
    fn worst(&self) -> Option<u32> {
        self.0.iter().map(|waiting| waiting.0).max()
    }
    fn evict(&mut self) -> Option<u32> {
        let worst = self.worst()?;
        let latest = self.0.iter().rposition(|waiting| waiting.0 == worst)?;
        Some(self.0.remove(latest).1)
    }
}

/// Buffer policy that evicts for a lower flow.
struct Lower;

impl Buffer for Lower {
    fn admit(
        &mut self,
        packet: &Packet,
        want: Want,
        queues: &mut dyn Queues,
        _: &mut Rng,
    ) -> Verdict {
        if want.depth.packets == 0 {
            let empty = queues.empty_at(want.port) <= queues.now();
            assert!(empty, "the last bit of an empty queue has left");
        }
        if want.fits {
            return Verdict::Enqueue { mark: false };
        }
        match queues.worst(want.port) {
            Some(worst) if packet.flow.0 < worst => Verdict::Evict { mark: false },
            _ => Verdict::Drop(DropReason::Full),
        }
    }
}

/// Runs `plan` on a fat-tree whose switches evict by flow.
fn run_evicting(config: WorldConfig, plan: Arc<TrafficPlan>) -> Outcome {
    let network = topology("fat_tree", &[("k", "4")]);
    let mut world: World = World::new(&network, plan, config).unwrap();
    world.set_scheds(|_, _| AnySched::Custom(Box::new(ByFlow::default())));
    world.set_buffers(|_| AnyBuffer::Custom(Box::new(Lower)));
    world.run_until(Time::from_ms(40));
    let queued: u64 = world.queue_lengths().iter().map(|n| u64::from(*n)).sum();
    let outcome = world.finish();
    assert!(
        queued <= outcome.totals.in_flight,
        "{queued} queued: {:?}",
        outcome.totals
    );
    outcome
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 60,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn packets_that_are_evicted_are_counted_once_and_leave_no_room_taken(
        config in any_switches(), plan in any_plan(16),
    ) {
        let capacity = config.switch.capacity;
        let outcome = run_evicting(config, plan);
        assert_conserved(&outcome);
        for port in outcome.ports.iter().filter(|p| matches!(p.from, End::Switch(_))) {
            if let Capacity::PerPort(Size::Packets(limit)) = capacity {
                prop_assert!(u64::from(port.peak_packets) <= limit);
            }
            if let Capacity::PerPort(Size::Bytes(limit)) = capacity {
                prop_assert!(u64::from(port.peak_bytes) <= limit.0);
            }
        }
    }
}

#[test]
fn a_lower_flow_takes_the_place_of_a_higher_one() {
    let mut settings = config("ecn", 5, 1);
    settings.trace = TraceFilter::Flows((0..8).collect());
    let outcome = run_evicting(settings, incast(1..9, 14_600));
    assert_conserved(&outcome);
    let evicted = outcome.totals.drops[DropReason::Evicted as usize];
    assert!(evicted > 10, "{evicted}");
    assert!(
        outcome.flows[0].drops < outcome.flows[7].drops,
        "{:?}",
        outcome.flows
    );
    let gone = |trace: &&PacketTrace| {
        trace.steps.last().unwrap().what.dropped() == Some(DropReason::Evicted)
    };
    assert_eq!(outcome.traces.iter().filter(gone).count() as u64, evicted);
}

/// Route to the last of the next hops, or to a port that may not exist.
struct Last(Option<u16>);

impl Route for Last {
    fn pick(&mut self, _: &Packet, hops: Hops<'_>, _: &mut dyn Queues, _: &mut Rng) -> PortId {
        self.0.map_or(hops.ports[hops.ports.len() - 1], PortId)
    }
}

fn run_routed(port: Option<u16>) -> Outcome {
    let network = topology(
        "leaf_spine",
        &[("leaves", "2"), ("spines", "3"), ("hosts_per_leaf", "2")],
    );
    let flows = plan(vec![
        flow(0, 2, 50_000, Time::ZERO),
        flow(1, 3, 50_000, Time::ZERO),
    ]);
    let mut world: World = World::new(&network, flows, config("ecn", 100, 1)).unwrap();
    world.set_routes(|_| AnyRoute::Custom(Box::new(Last(port))));
    assert!(world.run_until(Time::from_s(1)));
    world.finish()
}

#[test]
fn a_route_of_ones_own_decides_the_way() {
    let outcome = run_routed(None);
    assert_conserved(&outcome);
    let used = |p: &&PortOutcome| {
        let between = matches!((p.from, p.to), (End::Switch(_), End::Switch(_)));
        between && p.packets > 0
    };
    // Up from each leaf and down to each, over one spine of three.
    assert_eq!(outcome.ports.iter().filter(used).count(), 4);
}

#[test]
#[should_panic(expected = "port 60000 of a switch with 5")]
fn a_route_of_ones_own_that_names_a_port_that_is_not_there_is_stopped() {
    run_routed(Some(60_000));
}

#[test]
fn a_scheduler_of_ones_own_decides_the_order_and_loses_nothing() {
    let network = topology("single_switch", &[("hosts", "4")]);
    let mut world: World =
        World::new(&network, incast(1..4, 14_600), config("ecn", 100, 1)).unwrap();
    world.set_scheds(|_, _| AnySched::Custom(Box::new(Lifo::default())));
    assert!(world.run_until(Time::from_s(1)));
    let outcome = world.finish();
    assert_conserved(&outcome);
    let reordered = |o: &Outcome| o.flows.iter().map(|f| f.reordered).sum::<u32>();
    assert!(reordered(&outcome) > 0);
    let fifo = run(
        &network,
        incast(1..4, 14_600),
        config("ecn", 100, 1),
        Time::from_s(1),
    );
    assert_eq!(reordered(&fifo), 0);
}

#[test]
fn a_buffer_of_ones_own_is_asked_for_every_packet() {
    struct Deaf;
    impl Buffer for Deaf {
        fn admit(&mut self, _: &Packet, _: Want, _: &mut dyn Queues, _: &mut Rng) -> Verdict {
            Verdict::Drop(DropReason::Early)
        }
    }
    let network = topology("single_switch", &[("hosts", "2")]);
    let mut world: World =
        World::new(&network, incast(1..2, 14_600), config("ecn", 100, 1)).unwrap();
    world.set_buffers(|_| AnyBuffer::Custom(Box::new(Deaf)));
    world.run_until(Time::from_ms(5));
    let outcome = world.finish();
    assert_eq!(outcome.totals.drops, [0, 0, 10, 0, 0, 0]);
}

#[test]
#[should_panic(expected = "port 60000 of a switch with 2")]
fn a_buffer_of_ones_own_that_names_a_port_that_is_not_there_is_stopped() {
    struct Lost;
    impl Buffer for Lost {
        fn admit(&mut self, _: &Packet, _: Want, q: &mut dyn Queues, _: &mut Rng) -> Verdict {
            q.depth(PortId(60_000));
            Verdict::Enqueue { mark: false }
        }
    }
    let network = topology("single_switch", &[("hosts", "2")]);
    let mut world: World = World::new(&network, incast(1..2, 1460), config("ecn", 100, 1)).unwrap();
    world.set_buffers(|_| AnyBuffer::Custom(Box::new(Lost)));
    world.run_until(Time::from_ms(1));
}

/// Scheduler with one queue for flows with even and one for flows with odd numbers, served in turn. It counts
/// the flows it is shown.
#[derive(Default)]
struct SequentialCrew {
    waiting: [VecDeque<(u32, u16)>; 2],
    flows: [BTreeSet<u32>; 2],
    last: usize,
}

fn class_of(packet: &Packet) -> u8 {
    (packet.flow.0 % 2) as u8
}

impl Sched for SequentialCrew {
    fn push(&mut self, packet: &Packet, handle: u32) {
        self.waiting[usize::from(class_of(packet))].push_back((handle, packet.wire));
    }
    fn pop(&mut self) -> Option<u32> {
        let other = 1 - self.last;
        self.last = if self.waiting[other].is_empty() {
            self.last
        } else {
            other
        };
        Some(self.waiting[self.last].pop_front()?.0)
    }
    fn queue(&self, service: u8) -> Class {
        let (class, waiting) = (usize::from(service), &self.waiting[usize::from(service)]);
        Class {
            depth: Depth {
                packets: waiting.len() as u32,
                bytes: waiting.iter().map(|(_, wire)| u32::from(*wire)).sum(),
            },
            flows: self.flows[class].len() as u32,
        }
    }
    fn see(&mut self, packet: &Packet, _: Time) {
        self.flows[usize::from(class_of(packet))].insert(packet.flow.0);
    }
}

/// Buffer policy with room for this many packets for each flow of the class that ever came by.
struct PerFlow(u32);

impl Buffer for PerFlow {
    fn admit(&mut self, packet: &Packet, want: Want, q: &mut dyn Queues, _: &mut Rng) -> Verdict {
        let service = class_of(packet);
        let before = q.queue(want.port, service);
        q.see(want.port, packet);
        let Class { depth, flows } = q.queue(want.port, service);
        assert_eq!(depth, before.depth, "who is seen waits nowhere yet");
        assert!(flows > 0 && flows - before.flows <= 1);
        assert!(depth.bytes >= 64 * depth.packets && depth.bytes <= 1518 * depth.packets);
        let beside = q.queue(want.port, 1 - service).depth.packets;
        let waits = depth.packets + beside;
        assert!(waits <= want.depth.packets && want.depth.packets <= waits + 1);
        match depth.packets < self.0 * flows {
            true => Verdict::Enqueue { mark: false },
            false => Verdict::Drop(DropReason::Full),
        }
    }
}

#[test]
fn a_scheduler_that_counts_flows_makes_room_for_the_first_packet_of_each() {
    let network = topology("fat_tree", &[("k", "4")]);
    let run = |room| {
        let settings = config("ecn", 100, 1);
        let mut world: World = World::new(&network, incast(1..16, 20_000), settings).unwrap();
        world.set_scheds(|_, _| AnySched::Custom(Box::new(SequentialCrew::default())));
        world.set_buffers(move |_| AnyBuffer::Custom(Box::new(PerFlow(room))));
        world.run_until(Time::from_s(2));
        world.finish()
    };
    let outcome = run(1);
    assert_conserved(&outcome);
    assert!(outcome.totals.drops[DropReason::Full as usize] > 0);
    // At most fifteen answers are queued before one host: eight of them even.
    let peak = outcome
        .ports
        .iter()
        .filter(|p| p.to == End::Host(HostId(0)));
    assert_eq!(peak.map(|p| p.peak_packets).max(), Some(16));
    assert!(outcome.flows.iter().all(|flow| flow.finished.is_some()));
    assert_eq!(run(100).totals.drops[DropReason::Full as usize], 0);
}

#[test]
fn where_no_scheduler_looks_nothing_is_seen_and_no_class_is_known() {
    struct Asks;
    impl Buffer for Asks {
        fn admit(&mut self, p: &Packet, want: Want, q: &mut dyn Queues, _: &mut Rng) -> Verdict {
            q.see(want.port, p);
            assert_eq!(q.queue(want.port, class_of(p)), Class::default());
            match want.fits {
                true => Verdict::Enqueue { mark: false },
                false => Verdict::Drop(DropReason::Full),
            }
        }
    }
    let network = topology("fat_tree", &[("k", "4")]);
    let run = |own: bool| {
        let settings = config("droptail", 100, 1);
        let mut world: World = World::new(&network, incast(1..16, 20_000), settings).unwrap();
        if own {
            world.set_buffers(|_| AnyBuffer::Custom(Box::new(Asks)));
        }
        world.run_until(Time::from_s(2));
        world.finish()
    };
    assert_eq!(run(true), run(false));
}
