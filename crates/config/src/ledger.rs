//! What the layers for every scheme came to, once all schemes are read.

use crate::problem::{At, Problems};
use std::collections::BTreeMap;

/// Keeps count, over all schemes, of what the layers for every scheme said.
#[derive(Default)]
pub struct Ledger {
    /// Parameters of a kind: did any scheme's kind have it, and what to say if not.
    asked: BTreeMap<At, (bool, String)>,
    /// Values that a scheme used.
    heard: Vec<At>,
    /// Values that a scheme replaced, with their dotted keys.
    silenced: BTreeMap<At, String>,
}

impl Ledger {
    /// A parameter for the kinds that have it; this scheme's kind does (`fits`) or does not.
    pub fn asked(&mut self, at: &At, fits: bool, message: String) {
        let seen = self.asked.entry(at.clone()).or_insert((false, message));
        seen.0 |= fits;
    }

    /// A scheme uses the value here.
    pub fn heard(&mut self, at: &At) {
        self.heard.push(at.clone());
    }

    /// A scheme has its own value instead of the one here.
    pub fn silenced(&mut self, at: &At, path: &str) {
        self.silenced.insert(at.clone(), path.to_string());
    }

    /// Reports the parameters that no scheme's kind has, and returns warnings about values
    /// that every scheme replaced.
    pub fn close(self, problems: &mut Problems) -> Vec<String> {
        for (at, (taken, message)) in self.asked {
            if !taken {
                problems.add(&at, message);
            }
        }
        let unheard = self
            .silenced
            .into_iter()
            .filter(|(at, _)| !self.heard.contains(at));
        unheard
            .map(|(at, path)| {
                format!(
                    "{}:{}:{}: {path} has no effect: every scheme says its own; [scheme.NAME.*] or --set would",
                    at.file, at.line, at.column
                )
            })
            .collect()
    }
}
