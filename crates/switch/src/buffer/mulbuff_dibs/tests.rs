//! Tests of which packets are detoured, and to which ports.

use super::*;
use crate::buffer::detour::tests::made;
use crate::testing::{StillQueues, data, full_packets};
use crate::{Class, Depth};
use sidestep_types::{FlowId, HostId, Kind, PortId};

const KEPT: Verdict = Verdict::Enqueue { mark: false };

/// Creates six ports: 0 and 1 lead to hosts, 2 to 5 to switches. `short` packets of the short class wait at
/// each, of two flows, and the ports have room for far more.
fn six_ports(short: [u32; 6]) -> StillQueues {
    let class = |n: u32| Class {
        depth: full_packets(n),
        flows: 2,
    };
    StillQueues {
        classes: short.map(|n| vec![class(n), Class::default()]).into(),
        ..StillQueues::of(&short, 1000, &[2, 3, 4, 5])
    }
}

fn of_class(service: u8) -> Packet {
    let mut pkt = data();
    pkt.set_service(service);
    pkt
}

/// Admits 3,000 packets like `pkt` that want port 0. Returns how many went to each port, and how many were
/// dropped.
fn go(sets: &[(&str, &str)], pkt: &Packet, queues: &StillQueues) -> ([u32; 6], u32) {
    let mut policy: MulBuffDibs = made(sets).unwrap();
    let mut rng = Rng::from_seed(1);
    let (mut to, mut dropped) = ([0; 6], 0);
    for _ in 0..3_000 {
        let mut queues = queues.clone();
        let want = queues.want(0);
        match policy.admit(pkt, want, &mut queues, &mut rng) {
            Verdict::Detour { port, mark: true } => to[port.index()] += 1,
            Verdict::Drop(DropReason::Full) => dropped += 1,
            other => panic!("{other:?}"),
        }
    }
    (to, dropped)
}

#[test]
fn short_flows_without_room_go_uniformly_to_switches_whose_queue_of_the_class_has_room() {
    // Two flows have room for six packets. At port 3 the class holds 225 kB, the full limit of short flows. At
    // port 4 it has far more than two flows' room, and one packet less than the full limit.
    let queues = six_ports([6, 0, 0, 150, 149, 7]);
    let (to, dropped) = go(&[], &of_class(0), &queues);
    assert_eq!((to[0], to[1], to[3], dropped), (0, 0, 0, 0));
    // Expected: 1000 each, with a standard deviation of 26.
    assert!(
        [2, 4, 5].iter().all(|&p| (880..1120).contains(&to[p])),
        "{to:?}"
    );
}

#[test]
fn long_flows_without_room_are_dropped_as_by_mulbuff() {
    let mut queues = six_ports([0; 6]);
    queues.classes[0][1].depth = full_packets(16);
    assert_eq!(go(&[], &of_class(1), &queues), ([0; 6], 3_000));
    // With long flows from the third class on, the second class is detoured.
    queues.classes[0][1].flows = 1;
    let (to, dropped) = go(&[("long", "2")], &of_class(1), &queues);
    assert_eq!((to[0] + to[1], dropped), (0, 0));
}

#[test]
fn what_fits_stays_marked_by_its_class_and_draws_nothing() {
    let mut policy: MulBuffDibs = made(&[("mark_at", "4 pkt")]).unwrap();
    let mut rng = Rng::from_seed(1);
    let before = rng.clone();
    for (waits, mark) in [(0, false), (3, false), (4, true), (5, true)] {
        let mut queues = six_ports([waits, 0, 0, 0, 0, 0]);
        let want = queues.want(0);
        let verdict = policy.admit(&of_class(0), want, &mut queues, &mut rng);
        assert_eq!(verdict, Verdict::Enqueue { mark });
        assert_eq!(queues.seen.len(), 1, "its flow is counted first");
    }
    assert_eq!(rng, before);
}

#[test]
fn a_detour_marks_or_the_queue_of_the_class_that_it_joins_does() {
    let sets = [("mark_detours", "false"), ("mark_at", "5 pkt")];
    let mut policy: MulBuffDibs = made(&sets).unwrap();
    let mut rng = Rng::from_seed(1);
    // Only ports 2 and 3 are open. The long class counts nowhere.
    let mut queues = six_ports([6, 0, 4, 5, 150, 150]);
    queues.classes[2][1].depth = full_packets(90);
    for _ in 0..100 {
        let want = queues.want(0);
        let Verdict::Detour { port, mark } =
            policy.admit(&of_class(0), want, &mut queues, &mut rng)
        else {
            panic!("two ports are open");
        };
        assert_eq!(mark, port == PortId(3), "{port:?}");
    }
}

#[test]
fn where_it_came_from_and_how_often_it_may_go_around_are_settings_as_in_dibs() {
    let mut queues = six_ports([6, 0, 0, 150, 150, 150]);
    queues.ingress = Some(PortId(2));
    let mut pkt = of_class(0);
    assert_eq!(go(&[], &pkt, &queues).0[2], 3_000);
    assert_eq!(go(&[("ingress", "false")], &pkt, &queues), ([0; 6], 3_000));
    pkt.detours = 3;
    let mut said = |most: &str| {
        let mut policy: MulBuffDibs = made(&[("max_detours", most)]).unwrap();
        let want = queues.want(0);
        policy.admit(&pkt, want, &mut queues, &mut Rng::from_seed(1))
    };
    assert!(matches!(said("4"), Verdict::Detour { .. }));
    assert_eq!(said("3"), Verdict::Drop(DropReason::Detours));
}

#[test]
fn acknowledgements_go_by_the_ports_and_those_of_long_flows_are_dropped() {
    // Only port 1, which leads to a host, and port 5 have room.
    let mut queues = six_ports([0; 6]);
    queues.depths = [1000, 0, 1000, 1000, 1000, 999].map(full_packets).into();
    queues.classes[5][0].depth = Depth {
        packets: 999,
        bytes: u32::MAX,
    };
    let mut ack = Packet::new(Kind::Ack, FlowId(0), HostId(0), 0);
    ack.wire = 84;
    let (to, dropped) = go(&[], &ack, &queues);
    assert_eq!((to[5], dropped), (3_000, 0));
    ack.set_service(1);
    assert_eq!(go(&[], &ack, &queues), ([0; 6], 3_000));
    assert_eq!(
        go(&[], &of_class(0), &queues),
        ([0; 6], 3_000),
        "no room for data"
    );
    // With room at its own port the packet stays.
    queues.depths[0] = full_packets(999);
    let mut policy: MulBuffDibs = made(&[]).unwrap();
    ack.set_service(0);
    let want = queues.want(0);
    let verdict = policy.admit(&ack, want, &mut queues, &mut Rng::from_seed(1));
    assert_eq!(verdict, KEPT);
}

#[test]
fn it_refuses_what_either_of_the_two_refuses() {
    let refused = |name, text| {
        made::<MulBuffDibs>(&[(name, text)])
            .unwrap_err()
            .to_string()
    };
    assert!(refused("product", "250 kB").contains("but leaves 0 B; raise total"));
    assert!(refused("max_detours", "256").contains("must be from 1 to 255, got 256"));
}

#[test]
fn its_reasons_name_the_class_and_what_it_found() {
    let said = |pkt: &Packet, queues: &mut StillQueues, sets: &[(&str, &str)]| {
        let mut policy: MulBuffDibs = made(sets).unwrap();
        let want = queues.want_for(PortId(0), pkt);
        let verdict = policy.admit(pkt, want, queues, &mut Rng::from_seed(1));
        let mut snapshot = SwitchSnapshot {
            packet: pkt,
            capacity: queues.capacity,
            ports: 6,
            queues,
            name: &|port| format!("port {}", port.0),
        };
        policy.why(&mut snapshot, want, verdict)
    };
    let room = "its class 0 holds 6 packets (9,000 bytes); its limit is 6 packets and 225,000 \
                bytes, with flows: 2";
    let mut queues = six_ports([6, 0, 0, 150, 150, 5]);
    let words = said(&of_class(0), &mut queues, &[("ingress", "false")]);
    let detoured = ["nothing", "5 packets (7,500 bytes)"].map(|waits| {
        format!(
            "{room}; among the other ports to a switch with room for its class, one is drawn, each \
             with probability 1/2; the class holds {waits} there"
        )
    });
    assert!(detoured.contains(&words), "{words}");
    let words = said(
        &of_class(0),
        &mut six_ports([6, 0, 150, 150, 150, 150]),
        &[],
    );
    assert_eq!(
        words,
        format!("{room}; no other port to a switch has room for its class")
    );
    queues.classes[0][1].depth = full_packets(16);
    let words = said(&of_class(1), &mut queues, &[]);
    assert!(
        words.ends_with("; class 1 holds long flows, which are not detoured"),
        "{words}"
    );
    let mut often = of_class(0);
    often.detours = 3;
    let words = said(&often, &mut queues, &[("max_detours", "3")]);
    assert_eq!(
        words,
        "it was detoured 3 times already, and max_detours is 3"
    );
    let words = said(&of_class(0), &mut six_ports([1, 0, 0, 0, 0, 0]), &[]);
    assert!(words.starts_with("its class 0 holds 1 packet"), "{words}");
}
