//! Tests with single frames: received, and compared with the frames that leave.

use super::{config, leaving, older, switch, watched};
use crate::frame::Refusal;
use crate::frame::sample::{Sample, arp_request, solicitation};
use crate::machine::{FrameAction, Machine, needs_ranks};
use crate::setup::{Mac, Setup};
use sidestep_switch::{Changes, Depth, DropReason, Event, Joined};
use sidestep_types::{PortId, Time};

/// Time of a full frame at 1 Gbps: 1538 bytes on the wire.
const FULL: Time = Time::from_ns(12_304);

fn full(from: u8, to: u8) -> Sample {
    Sample::tcp(from, to, 1460)
}

#[test]
fn a_frame_leaves_when_its_last_bit_would_with_its_ttl_one_less() {
    let mut machine = switch("");
    machine.receive(Time::ZERO, PortId(0), &full(1, 2).bytes());
    machine.receive(Time::ZERO, PortId(0), &full(1, 2).bytes());
    assert_eq!(machine.next_departure(), Some(FULL));
    assert_eq!(leaving(&mut machine, FULL - Time::from_ps(1)), []);
    let first = leaving(&mut machine, FULL);
    assert_eq!(first, [(1, FULL, older(&full(1, 2)))]);
    // Late by a whole frame: the due time is unchanged.
    let second = leaving(&mut machine, FULL * 3);
    assert_eq!(second, [(1, FULL * 2, older(&full(1, 2)))]);
    assert_eq!((machine.held(), machine.next_departure()), (0, None));
}

#[test]
fn a_delay_comes_after_the_last_bit_and_takes_no_room() {
    let mut setup = config("capacity = \"1 pkt\"", "1 Gbps");
    setup.ports[1].delay = Time::from_ms(1);
    let mut machine = Machine::new(&setup).unwrap();
    machine.receive(Time::ZERO, PortId(0), &full(1, 2).bytes());
    machine.receive(FULL, PortId(0), &full(1, 2).bytes());
    let due = [Time::from_ms(1) + FULL, Time::from_ms(1) + FULL * 2];
    assert_eq!(machine.next_departure(), Some(due[0]));
    let all = leaving(&mut machine, Time::from_ms(2));
    assert_eq!(all.iter().map(|f| f.1).collect::<Vec<_>>(), due);
}

#[test]
fn a_full_queue_drops_and_a_departure_of_the_same_instant_has_made_room() {
    let mut machine = switch("capacity = \"1 pkt\"");
    let log = watched(&mut machine);
    for at in [Time::ZERO, FULL - Time::from_ps(1), FULL] {
        machine.receive(at, PortId(0), &full(1, 2).bytes());
    }
    let wanted = PortId(1);
    let dropped = FrameAction::Switched(Event::Drop {
        port: wanted,
        reason: DropReason::Full,
    });
    let happened: Vec<FrameAction> = log.lock().unwrap().iter().map(|e| e.1).collect();
    let queued = FrameAction::Switched(Event::Enqueue(Joined {
        wanted,
        wanted_queue: 0,
        port: wanted,
        ahead: Depth::default(),
        changes: Changes::default(),
    }));
    assert_eq!(happened, [queued, dropped, queued]);
    let counters = machine.counters(FULL);
    assert_eq!(counters.ports[1].drops["full"], 1);
    assert_eq!(counters.ports[1].peak_bytes, 1518);
    assert_eq!(counters.ports[1].depths.buckets, [(0, 2), (1, 1)]);
}

#[test]
fn a_capable_packet_is_marked_from_k_on_and_others_are_not() {
    let mut machine = switch("buffer = { kind = \"ecn\", mark_at = \"1 pkt\" }");
    let capable = Sample {
        tos: 2,
        ..full(1, 2)
    };
    for sample in [full(1, 2), full(1, 2), capable.clone()] {
        machine.receive(Time::ZERO, PortId(0), &sample.bytes());
    }
    let out = leaving(&mut machine, FULL * 3);
    let marked = Sample { tos: 3, ..capable };
    let expected = [older(&full(1, 2)), older(&full(1, 2)), older(&marked)];
    assert!(out.iter().map(|f| &f.2).eq(&expected));
    assert_eq!(machine.counters(FULL).ports[1].decided.marks, 1);
}

#[test]
fn what_does_not_fit_is_detoured_to_a_switch_even_to_where_it_came_from() {
    let mut machine =
        switch("capacity = \"1 pkt\"\nbuffer = { kind = \"dibs\", mark_at = \"off\" }");
    let log = watched(&mut machine);
    let capable = Sample {
        tos: 2,
        ..full(4, 2)
    };
    for _ in 0..4 {
        machine.receive(Time::ZERO, PortId(3), &capable.bytes());
    }
    let mut out = leaving(&mut machine, FULL);
    out.sort();
    let ports: Vec<u16> = out.iter().map(|f| f.0).collect();
    assert_eq!(
        ports,
        [1, 3, 4],
        "to its host, back, and to the other switch"
    );
    assert_eq!(
        out[1].2,
        older(&Sample { tos: 3, ..capable }),
        "a detour marks"
    );
    let last = log.lock().unwrap()[3].1;
    let (port, reason) = (PortId(1), DropReason::Full);
    assert_eq!(last, FrameAction::Switched(Event::Drop { port, reason }));
    let counters = machine.counters(FULL);
    assert_eq!(counters.ports[1].decided.detours_out, 2);
    assert_eq!(
        (
            counters.ports[3].decided.detours_in,
            counters.ports[4].decided.detours_in
        ),
        (1, 1)
    );
}

#[test]
fn only_a_switch_may_send_a_frame_back_and_only_ip_goes_in_circles() {
    let mut machine = switch("");
    machine.receive(Time::ZERO, PortId(1), &full(1, 2).bytes());
    assert_eq!(machine.counters(Time::ZERO).ports[1].refused["hairpin"], 1);
    // Both next hops for host 4 are ports to switches.
    for port in [3, 4] {
        machine.receive(Time::ZERO, PortId(port), &full(1, 4).bytes());
    }
    assert_eq!(machine.held(), 2);
    let mut other = full(1, 4).bytes();
    other[12..14].copy_from_slice(&[0x88, 0xb5]);
    for port in [3, 4] {
        machine.receive(Time::ZERO, PortId(port), &other);
    }
    let counters = machine.counters(Time::ZERO);
    let hairpins: u64 = counters.ports.iter().map(|p| p.refused["hairpin"]).sum();
    assert_eq!(hairpins, 2, "one of the two would have gone back");
}

#[test]
fn the_last_hop_of_a_ttl_is_a_drop_of_its_own_kind() {
    let mut machine = switch("");
    for ttl in [0, 1, 2] {
        machine.receive(Time::ZERO, PortId(0), &Sample { ttl, ..full(1, 2) }.bytes());
    }
    assert_eq!(machine.counters(Time::ZERO).ports[1].drops["ttl"], 2);
    assert_eq!(leaving(&mut machine, FULL).len(), 1);
}

#[test]
fn a_question_for_a_known_address_is_answered_and_floods_nobody() {
    let mut machine = switch("");
    let log = watched(&mut machine);
    machine.receive(Time::ZERO, PortId(0), &arp_request(1, [10, 77, 0, 4]));
    machine.receive(Time::ZERO, PortId(0), &solicitation(1, 4));
    let out = leaving(&mut machine, Time::from_ms(1));
    assert_eq!(
        out.iter().map(|f| (f.0, f.2.len())).collect::<Vec<_>>(),
        [(0, 42), (0, 86)]
    );
    assert_eq!(out[0].2[22..28], [2, 0, 0, 0, 0, 4]);
    assert_eq!(machine.counters(Time::ZERO).ports[0].frames.answered, 2);
    let log = log.lock().unwrap();
    let left = |event: &&(_, FrameAction)| matches!(event.1, FrameAction::Left { .. });
    let came = log.iter().filter(|event| !left(event));
    let who: Vec<Option<PortId>> = came.map(|event| event.0).collect();
    assert_eq!(who, [Some(PortId(0)), None, Some(PortId(0)), None]);
    assert_eq!(log.iter().filter(left).count(), 2);
}

#[test]
fn a_question_for_an_unknown_address_or_for_ones_own_is_flooded() {
    let mut setup = config("", "1 Gbps");
    setup.ports[4].flood = false;
    let mut machine = Machine::new(&setup).unwrap();
    // A host that checks whether its own address is free must not get the answer that it is taken.
    for (ms, target) in [(0, 9), (1, 1)] {
        let asked = arp_request(1, [10, 77, 0, target]);
        machine.receive(Time::from_ms(ms), PortId(0), &asked);
        let out = leaving(&mut machine, Time::from_ms(ms + 1));
        assert_eq!(out.iter().map(|f| f.0).collect::<Vec<_>>(), [1, 2, 3]);
        assert!(out.iter().all(|f| f.2 == asked));
    }
    let counters = machine.counters(Time::from_ms(1));
    assert_eq!(
        (
            counters.ports[0].frames.floods,
            counters.ports[1].frames.copies
        ),
        (2, 2)
    );
}

#[test]
fn a_flooded_packet_keeps_its_ttl_and_takes_no_detour() {
    let mut machine = switch("capacity = \"1 pkt\"\nbuffer = \"dibs\"");
    machine.receive(Time::ZERO, PortId(0), &full(1, 2).bytes());
    let mut group = Sample {
        ttl: 1,
        ..full(1, 9)
    };
    group.macs.0 = Mac([1, 0, 0x5e, 0, 0, 1]);
    machine.receive(Time::ZERO, PortId(0), &group.bytes());
    let out = leaving(&mut machine, FULL);
    assert_eq!(out.iter().map(|f| f.0).collect::<Vec<_>>(), [1, 2, 3, 4]);
    assert!(out[1..].iter().all(|f| f.2 == group.bytes()));
    assert_eq!(machine.counters(FULL).ports[1].drops["full"], 1);
}

#[test]
fn nobody_gets_what_is_for_an_unknown_station_unless_it_is_learned() {
    let stranger = || full(7, 8).bytes();
    let mut machine = switch("");
    machine.receive(Time::ZERO, PortId(0), &stranger());
    assert_eq!(
        machine.counters(Time::ZERO).ports[0].refused["no_station"],
        1
    );
    let mut machine = switch("forwarding = \"learning\"");
    machine.receive(Time::ZERO, PortId(0), &stranger());
    let ports = |machine: &mut Machine, at| -> Vec<u16> {
        leaving(machine, at).iter().map(|f| f.0).collect()
    };
    assert_eq!(ports(&mut machine, Time::from_ms(1)), [1, 2, 3, 4]);
    machine.receive(Time::from_ms(1), PortId(2), &full(8, 7).bytes());
    machine.receive(Time::from_ms(1), PortId(0), &stranger());
    assert_eq!(ports(&mut machine, Time::from_ms(2)), [0, 2]);
    assert_eq!(machine.counters(Time::from_ms(2)).learned, 2);
}

#[test]
fn to_the_routers_mac_the_longest_prefix_decides_and_macs_are_rewritten() {
    let router = "[router]\nmac = \"02:00:00:00:ff:01\"\naddresses = [\"10.77.0.254\"]\n\
        [[network]]\nprefix = \"10.78.0.0/16\"\nports = [\"p3\"]\nnext_hop = \"02:00:00:00:ff:02\"\n";
    let text = config("", "1 Gbps").to_toml() + router;
    let setup = Setup::read("r.toml", &text).unwrap();
    let mut machine = Machine::new(&setup).unwrap();
    let me = Mac([2, 0, 0, 0, 0xff, 1]);
    let mut now = Time::ZERO;
    let mut send = |to: [u8; 4]| {
        let mut sample = full(1, 2);
        sample.macs.0 = me;
        sample.addresses.1 = to.into();
        machine.receive(now, PortId(0), &sample.bytes());
        now += Time::from_ms(1);
        let out = leaving(&mut machine, now);
        out.first()
            .map(|(port, _, bytes)| (*port, bytes[..12].to_vec()))
    };
    let macs = |to: [u8; 6]| [to, me.0].concat();
    assert_eq!(send([10, 78, 1, 1]), Some((3, macs([2, 0, 0, 0, 0xff, 2]))));
    assert_eq!(
        send([10, 77, 0, 3]),
        Some((2, macs([2, 0, 0, 0, 0, 3]))),
        "a station of its own"
    );
    assert_eq!(send([10, 79, 0, 3]), None);
    machine.receive(
        Time::from_s(1),
        PortId(0),
        &arp_request(1, [10, 77, 0, 254]),
    );
    let out = leaving(&mut machine, Time::from_s(2));
    assert_eq!(
        out[0].2[6..12],
        me.0,
        "who asks for the router is told its MAC"
    );
}

#[test]
fn a_trim_sends_the_header_first_and_drops_what_it_cannot_cut() {
    let mut machine = switch("capacity = \"1 pkt\"\nbuffer = \"trim\"\nsched = \"priority\"");
    let log = watched(&mut machine);
    let datagram = Sample {
        flags: None,
        ..full(1, 2)
    };
    for sample in [full(1, 2), full(1, 2), datagram] {
        machine.receive(Time::ZERO, PortId(0), &sample.bytes());
    }
    let happened: Vec<FrameAction> = log.lock().unwrap().iter().map(|e| e.1).collect();
    let (port, reason) = (PortId(1), DropReason::Full);
    let cut = |joined: &Joined| joined.changes == Changes::TRIMMED;
    assert!(matches!(&happened[1], FrameAction::Switched(Event::Enqueue(joined)) if cut(joined)));
    assert_eq!(
        happened[2],
        FrameAction::Switched(Event::Drop { port, reason })
    );
    let out = leaving(&mut machine, Time::from_ms(1));
    // 54 bytes are padded to 60 and cost 84 on the wire.
    assert_eq!(out[1].1, FULL + Time::from_ns(84 * 8));
    assert_eq!(
        out[1].2,
        older(&Sample {
            payload: vec![],
            ..full(1, 2)
        })
    );
}

#[test]
fn a_frame_by_a_port_that_is_not_there_or_with_a_spoiled_header_is_counted() {
    let mut machine = switch("");
    let log = watched(&mut machine);
    machine.receive(Time::ZERO, PortId(5), &full(1, 2).bytes());
    machine.receive(Time::ZERO, PortId(0), &[0; 5]);
    let seen = log.lock().unwrap().clone();
    assert_eq!(seen[0], (None, FrameAction::Refused(Refusal::NoPort)));
    assert_eq!(
        seen[1],
        (Some(PortId(0)), FrameAction::Refused(Refusal::Truncated))
    );
    let counters = machine.counters(Time::ZERO);
    assert_eq!(
        (counters.no_port, counters.ports[0].refused["truncated"]),
        (1, 1)
    );
}

#[test]
fn switches_of_other_names_hash_and_draw_otherwise() {
    let spread = |name: &str| -> Vec<u16> {
        let mut setup = config("", "1 Gbps");
        setup.name = name.to_string();
        let mut machine = Machine::new(&setup).unwrap();
        for n in 0..64 {
            let sample = Sample {
                ports: (n, 80),
                ..full(1, 4)
            };
            machine.receive(Time::from_ms(u64::from(n)), PortId(0), &sample.bytes());
        }
        leaving(&mut machine, Time::from_s(1))
            .iter()
            .map(|f| f.0)
            .collect()
    };
    assert_eq!(spread("a"), spread("a"));
    assert_ne!(
        spread("a"),
        spread("b"),
        "else all flows that meet go the same way"
    );
}

#[test]
fn ranks_are_kept_for_those_who_ask_for_them() {
    let with_ranks = |switch: &str| needs_ranks(&config(switch, "1 Gbps"));
    assert!(!with_ranks("buffer = \"dibs\""));
    assert!(with_ranks("buffer = \"dibs-probabilistic\""));
    assert!(with_ranks("sched = \"pfabric\""));
    // The least served flow goes first: the newcomer overtakes.
    let mut machine = switch("sched = \"pfabric\"");
    for port in [1, 1, 1, 2] {
        let sample = Sample {
            ports: (port, 80),
            ..full(1, 2)
        };
        machine.receive(Time::ZERO, PortId(0), &sample.bytes());
    }
    let out = leaving(&mut machine, Time::from_ms(1));
    let ports: Vec<u8> = out.iter().map(|f| f.2[35]).collect();
    assert_eq!(ports, [1, 2, 1, 1], "the first was on the wire already");
}

#[test]
fn a_flow_starts_anew_after_a_silence_that_the_config_says() {
    let mut machine = switch("sched = \"srpt\"\nrank_gap = \"1 ms\"");
    let mut receive = |us: u64, port: u16| {
        let sample = Sample {
            ports: (port, 80),
            ..full(1, 2)
        };
        machine.receive(Time::from_us(us), PortId(0), &sample.bytes());
    };
    // Two packets of flow 1, and after a silence three of flow 2 and one more of flow 1.
    for (us, port) in [
        (0, 1),
        (0, 1),
        (1_100, 2),
        (1_100, 2),
        (1_100, 2),
        (1_100, 1),
    ] {
        receive(us, port);
    }
    let out = leaving(&mut machine, Time::from_ms(3));
    let ports: Vec<u8> = out.iter().map(|f| f.2[35]).collect();
    assert_eq!(ports, [1, 1, 2, 1, 2, 2], "flow 1 counts from 0");
}

#[test]
fn with_code_points_for_ranks_the_smallest_goes_first() {
    let mut machine = switch("sched = \"srpt\"\nrank = \"dscp\"");
    for dscp in [63, 46, 10, 0, 10] {
        let sample = Sample {
            tos: dscp << 2,
            ..full(1, 2)
        };
        machine.receive(Time::ZERO, PortId(0), &sample.bytes());
    }
    let out = leaving(&mut machine, Time::from_ms(1));
    let dscps: Vec<u8> = out.iter().map(|f| f.2[15] >> 2).collect();
    assert_eq!(
        dscps,
        [63, 0, 10, 10, 46],
        "the first was on the wire already"
    );
}
