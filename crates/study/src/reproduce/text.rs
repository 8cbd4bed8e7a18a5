//! Report on a terminal: one line a claim, by figure.

use super::{Reproduction, Totals};
use crate::Status;
use crate::claim_text::{self as claims, interval, ours};
use crate::format::PARTIAL;
use crate::format::{hang, some, wrap};
use sidestep_lab::{ClaimResult, Verdict};

impl Reproduction {
    /// Formats the sentence of each claim with its numbers and verdict, grouped by figure, and the totals.
    pub fn to_text(&self) -> String {
        let mut out = String::new();
        for figure in &self.figures {
            let shows = figure.experiment.figure.as_ref().map_or("", |f| &f.shows);
            let shows = if shows.is_empty() {
                &figure.experiment.title
            } else {
                shows
            };
            out.push_str(&format!("{}  {}", figure.path(), figure.heading()));
            if figure.status == Status::Partial {
                out.push_str("  PARTIAL: interrupted");
            }
            out.push('\n');
            for line in wrap(shows, 92) {
                out.push_str(&format!("  {line}\n"));
            }
            if figure.claims.is_empty() {
                out.push_str("  no claims\n");
            }
            for note in &figure.experiment.notes {
                for line in wrap(&format!("note: {note}"), 92) {
                    out.push_str(&format!("  {line}\n"));
                }
            }
            if let Some(beside) = &figure.beside {
                out.push_str(&beside.to_text());
                out.push('\n');
            }
            for claim in &figure.claims {
                let fails = claims::fails(claim, self.quick);
                let sign = match claim.verdict {
                    _ if fails => "!! ",
                    Verdict::Reproduced => "ok ",
                    Verdict::NotReproduced => "no ",
                    Verdict::CantTell => "?  ",
                    Verdict::NotJudged => "-  ",
                };
                let ci = interval(claim).map_or(String::new(), |ci| format!(" ({ci})"));
                // A claim that no paper makes may still be compared with a paper's number.
                let paper = match (claim.own, claim.paper) {
                    (true, None) => "not a paper's".into(),
                    _ => format!("paper {}", claims::papers(claim)),
                };
                let mut verdict = claim.verdict_words().to_string();
                let mut sign = sign;
                for line in wrap(&claim.says, 76) {
                    out.push_str(&format!("  {sign}{verdict:<15}{line}\n"));
                    (sign, verdict) = ("   ", String::new());
                }
                out.push_str(&format!(
                    "       {paper}, ours {}{ci}  [{}]\n",
                    ours(claim),
                    claim.id,
                ));
                let expected = (!fails)
                    .then(|| as_expected(claim, &figure.paper))
                    .flatten();
                for more in claims::remarks(claim, self.quick)
                    .into_iter()
                    .chain(expected)
                {
                    for line in wrap(&more, 86) {
                        out.push_str(&format!("       {line}\n"));
                    }
                }
            }
            out.push('\n');
        }
        out.push_str(&self.totals_text());
        out
    }

    fn totals_text(&self) -> String {
        let (all, own) = (self.totals(), self.own_totals());
        let mixed = own.all() > 0 && own.all() < all.all();
        let mut text = format!(
            "{} of {}",
            some(all.all(), "claim"),
            some(self.figures.len(), "figure")
        );
        if !mixed {
            text.push_str(&format!(": {}", verdicts(all, own.all() > 0)));
        }
        match all.failed {
            0 => text.push_str("; all as this version expects\n"),
            n => text.push_str(&format!("; {n} not as this version expects (marked !!)\n")),
        }
        if mixed {
            let papers = self.paper_totals();
            for (totals, whose, is_own) in
                [(papers, "a paper's", false), (own, "not a paper's", true)]
            {
                let verdicts = verdicts(totals, is_own);
                text.push_str(&format!("{} {whose}: {verdicts}\n", totals.all()));
            }
        }
        for line in wrap(claims::INTERVALS, 96) {
            text.push_str(&format!("{line}\n"));
        }
        let ranges = format!(
            "The accepted ranges are those of commit {}, or of ./experiments for papers with a \
             folder there.",
            crate::COMMIT
        );
        for line in wrap(&ranges, 96) {
            text.push_str(&format!("{line}\n"));
        }
        if self.quick {
            text.push_str(
                "quick run: fewer points, fewer seeds and less simulated time than the full \
                 figures\n",
            );
        }
        if self.status() == Status::Partial {
            text.push_str(&hang("PARTIAL: ", PARTIAL, 88));
        }
        text
    }
}

/// Explains a claim that is expected not to be reproduced: the gap, and the experiment that shows it.
fn as_expected(claim: &ClaimResult, paper: &str) -> Option<String> {
    if claim.verdict != Verdict::NotReproduced || !claim.is_expected() || claim.has_moved() {
        return None;
    }
    let why = match claim.gap.as_str() {
        "none" | "not known" | "" => String::new(),
        gap => format!(": {gap}"),
    };
    let shown = match claim.gap_sweep.as_str() {
        "" => String::new(),
        name => format!("; see {}", super::path_of(paper, name)),
    };
    Some(format!("as expected{why}{shown}"))
}

/// Lists the number of claims with each verdict; `own` claims hold, those of papers are reproduced.
fn verdicts(totals: Totals, own: bool) -> String {
    let Totals {
        reproduced,
        not,
        unsure,
        not_judged,
        ..
    } = totals;
    let all = [
        (reproduced, Verdict::Reproduced),
        (not, Verdict::NotReproduced),
        (unsure, Verdict::CantTell),
        (not_judged, Verdict::NotJudged),
    ];
    let shown = all
        .into_iter()
        .filter(|(n, verdict)| *n > 0 || *verdict != Verdict::NotJudged);
    let shown = shown.map(|(n, verdict)| format!("{n} {}", verdict.words_of_many(own)));
    shown.collect::<Vec<_>>().join(", ")
}
