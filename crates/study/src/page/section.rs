//! One section of a page: its numbers, plots, claims, settings and files.

use super::claim::one_claim;
use super::markup::{Out, address, escape, grid, put, region, sheet, warn};
use super::{Page, Section, Table, digest};
use crate::plot::svg;
use crate::reproduce::Beside;
use crate::reproduce::beside::NOTE;
use crate::reproduce::drawn::Drawn;
use crate::words::{seeds, some};
use sidestep_lab::Setting;

impl Section<'_> {
    pub(super) fn write(&self, out: &mut Out, all: &Page<'_>) {
        let title = match self.subject.title {
            "" => self.subject.name,
            title => title,
        };
        let id = self.anchor();
        // A page of one section has said its title already.
        let heading = match all.figures {
            true => format!("{}: {title}", self.heading),
            false => self.heading.clone(),
        };
        put(
            out,
            format_args!(
                "<section class=\"fig\" id=\"{id}\" aria-labelledby=\"{id}-head\">\n<h2 id=\"{id}-head\">{}</h2>\n",
                escape(&heading)
            ),
        );
        if !self.shows.is_empty() {
            let shows = escape(self.shows.trim_end_matches('.'));
            put(out, format_args!("<p class=\"lead\">{shows}.</p>\n"));
        }
        self.made_of(out);
        if self.partial && all.figures {
            warn(out, "Partial: this figure was interrupted.");
        }
        let own = self.warnings.iter().filter(|_| all.figures);
        own.for_each(|warning| warn(out, warning));
        if !self.plots.is_empty() {
            out.push_str("<h3>Plots</h3>\n");
        }
        for (nth, plot) in self.plots.iter().enumerate() {
            self.draw(out, nth + 1, plot);
        }
        self.numbers(out);
        if let Some(beside) = self.beside {
            self.agreement(out, beside);
        }
        if !self.subject.claims.is_empty() {
            out.push_str("<h3>Claims</h3>\n");
        }
        for claim in self.subject.claims {
            one_claim(out, all, self, claim);
        }
        out.push_str("<h3>Settings and files</h3>\n");
        self.settings(out);
        self.files(out);
        out.push_str("</section>\n");
    }

    /// Its name, how much it is, and a digest of every run of it.
    fn made_of(&self, out: &mut Out) {
        let first = self.subject.scenarios.first();
        let seeds_of = first.map_or(String::new(), |s| seeds(&s.seeds));
        let one = first.is_some_and(|s| s.seeds.len() == 1);
        let word = if one { "seed" } else { "seeds" };
        let points = match self.subject.axes {
            [] => String::new(),
            _ => format!("{}, ", some(self.subject.scenarios.len(), "point")),
        };
        put(
            out,
            format_args!(
                "<p class=\"meta\"><code>{}</code>; {points}{word} {seeds_of}; trajectories <code>{}</code></p>\n",
                escape(&self.path),
                digest(self.results)
            ),
        );
    }

    fn numbers(&self, out: &mut Out) {
        if !self.tables.is_empty() {
            out.push_str("<h3>Numbers</h3>\n");
        }
        for (nth, table) in self.tables.iter().enumerate() {
            let Table {
                caption,
                grid: cells,
                words,
            } = table;
            grid(
                out,
                &format!("{}, table {}", self.path, nth + 1),
                caption,
                cells,
                *words,
            );
        }
    }

    fn agreement(&self, out: &mut Out, beside: &Beside) {
        out.push_str("<h3>How far they agree</h3>\n<dl>\n");
        for (name, says) in beside.arms.iter().chain(&beside.facts) {
            let (name, says) = (escape(name), escape(says));
            put(out, format_args!("<dt>{name}</dt><dd>{says}</dd>\n"));
        }
        out.push_str("</dl>\n");
        let note = escape(NOTE);
        put(out, format_args!("<p class=\"meta\">{note}</p>\n"));
        let label = format!("{}, agreement", self.path);
        sheet(out, &label, "How far they agree", &beside.agreement);
        if !beside.counted.rows.is_empty() {
            let note = escape(&beside.counted_note);
            put(out, format_args!("<p class=\"meta\">{note}</p>\n"));
            let label = format!("{}, counted by kernels", self.path);
            sheet(out, &label, "What the kernels counted", &beside.counted);
        }
    }

    fn draw(&self, out: &mut Out, nth: usize, plot: &Drawn) {
        let label = format!("{}, plot {nth}", self.path);
        out.push_str("<figure>\n");
        match &plot.scene {
            Ok(scene) => {
                region(out, &label);
                put(out, format_args!("{}</div>\n", svg(scene)));
                let file = format!("{}.png", plot.file);
                put(
                    out,
                    format_args!(
                        "<figcaption>{} <a href=\"{}\">{}</a></figcaption>\n",
                        escape(&plot.caption),
                        address(&format!("{}/{file}", self.pictures)),
                        escape(&file)
                    ),
                );
            }
            Err(why) => put(
                out,
                format_args!(
                    "<figcaption>{} ({}): not drawn, since {}.</figcaption>\n",
                    escape(&plot.title),
                    plot.kind,
                    escape(why)
                ),
            ),
        }
        out.push_str("</figure>\n");
        sheet(out, &format!("{label}, numbers"), &plot.title, &plot.table);
    }

    fn settings(&self, out: &mut Out) {
        let Some(first) = self.subject.scenarios.first() else {
            return;
        };
        let all = first.settings();
        let assumed = all.iter().filter(|s| s.is_assumed()).count();
        put(
            out,
            format_args!(
                "<details><summary>Every parameter and where it comes from ({} values, {assumed} assumed)</summary>\n",
                all.len()
            ),
        );
        region(out, &format!("{}, settings", self.path));
        out.push_str("<table>\n<caption class=\"unseen\">Every parameter</caption>\n<thead><tr>");
        for head in ["scheme", "key", "value", "source"] {
            put(out, format_args!("<th scope=\"col\">{head}</th>"));
        }
        out.push_str("</tr></thead>\n<tbody>\n");
        for (nth, setting) in all.iter().enumerate() {
            let same = |s: &&Setting| s.key == setting.key && s.scheme == setting.scheme;
            let mut values: Vec<&str> = Vec::new();
            for scenario in &self.subject.scenarios {
                // Most have it at the same place: looking through all of very many would take minutes.
                let own = scenario.settings();
                let there = own.get(nth).filter(same);
                let other = there.or_else(|| own.iter().find(same));
                if let Some(other) = other
                    && !values.contains(&other.value.as_str())
                {
                    values.push(&other.value);
                }
            }
            let class = match (setting.is_assumed(), values.len() > 1) {
                (_, true) => " class=\"swept\"",
                (true, _) => " class=\"assumed\"",
                _ => "",
            };
            let source = match values.len() {
                0 | 1 => setting.source.clone(),
                _ => format!("swept; {}", setting.source),
            };
            put(
                out,
                format_args!(
                    "<tr{class}><td>{}</td><th scope=\"row\"><code>{}</code></th><td>{}</td><td>{}</td></tr>\n",
                    escape(setting.scheme.as_deref().unwrap_or("all")),
                    escape(&setting.key),
                    escape(&values.join(", ")),
                    escape(&source)
                ),
            );
        }
        out.push_str("</tbody></table></div></details>\n");
    }

    fn files(&self, out: &mut Out) {
        if self.files.is_empty() {
            return;
        }
        let link = |(name, path): &(String, String)| {
            format!("<a href=\"{}\">{}</a>", address(path), escape(name))
        };
        let links: Vec<String> = self.files.iter().map(link).collect();
        put(
            out,
            format_args!(
                "<p class=\"meta\">Files beside this page, which is whole without them: {}</p>\n",
                links.join(", ")
            ),
        );
    }
}
