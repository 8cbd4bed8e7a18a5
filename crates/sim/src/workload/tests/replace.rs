//! A closed loop: its chains, its hosts, its refusals.

use super::*;

const HOSTS: u32 = 16;

fn set<'a>(more: &[(&'a str, &'a str)]) -> Vec<(&'a str, &'a str)> {
    let mut set = vec![("active", "20"), ("cdf", "off"), ("size", "10 kB")];
    set.retain(|(name, _)| !more.iter().any(|(n, _)| n == name));
    set.extend(more);
    set
}

/// Returns the chains of a plan, each from its first flow on.
fn chains(plan: &TrafficPlan) -> Vec<Vec<&FlowPlan>> {
    let mut chains: Vec<Vec<&FlowPlan>> = Vec::new();
    for (f, flow) in plan.flows.iter().enumerate() {
        match flow.start {
            Start::At(_) => chains.push(vec![flow]),
            Start::Replace { flow: before, .. } => {
                assert_eq!(before.0 as usize + 1, f, "a flow replaces the one before");
                chains.last_mut().unwrap().push(flow);
            }
            Start::After { .. } => panic!("{flow:?} waits"),
        }
    }
    chains
}

#[test]
fn a_chain_fills_the_window_on_idle_links_and_begins_where_it_ended() {
    let window = Time::from_ms(20);
    let plan = planned(&made("replace", HOSTS, &set(&[])), window, 1);
    let chains = chains(&plan);
    assert_eq!(chains.len(), 20);
    // 10 kB and a header take 80.32 us at 1 Gbps: 249 of them last 19.99968 ms.
    assert!(chains.iter().all(|chain| chain.len() == 250));
    for chain in &chains {
        for pair in chain.windows(2) {
            assert_eq!(pair[0].dst, pair[1].src);
            let until = match pair[1].start {
                Start::Replace { until, .. } => until,
                other => panic!("{other:?}"),
            };
            assert_eq!(until, window);
        }
    }
}

#[test]
fn a_loop_is_uniform_over_pairs_of_hosts_and_has_its_sizes() {
    let more = [
        ("cdf", "imc10_aditya_packets_ns2"),
        ("size", "off"),
        ("active", "64"),
    ];
    let plan = planned(&made("replace", HOSTS, &set(&more)), Time::from_s(4), 1);
    let n = plan.flows.len() as f64;
    let mut per_pair = [[0f64; HOSTS as usize]; HOSTS as usize];
    for flow in &plan.flows {
        per_pair[flow.src.0 as usize][flow.dst.0 as usize] += 1.0;
    }
    let each = n / f64::from(HOSTS * (HOSTS - 1));
    let pairs = per_pair.iter().enumerate();
    let pairs =
        pairs.flat_map(|(src, row)| row.iter().enumerate().map(move |(dst, n)| (src, dst, *n)));
    for (src, dst, got) in pairs {
        match src == dst {
            true => assert_eq!(got, 0.0),
            false => assert!(
                near(got, each, 1.3 * each.sqrt()),
                "{src} {dst}: {got}, {each} expected"
            ),
        }
    }
    // The last flow of a chain is larger than others on average: the window's end falls into it. So only the
    // first halves count.
    let chains = chains(&plan);
    let sizes = chains.iter().flat_map(|chain| &chain[..chain.len() / 2]);
    let short: Vec<f64> = sizes
        .map(|f| f64::from(u8::from(f.size < 100_000)))
        .collect();
    let share = short.iter().sum::<f64>() / short.len() as f64;
    assert!(
        near(share, 0.8236, 0.381 / (short.len() as f64).sqrt()),
        "{share}"
    );
}

/// Holds even if the first flow alone lasts longer than the window.
#[test]
fn a_chain_has_a_follower_at_least() {
    let plan = planned(
        &made("replace", HOSTS, &set(&[("size", "17592186044415 B")])),
        SECOND,
        1,
    );
    assert!(chains(&plan).iter().all(|chain| chain.len() == 2));
    assert_eq!(plan.unawaited(), 40);
}

#[test]
fn more_chains_and_a_longer_window_leave_what_was_drawn() {
    let plan = |active, ms| {
        planned(
            &made("replace", HOSTS, &set(&[("active", active)])),
            Time::from_ms(ms),
            7,
        )
    };
    let ends = |plan: &TrafficPlan| -> Vec<Vec<(HostId, HostId, u64)>> {
        let of = |chain: Vec<&FlowPlan>| chain.iter().map(|f| (f.src, f.dst, f.size)).collect();
        chains(plan).into_iter().map(of).collect()
    };
    let (few, many, longer) = (
        ends(&plan("5", 2)),
        ends(&plan("9", 2)),
        ends(&plan("5", 4)),
    );
    assert_eq!(few, many[..5]);
    for (short, long) in few.iter().zip(&longer) {
        assert_eq!(short[..], long[..short.len()]);
        assert!(long.len() > short.len());
    }
}

#[test]
fn the_first_flows_start_within_the_jitter() {
    let made = made("replace", HOSTS, &set(&[("jitter", "2 ms")]));
    let plan = planned(&made, Time::from_ms(2), 3);
    let starts: Vec<Time> = chains(&plan).iter().map(|chain| at(chain[0])).collect();
    assert!(starts.iter().all(|start| *start < Time::from_ms(2)));
    assert!(starts.iter().max() > starts.iter().min());
    let refused = made.plan(
        0,
        Time::from_ms(1),
        Seed(1),
        "w",
        &mut TrafficPlan::default(),
    );
    assert_eq!(
        refused.unwrap_err().to_string(),
        "jitter must end before duration ends at 1 ms, got 2 ms"
    );
}

#[test]
fn a_loop_that_cannot_be_is_refused() {
    let said = |more: &[(&'static str, &'static str)]| said("replace", HOSTS, &set(more));
    assert_eq!(
        said(&[("active", "0")]),
        "active must be from 1 to 67108864, got 0"
    );
    assert!(said(&[("active", "67108865")]).ends_with("got 67108865"));
    let one = "set one of cdf and size, and the other to \"off\", got ";
    assert_eq!(said(&[("size", "off")]), format!("{one}neither"));
    assert_eq!(
        said(&[("cdf", "websearch_dctcp_bytes")]),
        format!("{one}both")
    );
    assert!(said(&[("size", "0 B")]).starts_with("size must be from 1 B to"));
    assert_eq!(
        super::said("replace", 1, &set(&[])),
        "expected at least two hosts, got 1"
    );
    let many = made("replace", HOSTS, &set(&[("active", "1000000")]));
    let refused = many.plan(0, SECOND, Seed(1), "w", &mut TrafficPlan::default());
    assert_eq!(
        refused.unwrap_err().to_string(),
        "expected at most 67108864 flows in a run, got about 12450199203"
    );
}

#[test]
fn a_loop_offers_nothing_that_can_be_summed() {
    let load = made("replace", HOSTS, &set(&[])).load(Cost::default(), Time::from_ms(20));
    assert_eq!(
        (load.active, load.flows_per_s, load.wire_bps),
        (20, 0.0, 0.0)
    );
    let drawn = "about 4980 flows are drawn for this run: enough even if the links are idle";
    assert_eq!(load.notes, [drawn]);
}
