//! The plots of a result directory: completion times of queries and of short flows; and how any
//! plot is written.

use crate::Error;
use crate::plot::{Figure, Look, Scene, Series, png, svg};
use crate::reproduce::drawn::{Drawn, alone};
use crate::staging::Staging;
use crate::words;
use sidestep_lab::stats::Sample;
use sidestep_lab::{ClaimResult, Record, Scenario};
use std::io;

/// What one plot shows.
struct Kind {
    file: &'static str,
    title: &'static str,
    counted: &'static str,
    x_label: &'static str,
    times: fn(&Record) -> &Sample,
}

const KINDS: [Kind; 2] = [
    Kind {
        file: "qct_cdf",
        title: "Query completion time",
        counted: "queries",
        x_label: "from the query to its last response, ms",
        times: |r| &r.qct,
    },
    Kind {
        file: "fct_short_cdf",
        title: "Completion time of short background flows (1 to 10 kB)",
        counted: "flows",
        x_label: "from the hand-over to the last byte in order, ms",
        times: |r| &r.fct_short,
    },
];

/// Draws all plots that have something to show.
pub fn draw(scenario: &Scenario, runs: &[Record], claims: &[ClaimResult]) -> Vec<Drawn> {
    let mut drawn = Vec::new();
    for kind in KINDS {
        let figure = figure(&kind, scenario, runs);
        if figure.series.iter().all(|s| s.n == 0) {
            continue;
        }
        let (scene, table, caption) = alone(&figure, &sample_of(kind.file), claims);
        drawn.push(Drawn {
            file: kind.file.to_string(),
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
            .for_each(|r| sample.merge((kind.times)(r)));
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
        title: kind.title.into(),
        subtitle: format!("{title}; seeds {}", words::seeds(&scenario.seeds)),
        x_label: kind.x_label.into(),
        counted: kind.counted.into(),
        completes: true,
        log: true,
        series: series.collect(),
    }
}
