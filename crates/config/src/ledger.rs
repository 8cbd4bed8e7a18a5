//! What the layers for every scheme came to, once all schemes are read.

use crate::problem::{At, Problems};
use std::collections::BTreeMap;

/// Keeps count, over all schemes, of what the layers for every scheme said.
#[derive(Default)]
pub struct Ledger {
    /// Parameters of a kind: did any scheme's kind have it, and what to say if not.
    asked: BTreeMap<At, (bool, String)>,
    /// Values that a scheme used.
    used: Vec<At>,
    /// Values that a scheme overrides, with their dotted keys.
    overridden: BTreeMap<At, String>,
}

impl Ledger {
    /// A parameter for the kinds that have it; this scheme's kind does (`fits`) or does not.
    pub fn asked(&mut self, at: &At, fits: bool, message: String) {
        let seen = self.asked.entry(at.clone()).or_insert((false, message));
        seen.0 |= fits;
    }

    /// A scheme uses the value here.
    pub fn used(&mut self, at: &At) {
        self.used.push(at.clone());
    }

    /// A scheme has its own value instead of the one here.
    pub fn overridden(&mut self, at: &At, path: &str) {
        self.overridden.insert(at.clone(), path.to_string());
    }

    /// Reports the parameters that no scheme's kind has, and returns warnings about values
    /// that every scheme overrides.
    pub fn close(self, problems: &mut Problems) -> Vec<String> {
        for (at, (taken, message)) in self.asked {
            if !taken {
                problems.add(&at, message);
            }
        }
        let without_effect = self
            .overridden
            .into_iter()
            .filter(|(at, _)| !self.used.contains(at));
        without_effect
            .map(|(at, path)| {
                format!(
                    "{}:{}:{}: {path} has no effect: every scheme says its own; [scheme.NAME.*] or --set would",
                    at.file, at.line, at.column
                )
            })
            .collect()
    }
}
