//! Shims between the transport and the NIC of a host.

mod common;

use common::any::*;
use common::*;
use proptest::prelude::*;
use sidestep_sim::agenda::{HeapAgenda, WheelAgenda};
use sidestep_sim::*;
use sidestep_switch::{AnyBuffer, Buffer, DropReason, Queues, Verdict, Want, route};
use sidestep_transport::shim::{self, AnyShim, Shim, Stack, Up};
use sidestep_transport::{AckRule, DelayedAck, Recovery, RtoConfig, TcpConfig, TransportConfig};
use sidestep_types::{Rng, *};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

fn order(timeout: &str) -> Vec<(String, Values)> {
    vec![values(shim::ENTRIES, "order", &[("timeout", timeout)])]
}

/// Answers so to the first transmission of these packets of a flow.
#[derive(Clone)]
struct Loses(Vec<u64>, Verdict);

impl Buffer for Loses {
    fn admit(&mut self, packet: &Packet, _: Want, _: &mut dyn Queues, _: &mut Rng) -> Verdict {
        let first = packet.carries_data() && !packet.retransmit();
        match first && self.0.contains(&(packet.seq() / 1460)) {
            true => self.1,
            false => Verdict::Enqueue { mark: false },
        }
    }
}

/// One flow of 14 packets over one switch that loses these.
fn run_losing(lost: &[u64], config: WorldConfig) -> Outcome {
    let loses = Loses(lost.to_vec(), Verdict::Drop(DropReason::Early));
    run_with_buffer(|| loses.clone(), config)
}

fn run_with_buffer(make: impl Fn() -> Loses, config: WorldConfig) -> Outcome {
    let network = topology("single_switch", &[("hosts", "2")]);
    let one = plan(vec![flow(0, 1, 20_000, Time::ZERO)]);
    let mut world: World = World::new(&network, one, config).expect("a world");
    world.set_buffers(|_| AnyBuffer::Custom(Box::new(make())));
    world.run_until(Time::from_s(1));
    world.finish()
}

/// When the data that starts at this packet's byte arrived first.
fn arrived(outcome: &Outcome, packet: u64) -> Time {
    let mut data = outcome.traces.iter().filter(|t| !t.ack);
    let trace = data
        .find(|t| t.seq == packet * 1460 && ends(t))
        .expect("it arrived");
    trace.steps.last().expect("it was sent").at
}

fn ends(trace: &PacketTrace) -> bool {
    (trace.steps.last()).is_some_and(|step| step.what == TraceEvent::Delivered)
}

/// When each acknowledgement left, and of which byte.
fn acks(outcome: &Outcome) -> Vec<(Time, u64)> {
    let acks = outcome.traces.iter().filter(|trace| trace.ack);
    let mut acks: Vec<_> = acks.map(|t| (t.steps[0].at, t.seq / 1460)).collect();
    acks.sort_unstable();
    acks
}

#[test]
fn what_is_ahead_of_a_gap_is_released_at_its_deadline_to_the_picosecond() {
    let timeout = Time::from_ps(1_234_567_891);
    let mut settings = config("droptail", 100, 1);
    settings.transport = dibs(1, 1).transport;
    settings.shims = order("1 ms");
    settings.shims[0].1.set("timeout", Value::Time(timeout));
    settings.trace = TraceFilter::Flows(vec![0]);
    let outcome = run_losing(&[2, 5], settings);
    assert_conserved(&outcome);
    // Both gaps were opened by what came right behind them. Until then every arrival was answered
    // at once; 3 and 4 are answered with the first deadline, 6 to 9 with the second.
    let deadlines = [3, 6].map(|packet| arrived(&outcome, packet) + timeout);
    let mut expected = vec![(arrived(&outcome, 0), 1), (arrived(&outcome, 1), 2)];
    expected.extend([(deadlines[0], 2); 2]);
    let after = acks(&outcome)
        .into_iter()
        .filter(|ack| ack.0 <= deadlines[1]);
    let late = after.clone().filter(|ack| ack.0 > deadlines[0]);
    assert!(late.clone().all(|ack| ack == (deadlines[1], 2)));
    assert!(late.count() >= 4);
    let seen: Vec<_> = after.filter(|ack| ack.0 <= deadlines[0]).collect();
    assert_eq!(seen, expected);
    assert!(outcome.flows[0].finished.is_some());
    // The repairs of 2 and 5 come below what went on.
    let totals = outcome.totals;
    assert_eq!((totals.shim_late, totals.shim_discarded), (2, 0));
    assert_eq!(totals.shim_held, totals.shim_expired);
}

#[test]
fn a_cut_packet_passes_and_its_repair_closes_the_gap() {
    let mut settings = config("droptail", 100, 1);
    settings.transport = dibs(1, 1).transport;
    settings.shims = order("9 ms");
    let outcome = run_with_buffer(|| Loses(vec![2], Verdict::Trim), settings);
    assert_conserved(&outcome);
    let totals = outcome.totals;
    assert_eq!(
        (totals.trims, totals.retransmits, totals.timeouts),
        (1, 1, 0)
    );
    assert!(totals.shim_held > 0 && totals.shim_held == totals.shim_released);
    assert_eq!((totals.shim_expired, totals.shim_late), (0, 0));
    assert_eq!(outcome.classes[0].transport_reordered, 0);
    assert!(outcome.end < Time::from_ms(1));
}

/// Hosts of different pods, with more paths than one, and packets that go by all of them.
fn spraying(shims: Vec<(String, Values)>) -> Outcome {
    let network = topology("fat_tree", &[("k", "4")]);
    let mut settings = config("droptail", 1000, 1);
    settings.switch.route = values(route::ENTRIES, "spray-random", &[]);
    settings.shims = shims;
    let flows = (0..8).map(|n| flow(n, 15 - n, 300_000, Time::ZERO));
    run(&network, plan(flows.collect()), settings, Time::from_s(2))
}

#[test]
fn spraying_with_fast_retransmit_takes_nothing_for_loss_with_order_below() {
    let bare = spraying(Vec::new());
    let sum = |o: &Outcome, of: fn(&FlowOutcome) -> u32| o.flows.iter().map(of).sum::<u32>();
    assert!(sum(&bare, |f| f.spurious_retransmits) > 0);
    assert!(bare.classes[0].transport_reordered == bare.classes[0].reordered);
    let ordered = spraying(order("5 ms"));
    assert_conserved(&ordered);
    assert!(sum(&ordered, |f| f.reordered) > 100);
    assert_eq!(sum(&ordered, |f| f.retransmits), 0);
    assert_eq!(sum(&ordered, |f| f.transport_reordered), 0);
    let totals = ordered.totals;
    assert!(totals.shim_held > 0 && totals.shim_held == totals.shim_released);
}

/// Adds so many bytes to what leaves, and takes them off what arrives.
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

fn run_with_stack(plan: Arc<Plan>, make: impl Fn() -> Vec<AnyShim>) -> Outcome {
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

/// What is told of flows: how often they were closed, and what came up after.
#[derive(Default)]
struct Told {
    closed: u32,
    after: u32,
}

struct Listens(Arc<Mutex<Told>>);

impl Shim for Listens {
    fn close(&mut self, _: FlowId) {
        self.0.lock().unwrap().closed += 1;
    }
    fn up(&mut self, _: Time, _: &mut Packet) -> Up {
        let mut told = self.0.lock().unwrap();
        told.after += u32::from(told.closed > 0);
        Up::Pass
    }
}

#[test]
fn of_a_complete_flow_that_owes_an_acknowledgement_all_passes() {
    let network = topology("single_switch", &[("hosts", "3")]);
    let mut settings = config("droptail", 100, 1);
    // The sender does not wait for the acknowledgement of its one packet.
    settings.transport = TransportConfig::from(TcpConfig {
        delayed_ack: Some(DelayedAck {
            segments: 2,
            timeout: Time::from_ms(50),
        }),
        ack_rule: AckRule::Ns3,
        rto: RtoConfig {
            initial: Time::from_ms(10),
            ..dctcp().rto
        },
        ..dctcp()
    });
    settings.shims = order("1 ms");
    // The later flow keeps the run going.
    let flows = [(0, 1, Time::ZERO), (2, 0, Time::from_ms(60))];
    let one = plan(
        flows
            .map(|(src, dst, at)| flow(src, dst, 1_000, at))
            .to_vec(),
    );
    let ordered = run(&network, one.clone(), settings.clone(), Time::from_s(1));
    assert_conserved(&ordered);
    let totals = ordered.totals;
    assert_eq!((totals.spurious_retransmits, totals.shim_bypassed), (1, 0));
    assert!(ordered.flows[0].transport_reordered == ordered.flows[0].reordered);
    // At the receiving end alone.
    settings.shims = Vec::new();
    let mut world: World = World::new(&network, one, settings).unwrap();
    let told = Arc::new(Mutex::new(Told::default()));
    world.set_shims(|host| match host.0 {
        1 => Stack::of(vec![AnyShim::Custom(Box::new(Listens(told.clone())))]),
        _ => Stack::of(Vec::new()),
    });
    world.run_until(Time::from_s(1));
    assert_eq!(world.finish().totals.spurious_retransmits, 1);
    let told = told.lock().unwrap();
    assert_eq!((told.closed, told.after), (1, 0));
}

/// Drops each data packet that comes third.
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
    // As if a switch had dropped it.
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
    assert!(said(order("10 ms")).contains("must be below the shortest timeout of dctcp, 10 ms"));
    assert!(said([order("1 ms"), order("1 ms")].concat()).contains("\"order\" twice"));
    let unknown = vec![("odrer".to_string(), Values::default())];
    assert!(said(unknown).contains("\"odrer\" is unknown"));
}

/// New Reno without ECN, as agents need it.
fn newreno() -> TransportConfig {
    TransportConfig::from_name("newreno").expect("listed")
}

fn agent(name: &str, sets: &[(&str, &str)]) -> Vec<(String, Values)> {
    vec![values(shim::ENTRIES, name, sets)]
}

/// One flow of 14 packets that loses the third, with these shims.
fn run_losing_third(shims: Vec<(String, Values)>) -> Outcome {
    let mut settings = config("droptail", 100, 1);
    settings.transport = newreno();
    settings.shims = shims;
    let outcome = run_losing(&[2], settings);
    assert_conserved(&outcome);
    assert!(outcome.flows[0].finished.is_some());
    outcome
}

#[test]
fn a_droptail_agent_holds_a_loss_back_for_as_long_as_it_is_told() {
    // Eleven packets come behind the one that is lost, so there are eleven duplicates.
    let counts = |outcome: &Outcome| {
        let totals = outcome.totals;
        (totals.shim_duplicates, totals.shim_dropped, totals.timeouts)
    };
    let bare = run_losing_third(Vec::new());
    assert_eq!(counts(&bare), (0, 0, 0));
    let mut third = run_losing_third(agent("agent-droptail", &[]));
    assert_eq!(counts(&third), (11, 0, 0), "the first run is not held");
    third.totals.shim_duplicates = 0;
    assert_eq!(third, bare);
    let last = run_losing_third(agent("agent-droptail", &[("first", "11")]));
    assert_eq!(counts(&last), (11, 8, 0));
    assert!(last.end > bare.end && last.totals.retransmits == 1);
    let never = run_losing_third(agent("agent-droptail", &[("first", "12")]));
    assert_eq!(counts(&never), (11, 9, 1));
    let (half, whole) = (Time::from_ms(5), Time::from_ms(10));
    assert!(never.end > bare.end + half && never.end < bare.end + whole + half);
}

#[test]
fn an_ecn_agent_leaves_a_loss_without_a_mark_to_the_timeout() {
    let totals = run_losing_third(agent("agent-ecn", &[])).totals;
    assert_eq!((totals.shim_duplicates, totals.shim_dropped), (11, 11));
    assert_eq!((totals.timeouts, totals.retransmits), (1, 1));
}

#[test]
fn under_spraying_agents_keep_the_sender_from_repairing_what_is_late() {
    let sprayed = |shims| {
        let network = topology("fat_tree", &[("k", "4")]);
        let mut settings = config("droptail", 1000, 1);
        settings.transport = newreno();
        settings.switch.route = values(route::ENTRIES, "spray-random", &[]);
        settings.shims = shims;
        let flows = (0..8).map(|n| flow(n, 15 - n, 3_000_000, Time::ZERO));
        let outcome = run(&network, plan(flows.collect()), settings, Time::from_s(2));
        assert_conserved(&outcome);
        assert!(outcome.flows.iter().all(|flow| flow.finished.is_some()));
        outcome.totals
    };
    let bare = sprayed(Vec::new());
    assert!(bare.spurious_retransmits > 0 && bare.drops.iter().sum::<u64>() == 0);
    let droptail = sprayed(agent("agent-droptail", &[]));
    assert!(droptail.shim_dropped > 0 && droptail.shim_dropped < droptail.shim_duplicates);
    assert!(droptail.spurious_retransmits < bare.spurious_retransmits);
    // Nothing is marked: every duplicate is dropped, and none is for a loss.
    let ecn = sprayed(agent("agent-ecn", &[]));
    assert_eq!(ecn.shim_dropped, ecn.shim_duplicates);
    assert_eq!((ecn.retransmits, ecn.timeouts), (0, 0));
}

#[test]
fn agents_are_refused_below_other_senders() {
    let network = topology("single_switch", &[("hosts", "4")]);
    let mut settings = config("ecn", 100, 1);
    settings.shims = agent("agent-ecn", &[]);
    let world = World::<WheelAgenda>::new(&network, incast(1..2, 100), settings);
    let why = world.err().expect("refused");
    assert!(why.contains("expected recovery = \"newreno\""), "{why}");
}

/// The highest acknowledgement of each flow, below a shim and above it.
type Highest = Arc<Mutex<BTreeMap<FlowId, [u64; 2]>>>;

/// Stands below (0) or above (1) an agent: what moves below has moved above when the next comes.
struct Moves(usize, Highest);

impl Shim for Moves {
    fn up(&mut self, _: Time, packet: &mut Packet) -> Up {
        if packet.kind() == Kind::Ack {
            let mut all = self.1.lock().unwrap();
            let highest = all.entry(packet.flow).or_default();
            assert!(
                self.0 == 1 || highest[0] == highest[1],
                "an agent dropped what moves"
            );
            highest[self.0] = highest[self.0].max(packet.seq());
        }
        Up::Pass
    }
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

    /// One path for each flow, queues that are first in, first out, and room for all: nothing comes
    /// out of order.
    #[test]
    fn where_nothing_is_reordered_or_lost_order_changes_nothing(
        network in any_network(), plan in any_plan(16), seed: u64,
    ) {
        let mut config = config("droptail", 1_000_000, seed);
        let until = Time::from_ms(40);
        let bare = run(&network, plan.clone(), config.clone(), until);
        config.shims = order("1 ms");
        let mut ordered = run(&network, plan, config, until);
        // What was sent again for no loss comes late.
        let spurious = bare.totals.spurious_retransmits;
        prop_assert!(ordered.totals.shim_late <= spurious);
        ordered.totals.shim_late = 0;
        prop_assert_eq!(bare, ordered);
    }

    /// Whatever is lost or late: what moves the cumulative acknowledgement goes on, and as every repair
    /// is due by a timeout at the latest, every flow completes.
    #[test]
    fn no_agent_drops_what_moves_and_every_flow_completes(
        network in any_network(), plan in any_plan(16), shims in any_agent(),
        (room, sprays, marks, seed) in (4u64..60, any::<bool>(), any::<bool>(), any::<u64>()),
    ) {
        let mut config = config(if marks { "ecn" } else { "droptail" }, room, seed);
        config.transport = match (marks, config.transport.tcp()) {
            (true, Some(tcp)) => TcpConfig { recovery: Recovery::NewReno, ..tcp.clone() }.into(),
            _ => newreno(),
        };
        if sprays {
            config.switch.route = values(route::ENTRIES, "spray-random", &[]);
        }
        let mut world: World = World::new(&network, plan, config).expect("a world");
        let highest = Highest::default();
        world.set_shims(|_| {
            let (name, values) = &shims[0];
            let agent = shim::build(name, values).expect("it was checked");
            let moves = |at| AnyShim::Custom(Box::new(Moves(at, highest.clone())));
            Stack::of(vec![moves(1), agent, moves(0)])
        });
        world.run_until(Time::from_s(60));
        let outcome = world.finish();
        assert_conserved(&outcome);
        prop_assert!(outcome.flows.iter().all(|flow| flow.finished.is_some()));
        let totals = outcome.totals;
        prop_assert!(totals.shim_dropped <= totals.shim_duplicates);
        let all = highest.lock().unwrap();
        prop_assert!(all.values().all(|[below, above]| below == above));
    }

    /// Without loss, and with one path for each flow, nothing comes out of order, and duplicates are
    /// those of packets that were sent again in vain.
    #[test]
    fn where_there_are_no_duplicates_agents_change_nothing(
        network in any_network(), plan in any_plan(16), seed: u64, shims in any_agent(),
    ) {
        let mut config = config("droptail", 1_000_000, seed);
        config.transport = newreno();
        let until = Time::from_ms(40);
        let bare = run(&network, plan.clone(), config.clone(), until);
        config.shims = shims;
        let agent = run(&network, plan, config, until);
        prop_assert!(bare.totals.spurious_retransmits > 0 || agent.totals.shim_duplicates == 0);
        if agent.totals.shim_duplicates == 0 {
            prop_assert_eq!(bare, agent);
        }
    }

    /// Out of order is what it had no room for, or waited too long for.
    #[test]
    fn order_hands_over_in_order_what_it_can_wait_for(
        network in any_network(), mut config in any_switches(), plan in any_plan(16),
        shims in any_shims(),
    ) {
        config.shims = shims;
        let until = Time::from_ms(40);
        let wheel = run_with::<WheelAgenda>(&network, plan.clone(), config.clone(), until);
        prop_assert_eq!(&wheel, &run_with::<HeapAgenda>(&network, plan, config.clone(), until));
        assert_conserved(&wheel);
        let totals = wheel.totals;
        let handed: u32 = wheel.flows.iter().map(|f| f.transport_reordered).sum();
        if config.shims.is_empty() {
            let reordered: u32 = wheel.flows.iter().map(|f| f.reordered).sum();
            prop_assert_eq!(handed, reordered);
            prop_assert_eq!(totals.shim_held + totals.shim_late + totals.shim_bypassed, 0);
        } else if totals.shim_expired + totals.shim_bypassed == 0 {
            // But for what its own copy overtook: it was sent again for no loss.
            prop_assert!(u64::from(handed) <= totals.spurious_retransmits);
        }
        if wheel.flows.iter().all(|flow| flow.finished.is_some()) {
            prop_assert_eq!(totals.shim_discarded, 0);
        }
    }
}
