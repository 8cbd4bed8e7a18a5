//! The page around its sections: what begins it, the list of sections, what was run.

use super::markup::{Out, escape, grid, put, warn};
use super::{Page, filter, style};
use crate::words::{count, some};
use sidestep_lab::Verdict;

impl Page<'_> {
    pub(super) fn begin(&self, out: &mut Out) {
        put(
            out,
            format_args!(
                "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
                 <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
                 <title>{}</title>\n<style>\n{}{}</style>\n</head>\n<body>\n\
                 <a class=\"skip\" href=\"#main\">Skip to the report</a>\n<div class=\"layout\">\n",
                escape(&self.title),
                style::sheet(),
                filter::rules(self)
            ),
        );
    }

    pub(super) fn navigation(&self, out: &mut Out) {
        out.push_str("<nav aria-label=\"Contents\">\n<a href=\"#top\">Report</a>\n");
        if self.claims().next().is_some() {
            out.push_str("<ul><li><a href=\"#claims\">All claims</a></li></ul>\n");
        }
        for (i, section) in self.sections.iter().enumerate() {
            if i == 0 || self.sections[i - 1].group != section.group {
                if i > 0 {
                    out.push_str("</ul>\n");
                }
                if !section.group.is_empty() {
                    let group = escape(section.group);
                    put(out, format_args!("<p class=\"group\">{group}</p>\n"));
                }
                out.push_str("<ul>\n");
            }
            let claims = section.subject.claims;
            let done = claims.iter().filter(|c| c.verdict == Verdict::Reproduced);
            let tally = match claims.len() {
                0 => String::new(),
                n => {
                    let done = done.count();
                    format!(
                        "<span class=\"tally\">{done} / {n}<span class=\"unseen\"> claims reproduced</span></span>"
                    )
                }
            };
            put(
                out,
                format_args!(
                    "<li><a href=\"#{}\">{}</a>{tally}</li>\n",
                    section.anchor(),
                    escape(&section.heading)
                ),
            );
        }
        if !self.sections.is_empty() {
            out.push_str("</ul>\n");
        }
        out.push_str("</nav>\n");
    }

    pub(super) fn header(&self, out: &mut Out) {
        let title = escape(&self.title);
        put(out, format_args!("<header id=\"top\">\n<h1>{title}</h1>\n"));
        for paper in &self.papers {
            let paper = escape(paper);
            put(out, format_args!("<p class=\"meta\">{paper}</p>\n"));
        }
        put(
            out,
            format_args!("<p class=\"meta\">{}</p>\n", escape(&self.about())),
        );
        if let Some(compared) = &self.partial {
            warn(out, &format!("Partial: {compared}"));
        }
        if self.quick {
            warn(
                out,
                "A quick run: fewer points, fewer seeds and less simulated time than the figures have. Verdicts of a full run may differ: one of some of a claim's points says so beside it.",
            );
        }
        // A page of one section begins with what must be read before a number is trusted.
        let own = self.sections.iter().filter(|_| !self.figures);
        own.flat_map(|section| &section.warnings)
            .for_each(|words| warn(out, words));
        self.totals(out);
        out.push_str("</header>\n");
    }

    pub(super) fn in_short(&self, out: &mut Out) {
        let Some(table) = &self.short else {
            return;
        };
        out.push_str("<section id=\"short\" aria-labelledby=\"short-head\">\n<h2 id=\"short-head\">In short</h2>\n");
        grid(
            out,
            "In short, table",
            &table.caption,
            &table.grid,
            table.words,
        );
        out.push_str("</section>\n");
    }

    /// Which version ran how much, and where the same numbers come out.
    fn about(&self) -> String {
        let runs = || {
            let points = self.sections.iter().flat_map(|s| &s.results.points);
            points.flat_map(|p| &p.runs)
        };
        let same = match runs().any(|run| run.trajectory_hash.is_none()) {
            true => {
                "The simulator's numbers are the same on every machine; the testbed's were measured \
                 once, on this one."
            }
            false if self.figures => {
                "The same version and experiments give these numbers on every machine; each figure's \
                 trajectory digest tells."
            }
            false => {
                "The same version and file give these numbers on every machine; the trajectory digest \
                 tells."
            }
        };
        // Not known of all when bridges forwarded in some.
        let hops: Option<u64> = runs().map(|run| run.packet_hops).sum();
        let hops = hops.map_or(String::new(), |hops| {
            format!(", {} packet-hops", count(hops))
        });
        let figures = match self.figures {
            true => format!("{}, ", some(self.sections.len(), "figure")),
            false => String::new(),
        };
        let runs = runs().count();
        let word = if runs == 1 { "run" } else { "runs" };
        let version = env!("CARGO_PKG_VERSION");
        let commit = crate::COMMIT;
        let runs = count(runs as u64);
        format!("Sidestep {version} (commit {commit}); {figures}{runs} {word}{hops}. {same}")
    }

    fn totals(&self, out: &mut Out) {
        let shown = filter::choices(self);
        if shown.is_empty() {
            return;
        }
        out.push_str("<ul class=\"totals\">\n");
        for choice in shown {
            put(
                out,
                format_args!("<li><b>{}</b> {}</li>\n", choice.count, choice.words),
            );
        }
        out.push_str("</ul>\n");
    }
}
