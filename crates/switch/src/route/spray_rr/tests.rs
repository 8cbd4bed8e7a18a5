use super::*;
use crate::testing::{StillQueues, data};
use sidestep_types::{FlowId, HostId, Kind, Value, Values};
use std::collections::BTreeSet;

const SALT: u64 = 7;

fn build(settings: &[(&'static str, Value)]) -> Result<SprayRr, Refusal> {
    let mut values = Values::defaults(SprayRr::ENTRY.params);
    for (name, value) in settings {
        values.set(name, value.clone());
    }
    SprayRr::from_values(&values, 8, SALT)
}

fn word(word: &str) -> Value {
    Value::Word(word.into())
}

struct TestSwitch {
    route: SprayRr,
    rng: Rng,
}

impl TestSwitch {
    fn of(settings: &[(&'static str, Value)]) -> TestSwitch {
        TestSwitch {
            route: build(settings).unwrap(),
            rng: Rng::from_seed(3),
        }
    }

    /// Returns the port that a packet of this flow takes, to host `dst` of prefix `prefix`.
    fn pick_to(&mut self, hash: u32, (dst, prefix): (u32, u32), ports: &[u16]) -> u16 {
        let ports: Vec<PortId> = ports.iter().map(|p| PortId(*p)).collect();
        let hops = Hops {
            prefix,
            ..Hops::of(&ports)
        };
        let mut packet = data();
        (packet.hash, packet.dst) = (hash, HostId(dst));
        let mut queues = StillQueues::of(&[0; 8], 100, &[]);
        (self.route)
            .pick(&packet, hops, &mut queues, &mut self.rng)
            .0
    }

    fn pick(&mut self, hash: u32, ports: &[u16]) -> u16 {
        self.pick_to(hash, (0, 0), ports)
    }
}

/// Returns two flows in different places.
fn two_flows() -> [u32; 2] {
    let place = |hash: u32| mix64(SALT ^ u64::from(hash)) & 1023;
    let other = (1..).find(|hash| place(*hash) != place(0));
    [0, other.unwrap()]
}

#[test]
fn each_flow_takes_the_hops_in_turn_whatever_the_others_do() {
    let mut asked = TestSwitch::of(&[("start", word("first"))]);
    let ports = [1, 4, 7];
    let [one, other] = two_flows();
    assert_eq!([(); 4].map(|()| asked.pick(one, &ports)), [1, 4, 7, 1]);
    assert_eq!([(); 2].map(|()| asked.pick(other, &ports)), [1, 4]);
    assert_eq!([(); 2].map(|()| asked.pick(one, &ports)), [4, 7]);
    assert_eq!(asked.rng, Rng::from_seed(3), "nothing is drawn");
}

#[test]
fn a_new_flow_begins_where_ecmp_would_send_it() {
    let ports = [1, 4, 7];
    let ids = ports.map(PortId);
    let mut seen = BTreeSet::new();
    for hash in 0..50 {
        let first = TestSwitch::of(&[]).pick(hash, &ports);
        assert_eq!(first, super::super::ecmp::hop_of(&ids, hash, SALT).0);
        seen.insert(first);
    }
    assert_eq!(seen.len(), 3);
    let mut asked = TestSwitch::of(&[]);
    let turns = [(); 6].map(|()| asked.pick(9, &ports));
    assert_eq!(turns[..3], turns[3..]);
    assert_eq!(BTreeSet::from(turns).len(), 3);
}

#[test]
fn what_has_one_pointer_is_a_flow_a_destination_a_prefix_or_all() {
    let ports = [0, 1, 2, 3];
    let [one, other] = two_flows();
    // Two packets share a pointer if the second takes the hop after the first's.
    let share = |per: &str, first: (u32, (u32, u32)), second: (u32, (u32, u32))| {
        let mut asked = TestSwitch::of(&[("per", word(per)), ("start", word("first"))]);
        asked.pick_to(first.0, first.1, &ports);
        asked.pick_to(second.0, second.1, &ports) == 1
    };
    let base = (one, (5, 1));
    let cases = [
        (other, (5, 1)),
        (other, (6, 1)),
        (other, (6, 2)),
        (one, (6, 2)),
    ];
    let shares = |per| cases.map(|case| share(per, base, case));
    assert_eq!(shares("flow"), [false, false, false, true]);
    assert_eq!(shares("destination"), [true, false, false, false]);
    assert_eq!(shares("prefix"), [true, true, false, false]);
    assert_eq!(shares("switch"), [true; 4]);
}

#[test]
fn flows_whose_hashes_name_one_place_share_its_pointer() {
    let ports = [0, 1, 2, 3];
    let mut asked = TestSwitch::of(&[("table", Value::Count(1)), ("start", word("first"))]);
    let turns: Vec<u16> = (0..6).map(|hash| asked.pick(hash, &ports)).collect();
    assert_eq!(turns, [0, 1, 2, 3, 0, 1]);
}

#[test]
fn a_place_left_by_a_flow_with_more_hops_begins_at_the_first() {
    let mut asked = TestSwitch::of(&[("table", Value::Count(1)), ("start", word("first"))]);
    let wide = [0, 1, 2, 3, 4];
    assert_eq!([(); 3].map(|()| asked.pick(0, &wide)), [0, 1, 2]);
    assert_eq!([(); 3].map(|()| asked.pick(1, &[6, 7])), [6, 7, 6]);
    assert_eq!(asked.pick(0, &wide), 1);
}

#[test]
fn a_burst_takes_one_hop() {
    let mut asked = TestSwitch::of(&[("burst", Value::Count(3)), ("start", word("first"))]);
    let turns: Vec<u16> = (0..8).map(|_| asked.pick(0, &[2, 5])).collect();
    assert_eq!(turns, [2, 2, 2, 5, 5, 5, 2, 2]);
}

#[test]
fn where_there_is_no_choice_the_pointer_stands() {
    let mut asked = TestSwitch::of(&[("start", word("first"))]);
    assert_eq!([(); 3].map(|()| asked.pick(0, &[6])), [6; 3]);
    assert_eq!(asked.pick(0, &[2, 5]), 2);
}

#[test]
fn acknowledgements_by_their_hash_leave_the_pointer_where_it_is() {
    let mut asked = TestSwitch::of(&[("acks", word("ecmp")), ("start", word("first"))]);
    let mut ack = Packet::new(Kind::Ack, FlowId(0), HostId(0), 0);
    ack.wire = 84;
    let ports = [1, 4, 7].map(PortId);
    let mut queues = StillQueues::of(&[0; 8], 100, &[]);
    let ecmp = super::super::ecmp::hop_of(&ports, 0, SALT);
    for data in [1, 4, 7, 1] {
        for _ in 0..5 {
            let hops = Hops::of(&ports);
            let port = (asked.route).pick(&ack, hops, &mut queues, &mut asked.rng);
            assert_eq!(port, ecmp);
        }
        assert_eq!(asked.pick(0, &[1, 4, 7]), data);
    }
}

#[test]
fn a_shuffle_draws_another_order_of_whole_rounds() {
    let settings = [("shuffle", Value::Count(2)), ("start", word("first"))];
    let mut asked = TestSwitch::of(&settings);
    let ports = [0, 1, 2, 3, 4];
    let mut orders = BTreeSet::new();
    for rounds in 0..60 {
        let round = || [(); 5].map(|()| 0);
        let [mut first, mut second] = [round(), round()];
        first.fill_with(|| asked.pick(0, &ports));
        second.fill_with(|| asked.pick(0, &ports));
        assert_eq!(first, second, "two rounds have one order");
        assert_eq!(BTreeSet::from(first).len(), 5, "a round has each hop once");
        assert!(
            rounds > 0 || first == [0, 1, 2, 3, 4],
            "the first is that of the ports"
        );
        orders.insert(first);
    }
    // Orders have 5 first hops and 4 strides.
    assert!(orders.len() > 15 && orders.len() <= 20, "{}", orders.len());
    let mut drawn = Rng::from_seed(3);
    (0..60).for_each(|_| _ = drawn.draw());
    assert_eq!(asked.rng, drawn, "one draw for each shuffle");
}

#[test]
fn a_shuffled_place_that_gets_other_hops_returns_to_their_order_and_still_comes_to_a_shuffle() {
    let settings = [("shuffle", Value::Count(1)), ("table", Value::Count(1))];
    let mut asked = TestSwitch::of(&settings);
    for _ in 0..500 {
        for ports in [&[0, 1, 2, 3][..], &[5, 6, 7]] {
            let port = asked.pick(0, ports);
            assert!(ports.contains(&port));
        }
    }
    assert_ne!(asked.rng, Rng::from_seed(3));
}

#[test]
fn every_order_goes_round_and_all_are_drawn_alike() {
    for many in 1..=64u16 {
        let mut rng = Rng::from_seed(u64::from(many));
        for _ in 0..50 {
            let (start, stride) = order(rng.draw(), many);
            assert!(start < many);
            let places = std::iter::successors(Some(start), |at| Some(step(*at, stride, many)));
            let round: BTreeSet<u16> = places.take(usize::from(many)).collect();
            assert_eq!(
                round.len(),
                usize::from(many),
                "{many} hops, stride {stride}"
            );
        }
    }
    let mut seen = std::collections::BTreeMap::new();
    let mut rng = Rng::from_seed(1);
    for _ in 0..80_000 {
        *seen.entry(order(rng.draw(), 8)).or_insert(0u32) += 1;
    }
    // Orders have 8 first hops and the strides 1, 3, 5 and 7. Expected: 2,500 each, with a standard deviation
    // of 49.
    assert_eq!(seen.len(), 32);
    assert!(seen.values().all(|n| n.abs_diff(2_500) < 200), "{seen:?}");
}

#[test]
fn the_next_place_wraps() {
    assert_eq!([0, 1, 2].map(|at| next(at, 3)), [1, 2, 0]);
    assert_eq!(next(0, 1), 0);
    assert_eq!(step(4, 3, 5), 2);
    assert_eq!(step(u16::MAX - 2, u16::MAX - 2, u16::MAX), u16::MAX - 4);
}

#[test]
fn tables_and_turns_of_nothing_or_too_much_are_refused() {
    let said = |name, n| build(&[(name, Value::Count(n))]).unwrap_err().to_string();
    for (n, got) in [(0, "0"), (1000, "1000"), (131_072, "131072")] {
        let expected = format!("table must be a power of two from 1 to 65536, got {got}");
        assert_eq!(said("table", n), expected);
    }
    assert_eq!(said("burst", 0), "burst must be from 1 to 65535, got 0");
    assert_eq!(
        said("burst", 65_536),
        "burst must be from 1 to 65535, got 65536"
    );
    assert_eq!(said("shuffle", 0), "shuffle must be from 1 to 65535, got 0");
    for per in ["prefix", "switch"] {
        assert!(build(&[("per", word(per)), ("table", Value::Count(0))]).is_err());
    }
}
