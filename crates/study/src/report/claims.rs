//! The paper's words beside our numbers, as text.

use crate::words::{Grid, number, wrap};
use sidestep_lab::stats::metric;
use sidestep_lab::{ClaimResult, Verdict};

/// What heads claims: those without a figure and a number are of no paper, but whoever wrote the scenario.
pub fn says<'a>(claims: impl IntoIterator<Item = &'a ClaimResult>) -> &'static str {
    let mut claims = claims.into_iter();
    match claims.all(|claim| claim.figure.is_empty() && claim.paper.is_none()) {
        true => "the claim",
        false => "the paper says",
    }
}

/// The paper's words beside our numbers.
pub fn claims_table(claims: &[ClaimResult]) -> String {
    let mut grid = Grid::default();
    grid.row([
        says(claims).into(),
        "paper".into(),
        "ours".into(),
        "verdict".into(),
    ]);
    grid.rule();
    for claim in claims {
        let source = if claim.figure.is_empty() {
            String::new()
        } else {
            format!(" ({})", claim.figure)
        };
        let mut lines = wrap(&format!("{}{source}", claim.says), 48).into_iter();
        let first = lines.next().unwrap_or_default();
        grid.row([
            first,
            claim.paper.map_or("-".into(), number),
            ours(claim),
            if claim.is_expected() || claim.verdict == Verdict::NotJudged {
                claim.verdict.to_string()
            } else {
                format!("{}, not as expected", claim.verdict)
            },
        ]);
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
            grid.row([line, String::new(), beside, String::new()]);
        }
        if let Some(why) = &claim.why_no_interval {
            for line in wrap(&format!("no interval: {why}"), 84) {
                grid.heading(&format!("  {line}"));
            }
        }
        if let Some(why) = &claim.undecided {
            for line in wrap(&format!("{}: {why}", claim.verdict), 84) {
                grid.heading(&format!("  {line}"));
            }
        }
        if claim.gap != "none" {
            for line in wrap(&format!("gap: {}", claim.gap), 84) {
                grid.heading(&format!("  {line}"));
            }
        }
    }
    grid.render(&[3])
}

/// Of which points a claim speaks, in words; nothing without a sweep.
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

/// The interval of a claim's number over seeds. A count is that of a seed, on average.
fn interval_of(claim: &ClaimResult) -> Option<String> {
    let [low, high] = claim.ci.filter(|[low, high]| low < high)?;
    let each = if is_count(claim) { " a seed" } else { "" };
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
            assert_eq!(said.as_deref(), Some("3.00..4.00 a seed"), "{count}");
        }
        for other in ["detours_per_packet", "detours_p99", "qct_p99_ms"] {
            let said = interval_of(&claim(other, "dibs"));
            assert_eq!(said.as_deref(), Some("3.00..4.00"), "{other}");
        }
        let ratio = interval_of(&claim("marks", "dibs / dctcp"));
        assert_eq!(ratio.as_deref(), Some("3.00..4.00"));
        // A slash in a scheme's name compares nothing.
        let named = interval_of(&claim("marks", "dibs/2"));
        assert_eq!(named.as_deref(), Some("3.00..4.00 a seed"));
    }
}
