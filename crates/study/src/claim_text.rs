//! Texts beside a claim: its number, interval, place and remarks, the same in every report.

use crate::format::{number, seeds};
use crate::reproduce::drawn;
use sidestep_lab::{ClaimResult, Verdict};

/// Method of the intervals, one line of each report.
pub(crate) const INTERVALS: &str = "Intervals are 95 % confidence intervals of the number over all \
                                    seeds, computed from each seed's number (sectioning; schemes \
                                    paired by seed). A verdict needs the whole interval.";

/// Returns true if this verdict makes the command fail. In a full run, any unexpected verdict fails, and so
/// does an expected failure whose number left the recorded interval. A quick run has fewer and shorter seeds,
/// so only the opposite of the expected verdict fails; a count of zero in it does not contradict a claim that
/// holds in a full run.
pub(crate) fn fails(claim: &ClaimResult, quick: bool) -> bool {
    use Verdict::{NotJudged, NotReproduced, Reproduced};
    match (claim.expect, claim.verdict) {
        (_, NotJudged) => false,
        (Reproduced, NotReproduced) => true,
        (NotReproduced, Reproduced) => !quick || claim.accept.parse::<f64>().is_err(),
        _ if quick => false,
        (expected, got) => expected != got || expected != Reproduced && claim.has_moved(),
    }
}

/// Returns the heading of a table of claims (all a paper's, all the user's, or both), and true if its papers'
/// column is shown.
pub(crate) fn whose<'a>(claims: impl Iterator<Item = &'a ClaimResult>) -> (&'static str, bool) {
    let (mut own, mut papers, mut numbers) = (false, false, false);
    for claim in claims {
        own |= claim.own;
        papers |= !claim.own;
        numbers |= claim.paper.is_some();
    }
    match (own, papers) {
        (true, false) => ("expected", numbers),
        (true, true) => ("claim", true),
        (false, _) => ("the paper says", true),
    }
}

/// Describes the points that a verdict covers, if others did not run.
pub(crate) fn left_out(claim: &ClaimResult) -> Option<String> {
    let all = claim.points.len() + claim.points_left_out;
    match (claim.points.len(), claim.points_left_out) {
        (_, 0) => None,
        (0, 1) => Some("its point, or the one it is compared with, did not run".into()),
        (0, _) => Some(format!(
            "none of its {all} points, or of those they are compared with, ran"
        )),
        (ran, _) => Some(format!(
            "covers {ran} of its {all} points: the others did not run"
        )),
    }
}

/// Lists the remarks on a claim's number: the points it covers, the reason for a missing interval, what would
/// decide it, whether it moved.
pub(crate) fn remarks(claim: &ClaimResult, quick: bool) -> Vec<String> {
    let mut all: Vec<String> = left_out(claim).into_iter().collect();
    if let Some(why) = &claim.why_no_interval {
        all.push(format!("no interval: {why}"));
    }
    if let Some(why) = &claim.undecided {
        all.push(why.clone());
    }
    all.extend(without_marked(claim));
    if let (true, false, Some([from, to])) = (claim.has_moved(), quick, claim.expect_between) {
        let moved = format!(
            "moved: the expected interval was {} to {}",
            number(from),
            number(to)
        );
        all.push(moved);
    }
    if claim.verdict != claim.expect && fails(claim, quick) {
        all.push(format!("expected: {}", claim.expect.words(claim.own)));
    }
    all
}

/// Describes a claim's number without the runs that the machine disturbed, and the range of both.
pub(crate) fn without_marked(claim: &ClaimResult) -> Option<String> {
    let without = claim.unmarked.as_ref()?;
    let to = |ends: Option<[f64; 2]>, before: &str, after: &str| {
        let ends = ends.filter(|[low, high]| low < high);
        ends.map_or(String::new(), |[low, high]| {
            format!("{before}{} to {}{after}", number(low), number(high))
        })
    };
    let seeds = seeds(&without.left_out);
    let ours = without.ours.map_or("no number".into(), number);
    Some(format!(
        "without the disturbed seeds {seeds}: {ours}{}, {}{}",
        to(without.ci, " (", ")"),
        without.verdict.words(claim.own),
        to(without.both, "; with and without ", "")
    ))
}

/// Formats the paper's number; `-` if it gives none.
pub(crate) fn papers(claim: &ClaimResult) -> String {
    let said = |n| format!("{}{}", number(n), unit(claim));
    claim.paper.map_or("-".into(), said)
}

/// Formats our number: `≥ 21.3 ms`.
pub(crate) fn ours(claim: &ClaimResult) -> String {
    let Some(value) = claim.ours else {
        return "-".into();
    };
    let bound = match claim.bound.as_deref() {
        Some(">=") => "≥ ",
        Some("<=") => "≤ ",
        _ => "",
    };
    format!("{bound}{}{}", number(value), unit(claim))
}

/// Returns the unit of a claim's number, with a space before it.
fn unit(claim: &ClaimResult) -> &'static str {
    match drawn::unit_of(&claim.metric) {
        _ if claim.is_ratio() => " ×",
        _ if sidestep_lab::stats::metric::is_count(&claim.metric) => " per seed",
        "ms" => " ms",
        "us" => " us",
        "B" => " B",
        "Gbps" => " Gbps",
        _ => "",
    }
}

/// Formats the interval of a claim: `18.2 to 24.1`.
pub(crate) fn interval(claim: &ClaimResult) -> Option<String> {
    claim
        .ci
        .map(|[low, high]| format!("{} to {}", number(low), number(high)))
}

/// Describes the points of a claim: `query rate 300 /s`.
pub(crate) fn place(claim: &ClaimResult) -> String {
    let say = |at: &std::collections::BTreeMap<String, String>| {
        let parts: Vec<String> = at
            .iter()
            .map(|(axis, value)| format!("{} {value}", drawn::words_of(axis)))
            .collect();
        parts.join(", ")
    };
    let mut text = say(&claim.at);
    if !claim.less.is_empty() {
        text.push_str(&format!(" less {}", say(&claim.less)));
    }
    if !claim.per.is_empty() {
        text.push_str(&format!(" over {}", say(&claim.per)));
    }
    if let Some(over) = claim.over {
        let over = match over.name() {
            "each" => "at each point",
            "max" => "the largest",
            "min" => "the smallest",
            _ => "the mean of all points",
        };
        let comma = if text.is_empty() { "" } else { ", " };
        text.push_str(&format!("{comma}{over}"));
    }
    text
}
