//! `[[claim]]`: a paper's sentence, and what would count as reproducing it.

use super::axes::ReadAxis;
use super::fixed::fixed;
use super::reader::Reader;
use super::words::stem;
use crate::claim::{Accept, Claim, Compare, NO_NUMBER, Over, Verdict};
use crate::tables::CLAIM;
use sidestep_config::document::{Item, Node, Table, find};
use sidestep_config::problem::{At, Problems, suggest};
use std::collections::BTreeMap;

/// Keys that hold a table of axes and values, and no text.
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
        let words = read_words(node, problems)?;
        let table = node.table("claim", problems)?;
        let mut points = |key: &str| match find(table, key) {
            Some(entry) => fixed(
                &format!("claim.{key}"),
                &entry.node,
                axes,
                key == "at",
                problems,
            ),
            None => Some(Vec::new()),
        };
        let (at, less, per) = (points("at"), points("less"), points("per"));
        let text = |key: &str| words[key].0.to_string();
        let mut refuse = |key: &str, message: String| problems.add(words[key].1, message);
        let metric = self.metric(&text("metric"));
        if let Err(message) = &metric {
            refuse("metric", message.clone());
        }
        let compare = Compare::parse(&text("compare"));
        for name in compare.schemes() {
            let chosen = schemes.iter().any(|(word, _)| stem(word) == name);
            // `--set schemes=dibs` leaves a claim without an answer, not without a meaning.
            if !chosen && !self.lists(name) {
                let stems = || schemes.iter().map(|(word, _)| stem(word));
                let less = stems().find_map(|first| {
                    let rest = name.strip_prefix(first)?.strip_prefix('-')?;
                    stems()
                        .find(|second| rest == *second)
                        .map(|second| (first, second))
                });
                let hint = match less {
                    Some((first, second)) => {
                        format!("; a difference has spaces: \"{first} - {second}\"")
                    }
                    None => suggest(name, stems()),
                };
                refuse(
                    "compare",
                    format!("compare: scheme {name:?} is not one of schemes{hint}"),
                );
                return None;
            }
        }
        let paper = text("paper");
        let paper = match paper.trim() {
            NO_NUMBER => Some(None),
            word => word.parse().ok().filter(|n: &f64| n.is_finite()).map(Some),
        };
        if paper.is_none() {
            refuse(
                "paper",
                format!(
                    "paper: expected a number, or {NO_NUMBER:?} when it gives none, got {:?}",
                    text("paper")
                ),
            );
        }
        let own = choose("own", words["own"].0, &[("true", true), ("false", false)]);
        if let Err(message) = &own {
            refuse("own", message.clone());
        }
        let accept = Accept::parse(&text("accept"));
        if let Err(message) = &accept {
            refuse("accept", format!("accept: {message}"));
        }
        let over = choose("over", words["over"].0, &Over::ALL);
        if let Err(message) = &over {
            refuse("over", message.clone());
        }
        let expect = choose("expect", words["expect"].0, &Verdict::ALL);
        match &expect {
            Ok(Some(_)) => {}
            Ok(None) => refuse("expect", "expect: expected a verdict, got none".into()),
            Err(message) => refuse("expect", message.clone()),
        }
        let on_testbed = choose("testbed_expect", words["testbed_expect"].0, &Verdict::ALL);
        if let Err(message) = &on_testbed {
            refuse("testbed_expect", message.clone());
        }
        let between = match words["expect_between"].0 {
            "" => Ok(None),
            text => Accept::parse(text).map(Some),
        };
        if let Err(message) = &between {
            refuse("expect_between", format!("expect_between: {message}"));
        }
        let (at, over, less, per) = (at?, over.ok()?, less?, per?);
        if !less.is_empty() && !per.is_empty() {
            problems.add(
                &node.at,
                "claim: less and per exclude each other: a difference or a ratio",
            );
            return None;
        }
        let several = points_at(&at, axes, |axis| axis.declared.len());
        let meant = points_at(&at, axes, |axis| axis.swept);
        if over.is_none() && several > 1 {
            let [max, min, mean, each] = Over::ALL.map(|(name, _)| name);
            problems.add(
                &node.at,
                format!("claim.over is missing: it speaks of {several} points: {max}, {min}, {mean} or {each}"),
            );
            return None;
        }
        let expect = expect.ok()??;
        let own = own.ok()?.unwrap_or_else(|| {
            words["figure"].0.is_empty() && paper == Some(None) && find(root, "figure").is_none()
        });
        let id = match words["id"].0 {
            "" => text("metric"),
            id => id.to_string(),
        };
        Some(Claim {
            id,
            figure: text("figure"),
            says: text("says"),
            metric: metric.ok()?,
            compare,
            paper: paper?,
            own,
            accept: accept.ok()?,
            tolerance: text("tolerance"),
            gap: text("gap"),
            at,
            meant,
            over,
            less,
            per,
            testbed_expect: on_testbed.ok()?.unwrap_or(expect),
            expect,
            testbed_gap: match words["testbed_gap"].0 {
                "" => text("gap"),
                gap => gap.to_string(),
            },
            gap_sweep: text("gap_sweep"),
            expect_between: between.ok()?,
            not_judged: (!words["not_judged"].0.is_empty()).then(|| text("not_judged")),
        })
    }
}

/// One of a few words; `None` when there is none.
fn choose<T: Copy>(key: &str, word: &str, all: &[(&'static str, T)]) -> Result<Option<T>, String> {
    if word.is_empty() {
        return Ok(None);
    }
    let found = all.iter().find(|(name, _)| *name == word);
    let unknown = || {
        let hint = suggest(word, all.iter().map(|(name, _)| *name));
        format!("{key}: {word:?} is unknown{hint}")
    };
    found.map(|(_, it)| Some(*it)).ok_or_else(unknown)
}

/// How many points there are at these values, of an axis without one as many as `free` says.
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

/// Every key of a claim, given or by default, with its place.
fn read_words<'a>(
    node: &'a Node,
    problems: &mut Problems,
) -> Option<BTreeMap<&'static str, (&'a str, &'a At)>> {
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
    let mut words = BTreeMap::new();
    let plain = || CLAIM.iter().filter(|p| !POINTS.contains(&p.name));
    for param in plain() {
        match (find(table, param.name), param.default) {
            (Some(entry), _) => {
                let text = entry
                    .node
                    .text(&format!("claim.{}", param.name), "text", problems);
                words.insert(param.name, (text?, &entry.node.at));
            }
            (None, Some(default)) => {
                words.insert(param.name, (default, &node.at));
            }
            (None, None) => {
                problems.add(
                    &node.at,
                    format!("claim.{} is missing: {}", param.name, param.doc),
                );
            }
        }
    }
    (words.len() == plain().count()).then_some(words)
}
