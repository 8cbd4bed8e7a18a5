//! Data is put back into order by the tags of hosts that mark.

use super::*;

/// Ordered by tags or not, with these settings, above marks with those.
fn ordered(sets: &[(&str, &str)], marks: &[(&str, &str)]) -> Vec<shim::Chosen> {
    vec![chosen_shim("order", sets), chosen_shim("mark", marks)]
}

/// One flow of 14 packets that loses these, waits for its timeout, and is ordered by what is left.
fn run_losing_marked(lost: &[u64], release: &str, timeout: &str) -> Outcome {
    let mut settings = config("droptail", 100, 1);
    settings.transport = dibs(1, 1).transport;
    settings.trace = TraceFilter::Flows(vec![0]);
    let sets = [
        ("by", "remaining"),
        ("release", release),
        ("timeout", timeout),
    ];
    settings.shims = ordered(&sets, &[]);
    let outcome = run_losing(lost, settings);
    assert_conserved(&outcome);
    assert!(outcome.flows[0].finished.is_some());
    outcome
}

#[test]
fn a_first_packet_that_is_lost_is_waited_for_to_the_picosecond() {
    let outcome = run_losing_marked(&[0], "paper", "2 ms");
    let deadline = arrived(&outcome, 1) + Time::from_ms(2);
    // Ten packets left at once; all that came are answered when the first of them has waited.
    let acks = acks(&outcome);
    assert_eq!(acks[..9], [(deadline, 0); 9]);
    assert!(acks.get(9).is_none_or(|ack| ack.0 > deadline));
    let totals = outcome.totals;
    assert_eq!((totals.shim_held, totals.shim_expired), (9, 9));
}

#[test]
fn by_the_simulators_rule_each_that_is_behind_a_gap_waits_for_as_long() {
    let outcome = run_losing_marked(&[2], "simulator", "2 ms");
    // All fourteen have left by then; the repair comes after the sender's timeout of 10 ms.
    let behind = (3..14).map(|packet| (arrived(&outcome, packet) + Time::from_ms(2), 2));
    let mut expected: Vec<_> = (0..2).map(|n| (arrived(&outcome, n), n + 1)).collect();
    expected.extend(behind);
    let acks = acks(&outcome);
    assert_eq!(acks[..expected.len()], expected);
    // It closes the gap, and what went on before is jumped over.
    let totals = outcome.totals;
    assert_eq!((totals.shim_held, totals.shim_expired), (11, 11));
}

/// Eight flows that are sprayed over a fat-tree with room for all, below these marks.
fn sprayed(release: &str, marks: &[(&str, &str)]) -> Outcome {
    let network = topology("fat_tree", &[("k", "4")]);
    let mut config = config("droptail", 1000, 1);
    config.transport = newreno();
    config.switch.route = chosen_route("spray-random", &[]);
    let sets = [
        ("by", "remaining"),
        ("release", release),
        ("timeout", "5 ms"),
    ];
    config.shims = ordered(&sets, marks);
    let flows = (0..8).map(|n| flow(n, 15 - n, 3_000_000, Time::ZERO));
    let outcome = run(&network, plan(flows.collect()), config, Time::from_s(2));
    assert_conserved(&outcome);
    assert!(outcome.flows.iter().all(|f| f.finished.is_some()));
    assert!(outcome.flows.iter().any(|f| f.reordered > 0));
    outcome
}

#[test]
fn ordering_by_tags_hides_reordering_from_the_sender_whatever_they_count() {
    for release in ["paper", "simulator"] {
        for by in ["remaining", "packets", "bytes"] {
            // No message ends before its flow does.
            let outcome = sprayed(release, &[("by", by), ("gap", "1 s")]);
            assert!(outcome.flows.iter().all(|f| f.transport_reordered == 0));
            let totals = outcome.totals;
            assert_eq!((totals.shim_expired, totals.retransmits), (0, 0));
            assert!(totals.shim_held > 0 && totals.shim_held == totals.shim_released);
        }
    }
}

/// By sequence numbers what follows a pause would wait like all else. A host whose tags count knows that another
/// message has begun: order has been told what they count, by a run as by who builds a stack of names.
#[test]
fn where_tags_count_up_a_pause_begins_a_message_that_waits_for_none_before() {
    for by in ["packets", "bytes"] {
        // Acknowledgements of full packets come at least 12 us after each other.
        let short = sprayed("paper", &[("by", by), ("gap", "1 us")]);
        let long = sprayed("paper", &[("by", by), ("gap", "1 s")]);
        let handed = |o: &Outcome| o.flows.iter().map(|f| f.transport_reordered).sum::<u32>();
        assert!(handed(&short) > 100, "{by}: {}", handed(&short));
        assert_eq!(handed(&long), 0);
        assert!(short.totals.shim_held < long.totals.shim_held);
    }
}

/// Two messages of a sender that pauses, the end of the first lost: the second begins with a count of 0, and waits for
/// no byte before it.
#[test]
fn a_stack_of_names_tells_order_what_the_tags_below_it_count() {
    for by in ["packets", "bytes"] {
        let shims = ordered(&[("by", "remaining")], &[("by", by), ("gap", "10 us")]);
        let goes_on = |mut stack: Stack| {
            stack.open(FlowId(0), Some(3_000));
            let sent = [(0, 0), (1_000, 0), (2_000, 50)].map(|(seq, us)| {
                let mut packet = Packet::new(Kind::Data, FlowId(0), HostId(1), 7);
                packet.set_seq(seq);
                packet.len = 1_000;
                stack.down(Time::from_us(us), &mut packet);
                packet
            });
            let [mut first, _, mut third] = sent;
            let ups = [&mut first, &mut third].map(|packet| stack.up(Time::from_us(60), packet));
            ups == [Up::Pass; 2]
        };
        assert!(goes_on(Stack::build(&shims).expect("a stack")), "{by}");
        // Made one by one they know nothing of each other.
        let each = shims.iter().map(|shim| shim.build().expect("good"));
        assert!(!goes_on(Stack::of(each.collect())), "{by}");
    }
}

/// What is lost at first is sent again with a boosted rank, and has the place of its number all the same.
#[test]
fn where_tags_count_up_a_repair_closes_its_gap_however_it_is_boosted() {
    for by in ["packets", "bytes"] {
        for boosting in ["shift", "rotate"] {
            let mut settings = config("droptail", 100, 1);
            settings.transport = dibs(1, 1).transport;
            let sets = [("by", "remaining"), ("timeout", "1 s")];
            let marks = [
                ("by", by),
                ("gap", "1 s"),
                ("boost", "8"),
                ("boosting", boosting),
            ];
            settings.shims = ordered(&sets, &marks);
            let outcome = run_losing(&[2, 3, 9], settings);
            assert_conserved(&outcome);
            let totals = outcome.totals;
            assert!(totals.timeouts > 0 && totals.retransmits >= 3);
            assert!(totals.shim_held > 0 && totals.shim_held == totals.shim_released);
            assert_eq!(outcome.flows[0].transport_reordered, 0);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 60,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    /// Of a message on a stream of its own a size says what a sequence number says. By one rule, and as
    /// long as no copy of what is held comes, both make the same run.
    #[test]
    fn by_the_simulators_rule_sizes_and_sequence_numbers_order_alike(
        network in any_network(), mut config in any_switches(), plan in any_plan(16), us in 1u64..340,
    ) {
        let timeout = format!("{us} us");
        let mut run = |by| {
            let sets = [("by", by), ("release", "simulator"), ("timeout", &timeout)];
            config.shims = ordered(&sets, &[]);
            run(&network, plan.clone(), config.clone(), Time::from_ms(40))
        };
        let sizes = run("remaining");
        assert_conserved(&sizes);
        prop_assume!(sizes.totals.shim_dropped == 0);
        prop_assert_eq!(sizes, run("sequence"));
    }

    /// Out of order is what it had no room for, or waited too long for; and where tags count up, what is of a
    /// message that another has overtaken.
    #[test]
    fn order_hands_over_in_order_what_it_can_wait_for(
        network in any_network(), mut config in any_switches(), plan in any_plan(16),
        shims in any_shims(),
    ) {
        config.shims = shims;
        leave_room(&mut config);
        let until = Time::from_ms(40);
        let outcome = run_on_both(&network, &plan, &config, until);
        assert_conserved(&outcome);
        let totals = outcome.totals;
        let handed: u32 = outcome.flows.iter().map(|f| f.transport_reordered).sum();
        let set = |name: &str, param: &str| {
            let found = config.shims.iter().find(|shim| shim.name() == name);
            found.map(|shim| shim.values().word(param))
        };
        let (by, tags) = (set("order", "by"), set("mark", "by"));
        let counts = by.as_deref() == Some("remaining") && tags.as_deref() != Some("remaining");
        if by.is_none() {
            let reordered: u32 = outcome.flows.iter().map(|f| f.reordered).sum();
            prop_assert_eq!(handed, reordered);
            prop_assert_eq!(totals.shim_held + totals.shim_late + totals.shim_bypassed, 0);
        } else if totals.shim_expired + totals.shim_bypassed == 0 {
            // But for what its own copy overtook: it was sent again for no loss.
            let excused = if counts { totals.shim_late } else { totals.spurious_retransmits };
            prop_assert!(u64::from(handed) <= excused);
        }
        // What is sent again after a pause may begin a message by its tag, or a filter has forgotten it: a copy then waits for
        // what never comes before it, and is discarded when the flow is whole.
        if !counts && outcome.flows.iter().all(|flow| flow.finished.is_some()) {
            prop_assert_eq!(totals.shim_discarded, 0);
        }
    }
}
