//! Tests of the shipped tables, and of properties of every table.

use sidestep_types::ParamUnit;
use sidestep_vectors::{Policy, Row, Seed, Table, named, policies, tables, tables_named};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// Checks that every registered policy and every machine of a host has a table, and that it matches the code's
/// decisions.
#[test]
fn every_policy_has_a_table_and_decides_as_it_says() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../conformance/vectors");
    let mut expected = BTreeSet::new();
    for asked in tables() {
        let (name, now) = (asked.file(), asked.table(asked.shipped_rows(), Seed(1)));
        if std::env::var_os("UPDATE_GOLDEN").is_some() {
            fs::write(folder.join(&name), &now).unwrap();
        }
        let table = fs::read_to_string(folder.join(&name)).unwrap_or_default();
        let differs = now.lines().zip(table.lines()).find(|(new, old)| new != old);
        let how = format!("{name}: UPDATE_GOLDEN=1 writes the new table");
        assert_eq!(differs, None, "{how}");
        assert_eq!(now.len(), table.len(), "{how}");
        expected.insert(name);
    }
    for file in fs::read_dir(folder).unwrap() {
        let name = file.unwrap().file_name().into_string().unwrap();
        assert!(expected.contains(&name), "{name} is of nothing registered");
    }
}

#[test]
fn rows_have_a_cell_for_each_column_and_a_longer_table_begins_like_a_shorter_one() {
    for asked in tables() {
        let name = asked.file();
        let (short, long) = (asked.table(20, Seed(7)), asked.table(50, Seed(7)));
        assert!(long.starts_with(&short), "{name}");
        let columns = short.lines().next().unwrap().split(',').count();
        for line in long.lines() {
            assert_eq!(line.split(',').count(), columns, "{name}: {line}");
        }
        assert_eq!(long.lines().count(), 51);
        assert_ne!(asked.table(20, Seed(8)), short);
    }
}

/// Checks each table's answers: a table that never took a branch would not test it.
#[test]
fn a_buffers_table_holds_every_answer_that_its_nature_says_and_no_other() {
    for policy in of("buffer") {
        let answers: BTreeSet<String> = cells(policy, "verdict")
            .zip(cells(policy, "reason"))
            .map(|(verdict, reason)| match verdict.as_str() {
                "drop" => reason,
                _ => verdict,
            })
            .collect();
        let said = policy.nature.answers.iter().map(|word| word.to_string());
        assert_eq!(answers, said.collect(), "{}", policy.file());
        let detours = answers.contains("detour");
        assert_eq!(detours, policy.nature.detours, "{}", policy.file());
        let kept = cells(policy, "verdict").zip(cells(policy, "mark"));
        let marks = kept
            .filter(|(verdict, _)| verdict != "detour")
            .any(|(_, mark)| mark == "1");
        assert_eq!(marks, policy.nature.marks, "{}", policy.file());
    }
}

#[test]
fn a_table_shows_as_many_draws_as_the_nature_of_its_policy_says() {
    for policy in of("buffer").chain(of("route")) {
        let taken = cells(policy, "draws_taken").map(|cell| cell.parse().unwrap());
        assert_eq!(taken.max(), Some(policy.nature.draws), "{}", policy.file());
        let last = format!("draw_{}_hex", policy.nature.draws.max(2));
        assert!(cells(policy, &last).all(|draw| draw.len() == 8));
    }
}

#[test]
fn where_victims_go_on_rows_name_the_worst_of_every_port_and_all_that_ranks_at_the_wanted_one() {
    for policy in of("buffer") {
        let rows: Vec<Row> = shipped(policy).collect();
        let has = rows[0].cell("worst_ranks_bytes").is_some();
        assert_eq!(has, policy.nature.displaces, "{}", policy.file());
        for row in rows.iter().filter(|_| has) {
            let cell = |name: &str| row.cell(name).expect("the table has it");
            let worst: Vec<&str> = cell("worst_ranks_bytes").split(' ').collect();
            assert_eq!(worst.len().to_string(), cell("ports"), "{row:?}");
            let there = worst[cell("want_port").parse::<usize>().unwrap()];
            let first = cell("waiting_rank_bytes").split(' ').next().unwrap();
            assert_eq!(
                (cell("worst_rank_bytes"), there == "-"),
                (first, first.is_empty())
            );
            assert!(there == "-" || there == first, "{row:?}");
            if cell("question") == "displaced" {
                let rank = |text: &str, none| text.parse::<u32>().unwrap_or(none);
                // Unmarked data ranks last.
                let own = rank(cell("rank_bytes"), u32::MAX);
                assert!(rank(first, 0) <= own, "{row:?}");
            }
        }
    }
}

#[test]
fn a_schedulers_table_evicts_and_serves_first_as_its_nature_says() {
    for policy in of("sched") {
        let any = |column: &str, test: fn(&str) -> bool| cells(policy, column).any(|c| test(&c));
        let ranks = any("worst_rank_bytes", |cell| !cell.is_empty());
        assert_eq!(ranks, policy.nature.ranks, "{}", policy.file());
        let evicts = cells(policy, "operation")
            .zip(cells(policy, "answer_step"))
            .any(|(operation, answer)| operation == "evict" && !answer.is_empty());
        assert_eq!(evicts, policy.nature.ranks, "{}", policy.file());
        let has = |column: &str| shipped(policy).next().unwrap().cell(column).is_some();
        let classes = has("class_packets") && any("class_packets", |cell| cell != "0");
        assert_eq!(classes, policy.nature.classes, "{}", policy.file());
        let control = !classes && any("control_packets", |cell| cell != "0");
        assert_eq!(control, policy.nature.control, "{}", policy.file());
    }
}

#[test]
fn unmarked_data_comes_to_policies_that_go_by_ranks_and_to_no_other() {
    for policy in policies() {
        let unmarked = cells(policy, "kind")
            .zip(cells(policy, "rank_bytes"))
            .any(|(kind, rank)| kind == "data" && rank.is_empty());
        assert_eq!(unmarked, policy.nature.ranks, "{}", policy.file());
    }
}

/// Checks the settings of each table: a setting without a row would not be tested.
#[test]
fn a_table_has_rows_of_every_setting_and_with_every_flag_turned() {
    let settings = |asked: &dyn Table, rows: u32| -> BTreeSet<String> {
        let rows = asked.rows(Seed(1)).take(rows as usize);
        rows.map(|row| row.cell("settings").unwrap().to_string())
            .collect()
    };
    for asked in tables() {
        // A sequence keeps its setting for all steps.
        let all = settings(&*asked, 10 * asked.shipped_rows());
        let shipped = settings(&*asked, asked.shipped_rows());
        assert_eq!(shipped, all, "{}", asked.file());
    }
    for policy in policies() {
        let file = policy.file();
        let all = settings(&policy, policy.shipped_rows());
        let flags = policy.entry.params.iter();
        for flag in flags.filter(|param| param.unit == ParamUnit::Flag) {
            let turned = flag.default == Some("false");
            let words = format!("{}={turned}", flag.name);
            let has = |setting: &String| setting.split("; ").any(|change| change == words);
            assert!(all.iter().any(has), "{file}: {words}");
        }
    }
}

#[test]
fn a_name_stands_for_every_policy_that_bears_it() {
    for policy in policies() {
        let full = policy.full_name();
        let files = |word: &str| -> Vec<String> { named(word).iter().map(Policy::file).collect() };
        assert_eq!(files(&full), [policy.file()]);
        let bear = policies().filter(|other| other.entry.name == policy.entry.name);
        let expected: Vec<String> = bear.map(|other| other.file()).collect();
        assert_eq!(files(policy.entry.name), expected);
        assert!(named(&full[1..]).is_empty());
    }
    let hosts = ["shim/agent-ecn", "receiver/dsack", "threshold/dsack"];
    assert!(hosts.iter().all(|name| named(name).is_empty()));
    let files = |word| -> Vec<String> { tables_named(word).iter().map(|t| t.file()).collect() };
    assert_eq!(
        files("dsack"),
        ["receiver-dsack.csv", "threshold-dsack.csv"]
    );
}

fn of(seam: &'static str) -> impl Iterator<Item = Policy> {
    policies().filter(move |policy| policy.seam == seam)
}

/// Returns the rows of the shipped table, which are drawn with seed 1.
fn shipped(policy: Policy) -> impl Iterator<Item = Row> {
    policy.rows(Seed(1)).take(policy.shipped_rows() as usize)
}

/// Returns the values of `column` in the shipped table of `policy`, from its top.
fn cells(policy: Policy, column: &str) -> impl Iterator<Item = String> {
    shipped(policy).map(move |row| row.cell(column).expect("the table has it").to_string())
}
