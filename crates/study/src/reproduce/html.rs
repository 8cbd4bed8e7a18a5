//! The report as one HTML file: pictures and style inside, no script, no network.

use super::arms::{Beside, NOTE};
use super::drawn::{Drawn, Sheet, measured};
use super::{FigureResult, Reproduction, interval, ours, place};
use crate::Status;
use crate::plot::svg;
use crate::words::{count, number, seeds, some};
use sidestep_lab::{ClaimResult, Setting, Verdict};
use std::collections::BTreeSet;
use std::fmt::Write;

const STYLE: &str = include_str!("style.css");

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
            section(&mut out, self, figure, &figure.plots(&palette));
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
        let hops: u64 = records().map(|r| r.counts.packet_hops).sum();
        put(
            out,
            format_args!(
                "<p class=\"meta\">Sidestep {}; {}, {} runs, {} packet-hops. {same}</p>\n",
                env!("CARGO_PKG_VERSION"),
                some(self.figures.len(), "figure"),
                count(records().count() as u64),
                count(hops)
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
        put(
            out,
            format_args!(
                "<ul class=\"totals\">\n{}{}{}{}</ul>\n</header>\n",
                tile(t.reproduced, "reproduced"),
                tile(t.not, "not reproduced"),
                tile(t.unsure, "can't tell"),
                tile(t.failed, "against expectation")
            ),
        );
    }

    fn overview(&self, out: &mut String) {
        out.push_str("<section id=\"claims\">\n<h2>All claims</h2>\n");
        out.push_str(
            "<p class=\"lead meta\">Reproduced: our number lies in the range that was written down as \
             counting. Not reproduced: it lies outside, and so does its whole 95 % interval. Can't tell: \
             the interval reaches into the range, or unfinished flows leave only a bound.</p>\n",
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

fn section(out: &mut String, all: &Reproduction, figure: &FigureResult, plots: &[Drawn]) {
    let experiment = &figure.experiment;
    let spec = experiment.figure.clone().unwrap_or_default();
    put(
        out,
        format_args!(
            "<section class=\"fig\" id=\"{}\">\n<h2>{}: {}</h2>\n",
            anchor(&figure.path()),
            escape(&figure.heading()),
            escape(if experiment.title.is_empty() {
                &experiment.name
            } else {
                &experiment.title
            })
        ),
    );
    if !spec.shows.is_empty() {
        put(
            out,
            format_args!(
                "<p class=\"lead\">{}.</p>\n",
                escape(spec.shows.trim_end_matches('.'))
            ),
        );
    }
    let seeds_of = experiment
        .points
        .first()
        .map_or(String::new(), |p| seeds(&p.scenario.seeds));
    let one = experiment
        .points
        .first()
        .is_some_and(|p| p.scenario.seeds.len() == 1);
    let word = if one { "seed" } else { "seeds" };
    put(
        out,
        format_args!(
            "<p class=\"meta\"><code>{}</code>; {}, {word} {seeds_of}; trajectories <code>{}</code></p>\n",
            escape(&figure.path()),
            some(experiment.points.len(), "point"),
            super::json::hash(figure)
        ),
    );
    if figure.status == Status::Partial {
        warn(out, "Partial: this figure was interrupted.");
    }
    let warnings = experiment.warnings_of(&figure.results);
    for warning in warnings.iter().chain(&experiment.notes) {
        warn(out, warning);
    }
    for plot in plots {
        draw(out, figure, plot);
    }
    if let Some(beside) = &figure.beside {
        agreement(out, beside);
    }
    if !figure.claims.is_empty() {
        out.push_str("<h3>Claims</h3>\n");
    }
    for claim in &figure.claims {
        one_claim(out, all, figure, claim);
    }
    settings(out, figure);
    files(out, figure, plots);
    out.push_str("</section>\n");
}

fn agreement(out: &mut String, beside: &Beside) {
    out.push_str("<h3>How far they agree</h3>\n<dl>\n");
    for (name, says) in beside.arms.iter().chain(&beside.facts) {
        put(
            out,
            format_args!("<dt>{}</dt><dd>{}</dd>\n", escape(name), escape(says)),
        );
    }
    out.push_str("</dl>\n");
    put(
        out,
        format_args!("<p class=\"meta\">{}</p>\n", escape(NOTE)),
    );
    sheet(out, &beside.agreement);
}

fn draw(out: &mut String, figure: &FigureResult, plot: &Drawn) {
    out.push_str("<figure>\n");
    match &plot.scene {
        Ok(scene) => {
            let picture = svg(scene);
            put(out, format_args!("<div class=\"scroll\">{picture}</div>\n"));
            put(
                out,
                format_args!(
                    "<figcaption>{} <a href=\"{}\">picture</a></figcaption>\n",
                    escape(&plot.caption),
                    escape(&format!("{}/{}.png", figure.path(), plot.file))
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
    sheet(out, &plot.table);
}

/// Longer tables are folded.
const LONG: usize = 24;

fn sheet(out: &mut String, table: &Sheet) {
    if table.rows.is_empty() {
        return;
    }
    let open = if table.rows.len() > LONG { "" } else { " open" };
    put(
        out,
        format_args!(
            "<details{open}><summary>The same numbers ({} rows)</summary>\n<div class=\"scroll\"><table class=\"sheet\">\n<thead><tr>",
            table.rows.len()
        ),
    );
    for head in &table.head {
        put(out, format_args!("<th>{}</th>", escape(head)));
    }
    out.push_str("</tr></thead>\n<tbody>\n");
    for row in &table.rows {
        out.push_str("<tr>");
        for cell in row {
            put(out, format_args!("<td>{}</td>", escape(cell)));
        }
        out.push_str("</tr>\n");
    }
    out.push_str("</tbody></table></div></details>\n");
}

fn one_claim(out: &mut String, all: &Reproduction, figure: &FigureResult, claim: &ClaimResult) {
    put(
        out,
        format_args!(
            "<div class=\"claim\" id=\"{}\">\n<p>{} <b>{}</b></p>\n<dl>\n",
            claim_anchor(figure, claim),
            chip(claim, all.quick),
            escape(&claim.says)
        ),
    );
    let mut item = |term: &str, text: &str| {
        if !text.is_empty() {
            put(out, format_args!("<dt>{term}</dt><dd>{text}</dd>\n"));
        }
    };
    item("paper", &escape(&super::papers(claim)));
    let ci = interval(claim).map_or(String::new(), |ci| format!(" (95 % interval {ci})"));
    item("ours", &escape(&format!("{}{ci}", ours(claim))));
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
        item("decided by", &sweep_link(all, figure, &claim.gap_sweep));
    }
    item("in the paper", &escape(&claim.figure));
    item("name", &format!("<code>{}</code>", escape(&claim.id)));
    out.push_str("</dl>\n");
    let shown: Vec<_> = claim.points.iter().filter(|p| !p.at.is_empty()).collect();
    if shown.len() > 1 {
        let mut table = Sheet::default();
        table
            .head
            .extend(figure.experiment.axes.iter().map(|a| a.name.clone()));
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
        sheet(out, &table);
    }
    out.push_str("</div>\n");
}

/// A link to the experiment that shows an assumption, when the report has it.
fn sweep_link(all: &Reproduction, figure: &FigureResult, name: &str) -> String {
    let path = match name.contains('/') {
        true => name.to_string(),
        false => format!("{}/{name}", figure.paper),
    };
    match all.figures.iter().any(|f| f.path() == path) {
        true => format!("<a href=\"#{}\">{}</a>", anchor(&path), escape(name)),
        false => format!("<code>sidestep reproduce {}</code>", escape(&path)),
    }
}

fn settings(out: &mut String, figure: &FigureResult) {
    let Some(first) = figure.experiment.points.first() else {
        return;
    };
    let all = first.scenario.settings();
    let assumed = all.iter().filter(|s| is_assumed(s)).count();
    put(
        out,
        format_args!(
            "<details><summary>Every parameter and where it comes from ({} values, {assumed} assumed)</summary>\n\
             <div class=\"scroll\"><table>\n<thead><tr><th>scheme</th><th>key</th><th>value</th><th>source</th></tr></thead>\n<tbody>\n",
            all.len()
        ),
    );
    for setting in all {
        let mut values: Vec<&str> = Vec::new();
        for point in &figure.experiment.points {
            let own = point.scenario.settings().iter();
            for other in own.filter(|s| s.key == setting.key && s.scheme == setting.scheme) {
                if !values.contains(&other.value.as_str()) {
                    values.push(&other.value);
                }
            }
        }
        let class = match (is_assumed(setting), values.len() > 1) {
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
                "<tr{class}><td>{}</td><td><code>{}</code></td><td>{}</td><td>{}</td></tr>\n",
                escape(setting.scheme.as_deref().unwrap_or("all")),
                escape(&setting.key),
                escape(&values.join(", ")),
                escape(&source)
            ),
        );
    }
    out.push_str("</tbody></table></div></details>\n");
}

fn is_assumed(setting: &Setting) -> bool {
    setting.source.contains("assumed")
}

fn files(out: &mut String, figure: &FigureResult, plots: &[Drawn]) {
    let mut names = vec![
        "points.csv".to_string(),
        "summary.json".into(),
        "experiment.toml".into(),
    ];
    for plot in plots.iter().filter(|p| p.scene.is_ok()) {
        names.push(format!("{}.svg", plot.file));
        names.push(format!("{}.png", plot.file));
    }
    let links: Vec<String> = names
        .iter()
        .map(|name| {
            let path = format!("{}/{name}", figure.path());
            format!("<a href=\"{}\">{}</a>", escape(&path), escape(name))
        })
        .collect();
    put(
        out,
        format_args!("<p class=\"meta\">Files: {}</p>\n", links.join(", ")),
    );
}

fn chip(claim: &ClaimResult, quick: bool) -> String {
    let class = match claim.verdict {
        Verdict::Reproduced => "ok",
        Verdict::NotReproduced => "no",
        Verdict::CantTell => "hm",
    };
    let note = match (claim.is_expected(), super::fails(claim, quick)) {
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

fn claim_anchor(figure: &FigureResult, claim: &ClaimResult) -> String {
    format!("{}-{}", anchor(&figure.path()), anchor(&claim.id))
}

/// A name as a fragment of an address.
fn anchor(name: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
    name.chars().map(plain).collect()
}

/// Safe as text and inside quotes.
fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c => out.push(c),
        }
    }
    out
}

fn put(out: &mut String, words: std::fmt::Arguments<'_>) {
    out.write_fmt(words).expect("a string takes it all");
}

fn warn(out: &mut String, words: &str) {
    put(
        out,
        format_args!("<p class=\"warn\">{}</p>\n", escape(words)),
    );
}
