//! Tests of limits and of the packets that they admit.

use super::*;
use crate::testing::{StillQueues, data};
use crate::{AnySched, Sched};
use proptest::prelude::*;
use sidestep_types::{FlowId, HostId, Kind, PortId, Rng, Time, Value, Values};

fn mulbuff(sets: &[(&'static str, Value)]) -> Result<MulBuff, String> {
    let mut values = Values::defaults(MulBuff::ENTRY.params);
    sets.iter()
        .for_each(|(name, value)| values.set(name, value.clone()));
    MulBuff::from_values(&values, 4, 0).map_err(String::from)
}

fn is_static() -> (&'static str, Value) {
    ("sizes", Value::Word("static".into()))
}

/// Returns the verdict on a packet of 1500 bytes while this many packets and bytes of its class wait, of
/// `flows` flows.
fn said(policy: &mut MulBuff, service: u8, (packets, bytes): (u32, u32), flows: u32) -> Verdict {
    let mut queues = StillQueues::of(&[0], 1000, &[]);
    let class = Class {
        depth: Depth { packets, bytes },
        flows,
    };
    queues.classes[0] = vec![Class::default(); 4];
    queues.classes[0][usize::from(service)] = class;
    let mut pkt = data();
    pkt.set_service(service);
    let want = queues.want(0);
    let verdict = policy.admit(&pkt, want, &mut queues, &mut Rng::from_seed(0));
    let seen: Vec<PortId> = queues.seen.iter().map(|seen| seen.0).collect();
    assert_eq!(seen.is_empty(), policy.per_flow.is_none(), "counted first");
    verdict
}

const FULL: Verdict = Verdict::Drop(DropReason::Full);
const KEPT: Verdict = Verdict::Enqueue { mark: false };

#[test]
fn a_short_queue_holds_three_packets_a_flow_and_never_more_than_the_total_less_the_product() {
    let mut policy = mulbuff(&[("mark_at", Value::Off)]).unwrap();
    for flows in 1..=49 {
        let n = 3 * flows;
        assert_eq!(said(&mut policy, 0, (n - 1, (n - 1) * 1500), flows), KEPT);
        assert_eq!(said(&mut policy, 0, (n, n * 64), flows), FULL, "{flows}");
    }
    // From fifty flows on, 225 kB is the lower limit.
    assert_eq!(said(&mut policy, 0, (149, 223_500), 50), KEPT);
    for flows in [51, 1000, u32::MAX] {
        assert_eq!(said(&mut policy, 0, (149, 223_501), flows), FULL);
        assert_eq!(said(&mut policy, 0, (149, 223_500), flows), KEPT);
    }
    assert_eq!(
        said(&mut policy, 0, (0, 0), 0),
        FULL,
        "without a flow there is no room"
    );
    let bytes = ("per_flow", Value::Size(Size::Bytes(Bytes(4_500))));
    let mut policy = mulbuff(&[bytes, ("mark_at", Value::Off)]).unwrap();
    assert_eq!(said(&mut policy, 0, (9, 7_500), 2), KEPT);
    assert_eq!(said(&mut policy, 0, (9, 7_501), 2), FULL);
    for flows in [50, 51, u32::MAX] {
        assert_eq!(said(&mut policy, 0, (9, 223_500), flows), KEPT);
        assert_eq!(said(&mut policy, 0, (9, 223_501), flows), FULL);
    }
}

#[test]
fn a_long_queue_holds_the_product_and_a_static_one_all_its_room_whatever_the_flows() {
    for flows in [0, 1, 900] {
        let mut policy = mulbuff(&[("mark_at", Value::Off)]).unwrap();
        for long in [1, 3] {
            assert_eq!(said(&mut policy, long, (15, 23_500), flows), KEPT);
            assert_eq!(said(&mut policy, long, (15, 23_501), flows), FULL);
        }
        let mut policy = mulbuff(&[is_static(), ("mark_at", Value::Off)]).unwrap();
        assert_eq!(said(&mut policy, 0, (900, 223_500), flows), KEPT);
        assert_eq!(said(&mut policy, 0, (1, 223_501), flows), FULL);
        let mut policy = mulbuff(&[("long", Value::Count(3))]).unwrap();
        assert_eq!(said(&mut policy, 2, (3, 4_500), 1), FULL, "short as well");
    }
}

#[test]
fn a_mark_is_by_the_queue_of_the_class() {
    let mut policy = mulbuff(&[("mark_at", Value::Size(Size::Packets(4)))]).unwrap();
    assert_eq!(said(&mut policy, 0, (3, 4_500), 9), KEPT);
    assert_eq!(
        said(&mut policy, 0, (4, 6_000), 9),
        Verdict::Enqueue { mark: true }
    );
}

#[test]
fn what_carries_no_data_and_what_the_port_has_no_room_for_go_by_the_port_alone() {
    let mut policy = mulbuff(&[]).unwrap();
    let mut queues = StillQueues::of(&[9, 10], 10, &[]);
    let mut ack = Packet::new(Kind::Ack, FlowId(0), HostId(0), 0);
    ack.wire = 84;
    let mut rng = Rng::from_seed(0);
    let mut admit = |pkt: &Packet, port| {
        let want = queues.want(port);
        policy.admit(pkt, want, &mut queues, &mut rng)
    };
    assert_eq!(
        (admit(&ack, 0), admit(&ack, 1), admit(&data(), 1)),
        (KEPT, FULL, FULL)
    );
}

#[test]
fn products_and_rooms_that_hold_no_packet_are_refused_with_the_numbers() {
    let refused = |sets: &[(&'static str, Value)]| mulbuff(sets).unwrap_err();
    let bytes = |b| Value::Bytes(Bytes(b));
    assert_eq!(
        refused(&[("product", bytes(250_000))]),
        "product (250 kB) must leave a packet (1.5 kB) of total (250 kB) to short flows, but \
         leaves 0 B; raise total or lower product"
    );
    let small = refused(&[("product", bytes(1_000))]);
    assert_eq!(small, "product must hold a full packet, 1.5 kB, got 1 kB");
    for size in [Size::Packets(0), Size::Bytes(Bytes(1_499))] {
        let said = refused(&[("per_flow", Value::Size(size))]);
        assert!(
            said.starts_with("per_flow must hold a full packet, 1 pkt or 1.5 kB, got"),
            "{said}"
        );
    }
    assert_eq!(
        refused(&[("long", Value::Count(9))]),
        "long must be from 0 to 8, got 9"
    );
}

/// Port with a scheduler and the buffer policy; the port itself has unlimited room.
struct Port {
    policy: MulBuff,
    sched: AnySched,
    now: Time,
    waiting: Vec<Packet>,
}

impl Port {
    fn queues(&self) -> StillQueues {
        StillQueues {
            now: self.now,
            classes: vec![(0..2).map(|class| self.sched.queue(class)).collect()],
            ..StillQueues::of(&[0], u64::MAX, &[])
        }
    }

    /// Offers a packet. Returns true if it joined.
    fn offer(&mut self, pkt: &Packet) -> bool {
        let mut queues = self.queues();
        // The queues show the state after the policy has shown the packet to the scheduler.
        self.sched.see(pkt, self.now);
        queues.classes = self.queues().classes;
        let want = queues.want_for(PortId(0), pkt);
        let verdict = self
            .policy
            .admit(pkt, want, &mut queues, &mut Rng::from_seed(0));
        if verdict == FULL {
            return false;
        }
        self.sched.see(pkt, self.now);
        self.sched.push(pkt, self.waiting.len() as u32);
        self.waiting.push(*pkt);
        true
    }
}

fn port(silence: Time) -> Port {
    let entry = crate::sched::ENTRIES
        .iter()
        .find(|e| e.name == "wps")
        .unwrap();
    let mut values = Values::defaults(entry.params);
    values.set("silence", Value::Time(silence));
    Port {
        policy: mulbuff(&[]).unwrap(),
        sched: AnySched::build("wps", &values, 4, 0).unwrap(),
        now: Time::ZERO,
        waiting: Vec::new(),
    }
}

fn packet(flow: u32, service: u8, ends: bool) -> Packet {
    let mut pkt = data();
    (pkt.flow, pkt.hash) = (FlowId(flow), flow);
    pkt.set_service(service);
    pkt.set_ends(ends);
    pkt
}

#[test]
fn a_limit_that_falls_below_what_waits_drops_nothing_of_it() {
    let mut port = port(Time::from_us(100));
    for flow in 0..4 {
        assert!(
            [0; 3]
                .map(|_| port.offer(&packet(flow, 0, false)))
                .iter()
                .all(|joined| *joined)
        );
    }
    assert!(!port.offer(&packet(0, 0, false)), "twelve wait");
    // Nine packets leave; then three of four flows are silent, and three packets wait.
    (0..9).for_each(|_| assert!(port.sched.pop().is_some()));
    port.now = Time::from_us(150);
    assert!(!port.offer(&packet(3, 0, false)), "one flow, three packets");
    assert_eq!(port.sched.queue(0).flows, 1);
    assert!((0..3).all(|_| port.sched.pop().is_some()));
    assert!(port.offer(&packet(3, 0, false)));
}

proptest! {
    /// Checks that counts return to zero, that packets are lost only when refused, and that no queue exceeds
    /// its limit.
    #[test]
    fn over_random_flows_counts_return_to_zero_and_what_joined_leaves(
        steps in proptest::collection::vec((0u32..9, 0u8..2, 0u8..6, 0u64..90), 1..300),
    ) {
        let mut port = port(Time::from_us(100));
        let (mut joined, mut left) = (0, 0);
        for (flow, service, what, pause) in steps {
            port.now += Time::from_us(pause);
            if what < 2 {
                left += usize::from(port.sched.pop().is_some());
                continue;
            }
            joined += usize::from(port.offer(&packet(flow, service, what == 5)));
            let [short, long] = [0, 1].map(|class| port.sched.queue(class));
            prop_assert!(long.depth.bytes <= 25_000 && short.depth.bytes <= 225_000);
        }
        while port.sched.pop().is_some() {
            left += 1;
        }
        prop_assert_eq!((joined, left), (port.waiting.len(), joined));
        port.now += Time::from_us(100);
        let ack = Packet::new(Kind::Ack, FlowId(99), HostId(0), 99);
        port.sched.see(&ack, port.now);
        prop_assert_eq!([0, 1].map(|class| port.sched.queue(class).flows), [0, 0]);
    }
}
