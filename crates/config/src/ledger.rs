//! Record of how the layers for every scheme were used, evaluated when all schemes are read.

use crate::problem::{At, Problems};
use std::collections::BTreeMap;

/// Record, over all schemes, of the use of values from layers for every scheme.
#[derive(Default)]
pub struct Ledger {
    /// Parameters of a kind: true if any scheme's kind has it, and the message otherwise.
    asked: BTreeMap<At, (bool, String)>,
    /// Values that a scheme used.
    used: Vec<At>,
    /// Values that a scheme overrides, with their dotted keys.
    overridden: BTreeMap<At, String>,
}

impl Ledger {
    /// Records a parameter of a kind, and whether this scheme's kind has it (`fits`).
    pub fn asked(&mut self, at: &At, fits: bool, message: String) {
        let seen = self.asked.entry(at.clone()).or_insert((false, message));
        seen.0 |= fits;
    }

    /// Records that a scheme uses the value at this place.
    pub fn used(&mut self, at: &At) {
        self.used.push(at.clone());
    }

    /// Records that a scheme overrides the value at this place.
    pub fn overridden(&mut self, at: &At, path: &str) {
        self.overridden.insert(at.clone(), path.to_string());
    }

    /// Reports the parameters that no scheme's kind has, and returns warnings about values that every scheme
    /// overrides.
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
                    "{}:{}:{}: {path} has no effect: every scheme sets its own; set it in \
                     [scheme.NAME.*] or with --set instead",
                    at.file, at.line, at.column
                )
            })
            .collect()
    }
}
