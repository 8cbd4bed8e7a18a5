mod agents;
mod by_size;
mod laws;
mod mark;
mod remaining;

use super::order::Order;
use super::registry::Registered;
use super::*;
use crate::TransportConfig;
use sidestep_types::{Bytes, HostId, Kind, Size, Value, Values};

const FLOW: FlowId = FlowId(3);

fn us(n: u64) -> Time {
    Time::from_us(n)
}

/// Byte numbers in hundreds: packets of 100 B.
fn data(number: u64) -> Packet {
    let mut packet = Packet::new(Kind::Data, FLOW, HostId(0), 7);
    packet.set_seq(number * 100);
    packet.len = 100;
    packet
}

fn values(set: &[(&'static str, Value)]) -> Values {
    let mut values = Values::defaults(Order::ENTRY.params);
    values.set("timeout", Value::Time(us(100)));
    for (name, value) in set {
        values.set(name, value.clone());
    }
    values
}

fn order(set: &[(&'static str, Value)]) -> Stack {
    let built = build("order", &values(set)).expect("good values");
    let mut stack = Stack::of(vec![built]);
    stack.open(FLOW, None);
    stack
}

/// What goes on as packet `number` arrives: the numbers of the packets.
fn arrive(stack: &mut Stack, now: Time, mut packet: Packet) -> Vec<u64> {
    let passed = stack.up(now, &mut packet) == Up::Pass;
    let first = passed.then_some(packet.seq() / 100);
    first.into_iter().chain(polled(stack, now)).collect()
}

fn polled(stack: &mut Stack, now: Time) -> Vec<u64> {
    std::iter::from_fn(|| stack.poll_up(now))
        .map(|packet| packet.seq() / 100)
        .collect()
}

fn see(stack: &mut Stack, now: Time, numbers: &[u64]) -> Vec<u64> {
    let each = numbers.iter().map(|n| arrive(stack, now, data(*n)));
    each.collect::<Vec<_>>().concat()
}

#[test]
fn every_shim_is_built_from_its_defaults() {
    for entry in ENTRIES {
        build(entry.name, &Values::defaults(entry.params)).expect("the defaults go together");
        assert!(!entry.summary.is_empty() && !entry.source.is_empty());
        if let Some(holds) = nature(entry.name).holds {
            assert!(entry.params.iter().any(|param| param.name == holds));
        }
        if let Some(passes) = nature(entry.name).passes {
            assert!(entry.params.iter().any(|param| param.name == passes));
        }
    }
    let unknown = build("odrer", &Values::default()).err().expect("unknown");
    assert_eq!(unknown.to_string(), "\"odrer\" is unknown");
}

#[test]
fn every_order_of_six_packets_goes_on_in_order() {
    let mut numbers = [0, 1, 2, 3, 4, 5];
    permute(&mut numbers, 0, &mut |arrivals| {
        let mut stack = order(&[]);
        assert_eq!(see(&mut stack, us(0), arrivals), [0, 1, 2, 3, 4, 5]);
        let counted = stack.counters();
        assert_eq!(counted.held, counted.released);
        assert_eq!(
            (counted.late, counted.expired, stack.deadline()),
            (0, 0, None)
        );
    });
}

fn permute(packets: &mut [u64], from: usize, visit: &mut impl FnMut(&[u64])) {
    if from == packets.len() {
        return visit(packets);
    }
    for i in from..packets.len() {
        packets.swap(from, i);
        permute(packets, from + 1, visit);
        packets.swap(from, i);
    }
}

#[test]
fn a_gap_is_given_up_at_its_deadline_and_the_next_has_its_own() {
    let mut stack = order(&[]);
    assert_eq!(arrive(&mut stack, us(0), data(0)), [0]);
    // 1 and 3 are missing; the gap before 2 opened as 4 came, the one before 4 as well.
    assert_eq!(arrive(&mut stack, us(10), data(4)), []);
    assert_eq!(arrive(&mut stack, us(20), data(2)), []);
    assert_eq!(arrive(&mut stack, us(30), data(6)), []);
    assert_eq!(stack.deadline(), Some(us(110)));
    stack.on_timeout(us(109));
    assert_eq!(polled(&mut stack, us(109)), []);
    stack.on_timeout(us(110));
    assert_eq!(polled(&mut stack, us(110)), [2, 4]);
    // 5 is missing: 6 came at 30 us.
    assert_eq!(stack.deadline(), Some(us(130)));
    assert_eq!(arrive(&mut stack, us(111), data(1)), [1], "late");
    assert_eq!(arrive(&mut stack, us(112), data(5)), [5, 6]);
    assert_eq!(stack.deadline(), None);
    let counted = stack.counters();
    assert_eq!((counted.held, counted.expired, counted.released), (3, 2, 1));
    assert_eq!(counted.late, 1);
}

#[test]
fn a_gap_that_closes_leaves_the_next_with_the_time_of_what_is_ahead_of_it() {
    let mut stack = order(&[]);
    assert_eq!(arrive(&mut stack, us(5), data(1)), []);
    assert_eq!(arrive(&mut stack, us(25), data(3)), []);
    assert_eq!(stack.deadline(), Some(us(105)));
    assert_eq!(arrive(&mut stack, us(30), data(0)), [0, 1]);
    assert_eq!(stack.deadline(), Some(us(125)));
}

#[test]
fn the_timers_of_several_flows_run_out_in_turn() {
    let mut stack = order(&[]);
    stack.open(FlowId(4), None);
    let other = |number| {
        let mut packet = data(number);
        packet.flow = FlowId(4);
        packet
    };
    assert_eq!(arrive(&mut stack, us(0), data(1)), []);
    assert_eq!(arrive(&mut stack, us(50), data(3)), []);
    assert_eq!(arrive(&mut stack, us(60), other(5)), []);
    // Its next gap opened at 50 us, before that of the other flow.
    assert_eq!(arrive(&mut stack, us(70), data(0)), [0, 1]);
    assert_eq!(stack.deadline(), Some(us(150)));
    stack.on_timeout(us(150));
    assert_eq!(polled(&mut stack, us(150)), [3]);
    assert_eq!(stack.deadline(), Some(us(160)));
    stack.on_timeout(us(160));
    assert_eq!(polled(&mut stack, us(160)), [5]);
}

#[test]
fn copies_are_held_and_go_on_behind_the_first() {
    let mut stack = order(&[]);
    assert_eq!(see(&mut stack, us(0), &[2, 1, 2, 1]), []);
    assert_eq!(see(&mut stack, us(0), &[0, 1]), [0, 1, 1, 2, 2, 1]);
    assert_eq!(stack.counters().late, 1);
}

#[test]
fn what_carries_no_whole_data_passes() {
    passes_what_carries_no_whole_data(&mut order(&[]), data(5));
}

/// `cut`, number 5, goes on at once when it is trimmed, and so does what carries no data.
fn passes_what_carries_no_whole_data(stack: &mut Stack, mut cut: Packet) {
    cut.trim(84);
    assert_eq!(arrive(stack, us(0), cut), [5]);
    for kind in [Kind::Ack, Kind::Syn, Kind::SynAck] {
        let mut packet = Packet::new(kind, FLOW, HostId(0), 7);
        packet.set_seq(500);
        assert_eq!(arrive(stack, us(0), packet), [5]);
    }
    assert_eq!(stack.counters(), Counters::default());
}

#[test]
fn flows_and_subflows_do_not_wait_for_each_other() {
    let mut stack = order(&[]);
    stack.open(FlowId(4), None);
    let of = |flow, subflow, number: u64| {
        let mut packet = data(0);
        packet.flow = flow;
        packet.set_seq(Packet::first_of(subflow) + number * 100);
        packet
    };
    let mut passes = |packet: Packet| stack.up(us(0), &mut { packet }) == Up::Pass;
    assert!(!passes(of(FLOW, 0, 1)));
    assert!(passes(of(FlowId(4), 0, 0)));
    assert!(passes(of(FLOW, 1, 0)) && passes(of(FLOW, 1, 1)));
    assert!(!passes(of(FLOW, 2, 1)));
    assert!(passes(of(FlowId(5), 1, 1)), "nobody opened it");
    assert_eq!(stack.counters().bypassed, 1);
}

#[test]
fn nothing_is_held_of_a_flow_that_is_closed_or_was_given_no_place() {
    let mut stack = order(&[("flows", Value::Count(1))]);
    stack.open(FlowId(4), None);
    let mut other = data(7);
    other.flow = FlowId(4);
    assert_eq!(arrive(&mut stack, us(0), other), [7]);
    assert_eq!(arrive(&mut stack, us(0), data(7)), []);
    stack.close(FLOW);
    assert_eq!(stack.deadline(), None);
    assert_eq!(arrive(&mut stack, us(0), data(7)), [7]);
    let counted = stack.counters();
    assert_eq!(
        (counted.held, counted.discarded, counted.bypassed),
        (1, 1, 2)
    );
    // Its place is free again; the other flow keeps having none.
    stack.open(FlowId(5), None);
    assert_eq!(arrive(&mut stack, us(0), other), [7]);
    other.flow = FlowId(5);
    assert_eq!(arrive(&mut stack, us(0), other), []);
}

#[test]
fn a_flow_that_is_open_keeps_what_is_held_when_it_opens_again() {
    let mut stack = order(&[]);
    assert_eq!(arrive(&mut stack, us(0), data(1)), []);
    stack.open(FLOW, None);
    assert_eq!(arrive(&mut stack, us(0), data(0)), [0, 1]);
}

#[test]
fn without_room_the_gaps_below_are_given_up() {
    for capacity in [Size::Packets(2), Size::Bytes(Bytes(299))] {
        let mut stack = order(&[("capacity", Value::Size(capacity))]);
        assert_eq!(see(&mut stack, us(0), &[2, 6]), []);
        assert_eq!(see(&mut stack, us(1), &[4]), [2, 4]);
        assert_eq!(see(&mut stack, us(2), &[8]), []);
        assert_eq!(see(&mut stack, us(3), &[5]), [5, 6]);
        assert_eq!(stack.deadline(), Some(us(102)));
        let counted = stack.counters();
        assert_eq!((counted.held, counted.released, counted.expired), (3, 1, 1));
        assert_eq!(counted.bypassed, 1);
    }
}

#[test]
fn a_gap_that_waits_for_ever_does_so() {
    let mut stack = order(&[("timeout", Value::Time(Time::MAX))]);
    assert_eq!(see(&mut stack, us(1), &[1]), []);
    assert_eq!(stack.deadline(), Some(Time::MAX));
    assert_eq!(see(&mut stack, us(2), &[0]), [0, 1]);
    assert_eq!(stack.deadline(), None);
}

#[test]
fn values_that_cannot_be_had_are_refused() {
    for (name, value, says) in [
        (
            "timeout",
            Value::Time(Time::ZERO),
            "timeout must be above 0, got 0 ps",
        ),
        ("flows", Value::Count(0), "flows must be above 0, got 0"),
        (
            "capacity",
            Value::Size(Size::Packets(0)),
            "capacity must be above 0, got 0 pkt",
        ),
        (
            "capacity",
            Value::Size(Size::Bytes(Bytes(0))),
            "capacity must be above 0, got 0 B",
        ),
    ] {
        let refused = build("order", &values(&[(name, value)]))
            .err()
            .expect("refused");
        assert_eq!(
            (refused.to_string().as_str(), refused.params),
            (says, vec![name])
        );
    }
}

#[test]
fn a_stack_is_refused_that_no_host_can_have() {
    let transport = |name| TransportConfig::from_name(name).expect("listed");
    let order = choose("order", &values(&[])).expect("good values");
    let one = std::slice::from_ref(&order);
    assert_eq!(check(one, &transport("newreno")), Ok(()));
    let both = [order.clone(), order.clone()];
    let twice = check(&both, &transport("newreno")).expect_err("twice");
    let says = "a shim stands once in a stack, got \"order\" twice";
    assert_eq!((twice.0, twice.1.to_string().as_str()), ("", says));
}

/// Holds every packet until the next has come, and drops each third.
#[derive(Default)]
struct Lazy {
    kept: Vec<Packet>,
    ready: Vec<Packet>,
    seen: u32,
}

impl Shim for Lazy {
    fn up(&mut self, _: Time, packet: &mut Packet) -> Up {
        self.seen += 1;
        if self.seen.is_multiple_of(3) {
            return Up::Drop;
        }
        self.ready.append(&mut self.kept);
        self.kept.push(*packet);
        Up::Keep
    }
    fn poll_up(&mut self, _: Time) -> Option<Packet> {
        self.ready.pop()
    }
}

#[test]
fn what_a_lower_shim_releases_goes_through_those_above() {
    let lazy = || AnyShim::Custom(Box::<Lazy>::default());
    // The order above a lazy one: what the lazy one lets go is ordered.
    let mut stack = Stack::of(vec![build("order", &values(&[])).unwrap(), lazy()]);
    stack.open(FLOW, None);
    assert_eq!(see(&mut stack, us(0), &[1]), []);
    assert_eq!(see(&mut stack, us(0), &[0]), [], "1 goes to the order");
    assert_eq!(see(&mut stack, us(0), &[9]), [], "dropped");
    assert_eq!(stack.poll_drop().map(|p| p.seq()), Some(900));
    assert!(stack.poll_drop().is_none());
    assert_eq!(see(&mut stack, us(0), &[2]), [0, 1]);
    assert_eq!(stack.counters().dropped, 1);
    // Two lazy ones: the upper drops each third of what the lower lets go.
    let mut stack = Stack::of(vec![lazy(), lazy()]);
    assert_eq!(see(&mut stack, us(0), &[0, 1, 9, 2, 3, 9, 4]), [0, 1]);
    let dropped = std::iter::from_fn(|| stack.poll_drop()).map(|p| p.seq() / 100);
    assert_eq!(dropped.collect::<Vec<_>>(), [9, 2, 9]);
}

#[test]
fn what_shims_add_to_packets_adds_up() {
    let of = |name: &str| {
        let entry = ENTRIES.iter().find(|entry| entry.name == name);
        let params = entry.expect("listed").params;
        choose(name, &Values::defaults(params)).expect("its defaults")
    };
    for entry in ENTRIES {
        assert!(of(entry.name).adds() <= nature(entry.name).adds);
    }
    assert_eq!(longest(&[of("order"), of("mark")], 1).adds, 7);
    assert_eq!(longest(&[of("mark")], 1460).ip(), 1507);
}
