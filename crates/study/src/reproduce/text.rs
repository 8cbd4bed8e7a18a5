//! The report on a terminal: a line a claim, by figure.

use super::{Reproduction, Totals, interval, ours};
use crate::Status;
use crate::words::{some, wrap};
use sidestep_lab::Verdict;

impl Reproduction {
    /// A line a claim, grouped by figure, and the totals.
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
                out.push_str("  no claim: nothing to hold it against\n");
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
                let fails = super::fails(claim, self.quick);
                let sign = match claim.verdict {
                    Verdict::Reproduced => "ok ",
                    _ if fails => "!! ",
                    Verdict::NotReproduced => "no ",
                    Verdict::CantTell => "?  ",
                };
                let ci = interval(claim).map_or(String::new(), |ci| format!(" ({ci})"));
                out.push_str(&format!(
                    "  {sign}{:<15}{:<26} paper {:<9} ours {}{ci}\n",
                    claim.verdict.to_string(),
                    claim.id,
                    super::papers(claim),
                    ours(claim),
                ));
            }
            out.push('\n');
        }
        out.push_str(&self.totals_text());
        out
    }

    fn totals_text(&self) -> String {
        let Totals {
            reproduced,
            not,
            unsure,
            failed,
        } = self.totals();
        let all = reproduced + not + unsure;
        let mut text = format!(
            "{} of {}: {reproduced} reproduced, {not} not reproduced, {unsure} can't tell",
            some(all, "claim"),
            some(self.figures.len(), "figure")
        );
        text.push_str(match failed {
            0 => "; none against what this version expects\n",
            _ => "",
        });
        if failed > 0 {
            text.push_str(&format!(
                "; {failed} against what this version expects (!!)\n"
            ));
        }
        if self.quick {
            text.push_str("a quick run: fewer points, seeds and less time than the figures have\n");
        }
        if self.status() == Status::Partial {
            text.push_str("PARTIAL: interrupted; runs that had not ended are missing\n");
        }
        text
    }
}
