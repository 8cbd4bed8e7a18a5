//! Tests of tags of data: inserted in frames from hosts, used for ranks, removed on the way to a host.

use super::{config, leaving, older};
use crate::frame::sample::Sample;
use crate::frame::{
    Carry, FrameContent, LONGEST_TAGGED, OPTION, TAG, WireTag, put_tag, read, read_tagged, take_tag,
};
use crate::machine::{Announced, Machine, PortCounters};
use crate::setup::Setup;
use proptest::prelude::*;
use sidestep_types::{PortId, Time, Words};

const SYN: u8 = 2;
const ACK: u8 = 16;
const FIN: u8 = 1;

/// Returns a config in which hosts 1 to 3 mark, with these settings beside `carry`; ports 3 and 4 lead to
/// switches.
fn marking(carry: Carry, mark: &str, switch: &str) -> Setup {
    let tags = format!("tags = {:?}\n{switch}", carry.word());
    let mut setup = config(&tags, "1 Gbps");
    let text = format!(
        "[switch]\n{tags}\n[[port]]\ninterface = \"p\"\nrate = \"1 Gbps\"\n\
         shims = [\"mark\"]\nmark = {{ carry = {:?}, {mark} }}\n",
        carry.word()
    );
    let read = Setup::read("m.toml", &text).unwrap_or_else(|problems| panic!("{problems:?}"));
    for port in &mut setup.ports[..3] {
        port.shims = read.ports[0].shims.clone();
    }
    setup
}

fn machine(carry: Carry, mark: &str, switch: &str) -> Machine {
    Machine::new(&marking(carry, mark, switch)).unwrap()
}

/// Returns a segment from host 1 to host 4, which is behind the switches.
fn out(seq: u32, flags: u8, payload: usize) -> Sample {
    Sample {
        seq,
        flags: Some(flags),
        ..Sample::tcp(1, 4, payload)
    }
}

fn tagged(sample: &Sample, carry: Carry, tag: WireTag) -> Vec<u8> {
    let (bytes, mut out) = (sample.bytes(), [0; LONGEST_TAGGED]);
    let FrameContent::Ip(ip) = read(&bytes).unwrap().what else {
        panic!("an IP packet");
    };
    let length = put_tag(&bytes, &ip, carry, tag, &mut out).expect("room");
    out[..length].to_vec()
}

const fn says(number: u32, again: u8) -> WireTag {
    WireTag {
        number,
        again,
        id: 0,
        first: false,
    }
}

/// Sends `sample` from host 1, which leaves at once; returns its tag.
fn sends(machine: &mut Machine, us: u64, carry: Carry, sample: &Sample) -> Option<WireTag> {
    machine.receive(Time::from_us(us), PortId(0), &sample.bytes());
    let gone = leaving(machine, Time::from_us(us + 50));
    let [(port, _, bytes)] = &gone[..] else {
        panic!("{gone:?}");
    };
    assert!(*port >= 3, "by a switch");
    let mut bytes = bytes.clone();
    let Some((tag, length)) = take_tag(&mut bytes, carry) else {
        assert_eq!(bytes, older(sample));
        return None;
    };
    assert_eq!(bytes[..length], older(sample));
    Some(tag)
}

fn counted(machine: &mut Machine, port: usize) -> PortCounters {
    machine.counters(Time::ZERO).ports.swap_remove(port)
}

#[test]
fn data_of_a_host_leaves_with_a_tag_and_all_else_without() {
    for &carry in Carry::ALL {
        let mut machine = machine(carry, "by = \"bytes\"", "");
        let tag = |number, again, first| {
            Some(WireTag {
                first,
                ..says(number, again)
            })
        };
        let mut send =
            |us, seq, flags, payload| sends(&mut machine, us, carry, &out(seq, flags, payload));
        assert_eq!(send(0, 0, SYN, 0), None);
        assert_eq!(send(100, 1, ACK, 100), tag(0, 0, true));
        assert_eq!(send(200, 101, ACK, 70), tag(100, 0, false));
        // The host does not say so: the shim has seen the byte before.
        assert_eq!(send(300, 1, ACK, 100), tag(0, 1, true));
        assert_eq!(send(400, 1, ACK, 100), tag(0, 2, true));
        assert_eq!(send(500, 171, ACK, 0), None);
        assert_eq!(send(600, 171, ACK, 9), tag(170, 0, false));
        let udp = Sample {
            flags: None,
            ..out(0, 0, 100)
        };
        assert_eq!(sends(&mut machine, 700, carry, &udp), None);
        let shims = counted(&mut machine, 0).shims.unwrap();
        assert_eq!((shims.marked, shims.repeats, shims.untagged), (5, 2, 0));
    }
}

#[test]
fn no_host_sees_a_tag_whether_or_not_it_has_shims() {
    for &carry in Carry::ALL {
        let mut setup = marking(carry, "", "");
        setup.ports[1].shims.clear();
        let mut machine = Machine::new(&setup).unwrap();
        for host in [1, 2] {
            let sample = Sample::tcp(4, host, 100);
            let bytes = tagged(&sample, carry, says(700, 0));
            let start = Time::from_ms(u64::from(host));
            machine.receive(start, PortId(3), &bytes);
            let [(port, due, gone)] = &leaving(&mut machine, start + Time::from_us(50))[..] else {
                panic!("one frame");
            };
            assert_eq!((*port, gone), (u16::from(host) - 1, &older(&sample)));
            // The link carried the tag: the host's shims are behind the link.
            let wire = 100 + 40 + 38 + carry.adds() as u64;
            assert_eq!(*due, start + Time::from_ns(8 * wire));
            let port = counted(&mut machine, usize::from(*port));
            assert_eq!(port.frames.tx_bytes, sample.bytes().len() as u64);
        }
        // Between hosts of the same switch as well.
        machine.receive(Time::from_ms(2), PortId(0), &Sample::tcp(1, 2, 100).bytes());
        let gone = leaving(&mut machine, Time::from_ms(4));
        assert_eq!(gone[0].2, older(&Sample::tcp(1, 2, 100)));
        assert_eq!(machine.held(), 0);
    }
}

#[test]
fn what_is_no_tag_is_refused_and_counted_and_none_may_come_from_a_host() {
    let mut machine = machine(Carry::Ethertype, "", "");
    let bytes = tagged(&out(1, ACK, 100), Carry::Ethertype, says(1, 0));
    let spoil = |change: fn(&mut Vec<u8>)| {
        let mut bytes = bytes.clone();
        change(&mut bytes);
        bytes
    };
    let spoiled = [
        ("tag_truncated", spoil(|b| b.truncate(20))),
        ("tag_version", spoil(|b| b[13] += 1)),
        (
            "tag_in_tag",
            spoil(|b| b[19..21].copy_from_slice(&TAG.to_be_bytes())),
        ),
        (
            "tag_misplaced",
            spoil(|b| b[19..21].copy_from_slice(&[0x12, 0x34])),
        ),
    ];
    for (reason, bytes) in &spoiled {
        for port in [4, 0] {
            machine.receive(Time::ZERO, PortId(port), bytes);
        }
        assert_eq!(counted(&mut machine, 4).refused[reason], 1, "{reason}");
    }
    machine.receive(Time::ZERO, PortId(0), &bytes);
    let host = counted(&mut machine, 0);
    assert_eq!(host.refused["tag_from_host"], 5);
    assert_eq!(host.refused.values().sum::<u64>(), 5);
    assert_eq!(counted(&mut machine, 4).refused.values().sum::<u64>(), 4);
    assert_eq!(leaving(&mut machine, Time::from_ms(1)), []);
    let mut machine = self::machine(Carry::Option, "", "");
    let bytes = tagged(&out(1, ACK, 100), Carry::Option, says(1, 0));
    assert_eq!(bytes[34], OPTION);
    machine.receive(Time::ZERO, PortId(0), &bytes);
    assert_eq!(counted(&mut machine, 0).refused["tag_from_host"], 1);
    // A switch without tags ignores both kinds.
    let mut plain = super::switch("");
    plain.receive(Time::ZERO, PortId(0), &bytes);
    assert_eq!(leaving(&mut plain, Time::from_ms(1)).len(), 1);
}

/// Returns the order in which frames with these tags leave from behind another, as their indices in the list.
fn order(setup: &Setup, tags: &[Option<WireTag>]) -> Vec<usize> {
    let mut machine = Machine::new(setup).unwrap();
    let carry = setup.tags.unwrap().carry;
    let from = |n: usize| Sample {
        ports: (n as u16, 80),
        ..Sample::tcp(4, 1, 1000)
    };
    machine.receive(Time::ZERO, PortId(3), &from(99).bytes());
    for (n, tag) in tags.iter().enumerate() {
        let sample = from(n);
        let bytes = match tag {
            Some(tag) => tagged(&sample, carry, *tag),
            None => sample.bytes(),
        };
        machine.receive(Time::from_ns(1 + n as u64), PortId(3), &bytes);
    }
    let gone = leaving(&mut machine, Time::from_ms(1));
    let number = |bytes: &[u8]| usize::from(u16::from_be_bytes([bytes[34], bytes[35]]));
    gone.iter()
        .skip(1)
        .map(|(_, _, bytes)| number(bytes))
        .collect()
}

#[test]
fn switches_order_by_the_number_and_its_repeats() {
    let by = |switch: &str| format!("sched = \"srpt\"\nrank = \"tag\"\n{switch}");
    let some = [
        None,
        Some(says(900, 0)),
        Some(says(1001, 1)),
        Some(says(480, 0)),
    ];
    for &carry in Carry::ALL {
        // 1001 >> 1 = 500, >> 3 = 125; a frame without a tag is last.
        let setup = marking(carry, "", &by(""));
        assert_eq!(order(&setup, &some), [3, 2, 1, 0]);
        let setup = marking(carry, "boost = 8", &by("boost = 8"));
        assert_eq!(order(&setup, &some), [2, 3, 1, 0]);
        let setup = marking(carry, "boost = 1", &by("boost = 1"));
        assert_eq!(order(&setup, &some), [3, 1, 2, 0]);
        // The host has rotated, and switches use the number unchanged.
        let setup = marking(carry, "boosting = \"rotate\"", &by("boosting = \"rotate\""));
        assert_eq!(order(&setup, &some), [3, 1, 2, 0]);
        // Tags that no policy uses.
        let setup = marking(carry, "", "sched = \"srpt\"\nrank = \"dscp\"");
        assert_eq!(order(&setup, &some), [0, 1, 2, 3]);
    }
}

#[test]
fn what_is_sent_again_after_the_end_is_tagged_until_that_is_acknowledged() {
    let carry = Carry::Ethertype;
    let mut machine = machine(carry, "by = \"bytes\"", "");
    sends(&mut machine, 0, carry, &out(0, SYN, 0));
    let end = out(1, ACK | FIN, 100);
    assert_eq!(sends(&mut machine, 100, carry, &end).unwrap().again, 0);
    let hears = |machine: &mut Machine, us, ack, flags| {
        let back = Sample {
            ports: (80, 40_000),
            flags: Some(flags),
            seq: 1,
            ack,
            ..Sample::tcp(4, 1, 0)
        };
        machine.receive(Time::from_us(us), PortId(3), &back.bytes());
        assert_eq!(leaving(machine, Time::from_us(us + 50)).len(), 1);
        let shims = counted(machine, 0).shims.unwrap();
        shims.connections
    };
    // The other end has sent all its data, and still lacks these bytes.
    assert_eq!(hears(&mut machine, 200, 1, ACK | FIN), 1);
    assert_eq!(sends(&mut machine, 300, carry, &end).unwrap().again, 1);
    assert_eq!(hears(&mut machine, 400, 101, ACK), 1, "but for the end");
    assert_eq!(hears(&mut machine, 500, 102, ACK), 0);
}

#[test]
fn an_end_alone_has_no_tag() {
    let carry = Carry::Ethertype;
    let mut machine = machine(carry, "", "");
    sends(&mut machine, 0, carry, &out(0, SYN, 0));
    assert_eq!(sends(&mut machine, 100, carry, &out(1, ACK | FIN, 0)), None);
    assert_eq!(counted(&mut machine, 0).shims.unwrap().marked, 0);
}

#[test]
fn data_without_room_for_its_tag_goes_on_without_and_is_counted() {
    let mut machine = machine(Carry::Option, "", "");
    let full = out(1, ACK, 1460);
    assert_eq!(sends(&mut machine, 0, Carry::Option, &full), None);
    let v6 = out(1461, ACK, 100).over_v6();
    machine.receive(Time::from_us(100), PortId(0), &v6.bytes());
    assert_eq!(leaving(&mut machine, Time::from_ms(1))[0].2, older(&v6));
    let fits = out(3000, ACK, 1452);
    assert!(sends(&mut machine, 2000, Carry::Option, &fits).is_some());
    let shims = counted(&mut machine, 0).shims.unwrap();
    assert_eq!((shims.marked, shims.untagged), (3, 2));
}

#[test]
fn a_reload_keeps_where_tags_are() {
    let mut machine = machine(Carry::Ethertype, "", "sched = \"srpt\"\nrank = \"tag\"");
    for other in [config("", "1 Gbps"), marking(Carry::Option, "", "")] {
        let error = machine.reload(Time::ZERO, &other).unwrap_err();
        assert!(error.contains("cannot change switch.tags"), "{error}");
    }
    let mut again = machine.setup().clone();
    again.tags.as_mut().unwrap().boost = 8;
    machine.reload(Time::ZERO, &again).unwrap();
    let queued = tagged(&out(1, ACK, 100), Carry::Ethertype, says(7, 0));
    machine.receive(Time::ZERO, PortId(4), &queued);
    let gone = &leaving(&mut machine, Time::from_ms(1))[0].2;
    assert_eq!(
        read_tagged(gone, Carry::Ethertype).unwrap().tag,
        Some(says(7, 0))
    );
}

/// Returns a switch whose host 1 orders by remaining sizes, with this boosting, by 4.
fn ordering(carry: Carry, boosting: &str) -> Machine {
    let words = format!("boosting = {boosting:?}");
    let mut setup = marking(
        carry,
        &format!("{words}, boost = 4"),
        &format!("{words}\nboost = 4"),
    );
    let order = "[switch]\ntags = \"ethertype\"\n[[port]]\ninterface = \"p\"\nrate = \"1 Gbps\"\n\
                 shims = [\"order\", \"mark\"]\norder = { by = \"remaining\" }\n";
    let read = Setup::read("o.toml", order).unwrap();
    let order = read.ports[0].shims[0].clone();
    setup.ports[0].shims.insert(0, order);
    Machine::new(&setup).unwrap()
}

/// Receives 100 B for host 1, with so much left of their message; returns the sequence numbers that go on.
fn comes(
    machine: &mut Machine,
    us: u64,
    seq: u32,
    (left, again, first): (u32, u8, bool),
) -> Vec<u32> {
    let sample = Sample {
        seq,
        ..Sample::tcp(4, 1, 100)
    };
    let tags = machine.setup().tags.unwrap();
    let tag = WireTag {
        first,
        ..says(tags.boosting().carried(left, again), again)
    };
    heard(machine, us, &tagged(&sample, tags.carry, tag))
}

fn heard(machine: &mut Machine, us: u64, bytes: &[u8]) -> Vec<u32> {
    machine.receive(Time::from_us(us), PortId(3), bytes);
    let gone = leaving(machine, Time::from_us(us + 20));
    let seq = |bytes: &[u8]| u32::from_be_bytes(bytes[38..42].try_into().unwrap());
    gone.iter().map(|(_, _, bytes)| seq(bytes)).collect()
}

#[test]
fn a_rotated_size_is_put_back_below_who_orders_by_it() {
    for (carry, boosting) in [(Carry::Option, "rotate"), (Carry::Ethertype, "shift")] {
        let mut machine = ordering(carry, boosting);
        let mut comes = |us, seq, says| comes(&mut machine, us, seq, says);
        assert_eq!(comes(0, 1, (401, 0, true)), [1]);
        // Two that overtook, one of them an odd size that was sent again; then the one they wait for.
        assert_eq!(comes(100, 201, (201, 1, false)), [0u32; 0]);
        assert_eq!(comes(200, 301, (101, 0, false)), [0u32; 0]);
        assert_eq!(comes(300, 101, (301, 3, false)), [101, 201, 301]);
    }
}

#[test]
fn an_end_that_overtakes_data_lets_what_is_held_go_before_it() {
    let mut machine = ordering(Carry::Ethertype, "shift");
    assert_eq!(comes(&mut machine, 0, 1, (401, 0, true)), [1]);
    assert_eq!(comes(&mut machine, 100, 301, (101, 0, false)), [0u32; 0]);
    assert_eq!(comes(&mut machine, 200, 201, (201, 0, false)), [0u32; 0]);
    let end = Sample {
        seq: 401,
        flags: Some(ACK | FIN),
        ..Sample::tcp(4, 1, 0)
    };
    assert_eq!(heard(&mut machine, 300, &end.bytes()), [201, 301, 401]);
    // The overtaken segment belongs to a closed flow, and goes on as it comes.
    assert_eq!(comes(&mut machine, 400, 101, (301, 0, false)), [101]);
    assert_eq!(machine.held(), 0);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    /// Checks that all tagged frames from switches and hosts are accounted for, and that no host sees a tag.
    #[test]
    fn frames_with_tags_are_all_accounted_for(
        frames in proptest::collection::vec((0u16..5, 1u8..5, any::<u32>(), 0u8..16, 0usize..1400, any::<u8>()), 1..150),
        option: bool,
    ) {
        let carry = Carry::ALL[usize::from(option)];
        let switch = "capacity = \"4 pkt\"\nbuffer = { kind = \"vertigo\", mark_at = \"1 pkt\" }\nsched = \"srpt\"\nrank = \"tag\"";
        let mut machine = machine(carry, "by = \"packets\"", switch);
        let mut now = Time::ZERO;
        for (port, to, number, again, payload, what) in frames {
            now += Time::from_us(u64::from(what % 16));
            let sample = Sample { tos: what & 3, seq: number % 5000, ..Sample::tcp(4, to, payload) };
            let mut bytes = match what & 8 {
                0 => tagged(&sample, carry, says(number, again)),
                _ => sample.bytes(),
            };
            if what > 250 {
                bytes.truncate(usize::from(what) % 50 + 14);
            }
            machine.receive(now, PortId(port), &bytes);
        }
        for (port, _, bytes) in leaving(&mut machine, now + Time::from_s(1)) {
            let tag = read_tagged(&bytes, carry).unwrap().tag;
            prop_assert!(port >= 3 || tag.is_none());
        }
        let counters = machine.counters(now);
        let came: u64 = counters.ports.iter().map(|p| p.frames.rx_frames).sum();
        let went: u64 = counters.ports.iter().map(|p| {
            p.frames.tx_frames + p.drops.values().sum::<u64>() + p.refused.values().sum::<u64>()
        }).sum();
        prop_assert_eq!((came, counters.held), (went, 0));
    }
}

/// Announces the message from host 1 to host 4 from this port.
fn announce(machine: &mut Machine, us: u64, port: u16, bytes: u64) -> Result<(), String> {
    let sample = out(0, SYN, 0);
    let one = Announced {
        from: (sample.addresses.0, port),
        to: (sample.addresses.1, sample.ports.1),
        bytes,
    };
    machine.announce(Time::from_us(us), PortId(0), &[one])
}

#[test]
fn the_tag_of_what_was_announced_says_what_is_left_of_it() {
    for &carry in Carry::ALL {
        let mut machine = machine(carry, "by = \"remaining\"", "");
        let port = out(0, SYN, 0).ports.0;
        assert_eq!(sends(&mut machine, 0, carry, &out(0, SYN, 0)), None);
        assert_eq!(announce(&mut machine, 60, port, 250), Ok(()));
        let tag = |number, again, first| {
            Some(WireTag {
                first,
                ..says(number, again)
            })
        };
        let mut send = |us, seq, payload| sends(&mut machine, us, carry, &out(seq, ACK, payload));
        assert_eq!(send(100, 1, 100), tag(250, 0, true));
        assert_eq!(send(200, 101, 100), tag(150, 0, false));
        assert_eq!(send(300, 1, 100), tag(250, 1, true), "again");
        // More than was announced.
        assert_eq!(send(400, 201, 100), tag(50, 0, false));
        assert_eq!(send(500, 301, 100), tag(0, 0, false));
    }
}

#[test]
fn what_nobody_announced_is_marked_as_the_config_says() {
    let carry = Carry::Option;
    for (unknown, expected) in [
        ("last", Some([u32::MAX, u32::MAX])),
        ("packets", Some([1 << 31, (1 << 31) + 1])),
        ("unmarked", None),
    ] {
        let mark = format!("by = \"remaining\", unknown = {unknown:?}");
        let mut machine = machine(carry, &mark, "");
        for n in 0..2 {
            let data = out(1 + 100 * n, ACK, 100);
            let tag = sends(&mut machine, 100 * (1 + u64::from(n)), carry, &data);
            let number = expected.map(|all| all[n as usize]);
            assert_eq!(tag.map(|tag| tag.number), number, "{unknown}");
        }
    }
}
