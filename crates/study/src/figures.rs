//! The plots of a result directory: completion times of queries, of the flows and groups of each class, and of
//! short flows where a claim is about them; and how any plot is written.

use crate::Error;
use crate::plot::{Figure, Look, Scene, Series, png, svg};
use crate::reproduce::drawn::{Drawn, alone};
use crate::staging::Staging;
use crate::words;
use sidestep_lab::stats::Sample;
use sidestep_lab::{ClaimResult, ClassRecord, Record, Scenario};
use std::io;

/// What one plot shows.
struct Kind {
    file: String,
    title: String,
    counted: &'static str,
    x_label: &'static str,
    times: Box<dyn Fn(&Record) -> Sample>,
}

const FLOW: &str = "from the hand-over to the last byte in order, ms";
const GROUP: &str = "from a group's first flow to the last byte of all, ms";

/// All plots that there may be of these runs.
fn kinds(scenario: &Scenario, runs: &[Record]) -> Vec<Kind> {
    let mut all = vec![Kind {
        file: "qct_cdf".into(),
        title: "Query completion time".into(),
        counted: "queries",
        x_label: "from the query to its last response, ms",
        times: Box::new(|r| r.qct.clone()),
    }];
    let classes = runs.first().map_or(&[][..], |record| &record.classes);
    for (i, class) in classes.iter().enumerate() {
        let (name, file) = (&class.name, file_of(i, classes));
        all.push(Kind {
            file: format!("fct_cdf.{file}"),
            title: format!("Completion time of flows of {name}"),
            counted: "flows",
            x_label: FLOW,
            times: Box::new(move |r| r.classes[i].fct.clone()),
        });
        all.push(Kind {
            file: format!("group_cdf.{file}"),
            title: format!("Completion time of groups of flows of {name}"),
            counted: "groups",
            x_label: GROUP,
            times: Box::new(move |r| r.classes[i].groups.clone()),
        });
    }
    if runs.iter().any(|record| !record.mixed_groups.is_empty()) {
        all.push(Kind {
            file: "group_cdf".into(),
            title: "Completion time of all groups of flows".into(),
            counted: "groups",
            x_label: GROUP,
            times: Box::new(Record::groups),
        });
    }
    let mut claims = scenario.claims.iter();
    if claims.any(|claim| claim.metric.starts_with("fct_short")) {
        all.push(Kind {
            file: "fct_short_cdf".into(),
            title: "Completion time of short background flows (1 to 10 kB)".into(),
            counted: "flows",
            x_label: FLOW,
            times: Box::new(|r| r.fct_short.clone()),
        });
    }
    all
}

/// Draws all plots that have something to show.
pub fn draw(scenario: &Scenario, runs: &[Record], claims: &[ClaimResult]) -> Vec<Drawn> {
    let mut drawn = Vec::new();
    for kind in kinds(scenario, runs) {
        let figure = figure(&kind, scenario, runs);
        if figure.series.iter().all(|s| s.n == 0) {
            continue;
        }
        let (scene, table, caption) = alone(&figure, &sample_of(&kind.file), claims);
        drawn.push(Drawn {
            file: kind.file,
            kind: "cdf",
            title: figure.title,
            caption,
            scene: Ok(scene),
            table,
        });
    }
    drawn
}

/// The sample that a file shows: `qct_ms` of `qct_cdf`, `fct_ms:web` of `fct_cdf.web`.
fn sample_of(file: &str) -> String {
    match file.split_once("_cdf.") {
        Some((of, class)) => format!("{of}_ms:{class}"),
        None => format!("{}_ms", file.trim_end_matches("_cdf")),
    }
}

/// What class number `nth` is called in names of files.
fn file_of(nth: usize, classes: &[ClassRecord]) -> String {
    let plain = |class: &ClassRecord| -> String {
        let fits = |c: char| c.is_ascii_alphanumeric() || c == '-';
        let kept = class.name.chars().map(|c| if fits(c) { c } else { '_' });
        kept.collect()
    };
    let own = plain(&classes[nth]);
    let others = classes.iter().enumerate().filter(|(i, _)| *i != nth);
    match others
        .map(|(_, class)| plain(class))
        .any(|other| other == own)
    {
        true => format!("{own}.{nth}"),
        false => own,
    }
}

/// Writes a drawing as `name.svg` and `name.png`.
pub fn picture(staging: &Staging, name: &str, scene: &Scene) -> Result<(), Error> {
    staging.write(&format!("{name}.svg"), svg(scene).as_bytes())?;
    let name = format!("{name}.png");
    let bytes = png(scene, 2.0).map_err(|e| {
        let path = staging.target().join(&name);
        Error::io("cannot draw", &path, io::Error::other(e))
    })?;
    staging.write(&name, &bytes)
}

fn figure(kind: &Kind, scenario: &Scenario, runs: &[Record]) -> Figure {
    let series = scenario.schemes.iter().enumerate().map(|(nth, scheme)| {
        let mut sample = Sample::default();
        runs.iter()
            .filter(|r| r.scheme == scheme.name)
            .for_each(|r| sample.merge(&(kind.times)(r)));
        let mut done: Vec<f64> = sample.finished().iter().map(|t| t.as_ms_f64()).collect();
        done.sort_by(f64::total_cmp);
        Series {
            name: scheme.name.clone(),
            look: Look::nth(nth),
            done,
            n: sample.len() as usize,
        }
    });
    let title = if scenario.title.is_empty() {
        &scenario.name
    } else {
        &scenario.title
    };
    Figure {
        title: kind.title.clone(),
        subtitle: format!("{title}; seeds {}", words::seeds(&scenario.seeds)),
        x_label: kind.x_label.into(),
        counted: kind.counted.into(),
        completes: true,
        log: true,
        series: series.collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_class_has_a_file_name_of_its_own() {
        let class = |name: &str| ClassRecord {
            name: name.into(),
            ..ClassRecord::default()
        };
        let classes = ["web", "a/web", "a/b c", "a/b_c", "a/../é"].map(class);
        let names: Vec<String> = (0..5).map(|i| file_of(i, &classes)).collect();
        assert_eq!(names, ["web", "a_web", "a_b_c.2", "a_b_c.3", "a_____"]);
    }
}
