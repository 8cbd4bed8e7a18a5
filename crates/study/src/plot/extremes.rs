//! Tests of every kind of plot with the smallest and the largest numbers: no text is cut at an edge, no two
//! labels touch, and each axis labels more than one value.

use super::chart::{Paper, Point, Sweep};
use super::drawing::{Anchor, Drawing, Item};
use super::font::Font;
use super::look::SOFT;
use super::testing::keep;
use super::*;

/// Returns samples or metrics with extreme values, each ascending.
fn samples() -> Vec<(&'static str, Vec<f64>)> {
    vec![
        ("tiny", vec![1e-9, 2.5e-9, 7e-9]),
        ("share", vec![0.1, 0.2, 0.5, 1.0]),
        ("packets", vec![4.0, 8.0, 12.0, 16.0]),
        (
            "billions",
            vec![812_345_678.0, 1_934_567_890.0, 2_999_999_999.0],
        ),
        ("huge", vec![1e12, 1.5e12]),
        ("all", vec![1e-9, 1e-3, 1.0, 1e6, 1e12]),
        ("far", vec![1e9, 1e9 + 4e6]),
        ("near", vec![1e12, 1e12 + 1.0]),
        ("one", vec![123_456.0]),
        ("equal", vec![3e9, 3e9, 3e9]),
        ("zero", vec![0.0, 0.0]),
        ("from-zero", vec![0.0, 1e-7, 1e10]),
        ("below", vec![-5e9, -2e9, 3e9]),
    ]
}

/// Returns left, top, right and bottom of each text.
fn boxes(drawing: &Drawing) -> Vec<([f32; 4], &str, bool)> {
    let texts = drawing.items.iter().filter_map(|item| match item {
        Item::Text { at, words, style } => {
            let wide = Font::load(style.bold).width(words, style.size);
            let left = match style.anchor {
                Anchor::Start => at.0,
                Anchor::Middle => at.0 - wide / 2.0,
                Anchor::End => at.0 - wide,
            };
            let ends = [left, at.1 - 0.75 * style.size, left + wide, at.1];
            let is_tick = style.size == 11.5 && style.color == SOFT && !style.bold;
            Some((ends, words.as_str(), is_tick))
        }
        _ => None,
    });
    texts.collect()
}

fn check(name: &str, drawing: &Drawing) {
    keep(name, drawing);
    let all = boxes(drawing);
    for (i, (at, text, is_tick)) in all.iter().enumerate() {
        assert!(
            at[0] >= 0.0 && at[2] <= drawing.width && at[1] >= 0.0 && at[3] <= drawing.height,
            "{name}: {text:?} is cut: {at:?}"
        );
        let beside = all[i + 1..].iter().filter(|(.., other)| *is_tick && *other);
        for (other, told, _) in beside {
            let apart =
                at[2] <= other[0] || other[2] <= at[0] || at[3] <= other[1] || other[3] <= at[1];
            assert!(apart, "{name}: {text:?} touches {told:?}");
        }
    }
}

fn point(value: &f64) -> Option<Point> {
    Some(Point {
        value: *value,
        ci: Some([value - value.abs() * 0.1, value + value.abs() * 0.1]),
        bound: None,
    })
}

fn chart_of(values: &[f64], scale: Scale, x: Sweep, panels: usize) -> Chart {
    let panel = Panel {
        heading: "99th percentile of completion time, ms".into(),
        scale,
        points: vec![values.iter().map(point).collect()],
        papers: vec![Paper {
            series: 0,
            at: vec![values.len() - 1],
            value: values[values.len() - 1],
            implied: false,
            hint: String::new(),
        }],
        authors: Vec::new(),
    };
    Chart {
        title: "extremes".into(),
        subtitle: String::new(),
        x,
        panels: vec![panel; panels],
        series: vec![entry()],
    }
}

fn entry() -> Entry {
    Entry {
        look: SeriesStyle::nth(0),
        name: "dibs".into(),
        about: String::new(),
    }
}

fn sweep(values: &[f64], scale: Scale) -> Sweep {
    Sweep::Numbers {
        label: "rate, Mbps".into(),
        scale,
        // An experiment may list its values in descending order.
        values: values.iter().rev().map(|v| (*v, plain(*v))).collect(),
    }
}

/// Returns linear, and logarithmic if all values are above zero.
fn scales(values: &[f64]) -> Vec<Scale> {
    match values.iter().all(|v| *v > 0.0) {
        true => vec![Scale::Linear, Scale::Log],
        false => vec![Scale::Linear],
    }
}

#[test]
fn charts_hold_any_numbers_on_either_axis() {
    for (name, values) in samples() {
        for scale in scales(&values) {
            for panels in [1, 2, 3] {
                let names = values.iter().map(|v| format!("value {v}")).collect();
                let words = Sweep::Words {
                    label: "assumption".into(),
                    values: names,
                };
                for (kind, x) in [("lines", sweep(&values, scale)), ("rows", words)] {
                    let drawing = chart(&chart_of(&values, scale, x, panels));
                    check(&format!("{kind}-{name}-{scale:?}-{panels}"), &drawing);
                }
            }
        }
    }
}

#[test]
fn curves_and_distributions_hold_any_numbers() {
    for (name, values) in samples() {
        for scale in scales(&values) {
            let last = values[values.len() - 1];
            let curve = Curve {
                entry: entry(),
                points: values.iter().map(|v| (*v, *v)).collect(),
                ring: None,
            };
            let drawing = curves(&Curves {
                title: "extremes".into(),
                subtitle: String::new(),
                x_label: "simulated time, ms".into(),
                heading: "goodput, Gbps".into(),
                x: (scale, values[0].min(last / 2.0), last.max(1e-9)),
                y: scale,
                curves: vec![curve],
                counted: "windows".into(),
            });
            check(&format!("curves-{name}-{scale:?}"), &drawing);
            let drawing = cdf(&Figure {
                title: "extremes".into(),
                subtitle: String::new(),
                x_label: "latency, us".into(),
                counted: "packets".into(),
                completes: scale == Scale::Log,
                log: scale == Scale::Log,
                series: vec![Series {
                    name: "dibs".into(),
                    look: SeriesStyle::nth(0),
                    n: values.len(),
                    done: values.clone(),
                }],
            });
            check(&format!("cdf-{name}-{scale:?}"), &drawing);
        }
    }
}

#[test]
fn detours_and_queues_hold_any_numbers() {
    for (name, values) in samples() {
        let drawing = scatter(&Scatter {
            title: "extremes".into(),
            subtitle: String::new(),
            x_label: "since the run began, ms".into(),
            rows: vec![("edge 0.0".into(), values.clone())],
            counted: "detours".into(),
            look: SeriesStyle::nth(1),
        });
        check(&format!("scatter-{name}"), &drawing);
        let drawing = queues(&Queues {
            title: "extremes".into(),
            subtitle: String::new(),
            counted: "bytes queued".into(),
            instants: vec!["1 ms".into()],
            switches: vec![Switch {
                name: "edge 0.0".into(),
                to_host: vec![false; values.len()],
                len: vec![values.iter().map(|v| v.max(0.0)).collect()],
            }],
            capacity: values.last().copied().filter(|v| *v > 0.0),
            look: SeriesStyle::nth(1),
        });
        check(&format!("queues-{name}"), &drawing);
    }
}

#[test]
fn every_value_of_an_axis_written_downwards_has_its_label() {
    let values = [4.0, 8.0, 12.0, 16.0];
    let drawing = chart(&chart_of(
        &values,
        Scale::Linear,
        sweep(&values, Scale::Linear),
        2,
    ));
    let said = |word: &str| {
        boxes(&drawing)
            .iter()
            .filter(|b| b.1 == word && b.2)
            .count()
    };
    assert_eq!(["4", "8", "12", "16"].map(said), [2; 4]);
    let values = [0.1, 0.2, 0.5, 1.0];
    let drawing = chart(&chart_of(
        &values,
        Scale::Linear,
        sweep(&values, Scale::Log),
        1,
    ));
    let said = |word: &str| {
        boxes(&drawing)
            .iter()
            .filter(|b| b.1 == word && b.2)
            .count()
    };
    assert!(["0.1", "0.2", "0.5", "1"].map(said).iter().all(|n| *n >= 1));
}

#[test]
fn one_point_alone_is_seen() {
    let figure = Curves {
        title: "extremes".into(),
        subtitle: String::new(),
        x_label: "rank".into(),
        heading: "goodput, Gbps".into(),
        x: (Scale::Linear, 0.0, 1.0),
        y: Scale::Linear,
        curves: vec![Curve {
            entry: entry(),
            points: vec![(1.0, 3.0)],
            ring: None,
        }],
        counted: "flows".into(),
    };
    let marks = curves(&figure).items.into_iter();
    let marks = marks.filter(|item| matches!(item, Item::Mark { .. }));
    assert_eq!(marks.count(), 1);
}

#[test]
fn bytes_in_billions_are_read_in_billions() {
    let values = [812_345_678.0, 1_934_567_890.0];
    let mut figure = chart_of(
        &values,
        Scale::Linear,
        sweep(&[4.0, 16.0], Scale::Linear),
        1,
    );
    figure.panels[0].heading = "payload bytes delivered in order, a seed".into();
    let text = svg(&chart(&figure));
    assert!(
        text.contains("payload bytes delivered in order, a seed (billions)"),
        "{text}"
    );
    assert!(!text.contains(",000,000"), "{text}");
}
