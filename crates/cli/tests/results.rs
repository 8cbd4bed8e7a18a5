//! Tests of results: the same bytes at any number of threads, in files that can be read back.

use crate::common;

use common::{Room, timeless};
use parquet::file::reader::{FileReader, SerializedFileReader};
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs::{self, File};
use std::path::Path;

const TRACED: [&str; 2] = ["--trace-packets", "detours>=3"];

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|e| panic!("{e}: {text}"))
}

fn files_under(dir: &Path) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_string();
        if path.is_dir() {
            names.extend(
                files_under(&path)
                    .into_iter()
                    .map(|inner| format!("{name}/{inner}")),
            );
        } else {
            names.insert(name);
        }
    }
    names
}

#[test]
fn the_number_of_threads_changes_no_byte() {
    let room = Room::new();
    for (jobs, out) in [("1", "one"), ("4", "four")] {
        let mut args = vec![
            "run",
            "quickstart",
            "--seeds",
            "1..4",
            "--jobs",
            jobs,
            "--out",
            out,
        ];
        args.extend(TRACED);
        room.run(&args).with_status(0);
    }
    let (one, four) = (room.path().join("one"), room.path().join("four"));
    let names = files_under(&one);
    assert_eq!(names, files_under(&four));
    for name in names {
        let (a, b) = (
            fs::read(one.join(&name)).unwrap(),
            fs::read(four.join(&name)).unwrap(),
        );
        match name.as_str() {
            // Times and their places may differ; the rest must not.
            "manifest.json" | "summary.json" => assert_eq!(timeless(&a), timeless(&b), "{name}"),
            _ => assert!(a == b, "{name} differs"),
        }
    }
}

#[test]
fn the_directory_holds_what_the_summary_says() {
    let room = Room::new();
    let mut args = vec!["run", "quickstart", "--json", "--out", "results/deep/run"];
    args.extend(TRACED);
    let done = room.run(&args).with_status(0);
    assert_eq!(
        done.err, "",
        "no progress where standard error is no terminal"
    );
    let said = json(&done.out);
    assert_eq!(said["result"], "results/deep/run");
    assert_eq!(said["status"], "complete");
    let dibs = &said["schemes"]["dibs"];
    for key in [
        "qct_ms",
        "fct_short_ms",
        "classes",
        "drops",
        "detours",
        "detoured_share",
        "marks",
        "timeouts",
        "packet_hops",
        "events",
        "cpu_s",
        "hops_per_cpu_s",
        "trajectory_hash",
        "seeds",
    ] {
        assert!(!dibs[key].is_null(), "{key} is missing");
    }
    for key in ["p50", "p99", "ci", "n", "completed_share"] {
        assert!(dibs["qct_ms"].get(key).is_some(), "{key} is missing");
    }

    let dir = room.path().join("results/deep/run");
    let summary = json(&fs::read_to_string(dir.join("summary.json")).unwrap());
    assert_eq!(summary["schemes"], said["schemes"]);
    let manifest = json(&fs::read_to_string(dir.join("manifest.json")).unwrap());
    let flows: u64 = manifest["runs"]
        .as_array()
        .unwrap()
        .iter()
        .map(|r| r["flows"].as_u64().unwrap())
        .sum();
    assert_eq!(rows(&dir.join("flows.parquet")), flows);
    let queries: u64 = said["schemes"]
        .as_object()
        .unwrap()
        .values()
        .map(|s| s["qct_ms"]["n"].as_u64().unwrap())
        .sum();
    assert_eq!(rows(&dir.join("queries.parquet")), queries);
    for plot in ["qct_cdf.svg", "qct_cdf.png", "fct_cdf.query.svg"] {
        assert!(dir.join("plots").join(plot).exists(), "{plot}");
    }
    every_column_is_explained(&dir, &manifest);
}

fn rows(path: &Path) -> u64 {
    let reader = SerializedFileReader::new(File::open(path).unwrap()).unwrap();
    let counted = reader
        .get_row_iter(None)
        .unwrap()
        .map(Result::unwrap)
        .count();
    assert_eq!(reader.metadata().file_metadata().num_rows(), counted as i64);
    counted as u64
}

fn every_column_is_explained(dir: &Path, manifest: &Value) {
    for table in [
        "flows.parquet",
        "queries.parquet",
        "groups.parquet",
        "ports.parquet",
        "subflows.parquet",
        "counts.parquet",
        "samples.parquet",
    ] {
        let reader = SerializedFileReader::new(File::open(dir.join(table)).unwrap()).unwrap();
        let schema = reader.metadata().file_metadata().schema_descr();
        for column in schema.columns() {
            let doc = &manifest["columns"][table][column.name()];
            assert!(
                doc.as_str().is_some_and(|d| !d.is_empty()),
                "{table}: {}",
                column.name()
            );
        }
    }
}

#[test]
fn a_query_ends_with_its_last_response_in_the_tables() {
    let room = Room::new();
    room.run(&["run", "quickstart", "--seed", "1", "--out", "r"])
        .with_status(0);
    let cells = |table: &str, wanted: &[&str]| -> Vec<Vec<String>> {
        let reader =
            SerializedFileReader::new(File::open(room.path().join("r").join(table)).unwrap())
                .unwrap();
        let pick = |row: parquet::record::Row| {
            let cell = |name: &&str| {
                let found = row.get_column_iter().find(|(n, _)| n == name);
                found.map(|(_, v)| v.to_string()).unwrap()
            };
            wanted.iter().map(cell).collect()
        };
        reader
            .get_row_iter(None)
            .unwrap()
            .map(|row| pick(row.unwrap()))
            .collect()
    };
    let flows = cells(
        "flows.parquet",
        &["scheme", "query_id", "request", "start_ps", "fct_us"],
    );
    for query in cells(
        "queries.parquet",
        &["scheme", "query_id", "finished", "start_ps", "qct_us"],
    ) {
        assert_eq!(query[2], "true");
        let start: f64 = query[3].parse().unwrap();
        let ends = flows
            .iter()
            .filter(|f| f[..2] == query[..2] && f[2] == "false");
        let last = ends
            .map(|f| f[3].parse::<f64>().unwrap() / 1e6 + f[4].parse::<f64>().unwrap())
            .fold(0.0, f64::max);
        let qct: f64 = query[4].parse().unwrap();
        assert!((last - start / 1e6 - qct).abs() < 1e-5, "{query:?} {last}");
    }
}

#[test]
fn a_result_can_be_shown_again_with_its_paths() {
    let room = Room::new();
    let mut args = vec!["run", "quickstart", "--seed", "2", "--out", "r"];
    args.extend(TRACED);
    let first = room.run(&args).with_status(0);
    assert_eq!(first.out.lines().last(), Some("result: r"));
    let again = room.run(&["show", "r"]).with_status(0);
    assert!(first.out.starts_with(&again.out), "the same table");

    let list = json(
        &room
            .run(&["show", "r", "--packets", "--json"])
            .with_status(0)
            .out,
    );
    let packet = &list["packets"][0];
    let (id, flow) = (packet["id"].as_str().unwrap(), packet["flow"].to_string());
    let path = room
        .run(&["show", "r", "--packet", id, "--scheme", "dibs"])
        .with_status(0)
        .out;
    let detours = packet["detours"].as_u64().unwrap() as usize;
    assert!(detours >= 3);
    assert_eq!(path.matches("DETOUR").count(), detours, "{path}");
    assert!(
        path.contains("its NIC") && path.contains("delivered"),
        "{path}"
    );
    room.run(&["show", "r", "--flow", &flow]).with_status(0);
    let none = room
        .run(&["show", "r", "--packet", "9999:0"])
        .with_status(2);
    assert!(none.err.contains("--packets"), "{}", none.err);
}

#[test]
fn lists_and_checks_are_one_json_object_too() {
    let room = Room::new();
    let list = json(&room.run(&["list", "--json"]).with_status(0).out);
    let kinds = list["kinds"].as_array().unwrap();
    let named = |name: &str| kinds.iter().find(|k| k["kind"] == name).unwrap();
    let names = |kind: &str| -> Vec<String> {
        let items = named(kind)["items"].as_array().unwrap().clone();
        items
            .iter()
            .map(|i| i["name"].as_str().unwrap().to_string())
            .collect()
    };
    assert!(names("buffers").contains(&"dibs".to_string()));
    for name in names("scenarios") {
        let done = room.run(&["check", &name, "--json"]);
        if done.status == 0 {
            let checked = json(&done.out);
            assert!(
                checked["scenarios"][0]["load"]["capacity_bps"]
                    .as_f64()
                    .unwrap()
                    > 0.0,
                "{name}"
            );
        } else {
            assert!(
                done.err.contains(".csv"),
                "{name} may only want a file of the repository: {}",
                done.err
            );
        }
    }
}

#[test]
fn a_check_says_once_what_all_schemes_have_alike() {
    let room = Room::new();
    room.file(
        "s.toml",
        "duration = \"1 ms\"\nschemes = [\"dctcp\", \"dibs\", \"infinite\"]\n[topology]\nkind = \"fat_tree\"\nk = 4\n\
         [workload.w]\nkind = \"incast\"\ndegree = 5\n[scheme.dibs.switch.at.core]\ncapacity = \"9 pkt\"\n",
    );
    let said = room.run(&["check", "s.toml"]).with_status(0).out;
    let parts: Vec<&str> = said.split("\nscheme ").collect();
    let has = |key: &str| -> Vec<usize> {
        let is_row = |part: &&str| {
            part.lines()
                .any(|line| line.split_whitespace().next() == Some(key))
        };
        (0..parts.len()).filter(|i| is_row(&parts[*i])).collect()
    };
    assert_eq!(parts.len(), 4, "{said}");
    assert_eq!(has("topology.k"), [0]);
    assert_eq!(has("transport.mss"), [0], "all three: {said}");
    assert_eq!(
        has("transport.kind"),
        [1, 2, 3],
        "from each one's file: {said}"
    );
    assert_eq!(has("switch.at.core.capacity"), [2], "{said}");
    // With one scheme there are no common settings.
    let one = ["check", "s.toml", "--set", "schemes=dibs"];
    let said = room.run(&one).with_status(0).out;
    let (all, own) = said.split_once("\nscheme dibs").unwrap();
    assert!(
        !all.contains("transport.mss") && own.contains("transport.mss"),
        "{said}"
    );
}

#[test]
fn what_has_no_effect_is_said_beside_the_numbers() {
    let room = Room::new();
    room.file(
        "s.toml",
        "duration = \"1 ms\"\nschemes = [\"dibs\"]\n[topology]\nkind = \"fat_tree\"\nk = 4\n[workload.w]\nkind = \"incast\"\n\
         degree = 5\n",
    );
    fs::create_dir(room.path().join("schemes")).unwrap();
    room.file("schemes/dibs.toml", "switch.buffer = \"droptail\"\n");
    let said = room
        .run(&["run", "s.toml", "--quick", "--out", "o"])
        .with_status(0)
        .out;
    let page = fs::read_to_string(room.path().join("o/report.html")).unwrap();
    for words in ["so nothing is shortened", "schemes/dibs.toml is not read"] {
        assert!(
            said.contains(words) && page.contains(words),
            "{words}: {said}"
        );
    }
}

#[test]
fn a_run_prints_its_answer_and_the_whole_table_with_all() {
    let room = Room::new();
    let run = |more: &[&str]| {
        let args = [&["run", "quickstart", "--seed", "1", "--out"], more].concat();
        room.run(&args).with_status(0).out
    };
    let (answer, whole) = (run(&["a"]), run(&["b", "--all"]));
    assert!(answer.lines().count() < 24, "{answer}");
    for (text, has) in [(&answer, true), (&whole, false)] {
        assert_eq!(text.contains("queries, p99, ms"), has, "{text}");
        assert_eq!(text.contains("slowdown p99"), !has, "{text}");
    }
    let show = |more: &[&str]| room.run(&[&["show"], more].concat()).with_status(0).out;
    assert!(answer.starts_with(&show(&["a"])) && whole.starts_with(&show(&["a", "--all"])));
    let both = room
        .run(&["show", "a", "--all", "--json"])
        .with_status(2)
        .err;
    assert!(both.contains("--all") && both.contains("--json"), "{both}");
}

#[test]
fn a_result_is_shown_for_a_scheme_of_it_and_no_other() {
    let room = Room::new();
    room.file("f.csv", "start,src,dst,size\n1 us,0,1,20 kB\n");
    let one = "duration = \"1 ms\"\nschemes = [\"dctcp\", \"dibs\"]\nseeds = \"1..2\"\n[topology]\nkind = \"fat_tree\"\n\
         k = 4\n[workload.trace]\nkind = \"flow_list\"\nfile = \"f.csv\"\n";
    room.file("one.toml", one);
    let sweep = "[sweep]\n\"workload.trace.mss\" = [\"1460 B\", \"1000 B\"]\n";
    room.file("many.toml", &format!("{one}{sweep}"));
    for (scenario, out) in [("one.toml", "r"), ("many.toml", "s")] {
        room.run(&["run", scenario, "--out", out]).with_status(0);
        let show = |more: &[&str]| room.run(&[&["show", out], more].concat());
        let both = show(&["--csv"]).with_status(0).out;
        let one = show(&["--csv", "--scheme", "dctcp"]).with_status(0).out;
        let rows = both.lines().filter(|row| !row.contains("dibs"));
        assert_eq!(one.lines().collect::<Vec<_>>(), rows.collect::<Vec<_>>());
        assert!(one.lines().count() > 1 && both.contains("dibs"), "{both}");
        let text = show(&["--scheme", "dibs", "--all"]).with_status(0).out;
        assert!(text.contains("dibs") && !text.contains("dctcp"), "{text}");
        let json = show(&["--scheme", "dibs", "--json"]).with_status(0).out;
        assert!(!json.contains("\"dctcp\""), "{json}");
        for (args, words) in [
            (["--scheme", "dips"], "--scheme \"dips\" is not in "),
            (["--seed", "9"], "which has seed 1-2"),
            (
                ["--seed", "1"],
                "whose numbers are of the seeds 1-2 together",
            ),
        ] {
            let done = show(&args).with_status(2);
            assert!(
                done.err.contains(words) && done.out.is_empty(),
                "{}",
                done.err
            );
        }
    }
    let args = ["run", "one.toml", "--seed", "2", "--out", "t"];
    room.run(&args).with_status(0);
    let show = |more: &[&str]| room.run(&[&["show", "t"], more].concat()).with_status(0);
    assert_eq!(show(&["--seed", "2"]).out, show(&[]).out);
}

#[test]
fn a_check_keeps_wide_numbers_apart_and_counts_one_without_a_plural() {
    let room = Room::new();
    room.file(
        "net.csv",
        "a,b,rate,delay\nh0,s0,1600 Gbps,5 us\nh1,s0,1600 Gbps,5 us\n",
    );
    room.file("f.csv", "start,src,dst,size\n0 us,0,1,16000 GB\n");
    room.file(
        "s.toml",
        "duration = \"1 us\"\nschemes = [\"tcp\"]\n[topology]\nkind = \"custom\"\nfile = \"net.csv\"\n\
         [workload.a_name_of_twenty_two]\nkind = \"flow_list\"\nfile = \"f.csv\"\n",
    );
    let said = room.run(&["check", "s.toml"]).out;
    let row = said
        .lines()
        .find(|line| line.starts_with("  a_name_of_twenty_two "));
    let cells: Vec<&str> = row.unwrap_or_default().split_whitespace().collect();
    assert_eq!(cells[1..3], ["1000000.0", "0.0"], "{said}");
    assert_eq!(cells.len(), 7, "{said}");
    assert!(said.contains("\n2 hosts, 1 switch, 2 cables\n"), "{said}");
    assert!(said.contains("\n      1 flow from the list\n"), "{said}");
    assert!(said.contains("about 1 flow and "), "{said}");
}

#[test]
fn a_brief_check_has_the_load_first_and_assumed_values_alone() {
    let room = Room::new();
    let check = |more: &[&str]| {
        let args = [&["check", "dibs-demo"], more].concat();
        room.run(&args).with_status(0).out
    };
    let (whole, brief) = (check(&[]), check(&["--brief"]));
    let place = |text: &str, words: &str| text.find(words).unwrap_or_else(|| panic!("{text}"));
    assert!(place(&brief, "offered load") < place(&brief, "assumed values"));
    assert!(place(&whole, "all schemes") < place(&whole, "offered load"));
    // Its source is a table of the paper.
    assert!(whole.contains("  transport.rto_min ") && !brief.contains("  transport.rto_min "));
    assert!(brief.contains("  topology.delay "), "{brief}");
    assert!(brief.lines().count() * 2 < whole.lines().count());
}
