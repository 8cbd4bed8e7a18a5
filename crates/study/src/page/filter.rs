//! Filter of claims by verdict, in CSS alone. Where a browser does not support the rules, all claims are shown
//! and the filter is hidden.

use super::Page;
use super::markup::anchor;
use crate::claim_text::fails;
use maud::{Markup, html};
use sidestep_lab::{ClaimResult, Verdict};
use std::fmt::Write;

/// Choice of the filter.
pub struct Choice {
    /// Key in the file.
    key: String,
    /// Words on the page.
    pub words: String,
    /// Number of claims that match.
    pub count: usize,
}

/// Key and words of claims that fail their expectation.
const AGAINST: (&str, &str) = ("against", "unexpected");

/// Returns the key of a verdict in the file.
fn key(verdict: Verdict) -> String {
    anchor(&verdict.to_string().replace('\'', ""))
}

/// Returns the words of a verdict for the claims of a page: a paper's, the user's own, or both.
pub fn words(page: &Page<'_>, verdict: Verdict) -> String {
    let mut words: Vec<&str> = page.claims().map(|(_, c)| verdict.words(c.own)).collect();
    words.sort_unstable();
    words.dedup();
    // The words for a paper's claims first.
    words.sort_by_key(|word| *word != verdict.words(false));
    words.join(" or ")
}

/// Returns the keys of a claim, separated by blanks, as in the file.
pub fn keys(claim: &ClaimResult, quick: bool) -> String {
    let own = key(claim.verdict);
    match fails(claim, quick) {
        true => format!("{own} {}", AGAINST.0),
        false => own,
    }
}

/// Lists the choices: the usual verdicts, any others that a claim has, and claims against expectation. Without
/// claims there are no choices.
pub fn choices(page: &Page<'_>) -> Vec<Choice> {
    let usual = [
        Verdict::Reproduced,
        Verdict::NotReproduced,
        Verdict::CantTell,
    ];
    let mut verdicts: Vec<Verdict> = usual.to_vec();
    let mut all = 0;
    for (_, claim) in page.claims() {
        all += 1;
        if !verdicts.contains(&claim.verdict) {
            verdicts.push(claim.verdict);
        }
    }
    if all == 0 {
        return Vec::new();
    }
    let mut choices: Vec<Choice> = verdicts
        .into_iter()
        .map(|verdict| Choice {
            key: key(verdict),
            words: words(page, verdict),
            count: page.claims().filter(|(_, c)| c.verdict == verdict).count(),
        })
        .collect();
    let failed = page.claims().filter(|(_, c)| fails(c, page.quick));
    choices.push(Choice {
        key: AGAINST.0.into(),
        words: AGAINST.1.into(),
        count: failed.count(),
    });
    choices
}

/// Returns the CSS rules that hide the claims that do not match.
pub fn rules(page: &Page<'_>) -> String {
    let mut rules = String::new();
    for Choice { key, .. } in choices(page) {
        writeln!(
            rules,
            "body:has(#show-{key}:checked) [data-verdict]:not([data-verdict~=\"{key}\"]){{display:none}}"
        )
        .expect("a string takes it all");
    }
    rules
}

/// Renders the choices.
pub fn fieldset(page: &Page<'_>) -> Markup {
    html! {
        fieldset.filter {
            legend { "Show claims here and below" }
            label { input type="radio" name="show" id="show-all" checked; " all (" (page.claims().count()) ")" }
            @for Choice { key, words, count } in choices(page) {
                label { input type="radio" name="show" id={ "show-" (key) }; " " (words) " (" (count) ")" }
            }
        }
        "\n"
    }
}
