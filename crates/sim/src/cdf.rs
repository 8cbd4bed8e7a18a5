//! Flow-size distributions: parsing, mean, and drawing.
//!
//! **Decision**     a distribution is a list of points (size, share of flows up to that size).
//!                  [`Interpolation`] gives the sizes between two points. It changes the mean by
//!                  up to 1.85 times, so it is part of a scenario.
//!                  Rows that repeat a size are an atom: that share of flows has exactly this
//!                  size. A first row above 0 is an atom too: no flow is smaller.
//!                  `uniform 2 kB..98 kB` instead of a file is even between both ends.
//! **Units**        bytes of payload; shares of flows in 0..=1. A drawn size is rounded to the
//!                  nearest byte and at least 1; [`SizeCdf::mean`] is of the unrounded curve.
//! **Errors**       `name:line: expected …, got …`: a size that falls, a share that falls or
//!                  leaves 0..=1, a last share other than 1, no size above 0. `uniform` without two
//!                  sizes, the smaller first, or with the rule `step`, which would leave only the larger.
//! **Source**       `data/cdf/`; every file names its paper and where its numbers were found.
//! **Deviations**   both interpolations are in use: ns-2, HPCC and TrafficGenerator draw
//!                  linearly between points, Homa draws the points themselves.

use crate::files::Files;
use crate::plan::FlowPlan;
use crate::table::{RowErrors, Table};
use sidestep_types::{Param, ParamUnit, Refusal, Settings, Value, Words};

/// Rule for sizes between two points of a distribution.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Words)]
pub enum Interpolation {
    /// Sizes are spread evenly between the points.
    Linear,
    /// All sizes are those of the upper point.
    Step,
}

/// The setting of workloads that draw sizes.
#[derive(Clone, Copy, Settings)]
pub(crate) struct Rule {
    /// sizes between two points; assumed: as ns-2 and HPCC draw them
    #[setting(default = "linear")]
    pub interpolation: Interpolation,
}

/// Distribution of flow sizes.
#[derive(Clone, Debug, PartialEq)]
pub struct SizeCdf {
    /// Points of the curve: never empty; neither field ever falls; the last share is 1.
    points: Vec<Point>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Point {
    size: f64,
    /// Share of flows no larger than `size`.
    share: f64,
}

/// Largest size; `f64`, with 53 bits, holds sizes up to it exactly.
const LARGEST: u64 = FlowPlan::LARGEST;

const HEADER: &str = "size_bytes,cumulative_probability";

impl SizeCdf {
    /// The distribution called `name`, the parameter `cdf`, where sizes are drawn by `rule`.
    pub(crate) fn of(name: &str, rule: Rule, files: &dyn Files) -> Result<SizeCdf, Refusal> {
        let cdf = SizeCdf::load(name, files).map_err(|why| Refusal::about(&["cdf"], why))?;
        if rule.interpolation == Interpolation::Step && uniform(name).is_some() {
            let expected = "expected interpolation = \"linear\" with cdf = \"uniform …\", which \
                            spreads sizes between its ends";
            return Err(Refusal::about(&["interpolation", "cdf"], expected).got("\"step\""));
        }
        Ok(cdf)
    }

    /// Returns the shipped distribution called `name`, or the uniform one it describes, or else reads the file
    /// at that path.
    pub fn load(name: &str, files: &dyn Files) -> Result<SizeCdf, String> {
        if let Some(text) = shipped(name) {
            return SizeCdf::parse(name, text);
        }
        if let Some(ends) = uniform(name) {
            return SizeCdf::uniform(name, ends);
        }
        let text = files.read(name).map_err(|why| {
            let near = nearby(name);
            format!("{name:?} is neither a shipped distribution{near} nor a readable file: {why}")
        })?;
        SizeCdf::parse(name, &text)
    }

    /// Returns sizes spread evenly between these ends, both included; errors call it `name`.
    fn uniform(name: &str, ends: &str) -> Result<SizeCdf, String> {
        let refuse = |expected: String| Err(format!("{name:?}: expected {expected}"));
        let Ok(Value::ByteRange(least, most)) = Value::parse(ends, &ENDS).map_err(drop) else {
            return refuse("\"uniform 2 kB..98 kB\", the smaller first".into());
        };
        if least == most {
            return refuse("two sizes, such as \"uniform 2 kB..98 kB\"".into());
        }
        if least == 0 || most > LARGEST {
            return refuse(format!("sizes from 1 B to {LARGEST} B"));
        }
        let point = |size, share| Point {
            size: size as f64,
            share,
        };
        Ok(SizeCdf {
            points: vec![point(least, 0.0), point(most, 1.0)],
        })
    }

    /// Parses `text`; errors call it `name`.
    pub fn parse(name: &str, text: &str) -> Result<SizeCdf, String> {
        let table = Table::read(name, text, HEADER)?;
        table.require_header(HEADER)?;
        let mut last = (0, 0.0, table.header);
        let points = table.each(|row| {
            let refuse = |expected: &str, got: &str| table.error(row.line, expected, got);
            let (size, share) = (row.cell(0), row.cell(1));
            let bytes = match size.parse().ok().filter(|s: &u64| *s <= LARGEST) {
                None => {
                    let expected = format!("a whole number of bytes up to {LARGEST}");
                    Err(refuse(&expected, &format!("{size:?}")))
                }
                Some(bytes) if bytes < last.0 => {
                    let expected = format!("a size of at least {} (the row above)", last.0);
                    Err(refuse(&expected, size))
                }
                Some(bytes) => Ok(bytes),
            };
            let up_to = match share.parse().ok().filter(|p| (0.0..=1.0).contains(p)) {
                None => Err(refuse("a probability from 0 to 1", &format!("{share:?}"))),
                Some(up_to) if up_to < last.1 => {
                    let least = format!("a probability of at least {} (the row above)", last.1);
                    Err(refuse(&least, share))
                }
                Some(up_to) => Ok(up_to),
            };
            let mut wrong = RowErrors::default();
            let (bytes, up_to) = (wrong.keep(bytes), wrong.keep(up_to));
            let (bytes, up_to) = wrong.or(bytes.zip(up_to))?;
            last = (bytes, up_to, row.line);
            Ok(Point {
                size: bytes as f64,
                share: up_to,
            })
        })?;
        let (largest, total, line) = last;
        if total != 1.0 {
            let got = total.to_string();
            return Err(table.error(line, "the last probability to be 1", &got));
        }
        if largest == 0 {
            return Err(table.error(line, "at least one size above 0", "none"));
        }
        Ok(SizeCdf { points })
    }

    /// Returns the mean flow size in bytes, before rounding to whole bytes.
    pub fn mean(&self, rule: Interpolation) -> f64 {
        self.mean_of(rule, |from, to| (from + to) / 2.0, |size| size)
    }

    /// Returns the mean number of data packets of a flow, each with up to `mss` bytes.
    pub fn mean_packets(&self, rule: Interpolation, mss: u32) -> f64 {
        let mss = f64::from(mss.max(1));
        // Packets of a flow, summed over the sizes from 0 to `size`: whole packets, then a part.
        let sum = |size: f64| {
            let full = libm::floor(size / mss);
            mss * full * (full + 1.0) / 2.0 + (size - full * mss) * (full + 1.0)
        };
        let spread = |from: f64, to: f64| (sum(to) - sum(from)) / (to - from);
        let one = |size: f64| libm::ceil(size / mss).max(1.0);
        self.mean_of(rule, spread, one)
    }

    /// Returns the mean of a quantity that is `spread(a, b)` over sizes spread evenly from `a` to a larger `b`,
    /// and `at(a)` for the size `a`.
    fn mean_of(
        &self,
        rule: Interpolation,
        spread: impl Fn(f64, f64) -> f64,
        at: impl Fn(f64) -> f64,
    ) -> f64 {
        let first = self.points[0];
        let pairs = self.points.windows(2).map(|pair| {
            let (low, high) = (pair[0], pair[1]);
            let each = match rule {
                Interpolation::Linear if low.size < high.size => spread(low.size, high.size),
                _ => at(high.size),
            };
            each * (high.share - low.share)
        });
        at(first.size) * first.share + pairs.sum::<f64>()
    }

    /// Returns the size that a share `u` of flows does not exceed: in bytes, at least 1.
    pub fn quantile(&self, u: f64, rule: Interpolation) -> u64 {
        let above = self.points.partition_point(|p| p.share <= u);
        let size = match (above.checked_sub(1), self.points.get(above)) {
            (None, _) => self.points[0].size,
            (Some(last), None) => self.points[last].size,
            (Some(_), Some(high)) if rule == Interpolation::Step => high.size,
            (Some(below), Some(high)) => {
                let low = self.points[below];
                let part = (u - low.share) / (high.share - low.share);
                low.size + part * (high.size - low.size)
            }
        };
        (libm::round(size) as u64).max(1)
    }

    /// Returns the share of flows smaller than `bytes`, before rounding to whole bytes.
    pub fn share_below(&self, bytes: u64, rule: Interpolation) -> f64 {
        let bytes = bytes as f64;
        let reach = self.points.partition_point(|p| p.size < bytes);
        match (reach.checked_sub(1), self.points.get(reach)) {
            (None, _) => 0.0,
            (Some(last), None) => self.points[last].share,
            (Some(last), Some(_)) if rule == Interpolation::Step => self.points[last].share,
            (Some(last), Some(high)) => {
                let low = self.points[last];
                let part = (bytes - low.size) / (high.size - low.size);
                low.share + part * (high.share - low.share)
            }
        }
    }
}

/// Parameter of a uniform distribution: its ends.
const ENDS: Param = Param::required("cdf", ParamUnit::ByteRange, "smallest to largest size");

/// Returns the ends in a name that describes a uniform distribution.
fn uniform(name: &str) -> Option<&str> {
    let rest = name.trim().strip_prefix("uniform")?;
    rest.starts_with([' ', '\t']).then(|| rest.trim())
}

/// Returns the text of the shipped distribution called `name`.
pub fn shipped(name: &str) -> Option<&'static str> {
    let found = SHIPPED.iter().find(|(shipped, _)| *shipped == name);
    found.map(|(_, text)| *text)
}

/// Returns shipped names with the same first characters as `name`, for a message.
fn nearby(name: &str) -> String {
    let start: String = name.chars().take(4).collect();
    let names = SHIPPED.iter().map(|(n, _)| *n);
    let near: Vec<_> = names.filter(|n| n.starts_with(&start)).collect();
    if near.is_empty() || start.is_empty() {
        return String::new();
    }
    format!(" (similar names: {})", near.join(", "))
}

/// Defines `SHIPPED` from the files of `data/cdf/` that hold flow sizes.
macro_rules! shipped {
    ($($name:literal)*) => {
        /// Distributions shipped with Sidestep: name and text.
        pub const SHIPPED: &[(&str, &str)] = &[
            $(($name, include_str!(concat!("../../../data/cdf/", $name, ".csv"))),)*
        ];
    };
}

shipped! {
    "alibaba_storage2019_hpcc"
    "datamining_conweave"
    "datamining_opera_digitised"
    "datamining_vl2_bytes"
    "datamining_vl2_packets_ns2"
    "fb_cachefollower_all_parsimon"
    "fb_cachefollower_conweave"
    "fb_cachefollower_intracluster_homa"
    "fb_hadoop_all_homa"
    "fb_hadoop_all_parsimon"
    "fb_hadoop_hpcc"
    "fb_hadoop_interrack_opera"
    "fb_hadoop_intracluster_parsimon"
    "fb_hadoop_intrarack_parsimon"
    "fb_memcached_etc_trafficgenerator"
    "fb_webserver_all_parsimon"
    "fb_webserver_conweave"
    "fb_webserver_intracluster_homa"
    "google_allrpc_homa"
    "google_rpc2008_hpcc"
    "google_searchrpc_homa"
    "homa_w1"
    "homa_w2"
    "homa_w3"
    "homa_w4"
    "homa_w5"
    "imc10_aditya_packets_ns2"
    "imc10_edu1_flowsize_lomas"
    "imc10_edu2_flowsize_lomas"
    "websearch_abm_bytes"
    "websearch_conweave"
    "websearch_dctcp_bytes"
    "websearch_dctcp_bytes_fraction"
    "websearch_dctcp_packets_ns2"
    "websearch_opera_digitised"
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::NoFiles;
    use Interpolation::{Linear, Step};

    fn cdf(rows: &str) -> Result<SizeCdf, String> {
        SizeCdf::parse("t.csv", &format!("{HEADER}\n{rows}"))
    }

    fn load(name: &str) -> SizeCdf {
        SizeCdf::load(name, &NoFiles).unwrap()
    }

    /// Returns the number in the comment `key` of a shipped file.
    fn stated(text: &str, key: &str) -> f64 {
        let line = (text.lines()).find_map(|l| l.strip_prefix(&format!("# {key}: ")));
        line.expect("the comment is there").trim().parse().unwrap()
    }

    #[test]
    fn every_shipped_file_has_the_two_means_its_header_states() {
        for (name, text) in SHIPPED {
            let cdf = load(name);
            for (key, rule) in [("linear_interpolation", Linear), ("step", Step)] {
                let stated = stated(text, &format!("mean_bytes_{key}"));
                let off = (cdf.mean(rule) - stated).abs();
                // The headers give one decimal.
                assert!(
                    off <= (stated * 1e-6).max(0.051),
                    "{name} {rule:?}: off by {off}"
                );
            }
        }
    }

    #[test]
    fn every_file_in_the_folder_is_shipped_unless_it_holds_no_sizes() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../data/cdf");
        for file in std::fs::read_dir(folder).unwrap() {
            let path = file.unwrap().path();
            let name = path.file_stem().unwrap().to_str().unwrap().to_string();
            let sizes =
                path.extension().is_some_and(|e| e == "csv") && !name.contains("interarrival");
            assert_eq!(shipped(&name).is_some(), sizes, "{name}");
        }
    }

    #[test]
    fn the_share_below_100_kb_tells_the_background_of_dibs_from_web_search() {
        for (name, share) in [
            ("websearch_dctcp_bytes", 0.54),
            ("imc10_aditya_packets_ns2", 0.82),
            ("fb_webserver_conweave", 0.81),
        ] {
            let got = load(name).share_below(100_000, Linear);
            assert!((got - share).abs() < 0.005, "{name}: {got}");
        }
    }

    #[test]
    fn a_repeated_size_and_a_first_share_above_0_are_atoms() {
        let both = cdf("100,0.2\n100,0.5\n300,0.5\n300,0.75\n500,1\n").unwrap();
        for u in [0.0, 0.2, 0.49] {
            assert_eq!(both.quantile(u, Linear), 100);
        }
        assert_eq!(both.quantile(0.6, Linear), 300);
        assert_eq!(both.quantile(0.875, Linear), 400);
        assert_eq!(both.quantile(0.875, Step), 500);
        assert_eq!(both.quantile(1.0, Linear), 500);
        assert_eq!(both.mean(Linear), 0.5 * 100.0 + 0.25 * 300.0 + 0.25 * 400.0);
        assert_eq!(both.mean(Step), 0.5 * 100.0 + 0.25 * 300.0 + 0.25 * 500.0);
        assert_eq!(both.share_below(100, Linear), 0.0);
        assert_eq!(both.share_below(101, Linear), 0.5);
        assert_eq!(both.share_below(400, Linear), 0.875);
        assert_eq!(both.share_below(400, Step), 0.75);
        assert_eq!(both.share_below(501, Step), 1.0);
    }

    #[test]
    fn the_smallest_flow_has_one_byte() {
        let cdf = cdf("0,0\n10,1\n").unwrap();
        assert_eq!(cdf.quantile(0.0, Linear), 1);
        // Under the step rule no flow has the size of a first row without a share.
        assert_eq!(cdf.quantile(0.0, Step), 10);
    }

    #[test]
    fn uniform_sizes_need_no_file() {
        let short = load("uniform 2 kB..98 kB");
        assert_eq!(short.mean(Linear), 50_000.0);
        let at = [0.0, 0.25, 0.5, 0.999_999_9].map(|u| short.quantile(u, Linear));
        assert_eq!(at, [2_000, 26_000, 50_000, 98_000]);
        assert_eq!(short.share_below(50_000, Linear), 0.5);
        assert_eq!(load(" uniform\t1..3 B"), load("uniform 1 B..3 B"));
        let said = |name| SizeCdf::load(name, &NoFiles).unwrap_err();
        assert_eq!(
            said("uniform 98 kB..2 kB"),
            "\"uniform 98 kB..2 kB\": expected \"uniform 2 kB..98 kB\", the smaller first"
        );
        assert!(
            said("uniform 2 kB").ends_with("expected two sizes, such as \"uniform 2 kB..98 kB\"")
        );
        assert!(said("uniform 2 kB..2 kB").contains("expected two sizes"));
        assert!(said("uniform 0 B..2 kB").contains("expected sizes from 1 B to"));
        assert!(said("uniform 1 s..2 s").contains("the smaller first"));
        assert!(said("uniformly").contains("is neither a shipped distribution"));
    }

    #[test]
    fn packets_are_counted_flow_by_flow() {
        // 1..=1000 bytes are one packet, 1001..=2000 two.
        let even = cdf("0,0\n2000,1\n").unwrap();
        assert!((even.mean_packets(Linear, 1000) - 1.5).abs() < 1e-12);
        assert_eq!(even.mean_packets(Step, 1000), 2.0);
        let atom = cdf("1000,0.5\n1001,0.5\n1001,1\n").unwrap();
        assert_eq!(atom.mean_packets(Step, 1000), 1.5);
    }

    #[test]
    fn what_is_no_distribution_is_refused_where_it_stands() {
        let said = |rows| cdf(rows).unwrap_err();
        assert_eq!(
            said("2 kB,1\n"),
            "t.csv:2: expected a whole number of bytes up to 17592186044415, got \"2 kB\""
        );
        assert_eq!(
            said("1,0\n2,100\n"),
            "t.csv:3: expected a probability from 0 to 1, got \"100\""
        );
        assert_eq!(
            said("1,NaN\n"),
            "t.csv:2: expected a probability from 0 to 1, got \"NaN\""
        );
        assert_eq!(
            said("9,0\n8,1\n"),
            "t.csv:3: expected a size of at least 9 (the row above), got 8"
        );
        assert!(said("1,0.5\n2,0.4\n").contains("at least 0.5 (the row above), got 0.4"));
        assert_eq!(
            said("1,0.5\n"),
            "t.csv:2: expected the last probability to be 1, got 0.5"
        );
        assert_eq!(
            said(""),
            "t.csv:1: expected the last probability to be 1, got 0"
        );
        assert_eq!(
            said("0,1\n"),
            "t.csv:2: expected at least one size above 0, got none"
        );
        let said = SizeCdf::parse("t.csv", "size,share\n1,1\n").unwrap_err();
        assert!(said.starts_with("t.csv:1: expected the header"), "{said}");
    }

    #[test]
    fn an_unknown_name_is_told_its_neighbours() {
        let said = SizeCdf::load("websearch", &NoFiles).unwrap_err();
        assert!(
            said.contains(
                "\"websearch\" is neither a shipped distribution (similar names: \
                 websearch_abm_bytes,"
            ),
            "{said}"
        );
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_answered_without_a_panic(text in "(size_bytes,cumulative_probability\n)?[0-9.,eNa#\"\n\r -]{0,60}|\\PC{0,40}") {
            if let Ok(cdf) = SizeCdf::parse("t", &text) {
                for rule in [Linear, Step] {
                    assert!(cdf.mean(rule) >= 0.0 && cdf.quantile(0.5, rule) >= 1);
                }
            }
        }

        #[test]
        fn quantile_and_share_below_undo_each_other(u in 0.0..1.0, file in 0..SHIPPED.len()) {
            let cdf = load(SHIPPED[file].0);
            for rule in [Linear, Step] {
                let size = cdf.quantile(u, rule);
                // Rounding moves a size by half a byte.
                proptest::prop_assert!(cdf.share_below(size.saturating_sub(1), rule) <= u);
                proptest::prop_assert!(cdf.share_below(size + 1, rule) >= u);
            }
        }
    }
}
