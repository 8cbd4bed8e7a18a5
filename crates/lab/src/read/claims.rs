//! `[[claim]]`: a sentence of a paper, and the numbers that count as reproducing it.

use super::axes::ReadAxis;
use super::fixed::fixed;
use super::names::stem;
use super::reader::Reader;
use crate::claim::{Accept, Claim, Compare, NO_NUMBER, PointCombination, Verdict};
use crate::tables::CLAIM;
use sidestep_config::document::{Item, Node, Table, find};
use sidestep_config::problem::{At, Problems, suggest};
use std::collections::BTreeMap;

/// Keys that hold a table of axes and values instead of text.
pub const POINTS: [&str; 3] = ["at", "less", "per"];

impl Reader<'_> {
    /// Reads all claims.
    pub(super) fn claims(
        &self,
        root: &Table,
        schemes: &[(String, At)],
        axes: &[ReadAxis],
        problems: &mut Problems,
    ) -> Option<Vec<Claim>> {
        let Some(entry) = find(root, "claim") else {
            return Some(Vec::new());
        };
        let Item::List(nodes) = &entry.node.item else {
            let got = entry.node.item.kind();
            problems.add(
                &entry.node.at,
                format!("claim: expected [[claim]], got {got}"),
            );
            return None;
        };
        let all: Vec<_> = nodes
            .iter()
            .map(|node| self.claim(root, node, schemes, axes, problems))
            .collect();
        all.into_iter().collect()
    }

    fn claim(
        &self,
        root: &Table,
        node: &Node,
        schemes: &[(String, At)],
        axes: &[ReadAxis],
        problems: &mut Problems,
    ) -> Option<Claim> {
        let words = Words::read(node, problems)?;
        let [at, less, per] = POINTS.map(|key| words.points(key, axes, problems));
        let metric = words.keep("metric", self.metric(words.text("metric")), problems);
        let compare = Compare::parse(words.text("compare"));
        self.check_compared(&compare, schemes, &words, problems)?;
        let paper = words.paper(problems);
        let own = words.choose("own", &[("true", true), ("false", false)], problems);
        let accept = words.accept("accept", problems);
        let over = words.choose("over", &PointCombination::ALL, problems);
        let expect = words.choose("expect", &Verdict::ALL, problems);
        if let Some(None) = expect {
            words.refuse("expect", "expect: expected a verdict, got none", problems);
        }
        let testbed_expect = words.choose("testbed_expect", &Verdict::ALL, problems);
        let expect_between = match words.text("expect_between") {
            "" => Some(None),
            _ => words.accept("expect_between", problems).map(Some),
        };
        let (at, over, less, per) = (at?, over?, less?, per?);
        let several = points_at(&at, axes, |axis| axis.declared.len());
        words.check_points(over, several, !less.is_empty() && !per.is_empty(), problems)?;
        let (expect, paper) = (expect??, paper?);
        let own = own?.unwrap_or_else(|| {
            words.text("figure").is_empty() && paper.is_none() && find(root, "figure").is_none()
        });
        Some(Claim {
            id: words.text_or("id", "metric"),
            figure: words.text("figure").into(),
            says: words.text("says").into(),
            metric: metric?,
            compare,
            paper,
            own,
            accept: accept?,
            tolerance: words.text("tolerance").into(),
            gap: words.text("gap").into(),
            meant: points_at(&at, axes, |axis| axis.swept),
            at,
            over,
            less,
            per,
            testbed_expect: testbed_expect?.unwrap_or(expect),
            expect,
            testbed_gap: words.text_or("testbed_gap", "gap"),
            gap_sweep: words.text("gap_sweep").into(),
            expect_between: expect_between?,
            not_judged: words.some("not_judged").map(String::from),
        })
    }

    /// Refuses a scheme that is not one of the scenario's. `None` if it refused one.
    fn check_compared(
        &self,
        compare: &Compare,
        schemes: &[(String, At)],
        words: &Words<'_>,
        problems: &mut Problems,
    ) -> Option<()> {
        let stems = || schemes.iter().map(|(word, _)| stem(word));
        // `--set schemes=dibs` leaves a claim without an answer, but the claim is still valid.
        let is_known = |name: &&str| stems().any(|word| word == *name) || self.lists(name);
        let mut compared = compare.schemes().into_iter();
        let Some(name) = compared.find(|name| !is_known(name)) else {
            return Some(());
        };
        let less = stems().find_map(|first| {
            let rest = name.strip_prefix(first)?.strip_prefix('-')?;
            stems()
                .find(|second| rest == *second)
                .map(|second| (first, second))
        });
        let hint = match less {
            Some((first, second)) => {
                format!("; write a difference with spaces: \"{first} - {second}\"")
            }
            None => suggest(name, stems()),
        };
        let message = format!("compare: scheme {name:?} is not in schemes{hint}");
        words.refuse("compare", message, problems);
        None
    }
}

/// Returns the number of points at these values; an axis that is not fixed counts with `free`.
fn points_at(
    at: &[(String, String)],
    axes: &[ReadAxis],
    free: impl Fn(&ReadAxis) -> usize,
) -> usize {
    let size = |axis: &ReadAxis| {
        let named = at.iter().filter(|(name, _)| *name == axis.name).count();
        if named > 0 { named } else { free(axis) }
    };
    axes.iter().map(size).fold(1, usize::saturating_mul)
}

/// Claim as written: every key, given or by default, with its place.
struct Words<'a> {
    node: &'a Node,
    table: &'a Table,
    all: BTreeMap<&'static str, (&'a str, &'a At)>,
}

impl<'a> Words<'a> {
    /// Reads the keys; refuses unknown and missing ones. `None` if a key is missing or not a text.
    fn read(node: &'a Node, problems: &mut Problems) -> Option<Words<'a>> {
        let table = node.table("claim", problems)?;
        for entry in table {
            if !CLAIM.iter().any(|param| param.name == entry.key) {
                let hint = suggest(&entry.key, CLAIM.iter().map(|param| param.name));
                problems.add(
                    &entry.at,
                    format!("unknown key {:?} in [[claim]]{hint}", entry.key),
                );
            }
        }
        let mut all = BTreeMap::new();
        let plain = || CLAIM.iter().filter(|p| !POINTS.contains(&p.name));
        for param in plain() {
            let (name, doc) = (param.name, param.doc);
            match (find(table, name), param.default) {
                (Some(entry), _) => {
                    let text = entry.node.text(&format!("claim.{name}"), "text", problems);
                    all.insert(name, (text?, &entry.node.at));
                }
                (None, Some(default)) => {
                    all.insert(name, (default, &node.at));
                }
                (None, None) => {
                    problems.add(&node.at, format!("claim.{name} is missing: {doc}"));
                }
            }
        }
        let complete = all.len() == plain().count();
        complete.then_some(Words { node, table, all })
    }

    fn text(&self, key: &str) -> &'a str {
        self.all[key].0
    }

    /// Returns the text of `key`, unless it is empty.
    fn some(&self, key: &str) -> Option<&'a str> {
        Some(self.text(key)).filter(|text| !text.is_empty())
    }

    /// Returns the text of `key`, or else that of `other`.
    fn text_or(&self, key: &str, other: &str) -> String {
        self.some(key).unwrap_or(self.text(other)).to_string()
    }

    fn refuse(&self, key: &str, message: impl Into<String>, problems: &mut Problems) {
        problems.add(self.all[key].1, message);
    }

    /// Returns the value read of `key`; reports an error at its place.
    fn keep<T>(&self, key: &str, read: Result<T, String>, problems: &mut Problems) -> Option<T> {
        read.map_err(|message| self.refuse(key, message, problems))
            .ok()
    }

    /// Reads a word out of a few; `Some(None)` if the text is empty.
    fn choose<T: Copy>(
        &self,
        key: &str,
        all: &[(&'static str, T)],
        problems: &mut Problems,
    ) -> Option<Option<T>> {
        let Some(word) = self.some(key) else {
            return Some(None);
        };
        let found = all.iter().find(|(name, _)| *name == word);
        if found.is_none() {
            let hint = suggest(word, all.iter().map(|(name, _)| *name));
            self.refuse(key, format!("{key}: {word:?} is unknown{hint}"), problems);
        }
        found.map(|(_, it)| Some(*it))
    }

    fn accept(&self, key: &str, problems: &mut Problems) -> Option<Accept> {
        let read = Accept::parse(self.text(key)).map_err(|message| format!("{key}: {message}"));
        self.keep(key, read, problems)
    }

    /// Reads the paper's number; `Some(None)` if it gives none.
    fn paper(&self, problems: &mut Problems) -> Option<Option<f64>> {
        let text = self.text("paper");
        if text.trim() == NO_NUMBER {
            return Some(None);
        }
        let number = text.trim().parse().ok().filter(|n: &f64| n.is_finite());
        if number.is_none() {
            let message = format!(
                "paper: expected a number, or {NO_NUMBER:?} if the paper gives none, got {text:?}"
            );
            self.refuse("paper", message, problems);
        }
        number.map(Some)
    }

    /// Reads the axes and values of one of [`POINTS`].
    fn points(
        &self,
        key: &str,
        axes: &[ReadAxis],
        problems: &mut Problems,
    ) -> Option<Vec<(String, String)>> {
        let Some(entry) = find(self.table, key) else {
            return Some(Vec::new());
        };
        let several = key == "at";
        fixed(
            &format!("claim.{key}"),
            &entry.node,
            axes,
            several,
            problems,
        )
    }

    /// Refuses a difference that is also a ratio (`both`), and `several` points without a word that combines
    /// them.
    fn check_points(
        &self,
        over: Option<PointCombination>,
        several: usize,
        both: bool,
        problems: &mut Problems,
    ) -> Option<()> {
        let message = if both {
            "claim: less and per exclude each other: a difference or a ratio".to_string()
        } else if over.is_none() && several > 1 {
            let [max, min, mean, each] = PointCombination::ALL.map(|(name, _)| name);
            format!(
                "claim.over is missing: expected {max}, {min}, {mean} or {each}; the claim covers \
                 {several} points"
            )
        } else {
            return Some(());
        };
        problems.add(&self.node.at, message);
        None
    }
}
