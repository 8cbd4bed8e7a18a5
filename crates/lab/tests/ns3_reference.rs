//! Table of `docs/explanation/ns3-reference.md`: `scenarios/incast-ns3.toml` as shipped and changed by `--set`, beside
//! ns-3.
//!
//! The page is the golden table. A line that begins with `here` has its settings in backquotes, and is written
//! by this test; the line above it is ns-3's, whose ranges were fixed before the first run here. A figure
//! whose median lies outside ns-3's range gets a star, so that a star that comes or goes is seen.
//!
//! `UPDATE_GOLDEN=1 cargo test -p sidestep-lab --test lab ns3_reference` rewrites the lines.

use sidestep_lab::{Scenario, Watch, run, shipped};
use sidestep_sim::{NoFiles, Outcome, TraceFilter};

const PAGE: &str = "/../../docs/explanation/ns3-reference.md";

/// Smallest, median and largest value.
type Spread = [f64; 3];

/// Returns the columns of the table. RED in ns-3 counts a mark before it finds that the queue is full: its
/// marks include packets that it then drops, so our drops are added to our marks.
fn columns(outcome: &Outcome) -> [f64; 7] {
    let spans = outcome
        .flows
        .iter()
        .map(|f| f.finished.unwrap() - f.started.unwrap());
    let us: Vec<f64> = spans.map(|span| span.as_us_f64()).collect();
    let totals = &outcome.totals;
    let drops = totals.drops.iter().sum::<u64>();
    let flows = outcome.flows.iter();
    [
        us.iter().sum::<f64>() / us.len() as f64,
        us.iter().copied().fold(0.0, f64::max),
        drops as f64,
        (totals.marks + drops) as f64,
        totals.timeouts as f64,
        flows.map(|f| f64::from(f.fast_retransmits)).sum(),
        outcome
            .classes
            .iter()
            .map(|class| class.reordered as f64)
            .sum(),
    ]
}

fn spread(mut values: Vec<f64>) -> Spread {
    values.sort_by(f64::total_cmp);
    let middle = (values[(values.len() - 1) / 2] + values[values.len() / 2]) / 2.0;
    [values[0], middle, values[values.len() - 1]]
}

/// Returns the spreads over the scenario's seeds with `sets`.
fn ran(sets: &[String]) -> Vec<Spread> {
    let text = shipped::scenario("incast-ns3").unwrap();
    let read = Scenario::read("incast-ns3.toml", text, sets, &NoFiles);
    let scenario = read.unwrap_or_else(|problems| panic!("{sets:?}: {problems:?}"));
    let runs: Vec<[f64; 7]> = (scenario.seeds.iter())
        .map(|seed| {
            let ran = run(&scenario, 0, *seed, TraceFilter::None, &mut |_| Watch::Go);
            columns(&ran.unwrap().outcome)
        })
        .collect();
    (0..7)
        .map(|i| spread(runs.iter().map(|run| run[i]).collect()))
        .collect()
}

/// Formats a spread as in the table; one number if all are the same.
fn shown(spread: Spread, outside: bool) -> String {
    let [least, middle, most] = spread.map(|value| value.round());
    let star = if outside { "\\*" } else { "" };
    match least == most {
        true => format!("{middle}{star}"),
        false => format!("{least} / {middle}{star} / {most}"),
    }
}

/// Returns the smallest and largest value of a cell; `None` if it has none.
fn range(cell: &str) -> Option<(f64, f64)> {
    let numbers: Vec<f64> = cell
        .split('/')
        .filter_map(|n| n.trim().parse().ok())
        .collect();
    match numbers[..] {
        [one] if !cell.contains('-') => Some((one, one)),
        [least, _, most] => Some((least, most)),
        _ => None,
    }
}

/// Splits a line of the table into cells.
fn cells(line: &str) -> Vec<&str> {
    line.trim_matches('|').split('|').map(str::trim).collect()
}

/// Returns the line of `here` with current numbers, compared with the line of ns-3 above it.
fn today(line: &str, above: &str) -> String {
    let head = cells(line)[0];
    let said = head.split('`').skip(1).step_by(2);
    let sets: Vec<String> = said.map(str::to_string).collect();
    let theirs = cells(above);
    let ours = ran(&sets).into_iter().zip(&theirs[1..]);
    let ours = ours.map(|(ours, theirs)| {
        let range = range(theirs);
        let middle = ours[1].round();
        shown(
            ours,
            range.is_some_and(|(least, most)| !(least..=most).contains(&middle)),
        )
    });
    let ours: Vec<String> = ours.collect();
    format!("| {head} | {} |", ours.join(" | "))
}

#[test]
fn the_page_has_what_the_scenario_gives() {
    let path = format!("{}{PAGE}", env!("CARGO_MANIFEST_DIR"));
    let page = std::fs::read_to_string(&path).expect("the page");
    let lines: Vec<&str> = page.lines().collect();
    let (mut now, mut rows) = (Vec::new(), 0);
    for (i, line) in lines.iter().enumerate() {
        if line.starts_with("| here") {
            rows += 1;
            now.push(today(line, lines[i - 1]));
        } else {
            now.push(line.to_string());
        }
    }
    assert!(rows >= 12, "{rows} rows");
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(&path, now.join("\n") + "\n").expect("the page can be written");
    }
    let differs = now.iter().zip(&lines).find(|(new, old)| new != *old);
    assert_eq!(differs, None, "UPDATE_GOLDEN=1 writes the lines anew");
}
