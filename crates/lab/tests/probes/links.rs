//! Links and queues: spread, hot links, occupancy.

use super::*;

/// Two flows into one host: its link is full, the other receivers' links are idle.
#[test]
fn the_spread_of_one_full_link_among_idle_ones_is_all_of_it() {
    let text = ALONE
        .replace("hosts = 2", "hosts = 4")
        .replace("degree = 1", "degree = 2");
    let sets = ["probe.spread=switch 0 > host", "probe.goodput=10 ms"];
    let scenario = read(&text, &sets).unwrap();
    let run = run(&scenario, 0);
    let samples = &run.probed.samples;
    let (spread, queues) = (&samples["use_spread"], &samples["queue_spread_bytes"]);
    assert_eq!((spread.len(), queues.len()), (5, 5));
    assert!(spread[1..].iter().all(|s| *s > 0.95), "{spread:?}");
    assert!(queues.iter().all(|bytes| *bytes > 1500.0), "{queues:?}");
    // 1460 B of 1538 B on the wire.
    let goodput = &samples["goodput_gbps.one"];
    assert!(
        goodput[1..].iter().all(|g| (0.93..0.951).contains(g)),
        "{goodput:?}"
    );
}

#[test]
fn a_saturated_link_is_hot_in_every_window() {
    let run = run(&read(ALONE, &["probe.links=10 ms"]).unwrap(), 0);
    let samples = &run.probed.samples;
    // The switch has two links: one is full, the other carries acknowledgements.
    assert_eq!(samples["hot_link_share"], [0.5; 5]);
    let most = &samples["busiest_link_use"];
    assert!(most.iter().all(|u| (0.99..1.001).contains(u)), "{most:?}");
    let summary = summarise(&[&Record::of(&run)]);
    assert!(
        (0.99..=1.0).contains(&summary.link_use.as_ref().unwrap().max.unwrap()),
        "{:?}",
        summary.link_use
    );
    let none = self::run(
        &read(ALONE, &["probe.links=10 ms", "probe.hot=1"]).unwrap(),
        0,
    );
    assert!(
        none.probed.samples["hot_link_share"][0] < 0.5,
        "the first window has a slow start"
    );
}

#[test]
fn queues_are_noted_as_they_are_at_the_instant() {
    // Four packets of 12.304 us each leave two hosts at once, 1 us from the switch.
    let text = ALONE
        .replace("hosts = 2", "hosts = 3")
        .replace("degree = 1", "degree = 2")
        .replace("10 MB", "5840 B");
    let set = "probe.occupancy=0 us, 12303 ns, 12304 ns, 14 us, 25607 ns, 25608 ns";
    let run = run(&read(&text, &[set]).unwrap(), 0);
    let seen: Vec<(u64, Vec<u32>)> = (run.probed.occupancy.iter())
        .map(|o| {
            let mut queues: Vec<u32> = o.packets.iter().copied().filter(|n| *n > 0).collect();
            queues.sort_unstable();
            (o.at_ps / 1000, queues)
        })
        .collect();
    let expected: [(u64, &[u32]); 6] = [
        (0, &[4, 4]),
        (12_303, &[4, 4]),
        (12_304, &[3, 3]),
        (14_000, &[2, 3, 3]),
        // The second packets leave the hosts at 24.608 us; the first leaves the switch one packet time
        // after it arrived, at 25.608 us, when the next two arrive.
        (25_607, &[2, 2, 2]),
        (25_608, &[2, 2, 3]),
    ];
    let expected = expected.map(|(at, queues)| (at, queues.to_vec()));
    assert_eq!(seen, expected);
}
