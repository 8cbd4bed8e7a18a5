//! `[probe]`: it reads back, and impossible probes are refused.

use super::*;

#[test]
fn a_probe_reads_back_as_itself() {
    let scenario = read(BUSY, &ALL).unwrap();
    let again = read(&scenario.to_toml(), &[]).unwrap();
    assert_eq!(again.probe, scenario.probe);
    assert_eq!(again.probe.occupancy.len(), 3);
    assert_eq!(again.probe.spread.len(), 2);
    assert_eq!(
        (again.probe.latency.len(), again.probe.latency_every),
        (2, 10)
    );
    let plain = read(BUSY, &[]).unwrap();
    assert!(!plain.to_toml().contains("[probe]"), "nobody asked");
}

#[test]
fn what_cannot_be_probed_is_refused_where_it_stands() {
    let cases = [
        (
            "probe.links=9 ms",
            "--set probe.links=9 ms: probe.links: no window of 9 ms ends within 8 ms",
        ),
        (
            "probe.links=0 us",
            "--set probe.links=0 us: probe.links: a window must be above 0",
        ),
        (
            "probe.neighbours=1 ns",
            "--set probe.neighbours=1 ns: probe.neighbours: more than 1000000 windows of 1 ns in 8 ms",
        ),
        (
            "probe.hot=0",
            "--set probe.hot=0: probe.hot: expected a share above 0, at most 1",
        ),
        (
            "probe.hot=11/10",
            "--set probe.hot=11/10: probe.hot: expected a share above 0, at most 1",
        ),
        (
            "probe.paths=1001",
            "--set probe.paths=1001: probe.paths: expected at most 1000, got 1001",
        ),
        (
            "probe.path=1",
            "--set probe.path=1: unknown key \"path\" in [probe]; did you mean \"paths\"?",
        ),
        (
            "probe.occupancy=1 ms, 3",
            "--set probe.occupancy=1 ms, 3: probe.occupancy: expected times like [\"1 ms\", \"3 ms\"], got \"3\"",
        ),
        (
            "probe.goodput=9 ms",
            "--set probe.goodput=9 ms: probe.goodput: no window of 9 ms ends within 8 ms",
        ),
        (
            "probe.goodput=10 ns",
            "--set probe.goodput=10 ns: probe.goodput: 800000 windows times 2 workloads are more than \
             1000000 values; use a longer window",
        ),
        (
            "probe.drops=10 ns",
            "--set probe.drops=10 ns: probe.drops: more than 100000 windows of 10 ns in 8 ms",
        ),
        (
            "probe.spread=core > agg 4",
            "--set probe.spread=core > agg 4: probe.spread: \"core > agg 4\": no tier, pod or switch \
             is called \"agg 4\"; did you mean \"agg\"?",
        ),
        (
            "probe.spread=core 1 > agg 1",
            "--set probe.spread=core 1 > agg 1: probe.spread: \"core 1 > agg 1\": that is a single \
             link; a spread needs at least two",
        ),
        (
            "probe.latency=quary",
            "--set probe.latency=quary: probe.latency: no workload is called \"quary\"; did you \
             mean \"query\"?",
        ),
        (
            "probe.latency_every=0",
            "--set probe.latency_every=0: probe.latency_every: expected 1 or more, got 0",
        ),
        (
            "probe.flows_from=8 ms",
            "--set probe.flows_from=8 ms: probe.flows_from: must be before duration ends at 8 ms, \
             got 8 ms",
        ),
        (
            "probe.fair=1001",
            "--set probe.fair=1001: probe.fair: expected at most 1000, got 1001",
        ),
        (
            "probe.occupancy=2 s",
            "--set probe.occupancy=2 s: probe.occupancy: 2 s is after the latest possible end of a \
             run, 1.008 s",
        ),
    ];
    for (set, said) in cases {
        assert_eq!(read(BUSY, &[set]).err().as_deref(), Some(said));
    }
    // All hosts of one switch.
    let said = read(ALONE, &["probe.latency=one"]).err();
    assert_eq!(
        said.as_deref(),
        Some(
            "--set probe.latency=one: probe.latency: all flows of workload \"one\" stay within one \
             rack and cross a single switch, so there is no latency between switches"
        )
    );
    let said = read(BUSY, &["probe.spread=core > agg 1"]).err();
    let expected =
        "--set probe.spread=core > agg 1: probe.spread_window: no window of 10 ms ends within 8 ms";
    assert_eq!(said.as_deref(), Some(expected));
    let said = read(ALONE, &["probe.fair=1"]).err();
    let expected = "--set probe.fair=1: probe.fair needs endless flows or a closed loop, and this \
                    scenario has neither";
    assert_eq!(said.as_deref(), Some(expected));
    let sets = [
        "probe.spread=core > agg 1",
        "probe.spread_window=1 ms",
        "probe.spread_from=7100 us",
    ];
    let expected = "--set probe.spread_from=7100 us: probe.spread_from: no window of 1 ms begins at \
                    7.1 ms or later and ends within 8 ms";
    assert_eq!(read(BUSY, &sets).err().as_deref(), Some(expected));
    let sets = ["probe.latency=query", "probe.latency_from=9 ms"];
    let expected = "--set probe.latency_from=9 ms: probe.latency_from: must be before duration \
                    ends at 8 ms, got 9 ms";
    assert_eq!(read(BUSY, &sets).err().as_deref(), Some(expected));
    let said = read(BUSY, &["schemes=dctcp,infinite", "probe.neighbours=1 ms"]).err();
    assert_eq!(
        said.as_deref(),
        Some(
            "--set probe.neighbours=1 ms: probe.neighbours: scheme \"infinite\" has unlimited \
             buffers, which have no free share to measure"
        )
    );
}
