//! Golden table: settings that no run uses, and the warnings about them.
//!
//! A changed message is a change for users: update the table in a separate commit.

use sidestep_lab::Scenario;
use sidestep_sim::Files;

struct Few;

impl Files for Few {
    fn read(&self, path: &str) -> Result<String, String> {
        match path {
            "late.csv" => Ok("start,src,dst,size\n9 ms,0,3,20 kB\n10 ms,1,3,2 kB\n\
                              30 ms,2,3,2 kB\n20 ms,2,3,2 kB\n"
                .into()),
            _ => Err("no such file".into()),
        }
    }
}

/// Small scenario; each case adds lines at its top and at its end, and `--set`s.
const GOOD: &str = "duration = \"10 ms\"\ndrain = \"20 ms\"\nschemes = [\"dctcp\", \"infinite\"]\n\
    [topology]\nkind = \"fat_tree\"\nk = 4\n\
    [workload.query]\nkind = \"query\"\nrate = \"300 /s\"\ndegree = 8\n";

/// Returns the warnings about `case`: lines for the top, `...`, lines for the end, and lines of `--set`.
fn said(case: &str) -> String {
    let (sets, lines): (Vec<&str>, Vec<&str>) =
        case.lines().partition(|line| line.starts_with("--set "));
    let sets = sets.iter().map(|set| set["--set ".len()..].to_string());
    let (top, end) = match lines.iter().position(|line| *line == "...") {
        Some(at) => (lines[..at].join("\n"), lines[at + 1..].join("\n")),
        None => (String::new(), lines.join("\n")),
    };
    let top = if top.is_empty() {
        top
    } else {
        format!("{top}\n")
    };
    let text = format!("{top}{GOOD}{end}\n");
    match Scenario::read("a.toml", &text, &sets.collect::<Vec<_>>(), &Few) {
        Ok(read) => read.warnings().join("\n"),
        Err(problems) => panic!("{case}: {problems:?}"),
    }
}

#[test]
fn what_no_run_does_is_said_with_its_place_and_number() {
    let table = include_str!("silent.txt");
    let mut now = String::new();
    for case in table.split("\n\n").filter(|case| !case.trim().is_empty()) {
        let head: Vec<&str> = case
            .lines()
            .filter(|line| !line.starts_with("! "))
            .collect();
        let head = head.join("\n");
        let got = said(&head);
        let got: Vec<String> = got.lines().map(|line| format!("! {line}")).collect();
        now.push_str(&format!("{}\n\n", [vec![head], got].concat().join("\n")));
    }
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/silent.txt");
        std::fs::write(path, &now).expect("the table can be written");
    }
    let differs = now.lines().zip(table.lines()).find(|(new, old)| new != old);
    assert_eq!(differs, None, "UPDATE_GOLDEN=1 writes the new table");
    assert_eq!(
        now.len(),
        table.len(),
        "a table has lines that the other lacks"
    );
}

/// A written-out scenario contains every default, which is no mistake of the user.
#[test]
fn defaults_that_are_written_out_are_no_slip() {
    let read =
        |text: &str| Scenario::read("a.toml", text, &[], &Few).unwrap_or_else(|p| panic!("{p:?}"));
    let plain = read(GOOD);
    assert_eq!(plain.warnings(), [""; 0]);
    assert_eq!(read(&plain.to_toml()).warnings(), [""; 0]);
    let probed = read(&format!("{GOOD}[probe]\nlinks = \"1 ms\"\nhot = \"0.5\"\n"));
    assert_eq!(probed.warnings(), [""; 0]);
    let probed = read(&format!("{GOOD}[probe]\ngoodput = \"1 ms\"\n"));
    assert_eq!(probed.warnings(), [""; 0], "of what it does not say");
}

/// A scenario with very many flows is not drawn when it is read: the draw would take gigabytes before the
/// scenario could be refused.
#[test]
fn a_scenario_of_tens_of_millions_of_flows_is_read_without_drawing_them() {
    let text = GOOD.replace("300 /s", "590 M/s");
    let read = Scenario::read("a.toml", &text, &[], &Few).unwrap_or_else(|p| panic!("{p:?}"));
    let said = read.estimate();
    assert_eq!(said.flows.round(), 47_200_000.0);
    // 230 B each, and a third of them open at 1.6 kB.
    assert!(said.bytes(1) > 30e9 && said.bytes(1) < 45e9, "{said:?}");
    assert!(
        said.bytes(2) > 1.7 * said.bytes(1) - said.kept_bytes,
        "{said:?}"
    );
}
