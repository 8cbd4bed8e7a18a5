//! Order by sequence numbers: data is put back into order.

use super::*;

#[test]
fn what_is_ahead_of_a_gap_is_released_at_its_deadline_to_the_picosecond() {
    let timeout = Time::from_ps(1_234_567_891);
    let mut settings = config("droptail", 100, 1);
    settings.transport = dibs(1, 1).transport;
    let mut values = order("1 ms")[0].values().clone();
    values.set("timeout", Value::Time(timeout));
    settings.shims = vec![shim::choose("order", &values).unwrap()];
    settings.trace = TraceFilter::Flows(vec![0]);
    let outcome = run_losing(&[2, 5], settings);
    assert_conserved(&outcome);
    // Each gap was opened by the packet right behind it. Until then every arrival was answered at once; 3 and 4
    // are answered at the first deadline, 6 to 9 at the second.
    let deadlines = [3, 6].map(|packet| arrived(&outcome, packet) + timeout);
    let mut expected = vec![(arrived(&outcome, 0), 1), (arrived(&outcome, 1), 2)];
    expected.extend([(deadlines[0], 2); 2]);
    let after = acks(&outcome)
        .into_iter()
        .filter(|ack| ack.0 <= deadlines[1]);
    let late = after.clone().filter(|ack| ack.0 > deadlines[0]);
    assert!(late.clone().all(|ack| ack == (deadlines[1], 2)));
    assert!(late.count() >= 4);
    let seen: Vec<_> = after.filter(|ack| ack.0 <= deadlines[0]).collect();
    assert_eq!(seen, expected);
    assert!(outcome.flows[0].finished.is_some());
    // The repairs of 2 and 5 come below what went on.
    let totals = outcome.totals;
    assert_eq!((totals.shim_late, totals.shim_discarded), (2, 0));
    assert_eq!(totals.shim_held, totals.shim_expired);
}

#[test]
fn a_cut_packet_passes_and_its_repair_closes_the_gap() {
    let mut settings = config("droptail", 100, 1);
    settings.transport = dibs(1, 1).transport;
    settings.shims = order("9 ms");
    let outcome = run_with_buffer(|| Loses(vec![2], Verdict::Trim), settings);
    assert_conserved(&outcome);
    let totals = outcome.totals;
    assert_eq!(
        (totals.trims, totals.retransmits, totals.timeouts),
        (1, 1, 0)
    );
    assert!(totals.shim_held > 0 && totals.shim_held == totals.shim_released);
    assert_eq!((totals.shim_expired, totals.shim_late), (0, 0));
    assert_eq!(outcome.classes[0].transport_reordered, 0);
    assert!(outcome.end < Time::from_ms(1));
}

/// Runs flows between hosts of different pods, with packets sprayed over all paths.
fn spraying(shims: Vec<shim::Chosen>) -> Outcome {
    let network = topology("fat_tree", &[("k", "4")]);
    let mut settings = config("droptail", 1000, 1);
    settings.switch.route = chosen_route("spray-random", &[]);
    settings.shims = shims;
    let flows = (0..8).map(|n| flow(n, 15 - n, 300_000, Time::ZERO));
    run(&network, plan(flows.collect()), settings, Time::from_s(2))
}

#[test]
fn spraying_with_fast_retransmit_takes_nothing_for_loss_with_order_below() {
    let bare = spraying(Vec::new());
    let sum = |o: &Outcome, of: fn(&FlowOutcome) -> u32| o.flows.iter().map(of).sum::<u32>();
    assert!(sum(&bare, |f| f.spurious_retransmits) > 0);
    assert!(bare.classes[0].transport_reordered == bare.classes[0].reordered);
    let ordered = spraying(order("5 ms"));
    assert_conserved(&ordered);
    assert!(sum(&ordered, |f| f.reordered) > 100);
    assert_eq!(sum(&ordered, |f| f.retransmits), 0);
    assert_eq!(sum(&ordered, |f| f.transport_reordered), 0);
    let totals = ordered.totals;
    assert!(totals.shim_held > 0 && totals.shim_held == totals.shim_released);
}

/// Events of flows at a shim: how often they were closed, and packets that came up afterwards.
#[derive(Default)]
struct CloseCounts {
    closed: u32,
    after: u32,
}

struct Listens(Arc<Mutex<CloseCounts>>);

impl Shim for Listens {
    fn close(&mut self, _: FlowId) {
        self.0.lock().unwrap().closed += 1;
    }
    fn up(&mut self, _: Time, _: &mut Packet) -> Up {
        let mut told = self.0.lock().unwrap();
        told.after += u32::from(told.closed > 0);
        Up::Pass
    }
}

#[test]
fn of_a_complete_flow_that_owes_an_acknowledgement_all_passes() {
    let network = topology("single_switch", &[("hosts", "3")]);
    let mut settings = config("droptail", 100, 1);
    // The sender does not wait for the acknowledgement of its one packet.
    settings.transport = TransportConfig::from(TcpConfig {
        delayed_ack: Some(DelayedAck {
            segments: 2,
            timeout: Time::from_ms(50),
        }),
        ack_rule: AckRule::Ns3,
        rto: RtoConfig {
            initial: Time::from_ms(10),
            ..dctcp().rto
        },
        ..dctcp()
    });
    settings.shims = order("1 ms");
    // The later flow keeps the run going.
    let flows = [(0, 1, Time::ZERO), (2, 0, Time::from_ms(60))];
    let one = plan(
        flows
            .map(|(src, dst, at)| flow(src, dst, 1_000, at))
            .to_vec(),
    );
    let ordered = run(&network, one.clone(), settings.clone(), Time::from_s(1));
    assert_conserved(&ordered);
    let totals = ordered.totals;
    assert_eq!((totals.spurious_retransmits, totals.shim_bypassed), (1, 0));
    assert!(ordered.flows[0].transport_reordered == ordered.flows[0].reordered);
    // At the receiving end alone.
    settings.shims = Vec::new();
    let mut world: World = World::new(&network, one, settings).unwrap();
    let told = Arc::new(Mutex::new(CloseCounts::default()));
    world.set_shims(|host| match host.0 {
        1 => Stack::of(vec![AnyShim::Custom(Box::new(Listens(told.clone())))]),
        _ => Stack::of(Vec::new()),
    });
    world.run_until(Time::from_s(1));
    assert_eq!(world.finish().totals.spurious_retransmits, 1);
    let told = told.lock().unwrap();
    assert_eq!((told.closed, told.after), (1, 0));
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 60,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    /// With one path for each flow, FIFO queues, and room for all, nothing is reordered.
    #[test]
    fn where_nothing_is_reordered_or_lost_order_changes_nothing(
        network in any_network(), plan in any_plan(16), seed: u64,
    ) {
        let mut config = config("droptail", 1_000_000, seed);
        let until = Time::from_ms(40);
        let bare = run(&network, plan.clone(), config.clone(), until);
        config.shims = order("1 ms");
        let mut ordered = run(&network, plan, config, until);
        // Spurious retransmissions come late.
        let spurious = bare.totals.spurious_retransmits;
        prop_assert!(ordered.totals.shim_late <= spurious);
        ordered.totals.shim_late = 0;
        prop_assert_eq!(bare, ordered);
    }
}
