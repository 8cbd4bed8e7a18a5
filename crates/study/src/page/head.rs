//! Page around its sections: its head, the list of sections, and what was run.

use super::markup::{grid, warn};
use super::{Page, Section, filter, style};
use crate::format::{count, some};
use maud::{DOCTYPE, Markup, PreEscaped, html};
use sidestep_lab::Verdict;

impl Page<'_> {
    /// Wraps `main` in the whole document.
    pub(super) fn around(&self, main: &Markup) -> Markup {
        html! {
            (DOCTYPE)
            html lang="en" {
                head {
                    meta charset="utf-8";
                    meta name="viewport" content="width=device-width, initial-scale=1";
                    title { (self.title) }
                    style { "\n" (PreEscaped(style::sheet())) (PreEscaped(filter::rules(self))) }
                }
                body {
                    a.skip href="#main" { "Skip to the report" }
                    div.layout { (self.navigation()) main #main tabindex="-1" { (main) } }
                }
            }
            "\n"
        }
    }

    fn navigation(&self) -> Markup {
        let groups = self.sections.chunk_by(|a, b| a.group == b.group);
        html! {
            nav aria-label="Contents" {
                a href="#top" { "Report" }
                @if self.claims().next().is_some() {
                    ul { li { a href="#claims" { "All claims" } } }
                }
                @for group in groups {
                    @if !group[0].group.is_empty() { p.group { (group[0].group) } }
                    ul { @for section in group { (entry(section)) } }
                }
            }
            "\n"
        }
    }

    pub(super) fn header(&self) -> Markup {
        // A page of one section begins with the warnings, which matter before any number.
        let own = self.sections.iter().filter(|_| !self.figures);
        html! {
            header #top {
                h1 { (self.title) }
                @for paper in &self.papers { p.meta { (paper) } }
                p.meta { (self.about()) }
                @if let Some(compared) = &self.partial { (warn(&format!("Partial: {compared}"))) }
                @if self.quick {
                    (warn("Quick run: fewer points, fewer seeds and less simulated time than the \
                           full figures. Verdicts of a full run may differ. A verdict that covers \
                           only some of a claim's points says so."))
                }
                @for words in own.flat_map(|section| &section.warnings) { (warn(words)) }
                (self.totals())
            }
            "\n"
        }
    }

    pub(super) fn in_short(&self) -> Markup {
        html! {
            @if let Some(table) = &self.short {
                section #short aria-labelledby="short-head" {
                    h2 #short-head { "In short" }
                    (grid("In short, table", &table.caption, &table.grid, table.words))
                }
            }
        }
    }

    /// Describes version, number of runs, and where the same numbers are obtained.
    fn about(&self) -> String {
        let runs = || {
            let points = self.sections.iter().flat_map(|s| &s.results.points);
            points.flat_map(|p| &p.runs)
        };
        let same = match runs().any(|run| run.trajectory_hash.is_none()) {
            true => {
                "The simulator's numbers are the same on every machine; the testbed's were \
                 measured on this one."
            }
            false if self.figures => {
                "The same version and experiments give these numbers on every machine; compare \
                 each figure's trajectory digest."
            }
            false => {
                "The same version and file give these numbers on every machine; compare the \
                 trajectory digest."
            }
        };
        // Unknown if bridges forwarded in some of the runs.
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

    fn totals(&self) -> Markup {
        let shown = filter::choices(self);
        html! {
            @if !shown.is_empty() {
                ul.totals { @for choice in shown { li { b { (choice.count) } " " (choice.words) } } }
            }
        }
    }
}

/// Renders a section in the list of contents.
fn entry(section: &Section<'_>) -> Markup {
    let claims = section.subject.claims;
    let done = claims.iter().filter(|c| c.verdict == Verdict::Reproduced);
    let own = !claims.is_empty() && claims.iter().all(|claim| claim.own);
    let words = Verdict::Reproduced.words_of_many(own);
    html! {
        li {
            a href={ "#" (section.anchor()) } { (section.heading) }
            @if !claims.is_empty() {
                span.tally { (done.count()) " / " (claims.len()) span.unseen { " claims " (words) } }
            }
        }
    }
}
