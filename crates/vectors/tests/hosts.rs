//! Tables of hosts' machines: the cases that each must show, and a second check of the answers.

use sidestep_vectors::{Machine, Row, Seed, Table, machines};
use std::collections::BTreeSet;

#[test]
fn every_shim_every_rule_every_coupling_and_detection_by_time_has_a_table() {
    let names: Vec<String> = machines().map(|machine| machine.full_name()).collect();
    let expected = [
        "shim/order",
        "shim/mark",
        "shim/by-size",
        "shim/agent-ecn",
        "shim/agent-droptail",
        "receiver/dsack",
        "threshold/fixed",
        "threshold/dsack",
        "threshold/early",
        "detection/rack",
        "coupled/lia",
        "coupled/none",
    ];
    assert_eq!(names, expected);
    for shim in sidestep_transport::shim::ENTRIES {
        assert!(
            names.contains(&format!("shim/{}", shim.name)),
            "{}",
            shim.name
        );
    }
}

#[test]
fn rows_are_the_steps_of_sequences_with_one_setting_each() {
    for machine in machines() {
        let rows: Vec<Row> = shipped(&machine);
        for (at, row) in (0..).zip(&rows) {
            let (number, step) = (at / machine.steps, at % machine.steps);
            let place = [at, number, step].map(|n| n.to_string());
            let said = ["row", "sequence", "step"].map(|column| cell(row, column));
            assert_eq!(said, place.each_ref().map(String::as_str));
            let first = &rows[(number * machine.steps) as usize];
            assert_eq!(cell(row, "settings"), cell(first, "settings"));
        }
    }
}

#[test]
fn an_agent_drops_some_duplicates_and_nothing_else() {
    for machine in of("shim").filter(|machine| machine.entry.name.starts_with("agent")) {
        let mut said = BTreeSet::new();
        for row in shipped(&machine) {
            let (operation, verdict) = (cell(&row, "operation"), cell(&row, "verdict"));
            let (is_ack, duplicate) =
                (!cell(&row, "ack_bytes").is_empty(), cell(&row, "duplicate"));
            said.insert([operation, verdict, duplicate].join(" "));
            assert!(duplicate == "1" || verdict != "drop", "{row:?}");
            assert!(is_ack || duplicate == "0", "{row:?}");
            assert_eq!(operation == "up", !verdict.is_empty(), "{row:?}");
            if duplicate == "1" {
                assert_eq!([cell(&row, "sack_blocks"), cell(&row, "cut")], ["0", "0"]);
            }
        }
        let all = [
            "close  0",
            "down  0",
            "open  0",
            "up drop 1",
            "up pass 0",
            "up pass 1",
        ];
        let said: Vec<&str> = said.iter().map(String::as_str).collect();
        assert_eq!(said, all, "{}", machine.file());
    }
}

/// Checks RFC 2883 by a list of bytes: those that a receiver has, and those that arrived again.
#[test]
fn a_duplicate_is_told_when_there_is_one_and_where_it_is() {
    let mut seen = BTreeSet::new();
    for machine in of("receiver") {
        let (mut has, mut next) = (BTreeSet::<u64>::new(), 0);
        for row in shipped(&machine) {
            if cell(&row, "step") == "0" {
                (has, next) = (BTreeSet::new(), 0);
            }
            let settings = cell(&row, "settings");
            let window = if settings.contains("window=3 kB") {
                6
            } else {
                1 << 20
            };
            // Blocks of 500 bytes, the unit of the draws.
            let at = |column: &str| cell(&row, column).parse::<u64>().unwrap_or(0) / 500;
            let came: Vec<u64> = match cell(&row, "trimmed") {
                "0" => (at("seq_bytes")..at("seq_bytes") + at("payload_bytes")).collect(),
                _ => vec![],
            };
            let run = came.iter().skip_while(|b| !has.contains(*b));
            let first = run.clone().take_while(|b| has.contains(*b));
            let told = first.copied().collect::<Vec<u64>>();
            has.extend(came.iter().filter(|b| **b < next + window));
            while has.contains(&next) {
                next += 1;
            }
            let tells = !told.is_empty() && !settings.contains("dsack=false");
            let words = |column| cell(&row, column).split(' ');
            let acks = words("ack_bytes").zip(words("duplicate").zip(words("sack_bytes")));
            let duplicates: Vec<_> = acks.clone().filter(|(_, (told, _))| *told == "1").collect();
            assert_eq!(duplicates.len(), usize::from(tells), "{row:?}");
            for (ack, (_, blocks)) in duplicates {
                let blocks: Vec<&str> = blocks.split('/').collect();
                let (from, to) = (500 * told[0], 500 * (told[told.len() - 1] + 1));
                assert_eq!(blocks[0], format!("{from}..{to}"), "{row:?}");
                assert_eq!(ack, (500 * next).to_string(), "{row:?}");
                // Below the acknowledgement, or within the block behind it.
                let below = to <= 500 * next;
                let within = blocks.get(1).is_some_and(|block| {
                    let (a, b) = ends(block);
                    a <= from && to <= b
                });
                assert!(below || within, "{row:?}");
                seen.insert(if below { "below" } else { "within" });
                if blocks.len() > 1 && below {
                    seen.insert("before others");
                }
            }
        }
    }
    for shows in ["below", "within", "before others"] {
        assert!(seen.contains(shows), "no row shows {shows}: {seen:?}");
    }
}

#[test]
fn a_threshold_moves_by_its_rule_within_its_bounds() {
    for machine in of("threshold") {
        let name = machine.entry.name;
        let (mut rose, mut fell, mut before) = (0, 0, 0);
        let mut sums = [0; 3];
        for row in shipped(&machine) {
            let set = |param: &str, otherwise: u64| {
                let words = cell(&row, "settings").split("; ");
                let mut found =
                    words.filter_map(|word| word.strip_prefix(param)?.strip_prefix('='));
                found.next().map_or(otherwise, |text| text.parse().unwrap())
            };
            let number = |column: &str| cell(&row, column).parse::<u64>().unwrap_or(0);
            let now = number("threshold_acks");
            let (floor, most) = (set("fast_retransmit", 3), set("fast_retransmit_most", 300));
            assert!((floor..=most).contains(&now), "{row:?}");
            if cell(&row, "operation") == "start" {
                assert_eq!(now, floor, "{row:?}");
            } else {
                (rose, fell) = (
                    rose + u64::from(now > before),
                    fell + u64::from(now < before),
                );
                assert!(
                    now >= before || cell(&row, "operation") == "timeout",
                    "{row:?}"
                );
                // Only a D-SACK raises the threshold, or, under the early rule, an acknowledgement that comes
                // too soon.
                let told = cell(&row, "duplicate") == "1";
                assert!(now <= before || told || name == "early", "{row:?}");
            }
            before = now;
            let each = [number("duplicate"), number("recoveries"), number("undone")];
            sums = std::array::from_fn(|i| sums[i] + each[i]);
        }
        let moves = name != "fixed";
        assert_eq!(
            (rose > 0, fell > 0),
            (moves, moves),
            "{name}: {rose} {fell}"
        );
        assert!(sums.iter().all(|sum| *sum > 0), "{name}: {sums:?}");
    }
}

fn of(seam: &'static str) -> impl Iterator<Item = Machine> {
    machines().filter(move |machine| machine.seam == seam)
}

fn shipped(machine: &Machine) -> Vec<Row> {
    let rows = machine.rows(Seed(1));
    rows.take(machine.shipped_rows() as usize).collect()
}

fn cell<'a>(row: &'a Row, column: &str) -> &'a str {
    row.cell(column).expect("the table has it")
}

/// Parses the ends of `from..to`.
fn ends(block: &str) -> (u64, u64) {
    let (from, to) = block.split_once("..").expect("a range");
    (from.parse().unwrap(), to.parse().unwrap())
}
