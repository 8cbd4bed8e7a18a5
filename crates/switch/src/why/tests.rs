use super::*;
use crate::testing::{StillQueues, data, full_packets};
use crate::{AnyBuffer, AnyRoute, AnySched, Buffer, Hops, Route, Sched, buffer, route, sched};
use sidestep_types::{Bytes, FlowId, HostId, Kind, Rng, Value, Values};

/// Names three ports to switches, and port 3 to a host.
fn name(port: PortId) -> String {
    match port.0 {
        3 => "port 3 to host 9".into(),
        n => format!("port {n} to agg {n}"),
    }
}

fn snapshot<'a>(packet: &'a Packet, queues: &'a mut StillQueues) -> SwitchSnapshot<'a> {
    SwitchSnapshot {
        packet,
        capacity: queues.capacity,
        ports: queues.ports(),
        queues,
        name: &name,
    }
}

/// Creates queues of at most 100 packets; the worst packet in each ranks 5,000.
fn queues(held: [u32; 4]) -> StillQueues {
    let mut queues = StillQueues::of(&held, 100, &[0, 1, 2]);
    queues.worst = held.iter().map(|n| (*n > 0).then_some(5000)).collect();
    queues.ingress = Some(PortId(0));
    queues
}

fn packet() -> Packet {
    let mut packet = data();
    packet.set_rank(3000);
    packet
}

fn values(params: &'static [sidestep_types::Param], set: &[(&'static str, Value)]) -> Values {
    let mut values = Values::defaults(params);
    for (key, value) in set {
        values.set(key, value.clone());
    }
    values
}

/// Returns the verdict of the buffer policy `name` about a packet for port 3, and its explanation.
fn buffer_says(name: &str, set: &[(&'static str, Value)], held: [u32; 4]) -> (Verdict, String) {
    let entry = buffer::ENTRIES.iter().find(|entry| entry.name == name);
    let values = values(entry.expect("it is registered").params, set);
    let mut policy = AnyBuffer::build(name, &values, 4, 7).expect("it builds");
    let (packet, mut queues) = (packet(), queues(held));
    let want = queues.want_for(PortId(3), &packet);
    let verdict = policy.admit(&packet, want, &mut queues, &mut Rng::from_seed(4));
    let words = policy.why(&mut snapshot(&packet, &mut queues), want, verdict);
    (verdict, words)
}

#[test]
fn every_registered_policy_says_why() {
    let (packet, hops) = (packet(), [0, 1, 2].map(PortId));
    for entry in route::ENTRIES {
        let mut route = AnyRoute::build(entry.name, &Values::defaults(entry.params), 4, 7).unwrap();
        let (mut queues, mut rng) = (queues([3, 4, 5, 6]), Rng::from_seed(1));
        let taken = route.pick(&packet, Hops::of(&hops), &mut queues, &mut rng);
        let words = route.why(&mut snapshot(&packet, &mut queues), Hops::of(&hops), taken);
        said(entry.name, &words);
        assert_eq!(route.name(), entry.name);
    }
    for entry in buffer::ENTRIES {
        for held in [[0; 4], [60; 4], [99, 99, 99, 100], [100; 4]] {
            let (verdict, words) = buffer_says(entry.name, &[], held);
            said(entry.name, &words);
            let mut queues = queues(held);
            said(entry.name, &done(&snapshot(&packet, &mut queues), verdict));
        }
    }
    for entry in sched::ENTRIES {
        let mut sched = AnySched::build(entry.name, &Values::defaults(entry.params), 4, 0).unwrap();
        said(entry.name, &sched.why(&packet));
        sched.push(&packet, 1);
        said(entry.name, &sched.why(&packet));
        // A scheduler with class queues returns the class; a service above the last class waits in the last.
        let classes = [0, 1, 46].map(|service| sched.class_of(service));
        let expected = match sched::nature(entry.name).classes {
            true => [Some(0), Some(1), Some(1)],
            false => [None; 3],
        };
        assert_eq!(classes, expected, "{}", entry.name);
    }
}

/// Checks that `words` is a clause: long enough, beginning in lower case, without a full stop.
fn said(policy: &str, words: &str) {
    let begins = words
        .chars()
        .next()
        .is_some_and(|c| c.is_lowercase() || c.is_ascii_digit());
    assert!(
        words.len() >= 4 && begins && !words.ends_with('.'),
        "{policy}: {words:?}"
    );
}

#[test]
fn a_policy_that_says_nothing_is_told_by_its_verdict() {
    struct Silent;
    impl Buffer for Silent {
        fn admit(&mut self, _: &Packet, _: Want, _: &mut dyn Queues, _: &mut Rng) -> Verdict {
            Verdict::Drop(DropReason::Full)
        }
    }
    let (packet, mut queues) = (packet(), queues([0; 4]));
    let silent = AnyBuffer::Custom(Box::new(Silent));
    let want = queues.want(3);
    let words = silent.why(
        &mut snapshot(&packet, &mut queues),
        want,
        Verdict::Drop(DropReason::Ttl),
    );
    assert_eq!(
        (silent.name(), words.as_str()),
        ("custom", "dropped, TTL expired")
    );
}

#[test]
fn marks_say_their_threshold_and_who_cannot_take_them() {
    let twenty = [("mark_at", Value::Size(Size::Packets(20)))];
    let says = |held| buffer_says("ecn", &twenty, [0, 0, 0, held]).1;
    assert_eq!(says(19), "not marked, since 19 packets < K = 20");
    assert_eq!(says(20), "marked, because 20 packets ≥ K = 20");
    let ack = Packet::new(Kind::Ack, FlowId(0), HostId(0), 0);
    let mut queues = queues([0, 0, 0, 31]);
    let step = snapshot(&ack, &mut queues).step(full_packets(31), Some(Size::Packets(30)));
    assert_eq!(
        step,
        "not marked although 31 packets ≥ K = 30: it is not ECN-capable"
    );
    let step = snapshot(&ack, &mut queues).step(full_packets(31), Some(Size::Bytes(Bytes(60_000))));
    assert_eq!(step, "not marked, since 46,500 bytes < K = 60,000");
}

#[test]
fn a_detour_says_which_ports_had_room_and_how_one_was_chosen() {
    let (verdict, words) = buffer_says("dibs", &[], [7, 100, 8, 100]);
    assert!(matches!(verdict, Verdict::Detour { .. }));
    assert_eq!(
        words,
        "other ports to a switch: 3, of which 2 have room (port 0 to agg 0 and port 2 to agg 2): \
         one is drawn, each with probability 1/2; marked, as detours are"
    );
    let (_, words) = buffer_says("dibs", &[("ingress", Value::Flag(false))], [7, 100, 8, 100]);
    assert_eq!(
        words,
        "other ports to a switch: 3, of which 1 has room (port 2 to agg 2): the only one; marked, \
         as detours are"
    );
    let (packet, mut held) = (packet(), queues([100; 4]));
    let others = snapshot(&packet, &mut held).others(PortId(1));
    assert_eq!(others, [0, 2].map(PortId).into_iter().collect());
    let (verdict, words) = buffer_says("dibs", &[], [100; 4]);
    assert_eq!(verdict, Verdict::Drop(DropReason::Full));
    assert_eq!(words, "no room at any of the 3 other ports to a switch");
    let (_, words) = buffer_says("dibs-load-aware", &[], [7, 100, 8, 100]);
    assert!(
        words.contains(
            "the shortest queue, ties broken by a draw: port 0 to agg 0 holds 10,500 bytes"
        ),
        "{words}"
    );
}

#[test]
fn ranks_chances_and_averages_are_told_with_their_numbers() {
    let says = |name, held| buffer_says(name, &[], held).1;
    let full = [100; 4];
    assert_eq!(
        says("pfabric", full),
        "its rank 3,000 is better than 5,000, the worst that waits"
    );
    let words = says("dibs-probabilistic", [0, 0, 0, 60]);
    assert!(
        words.starts_with("it fits, and its flow has 3,000 bytes left"),
        "{words}"
    );
    let one = [("weight", Value::Fraction(1, 1))];
    let words = buffer_says("red", &one, [0, 0, 0, 40]).1;
    assert!(
        words.starts_with(
            "the average of 40.00 packets is between min = 20 and max = 60: a draw decides, with \
             probability 0.0500"
        ),
        "{words}"
    );
}

#[test]
fn a_threshold_is_told_with_the_standing_that_made_it() {
    let all = Value::Fraction(1, 1);
    let (verdict, words) = buffer_says("distribution-deflection", &[], [0; 4]);
    assert_eq!(verdict, Verdict::Enqueue { mark: false });
    assert_eq!(
        words,
        "the queue is so short that it takes every packet; not marked, since 0 packets < K = 20"
    );
    let (verdict, words) = buffer_says("quantile-deflection", &[("alpha", all)], [5, 6, 7, 60]);
    assert_eq!(verdict, Verdict::Enqueue { mark: true });
    assert_eq!(
        words,
        "rank quantile 0.000 (0 of the last 20 ranks sampled there are smaller): the queue takes the packet \
         while it holds at most 100 of 100, and it holds 60 packets; marked, because 60 packets ≥ \
         K = 20"
    );
    let three = [("choices", Value::Count(3))];
    let (verdict, words) = buffer_says("quantile-deflection", &three, [50, 6, 7, 100]);
    assert_eq!(verdict.port(PortId(3)), Some(PortId(1)));
    assert_eq!(
        words,
        "the queue is full; among 3 drawn of the 3 ports to a switch, port 1 to agg 1 has the \
         shortest queue, with 6 packets (9,000 bytes): the queue is so short that it takes every \
         packet; not marked, since 6 packets < K = 20"
    );
    let (verdict, words) = buffer_says("distribution-deflection", &three, [100; 4]);
    assert_eq!(verdict, Verdict::Drop(DropReason::Full));
    assert!(
        words.ends_with("(150,000 bytes): the queue is full"),
        "{words}"
    );
}

#[test]
fn the_room_is_told_by_what_limits_it() {
    let (packet, mut queues) = (packet(), queues([10, 0, 0, 100]));
    let want = queues.want(3);
    let room = |queues: &mut StillQueues, capacity| {
        let mut snapshot = snapshot(&packet, queues);
        snapshot.capacity = capacity;
        snapshot.room(want)
    };
    let per_port = room(&mut queues, Capacity::PerPort(Size::Packets(100)));
    assert_eq!(
        per_port,
        "port 3 to host 9 holds 100 packets (150,000 bytes) of at most 100 packets: full"
    );
    let shared = Capacity::Shared {
        memory: Bytes(265_000),
        alpha: (1, 2),
    };
    assert_eq!(
        room(&mut queues, shared),
        "port 3 to host 9 holds 100 packets (150,000 bytes) of a threshold of 50,000 bytes \
         (alpha 1/2 of the 100,000 bytes free): full"
    );
}

#[test]
fn schedulers_say_how_many_leave_first() {
    let mut srpt = AnySched::build("srpt", &Values::defaults(&[]), 4, 0).unwrap();
    for (handle, rank) in (0..).zip([2000, 3000, 4000]) {
        let mut other = packet();
        other.set_rank(rank);
        other.flow = FlowId(5);
        srpt.push(&other, handle);
    }
    let words = "3 packets waiting: 2 with rank 3,000 or better leave before it, 1 after it";
    assert_eq!(srpt.why(&packet()), words);
    let mut priority = AnySched::build("priority", &Values::defaults(&[]), 4, 0).unwrap();
    priority.push(&packet(), 0);
    let ack = Packet::new(Kind::Ack, FlowId(0), HostId(0), 0);
    assert_eq!(
        priority.why(&ack),
        "it is a control packet: it leaves after 0 other control packets that wait, and before 1 \
         data packets"
    );
}
