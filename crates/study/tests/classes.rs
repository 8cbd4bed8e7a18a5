//! Example of an engineer with a list of flows: bursts of one class among another.

use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::Field;
use sidestep_lab::stats::{Percentiles, Summary};
use sidestep_lab::{Scenario, Watch, run, shipped};
use sidestep_sim::{NoFiles, TraceFilter};
use sidestep_study::{Recorder, Report};
use std::collections::BTreeMap;
use std::fs::File;
use std::path::Path;

/// Runs the shipped scenario with these changes and returns its report; its tables are in `out`.
fn ran(sets: &[&str], out: &Path) -> Report {
    let sets: Vec<String> = sets.iter().map(|set| set.to_string()).collect();
    let text = shipped::scenario("own-traffic").unwrap();
    let scenario = Scenario::read("own-traffic.toml", text, &sets, &NoFiles).unwrap();
    let mut recorder = Recorder::begin(&scenario, out, 1, false).unwrap();
    for scheme in 0..scenario.schemes.len() {
        for seed in &scenario.seeds {
            let go = &mut |_: &_| Watch::Go;
            let mut run = run(&scenario, scheme, *seed, TraceFilter::None, go).unwrap();
            recorder.add(scheme, &mut run, None, 1.0);
        }
    }
    recorder.finish().unwrap().report
}

#[test]
fn the_table_shows_what_bursts_gain() {
    let room = tempfile::tempdir().unwrap();
    // These senders wait for timeouts. Those of Linux repair losses in time, and bursts gain less.
    let report = ran(&["profile=none"], &room.path().join("r"));
    // The width of an interval depends on its method, which has its own tests.
    let lines = report.to_text();
    let lines = lines.lines().filter(|line| !line.contains("interval"));
    let text: String = lines.map(|line| format!("{line}\n")).collect();
    let golden = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/own-traffic.txt");
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(golden, &text).unwrap();
    }
    assert_eq!(text, std::fs::read_to_string(golden).unwrap_or_default());
    assert!(!text.contains("short background flows"), "{text}");
    // The main results: the slowest percent of the bursts' flows, and the slowest burst.
    let p99 = |s: &Summary| s.class("storage").unwrap().fct_ms.p99.unwrap();
    let burst = |s: &Summary| s.class("storage").unwrap().group_ms.p99.unwrap();
    let [dctcp, dibs] = &report.summaries[..] else {
        panic!("two schemes");
    };
    assert!(p99(dibs) < 0.8 * p99(dctcp) && burst(dibs) < 0.8 * burst(dctcp));
}

/// Row of a table, by column.
type Row = BTreeMap<String, Field>;

fn rows(path: &Path) -> Vec<Row> {
    let reader = SerializedFileReader::new(File::open(path).unwrap()).unwrap();
    let rows = reader.get_row_iter(None).unwrap();
    let columns = |row: parquet::record::Row| {
        let cells = row.get_column_iter();
        cells.map(|(name, v)| (name.clone(), v.clone())).collect()
    };
    rows.map(|row| columns(row.unwrap())).collect()
}

fn text<'a>(row: &'a Row, column: &str) -> &'a str {
    match &row[column] {
        Field::Str(text) => text,
        other => panic!("{column}: {other:?}"),
    }
}

/// Returns a number; `None` for null.
fn number(row: &Row, column: &str) -> Option<f64> {
    match &row[column] {
        Field::Double(v) => Some(*v),
        Field::Long(v) => Some(*v as f64),
        Field::Null => None,
        other => panic!("{column}: {other:?}"),
    }
}

/// Checks that the percentiles of finished items among `values`, by nearest rank, equal those of `ours`.
fn agree(what: &str, values: &[Option<f64>], ours: &Percentiles) {
    let mut done: Vec<f64> = values.iter().copied().flatten().collect();
    done.sort_by(f64::total_cmp);
    assert_eq!(values.len() as u64, ours.n, "{what}");
    let share = done.len() as f64 / values.len() as f64;
    assert!(
        (ours.completed_share.unwrap() - share).abs() < 1e-12,
        "{what}"
    );
    let same = |a: f64, b: f64| assert!((a - b).abs() < 1e-6 * a.abs().max(1.0), "{what}: {a} {b}");
    let ranks = [
        (500, ours.p50, ours.p50_at_least),
        (950, ours.p95, ours.p95_at_least),
        (990, ours.p99, ours.p99_at_least),
        (999, ours.p999, ours.p999_at_least),
    ];
    for (permille, value, at_least) in ranks {
        let rank = (values.len() * permille).div_ceil(1000).max(1);
        assert_eq!(rank > done.len(), at_least, "{what} {permille}");
        if !at_least {
            same(done[rank - 1], value.unwrap());
        }
    }
    assert_eq!(ours.mean_at_least, done.len() < values.len(), "{what}");
    if !ours.mean_at_least {
        same(
            done.iter().sum::<f64>() / done.len() as f64,
            ours.mean.unwrap(),
        );
    }
}

/// Checks every number of every class against the rows of the tables.
fn numbers_are_those_of_the_tables(sets: &[&str]) -> Report {
    let room = tempfile::tempdir().unwrap();
    let out = room.path().join("r");
    let report = ran(sets, &out);
    let (flows, groups) = (
        rows(&out.join("flows.parquet")),
        rows(&out.join("groups.parquet")),
    );
    for summary in &report.summaries {
        let of = |row: &&Row| text(row, "scheme") == summary.scheme;
        for class in summary.classes.iter().filter(|class| class.exists()) {
            let own = |row: &&Row| text(row, "class") == class.name;
            let mine: Vec<&Row> = flows.iter().filter(of).filter(own).collect();
            let ms = |us: Option<f64>| us.map(|us| us / 1e3);
            let fct: Vec<_> = mine.iter().map(|r| ms(number(r, "fct_us"))).collect();
            agree(&format!("{} fct", class.name), &fct, &class.fct_ms);
            let slow: Vec<_> = mine.iter().map(|r| number(r, "slowdown")).collect();
            agree(&format!("{} slowdown", class.name), &slow, &class.slowdown);
            let sum = |column: &str| -> f64 { mine.iter().filter_map(|r| number(r, column)).sum() };
            let counts = [class.dropped, class.detours_delivered].map(|n| n.map(|n| n as f64));
            let sums = ["drops", "detours"].map(|column| Some(sum(column)));
            assert_eq!(sums, counts, "{}", class.name);
            assert_eq!(sum("delivered_bytes"), class.delivered_bytes as f64);
            let mine: Vec<&Row> = groups.iter().filter(of).filter(own).collect();
            let took: Vec<_> = mine.iter().map(|r| ms(number(r, "group_us"))).collect();
            if !took.is_empty() {
                agree(&format!("{} groups", class.name), &took, &class.group_ms);
            }
        }
        for group in groups.iter().filter(of) {
            is_that_of_its_flows(group, &flows);
        }
    }
    report
}

/// Checks that a group lasts from the first start of its flows to their last end.
fn is_that_of_its_flows(group: &Row, flows: &[Row]) {
    let own = |flow: &&Row| {
        let same = |column: &str| flow[column] == group[column];
        ["scheme", "seed", "group_id"].into_iter().all(same)
    };
    let flows: Vec<&Row> = flows.iter().filter(own).collect();
    let starts = flows.iter().filter_map(|flow| number(flow, "start_ps"));
    let first = starts.fold(f64::INFINITY, f64::min);
    assert_eq!(number(group, "start_ps"), Some(first));
    let ends = flows.iter().filter_map(|flow| {
        let span = number(flow, "fct_us")? * 1e6;
        Some(number(flow, "start_ps")? + span)
    });
    let ends: Vec<f64> = ends.collect();
    assert_eq!(number(group, "flows_done"), Some(ends.len() as f64));
    let last = ends.iter().copied().fold(0.0, f64::max);
    let all = number(group, "flows") == Some(ends.len() as f64);
    match number(group, "group_us") {
        Some(us) => assert!(all && (us * 1e6 - (last - first)).abs() < 10.0),
        None => assert!(!all),
    }
}

#[test]
fn every_number_of_a_class_comes_out_of_the_tables_again() {
    let report = numbers_are_those_of_the_tables(&["seeds=1..2"]);
    let storage = report.summaries[0].class("storage").unwrap();
    assert_eq!((storage.fct_ms.n, storage.group_ms.n), (2 * 560, 2 * 40));
    let with_detours = report.summaries[1].class("storage").unwrap();
    assert!(storage.dropped > Some(0) && with_detours.detours_delivered > Some(0));
}

#[test]
fn so_do_those_of_a_run_that_ends_too_early() {
    let report = numbers_are_those_of_the_tables(&["seeds=1", "duration=22 ms", "drain=1 us"]);
    let storage = report.summaries[0].class("storage").unwrap();
    assert!(storage.fct_ms.p99_at_least && storage.slowdown.p99_at_least);
    assert!(storage.group_ms.mean_at_least && storage.group_ms.n == 5);
}
