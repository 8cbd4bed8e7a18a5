//! One figure: its plots, claims, settings and files.

use super::super::beside::{Beside, NOTE};
use super::super::drawn::Drawn;
use super::super::{FigureResult, Reproduction, json};
use super::claim::one_claim;
use super::markup::{anchor, escape, put, sheet, warn};
use crate::Status;
use crate::plot::svg;
use crate::words::{seeds, some};

/// The section of a figure.
pub fn section(out: &mut String, all: &Reproduction, figure: &FigureResult, plots: &[Drawn]) {
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
            json::hash(figure)
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

fn settings(out: &mut String, figure: &FigureResult) {
    let Some(first) = figure.experiment.points.first() else {
        return;
    };
    let all = first.scenario.settings();
    let assumed = all.iter().filter(|s| s.is_assumed()).count();
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
