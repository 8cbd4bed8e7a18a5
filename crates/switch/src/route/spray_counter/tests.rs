use super::*;
use crate::testing::{StillQueues, data};
use sidestep_types::{Bytes, FlowId, HostId, Kind, Value, Values};

fn route(words: &[(&'static str, &str)], limit: u64) -> Result<SprayCounter, Refusal> {
    let mut values = Values::defaults(SprayCounter::ENTRY.params);
    for (name, word) in words {
        values.set(name, Value::Word(word.to_string()));
    }
    values.set("limit", Value::Bytes(Bytes(limit)));
    SprayCounter::from_values(&values, 6, 7)
}

/// Switch with six ports and a route under test.
struct TestSwitch {
    route: SprayCounter,
    queues: StillQueues,
    rng: Rng,
}

impl TestSwitch {
    fn of(words: &[(&'static str, &str)]) -> TestSwitch {
        TestSwitch::with_limit(words, 1_000_000)
    }

    fn with_limit(words: &[(&'static str, &str)], limit: u64) -> TestSwitch {
        TestSwitch {
            route: route(words, limit).unwrap(),
            queues: StillQueues::of(&[0; 6], 100, &[]),
            rng: Rng::from_seed(3),
        }
    }

    /// Returns the port that a packet of `wire` bytes takes in the set of this number.
    fn pick_in(&mut self, set: u32, ports: &[u16], wire: u16) -> u16 {
        let ports: Vec<PortId> = ports.iter().map(|p| PortId(*p)).collect();
        let hops = Hops {
            set,
            ..Hops::of(&ports)
        };
        let mut packet = data();
        packet.wire = wire;
        let port = (self.route).pick(&packet, hops, &mut self.queues, &mut self.rng);
        port.0
    }

    fn pick(&mut self, ports: &[u16], wire: u16) -> u16 {
        self.pick_in(0, ports, wire)
    }
}

#[test]
fn the_hop_with_the_fewest_bytes_is_next_whatever_their_packets() {
    let mut asked = TestSwitch::of(&[]);
    let ports = [1, 3, 4];
    // First 1500 bytes by port 1, then 100 by each of the others until they have as many.
    assert_eq!(asked.pick(&ports, 1500), 1);
    let small: Vec<u16> = (0..30).map(|_| asked.pick(&ports, 100)).collect();
    assert_eq!(small[..4], [3, 4, 3, 4]);
    assert!(!small.contains(&1));
    assert_eq!(
        asked.pick(&ports, 100),
        1,
        "all have 1500: the turn is the first's"
    );
    assert_eq!(asked.route.0.sent[..], [0, 1600, 0, 1500, 1500, 0]);
}

#[test]
fn equal_packets_take_turns_or_the_first_or_any() {
    let ports = [0, 2, 5];
    let mut turn = TestSwitch::of(&[]);
    let turns: Vec<u16> = (0..7).map(|_| turn.pick(&ports, 1500)).collect();
    assert_eq!(turns, [0, 2, 5, 0, 2, 5, 0]);

    // With queues that do not change, all decisions are ties.
    let mut still = TestSwitch::of(&[("by", "queued")]);
    let turns: Vec<u16> = (0..4).map(|_| still.pick(&ports, 1500)).collect();
    assert_eq!(turns, [0, 2, 5, 0]);
    let mut first = TestSwitch::of(&[("by", "queued"), ("ties", "first")]);
    assert!((0..9).all(|_| first.pick(&ports, 1500) == 0));
    let mut random = TestSwitch::of(&[("by", "queued"), ("ties", "random")]);
    let mut taken = [0u32; 6];
    (0..30_000).for_each(|_| taken[usize::from(random.pick(&ports, 1500))] += 1);
    // Expected: 10,000 each, with a standard deviation of 82.
    let fair = ports
        .iter()
        .all(|p| taken[usize::from(*p)].abs_diff(10_000) < 300);
    assert!(fair, "{taken:?}");
}

#[test]
fn turns_go_on_behind_the_hop_last_taken_even_where_no_turn_was_needed() {
    let mut asked = TestSwitch::of(&[("by", "queued")]);
    let ports = [0, 1, 2, 3];
    asked.queues = StillQueues::of(&[1, 1, 0, 1, 0, 0], 100, &[]);
    assert_eq!(asked.pick(&ports, 1500), 2);
    asked.queues = StillQueues::of(&[0; 6], 100, &[]);
    assert_eq!([(); 3].map(|()| asked.pick(&ports, 1500)), [3, 0, 1]);
    // Each set has its own turn.
    assert_eq!([(); 3].map(|()| asked.pick_in(4, &[4, 5], 1500)), [4, 5, 4]);
    assert_eq!(asked.pick(&ports, 1500), 2);
}

#[test]
fn by_queues_the_shortest_is_taken_and_nothing_is_counted() {
    let mut asked = TestSwitch::of(&[("by", "queued")]);
    asked.queues = StillQueues::of(&[3, 2, 0, 1, 0, 0], 100, &[]);
    assert!((0..9).all(|_| asked.pick(&[0, 1, 3], 1500) == 3));
    assert!(asked.route.0.sent.is_empty());
}

#[test]
fn what_has_no_choice_is_not_counted() {
    let mut asked = TestSwitch::of(&[]);
    assert!((0..9).all(|_| asked.pick(&[4], 1500) == 4));
    assert_eq!(asked.route.0.sent[..], [0; 6]);
    assert_eq!(asked.pick(&[4, 5], 1500), 4);
}

#[test]
fn acknowledgements_that_go_by_their_hash_are_not_counted() {
    let mut ack = Packet::new(Kind::Ack, FlowId(0), HostId(0), 0x1234_5678);
    ack.wire = 84;
    let ports = [0, 1, 2].map(PortId);
    for (acks, counted) in [("spray", 84 * 9), ("ecmp", 0)] {
        let mut asked = TestSwitch::of(&[("acks", acks)]);
        for _ in 0..9 {
            let hops = Hops::of(&ports);
            (asked.route).pick(&ack, hops, &mut asked.queues, &mut asked.rng);
        }
        assert_eq!(asked.route.0.sent.iter().sum::<u32>(), counted, "{acks}");
    }
}

#[test]
fn ports_of_two_sets_have_one_counter() {
    let mut asked = TestSwitch::of(&[]);
    assert_eq!([(); 2].map(|()| asked.pick_in(0, &[0, 1], 1500)), [0, 1]);
    // Port 2 goes first: port 1 already counts the 1500 bytes that the first set sent there.
    assert_eq!([(); 3].map(|()| asked.pick_in(1, &[1, 2], 1000)), [2, 2, 1]);
}

/// Counters of the report: 64 bits, never reduced.
struct Unbounded([u64; 6]);

impl Unbounded {
    fn pick(&mut self, ports: &[u16], wire: u16) -> u16 {
        let sent = |port: &u16| self.0[usize::from(*port)];
        let port = *ports.iter().min_by_key(|port| sent(port)).unwrap();
        self.0[usize::from(port)] += u64::from(wire);
        port
    }
}

fn any_wire(rng: &mut Rng) -> u16 {
    84 + rng.below(1455) as u16
}

#[test]
fn one_set_decides_as_with_counters_without_end_however_low_the_limit() {
    for limit in [1538, 3000, 65_536, 1_000_000] {
        let mut asked = TestSwitch::with_limit(&[("ties", "first")], limit);
        let (mut model, mut rng) = (Unbounded([0; 6]), Rng::from_seed(limit));
        let ports = [0, 1, 3, 5];
        for packet in 0..20_000 {
            let wire = any_wire(&mut rng);
            let taken = asked.pick(&ports, wire);
            assert_eq!(
                taken,
                model.pick(&ports, wire),
                "packet {packet}, limit {limit}"
            );
        }
        let most = asked.route.0.sent.iter().max();
        assert!(most.is_some_and(|most| u64::from(*most) <= limit));
    }
}

#[test]
fn no_counter_is_ever_above_the_limit_whatever_sets_overlap() {
    for limit in [1, 84, 1000, 1538, 5000, 100_000] {
        let mut asked = TestSwitch::with_limit(&[], limit);
        let mut rng = Rng::from_seed(limit);
        for packet in 0..20_000 {
            let mask = 1 + rng.below(63);
            let ports: Vec<u16> = (0..6).filter(|port| mask >> port & 1 == 1).collect();
            asked.pick_in(mask as u32, &ports, any_wire(&mut rng));
            let sent = &asked.route.0.sent;
            let bounded = sent.iter().all(|sent| u64::from(*sent) <= limit);
            assert!(bounded, "packet {packet}: {sent:?} above {limit}");
        }
    }
}

#[test]
fn where_sets_overlap_a_hop_is_owed_the_limit_at_most() {
    // Ports 0 and 1 send 40,000 bytes each while port 2 sends none.
    let owed = |limit| {
        let mut asked = TestSwitch::with_limit(&[], limit);
        (0..80).for_each(|_| _ = asked.pick_in(0, &[0, 1], 1000));
        (0..)
            .take_while(|_| asked.pick_in(1, &[1, 2], 1000) == 2)
            .count()
    };
    // With a limit that is never reached, port 2 gets 40 packets until it has caught up.
    assert_eq!(owed(1_000_000), 40);
    assert!(owed(10_000) <= 10);
}

#[test]
fn the_base_rises_for_all_ports_alike() {
    let mut counters = [7000, 9000, 9500, 0];
    count(&mut counters, PortId(1), 1000, 10_000);
    assert_eq!(counters, [7000, 10_000, 9500, 0]);
    count(&mut counters, PortId(2), 501, 10_000);
    assert_eq!(
        counters,
        [0, 500, 501, 0],
        "9500 less for each, and 0 at the least"
    );
    count(&mut counters, PortId(3), 1500, 1000);
    assert_eq!(
        counters,
        [0, 500, 501, 1000],
        "a packet above the limit counts for it"
    );
}

#[test]
fn the_least_is_the_first_from_a_place_on_and_the_drawn_one_of_all_least() {
    let loads = [4, 2, 9, 2, 2];
    let at = |from| least(5, from, |at| loads[at]);
    assert_eq!([0, 1, 2, 3, 4, 5, 99].map(at), [1, 1, 3, 3, 4, 1, 1]);
    let drawn = |draw| least_drawn(5, draw, |at| loads[at]);
    assert_eq!([0, 1 << 30, 1 << 31, u32::MAX].map(drawn), [1, 1, 3, 4]);
    assert_eq!(least_drawn(1, u32::MAX, |_| u32::MAX), 0);
}

#[test]
fn a_limit_of_nothing_or_too_much_is_refused() {
    let said = |limit| route(&[], limit).unwrap_err().to_string();
    assert_eq!(said(0), "limit must be from 1 B to 1 GiB, got 0 B");
    assert!(said((1 << 30) + 1).starts_with("limit must be from 1 B to 1 GiB, got 1"));
    assert!(route(&[], 1 << 30).is_ok());
}
