//! Shims at the port of a host: what they keep, and when it goes on.

use super::{config, leaving, older};
use crate::frame::sample::Sample;
use crate::machine::{Change, Counters, Machine, ShimCounters};
use crate::setup::{SILENCE, Setup};
use proptest::prelude::*;
use sidestep_transport::shim::{AnyShim, Shim, Stack, Up};
use sidestep_types::{BitRate, Packet, PortId, Time};

const SYN: u8 = 2;
const ACK: u8 = 16;
const FIN: u8 = 1;

/// How long `order` waits here.
const WAIT: Time = Time::from_us(500);

/// A frame of 100 B of payload at 1 Gbps.
const SPAN: Time = Time::from_ns((100 + 40 + 38) * 8);

/// Host 2, at port 1, has `order`; its link takes 3 us.
fn with_order(switch: &str) -> Setup {
    let mut setup = config(switch, "1 Gbps");
    let written = "[switch]\n[[port]]\ninterface = \"p\"\nrate = \"1 Gbps\"\n\
                   shims = [\"order\"]\norder = { timeout = \"500 us\" }\n";
    let read = Setup::read("o.toml", written).unwrap();
    setup.ports[1].shims = read.ports[0].shims.clone();
    setup.ports[1].delay = Time::from_us(3);
    setup
}

fn machine() -> Machine {
    Machine::new(&with_order("")).unwrap()
}

/// Segment number `n` of 100 B to host 2, behind a SYN with number 0.
fn data(n: u32) -> Sample {
    flagged(1 + 100 * n, ACK, 100)
}

fn flagged(seq: u32, flags: u8, payload: usize) -> Sample {
    Sample {
        seq,
        flags: Some(flags),
        ..Sample::tcp(1, 2, payload)
    }
}

/// It comes in by port 0 and leaves the link of port 1 at `at`.
fn arrives(machine: &mut Machine, at: Time, sample: &Sample) {
    let wire = (sample.bytes().len() as u64 + 24).max(84);
    let before = Time::from_us(3) + Time::from_ns(8 * wire);
    machine.receive(at - before, PortId(0), &sample.bytes());
}

fn opened() -> Machine {
    let mut machine = machine();
    arrives(&mut machine, Time::from_us(10), &flagged(0, SYN, 0));
    assert_eq!(order(&mut machine, Time::from_us(10)).len(), 1);
    machine
}

/// What leaves to host 2: sequence number and when it was due.
fn order(machine: &mut Machine, now: Time) -> Vec<(u32, Time)> {
    let out = leaving(machine, now);
    let seq = |bytes: &[u8]| u32::from_be_bytes(bytes[38..42].try_into().unwrap());
    let of = out.iter().filter(|frame| frame.0 == 1);
    of.map(|(_, due, bytes)| (seq(bytes), *due)).collect()
}

fn shims(machine: &mut Machine) -> ShimCounters {
    machine.counters(Time::ZERO).ports[1].shims.unwrap()
}

fn us(n: u64) -> Time {
    Time::from_us(n)
}

#[test]
fn what_is_ahead_of_a_gap_is_kept_until_it_closes() {
    let mut machine = opened();
    for (at, n) in [(20, 0), (30, 2), (40, 3), (50, 1), (60, 4)] {
        arrives(&mut machine, us(at), &data(n));
    }
    let expected = [
        (1, us(20)),
        (101, us(50)),
        (201, us(50)),
        (301, us(50)),
        (401, us(60)),
    ];
    assert_eq!(order(&mut machine, us(1000)), expected);
    let counted = shims(&mut machine);
    assert_eq!((counted.held, counted.released, counted.expired), (2, 2, 0));
    assert_eq!((counted.keeping, counted.connections), (0, 1));
    assert_eq!((machine.held(), machine.next_departure()), (0, None));
}

#[test]
fn it_goes_on_at_its_deadline_exactly_however_late_it_is_asked_for() {
    for late in [Time::ZERO, Time::from_ms(7)] {
        let mut machine = opened();
        arrives(&mut machine, us(20), &data(2));
        arrives(&mut machine, us(90), &data(1));
        arrives(&mut machine, us(130), &data(4));
        let due = us(20) + WAIT;
        if late == Time::ZERO {
            assert_eq!(order(&mut machine, us(200)), []);
            assert_eq!(machine.next_departure(), Some(due));
            assert_eq!((machine.held(), shims(&mut machine).keeping), (3, 3));
            assert_eq!(order(&mut machine, due - Time::from_ps(1)), []);
        }
        let sent = order(&mut machine, due + WAIT + late);
        assert_eq!(sent, [(101, due), (201, due), (401, us(130) + WAIT)]);
        assert_eq!((shims(&mut machine).expired, machine.held()), (3, 0));
    }
}

#[test]
fn the_frame_that_fills_the_gap_at_the_deadline_is_in_time() {
    let mut machine = opened();
    arrives(&mut machine, us(20), &data(1));
    let due = us(20) + WAIT;
    arrives(&mut machine, due, &data(0));
    assert_eq!(order(&mut machine, Time::from_s(1)), [(1, due), (101, due)]);
    assert_eq!(shims(&mut machine).released, 1);
}

#[test]
fn an_end_waits_for_what_is_before_it_and_then_nothing_is_kept() {
    let mut machine = opened();
    arrives(&mut machine, us(20), &data(1));
    arrives(&mut machine, us(30), &flagged(201, ACK | FIN, 0));
    arrives(&mut machine, us(40), &data(0));
    arrives(&mut machine, us(50), &data(5));
    let at = us(40);
    let expected = [(1, at), (101, at), (201, at), (501, us(50))];
    assert_eq!(order(&mut machine, us(60)), expected);
    let reset = Sample {
        addresses: ([10, 77, 0, 2].into(), [10, 77, 0, 1].into()),
        ports: (80, 40_000),
        flags: Some(4),
        ..Sample::tcp(2, 1, 0)
    };
    assert_eq!(shims(&mut machine).connections, 1);
    machine.receive(us(70), PortId(1), &reset.bytes());
    assert_eq!(shims(&mut machine).connections, 0);
}

#[test]
fn what_is_kept_of_a_connection_that_is_opened_anew_goes_on() {
    let mut machine = opened();
    arrives(&mut machine, us(20), &data(3));
    arrives(&mut machine, us(30), &flagged(201, ACK | FIN, 0));
    arrives(&mut machine, us(40), &flagged(7_000, SYN, 0));
    let at = us(40);
    let mut sent = order(&mut machine, us(60));
    sent.sort();
    assert_eq!(sent, [(201, at), (301, at), (7_000, at)]);
    assert_eq!(shims(&mut machine).discarded, 2);
    // The new one is open still.
    arrives(&mut machine, us(70), &flagged(7_101, ACK, 100));
    assert_eq!(order(&mut machine, us(80)), []);
    assert_eq!(machine.held(), 1);
}

#[test]
fn all_else_and_other_ports_go_on_as_they_come() {
    let mut machine = opened();
    let udp = Sample {
        flags: None,
        ..Sample::tcp(1, 2, 100)
    };
    let other = Sample::tcp(1, 3, 100);
    machine.receive(us(20), PortId(0), &udp.bytes());
    for n in [2, 1] {
        let other = Sample {
            seq: n,
            ..other.clone()
        };
        machine.receive(us(20), PortId(0), &other.bytes());
    }
    let out = leaving(&mut machine, us(100));
    assert_eq!(out.len(), 3);
    assert!(
        out.iter()
            .any(|frame| frame.0 == 1 && frame.2 == older(&udp))
    );
    assert_eq!(machine.counters(us(100)).ports[2].shims, None);
    assert_eq!(shims(&mut machine).held, 0);
}

#[test]
fn a_reload_without_shims_lets_all_go_on_and_one_with_the_same_keeps_it() {
    let mut machine = opened();
    for n in [4, 2, 3] {
        arrives(&mut machine, us(20), &data(n));
    }
    order(&mut machine, us(30));
    let mut setup = with_order("");
    setup.ports[0].rate = BitRate::mbps(10);
    machine.reload(us(35), &setup).unwrap();
    assert_eq!((order(&mut machine, us(40)), machine.held()), (vec![], 3));
    setup.ports[1].shims.clear();
    machine.reload(us(45), &setup).unwrap();
    // In the order in which they came.
    let sent = order(&mut machine, us(50));
    assert_eq!(sent, [(401, us(45)), (201, us(45)), (301, us(45))]);
    arrives(&mut machine, us(60), &data(9));
    assert_eq!(order(&mut machine, us(60)), [(901, us(60))]);
    machine.reload(us(70), &with_order("")).unwrap();
    arrives(&mut machine, us(90), &data(10));
    arrives(&mut machine, us(100), &data(12));
    assert_eq!(order(&mut machine, us(110)), [(1001, us(90))]);
    assert_eq!(machine.held(), 1);
}

#[test]
fn what_shims_have_counted_stays_counted_when_a_reload_replaces_them() {
    let mut machine = opened();
    for n in [4, 2, 3] {
        arrives(&mut machine, us(20), &data(n));
    }
    order(&mut machine, us(30));
    let now = |machine: &mut Machine| {
        let shims = shims(machine);
        [shims.keeping, shims.connections, shims.held]
    };
    assert_eq!(now(&mut machine), [3, 1, 3]);
    let mut setup = with_order("");
    setup.ports[1].shims.clear();
    machine.reload(us(45), &setup).unwrap();
    assert_eq!(now(&mut machine), [0, 0, 3], "without shims");
    machine.reload(us(50), &with_order("")).unwrap();
    arrives(&mut machine, us(60), &data(9));
    arrives(&mut machine, us(70), &data(12));
    order(&mut machine, us(80));
    assert_eq!(now(&mut machine), [1, 1, 4], "with others");
    machine.reload(us(90), &setup).unwrap();
    machine.reload(us(91), &with_order("")).unwrap();
    assert_eq!(now(&mut machine), [0, 0, 4], "and no count twice");
}

#[test]
fn what_was_due_before_a_reload_is_out_before_what_that_lets_go() {
    let mut machine = opened();
    arrives(&mut machine, us(20), &data(1));
    arrives(&mut machine, us(200), &data(3));
    let mut setup = with_order("");
    setup.ports[1].shims.clear();
    machine.reload(us(600), &setup).unwrap();
    let sent = order(&mut machine, us(600));
    assert_eq!(sent, [(101, us(20) + WAIT), (301, us(600))]);
}

#[test]
fn what_is_kept_is_behind_the_link_and_outlives_it() {
    let mut machine = opened();
    arrives(&mut machine, us(20), &data(1));
    order(&mut machine, us(30));
    let port = [PortId(1)].into_iter().collect();
    arrives(&mut machine, us(40), &data(0));
    assert_eq!(machine.change(us(39), &Change::Down(port)), Ok(1));
    assert_eq!(order(&mut machine, Time::from_s(1)), [(101, us(20) + WAIT)]);
}

#[test]
fn a_connection_that_is_silent_makes_room() {
    let mut machine = opened();
    let later = SILENCE + us(20);
    let other = Sample {
        ports: (40_001, 80),
        ..data(0)
    };
    arrives(&mut machine, later, &other);
    order(&mut machine, later);
    assert_eq!(shims(&mut machine).connections, 1);
}

/// Host 2 sends, and has this agent.
fn with_agent(name: &str, settings: &str) -> Machine {
    let mut setup = config("", "1 Gbps");
    let written = format!(
        "[switch]\n[[port]]\ninterface = \"p\"\nrate = \"1 Gbps\"\n\
         shims = [\"{name}\"]\n{settings}\n"
    );
    let read = Setup::read("o.toml", &written).unwrap();
    setup.ports[1].shims = read.ports[0].shims.clone();
    Machine::new(&setup).unwrap()
}

/// Host 2 sends bytes 1 to 1000 to host 1, then hears these acknowledgements: number, flags, window.
/// Says how many of each kind come to it.
fn heard(machine: &mut Machine, acks: &[(u32, u8, u16, &[u8])]) -> Vec<usize> {
    let data = Sample {
        ports: (80, 40_000),
        ..Sample::tcp(2, 1, 1000)
    };
    machine.receive(us(1), PortId(1), &data.bytes());
    leaving(machine, us(100));
    let mut now = us(100);
    let mut came = Vec::new();
    for (ack, flags, window, options) in acks {
        let sample = Sample {
            ack: *ack,
            window: *window,
            options: options.to_vec(),
            ..flagged(1, *flags, 0)
        };
        for _ in 0..6 {
            machine.receive(now, PortId(0), &sample.bytes());
            now += us(2);
        }
        came.push(leaving(machine, now).iter().filter(|f| f.0 == 1).count());
    }
    came
}

#[test]
fn agents_drop_duplicates_of_real_segments() {
    const ECE: u8 = 64;
    let sack: &[u8] = &[1, 1, 5, 10, 0, 0, 2, 88, 0, 0, 2, 188];
    let acks: [(u32, u8, u16, &[u8]); 5] = [
        // One moves, five are duplicates.
        (401, ACK, 9, &[]),
        // Another window is news, five are duplicates.
        (401, ACK, 8, &[]),
        (401, ACK | ECE, 8, &[]),
        (401, ACK, 8, sack),
        // All is acknowledged: nothing is a duplicate.
        (1001, ACK, 8, &[]),
    ];
    let mut machine = with_agent("agent-ecn", "");
    assert_eq!(heard(&mut machine, &acks), [1, 1, 6, 6, 6]);
    let counted = shims(&mut machine);
    assert_eq!((counted.duplicates, counted.dropped), (16, 10));
    assert_eq!((counted.keeping, machine.held()), (0, 0));
    let mut machine = with_agent("agent-droptail", "agent-droptail = { first = 9 }");
    assert_eq!(heard(&mut machine, &acks), [3, 3, 6, 6, 6]);
    let counted = shims(&mut machine);
    assert_eq!((counted.duplicates, counted.dropped), (16, 6));
}

/// Drops every third, marks every fifth.
struct Spoils(u32);

impl Shim for Spoils {
    fn up(&mut self, _: Time, packet: &mut Packet) -> Up {
        self.0 += 1;
        if self.0.is_multiple_of(5) {
            packet.set_ce(true);
        }
        match self.0.is_multiple_of(3) {
            true => Up::Drop,
            false => Up::Pass,
        }
    }
}

#[test]
fn a_shim_of_ones_own_drops_and_marks() {
    let mut machine = Machine::new(&config("", "1 Gbps")).unwrap();
    machine.set_shims(
        PortId(1),
        Stack::of(vec![AnyShim::Custom(Box::new(Spoils(0)))]),
    );
    for n in 0..9 {
        let sample = Sample { tos: 2, ..data(n) };
        machine.receive(SPAN * u64::from(n), PortId(0), &sample.bytes());
    }
    let out = leaving(&mut machine, Time::from_s(1));
    assert_eq!(out.len(), 6);
    let marked = out.iter().filter(|frame| frame.2[15] & 3 == 3).count();
    assert_eq!(
        (marked, shims(&mut machine).dropped, machine.held()),
        (1, 3, 0)
    );
    // What it dropped is not forgotten with it.
    machine.reload(Time::from_s(2), &with_order("")).unwrap();
    assert_eq!(shims(&mut machine).dropped, 3);
    conserved(&machine.counters(Time::from_s(2))).unwrap();
}

/// What came in is somewhere: sent, dropped, refused or kept.
fn conserved(counters: &Counters) -> Result<(), TestCaseError> {
    let ports = &counters.ports;
    let came: u64 = ports
        .iter()
        .map(|p| p.frames.rx_frames + p.frames.copies)
        .sum();
    let went: u64 = (ports.iter())
        .map(|p| {
            let lost = p.drops.values().sum::<u64>() + p.refused.values().sum::<u64>();
            p.frames.floods + p.frames.tx_frames + lost + p.shims.map_or(0, |shims| shims.dropped)
        })
        .sum();
    prop_assert_eq!(came, went + counters.held, "{:?}", counters);
    Ok(())
}

/// A segment of one of some connections: from, to, sequence number in hundreds, flags, payload.
fn segments() -> impl Strategy<Value = Vec<(u8, u8, u32, u8, usize, u64, u8)>> {
    let flags = prop_oneof![12 => Just(ACK), 1 => Just(SYN), 1 => Just(ACK | FIN), 1 => Just(4u8)];
    let one = (
        1u8..=3,
        1u8..=3,
        0u32..12,
        flags,
        0usize..=100,
        0u64..400,
        0u8..40,
    );
    proptest::collection::vec(one, 1..200)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn any_segments_with_reloads_and_cuts_between_are_all_accounted_for(segments in segments()) {
        let setup = with_order("capacity = \"5 pkt\"\nbuffer = \"dibs\"");
        let mut without = setup.clone();
        without.ports[1].shims.clear();
        let mut machine = Machine::new(&setup).unwrap();
        let (mut now, mut last) = (Time::ZERO, Time::ZERO);
        for (from, to, hundreds, flags, payload, wait, what) in segments {
            now += us(wait);
            let port = [PortId(1)].into_iter().collect();
            match what {
                0 => machine.reload(now, &without).unwrap(),
                1 => machine.reload(now, &setup).unwrap(),
                2 => drop(machine.change(now, &Change::Down(port)).unwrap()),
                3 | 4 => drop(machine.change(now, &Change::Up(port)).unwrap()),
                5 => {
                    for (_, due, _) in leaving(&mut machine, now) {
                        prop_assert!(due >= last && due <= now);
                        last = due;
                    }
                }
                _ => {
                    let mut sample = flagged(100 * hundreds, flags, payload);
                    let whole = Sample::tcp(from, to, payload);
                    (sample.macs, sample.addresses) = (whole.macs, whole.addresses);
                    machine.receive(now, PortId(u16::from(from) - 1), &sample.bytes());
                }
            }
            conserved(&machine.counters(now))?;
        }
        leaving(&mut machine, now + Time::from_s(1));
        let counters = machine.counters(now + Time::from_s(1));
        conserved(&counters)?;
        prop_assert_eq!((counters.held, machine.next_departure()), (0, None));
    }

    /// In any order: as they were sent, and each at the instant at which the last before it came.
    #[test]
    fn nothing_goes_on_out_of_order_before_a_deadline(shuffled in Just((0..8).collect::<Vec<u32>>()).prop_shuffle()) {
        let mut machine = opened();
        for (at, n) in shuffled.iter().enumerate() {
            arrives(&mut machine, us(20 + 10 * at as u64), &data(*n));
        }
        let came = |n: u32| us(20 + 10 * shuffled.iter().position(|m| *m == n).unwrap() as u64);
        let latest = |n: u32| (0..=n).map(came).max().unwrap();
        let expected: Vec<(u32, Time)> = (0..8).map(|n| (1 + 100 * n, latest(n))).collect();
        prop_assert_eq!(order(&mut machine, Time::from_s(1)), expected);
    }
}

/// Host 1, at port 0, marks what it sends by what remains; what an application announces of its connection from 1 to 2.
fn announced(setup: &Setup, from: u16, bytes: u64) -> (Machine, crate::machine::Announced) {
    let sample = Sample::tcp(1, 2, 0);
    let (a, b) = sample.addresses;
    let one = crate::machine::Announced {
        from: (a, from),
        to: (b, sample.ports.1),
        bytes,
    };
    (Machine::new(setup).unwrap(), one)
}

fn with_mark(by: &str) -> Setup {
    let mut setup = config("", "1 Gbps");
    let entry = sidestep_transport::shim::ENTRIES;
    let entry = entry.iter().find(|entry| entry.name == "mark").unwrap();
    let mut values = sidestep_types::Values::defaults(entry.params);
    values.set("by", sidestep_types::Value::Word(by.into()));
    setup.ports[0].shims = vec![sidestep_transport::shim::choose("mark", &values).unwrap()];
    setup
}

#[test]
fn a_size_is_announced_once_and_before_the_first_byte() {
    let port = Sample::tcp(1, 2, 0).ports.0;
    let (mut machine, one) = announced(&with_mark("remaining"), port, 250);
    let mut say = |us: u64, all: &[crate::machine::Announced]| {
        machine.announce(Time::from_us(us), PortId(0), all)
    };
    let other = |from: u16| crate::machine::Announced {
        from: (one.from.0, from),
        ..one
    };
    assert_eq!(say(1, &[one]), Ok(()));
    let why = say(2, &[other(9), one]).unwrap_err();
    assert!(why.ends_with("was announced before"), "{why}");
    assert_eq!(
        say(3, &[other(9)]),
        Ok(()),
        "nothing of it was taken before"
    );
    let why = say(4, &[other(10), other(10)]).unwrap_err();
    assert!(why.ends_with("is there twice"), "{why}");
    let nothing = crate::machine::Announced {
        bytes: 0,
        ..other(10)
    };
    let why = say(5, &[nothing]).unwrap_err();
    assert!(why.ends_with("expected at least 1 byte, got 0"), "{why}");
    let odd = crate::machine::Announced {
        to: ("fd77::2".parse().unwrap(), 80),
        ..other(10)
    };
    let why = say(6, &[odd]).unwrap_err();
    assert!(why.ends_with("two addresses of one family"), "{why}");
    // Data of a connection that nobody announced.
    let late = other(77);
    let data = Sample {
        ports: (77, one.to.1),
        ..data(0)
    };
    machine.receive(us(7), PortId(0), &data.bytes());
    let why = machine.announce(us(8), PortId(0), &[late]).unwrap_err();
    let (from, to) = (one.from.0, one.to);
    let said = format!(
        "announce: port \"p0\": {from}:77 to {}:{}: expected it before the first byte, got it after 100",
        to.0, to.1
    );
    assert_eq!(why.replace(&machine.setup().ports[0].name, "p0"), said);
}

#[test]
fn sizes_are_for_ports_that_mark_by_what_remains() {
    for (setup, port) in [(with_mark("packets"), 0), (with_mark("remaining"), 1)] {
        let (mut machine, one) = announced(&setup, 9, 100);
        let why = machine.announce(us(0), PortId(port), &[one]).unwrap_err();
        assert!(
            why.contains("expected \"mark\" with by = \"remaining\""),
            "{why}"
        );
    }
}
