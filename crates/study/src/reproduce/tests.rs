//! Tests with a handmade figure: it is run, and its report is read back.

use super::library::{ExperimentEntry, ExperimentLibrary};
use super::run::{Finished, Options, Order, reproduce};
use super::*;
use crate::MeasureOptions;
use crate::progress::Show;
use serde_json::Value;
use sidestep_lab::{
    AuthorPoint, AuthorPoints, Axis, Experiment, FigureSpec, PlotKind, PlotSpec, Point, Scenario,
};
use std::path::Path;
use std::sync::atomic::AtomicBool;

const SMALL: &str = r#"
title = "an incast <b>& more</b>"
duration = "1 ms"
drain = "1 s"
seeds = "1..8"
schemes = ["dctcp", "dibs"]
[topology]
kind = "fat_tree"
k = 4
[workload.query]
kind = "incast"
degree = 15
size = "40 kB"
[source]
duration = "assumed: one \"query\""

[[claim]]
id = "qct"
figure = "1"
says = "queries take < 1 s & more than nothing"
metric = "qct_p99_ms"
compare = "dctcp"
paper = 10
accept = "..1000"
tolerance = "the sentence itself"
gap = "none"

[[claim]]
id = "never"
figure = "1"
says = "queries take no time"
metric = "qct_p99_ms"
compare = "dctcp"
paper = 0
accept = "..0"
tolerance = "the sentence itself"
gap = "not known"
"#;

fn point(size: &str) -> Point {
    let set = format!("workload.query.size={size}");
    let scenario = Scenario::read("fig1.toml", SMALL, &[set], &sidestep_sim::NoFiles);
    let Ok(scenario) = scenario else {
        panic!("the scenario reads");
    };
    Point {
        at: vec![size.to_string()],
        scenario,
    }
}

fn plot(kind: PlotKind) -> PlotSpec {
    PlotSpec {
        kind,
        title: format!("{} & others", kind.name()),
        x: "workload.query.size".into(),
        y: vec!["qct_p99_ms".into(), "detours".into()],
        of: "qct_ms".into(),
        at: Vec::new(),
        schemes: Vec::new(),
        per: Vec::new(),
        points: AuthorPoints::default(),
        log_x: true,
        log_y: false,
    }
}

fn experiment() -> Experiment {
    let points = vec![point("20 kB"), point("40 kB")];
    let mut claims = points[0].scenario.claims.clone();
    for claim in &mut claims {
        claim.at = vec![("workload.query.size".into(), "40 kB".into())];
        // The points were created by setting the key that is an axis here.
        claim.not_judged = None;
    }
    Experiment {
        name: "fig1".into(),
        title: points[0].scenario.title.clone(),
        figure: Some(FigureSpec {
            paper: "Someone, \"somewhere\" 2014".into(),
            number: "1".into(),
            shows: "one thing & another".into(),
        }),
        plots: [
            PlotKind::Lines,
            PlotKind::Bars,
            PlotKind::Cdf,
            PlotKind::Path,
            PlotKind::Ranked,
            PlotKind::OverTime,
        ]
        .map(plot)
        .to_vec(),
        axes: vec![Axis {
            name: "workload.query.size".into(),
            values: vec!["20 kB".into(), "40 kB".into()],
            is_key: true,
        }],
        points,
        claims,
        quick: false,
        notes: Vec::new(),
    }
}

fn run(dir: &Path, stop: bool) -> Finished {
    let options = Options {
        asked: "mine/fig1".into(),
        quick: false,
        out: dir,
        measure: MeasureOptions {
            jobs: 2,
            cache: None,
            show: Show::Never,
        },
    };
    let order = Order {
        paper: "mine".into(),
        experiment: experiment(),
    };
    match reproduce(vec![order], &options, &AtomicBool::new(stop), &mut |_| {}) {
        Ok(finished) => finished,
        Err(e) => panic!("{e}"),
    }
}

fn text(dir: &Path, name: &str) -> String {
    std::fs::read_to_string(dir.join(name)).unwrap_or_else(|e| panic!("{name}: {e}"))
}

/// Returns the text between each `before` and the next `"`.
fn all<'a>(html: &'a str, before: &str) -> Vec<&'a str> {
    let parts = html.split(before).skip(1);
    parts.map(|rest| rest.split('"').next().unwrap()).collect()
}

#[test]
fn every_link_of_the_report_leads_somewhere_and_every_word_is_escaped() {
    let room = tempfile::tempdir().unwrap();
    // The report is kept for inspection, as the plots are.
    let dir = match std::env::var("SIDESTEP_KEEP_PLOTS") {
        Ok(dir) => Path::new(&dir).join("report"),
        Err(_) => room.path().join("out"),
    };
    run(&dir, false);
    let html = text(&dir, "report.html");
    let ids = all(&html, " id=\"");
    let links = all(&html, " href=\"");
    assert!(links.len() > 10, "{links:?}");
    for link in links {
        match link.strip_prefix('#') {
            Some(id) => assert!(ids.contains(&id), "nothing is called {id}"),
            None => assert!(dir.join(link).is_file(), "there is no {link}"),
        }
    }
    for (i, id) in ids.iter().enumerate() {
        assert!(!ids[..i].contains(id), "{id} twice");
    }
    assert!(html.contains("an incast &lt;b&gt;&amp; more&lt;/b&gt;"));
    assert!(
        !html.contains("<b>& more")
            && !html.contains("<script")
            && !html.contains("http://www.w3.org/1999")
    );
    assert_eq!(
        html.matches("<svg").count(),
        4,
        "neither a path nor windows were probed"
    );
    assert!(html.contains("Figure 1") && html.contains("assumed: one &quot;query&quot;"));
}

#[test]
fn tags_are_closed_in_their_order() {
    let room = tempfile::tempdir().unwrap();
    let dir = room.path().join("out");
    run(&dir, false);
    let html = text(&dir, "report.html");
    let body = html.split_once("</style>").unwrap().1;
    let mut open: Vec<&str> = vec!["html", "head"];
    for tag in body
        .split('<')
        .skip(1)
        .map(|t| t.split('>').next().unwrap())
    {
        let name = tag.split([' ', '/']).find(|n| !n.is_empty()).unwrap();
        if tag.starts_with('/') {
            assert_eq!(open.pop(), Some(name), "at <{tag}>");
        } else if !tag.ends_with('/') && name != "input" {
            open.push(name);
        }
    }
    assert!(open.is_empty(), "{open:?}");
}

#[test]
fn the_report_as_json_has_claims_and_figures_and_no_clock() {
    let room = tempfile::tempdir().unwrap();
    let (one, two) = (room.path().join("one"), room.path().join("two"));
    let finished = run(&one, false);
    run(&two, false);
    for name in ["report.json", "report.html", "mine/fig1/points.csv"] {
        assert_eq!(text(&one, name), text(&two, name), "{name}");
    }
    let json: Value = serde_json::from_str(&text(&one, "report.json")).unwrap();
    let claim = &json["claims"][0];
    assert_eq!(
        (&claim["id"], &claim["figure"]),
        (&"qct".into(), &"mine/fig1".into())
    );
    assert_eq!(
        (&claim["verdict"], &claim["fails"]),
        (&"reproduced".into(), &false.into())
    );
    assert_eq!(json["sidestep"]["commit"], crate::COMMIT);
    assert_eq!(
        claim["method"].as_str().map(|m| &m[..11]),
        Some("sectioning ")
    );
    for key in [
        "says",
        "paper",
        "ours",
        "gap",
        "expect",
        "tolerance",
        "ci",
        "seeds",
    ] {
        assert!(!claim[key].is_null(), "{key}: {claim}");
    }
    assert_eq!(json["figures"][0]["axes"][0]["values"][1], "40 kB");
    assert_eq!(
        json["figures"][0]["plots"][0]["rows"]
            .as_array()
            .unwrap()
            .len(),
        4
    );
    assert!(json["figures"][0]["points"][1]["schemes"]["dibs"]["qct_ms"]["p99"].is_number());
    assert_eq!(
        finished.reproduction.exit_status(),
        1,
        "`never` is expected to be reproduced"
    );
    let said = finished.reproduction.to_text();
    assert!(
        said.contains(
            "2 claims of 1 figure: 1 reproduced, 1 not reproduced, 0 can't tell; 1 not as this version expects"
        ),
        "{said}"
    );
    assert!(
        said.contains("!! not reproduced queries take no time"),
        "{said}"
    );
    let mut known = finished.reproduction;
    let never = &mut known.figures[0].claims[1];
    never.expect = Verdict::NotReproduced;
    (never.gap, never.gap_sweep) = ("a query takes some".into(), "why-fig1".into());
    let said = known.to_text();
    assert!(
        said.contains("no not reproduced queries take no time"),
        "{said}"
    );
    let line = "       as expected: a query takes some; see mine/why-fig1\n";
    assert!(said.contains(line), "{said}");
    let csv = text(&one, "mine/fig1/points.csv");
    assert!(csv.starts_with("workload.query.size,scheme,metric,value,ci_low,ci_high,bound,seeds\n20 kB,dctcp,qct_p50_ms,"), "{csv}");
}

#[test]
fn authors_points_stand_beside_ours_and_a_ratio_is_over_another_point() {
    let room = tempfile::tempdir().unwrap();
    let mut experiment = experiment();
    let theirs = |x: &str, y| AuthorPoint {
        metric: "qct_p99_ms".into(),
        scheme: "dibs".into(),
        x: x.into(),
        y,
    };
    let mut points = plot(PlotKind::Lines);
    points.y = vec!["qct_p99_ms".into(), "qct_done_mean_ms".into()];
    points.points = AuthorPoints {
        source: "somebody's table".into(),
        // The axis is in kB; we ran nothing at 0.08 MB.
        all: vec![theirs("40 kB", 12.5), theirs("0.08 MB", 99.0)],
    };
    let mut ratio = plot(PlotKind::Lines);
    ratio.per = vec![("workload.query.size".into(), "20 kB".into())];
    experiment.plots = vec![points, ratio];
    let dir = room.path().join("out");
    let options = Options {
        asked: "mine/fig1".into(),
        quick: false,
        out: &dir,
        measure: MeasureOptions {
            jobs: 2,
            cache: None,
            show: Show::Never,
        },
    };
    let order = Order {
        paper: "mine".into(),
        experiment,
    };
    let done = reproduce(vec![order], &options, &AtomicBool::new(false), &mut |_| {});
    assert!(done.is_ok());
    let json: Value = serde_json::from_str(&text(&dir, "report.json")).unwrap();
    let plot = |n: usize| &json["figures"][0]["plots"][n];
    let head = plot(0)["columns"].as_array().unwrap();
    let column = |name: &str| head.iter().position(|h| h == name).unwrap();
    let rows = plot(0)["rows"].as_array().unwrap();
    let authors: Vec<_> = rows.iter().map(|row| &row[column("authors")]).collect();
    assert_eq!(authors, ["-", "-", "-", "12.5"], "of dibs at 40 kB alone");
    assert_eq!(rows[0][column("completed")], "1.00", "beside the mean");
    let ours = rows.iter().map(|row| row[column("qct_p99_ms")].as_str());
    let ours: Vec<f64> = ours.map(|own| own.unwrap().parse().unwrap()).collect();
    let ratios: Vec<f64> = plot(1)["rows"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| row[3].as_str().unwrap().parse().unwrap())
        .collect();
    assert_eq!(ratios[..2], [1.0, 1.0], "over itself");
    assert!((ratios[2] - ours[2] / ours[0]).abs() < 0.01 * ratios[2]);
    let svg = text(&dir, "mine/fig1/plot1-lines.svg");
    assert!(
        svg.contains("dibs, authors: 99.0 at 0.08 MB</title>"),
        "{svg}"
    );
    let html = text(&dir, "report.html");
    assert!(html.contains(" points: somebody"), "the source is said");
    assert!(html.contains("over that at query size 20 kB"));
}

#[test]
fn claims_that_no_paper_makes_are_counted_and_named_apart() {
    let room = tempfile::tempdir().unwrap();
    let mut all = run(&room.path().join("out"), false).reproduction;
    assert!(!all.to_text().contains("not a paper's") && !all.to_html().contains("not a paper's"));
    (all.figures[0].claims[0].own, all.figures[0].claims[0].paper) = (true, None);
    let (text, html, json) = (all.to_text(), all.to_html(), all.to_json());
    assert!(
        text.contains("1 not a paper's: 1 hold, 0 do not hold, 0 can't tell\n"),
        "{text}"
    );
    let line = text.lines().find(|line| line.ends_with("[qct]")).unwrap();
    assert!(
        line.contains("not a paper's, ours") && !line.contains("paper -"),
        "{line}"
    );
    assert!(!html.contains("the paper says") && html.contains("(not a paper's)"));
    assert_eq!(
        (&json["own_totals"]["claims"], &json["totals"]["claims"]),
        (&1.into(), &2.into())
    );
    assert_eq!(
        (&json["claims"][0]["own"], &json["claims"][1]["own"]),
        (&true.into(), &false.into())
    );
    (all.figures[0].claims[1].own, all.figures[0].claims[1].paper) = (true, None);
    let (text, html) = (all.to_text(), all.to_html());
    assert!(
        !text.contains("of them") && !html.contains(">paper</th>"),
        "{text}"
    );
    assert!(html.contains("<th scope=\"col\">expected</th>"));
}

#[test]
fn what_was_interrupted_is_marked_partial() {
    let room = tempfile::tempdir().unwrap();
    let dir = room.path().join("out");
    let finished = run(&dir, true);
    assert_eq!(finished.reproduction.exit_status(), 130);
    assert!(
        text(&dir, "report.html").contains("Partial: interrupted; the numbers of each point cover")
    );
    assert_eq!(finished.reproduction.totals().unsure, 2);
}

#[test]
fn a_quick_run_fails_on_what_is_not_reproduced_alone() {
    let room = tempfile::tempdir().unwrap();
    let mut claim = run(&room.path().join("out"), false).reproduction.figures[0].claims[0].clone();
    claim.expect_between = None;
    let mut check = |verdict, expect, full, quick| {
        (claim.verdict, claim.expect) = (verdict, expect);
        assert_eq!(
            (fails(&claim, false), fails(&claim, true)),
            (full, quick),
            "{verdict} {expect}"
        );
    };
    use Verdict::{CantTell, NotReproduced, Reproduced};
    check(Reproduced, Reproduced, false, false);
    check(NotReproduced, Reproduced, true, true);
    check(CantTell, Reproduced, true, false);
    check(NotReproduced, NotReproduced, false, false);
    // An expected failure whose verdict changes fails as well.
    check(Reproduced, NotReproduced, true, true);
    check(CantTell, NotReproduced, true, false);
    check(CantTell, CantTell, false, false);
    check(Reproduced, CantTell, true, false);
    check(Verdict::NotJudged, Reproduced, false, false);
    // A short run without drops does not contradict drops in a long one.
    claim.accept = "0".into();
    (claim.verdict, claim.expect) = (Reproduced, NotReproduced);
    assert_eq!((fails(&claim, false), fails(&claim, true)), (true, false));
    // An expected failure whose number moves fails, too.
    claim.verdict = NotReproduced;
    (claim.ci, claim.expect_between) = (Some([5.0, 6.0]), Some([6.0, 7.0]));
    assert!(!fails(&claim, false));
    claim.ci = Some([5.0, 5.9]);
    assert_eq!((fails(&claim, false), fails(&claim, true)), (true, false));
}

/// Returns the claims of a paper in docs/papers/grade.csv for this kind of run: path, `dibs/fig08/fig08-qct`, and
/// verdict.
fn graded(table: &str, run: &str, paper: &str) -> Vec<(String, String)> {
    let rows = table.lines().skip(1);
    let cells = rows.map(|row| row.split(',').collect::<Vec<_>>());
    let of = |figure: &str| figure.split('/').next() == Some(paper);
    let own = cells.filter(|cells| cells[0] == run && of(cells[1]));
    own.map(|cells| (format!("{} {}", cells[1], cells[2]), cells[3].to_string()))
        .collect()
}

#[test]
fn published_counts_are_those_of_the_table_of_verdicts() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let read = |name: &str| std::fs::read_to_string(root.join(name)).unwrap();
    let table = read("docs/papers/grade.csv");
    let mut papers: Vec<&str> = table.lines().skip(1).map(paper_of).collect();
    papers.sort();
    papers.dedup();
    assert!(papers.contains(&"dibs"), "{papers:?}");
    for paper in papers.into_iter().filter(|paper| *paper != "beyond") {
        let page = format!("docs/papers/{paper}.md");
        for said in sentences(&table, paper) {
            assert!(read(&page).contains(&said), "{page}: {said}");
            // README has the full run's counts of the paper's claims in one cell: `43 / 28 / 16`.
            if let Some(of) = said.strip_prefix("In full: ") {
                let counts: Vec<&str> = (of.split(" figures: ").nth(1))
                    .and_then(|counts| counts.split('.').next())
                    .map(|counts| {
                        counts
                            .split(", ")
                            .filter_map(|c| c.split(' ').next())
                            .collect()
                    })
                    .unwrap_or_default();
                let readme = read("README.md");
                let link = format!("({page})");
                let row = readme
                    .lines()
                    .find(|line| line.starts_with('|') && line.contains(&link));
                let cell = format!("| {} |", counts.join(" / "));
                assert!(
                    counts.len() == 3 && row.is_some_and(|row| row.ends_with(&cell)),
                    "README.md: {cell} {row:?}"
                );
            }
        }
    }
}

/// Returns the paper of a row of docs/papers/grade.csv.
fn paper_of(row: &str) -> &str {
    let figure = row.split(',').nth(1).unwrap();
    figure.split('/').next().unwrap()
}

/// Returns the published sentences on a paper's verdicts, one for each kind of run.
fn sentences(table: &str, paper: &str) -> Vec<String> {
    let nowhere = tempfile::tempdir().unwrap();
    let shelf = ExperimentLibrary::open(nowhere.path()).unwrap();
    let (mut shipped, mut ours): (Vec<String>, Vec<String>) = (Vec::new(), Vec::new());
    for book in shelf.find(Some(paper)).unwrap() {
        let file = format!("{}/{}.toml", book.paper, book.name);
        let read = Experiment::read(&file, &book.text, &[], false, &shelf.beside(book)).unwrap();
        for claim in &read.claims {
            let name = format!("{paper}/{} {}", book.name, claim.id);
            ours.extend(claim.own.then(|| name.clone()));
            shipped.push(name);
        }
    }
    shipped.sort();
    let mut all = Vec::new();
    for (run, words) in [("full", "In full"), ("quick", "With --quick")] {
        let rows = graded(table, run, paper);
        if rows.is_empty() {
            continue;
        }
        let mut names: Vec<String> = rows.iter().map(|(name, _)| name.clone()).collect();
        names.sort();
        let figure = |name: &String| name.split(' ').next().unwrap_or("").to_string();
        let graded: Vec<String> = names.iter().map(figure).collect();
        let mut known = shipped.clone();
        known.retain(|name| graded.contains(&figure(name)));
        assert_eq!(
            names, known,
            "{run}: grade again, see docs/how-to/reproduce.md"
        );
        let (own, papers): (Vec<_>, Vec<_>) = rows.iter().partition(|(n, _)| ours.contains(n));
        let counts = |rows: &[&(String, String)]| {
            let of = |verdict: &str| rows.iter().filter(|(_, v)| v == verdict).count();
            format!(
                "{} reproduced, {} not reproduced, {} can't tell.",
                of("reproduced"),
                of("not reproduced"),
                of("can't tell")
            )
        };
        let mut figures: Vec<String> = papers.iter().map(|(name, _)| figure(name)).collect();
        figures.sort();
        figures.dedup();
        let mut said = format!(
            "{words}: {} claims of the paper in {} figures: {}",
            papers.len(),
            figures.len(),
            counts(&papers)
        );
        if !own.is_empty() {
            said.push_str(&format!(" {} of our own: {}", own.len(), counts(&own)));
        }
        all.push(said);
    }
    all
}

#[test]
fn every_shipped_figure_reads_in_full_and_in_short_and_names_only_what_there_is() {
    let nowhere = tempfile::tempdir().unwrap();
    let shelf = ExperimentLibrary::open(nowhere.path()).unwrap();
    let books = shelf.find(None).unwrap();
    assert!(books.len() > 30, "{}", books.len());
    let mut ids: Vec<String> = Vec::new();
    for book in &books {
        for quick in [false, true] {
            let file = format!("{}/{}.toml", book.paper, book.name);
            let read = Experiment::read(&file, &book.text, &[], quick, &shelf.beside(book));
            let read = read.unwrap_or_else(|problems| panic!("{problems:?}"));
            let spec = read.figure.as_ref().expect("a figure says what it is");
            assert!(!spec.shows.is_empty() && !read.title.is_empty(), "{file}");
            assert!(!read.plots.is_empty() && !read.claims.is_empty(), "{file}");
            for claim in read.claims.iter().filter(|_| !quick) {
                let sweep = &claim.gap_sweep;
                let there = |b: &&&ExperimentEntry| b.paper == book.paper && b.name == *sweep;
                assert!(
                    sweep.is_empty() || books.iter().any(|b| there(&b)),
                    "{file}: {sweep}"
                );
                ids.push(format!("{}/{}", book.paper, claim.id));
            }
        }
    }
    let all = ids.len();
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), all, "two claims of a paper have one name");
}
