//! Table of all claims.

use super::claim::chip;
use super::markup::region;
use super::{Page, filter};
use crate::claim_text::{INTERVALS, interval, ours, papers, whose};
use maud::{Markup, html};
use sidestep_lab::Verdict;
use std::collections::BTreeSet;

impl Page<'_> {
    pub(super) fn overview(&self) -> Markup {
        if self.claims().next().is_none() {
            return Markup::default();
        }
        let ranges = match self.figures {
            true => format!(
                "The accepted ranges are those of commit {}, or of ./experiments at the time of \
                 the call.",
                crate::COMMIT
            ),
            false => "The accepted ranges are those in the file at the time of the run.".into(),
        };
        html! {
            section #claims aria-labelledby="claims-head" {
                h2 #claims-head { "All claims" }
                p class="lead meta" {
                    (capital(&filter::words(self, Verdict::Reproduced)))
                    ": the whole 95 % interval of our number lies in the accepted range. "
                    (capital(&filter::words(self, Verdict::NotReproduced)))
                    ": no part of it does. Can't tell: anything else."
                }
                p.meta { (INTERVALS) " " (ranges) }
                (filter::fieldset(self))
                (region("All claims, table", self.table()))
            }
        }
    }

    fn table(&self) -> Markup {
        let (words, numbers) = whose(self.claims().map(|(_, claim)| claim));
        let caption = match words {
            "the paper says" => "What the paper says",
            "expected" => "What is expected",
            _ => "What papers say or we expect",
        };
        // A page with a single section needs no column for the figure.
        let many = self.sections.len() > 1;
        let groups: BTreeSet<&str> = self.sections.iter().map(|s| s.group).collect();
        let rows = html! {
            @for (section, claim) in self.claims() {
                tr data-verdict=(filter::keys(claim, self.quick)) {
                    @if many {
                        td {
                            a href={ "#" (section.anchor()) } {
                                @if groups.len() > 1 { (section.group) " " }
                                (section.heading)
                            }
                        }
                    }
                    td { (chip(claim, self.quick)) }
                    th.says scope="row" {
                        a href={ "#" (section.claim_anchor(claim)) } { (claim.says) }
                        @if claim.own && words == "claim" { " " span.meta { "(not a paper's)" } }
                    }
                    @if numbers { td.n { (papers(claim)) } }
                    td.n { (ours(claim)) }
                    td.n { (interval(claim).as_deref().unwrap_or("-")) }
                }
                "\n"
            }
        };
        html! {
            table {
                caption.unseen { (caption) ", and our numbers" }
                thead {
                    tr {
                        @if many { th scope="col" { "figure" } }
                        th scope="col" { "verdict" }
                        th scope="col" { (words) }
                        @if numbers { th.n scope="col" { "paper" } }
                        th.n scope="col" { "ours" }
                        th.n scope="col" { "95 % interval" }
                    }
                }
                tbody { (rows) }
            }
        }
    }
}

/// Returns `words` with an upper-case first letter.
fn capital(words: &str) -> String {
    let mut letters = words.chars();
    let first = letters.next().map(|c| c.to_ascii_uppercase());
    first.into_iter().chain(letters).collect()
}
