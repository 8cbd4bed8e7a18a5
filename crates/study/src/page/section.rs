//! Section of a page: its numbers, plots, claims, settings and files.

use super::claim::one_claim;
use super::markup::{address, grid, region, sheet, warn};
use super::{Page, Section, digest};
use crate::format::{seeds, some};
use crate::plot::svg;
use crate::reproduce::ArmAgreement;
use crate::reproduce::beside::NOTE;
use crate::reproduce::drawn::Drawn;
use maud::{Markup, PreEscaped, html};
use sidestep_lab::Setting;

impl Section<'_> {
    pub(super) fn write(&self, all: &Page<'_>) -> Markup {
        let title = match self.subject.title {
            "" => self.subject.name,
            title => title,
        };
        let id = self.anchor();
        html! {
            section.fig id=(id) aria-labelledby={ (id) "-head" } {
                h2 id={ (id) "-head" } {
                    (self.heading)
                    // A page with a single section has the title at its top already.
                    @if all.figures { ": " (title) }
                }
                @if !self.shows.is_empty() { p.lead { (self.shows.trim_end_matches('.')) "." } }
                (self.made_of())
                @if all.figures {
                    @if self.partial { (warn("Partial: this figure was interrupted.")) }
                    @for warning in &self.warnings { (warn(warning)) }
                }
                @if !self.plots.is_empty() { h3 { "Plots" } }
                @for (nth, plot) in self.plots.iter().enumerate() { (self.draw(nth + 1, plot)) }
                @if !self.tables.is_empty() { h3 { "Numbers" } }
                @for (nth, table) in self.tables.iter().enumerate() {
                    @let label = format!("{}, table {}", self.path, nth + 1);
                    (grid(&label, &table.caption, &table.grid, table.words))
                }
                @if let Some(beside) = self.beside { (self.agreement(beside)) }
                @if !self.subject.claims.is_empty() { h3 { "Claims" } }
                @for claim in self.subject.claims { (one_claim(all, self, claim)) }
                h3 { "Settings and files" }
                (self.settings())
                (self.files())
            }
            "\n"
        }
    }

    /// Renders the section's name, its number of points, its seeds, and the digest of all its runs.
    fn made_of(&self) -> Markup {
        let first = self.subject.scenarios.first();
        let seeds_of = first.map_or(String::new(), |s| seeds(&s.seeds));
        let one = first.is_some_and(|s| s.seeds.len() == 1);
        html! {
            p.meta {
                code { (self.path) } "; "
                @if !self.subject.axes.is_empty() { (some(self.subject.scenarios.len(), "point")) ", " }
                @if one { "seed " } @else { "seeds " } (seeds_of)
                "; trajectories " code { (digest(self.results)) }
            }
        }
    }

    fn agreement(&self, beside: &ArmAgreement) -> Markup {
        let label = |what: &str| format!("{}, {what}", self.path);
        html! {
            h3 { "Agreement of simulator and testbed" }
            dl {
                @for (name, says) in beside.arms.iter().chain(&beside.facts) {
                    dt { (name) } dd { (says) }
                }
            }
            p.meta { (NOTE) }
            (sheet(&label("agreement"), "Agreement of simulator and testbed", &beside.agreement))
            @if !beside.counted.rows.is_empty() {
                p.meta { (beside.counted_note) }
                (sheet(&label("counted by kernels"), "Counters of the kernels", &beside.counted))
            }
        }
    }

    fn draw(&self, nth: usize, plot: &Drawn) -> Markup {
        let label = format!("{}, plot {nth}", self.path);
        let file = format!("{}.png", plot.file);
        html! {
            figure {
                @match &plot.drawing {
                    Ok(drawing) => {
                        (region(&label, PreEscaped(svg(drawing))))
                        figcaption {
                            (plot.caption) " "
                            a href=(address(&format!("{}/{file}", self.pictures))) { (file) }
                        }
                    }
                    Err(why) => {
                        figcaption {
                            (plot.title) " (" (plot.kind.to_string()) "): not drawn, since " (why) "."
                        }
                    }
                }
            }
            "\n"
            (sheet(&format!("{label}, numbers"), &plot.title, &plot.table))
        }
    }

    fn settings(&self) -> Markup {
        let Some(first) = self.subject.scenarios.first() else {
            return Markup::default();
        };
        let all = first.settings();
        let assumed = all.iter().filter(|s| s.is_assumed()).count();
        let table = html! {
            table {
                caption.unseen { "Every parameter" }
                thead { tr { @for head in ["scheme", "key", "value", "source"] { th scope="col" { (head) } } } }
                tbody { @for (nth, setting) in all.iter().enumerate() { (self.setting(nth, setting)) } }
            }
        };
        html! {
            details {
                summary {
                    "Every parameter and where it comes from (" (all.len()) " values, " (assumed) " assumed)"
                }
                (region(&format!("{}, settings", self.path), table))
            }
        }
    }

    /// Renders setting number `nth` with all its values.
    fn setting(&self, nth: usize, setting: &Setting) -> Markup {
        let same = |s: &&Setting| s.key == setting.key && s.scheme == setting.scheme;
        let mut values: Vec<&str> = Vec::new();
        for scenario in &self.subject.scenarios {
            // Most scenarios have the setting at the same index. Searching all settings of very many scenarios
            // would take minutes.
            let own = scenario.settings();
            let there = own.get(nth).filter(same);
            let other = there.or_else(|| own.iter().find(same));
            if let Some(other) = other
                && !values.contains(&other.value.as_str())
            {
                values.push(&other.value);
            }
        }
        let swept = values.len() > 1;
        let class = match (swept, setting.is_assumed()) {
            (true, _) => Some("swept"),
            (false, true) => Some("assumed"),
            (false, false) => None,
        };
        html! {
            tr class=[class] {
                td { (setting.scheme.as_deref().unwrap_or("all")) }
                th scope="row" { code { (setting.key) } }
                td { (values.join(", ")) }
                td { @if swept { "swept; " } (setting.source) }
            }
            "\n"
        }
    }

    fn files(&self) -> Markup {
        html! {
            @if !self.files.is_empty() {
                p.meta {
                    "Files beside this page (the page does not need them): "
                    @for (nth, (name, path)) in self.files.iter().enumerate() {
                        @if nth > 0 { ", " }
                        a href=(address(path)) { (name) }
                    }
                }
            }
        }
    }
}
