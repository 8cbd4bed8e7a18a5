//! Claim of a section.

use super::markup::{anchor, sheet};
use super::{Page, Section, filter};
use crate::claim_text::{fails, interval, ours, papers, place, remarks};
use crate::format::number;
use crate::reproduce::drawn::{Sheet, measured};
use crate::reproduce::path_of;
use maud::{Markup, html};
use sidestep_lab::{ClaimResult, Verdict};

/// Renders all that is known of a claim.
pub fn one_claim(all: &Page<'_>, section: &Section<'_>, claim: &ClaimResult) -> Markup {
    let ci = interval(claim).map_or(String::new(), |ci| format!(" (95 % interval {ci})"));
    let remarks = remarks(claim, all.quick).join("; ");
    let place = place(claim);
    let label = format!("{}, {}: points", section.path, claim.id);
    html! {
        div.claim id=(section.claim_anchor(claim)) data-verdict=(filter::keys(claim, all.quick)) {
            h4 { (chip(claim, all.quick)) " " (claim.says) }
            dl {
                @if claim.own { (item("whose", "of this file, not of a paper")) }
                @if !claim.own || claim.paper.is_some() { (item("paper", &papers(claim))) }
                (item("ours", &format!("{}{ci}", ours(claim))))
                @if let Some(method) = &claim.method { (item("interval by", method)) }
                (item("note", &remarks))
                (item("measured", &format!("{}: {}", measured(&claim.metric), claim.compare)))
                (item("where", &place))
                (item("accepted", &format!("{}: {}", claim.accept, claim.tolerance)))
                @if claim.gap != "none" { (item("gap", &claim.gap)) }
                @if !claim.gap_sweep.is_empty() {
                    dt { "decided by" } dd { (sweep_link(all, section, &claim.gap_sweep)) }
                }
                (item("in the paper", &claim.figure))
                dt { "name" } dd { code { (claim.id) } }
            }
            (sheet(&label, &claim.says, &points(section, claim)))
        }
        "\n"
    }
}

/// Renders a term and its text, or nothing if the text is empty.
fn item(term: &str, text: &str) -> Markup {
    html! { @if !text.is_empty() { dt { (term) } dd { (text) } } }
}

/// Lists the values of a claim's points, if it has several.
fn points(section: &Section<'_>, claim: &ClaimResult) -> Sheet {
    let mut table = Sheet::default();
    let shown: Vec<_> = claim.points.iter().filter(|p| !p.at.is_empty()).collect();
    if shown.len() < 2 {
        return table;
    }
    let axes = section.subject.axes.iter().map(|axis| axis.name.clone());
    table.head.extend(axes);
    table.head.extend(["ours".to_string(), "interval".into()]);
    for point in shown {
        let bound = point.bound.as_deref();
        let bound = bound.map_or(String::new(), |bound| format!("{bound} "));
        let ours = point.ours.map(|ours| format!("{bound}{}", number(ours)));
        let ci = point
            .ci
            .map(|[l, h]| format!("{} to {}", number(l), number(h)));
        let mut row = point.at.clone();
        row.extend([ours, ci].map(|cell| cell.unwrap_or("-".into())));
        table.rows.push(row);
    }
    table
}

/// Links to the experiment that decides an assumption, if the report contains it.
fn sweep_link(all: &Page<'_>, section: &Section<'_>, name: &str) -> Markup {
    let path = path_of(section.group, name);
    html! {
        @if all.sections.iter().any(|s| s.path == path) { a href={ "#" (anchor(&path)) } { (name) } }
        @else { code { "sidestep reproduce " (path) } }
    }
}

/// Renders the verdict, and whether it was expected.
pub fn chip(claim: &ClaimResult, quick: bool) -> Markup {
    let class = match claim.verdict {
        Verdict::Reproduced => "ok",
        Verdict::NotReproduced => "no",
        Verdict::CantTell | Verdict::NotJudged => "hm",
    };
    html! {
        span.chip.(class) { (claim.verdict_words()) }
        @if fails(claim, quick) { " " span.meta { "expected: " (claim.expect.words(claim.own)) } }
        @else if claim.is_expected() && claim.verdict != Verdict::Reproduced {
            " " span.meta { "as expected" }
        }
    }
}
