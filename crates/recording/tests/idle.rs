//! Times over an idle network, against all shortest paths of small random networks.

use proptest::prelude::*;
use sidestep_recording::Link;
use sidestep_recording::idle::{Fastest, Hop, Idle, Segments, time_to_send};

/// Number of switches.
const SWITCHES: u32 = 6;

/// Hosts 0 and 1, then switches. Host 0 is at the first switch, host 1 at the last.
fn links(nics: [Hop; 2], between: &[(u32, u32, Hop)]) -> Vec<Link> {
    let both = |a: u32, b: u32, hop: Hop| {
        [(a, b), (b, a)].map(|(from, to)| Link {
            from,
            to,
            rate_bps: hop.rate_bps,
            delay_ps: hop.delay_ps,
            ..Link::default()
        })
    };
    let ends = [both(0, 2, nics[0]), both(1, 1 + SWITCHES, nics[1])];
    let cables = between.iter().map(|(a, b, hop)| both(2 + a, 2 + b, *hop));
    ends.into_iter().chain(cables).flatten().collect()
}

fn idle(links: &[Link]) -> Idle {
    Idle::new(2, 2 + SWITCHES as usize, links.iter().cloned())
}

/// Returns all shortest paths between the hosts.
fn paths(links: &[Link]) -> Vec<Vec<Hop>> {
    let mut at = vec![(0, Vec::new())];
    for _ in 0..=SWITCHES {
        let mut next = Vec::new();
        for (node, path) in &at {
            for link in links
                .iter()
                .filter(|link| link.from == *node && link.to != 0)
            {
                let hop = Hop {
                    rate_bps: link.rate_bps,
                    delay_ps: link.delay_ps,
                };
                next.push((link.to, [&path[..], &[hop]].concat()));
            }
        }
        let there: Vec<_> = next.iter().filter(|(node, _)| *node == 1).collect();
        if !there.is_empty() {
            return there.into_iter().map(|(_, path)| path.clone()).collect();
        }
        at = next;
    }
    Vec::new()
}

/// Sends the segments one by one; segment j takes path number `of(j)`. Each link sends in the order in which segments
/// arrive.
fn sent(paths: &[Vec<Hop>], of: impl Fn(u64) -> usize, flow: Segments, keys: &[Vec<usize>]) -> u64 {
    let bytes = |j| {
        if j + 1 == flow.count {
            flow.last
        } else {
            flow.full
        }
    };
    let mut free = std::collections::HashMap::new();
    // Segments and the times at which they are ready for their next hop.
    let mut ready: Vec<(u64, u64, usize)> = (0..flow.count).map(|j| (0, j, 0)).collect();
    let mut end = 0;
    while let Some(at) = (0..ready.len()).min_by_key(|at| (ready[*at].0, ready[*at].1)) {
        let (time, j, hop) = ready.swap_remove(at);
        let way = of(j);
        let link = paths[way][hop];
        let free = free.entry(keys[way][hop]).or_insert(0);
        *free = time.max(*free) + time_to_send(bytes(j), link.rate_bps);
        let arrives = *free + link.delay_ps;
        match hop + 1 == paths[way].len() {
            true => end = end.max(arrives),
            false => ready.push((arrives, j, hop + 1)),
        }
    }
    end
}

/// Numbers the links of each path: paths that share a link share its number. Parallel links that are alike count
/// as one path's, so that none is shared.
fn keys(links: &[Link]) -> Vec<Vec<usize>> {
    let mut at = vec![(0, Vec::new())];
    for _ in 0..=SWITCHES {
        let mut next = Vec::new();
        for (node, path) in &at {
            let from = links.iter().enumerate();
            for (i, link) in from.filter(|(_, link)| link.from == *node && link.to != 0) {
                next.push((link.to, [&path[..], &[i]].concat()));
            }
        }
        let there: Vec<_> = next.iter().filter(|(node, _)| *node == 1).collect();
        if !there.is_empty() {
            return there.into_iter().map(|(_, path)| path.clone()).collect();
        }
        at = next;
    }
    Vec::new()
}

fn hop() -> impl Strategy<Value = Hop> {
    let rate = prop::sample::select(vec![1u64, 3, 10, 25, 40, 100]);
    (rate, 0u64..4).prop_map(|(gbps, us)| Hop {
        rate_bps: gbps * 1_000_000_000,
        delay_ps: us * 700_000,
    })
}

fn network() -> impl Strategy<Value = Vec<Link>> {
    let cable =
        (0..SWITCHES, 1..SWITCHES, hop()).prop_map(|(a, by, hop)| (a, (a + by) % SWITCHES, hop));
    let between = prop::collection::vec(cable, 4..16);
    ([hop(), hop()], between).prop_map(|(nics, between)| links(nics, &between))
}

fn flow() -> impl Strategy<Value = Segments> {
    (1u64..60, 84u64..=1538).prop_map(|(count, last)| Segments {
        count,
        full: 1538,
        last,
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    /// No single path and no spray is faster. Where one path joins the hosts, and for one segment, the time is exact.
    #[test]
    fn nothing_on_shortest_paths_is_faster(links in network(), flow in flow(), choices in prop::collection::vec(0usize..64, 60)) {
        let (paths, keys) = (paths(&links), keys(&links));
        let least = idle(&links).completion(0, 1, flow);
        prop_assert_eq!(least.is_some(), !paths.is_empty());
        let Some(least) = least else { return Ok(()) };
        let single = (0..paths.len()).map(|way| sent(&paths, |_| way, flow, &keys)).min().unwrap();
        prop_assert!(least <= single, "{least} {single}");
        if paths.len() == 1 || flow.count == 1 {
            prop_assert_eq!(least, single);
        }
        for spray in [
            sent(&paths, |j| choices[j as usize] % paths.len(), flow, &keys),
            sent(&paths, |j| j as usize % paths.len(), flow, &keys),
            sent(&paths, |j| usize::from(j + 1 == flow.count) % paths.len(), flow, &keys),
        ] {
            prop_assert!(least <= spray, "{least} {spray}");
        }
        // A path nowhere slower than a host's link loses at most the wait of a short last segment.
        let nics = paths[0][0].rate_bps.min(paths[0].last().unwrap().rate_bps);
        let wide = paths.iter().all(|path| path.iter().all(|hop| hop.rate_bps >= nics));
        if wide && (flow.last == flow.full || flow.count as usize > 6 * paths[0].len()) {
            let whole = Segments { last: flow.full, ..flow };
            let same = idle(&links).completion(0, 1, whole);
            let of_whole = (0..paths.len()).map(|way| sent(&paths, |_| way, whole, &keys)).min();
            prop_assert_eq!(same, of_whole);
        }
    }

    /// The order of the cables changes nothing.
    #[test]
    fn the_order_of_cables_does_not_count(links in network(), flow in flow(), by in 0usize..40) {
        let mut other = links.clone();
        other.reverse();
        let by = by % other.len();
        other.rotate_left(by);
        prop_assert_eq!(idle(&links).completion(0, 1, flow), idle(&other).completion(0, 1, flow));
        prop_assert_eq!(idle(&links).fastest(0, 1, 1538), idle(&other).fastest(0, 1, 1538));
    }
}

const fn gbps(rate: u64) -> Hop {
    Hop {
        rate_bps: rate * 1_000_000_000,
        delay_ps: 1_000_000,
    }
}

/// Switch 0 and the last, with one path through each of these switches, both of its links alike.
fn spines(nic: u64, rates: &[u64]) -> Vec<Link> {
    let last = SWITCHES - 1;
    let each = (1..).zip(rates);
    let between: Vec<_> = each
        .flat_map(|(spine, rate)| [(0, spine, gbps(*rate)), (spine, last, gbps(*rate))])
        .collect();
    links([gbps(nic); 2], &between)
}

/// 1 MB in 685 segments of 1460 B: 1538 B each on a wire, and 1438 B the last.
const MEGABYTE: Segments = Segments {
    count: 685,
    full: 1538,
    last: 1438,
};

fn us(links: &[Link], flow: Segments) -> f64 {
    let ps = idle(links).completion(0, 1, flow).unwrap();
    (ps as f64 / 1e4).round() / 100.0
}

/// Two spines, one of them of 40 Gbps still: the one of 100 counts, in any order.
#[test]
fn of_unequal_paths_the_fastest_counts() {
    assert_eq!(us(&spines(100, &[40, 100]), MEGABYTE), 88.64);
    assert_eq!(us(&spines(100, &[100, 40]), MEGABYTE), 88.64);
    assert_eq!(us(&spines(100, &[100]), MEGABYTE), 88.64);
    assert_eq!(us(&spines(100, &[40]), MEGABYTE), 215.23);
}

/// A flow of one packet prefers the path of less delay, one of many the path of more rate.
#[test]
fn a_small_flow_and_a_large_one_prefer_different_paths() {
    let far = Hop {
        delay_ps: 40_000_000,
        ..gbps(100)
    };
    let last = SWITCHES - 1;
    let between = [
        (0, 1, gbps(1)),
        (1, last, gbps(1)),
        (0, 2, far),
        (2, last, far),
    ];
    let links = links([gbps(100); 2], &between);
    let one = Segments {
        count: 1,
        full: 1538,
        last: 84,
    };
    // 84 B: 6.72 ns at 100 Gbps, 672 ns at 1 Gbps.
    assert_eq!(
        idle(&links).completion(0, 1, one),
        Some(4_000_000 + 2 * 6_720 + 2 * 672_000)
    );
    // Alone on the long path 1 MB takes 166.64 us. A spray can have 13 segments less on it, of 123.04 ns.
    assert_eq!(us(&links, MEGABYTE), 165.05);
    let alone = self::links([gbps(100); 2], &between[2..]);
    assert_eq!(us(&alone, MEGABYTE), 88.64 - 2.0 + 80.0);
}

/// Two paths of 40 Gbps carry 80 together, which bounds a spray: 342 segments on each, at 307.6 ns.
#[test]
fn several_paths_at_once_carry_what_their_cut_carries() {
    let both = us(&spines(100, &[40, 40]), MEGABYTE);
    let alone = 342.0 * 0.3076 + 0.3076 + 2.0 * 0.12304 + 4.0;
    assert!((both - alone).abs() < 0.02, "{both} {alone}");
    // Three carry more than the hosts' links, which bound it then.
    assert!(us(&spines(100, &[40, 40, 40]), MEGABYTE) < 90.0);
    // Links in crossed order carry 20 Gbps, although every layer of them has 110.
    let last = SWITCHES - 1;
    let crossed = [
        (0, 1, gbps(100)),
        (1, last, gbps(10)),
        (0, 2, gbps(10)),
        (2, last, gbps(100)),
    ];
    let crossed = us(&links([gbps(100); 2], &crossed), MEGABYTE);
    assert!((crossed - 342.0 * 1.2304).abs() < 8.0, "{crossed}");
}

/// Two segments over equal paths: a short last one on another path arrives before the full one, and need not wait
/// behind it at every hop.
#[test]
fn a_short_last_segment_may_overtake() {
    let two = |last| Segments {
        count: 2,
        full: 1538,
        last,
    };
    let spread = spines(1, &[1, 1]);
    let line = spines(1, &[1]);
    let ps = |links: &[Link], last| idle(links).completion(0, 1, two(last)).unwrap();
    // 12.304 us a hop, and 0.672 us for 84 B.
    assert_eq!(ps(&spread, 84), 4 * 12_304_000 + 4_000_000);
    assert_eq!(ps(&line, 84), 4 * 12_304_000 + 672_000 + 4_000_000);
    assert_eq!(ps(&spread, 1538), ps(&line, 1538));
}

#[test]
fn hosts_of_one_switch_and_hosts_without_a_path() {
    let mut at_one = spines(10, &[10]);
    at_one.iter_mut().for_each(|link| {
        for end in [&mut link.from, &mut link.to] {
            if *end == 1 + SWITCHES {
                *end = 2;
            }
        }
    });
    let one = Segments {
        count: 1,
        full: 1538,
        last: 1250,
    };
    assert_eq!(
        idle(&at_one).completion(0, 1, one),
        Some(2 * 1_000_000 + 2_000_000)
    );
    let fastest = Fastest {
        time_ps: 4_000_000,
        nic_bps: 10_000_000_000,
        slowest_bps: 10_000_000_000,
    };
    assert_eq!(idle(&at_one).fastest(0, 1, 1250), Some(fastest));
    let cut = links([gbps(1); 2], &[]);
    assert_eq!(idle(&cut).completion(0, 1, one), None);
    assert_eq!(idle(&cut).completion(0, 9, one), None);
    assert_eq!(idle(&[]).fastest(0, 1, 1), None);
}
