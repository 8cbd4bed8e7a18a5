//! The report as one HTML file: pictures and style inside, no script, no network.

mod claim;
mod figure;
mod markup;

use super::{Reproduction, interval, ours};
use crate::Status;
use crate::words::{count, some};
use claim::{chip, claim_anchor};
use markup::{anchor, escape, put, warn};
use sidestep_lab::{Record, Verdict};
use std::collections::BTreeSet;

const STYLE: &str = include_str!("../style.css");

impl Reproduction {
    /// The whole report.
    pub fn to_html(&self) -> String {
        let palette = self.palette();
        let title = self.title();
        let mut out = String::new();
        put(
            &mut out,
            format_args!(
                "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
                 <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
                 <title>{}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<div class=\"layout\">\n",
                escape(&title)
            ),
        );
        self.navigation(&mut out);
        out.push_str("<main>\n");
        self.header(&mut out, &title);
        self.overview(&mut out);
        for figure in &self.figures {
            figure::section(&mut out, self, figure, &figure.plots(&palette));
        }
        out.push_str("</main>\n</div>\n</body>\n</html>\n");
        out
    }

    fn title(&self) -> String {
        match self.asked.as_str() {
            "" => "All papers: figures and claims".into(),
            asked => format!("{asked}: figures and claims"),
        }
    }

    fn navigation(&self, out: &mut String) {
        out.push_str("<nav aria-label=\"Figures\">\n<a href=\"#top\">Report</a>\n<ul><li><a href=\"#claims\">All claims</a></li></ul>\n");
        for (i, figure) in self.figures.iter().enumerate() {
            if i == 0 || self.figures[i - 1].paper != figure.paper {
                if i > 0 {
                    out.push_str("</ul>\n");
                }
                put(
                    out,
                    format_args!("<h2>{}</h2>\n<ul>\n", escape(&figure.paper)),
                );
            }
            let done = figure
                .claims
                .iter()
                .filter(|c| c.verdict == Verdict::Reproduced);
            let tally = match figure.claims.len() {
                0 => String::new(),
                n => format!("{} / {n}", done.count()),
            };
            put(
                out,
                format_args!(
                    "<li><a href=\"#{}\">{}</a><span class=\"tally\">{tally}</span></li>\n",
                    anchor(&figure.path()),
                    escape(&figure.heading())
                ),
            );
        }
        if !self.figures.is_empty() {
            out.push_str("</ul>\n");
        }
        out.push_str("</nav>\n");
    }

    fn header(&self, out: &mut String, title: &str) {
        put(
            out,
            format_args!("<header id=\"top\">\n<h1>{}</h1>\n", escape(title)),
        );
        let mut papers: Vec<&str> = Vec::new();
        for spec in self
            .figures
            .iter()
            .filter_map(|f| f.experiment.figure.as_ref())
        {
            if !spec.paper.is_empty() && !papers.contains(&spec.paper.as_str()) {
                papers.push(&spec.paper);
            }
        }
        for paper in papers {
            put(
                out,
                format_args!("<p class=\"meta\">{}</p>\n", escape(paper)),
            );
        }
        let records = || {
            self.figures
                .iter()
                .flat_map(|f| &f.results.points)
                .flat_map(|p| &p.records)
        };
        let real = self.figures.iter().any(|f| f.beside.is_some());
        let same = match real {
            true => {
                "The simulator's numbers are the same on every machine; the testbed's were measured \
                 once, on this one."
            }
            false => {
                "The same version and experiments give these numbers on every machine; each figure's \
                 trajectory digest tells."
            }
        };
        // Not known of all when bridges forwarded in some.
        let hops = |r: &Record| r.unmeasured.unless("packet_hops", r.counts.packet_hops);
        let hops: Option<u64> = records().map(hops).sum();
        put(
            out,
            format_args!(
                "<p class=\"meta\">Sidestep {}; {}, {} runs{}. {same}</p>\n",
                env!("CARGO_PKG_VERSION"),
                some(self.figures.len(), "figure"),
                count(records().count() as u64),
                hops.map_or(String::new(), |hops| format!(
                    ", {} packet-hops",
                    count(hops)
                ))
            ),
        );
        if self.status() == Status::Partial {
            warn(
                out,
                "Partial: the command was interrupted. Runs that had not ended are missing.",
            );
        }
        if self.quick {
            warn(
                out,
                "A quick run: fewer points, fewer seeds and less simulated time than the figures have. Verdicts of a full run may differ.",
            );
        }
        let t = self.totals();
        let tile = |n: usize, what: &str| format!("<li><b>{n}</b>{what}</li>\n");
        let not_judged = match t.not_judged {
            0 => String::new(),
            n => tile(n, "not judged"),
        };
        put(
            out,
            format_args!(
                "<ul class=\"totals\">\n{}{}{}{}</ul>\n</header>\n",
                tile(t.reproduced, "reproduced"),
                tile(t.not, "not reproduced"),
                tile(t.unsure, "can't tell") + &not_judged,
                tile(t.failed, "against expectation")
            ),
        );
    }

    fn overview(&self, out: &mut String) {
        out.push_str("<section id=\"claims\">\n<h2>All claims</h2>\n");
        out.push_str(
            "<p class=\"lead meta\">Reproduced: the whole 95 % interval of our number lies in the range that was \
             written down as counting. Not reproduced: no part of it does. Can't tell: anything else.</p>\n",
        );
        put(
            out,
            format_args!(
                "<p class=\"meta\">{} Ranges are those of commit {}.</p>\n",
                escape(super::INTERVALS),
                escape(crate::COMMIT)
            ),
        );
        out.push_str("<div class=\"scroll\"><table>\n<thead><tr><th>figure</th><th>verdict</th><th>the paper says</th><th class=\"n\">paper</th><th class=\"n\">ours</th><th class=\"n\">95 % interval</th></tr></thead>\n<tbody>\n");
        let papers: BTreeSet<&str> = self.figures.iter().map(|f| f.paper.as_str()).collect();
        for (figure, claim) in self.claims() {
            let heading = match papers.len() {
                1 => figure.heading(),
                _ => format!("{} {}", figure.paper, figure.heading()),
            };
            put(
                out,
                format_args!(
                    "<tr><td><a href=\"#{}\">{}</a></td><td>{}</td><td class=\"says\"><a href=\"#{}\">{}</a></td>\
                     <td class=\"n\">{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td></tr>\n",
                    anchor(&figure.path()),
                    escape(&heading),
                    chip(claim, self.quick),
                    claim_anchor(figure, claim),
                    escape(&claim.says),
                    super::papers(claim),
                    escape(&ours(claim)),
                    interval(claim).unwrap_or_else(|| "-".into()),
                ),
            );
        }
        out.push_str("</tbody></table></div>\n</section>\n");
    }
}
