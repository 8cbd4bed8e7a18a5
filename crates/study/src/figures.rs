//! Plots of a result directory: completion times of queries, of the flows and groups of each class, and of
//! short flows if a claim is about them. Also writes drawings of any kind to files.

use crate::Error;
use crate::format;
use crate::plot::{Drawing, Figure, Series, SeriesStyle, png, svg};
use crate::reproduce::drawn::{Drawn, alone};
use crate::staging::Staging;
use crate::workers::in_order;
use sidestep_lab::stats::Sample;
use sidestep_lab::{ClaimResult, ClassRecord, Record, Scenario};
use std::io;
use std::thread::available_parallelism;

/// Contents of one plot.
struct Kind {
    file: String,
    /// Name of the plotted sample, as in claims.
    sample: String,
    title: String,
    counted: &'static str,
    x_label: &'static str,
    times: Box<dyn Fn(&Record) -> Sample>,
}

const FLOW: &str = "from the hand-over to the last byte in order, ms";
const GROUP: &str = "from a group's first flow to the last byte of all, ms";

/// Lists all plots that these runs may have.
fn kinds(scenario: &Scenario, runs: &[Record]) -> Vec<Kind> {
    let mut all = vec![Kind {
        file: "qct_cdf".into(),
        sample: "qct_ms".into(),
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
            sample: format!("fct_ms:{name}"),
            title: format!("Completion time of flows of {name}"),
            counted: "flows",
            x_label: FLOW,
            times: Box::new(move |r| r.classes[i].fct.clone()),
        });
        all.push(Kind {
            file: format!("group_cdf.{file}"),
            sample: format!("group_ms:{name}"),
            title: format!("Completion time of groups of flows of {name}"),
            counted: "groups",
            x_label: GROUP,
            times: Box::new(move |r| r.classes[i].groups.clone()),
        });
    }
    if runs.iter().any(|record| !record.mixed_groups.is_empty()) {
        all.push(Kind {
            file: "group_cdf".into(),
            sample: "group_ms".into(),
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
            sample: "fct_short_ms".into(),
            title: "Completion time of short background flows (1 to 10 kB)".into(),
            counted: "flows",
            x_label: FLOW,
            times: Box::new(|r| r.fct_short.clone()),
        });
    }
    all
}

/// Draws all plots that have data.
pub fn draw(scenario: &Scenario, runs: &[Record], claims: &[ClaimResult]) -> Vec<Drawn> {
    let mut drawn = Vec::new();
    let mut kinds = kinds(scenario, runs);
    // Plots of claims come first, in the order of the claims, then those of bursts.
    kinds.sort_by_key(|kind| {
        let mut about = scenario.claims.iter();
        let about = about.position(|claim| is_about(&claim.metric, kind));
        about.unwrap_or(scenario.claims.len() + usize::from(kind.counted == "flows"))
    });
    for kind in kinds {
        let figure = figure(&kind, scenario, runs);
        if figure.series.iter().all(|s| s.n == 0) {
            continue;
        }
        let (drawing, table, caption) = alone(&figure, &kind.sample, runs, claims);
        drawn.push(Drawn {
            file: kind.file,
            kind: "cdf",
            title: figure.title,
            caption,
            drawing: Ok(drawing),
            table,
        });
    }
    drawn
}

/// Returns true if a metric is computed from the plot's sample, as `fct_p99_ms:storage` from
/// `fct_ms:trace/storage`.
fn is_about(metric: &str, kind: &Kind) -> bool {
    let name = |text: &str| {
        text.split_once(':')
            .map_or("", |(_, name)| name)
            .to_string()
    };
    let begins = |text: &str| text.split('_').next().map(str::to_string);
    let (asked, own) = (name(metric), name(&kind.sample));
    begins(metric) == begins(&kind.sample)
        && (asked == own || own.rsplit('/').next().is_some_and(|last| last == asked))
}

/// Returns the name of class number `nth` in file names.
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

/// Drawings per thread.
const EACH_DRAWS: usize = 12;

/// Maximum number of drawing threads. Each needs 13 MB, which no memory estimate includes.
const MOST_THREADS: usize = 4;

/// Writes each drawing as `name.svg` and `name.png`. A run with many classes has hundreds, which several
/// threads draw.
pub fn pictures(staging: &Staging, drawings: &[(String, &Drawing)]) -> Result<(), Error> {
    let cores = available_parallelism().map_or(1, usize::from);
    let threads = cores.min(MOST_THREADS).min(drawings.len() / EACH_DRAWS);
    let draw = |i: usize| {
        let drawing = drawings[i].1;
        (svg(drawing), png(drawing, 2.0))
    };
    let write = |i: usize, (svg, png): (String, Result<Vec<u8>, String>)| {
        let name = &drawings[i].0;
        staging.write(&format!("{name}.svg"), svg.as_bytes())?;
        let name = format!("{name}.png");
        let bytes = png.map_err(|e| {
            let path = staging.target().join(&name);
            Error::io("cannot draw", &path, io::Error::other(e))
        })?;
        staging.write(&name, &bytes)
    };
    match threads {
        0 | 1 => (0..drawings.len()).try_for_each(|i| write(i, draw(i))),
        _ => in_order(drawings.len(), threads, draw, || {}, write, || {}),
    }
}

fn figure(kind: &Kind, scenario: &Scenario, runs: &[Record]) -> Figure {
    let series = scenario.schemes.iter().enumerate().map(|(nth, scheme)| {
        let mut sample = Sample::default();
        runs.iter()
            .filter(|r| r.scheme == scheme.name)
            .for_each(|r| sample.merge(&(kind.times)(r)));
        let mut done: Vec<f64> = sample.finished().map(|t| t.as_ms_f64()).collect();
        done.sort_by(f64::total_cmp);
        Series {
            name: scheme.name.clone(),
            look: SeriesStyle::nth(nth),
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
        subtitle: format::and(title, &format!("seeds {}", format::seeds(&scenario.seeds))),
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
    use crate::report::tests::claim;
    use sidestep_sim::NoFiles;
    use sidestep_types::Time;

    #[test]
    fn many_pictures_are_those_of_one_after_another() {
        let room = tempfile::tempdir().unwrap();
        let scenes: Vec<Drawing> = (0..2 * EACH_DRAWS + 1)
            .map(|i| Drawing {
                width: 10.0 + i as f32,
                height: 9.0,
                title: format!("number {i}"),
                items: Vec::new(),
            })
            .collect();
        let named = |i: usize| (format!("plots/{i}"), &scenes[i]);
        let all: Vec<_> = (0..scenes.len()).map(named).collect();
        let written = |name: &str, parts: &[&[(String, &Drawing)]]| {
            let staging = Staging::begin(&room.path().join(name)).unwrap();
            parts
                .iter()
                .for_each(|part| pictures(&staging, part).unwrap());
            let dir = staging.commit().unwrap();
            let file = |name: String| std::fs::read(dir.join(name)).unwrap();
            let both = |(name, _): &(String, &Drawing)| {
                [file(format!("{name}.svg")), file(format!("{name}.png"))]
            };
            all.iter().map(both).collect::<Vec<_>>()
        };
        let alone: Vec<_> = all.chunks(1).collect();
        assert!(written("at once", &[&all]) == written("alone", &alone));
    }

    #[test]
    fn a_papers_number_of_a_class_is_in_its_plot() {
        let text = "duration = \"1 ms\"\nschemes = [\"dctcp\"]\n[topology]\nkind = \"single_switch\"\nhosts = 4\n\
            [workload.a]\nkind = \"query\"\nrate = \"2 k/s\"\ndegree = 3\n";
        let scenario = Scenario::read("one.toml", text, &[], &NoFiles).unwrap();
        let mut fct = Sample::default();
        fct.done(Time::from_ms(1));
        let run = Record {
            scheme: "dctcp".into(),
            classes: vec![ClassRecord {
                name: "trace/storage".into(),
                fct,
                ..ClassRecord::default()
            }],
            ..Record::default()
        };
        for metric in ["fct_p99_ms:storage", "fct_p99_ms:trace/storage"] {
            let said = ClaimResult {
                paper: Some(2.0),
                ..claim(metric, "dctcp")
            };
            let drawn = draw(&scenario, std::slice::from_ref(&run), &[said]);
            let plot = drawn.iter().find(|p| p.file == "fct_cdf.trace_storage");
            let drawing = plot.unwrap().drawing.as_ref().unwrap();
            assert!(svg(drawing).contains("dctcp, paper: 2"), "{metric}");
        }
    }

    #[test]
    fn a_metric_is_about_its_own_sample_alone() {
        let kind = |sample: &str| Kind {
            file: String::new(),
            sample: sample.into(),
            title: String::new(),
            counted: "flows",
            x_label: "",
            times: Box::new(|r| r.fct_short.clone()),
        };
        let fits = |metric, sample| is_about(metric, &kind(sample));
        for (metric, sample) in [
            ("fct_p99_ms:storage", "fct_ms:trace/storage"),
            ("fct_p99_ms:trace/storage", "fct_ms:trace/storage"),
            ("group_mean_ms:a", "group_ms:a"),
            ("qct_p99_ms", "qct_ms"),
        ] {
            assert!(fits(metric, sample), "{metric} {sample}");
        }
        for (metric, sample) in [
            ("fct_p99_ms:storage", "group_ms:trace/storage"),
            ("fct_p99_ms:storage", "fct_ms:trace/web"),
            ("drops_full", "qct_ms"),
        ] {
            assert!(!fits(metric, sample), "{metric} {sample}");
        }
    }

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
