//! Tests of the sequences of policies that remember.

use sidestep_vectors::{Policy, Row, Seed, Table, policies};
use std::collections::{BTreeMap, BTreeSet};

/// Steps of a sequence.
const STEPS: usize = 16;

#[test]
fn tables_of_policies_that_remember_and_no_others_are_sequences_of_one_switch() {
    const FIXED: [&str; 6] = [
        "settings",
        "ports",
        "capacity_packets",
        "capacity_bytes",
        "to_switch_mask_hex",
        "salt_hex",
    ];
    for policy in policies().filter(|policy| policy.seam != "sched") {
        let first = policy.rows(Seed(1)).next().unwrap();
        let has = first.cell("sequence").is_some();
        assert_eq!(has, policy.nature.remembers, "{}", policy.file());
    }
    for (policy, number, rows) in sequences() {
        for (step, row) in rows.iter().enumerate() {
            let place = format!("{}, sequence {number}, step {step}", policy.file());
            assert_eq!(cell(row, "row"), (number * STEPS + step).to_string());
            assert_eq!(cell(row, "sequence"), number.to_string(), "{place}");
            assert_eq!(cell(row, "step"), step.to_string(), "{place}");
            for column in FIXED {
                let before = cell(&rows[0], column);
                assert_eq!(cell(row, column), before, "{place}: {column}");
            }
        }
        let moves = |column: &str| {
            rows.iter()
                .any(|row| cell(row, column) != cell(&rows[0], column))
        };
        for column in [
            "now_ps",
            "depth_packets",
            "ingress_port",
            "hash_hex",
            "draw_1_hex",
        ] {
            assert!(
                moves(column),
                "{}, sequence {number}: {column}",
                policy.file()
            );
        }
    }
}

#[test]
fn time_never_goes_back_and_no_queue_is_empty_earlier_than_was_planned() {
    for (policy, number, rows) in sequences() {
        let (mut now, mut planned) = (0, vec![0; 8]);
        for row in rows {
            let place = format!("{}, sequence {number}: {row:?}", policy.file());
            let at = numbers(&row, "now_ps")[0];
            assert!(at >= now, "{place}");
            now = at;
            let ends = numbers(&row, "empty_at_ps");
            let depths = numbers(&row, "depth_packets");
            assert_eq!(ends.len(), depths.len());
            for (port, (&end, &depth)) in ends.iter().zip(&depths).enumerate() {
                assert_eq!(end > now, depth > 0, "{place}, port {port}");
                assert!(end >= planned[port], "{place}, port {port}");
                planned[port] = end;
            }
        }
    }
}

#[test]
fn a_set_is_one_list_of_next_hops_and_a_place_has_one_set() {
    let routes = || sequences().filter(|(policy, ..)| policy.seam == "route");
    for (_, number, rows) in routes() {
        let (mut lists, mut places) = (BTreeMap::new(), BTreeMap::new());
        for row in &rows {
            let (set, hops) = (cell(row, "hop_set"), cell(row, "hops"));
            assert_eq!(*lists.entry(set).or_insert(hops), hops, "sequence {number}");
            let place = cell(row, "prefix");
            assert_eq!(
                *places.entry(place).or_insert(set),
                set,
                "sequence {number}"
            );
        }
        let different: BTreeSet<&str> = lists.values().copied().collect();
        assert_eq!(different.len(), lists.len(), "sequence {number}");
        assert!(lists.len() > 1, "sequence {number}");
    }
    let shared = |rows: &[Row]| {
        let of = |column| {
            rows.iter()
                .map(|row| cell(row, column))
                .collect::<BTreeSet<_>>()
        };
        of("prefix").len() > of("hop_set").len()
    };
    assert!(routes().any(|(.., rows)| shared(&rows)));
}

/// Returns every shipped sequence of a switch, with its number.
fn sequences() -> impl Iterator<Item = (Policy, usize, Vec<Row>)> {
    let remember = policies().filter(|p| p.nature.remembers && p.seam != "sched");
    remember.flat_map(|policy| {
        let rows: Vec<Row> = policy
            .rows(Seed(1))
            .take(policy.shipped_rows() as usize)
            .collect();
        let steps = rows.chunks(STEPS).map(<[Row]>::to_vec);
        let numbered: Vec<_> = steps
            .enumerate()
            .map(|(n, rows)| (policy, n, rows))
            .collect();
        numbered
    })
}

fn cell<'a>(row: &'a Row, column: &str) -> &'a str {
    row.cell(column).expect("the table has it")
}

fn numbers(row: &Row, column: &str) -> Vec<u64> {
    let words = cell(row, column).split(' ');
    words.map(|word| word.parse().unwrap()).collect()
}
