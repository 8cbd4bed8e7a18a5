//! Segments of a flow's own size: drawn, listed, refused, and their cost.

use super::*;

const EACH: [(&str, &[(&str, &str)]); 6] = [
    ("query", &[("degree", "8"), ("request", "100 B")]),
    ("background", &[("inter_arrival", "10 ms")]),
    ("long", &[("flows", "50")]),
    ("permutation", &[]),
    ("incast", &[("degree", "15"), ("flows", "20")]),
    ("replace", &[("active", "10")]),
];

fn with<'a>(set: &[(&'a str, &'a str)], more: (&'a str, &'a str)) -> Vec<(&'a str, &'a str)> {
    set.iter().copied().chain([more]).collect()
}

#[test]
fn every_workload_draws_the_mss_of_its_flows_and_moves_nothing_else() {
    for (name, set) in EACH {
        let plain = planned(&made(name, 16, set), SECOND, 1);
        assert!(plain.flows.iter().all(|flow| flow.mss.is_none()));
        let drawn = planned(&made(name, 16, &with(set, ("mss", "64..1500"))), SECOND, 1);
        let strip = |mut plan: TrafficPlan| {
            plan.flows.iter_mut().for_each(|flow| flow.mss = None);
            plan
        };
        assert!(
            drawn
                .flows
                .iter()
                .all(|f| (64..=1500).contains(&f.mss_or(0))),
            "{name}"
        );
        assert_eq!(strip(drawn), plain, "{name}");
        let one = planned(&made(name, 16, &with(set, ("mss", "536 B"))), SECOND, 1);
        assert!(one.flows.iter().all(|flow| flow.mss_or(0) == 536), "{name}");
    }
}

#[test]
fn a_drawn_mss_is_uniform_with_both_ends() {
    let set = [("inter_arrival", "1 ms"), ("mss", "10..19")];
    let plan = planned(&made("background", 16, &set), Time::from_s(4), 1);
    let mut seen = [0f64; 10];
    plan.flows
        .iter()
        .for_each(|flow| seen[flow.mss_or(0) as usize - 10] += 1.0);
    let each = plan.flows.len() as f64 / 10.0;
    assert!(
        seen.iter().all(|n| near(*n, each, (0.9 * each).sqrt())),
        "{seen:?}"
    );
    assert_eq!(plan.largest_mss(5), 19);
    assert_eq!(plan.largest_mss(1460), 1460);
}

#[test]
fn an_mss_that_no_transport_may_have_is_refused() {
    let said = |mss| said("permutation", 16, &[("mss", mss)]);
    assert_eq!(
        said("0..1500"),
        "mss must be between 1 B and 9000 B, got 0 B"
    );
    assert_eq!(
        said("64..9001"),
        "mss must be between 1 B and 9000 B, got 9001 B"
    );
    assert_eq!(said("0 B"), "mss must be between 1 B and 9000 B, got 0 B");
    let largest = |mss| made("permutation", 16, &[("mss", mss)]).largest_mss();
    assert_eq!(largest("1..9000"), Some((9_000, "mss")));
    assert_eq!(largest("transport"), None);
}

#[test]
fn a_load_counts_packets_of_each_size() {
    let load = |mss| {
        made("permutation", 16, &[("size", "1 MB"), ("mss", mss)]).load(Cost::default(), SECOND)
    };
    let (plain, range) = (load("transport"), load("500..501"));
    assert_eq!(plain, load("1460 B"));
    assert_eq!(range.payload_bps, plain.payload_bps);
    // 2000 full packets, or 1996 and one of 4 bytes.
    assert_eq!(range.packets_per_s, 16.0 * (2_000.0 + 1_997.0) / 2.0);
    let wire = |mss: u64| load(&*format!("{mss} B").leak()).wire_bps;
    assert!((range.wire_bps - (wire(500) + wire(501)) / 2.0).abs() < 1e-3);
    // A wide range is represented by its middles: the mean of 1/mss from 64 to 1500 is ln(1500.5/63.5)/1437.
    let wide = load("64..1500").packets_per_s;
    let expected = 16.0 * (1e6 * libm::log(1500.5 / 63.5) / 1437.0 + 0.5);
    assert!(
        (wide / expected - 1.0).abs() < 0.002,
        "{wide}, {expected} expected"
    );
}
