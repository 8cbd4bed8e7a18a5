//! `[[claim]]`: a paper's sentence, and what would count as reproducing it.

use super::document::{Item, Node, find};
use super::problem::{At, Problems, suggest};
use super::{Reader, stem};
use crate::claim::{Accept, Claim, Compare};
use crate::stats::metric;
use crate::tables::CLAIM;
use std::collections::BTreeMap;

impl Reader<'_> {
    /// Reads all claims.
    pub(super) fn claims(
        &self,
        schemes: &[(String, At)],
        problems: &mut Problems,
    ) -> Option<Vec<Claim>> {
        let Some(entry) = find(&self.root, "claim") else {
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
            .map(|node| self.claim(node, schemes, problems))
            .collect();
        all.into_iter().collect()
    }

    fn claim(
        &self,
        node: &Node,
        schemes: &[(String, At)],
        problems: &mut Problems,
    ) -> Option<Claim> {
        let words = read_words(node, problems)?;
        let text = |key: &str| words[key].0.to_string();
        let mut refuse = |key: &str, message: String| problems.add(words[key].1, message);
        let metric = metric::find(&text("metric"));
        if metric.is_none() {
            let name = text("metric");
            let hint = suggest(&name, metric::METRICS.iter().map(|metric| metric.name));
            refuse("metric", format!("metric {name:?} is unknown{hint}"));
        }
        let compare = Compare::parse(&text("compare"));
        for name in compare.schemes() {
            let chosen = schemes.iter().any(|(word, _)| stem(word) == name);
            // `--set schemes=dibs` leaves a claim without an answer, not without a meaning.
            if !chosen && !self.lists(name) {
                let hint = suggest(name, schemes.iter().map(|(word, _)| stem(word)));
                refuse(
                    "compare",
                    format!("compare: scheme {name:?} is not one of schemes{hint}"),
                );
                return None;
            }
        }
        let paper = text("paper")
            .trim()
            .parse()
            .ok()
            .filter(|n: &f64| n.is_finite());
        if paper.is_none() {
            refuse(
                "paper",
                format!("paper: expected a number, got {:?}", text("paper")),
            );
        }
        let accept = Accept::parse(&text("accept"));
        if let Err(message) = &accept {
            refuse("accept", format!("accept: {message}"));
        }
        let id = match words["id"].0 {
            "" => text("metric"),
            id => id.to_string(),
        };
        Some(Claim {
            id,
            figure: text("figure"),
            says: text("says"),
            metric: metric?.name,
            compare,
            paper: paper?,
            accept: accept.ok()?,
            tolerance: text("tolerance"),
            gap: text("gap"),
            at: Vec::new(),
            over: None,
            less: Vec::new(),
            expect: crate::Verdict::Reproduced,
            gap_sweep: text("gap_sweep"),
        })
    }
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
    for param in CLAIM {
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
    (words.len() == CLAIM.len()).then_some(words)
}
