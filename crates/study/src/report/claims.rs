//! Table of claims, those of a paper or the user's own, beside our numbers, as text.

use crate::claim_text::{left_out, whose, without_marked};
use crate::format::{Grid, number, wrap};
use sidestep_lab::stats::metric;
use sidestep_lab::{ClaimResult, Verdict};

/// Renders the claims of a paper, or the user's own, beside our numbers. The column for the paper's numbers is
/// left out if no claim has one.
pub fn claims_table(claims: &[ClaimResult]) -> String {
    let (head, papers) = whose(claims.iter());
    let mut grid = Grid::default();
    let columns = |first: String, paper: String, ours: String, verdict: String| {
        let paper = papers.then_some(paper);
        [Some(first), paper, Some(ours), Some(verdict)]
            .into_iter()
            .flatten()
    };
    grid.row(columns(
        head.into(),
        "paper".into(),
        "ours".into(),
        "verdict".into(),
    ));
    grid.rule();
    for claim in claims {
        let source = match (claim.figure.as_str(), claim.own && papers) {
            ("", false) => String::new(),
            ("", true) => " (not a paper's)".into(),
            (figure, false) => format!(" ({figure})"),
            (figure, true) => format!(" (not a paper's; {figure})"),
        };
        let mut lines = wrap(&format!("{}{source}", claim.says), 48).into_iter();
        let first = lines.next().unwrap_or_default();
        let paper = claim.paper.map_or("-".into(), number);
        grid.row(columns(first, paper, ours(claim), verdict_of(claim)));
        let mut more: Vec<String> = lines.collect();
        more.extend(
            wrap(&format!("{}: {}", claim.metric, claim.compare), 46)
                .into_iter()
                .map(|l| format!("  {l}")),
        );
        more.extend(
            wrap(&place(claim), 46)
                .into_iter()
                .map(|l| format!("  {l}")),
        );
        let interval = interval_of(claim);
        for (i, line) in more.into_iter().enumerate() {
            let beside = if i == 0 {
                interval.clone().unwrap_or_default()
            } else {
                String::new()
            };
            grid.row(columns(line, String::new(), beside, String::new()));
        }
        if let Some(left_out) = left_out(claim) {
            grid.heading(&format!("  {left_out}"));
        }
        if let Some(why) = &claim.why_no_interval {
            for line in wrap(&format!("no interval: {why}"), 84) {
                grid.heading(&format!("  {line}"));
            }
        }
        if let Some(why) = &claim.undecided {
            for line in wrap(&format!("{}: {why}", claim.verdict_words()), 84) {
                grid.heading(&format!("  {line}"));
            }
        }
        if let Some(without) = without_marked(claim) {
            for line in wrap(&without, 84) {
                grid.heading(&format!("  {line}"));
            }
        }
        if claim.gap != "none" {
            for line in wrap(&format!("gap: {}", claim.gap), 84) {
                grid.heading(&format!("  {line}"));
            }
        }
    }
    grid.render(&[if papers { 3 } else { 2 }])
}

/// Formats a row for each claim: the sentence, the paper's number, ours with its interval, the verdict.
pub fn claims_brief(claims: &[ClaimResult]) -> String {
    let (head, papers) = whose(claims.iter());
    let mut grid = Grid::default();
    let columns = |says: String, paper: String, ours: String, verdict: String| {
        let paper = papers.then_some(paper);
        let all = [Some(says), paper, Some(ours), Some(verdict)];
        all.into_iter().flatten()
    };
    let [paper, own, verdict] = ["paper", "ours", "verdict"].map(String::from);
    grid.row(columns(head.into(), paper, own, verdict));
    grid.rule();
    for claim in claims {
        let mut lines = wrap(&claim.says, 44).into_iter();
        let interval = interval_of(claim).map_or(String::new(), |ci| format!(" ({ci})"));
        let number = format!("{}{interval}", ours(claim));
        let paper = claim.paper.map_or("-".into(), self::number);
        let says = lines.next().unwrap_or_default();
        grid.row(columns(says, paper, number, verdict_of(claim)));
        for line in lines {
            let empty = String::new;
            grid.row(columns(line, empty(), empty(), empty()));
        }
    }
    grid.render(&[if papers { 3 } else { 2 }])
}

/// Formats the verdict, with a note if this version expects another one. A claim that is no paper's holds or does not.
fn verdict_of(claim: &ClaimResult) -> String {
    let words = claim.verdict_words().to_string();
    let fails = claim.own && claim.verdict == Verdict::NotReproduced;
    if claim.is_expected() || claim.verdict == Verdict::NotJudged || fails {
        words
    } else {
        format!("{words} (unexpected)")
    }
}

/// Describes the points that a claim covers; empty without a sweep.
fn place(claim: &ClaimResult) -> String {
    let pairs = |at: &std::collections::BTreeMap<String, String>| {
        let pairs: Vec<String> = at.iter().map(|(axis, v)| format!("{axis} {v}")).collect();
        pairs.join(", ")
    };
    let mut words = String::new();
    if let Some(over) = claim.over {
        words = format!("{} of {} points", over.name(), claim.points.len());
    }
    for (before, at) in [
        ("at", &claim.at),
        ("less that at", &claim.less),
        ("over that at", &claim.per),
    ] {
        if !at.is_empty() {
            let gap = if words.is_empty() { "" } else { ", " };
            words.push_str(&format!("{gap}{before} {}", pairs(at)));
        }
    }
    words
}

/// Formats the interval of a claim's number over seeds. For a count it is the interval of a seed's average.
fn interval_of(claim: &ClaimResult) -> Option<String> {
    let [low, high] = claim.ci.filter(|[low, high]| low < high)?;
    let each = if is_count(claim) { " per seed" } else { "" };
    Some(format!("{}..{}{each}", number(low), number(high)))
}

fn is_count(claim: &ClaimResult) -> bool {
    metric::is_count(&claim.metric) && !claim.is_ratio()
}

fn ours(claim: &ClaimResult) -> String {
    match claim.ours {
        None => "-".into(),
        Some(v) => {
            let bound = claim
                .bound
                .as_deref()
                .map_or(String::new(), |b| format!("{b} "));
            format!("{bound}{}", number(v))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::tests::claim;

    #[test]
    fn the_interval_of_a_count_says_that_it_is_of_a_seed() {
        for count in [
            "drops",
            "drops_full",
            "pauses",
            "deadlocks",
            "spurious_timeouts",
        ] {
            let said = interval_of(&claim(count, "dctcp"));
            assert_eq!(said.as_deref(), Some("3.00..4.00 per seed"), "{count}");
        }
        for other in ["detours_per_packet", "detours_p99", "qct_p99_ms"] {
            let said = interval_of(&claim(other, "dibs"));
            assert_eq!(said.as_deref(), Some("3.00..4.00"), "{other}");
        }
        let ratio = interval_of(&claim("marks", "dibs / dctcp"));
        assert_eq!(ratio.as_deref(), Some("3.00..4.00"));
        // A slash in a scheme's name is no comparison.
        let named = interval_of(&claim("marks", "dibs/2"));
        assert_eq!(named.as_deref(), Some("3.00..4.00 per seed"));
    }

    #[test]
    fn what_no_paper_says_is_not_printed_as_a_papers() {
        let papers = claim("drops", "dctcp");
        let own = ClaimResult {
            own: true,
            ..papers.clone()
        };
        let head = |claims: &[ClaimResult]| {
            let text = claims_table(claims);
            let line = text.lines().next().unwrap();
            line.split("  ")
                .filter(|w| !w.is_empty())
                .map(|w| w.trim().to_string())
                .collect::<Vec<_>>()
        };
        let (all, both) = (vec![own.clone()], vec![papers.clone(), own.clone()]);
        assert_eq!(head(&all), ["expected", "ours", "verdict"]);
        assert_eq!(
            head(&[papers]),
            ["the paper says", "paper", "ours", "verdict"]
        );
        assert_eq!(head(&both), ["claim", "paper", "ours", "verdict"]);
        let text = claims_table(&both);
        assert_eq!(text.matches("(not a paper's)").count(), 1, "{text}");
        // A claim with a paper's number keeps its column.
        let with = ClaimResult {
            paper: Some(20.0),
            ..own
        };
        assert_eq!(head(&[with]), ["expected", "paper", "ours", "verdict"]);
    }

    #[test]
    fn of_how_many_points_a_verdict_is_stands_beside_it() {
        let mut some = claim("drops", "dctcp");
        let point = sidestep_lab::ClaimPoint {
            at: vec!["1".into()],
            ours: None,
            bound: None,
            ci: None,
        };
        some.points = vec![point.clone(), point];
        assert!(!claims_table(&[some.clone()]).contains("covers"));
        some.points_left_out = 3;
        let text = claims_table(&[some]);
        assert!(
            text.contains("covers 2 of its 5 points: the others did not run"),
            "{text}"
        );
    }
}
