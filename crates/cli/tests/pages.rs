//! Tests of the report page of a run and of a sweep: complete if sent alone, and safe to open.

use crate::common;

use common::Room;
use serde_json::Value;
use std::fs;

const ALONE: &str = r#"
title = "Größe <script>alert(1)</script> & 数据 \u001b[31m"
duration = "1 ms"
drain = "1 s"
seeds = "1..3"
schemes = ["dctcp", "dibs"]
[topology]
kind = "fat_tree"
k = 4
[workload.query]
kind = "incast"
degree = 15
size = "40 kB"
[source]
duration = "assumed: <i>one</i> \"query\""

[[plot]]
kind = "cdf"
title = "what the file asks for"
of = "qct_ms"

[[claim]]
id = "a\"b"
figure = "7 <u>"
says = "queries of dibs <b>end</b> & soon"
metric = "qct_p99_ms"
compare = "dibs"
paper = 5
accept = "..1000"
tolerance = "<s>any</s>"
gap = "none"
"#;

/// Returns the text between each `before` and the next `"`.
fn all<'a>(html: &'a str, before: &str) -> Vec<&'a str> {
    let parts = html.split(before).skip(1);
    parts.map(|rest| rest.split('"').next().unwrap()).collect()
}

/// Checks that a page is complete and safe, has headings, and that its links lead somewhere; returns the page.
fn checked(room: &Room, dir: &str) -> String {
    let dir = room.path().join(dir);
    let html = fs::read_to_string(dir.join("report.html")).unwrap();
    let ids = all(&html, " id=\"");
    for (i, id) in ids.iter().enumerate() {
        assert!(!ids[..i].contains(id), "{id} twice");
    }
    for link in all(&html, " href=\"") {
        match link.strip_prefix('#') {
            Some(id) => assert!(ids.contains(&id), "nothing is called {id}"),
            None => assert!(dir.join(link).is_file(), "there is no {link}"),
        }
    }
    for part in [
        "<script", "<link", "<img", "@import", "url(", "src=", "\u{1b}",
    ] {
        assert!(!html.contains(part), "{part}");
    }
    assert!(
        !html
            .replace("http://www.w3.org/2000/svg", "")
            .contains("://")
    );
    for part in [
        "<html lang=\"en\">",
        "name=\"viewport\"",
        "class=\"skip\" href=\"#main\"",
        "Größe &lt;script&gt;alert(1)&lt;/script&gt; &amp; 数据 \u{fffd}[31m",
        "<h3>Numbers</h3>",
        "<h3>Plots</h3>",
        "<h3>Settings and files</h3>",
        "assumed: &lt;i&gt;one&lt;/i&gt;",
    ] {
        assert!(html.contains(part), "{part}");
    }
    assert_eq!(html.matches("<h1>").count(), 1);
    let labels = all(&html, "tabindex=\"0\" aria-label=\"");
    for (i, label) in labels.iter().enumerate() {
        assert!(!labels[..i].contains(label), "{label} twice");
    }
    assert_eq!(html.matches("class=\"scroll\"").count(), labels.len());
    assert_eq!(
        html.matches("<table").count(),
        html.matches("<caption").count()
    );
    assert!(!html.contains("<th>"), "every head has its scope");
    html
}

#[test]
fn a_run_leaves_a_page_and_says_where() {
    let room = Room::new();
    room.file("own.toml", ALONE);
    let done = room.run(&["run", "own.toml", "--out", "o"]).with_status(0);
    let said: Vec<&str> = done.out.lines().rev().take(2).collect();
    assert_eq!(said, ["result: o", "report: o/report.html"]);
    let html = checked(&room, "o");
    assert!(html.matches("<svg").count() >= 2 && html.contains(">what the file asks for</text>"));
    assert!(html.contains("queries of dibs &lt;b&gt;end&lt;/b&gt;"));
    assert!(
        html.contains("id=\"show-reproduced\"") && html.contains("data-verdict=\"reproduced\"")
    );
    assert!(
        html.contains("<title>dibs, paper: 5.00</title>"),
        "the paper's number is drawn"
    );
    assert!(!html.contains("CPU"), "no clock");
    // The most wanted parts come first: a few rows of numbers, then verdicts, then plots.
    let order = [
        "<h2 id=\"short-head\">In short</h2>",
        ">queries, p99, ms</th>",
        ">the paper says</th>",
        "<h3>Plots</h3>",
        "<h3>Numbers</h3>",
    ];
    let places = order.map(|part| html.find(part).unwrap_or_else(|| panic!("{part}")));
    assert!(places.is_sorted(), "{places:?}");
    assert!(html.contains("The accepted ranges are those in the file at the time of the run."));
    // The same bytes at any number of threads.
    room.run(&["run", "own.toml", "--out", "p", "--jobs", "1"])
        .with_status(0);
    assert!(html == checked(&room, "p"));
    let json = room
        .run(&["run", "own.toml", "--out", "q", "--json"])
        .with_status(0);
    let json: Value = serde_json::from_str(&json.out).unwrap();
    assert_eq!(json["report"], "q/report.html");
}

#[test]
fn a_sweep_leaves_one_too_and_draws_its_table_when_it_asks_for_no_plot() {
    let room = Room::new();
    let (head, rest) = ALONE.split_once("[[plot]]").unwrap();
    let claim = rest.split_once("[[claim]]").unwrap().1;
    let sweep = "[sweep]\n\"workload.query.size\" = [\"20 kB\", \"40 kB\"]\n";
    let at = "at = { \"workload.query.size\" = \"40 kB\" }\n";
    room.file("s.toml", &format!("{head}{sweep}\n[[claim]]{claim}{at}"));
    let args = ["run", "s.toml", "--no-cache", "--out", "o"];
    let done = room.run(&args).with_status(0);
    assert!(
        done.out.contains("\nreport: o/report.html\n"),
        "{}",
        done.out
    );
    let html = checked(&room, "o");
    assert!(
        html.contains("<td>dibs</td>")
            && html.contains("<th scope=\"row\" class=\"in0\">40 kB</th>")
    );
    assert!(
        html.contains("<svg") && html.contains("dibs at 40: "),
        "a line over the axis"
    );
    assert!(html.contains("<title>dibs, paper: 5.00</title>"));
    assert!(room.path().join("o/plots/plot1-lines.png").is_file());
}
