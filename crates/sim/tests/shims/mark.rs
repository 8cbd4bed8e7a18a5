//! Marks: their cost, and their content.

use super::*;

fn mark(sets: &[(&str, &str)]) -> Vec<shim::Chosen> {
    vec![chosen_shim("mark", sets)]
}

/// Returns settings with segments of `mss` bytes.
fn marked(mss: u32, framing: Framing, shims: Vec<shim::Chosen>) -> WorldConfig {
    let mut settings = config("droptail", 100, 1);
    settings.transport = TransportConfig::from(TcpConfig { mss, ..dctcp() });
    settings.framing = framing;
    settings.shims = shims;
    settings
}

fn wire_bytes(outcome: &Outcome) -> u64 {
    outcome.ports.iter().map(|p| p.wire_bytes).sum()
}

#[test]
fn a_tag_costs_its_bytes_on_every_link_but_for_what_was_padding() {
    use Framing::{Ethernet, Ip, Ppp};
    let network = topology("single_switch", &[("hosts", "2")]);
    // Size, mss, framing and carriage; data packets, and bytes of all their tags on one link.
    let table = [
        (20_000, 1460, Ethernet, "ethertype", 14, 14 * 7),
        (20_000, 1452, Ethernet, "option", 14, 14 * 8),
        (20_000, 1460, Ip, "ethertype", 14, 14 * 7),
        (20_000, 1460, Ppp, "ethertype", 14, 14 * 7),
        // The last packet has one byte: 84 B without tag, 86 with 7 B and 87 with 8.
        (1_461, 1460, Ethernet, "ethertype", 2, 7 + 2),
        (1_453, 1452, Ethernet, "option", 2, 8 + 3),
        (1, 1460, Ethernet, "ethertype", 1, 2),
        (1, 1460, Ip, "ethertype", 1, 7),
        (1, 1452, Ppp, "option", 1, 8),
    ];
    for (size, mss, framing, carry, packets, tags) in table {
        let one = plan(vec![flow(0, 1, size, Time::ZERO)]);
        let of = |shims| {
            let settings = marked(mss, framing, shims);
            run(&network, one.clone(), settings, Time::from_s(1))
        };
        let (bare, tagged) = (of(Vec::new()), of(mark(&[("carry", carry)])));
        assert_eq!(
            wire_bytes(&tagged),
            wire_bytes(&bare) + 2 * tags,
            "{size} {carry}"
        );
        assert_eq!(tagged.totals.shim_marked, packets);
        assert_eq!(tagged.totals.packet_hops, bare.totals.packet_hops);
        if packets == 1 {
            // At 1 Gbps, on both links.
            assert_eq!(tagged.end, bare.end + Time::from_ns(2 * 8 * tags));
        }
    }
}

#[test]
fn what_a_switch_leaves_of_a_cut_packet_keeps_its_tag() {
    let cut = |shims: Vec<shim::Chosen>| {
        let settings = marked(1460, Framing::Ip, shims);
        run_with_buffer(|| Loses(vec![2], Verdict::Trim), settings)
    };
    let (bare, tagged) = (cut(Vec::new()), cut(mark(&[])));
    assert_eq!((bare.totals.trims, tagged.totals.trims), (1, 1));
    // 14 packets and a repair leave their host, and all of them, one trimmed, the switch.
    assert_eq!(tagged.totals.shim_marked, 15);
    assert_eq!(wire_bytes(&tagged), wire_bytes(&bare) + 2 * 7 * 15);
}

#[test]
fn repeats_are_those_that_the_transport_knows() {
    for lost in [&[2][..], &[2, 5], &[0, 13]] {
        let outcome = run_losing(lost, marked(1460, Framing::Ethernet, mark(&[])));
        assert_conserved(&outcome);
        let totals = outcome.totals;
        assert!(totals.retransmits >= lost.len() as u64);
        assert_eq!(totals.shim_repeats, totals.retransmits);
        assert_eq!((totals.shim_mistaken, totals.shim_missed), (0, 0));
        assert_eq!(totals.shim_marked, 14 + totals.retransmits);
    }
}

/// Shim that logs the tag of each data packet that leaves its host.
struct Reads(Arc<Mutex<Vec<(FlowId, Tag)>>>);

impl Shim for Reads {
    fn down(&mut self, _: Time, packet: &mut Packet) {
        if packet.carries_data() {
            self.0.lock().unwrap().push((packet.flow, packet.tag()));
        }
    }
}

/// Returns the tags of all data of a plan, in the order in which it leaves.
fn tags(
    plan: Arc<TrafficPlan>,
    settings: WorldConfig,
    sets: &[(&str, &str)],
) -> Vec<(FlowId, Tag)> {
    let network = topology("single_switch", &[("hosts", "2")]);
    let mut world: World = World::new(&network, plan, settings).expect("a world");
    let (read, shims) = (Arc::new(Mutex::new(Vec::new())), mark(sets));
    world.set_shims(|_| {
        let mark = shims[0].build().expect("good values");
        Stack::of(vec![mark, AnyShim::Custom(Box::new(Reads(read.clone())))])
    });
    assert!(world.run_until(Time::from_s(5)));
    let read = read.lock().unwrap();
    read.clone()
}

#[test]
fn messages_of_a_shared_connection_count_each_for_itself_and_each_way_apart() {
    let mut made = TrafficPlan::clone(&plan(vec![]));
    let rounds: Vec<_> = (0..10).map(|n| (Time::from_ms(n), 3_000, 5_000)).collect();
    asks(&mut made, 0, 1, &rounds, Time::ZERO);
    let read = tags(
        made.clone().into(),
        marked(1460, Framing::Ethernet, Vec::new()),
        &[],
    );
    for (flow, tag) in &read {
        // Question and answer take turns.
        let (round, size) = (flow.0 / 2, [3_000, 5_000][flow.0 as usize % 2]);
        assert_eq!(u32::from(tag.flow_id()), round % 8);
        assert!(tag.remaining() <= size && tag.first() == (tag.remaining() == size));
        assert_eq!(tag.last(), tag.remaining() <= 1460);
    }
    assert_eq!(read.len(), 10 * (3 + 4));
    // By age, the pauses between the rounds of one direction count: 1 ms.
    let by_age = |gap: &str| {
        let sets = [("by", "bytes"), ("gap", gap)];
        let read = tags(
            made.clone().into(),
            marked(1460, Framing::Ethernet, Vec::new()),
            &sets,
        );
        let last = read.last().expect("the answer to the last question");
        (last.1.flow_id(), last.1.rank())
    };
    assert_eq!(by_age("360 us"), (9 % 8, 3 * 1460));
    assert_eq!(by_age("2 ms"), (0, 9 * 5_000 + 3 * 1460));
}

#[test]
fn of_several_subflows_data_counts_down_and_each_repeats_for_itself() {
    let mut settings = marked(1460, Framing::Ethernet, Vec::new());
    settings.transport = TransportConfig::from_name("mptcp").expect("listed");
    let one = plan(vec![flow(0, 1, 200_000, Time::ZERO)]);
    let mut left: Vec<u32> = (tags(one, settings, &[]).iter())
        .map(|(_, tag)| tag.remaining())
        .collect();
    left.sort_unstable();
    left.dedup();
    let whole = (0..137).map(|n| 200_000 - n * 1460).rev();
    assert_eq!(left, whole.collect::<Vec<u32>>());
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 60,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    /// With exact tracking, repeats are the transport's retransmissions, whatever they are; a filter reports
    /// how often it errs, and the run is the same as without it.
    #[test]
    fn marks_know_what_is_sent_again_or_say_that_they_do_not(
        network in any_network(), mut config in any_switches(), plan in any_plan(16),
        shims in any_mark(),
    ) {
        config.shims = shims;
        leave_room(&mut config);
        let until = Time::from_ms(40);
        let outcome = run_on_both(&network, &plan, &config, until);
        assert_conserved(&outcome);
        let totals = outcome.totals;
        let found = totals.shim_repeats + totals.shim_missed - totals.shim_mistaken;
        let Some(mark) = config.shims.first() else {
            prop_assert_eq!(totals.shim_marked, 0);
            return Ok(());
        };
        prop_assert_eq!(found, totals.retransmits);
        if mark.values().word("repeats") == "exact" {
            prop_assert_eq!((totals.shim_mistaken, totals.shim_missed), (0, 0));
        }
    }
}
