//! Tests of the numbers of hosts: the natural order of their names, whatever the order of rows; and maps of hosts.

mod common;

use common::{add_wrong, fixtures, is_golden};
use sidestep_import::{Format, Hosts, Imported, Options, OutputKind, import};
use std::fs;

fn read(format: Format, text: &str, options: &Options) -> Result<Imported, String> {
    import("f", text.as_bytes(), format, options)
}

/// Returns the rows of a created file, without comments and header.
fn rows(imported: &Imported, made: OutputKind) -> Vec<String> {
    let (_, text) = imported.files.iter().find(|(of, _)| *of == made).unwrap();
    let rows = text.lines().filter(|line| !line.starts_with('#'));
    rows.skip(1).map(str::to_string).collect()
}

/// The first row decided the numbers: racks of the trace were not racks of the network.
#[test]
fn hosts_have_the_natural_order_of_their_names_in_any_order_of_rows() {
    let rows_of = |pairs: &[(&str, &str)]| {
        let row = |(i, (src, dst)): (usize, &(&str, &str))| format!("{i},{src},{dst},100\n");
        let rows: String = pairs.iter().enumerate().map(row).collect();
        format!("start_us,src,dst,size\n{rows}")
    };
    for (pairs, expected) in [
        (
            &[
                ("rack1-node10", "rack1-node02"),
                ("rack10-node1", "rack2-node1"),
            ][..],
            &[
                "rack1-node02,h0",
                "rack1-node10,h1",
                "rack2-node1,h2",
                "rack10-node1,h3",
            ][..],
        ),
        (
            &[("10.0.0.10", "10.0.0.2"), ("10.0.1.1", "9.255.0.1")],
            &["9.255.0.1,h0", "10.0.0.2,h1", "10.0.0.10,h2", "10.0.1.1,h3"],
        ),
        (
            &[("fd00::10", "fd00::9"), ("db", "10.0.0.1")],
            &["10.0.0.1,h0", "fd00::9,h1", "fd00::10,h2", "db,h3"],
        ),
        // Plain numbers, as simulators write them.
        (&[("10", "9"), ("2", "10")], &["2,h0", "9,h1", "10,h2"]),
        (
            &[
                ("node-b.example", "node-B.example"),
                ("node-a.example", "gpu7"),
            ],
            &[
                "gpu7,h0",
                "node-a.example,h1",
                "node-B.example,h2",
                "node-b.example,h3",
            ],
        ),
    ] {
        let text = rows_of(pairs);
        let imported = read(Format::Csv, &text, &Options::new()).unwrap();
        assert_eq!(rows(&imported, OutputKind::Hosts), expected);
        let number = |name: &str| {
            let row = expected
                .iter()
                .find_map(|row| row.strip_prefix(&format!("{name},")));
            row.unwrap().to_string()
        };
        let flows: Vec<String> = (pairs.iter().enumerate())
            .map(|(i, (src, dst))| format!("{i},{},{},100 B", number(src), number(dst)))
            .collect();
        assert_eq!(rows(&imported, OutputKind::Flows), flows, "{text}");
        // The rows in another order have the same numbers.
        let back: Vec<(&str, &str)> = pairs.iter().rev().copied().collect();
        let back = read(Format::Csv, &rows_of(&back), &Options::new()).unwrap();
        assert_eq!(rows(&back, OutputKind::Hosts), expected);
    }
}

#[test]
fn flow_records_have_the_same_order() {
    let text = "ts,sa,da,ibyt,ipkt\n2026-01-01 00:00:00,10.0.0.10,10.0.0.9,1040,1\n2026-01-01 00:00:01,10.0.0.2,10.0.0.10,1040,1\n";
    let imported = read(Format::Netflow, text, &Options::new()).unwrap();
    assert_eq!(
        rows(&imported, OutputKind::Hosts),
        ["10.0.0.2,h0", "10.0.0.9,h1", "10.0.0.10,h2"]
    );
    assert_eq!(
        rows(&imported, OutputKind::Flows),
        ["0,h2,h1,1000 B", "1000000,h0,h2,1000 B"]
    );
}

#[test]
fn the_report_names_the_first_hosts_and_where_all_are() {
    let list = |many: usize| {
        let row = |i: usize| format!("{i},n{},n{},1\n", i + 1, (i + 1) % many + 1);
        let text: String = (0..many).map(row).collect();
        let imported = read(
            Format::Csv,
            &format!("start_us,src,dst,size\n{text}"),
            &Options::new(),
        )
        .unwrap();
        imported
            .notes
            .into_iter()
            .find(|note| note.contains("natural order"))
            .unwrap()
    };
    assert_eq!(
        list(4),
        "Hosts are numbered in the natural order of their addresses and names, all of which hosts.csv lists: \
         n1 is h0, n2 is h1, n3 is h2, n4 is h3"
    );
    assert!(list(200).ends_with(": n1 is h0, n2 is h1, n3 is h2, …, n200 is h199"));
}

#[test]
fn many_wrong_lines_are_summed_up_by_cause() {
    let mut text = "start_us,src,dst,size\n0,a,b,1\n".to_string();
    text.push_str(&"1,a,b,-\n".repeat(1_000));
    text.push_str("2,a,!,1\n3,a,?,1\n");
    assert_eq!(
        read(Format::Csv, &text, &Options::new()).unwrap_err(),
        "f:3: expected a whole number of bytes, or a size like \"64 kB\", got \"-\" (the same on 999 lines more, the last is line 1002)\n\
         f:1003: expected an address or a name of letters, digits, '.', '-' and '_', got \"!\" (the same on 1 line more, the last is line 1004)"
    );
    let record = "2026-01-01 00:00:00,10.0.0.1,x,1\n".repeat(3);
    let said = read(
        Format::Netflow,
        &format!("ts,sa,da,ibyt\n{record}"),
        &Options::new(),
    )
    .unwrap_err();
    assert_eq!(
        said,
        "f:2: expected an address, got \"x\" (the same on 2 lines more, the last is line 4)"
    );
}

/// A table of wrong maps: rows below the header, and what is said.
#[test]
fn what_is_wrong_in_a_map_is_said_with_its_line() {
    let (mut now, mut many) = (String::new(), 0);
    let kept = fs::read_to_string(fixtures().join("hosts-wrong.txt")).unwrap();
    let (about, cases) = kept.split_once("\n\n").unwrap();
    for case in cases.split("\n\n").filter(|case| !case.trim().is_empty()) {
        let head = case.trim().lines().next().unwrap();
        let rows = head
            .replace("\\n", "\n")
            .replace("\\t", "\t")
            .replace("(nothing)", "");
        let rows = rows
            .replace("(long)", &"n".repeat(300))
            .replace("(100 rows)", &"10.0.0.1\n".repeat(100));
        let text = match rows.strip_prefix("(all) ") {
            Some(all) => all.to_string(),
            None => format!("address,host\n{rows}\n"),
        };
        add_wrong(&mut now, head, Hosts::read("m.csv", text.as_bytes()));
        many += 1;
    }
    assert!(many >= 50, "{many} cases");
    is_golden("hosts-wrong.txt", &format!("{about}\n{now}"));
}

#[test]
fn a_map_gives_names_addresses_and_prefixes_their_hosts() {
    let map = b"address,host\n# ours\nrack1-node02, h7\n17,h3\n10.1.0.0/16,h1\n10.1.0.9,2\nfd00::/64,h4\n";
    let options = Options {
        hosts: Some(Hosts::read("m.csv", map).unwrap()),
        ..Options::new()
    };
    let text = "start_us,src,dst,size\n0,rack1-node02,17,1\n1,10.1.2.3,10.1.0.9,1\n2,fd00::5,rack1-node03,1\n";
    let imported = read(Format::Csv, text, &options).unwrap();
    assert_eq!(
        rows(&imported, OutputKind::Flows),
        ["0,h7,h3,1 B", "1,h1,h2,1 B"]
    );
    let left = "rows with an address that is not in the map";
    assert_eq!(imported.dropped, [(left.to_string(), 1)]);
    let list = imported.list.unwrap();
    assert_eq!((list.flows, list.hosts, list.last), (2, 8, 1_000_000));
}
