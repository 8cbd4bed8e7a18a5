//! Transports in the simulator: pFabric's, a custom one, and the distinction of needed and spurious repairs.

#![allow(missing_docs)]

use crate::common;

use common::*;
use sidestep_sim::agenda::WheelAgenda;
use sidestep_sim::*;
use sidestep_transport::{
    Ack, AckRule, AnyReceiver, AnySender, Arrival, DelayedAck, PfabricConfig, Receiver, Segment,
    Sender, SenderCounters, TcpConfig,
};
use sidestep_types::*;

fn with(transport: PfabricConfig, packets: u64) -> WorldConfig {
    WorldConfig {
        transport: transport.into(),
        ..config("droptail", packets, 1)
    }
}

#[test]
fn eight_segments_keep_a_link_of_the_default_fat_tree_busy_and_seven_do_not() {
    let network = topology("fat_tree", &[]);
    let size = 1460 * 2000;
    let time = |window| {
        let settings = with(
            PfabricConfig {
                window,
                ..pfabric()
            },
            100,
        );
        let last = network.hosts - 1;
        let outcome = run(
            &network,
            plan(vec![flow(0, last, size, Time::ZERO)]),
            settings,
            Time::from_s(1),
        );
        assert_eq!(outcome.totals.timeouts, 0);
        outcome.flows[0].finished.expect("it is delivered")
    };
    let line_rate = BitRate::gbps(1).time_to_send(Bytes(1538 * 2000));
    assert!(time(8) < line_rate + Time::from_us(90), "{}", time(8));
    assert!(time(7) > line_rate + Time::from_us(500), "{}", time(7));
}

#[test]
fn pfabric_delivers_an_incast_through_a_queue_of_a_few_packets() {
    let network = topology("single_switch", &[("hosts", "17")]);
    for probe_after in [1, 5] {
        let settings = with(
            PfabricConfig {
                probe_after,
                ..pfabric()
            },
            6,
        );
        let outcome = run(&network, incast(1..17, 50_000), settings, Time::from_s(5));
        assert!(outcome.flows.iter().all(|f| f.finished.is_some()));
        assert!(outcome.totals.drops.iter().sum::<u64>() > 0);
        assert!(outcome.totals.timeouts > 0);
        assert!(outcome.flows.iter().all(|f| f.fast_retransmits == 0));
    }
}

#[test]
fn a_timeout_shorter_than_the_round_trip_is_spurious_and_so_is_what_it_sends() {
    let network = topology("single_switch", &[("hosts", "3")]);
    let rto = Time::from_us(10);
    let settings = with(PfabricConfig { rto, ..pfabric() }, 1000);
    let outcome = run(
        &network,
        plan(vec![flow(0, 1, 20_000, Time::ZERO)]),
        settings,
        Time::from_s(1),
    );
    let totals = outcome.totals;
    assert_eq!(totals.drops.iter().sum::<u64>(), 0);
    assert!(totals.timeouts > 0 && totals.retransmits > 0);
    assert_eq!(totals.spurious_timeouts, totals.timeouts);
    assert_eq!(totals.spurious_retransmits, totals.retransmits);
    assert_eq!(
        u64::from(outcome.flows[0].spurious_retransmits),
        totals.retransmits
    );
}

#[test]
fn a_timeout_for_what_was_dropped_is_not_spurious() {
    // Two windows of ten at once into a queue of ten, and no repair but by the timer: each sender learns of its
    // losses only by that.
    let network = topology("single_switch", &[("hosts", "3")]);
    let mut settings = config("droptail", 10, 1);
    settings.transport = TcpConfig {
        dupack_threshold: None,
        ..dctcp()
    }
    .into();
    let outcome = run(&network, incast(1..3, 14_600), settings, Time::from_s(5));
    let totals = outcome.totals;
    assert!(totals.drops.iter().sum::<u64>() > 0);
    assert!(totals.timeouts > 0);
    assert_eq!(
        (totals.spurious_timeouts, totals.spurious_retransmits),
        (0, 0)
    );
    let data_drops: u32 = outcome.flows.iter().map(|f| f.drops).sum();
    assert_eq!(totals.retransmits, u64::from(data_drops));
}

#[test]
fn a_lost_acknowledgement_makes_a_repair_spurious() {
    // Data one way and acknowledgements back share no queue, so a full queue of data on the way back drops
    // acknowledgements: 1 answers 0 through the port that all the others fill.
    let network = topology("single_switch", &[("hosts", "8")]);
    let few = |i: u64| flow(0, 1, 1000, Time::from_us(100 + 37 * i));
    let mut flows: Vec<FlowPlan> = (0..20).map(few).collect();
    flows.extend((2..8).map(|src| flow(src, 0, 200_000, Time::ZERO)));
    let mut settings = config("droptail", 4, 1);
    settings.transport = TcpConfig {
        dupack_threshold: None,
        ..dctcp()
    }
    .into();
    let outcome = run(&network, plan(flows), settings, Time::from_s(20));
    let few = &outcome.flows[..20];
    assert!(few.iter().all(|f| f.drops == 0 && f.finished.is_some()));
    assert!(few.iter().any(|f| f.timeouts > 0));
    for f in few {
        assert_eq!(f.spurious_timeouts, f.timeouts);
        assert_eq!(f.spurious_retransmits, f.retransmits);
    }
}

#[test]
fn a_lost_syn_is_no_spurious_timeout() {
    let network = topology("single_switch", &[("hosts", "12")]);
    let mut settings = config("droptail", 2, 1);
    settings.transport = TcpConfig {
        handshake: true,
        ..dctcp()
    }
    .into();
    // Eleven SYNs at once into a queue of two.
    let outcome = run(&network, incast(1..12, 1000), settings, Time::from_s(60));
    assert!(outcome.flows.iter().all(|f| f.finished.is_some()));
    assert!(outcome.totals.timeouts >= 9);
    assert_eq!(outcome.totals.spurious_timeouts, 0);
}

/// Sender of one segment of 500 bytes at a time.
struct StopAndWait {
    size: u64,
    una: u64,
    waiting: bool,
    sent: u32,
}

impl Sender for StopAndWait {
    fn on_ack(&mut self, _: Time, ack: Ack) {
        if ack.ack > self.una {
            self.una = ack.ack;
            self.waiting = false;
        }
    }
    fn on_timeout(&mut self, _: Time) {}
    fn poll_send(&mut self, _: Time) -> Option<Segment> {
        let len = 500.min(self.size - self.una) as u32;
        if len == 0 || std::mem::replace(&mut self.waiting, true) {
            return None;
        }
        self.sent += 1;
        Some(Segment {
            seq: self.una,
            len,
            syn: false,
            ect: false,
            cwr: false,
            retransmit: false,
            rank: Some(7),
        })
    }
    fn deadline(&self) -> Option<Time> {
        None
    }
    fn acknowledged(&self) -> u64 {
        self.una
    }
    fn is_done(&self) -> bool {
        self.una == self.size
    }
    fn counters(&self) -> SenderCounters {
        SenderCounters {
            segments: self.sent,
            ..SenderCounters::default()
        }
    }
}

/// Receiver that acknowledges data in order.
struct Echo {
    next: u64,
    due: bool,
}

impl Receiver for Echo {
    fn on_segment(&mut self, _: Time, arrival: Arrival) {
        self.next = self.next.max(arrival.seq + u64::from(arrival.len));
        self.due = true;
    }
    fn on_timeout(&mut self, _: Time) {}
    fn poll_ack(&mut self, _: Time) -> Option<Ack> {
        std::mem::take(&mut self.due).then_some(Ack {
            ack: self.next,
            ece: false,
            syn: false,
            sack: SackBlocks::NONE,
            cut: false,
            below: false,
            hops: 0,
        })
    }
    fn deadline(&self) -> Option<Time> {
        None
    }
    fn delivered(&self) -> u64 {
        self.next
    }
}

#[test]
fn a_transport_of_ones_own_carries_every_flow() {
    let network = topology("single_switch", &[("hosts", "4")]);
    let flows = plan(vec![
        flow(0, 1, 2_000, Time::ZERO),
        flow(2, 3, 600, Time::from_us(5)),
    ]);
    let mut world = World::<WheelAgenda>::new(&network, flows, config("droptail", 10, 1)).unwrap();
    world.set_transport(
        |_, plan| {
            AnySender::Custom(Box::new(StopAndWait {
                size: plan.size,
                una: 0,
                waiting: false,
                sent: 0,
            }))
        },
        |_, _| {
            AnyReceiver::Custom(Box::new(Echo {
                next: 0,
                due: false,
            }))
        },
    );
    assert!(world.run_until(Time::from_s(1)));
    let outcome = world.finish();
    let sent: Vec<u32> = outcome.flows.iter().map(|f| f.segments).collect();
    assert_eq!(sent, [4, 2]);
    let delivered: Vec<u64> = outcome.flows.iter().map(|f| f.delivered_bytes).collect();
    assert_eq!(delivered, [2_000, 600]);
}

/// Runs forty flows to one host with delayed acknowledgements, with room for all or for a tenth of it; returns
/// the timeouts, and the spurious ones among them.
fn timeouts_of_forty(ack_rule: AckRule, capacity: u64, size: u64) -> (u64, u64) {
    let network = topology("fat_tree", &[("k", "8")]);
    let mut settings = config("ecn", capacity, 1);
    settings.transport = TcpConfig {
        delayed_ack: Some(DelayedAck {
            segments: 2,
            timeout: Time::from_ms(40),
        }),
        ack_rule,
        ..dctcp()
    }
    .into();
    // A late flow keeps the run going until every timer has run out.
    let mut flows = incast(1..41, size).flows.clone();
    flows.push(flow(1, 2, 1000, Time::from_s(1)));
    let outcome = run(&network, plan(flows), settings, Time::from_s(2));
    assert!(outcome.flows.iter().all(|flow| flow.finished.is_some()));
    (outcome.totals.timeouts, outcome.totals.spurious_timeouts)
}

#[test]
fn delayed_acknowledgements_as_linux_has_them_make_no_sender_time_out() {
    for size in [1_000, 20_000, 21_900, 200_000] {
        assert_eq!(timeouts_of_forty(AckRule::Linux, 4000, size), (0, 0));
        let (_, spurious) = timeouts_of_forty(AckRule::Linux, 100, size);
        assert_eq!(spurious, 0, "{size} bytes");
    }
    // Segments are counted from the first on, and a lone one waits for 40 ms: an odd last segment waits longer
    // than its sender does.
    let (all, spurious) = timeouts_of_forty(AckRule::Ns3, 4000, 21_900);
    assert!(spurious > 0 && spurious == all);
}
