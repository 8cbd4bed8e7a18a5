//! Tests of when flows begin and stop to count.

use super::*;
use crate::sched::wps::Wps;
use crate::testing::{StillQueues, data};
use crate::{
    AnyBuffer, AnySched, Buffer, Class, Depth, DropReason, Policy, Sched, Verdict, buffer, sched,
};
use proptest::prelude::*;
use sidestep_types::{Bytes, Entry, FlowId, PortId, Rng, Value, Values};
use std::collections::{BTreeMap, VecDeque};

fn count(sets: &[(&'static str, Value)]) -> Wps {
    let mut values = Values::defaults(Wps::ENTRY.params);
    sets.iter()
        .for_each(|(name, value)| values.set(name, value.clone()));
    Wps::from_values(&values, 4, 0).unwrap()
}

fn of(flow: u32) -> Packet {
    let mut pkt = data();
    (pkt.flow, pkt.hash) = (FlowId(flow), flow);
    pkt
}

fn last(flow: u32) -> Packet {
    let mut pkt = of(flow);
    pkt.set_ends(true);
    pkt
}

fn flows(sched: &Wps) -> [u32; 2] {
    [0, 1].map(|class| sched.queue(class).flows)
}

fn us(us: u64) -> Time {
    Time::from_us(us)
}

/// Shows and pushes a packet, as a port does.
fn join(sched: &mut Wps, at: Time, pkt: &Packet) {
    sched.see(pkt, at);
    sched.push(pkt, 0);
}

#[test]
fn a_flow_is_in_from_its_first_packet_until_its_last_has_left() {
    let mut sched = count(&[]);
    sched.see(&of(1), us(0));
    assert_eq!(flows(&sched), [1, 0], "before anything of it joins");
    sched.see(&of(1), us(0));
    join(&mut sched, us(1), &of(1));
    join(&mut sched, us(2), &of(2));
    join(&mut sched, us(3), &last(1));
    assert_eq!(flows(&sched), [2, 0]);
    let left = [0, 1, 2].map(|_| {
        sched.pop();
        flows(&sched)[0]
    });
    assert_eq!(left, [2, 2, 1]);
    let mut long = of(2);
    long.set_service(7);
    join(&mut sched, us(4), &long);
    assert_eq!(flows(&sched), [1, 1], "each class has its own");
}

/// Shows a packet and lets it join the port's line in one step, or pass if nothing is before it.
fn come(sched: &mut Wps, at: Time, pkt: &Packet, alone: bool) {
    let idle = Depth::default();
    let came = sched.classes.see_in_order(pkt, true, at, idle).unwrap();
    sched.classes.join_in_order(came, pkt, (idle, alone));
}

#[test]
fn who_was_shown_and_left_in_one_go_at_that_instant_is_sought_again() {
    let mut sched = count(&[]);
    sched.see(&of(1), us(0));
    come(&mut sched, us(0), &last(1), true);
    assert_eq!(flows(&sched), [0, 0], "its last has passed");
    sched.join(&of(1), 0, us(0));
    assert_eq!(flows(&sched), [1, 0], "a repair waits");
}

#[test]
fn what_ends_a_flow_without_data_is_told_as_ever() {
    let mut sched = count(&[]);
    let mut fin = Packet::new(Kind::Ack, FlowId(1), sidestep_types::HostId(0), 1);
    let comes = |sched: &mut Wps, fin: &Packet| {
        let came = sched
            .classes
            .see_in_order(fin, false, us(1), Depth::default());
        came.is_some()
    };
    assert!(comes(&mut sched, &fin));
    fin.set_ends(true);
    assert!(!comes(&mut sched, &fin));
}

#[test]
fn a_repair_that_finds_the_port_idle_counts_while_it_asks_for_room_and_no_longer() {
    let mut sched = count(&[]);
    for (at, pkt) in [(0, last(1)), (50, of(1)), (50, of(1))] {
        assert_eq!(sched.seen(&pkt, us(at)).flows, 1);
        sched.pass(&pkt, us(at));
        assert_eq!(flows(&sched), [0, 0], "{at} us");
    }
}

#[test]
fn a_repair_behind_the_last_packet_counts_while_it_waits_and_no_longer() {
    let mut sched = count(&[]);
    join(&mut sched, us(0), &last(1));
    sched.pop();
    assert_eq!(flows(&sched), [0, 0]);
    sched.see(&of(1), us(50));
    assert_eq!(flows(&sched), [1, 0], "it asks for room");
    sched.push(&of(1), 0);
    join(&mut sched, us(51), &of(1));
    sched.pop();
    assert_eq!(flows(&sched), [1, 0], "the second waits");
    sched.pop();
    assert_eq!(flows(&sched), [0, 0]);
    // A flow whose packet found no room counts until it has been silent for 10 ms.
    sched.see(&of(1), us(60));
    sched.see(&of(9), us(10_059));
    assert_eq!(flows(&sched), [2, 0]);
    sched.see(&of(9), us(10_060));
    assert_eq!(flows(&sched), [1, 0]);
}

#[test]
fn silence_ends_a_flow_unless_it_only_waits_to_be_sent() {
    let mut sched = count(&[("silence", Value::Time(us(100)))]);
    join(&mut sched, us(0), &of(1));
    join(&mut sched, us(0), &of(2));
    sched.pop();
    sched.see(&of(3), us(99));
    assert_eq!(flows(&sched), [3, 0]);
    let mut ack = Packet::new(Kind::Ack, FlowId(7), sidestep_types::HostId(0), 7);
    ack.wire = 84;
    join(&mut sched, us(100), &ack);
    assert_eq!(
        flows(&sched),
        [2, 0],
        "1 has left, and the acknowledgement is of no flow here"
    );
    sched.see(&ack, us(199));
    assert_eq!(flows(&sched), [1, 0]);
    sched.see(&ack, us(1_000_000));
    assert_eq!(flows(&sched), [1, 0], "2 still waits");
}

#[test]
fn a_bare_end_ends_its_flow_and_a_new_connection_begins_it_again() {
    let mut fin = Packet::new(Kind::Ack, FlowId(1), sidestep_types::HostId(0), 1);
    fin.wire = 84;
    fin.set_ends(true);
    let mut sched = count(&[]);
    join(&mut sched, us(0), &of(1));
    join(&mut sched, us(1), &fin);
    assert_eq!(flows(&sched), [1, 0], "its data waits");
    sched.pop();
    assert_eq!(flows(&sched), [0, 0]);
    join(&mut sched, us(2), &of(1));
    for _ in 0..2 {
        sched.pop();
    }
    assert_eq!(flows(&sched), [0, 0], "a repair");
    let mut syn = Packet::new(Kind::Syn, FlowId(1), sidestep_types::HostId(0), 1);
    syn.wire = 84;
    for pkt in [syn, of(1)] {
        join(&mut sched, us(3), &pkt);
    }
    for _ in 0..3 {
        sched.pop();
    }
    assert_eq!(flows(&sched), [1, 0], "the same ports, another connection");
    join(&mut sched, us(4), &fin);
    assert_eq!(flows(&sched), [0, 0], "nothing of it waits");
}

/// Checks that the tag of a marking shim is enough.
#[test]
fn the_tag_of_a_last_packet_ends_its_flow() {
    let mut sched = count(&[]);
    let mut pkt = of(1);
    let mut tag = pkt.tag();
    tag.set_last(true);
    pkt.set_tag(tag);
    join(&mut sched, us(0), &pkt);
    sched.pop();
    assert_eq!(flows(&sched), [0, 0]);
}

#[test]
fn a_table_that_is_full_forgets_who_has_ended_before_it_leaves_anyone_out() {
    let mut sched = count(&[("places", Value::Count(2))]);
    for flow in [1, 2] {
        join(&mut sched, us(0), &last(flow));
        sched.pop();
    }
    for flow in [3, 4, 5] {
        sched.see(&of(flow), us(1));
    }
    assert_eq!(flows(&sched), [2, 0]);
    join(&mut sched, us(2), &last(5));
    sched.pop();
    sched.pop();
    assert_eq!(flows(&sched), [2, 0], "5 was never in");
    join(&mut sched, us(2), &last(4));
    sched.pop();
    sched.see(&of(5), us(3));
    assert_eq!(flows(&sched), [2, 0], "in the place of 4");
}

#[test]
fn tables_over_memory_and_other_bad_counts_are_refused() {
    let said = |sets: &[(&'static str, Value)]| {
        let mut values = Values::defaults(Wps::ENTRY.params);
        sets.iter()
            .for_each(|(name, value)| values.set(name, value.clone()));
        let refusal = Wps::from_values(&values, 4, 0).expect_err("it is refused");
        refusal.to_string()
    };
    let counts = |all: &[u64]| Value::Counts(all.to_vec());
    assert_eq!(
        said(&[("places", Value::Count(3_000_000))]),
        "flow tables would take 1.152 GB per switch, at most 1 GB is allowed: 3000000 places of 48 B \
         for each of 2 classes at each of 4 ports; lower places or classes"
    );
    assert!(said(&[("places", Value::Count(0))]).starts_with("places must be from 1 to"));
    assert!(said(&[("silence", Value::Time(us(0)))]).starts_with("silence must be above 0"));
    let off = said(&[("count", Value::Off)]);
    assert!(
        off.starts_with("count must be \"exact\" or \"approximate\""),
        "{off}"
    );
    assert!(off.ends_with("number of flows, got \"off\""), "{off}");
    let approximate = ("count", Value::Word("approximate".into()));
    let bits = |bits| said(&[approximate.clone(), ("bits", Value::Count(bits))]);
    assert!(
        [0, 1 << 21]
            .map(bits)
            .iter()
            .all(|said| said.starts_with("bits must be from 1 to 1048576"))
    );
    let window = said(&[approximate, ("window", Value::Time(us(0)))]);
    assert!(window.starts_with("window must be above 0"), "{window}");
    assert!(
        said(&[("classes", Value::Count(9))]).starts_with("classes must be from 1 to 8, got 9")
    );
    assert!(
        said(&[("classes", Value::Count(0))]).starts_with("classes must be from 1 to 8, got 0")
    );
    let weights =
        [counts(&[1, 0]), counts(&[10_001]), counts(&[1, 2, 3])].map(|w| said(&[("weights", w)]));
    assert_eq!(
        weights,
        [
            "weights must be from 1 to 10000, got 0",
            "weights must be from 1 to 10000, got 10001",
            "expected at most 2 weights, one per class, got 3",
        ]
    );
}

/// Checks a million flows, as a port of a large switch may see.
#[test]
fn a_million_flows_are_counted_and_found_again() {
    let mut sched = count(&[("places", Value::Count(1_000_000))]);
    for flow in 0..1_000_100 {
        sched.see(&of(flow), us(0));
    }
    assert_eq!(flows(&sched), [1_000_000, 0]);
    for flow in 0..1_000_000 {
        join(&mut sched, us(1), &last(flow));
        sched.pop();
    }
    assert_eq!(flows(&sched), [0, 0]);
}

#[test]
fn about_as_many_are_counted_as_there_are_and_the_silent_leave_after_two_windows() {
    for n in [1u32, 10, 100, 1024, 4096] {
        let off: Vec<f64> = (0..40)
            .map(|trial| {
                let mut sched = count(&[("count", Value::Word("approximate".into()))]);
                for flow in 0..n {
                    sched.see(&of(trial * 10_000 + flow), us(u64::from(flow) / 8));
                    sched.see(&of(trial * 10_000 + flow), us(u64::from(flow) / 8));
                }
                f64::from(flows(&sched)[0]) / f64::from(n) - 1.0
            })
            .collect();
        let t = f64::from(n) / 1024.0;
        let stated = ((t.exp() - t - 1.0) / 1024.0).sqrt() / t;
        let mean = off.iter().sum::<f64>() / 40.0;
        let spread = (off.iter().map(|o| o * o).sum::<f64>() / 40.0).sqrt();
        // Forty trials leave an uncertainty of about a seventh, and a count is a whole number.
        assert!(
            spread <= 1.4 * stated + 0.5 / f64::from(n),
            "{n}: {spread} {stated}"
        );
        assert!(mean.abs() <= stated, "{n}: {mean}");
    }
    let mut sched = count(&[("count", Value::Word("approximate".into()))]);
    sched.see(&of(1), us(1_900));
    let at = |sched: &mut Wps, time| {
        sched.see(
            &Packet::new(Kind::Ack, FlowId(9), sidestep_types::HostId(0), 9),
            us(time),
        );
        flows(sched)[0]
    };
    assert_eq!(
        [2000, 3999, 4000].map(|time| at(&mut sched, time)),
        [1, 1, 0]
    );
    sched.see(&of(1), us(5000));
    assert_eq!(at(&mut sched, 9000), 0, "after a pause of two windows");
}

proptest! {
    /// Compares the table with a map that is searched from end to end.
    #[test]
    fn a_table_counts_as_a_plain_list_of_flows_would_and_comes_back_to_zero(
        steps in proptest::collection::vec((0u8..8, 0u32..12, 0u64..40), 1..300),
    ) {
        let mut sched = count(&[("silence", Value::Time(us(100))), ("classes", Value::Count(1))]);
        // State of each known flow: when it was seen, how many of its packets wait, whether it ends, whether it
        // counts.
        let mut known: BTreeMap<u32, (u64, u32, bool, bool)> = BTreeMap::new();
        let (mut waiting, mut now) = (std::collections::VecDeque::new(), 0);
        for (what, flow, pause) in steps {
            if what == 7 {
                if let Some(flow) = waiting.pop_front() {
                    let flow: &mut (u64, u32, bool, bool) = known.get_mut(&flow).unwrap();
                    flow.1 -= 1;
                    flow.3 = flow.1 > 0 || !flow.2;
                }
                sched.pop();
            } else {
                now += pause;
                known.values_mut().for_each(|f| if f.1 > 0 && now - f.0 >= 100 { f.0 = now });
                known.retain(|_, f| now - f.0 < 100);
                let entry = known.entry(flow).or_insert((now, 0, false, true));
                (entry.0, entry.3) = (now, true);
                let pkt = if what == 6 { last(flow) } else { of(flow) };
                sched.see(&pkt, us(now));
                if what > 1 {
                    sched.push(&pkt, 0);
                    entry.1 += 1;
                    entry.2 |= what == 6;
                    waiting.push_back(flow);
                }
            }
            let expected = known.values().filter(|f| f.3).count();
            prop_assert_eq!(flows(&sched)[0] as usize, expected);
        }
        while sched.pop().is_some() {}
        sched.see(&Packet::new(Kind::Ack, FlowId(9), sidestep_types::HostId(0), 9), us(now + 100));
        prop_assert_eq!(flows(&sched), [0, 0]);
    }
}

fn built(entries: &[Entry], name: &str, sets: &[(&'static str, Value)]) -> Values {
    let entry = entries.iter().find(|entry| entry.name == name);
    let mut values = Values::defaults(entry.expect("it is registered").params);
    sets.iter()
        .for_each(|(name, value)| values.set(name, value.clone()));
    values
}

/// Port with `mulbuff` before class queues: room for 12 packets, of them 5 of a short class and 3 of the long
/// one.
struct Port {
    policy: AnyBuffer,
    sched: AnySched,
    now: Time,
    /// Packets that wait in each class, in order of arrival.
    waiting: [VecDeque<u32>; 3],
    offered: u32,
    dropped: u32,
    left: u32,
}

impl Port {
    fn new(name: &str, count: &str) -> Port {
        let sets = [
            ("classes", Value::Count(3)),
            ("count", Value::Word(count.into())),
            ("silence", Value::Time(us(100))),
            ("window", Value::Time(us(50))),
            ("places", Value::Count(4)),
        ];
        let sched = built(sched::ENTRIES, name, &sets);
        let [total, product] = [12_000, 4_500].map(|b| Value::Bytes(Bytes(b)));
        let sets = [
            ("total", total),
            ("product", product),
            ("long", Value::Count(2)),
        ];
        let policy = built(buffer::ENTRIES, "mulbuff", &sets);
        Port {
            policy: AnyBuffer::build("mulbuff", &policy, 1, 0).unwrap(),
            sched: AnySched::build(name, &sched, 1, 0).unwrap(),
            now: Time::ZERO,
            waiting: Default::default(),
            offered: 0,
            dropped: 0,
            left: 0,
        }
    }

    fn class(&self, class: u8) -> Class {
        self.sched.queue(class)
    }

    fn flows(&self) -> [u32; 3] {
        [0, 1, 2].map(|class| self.class(class).flows)
    }

    /// Offers a packet, which joins or is dropped for lack of room.
    fn offer(&mut self, pkt: &Packet) {
        self.offered += 1;
        self.sched.see(pkt, self.now);
        let held: usize = self.waiting.iter().map(VecDeque::len).sum();
        let mut queues = StillQueues {
            now: self.now,
            classes: vec![(0..3).map(|class| self.class(class)).collect()],
            ..StillQueues::of(&[held as u32], 12, &[])
        };
        let want = queues.want_for(PortId(0), pkt);
        let rng = &mut Rng::from_seed(0);
        let service = pkt.service();
        match self.policy.admit(pkt, want, &mut queues, rng) {
            Verdict::Enqueue { .. } => {
                self.sched.see(pkt, self.now);
                self.sched.push(pkt, self.offered);
                self.waiting[usize::from(service)].push_back(self.offered);
            }
            Verdict::Drop(reason) => {
                self.dropped += 1;
                assert_eq!(reason, DropReason::Full);
                let Class { depth, flows } = self.class(service);
                let full = match service {
                    2 => depth.bytes + 1500 > 4_500,
                    _ => depth.bytes + 1500 > 7_500 || depth.packets >= 3 * flows,
                };
                assert!(
                    !want.fits || pkt.carries_data() && full,
                    "{service} {depth:?}"
                );
            }
            other => panic!("{other:?}"),
        }
    }

    /// Sends the packet that the scheduler picks: the oldest of its class.
    fn leave(&mut self) -> bool {
        let Some(handle) = self.sched.pop() else {
            return false;
        };
        let mut firsts = self.waiting.iter_mut();
        let own = firsts.find(|waiting| waiting.front() == Some(&handle));
        own.expect("the first of a class").pop_front();
        self.left += 1;
        true
    }
}

proptest! {
    /// Offers data, handshakes, ends, retransmissions after them and acknowledgements, for each scheduler that
    /// counts and each method of counting.
    #[test]
    fn whatever_comes_and_goes_is_sent_or_dropped_for_want_of_room_and_counts_return_to_zero(
        steps in proptest::collection::vec((0u32..9, 0u8..3, 0u8..10, 0u64..40), 1..250),
        name in proptest::sample::select(vec!["ps", "wps", "strict"]),
        count in proptest::sample::select(vec!["exact", "approximate"]),
    ) {
        let mut port = Port::new(name, count);
        for (flow, service, what, pause) in steps {
            port.now += us(pause);
            if what < 3 {
                port.leave();
                continue;
            }
            let (kind, wire) = match what {
                3 => (Kind::Syn, 84),
                4 | 5 => (Kind::Ack, 84),
                _ => (Kind::Data, 1500),
            };
            let mut pkt = match kind {
                Kind::Data => of(flow),
                _ => Packet::new(kind, FlowId(flow), sidestep_types::HostId(0), flow),
            };
            pkt.wire = wire;
            pkt.set_service(service);
            pkt.set_ends(what == 5 || what == 9);
            port.offer(&pkt);
            let most = if count == "exact" { 4 } else { 9 };
            prop_assert!(port.flows().iter().all(|flows| *flows <= most), "{:?}", port.flows());
        }
        while port.leave() {}
        prop_assert_eq!(port.offered, port.left + port.dropped);
        prop_assert_eq!([0, 1, 2].map(|class| port.class(class).depth), [crate::Depth::default(); 3]);
        // Long enough for a silence, or for two windows.
        port.now += us(100);
        let ack = Packet::new(Kind::Ack, FlowId(99), sidestep_types::HostId(0), 99);
        port.sched.see(&ack, port.now);
        prop_assert_eq!(port.flows(), [0; 3]);
    }
}
