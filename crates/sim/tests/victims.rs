//! Victims: queued packets that were evicted, and their destinations, over random runs.

use crate::common;

use common::*;
use proptest::prelude::*;
use sidestep_sim::*;
use sidestep_switch::{AnyBuffer, AnySched, Buffer, Capacity, DropReason, Queues, Verdict, Want};
use sidestep_switch::{Sched, buffer};
use sidestep_types::Rng;
use sidestep_types::*;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Returns Vertigo over small ranked queues, with every packet's path kept.
fn vertigo(capacity: Capacity, seed: u64, sched_name: &str) -> WorldConfig {
    let mut config = config("vertigo", 1, seed);
    config.switch.sched = chosen_sched(sched_name, &[]);
    config.switch.capacity = capacity;
    config.transport = pfabric().into();
    config.trace = TraceFilter::Detoured(0);
    config
}

/// Returns flows of one packet each, many of the same size, which is their rank, from all hosts to two.
fn bursts(sizes: &[u64], each: u32) -> Arc<TrafficPlan> {
    let mut flows = Vec::new();
    for burst in 0..each {
        for src in 2..16u32 {
            let size = sizes[(src + burst) as usize % sizes.len()];
            let start = Time::from_us(u64::from(burst) * 4);
            flows.push(flow(src, (src + burst) % 2, size, start));
        }
    }
    plan(flows)
}

/// Per port, packets that joined and were sent from there: rank (or flow, where the scheduler keeps order
/// within flows), time of joining, and time of the next step.
type Passages = BTreeMap<(SwitchId, PortId), Vec<(u64, Time, Time)>>;

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 40,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn victims_go_to_switches_alone_and_queues_stay_first_in_first_out_within_a_rank_or_flow(
        seed: u64, limit in 2u32..9, bytes: bool, crossing: bool,
        sizes in proptest::collection::vec(1u64..1460, 1..4),
        sched in proptest::sample::select(buffer::nature("vertigo").sched),
    ) {
        let network = topology("fat_tree", &[("k", "4")]);
        let capacity = match bytes {
            true => Size::Bytes(Bytes(u64::from(limit) * 1518)),
            false => Size::Packets(u64::from(limit)),
        };
        let plan = bursts(&sizes, 24);
        let mut config = vertigo(Capacity::PerPort(capacity), seed, sched);
        config.switch.cioq = crossing.then_some(CioqConfig {
            speedup: (1, 1),
            input_capacity: None,
        });
        let mut world: World = World::new(&network, plan.clone(), config).expect("a world");
        world.watch(Watching { detours: usize::MAX, ..Watching::default() });
        world.run_until(Time::from_ms(60));
        let (outcome, watched) = world.finish_watched();
        assert_conserved(&outcome);
        let switch_ports: Vec<(SwitchId, PortId, bool)> = outcome
            .ports
            .iter()
            .filter_map(|p| match p.from {
                End::Switch(s) => Some((s, p.port, matches!(p.to, End::Switch(_)))),
                End::Host(_) => None,
            })
            .collect();
        let leads_to_switch = |switch, port| {
            switch_ports.contains(&(switch, port, true))
        };
        for port in outcome.ports.iter().filter(|p| matches!(p.from, End::Switch(_))) {
            match bytes {
                true => prop_assert!(u64::from(port.peak_bytes) <= u64::from(limit) * 1518),
                false => prop_assert!(port.peak_packets <= limit),
            }
        }
        let (mut detours, mut of_data, mut passages) = (Vec::new(), 0, Passages::new());
        for trace in &outcome.traces {
            // pFabric's order is that of flows: an acknowledgement, which ranks first, has its flow's data sent
            // before an equal rank that waited longer.
            let by_flow = sched == "pfabric";
            // For a packet that opens a connection, a path does not tell whether it has a rank.
            let ordered = by_flow || (!trace.ack && trace.seq > 0);
            let group = match by_flow {
                true => u64::from(trace.flow.0),
                false => plan.flows[trace.flow.0 as usize].size,
            };
            for (i, step) in trace.steps.iter().enumerate() {
                let Some((switch, joined)) = step.what.queued() else {
                    continue;
                };
                if joined.detoured() {
                    of_data += u64::from(!trace.ack);
                    let (wanted, taken) = (joined.wanted, joined.port);
                    detours.push((step.at, switch, wanted, taken));
                    prop_assert!(leads_to_switch(switch, taken), "{step:?}");
                    // The evicted packet left the queue, and the arriving one took its place.
                    prop_assert!(bytes || joined.wanted_queue == limit, "{step:?}");
                }
                let Some(next) = trace.steps.get(i + 1) else {
                    continue;
                };
                // A drop by the next switch, or by this one of a queued packet.
                let stayed = matches!(next.what, TraceEvent::At(then, _) if then == End::Switch(switch));
                // A packet that crosses to an output is queued at its input first.
                if ordered && !stayed && !crossing {
                    let at = (switch, joined.port);
                    passages.entry(at).or_default().push((group, step.at, next.at));
                }
            }
        }
        prop_assert_eq!(detours.len() as u64, outcome.totals.detours);
        prop_assert_eq!(of_data, outcome.classes[0].detours);
        let logged = watched.detours.iter().map(|d| (d.at, d.switch, d.wanted, d.taken));
        let mut logged: Vec<_> = logged.collect();
        logged.sort_unstable();
        detours.sort_unstable();
        prop_assert_eq!(detours, logged);
        for list in passages.values_mut() {
            list.sort_unstable();
            for pair in list.windows(2) {
                // At one instant either may have come first.
                let apart = pair[0].0 != pair[1].0 || pair[0].1 == pair[1].1;
                prop_assert!(apart || pair[0].2 < pair[1].2, "{pair:?}");
            }
        }
    }
}

/// Checks that runs do move packets; the property above would hold of runs that move none.
#[test]
fn such_runs_move_packets_more_than_once_and_drop_some() {
    let network = topology("fat_tree", &[("k", "4")]);
    let capacity = Capacity::PerPort(Size::Bytes(Bytes(4 * 1518)));
    let config = vertigo(capacity, 7, "srpt");
    let outcome = run(
        &network,
        bursts(&[1460, 100, 700, 1000, 1300], 40),
        config,
        Time::from_ms(60),
    );
    let moved_at = |trace: &PacketTrace| {
        let pairs = trace.steps.windows(2);
        let twice_here = |pair: &&[TraceStep]| match (pair[0].what, pair[1].what) {
            (TraceEvent::At(here, _), TraceEvent::At(then, event)) => {
                here == then && event.joined().is_some()
            }
            _ => false,
        };
        pairs.filter(twice_here).count()
    };
    let moves: Vec<usize> = outcome.traces.iter().map(moved_at).collect();
    let more_than_once = moves.iter().filter(|m| **m > 1).count();
    assert!(more_than_once > 0, "moved: {}", moves.iter().sum::<usize>());
    assert!(outcome.totals.drops[DropReason::Evicted as usize] > 0);
    assert!(outcome.totals.detours > 0);
}

/// Without deflection, Vertigo's queues are those of pFabric's buffer in the same order of service.
#[test]
fn without_deflection_and_marks_it_drops_what_pfabric_drops() {
    let network = topology("fat_tree", &[("k", "4")]);
    let capacity = Capacity::PerPort(Size::Packets(6));
    let go = |name: &str, sets: &[(&str, &str)]| {
        let mut config = vertigo(capacity, 7, "srpt");
        config.switch.buffer = chosen_buffer(name, sets);
        run(&network, incast(1..16, 40_000), config, Time::from_ms(60))
    };
    let alone = go("vertigo", &[("deflect", "false"), ("mark_at", "off")]);
    let pfabric = go("pfabric", &[]);
    assert!(pfabric.totals.drops[DropReason::Evicted as usize] > 0);
    assert_eq!(alone, pfabric);
}

/// A scheduler that forgets a packet it must evict, behind a policy that squeezes.
#[test]
fn a_policy_that_squeezes_where_a_scheduler_lies_is_stopped() {
    struct Lies(Vec<u32>);
    impl Sched for Lies {
        fn push(&mut self, _: &Packet, handle: u32) {
            self.0.push(handle);
        }
        fn pop(&mut self) -> Option<u32> {
            self.0.pop()
        }
        fn worst(&self) -> Option<u32> {
            Some(u32::MAX)
        }
    }
    struct Squeezes;
    impl Buffer for Squeezes {
        fn admit(&mut self, _: &Packet, want: Want, _: &mut dyn Queues, _: &mut Rng) -> Verdict {
            Verdict::Squeeze {
                port: want.port,
                mark: false,
            }
        }
    }
    let network = topology("fat_tree", &[("k", "4")]);
    let config = vertigo(Capacity::PerPort(Size::Packets(2)), 7, "srpt");
    let mut world: World = World::new(&network, incast(1..16, 40_000), config).unwrap();
    world.set_scheds(|_, _| AnySched::Custom(Box::new(Lies(Vec::new()))));
    world.set_buffers(|_| AnyBuffer::Custom(Box::new(Squeezes)));
    let run = std::panic::AssertUnwindSafe(|| world.run_until(Time::from_ms(60)));
    let said = std::panic::catch_unwind(run).unwrap_err();
    let said = said.downcast::<&str>().map(|s| s.to_string());
    let said = said
        .or_else(|other| other.downcast::<String>().map(|s| *s))
        .unwrap();
    assert!(said.contains("nothing to evict"), "{said}");
}

/// Buffer policy that evicts, puts the evicted packets back, and counts them.
#[derive(Clone, Default)]
struct Back(Arc<AtomicU64>);

impl Buffer for Back {
    fn admit(&mut self, _: &Packet, want: Want, q: &mut dyn Queues, _: &mut Rng) -> Verdict {
        assert!(q.ingress().is_some());
        match (want.fits, q.worst(want.port)) {
            (true, _) => Verdict::Enqueue { mark: false },
            (false, Some(_)) => Verdict::Evict { mark: false },
            (false, None) => Verdict::Drop(DropReason::Full),
        }
    }
    fn displaced(&mut self, _: &Packet, port: PortId, q: &mut dyn Queues, _: &mut Rng) -> Verdict {
        // The port by which it came is no longer known.
        assert_eq!(q.ingress(), None);
        self.0.fetch_add(1, Ordering::Relaxed);
        Verdict::Detour { port, mark: false }
    }
}

#[test]
fn a_packet_that_waited_came_in_by_no_port_and_may_go_back_without_a_detour() {
    let network = topology("fat_tree", &[("k", "4")]);
    let config = vertigo(Capacity::PerPort(Size::Packets(2)), 7, "srpt");
    let back = Back::default();
    let mut world: World = World::new(&network, incast(1..16, 40_000), config).unwrap();
    world.set_buffers(|_| AnyBuffer::Custom(Box::new(back.clone())));
    world.run_until(Time::from_ms(60));
    let outcome = world.finish();
    assert_conserved(&outcome);
    assert!(back.0.load(Ordering::Relaxed) > 0);
    assert_eq!((outcome.totals.detours, outcome.classes[0].detours), (0, 0));
    assert_eq!(outcome.totals.drops[DropReason::Evicted as usize], 0);
}

#[test]
fn a_packet_that_waited_crosses_no_second_time() {
    let network = topology("single_switch", &[("hosts", "4"), ("delay", "1 us")]);
    let mut config = vertigo(Capacity::PerPort(Size::Packets(2)), 7, "srpt");
    config.switch.cioq = Some(CioqConfig {
        speedup: (2, 1),
        input_capacity: None,
    });
    // The first is on the wire and the second is queued when the third comes and takes its place.
    let flows = [(0, 1460, 0), (1, 1460, 2), (2, 700, 22)];
    let flows = flows.map(|(src, size, us)| flow(src, 3, size, Time::from_us(us)));
    let back = Back::default();
    let mut world: World = World::new(&network, plan(flows.to_vec()), config).unwrap();
    world.set_buffers(|_| AnyBuffer::Custom(Box::new(back.clone())));
    assert!(world.run_until(Time::from_ms(1)));
    let finished = world.finish().flows[1].finished.unwrap();
    assert_eq!(back.0.load(Ordering::Relaxed), 1);
    // Behind the first: to the switch, across, and two transmissions.
    assert_eq!(finished, Time::from_ns(3 * 12_304 + 6_152 + 2 * 1_000));
}
