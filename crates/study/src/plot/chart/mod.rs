//! Charts of numbers with intervals against a swept axis: lines over numbers, rows over words.
//!
//! If runs left flows unfinished, the value is a bound: an open mark with an arrow towards the number. A zero
//! on a logarithmic axis is drawn on the lower edge and labelled 0.

mod figure;
mod lines;
mod marks;
mod page;
mod rows;

pub(super) use page::{IMPLIED, PAPER, paper_mark};

pub use figure::{Author, Chart, Panel, Paper, Point, Side, Sweep};

use super::drawing::Drawing;

/// Draws the chart: lines if the axis has numbers, rows if it has words.
pub fn chart(chart: &Chart) -> Drawing {
    match &chart.x {
        Sweep::Numbers {
            label,
            scale,
            values,
        } => lines::draw(chart, label, *scale, values),
        Sweep::Words { label, values } => rows::draw(chart, label, values),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plot::testing::keep;
    use crate::plot::{Entry, Scale, SeriesStyle, svg};

    fn point(value: f64) -> Option<Point> {
        Some(Point {
            value,
            ci: Some([value * 0.9, value * 1.15]),
            bound: None,
        })
    }

    fn entry(n: usize, name: &str) -> Entry {
        Entry {
            look: SeriesStyle::nth(n),
            name: name.into(),
            about: "n = 1,234 queries per point, 5 seeds".into(),
        }
    }

    fn figure(x: Sweep, scale: Scale) -> Chart {
        let dctcp = vec![point(21.0), point(23.5), point(31.0), point(48.0), {
            let mut p = point(61.0);
            p.as_mut().unwrap().bound = Some(Side::Above);
            p.as_mut().unwrap().ci = None;
            p
        }];
        let dibs = vec![point(4.0), point(5.1), point(8.0), None, point(40.0)];
        let said = |at: &[usize], value, implied| Paper {
            series: 1,
            at: at.to_vec(),
            value,
            implied,
            hint: format!("dibs, paper: {value}"),
        };
        let authors = |x, value| Author {
            series: 1,
            x,
            value,
            hint: format!("dibs, authors: {value}"),
        };
        let papers = vec![
            said(&[1], 6.5, false),
            said(&[2], 11.0, true),
            said(&[0, 4], 2.0, false),
        ];
        let panel = |heading: &str, scale| Panel {
            heading: heading.into(),
            scale,
            points: vec![dctcp.clone(), dibs.clone()],
            papers: papers.clone(),
            authors: vec![authors(1.0, 5.5), authors(900.0, 7.0)],
        };
        Chart {
            title: "Query completion under DCTCP and DIBS as queries come more often".into(),
            subtitle: "fig08; k=8 fat-tree, 128 hosts; 95 % intervals over 5 seeds".into(),
            x,
            panels: vec![
                panel("99th percentile of query completion time, ms", scale),
                panel(LONG, Scale::Linear),
                panel("detoured packets, share", Scale::Linear),
            ],
            series: vec![entry(0, "dctcp"), entry(1, "dibs")],
        }
    }

    const LONG: &str =
        "99th percentile of completion time of background flows of 1 to 10 kB that ask nobody, ms";

    fn rates() -> Sweep {
        let values = [300, 500, 1000, 1500, 2000].map(|v| (f64::from(v), v.to_string()));
        Sweep::Numbers {
            label: "query rate, /s".into(),
            scale: Scale::Linear,
            values: values.to_vec(),
        }
    }

    #[test]
    fn lines_have_a_mark_a_point_and_bounds_are_open_with_an_arrow() {
        let drawing = chart(&figure(rates(), Scale::Log));
        let text = svg(&drawing);
        keep("lines", &drawing);
        assert_eq!(text.matches("<title>dctcp at ").count(), 15);
        assert_eq!(
            text.matches("<title>dibs at ").count(),
            12,
            "a hole stays a hole"
        );
        assert!(
            text.contains("dctcp at 2000: at least 61.0</title>"),
            "{text}"
        );
        assert!(text.contains("because of unfinished flows"));
        assert!(!text.contains(LONG), "a heading is broken to fit its panel");
        let open = text
            .lines()
            .filter(|l| l.contains("at least"))
            .all(|l| l.contains("#ffffff"));
        assert!(open);
        assert_eq!(
            text.matches("<title>dibs, paper: 6.5</title>").count(),
            3,
            "{text}"
        );
        assert_eq!(text.matches("<title>dibs, authors: ").count(), 6);
        assert!(
            text.contains("hollow marks: the paper authors' points"),
            "{text}"
        );
        assert!(
            text.contains("cross: the paper") && text.contains(">paper</text>"),
            "{text}"
        );
    }

    #[test]
    fn words_are_rows() {
        let values = [
            "as assumed",
            "minimum RTO 1 ms",
            "a buffer of 50 packets a port and an unusually long name that needs a second line",
            "no handshake",
            "c",
        ];
        let words = Sweep::Words {
            label: "assumption".into(),
            values: values.map(String::from).to_vec(),
        };
        let drawing = chart(&figure(words, Scale::Linear));
        keep("rows", &drawing);
        let text = svg(&drawing);
        assert!(text.contains(">minimum RTO 1 ms</text>"), "{text}");
        assert!(
            text.contains("dibs, as assumed: 4.00 (3.60 to 4.60)"),
            "{text}"
        );
        let theirs = text.matches("<title>dibs, authors: 5.5").count();
        assert_eq!(theirs, 3, "one at a word, none at a number that is none");
        assert_eq!(text.matches("<title>dibs, authors: ").count(), 3);
    }

    #[test]
    fn a_zero_on_a_log_axis_lies_on_the_edge_and_says_so() {
        let mut figure = figure(rates(), Scale::Log);
        figure.panels.truncate(1);
        figure.panels[0].points[1][0] = point(0.0);
        let drawing = chart(&figure);
        keep("one", &drawing);
        assert!(svg(&drawing).contains("font-weight=\"600\">0</text>"));
    }

    #[test]
    fn nothing_measured_is_still_a_figure() {
        let mut figure = figure(rates(), Scale::Log);
        for panel in &mut figure.panels {
            panel.points.iter_mut().flatten().for_each(|p| *p = None);
        }
        assert!(svg(&chart(&figure)).contains("query rate"));
    }
}
