//! One claim of a section.

use super::markup::{anchor, escape, put, sheet};
use super::{Page, Section, filter};
use crate::reproduce::drawn::{Sheet, measured};
use crate::reproduce::path_of;
use crate::words::number;
use crate::words_of_claims::{fails, interval, ours, papers, place, remarks};
use sidestep_lab::{ClaimResult, Verdict};

/// All that is known of a claim.
pub fn one_claim(out: &mut String, all: &Page<'_>, section: &Section<'_>, claim: &ClaimResult) {
    put(
        out,
        format_args!(
            "<div class=\"claim\" id=\"{}\" data-verdict=\"{}\">\n<h4>{} {}</h4>\n<dl>\n",
            section.claim_anchor(claim),
            filter::keys(claim, all.quick),
            chip(claim, all.quick),
            escape(&claim.says)
        ),
    );
    let mut item = |term: &str, text: &str| {
        if !text.is_empty() {
            put(out, format_args!("<dt>{term}</dt><dd>{text}</dd>\n"));
        }
    };
    if claim.own {
        item("whose", "no paper's: expected by this file");
    }
    if !claim.own || claim.paper.is_some() {
        item("paper", &escape(&papers(claim)));
    }
    let ci = interval(claim).map_or(String::new(), |ci| format!(" (95 % interval {ci})"));
    item("ours", &escape(&format!("{}{ci}", ours(claim))));
    if let Some(method) = &claim.method {
        item("interval by", &escape(method));
    }
    item("note", &escape(&remarks(claim, all.quick).join("; ")));
    item(
        "measured",
        &escape(&format!("{}: {}", measured(&claim.metric), claim.compare)),
    );
    item("where", &escape(&place(claim)));
    item(
        "counts",
        &escape(&format!("{}: {}", claim.accept, claim.tolerance)),
    );
    if claim.gap != "none" {
        item("gap", &escape(&claim.gap));
    }
    if !claim.gap_sweep.is_empty() {
        item("decided by", &sweep_link(all, section, &claim.gap_sweep));
    }
    item("in the paper", &escape(&claim.figure));
    item("name", &format!("<code>{}</code>", escape(&claim.id)));
    out.push_str("</dl>\n");
    let shown: Vec<_> = claim.points.iter().filter(|p| !p.at.is_empty()).collect();
    if shown.len() > 1 {
        let mut table = Sheet::default();
        table
            .head
            .extend(section.subject.axes.iter().map(|a| a.name.clone()));
        table.head.extend(["ours".to_string(), "interval".into()]);
        for point in shown {
            let mut row = point.at.clone();
            let bound = point
                .bound
                .as_deref()
                .map_or(String::new(), |b| format!("{b} "));
            row.push(
                point
                    .ours
                    .map_or("-".into(), |v| format!("{bound}{}", number(v))),
            );
            row.push(point.ci.map_or("-".into(), |[l, h]| {
                format!("{} to {}", number(l), number(h))
            }));
            table.rows.push(row);
        }
        let label = format!("{}, {}: points", section.path, claim.id);
        sheet(out, &label, &claim.says, &table);
    }
    out.push_str("</div>\n");
}

/// A link to the experiment that shows an assumption, when the report has it.
fn sweep_link(all: &Page<'_>, section: &Section<'_>, name: &str) -> String {
    let path = path_of(section.group, name);
    match all.sections.iter().any(|s| s.path == path) {
        true => format!("<a href=\"#{}\">{}</a>", anchor(&path), escape(name)),
        false => format!("<code>sidestep reproduce {}</code>", escape(&path)),
    }
}

/// The verdict, and whether it was expected.
pub fn chip(claim: &ClaimResult, quick: bool) -> String {
    let class = match claim.verdict {
        Verdict::Reproduced => "ok",
        Verdict::NotReproduced => "no",
        Verdict::CantTell | Verdict::NotJudged => "hm",
    };
    let note = match (claim.is_expected(), fails(claim, quick)) {
        (_, true) => format!(" <span class=\"meta\">expected: {}</span>", claim.expect),
        (true, _) if claim.verdict != Verdict::Reproduced => {
            " <span class=\"meta\">as expected</span>".into()
        }
        _ => String::new(),
    };
    format!(
        "<span class=\"chip {class}\">{}</span>{note}",
        claim.verdict
    )
}
