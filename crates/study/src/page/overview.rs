//! All claims in one table.

use super::claim::chip;
use super::markup::{Out, escape, put, region};
use super::{Page, filter};
use crate::words_of_claims::{INTERVALS, interval, ours, papers, whose};
use std::collections::BTreeSet;

impl Page<'_> {
    pub(super) fn overview(&self, out: &mut Out) {
        if self.claims().next().is_none() {
            return;
        }
        out.push_str("<section id=\"claims\" aria-labelledby=\"claims-head\">\n<h2 id=\"claims-head\">All claims</h2>\n");
        out.push_str(
            "<p class=\"lead meta\">Reproduced: the whole 95 % interval of our number lies in the range that was \
             written down as counting. Not reproduced: no part of it does. Can't tell: anything else.</p>\n",
        );
        let ranges = match self.figures {
            true => format!(
                "Ranges are those of commit {}, or of the folder experiments/ that the call was made beside.",
                crate::COMMIT
            ),
            false => "Ranges are those that the file had when it was run.".into(),
        };
        put(
            out,
            format_args!(
                "<p class=\"meta\">{} {}</p>\n",
                escape(INTERVALS),
                escape(&ranges)
            ),
        );
        filter::write(out, self);
        region(out, "All claims, table");
        let (words, numbers) = whose(self.claims().map(|(_, claim)| claim));
        put(
            out,
            format_args!(
                "<table>\n<caption class=\"unseen\">{}, and what we measured</caption>\n<thead><tr>",
                match words {
                    "the paper says" => "What the paper says",
                    "expected" => "What is expected",
                    _ => "What papers say or we expect",
                }
            ),
        );
        // Of a page of one section there is nothing to tell apart.
        let many = self.sections.len() > 1;
        for head in ["figure", "verdict", words] {
            if head == "figure" && !many {
                continue;
            }
            put(out, format_args!("<th scope=\"col\">{head}</th>"));
        }
        for head in ["paper", "ours", "95 % interval"] {
            if head == "paper" && !numbers {
                continue;
            }
            put(
                out,
                format_args!("<th scope=\"col\" class=\"n\">{head}</th>"),
            );
        }
        out.push_str("</tr></thead>\n<tbody>\n");
        let groups: BTreeSet<&str> = self.sections.iter().map(|s| s.group).collect();
        for (section, claim) in self.claims() {
            let heading = match groups.len() {
                1 => section.heading.clone(),
                _ => format!("{} {}", section.group, section.heading),
            };
            let figure = match many {
                true => format!(
                    "<td><a href=\"#{}\">{}</a></td>",
                    section.anchor(),
                    escape(&heading)
                ),
                false => String::new(),
            };
            let paper = match numbers {
                true => format!("<td class=\"n\">{}</td>", escape(&papers(claim))),
                false => String::new(),
            };
            let own = match claim.own && words == "claim" {
                true => " <span class=\"meta\">(no paper's)</span>",
                false => "",
            };
            put(
                out,
                format_args!(
                    "<tr data-verdict=\"{}\">{figure}<td>{}</td><th scope=\"row\" class=\"says\"><a href=\"#{}\">{}</a>{own}</th>\
                     {paper}<td class=\"n\">{}</td><td class=\"n\">{}</td></tr>\n",
                    filter::keys(claim, self.quick),
                    chip(claim, self.quick),
                    section.claim_anchor(claim),
                    escape(&claim.says),
                    escape(&ours(claim)),
                    escape(&interval(claim).unwrap_or_else(|| "-".into())),
                ),
            );
        }
        out.push_str("</tbody></table></div>\n</section>\n");
    }
}
