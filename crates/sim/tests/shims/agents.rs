//! Agents, which keep duplicate acknowledgements from a sender.

use super::*;

fn agent(name: &str, sets: &[(&str, &str)]) -> Vec<shim::Chosen> {
    vec![chosen_shim(name, sets)]
}

/// Runs one flow of 14 packets that loses the third, with these shims.
fn run_losing_third(shims: Vec<shim::Chosen>) -> Outcome {
    let mut settings = config("droptail", 100, 1);
    settings.transport = newreno();
    settings.shims = shims;
    let outcome = run_losing(&[2], settings);
    assert_conserved(&outcome);
    assert!(outcome.flows[0].finished.is_some());
    outcome
}

#[test]
fn a_droptail_agent_holds_a_loss_back_for_as_long_as_it_is_told() {
    // Eleven packets come behind the lost one, so there are eleven duplicates.
    let counts = |outcome: &Outcome| {
        let totals = outcome.totals;
        (totals.shim_duplicates, totals.shim_dropped, totals.timeouts)
    };
    let bare = run_losing_third(Vec::new());
    assert_eq!(counts(&bare), (0, 0, 0));
    let mut third = run_losing_third(agent("agent-droptail", &[]));
    assert_eq!(counts(&third), (11, 0, 0), "the first run is not held");
    third.totals.shim_duplicates = 0;
    assert_eq!(third, bare);
    let last = run_losing_third(agent("agent-droptail", &[("first", "11")]));
    assert_eq!(counts(&last), (11, 8, 0));
    assert!(last.end > bare.end && last.totals.retransmits == 1);
    let never = run_losing_third(agent("agent-droptail", &[("first", "12")]));
    assert_eq!(counts(&never), (11, 9, 1));
    let (half, whole) = (Time::from_ms(5), Time::from_ms(10));
    assert!(never.end > bare.end + half && never.end < bare.end + whole + half);
}

#[test]
fn an_ecn_agent_leaves_a_loss_without_a_mark_to_the_timeout() {
    let totals = run_losing_third(agent("agent-ecn", &[])).totals;
    assert_eq!((totals.shim_duplicates, totals.shim_dropped), (11, 11));
    assert_eq!((totals.timeouts, totals.retransmits), (1, 1));
}

#[test]
fn under_spraying_agents_keep_the_sender_from_repairing_what_is_late() {
    let sprayed = |shims| {
        let network = topology("fat_tree", &[("k", "4")]);
        let mut settings = config("droptail", 1000, 1);
        settings.transport = newreno();
        settings.switch.route = chosen_route("spray-random", &[]);
        settings.shims = shims;
        let flows = (0..8).map(|n| flow(n, 15 - n, 3_000_000, Time::ZERO));
        let outcome = run(&network, plan(flows.collect()), settings, Time::from_s(2));
        assert_conserved(&outcome);
        assert!(outcome.flows.iter().all(|flow| flow.finished.is_some()));
        outcome.totals
    };
    let bare = sprayed(Vec::new());
    assert!(bare.spurious_retransmits > 0 && bare.drops.iter().sum::<u64>() == 0);
    let droptail = sprayed(agent("agent-droptail", &[]));
    assert!(droptail.shim_dropped > 0 && droptail.shim_dropped < droptail.shim_duplicates);
    assert!(droptail.spurious_retransmits < bare.spurious_retransmits);
    // No packet is marked: every duplicate is dropped, and none is for a loss.
    let ecn = sprayed(agent("agent-ecn", &[]));
    assert_eq!(ecn.shim_dropped, ecn.shim_duplicates);
    assert_eq!((ecn.retransmits, ecn.timeouts), (0, 0));
}

#[test]
fn agents_are_refused_below_other_senders() {
    let network = topology("single_switch", &[("hosts", "4")]);
    let mut settings = config("ecn", 100, 1);
    settings.shims = agent("agent-ecn", &[]);
    let world = World::<WheelAgenda>::new(&network, incast(1..2, 100), settings);
    let why = world.err().expect("refused");
    assert!(why.contains("set recovery = \"newreno\""), "{why}");
}

/// Highest acknowledgement of each flow, below a shim and above it.
type Highest = Arc<Mutex<BTreeMap<FlowId, [u64; 2]>>>;

/// Shim below (0) or above (1) an agent: an acknowledgement that advances below must have advanced above before
/// the next one comes.
struct Moves(usize, Highest);

impl Shim for Moves {
    fn up(&mut self, _: Time, packet: &mut Packet) -> Up {
        if packet.kind() == Kind::Ack {
            let mut all = self.1.lock().unwrap();
            let highest = all.entry(packet.flow).or_default();
            assert!(
                self.0 == 1 || highest[0] == highest[1],
                "an agent dropped what moves"
            );
            highest[self.0] = highest[self.0].max(packet.seq());
        }
        Up::Pass
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 60,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    /// Checks that acknowledgements that advance always pass. Since every repair is due by a timeout at the
    /// latest, every flow completes.
    #[test]
    fn no_agent_drops_what_moves_and_every_flow_completes(
        network in any_network(), plan in any_plan(16), shims in any_agent(),
        (room, sprays, marks, seed) in (4u64..60, any::<bool>(), any::<bool>(), any::<u64>()),
    ) {
        let mut config = config(if marks { "ecn" } else { "droptail" }, room, seed);
        config.transport = match (marks, config.transport.tcp()) {
            (true, Some(tcp)) => TcpConfig { recovery: Recovery::NewReno, ..tcp.clone() }.into(),
            _ => newreno(),
        };
        if sprays {
            config.switch.route = chosen_route("spray-random", &[]);
        }
        let mut world: World = World::new(&network, plan, config).expect("a world");
        let highest = Highest::default();
        world.set_shims(|_| {
            let agent = shims[0].build().expect("it was checked");
            let moves = |at| AnyShim::Custom(Box::new(Moves(at, highest.clone())));
            Stack::of(vec![moves(1), agent, moves(0)])
        });
        world.run_until(Time::from_s(60));
        let outcome = world.finish();
        assert_conserved(&outcome);
        prop_assert!(outcome.flows.iter().all(|flow| flow.finished.is_some()));
        let totals = outcome.totals;
        prop_assert!(totals.shim_dropped <= totals.shim_duplicates);
        let all = highest.lock().unwrap();
        prop_assert!(all.values().all(|[below, above]| below == above));
    }

    /// Without loss, and with one path for each flow, nothing is reordered, and only spurious retransmissions
    /// cause duplicates.
    #[test]
    fn where_there_are_no_duplicates_agents_change_nothing(
        network in any_network(), plan in any_plan(16), seed: u64, shims in any_agent(),
    ) {
        let mut config = config("droptail", 1_000_000, seed);
        config.transport = newreno();
        let until = Time::from_ms(40);
        let bare = run(&network, plan.clone(), config.clone(), until);
        config.shims = shims;
        let agent = run(&network, plan, config, until);
        prop_assert!(bare.totals.spurious_retransmits > 0 || agent.totals.shim_duplicates == 0);
        if agent.totals.shim_duplicates == 0 {
            prop_assert_eq!(bare, agent);
        }
    }
}
