//! Machines of a host that have tables: agents below a sender, marks, classes by size, shims that restore
//! order, duplicate reports of a receiver, loss detection of a sender, and growth of coupled windows.
//!
//! All of them remember. Their rows are sequences; each has one setting and is answered by one machine.

mod agent;
mod by_size;
mod cells;
mod coupled;
mod detection;
mod dialogue;
mod mark;
mod order;
mod receiver;
mod tcp;
mod threshold;

use crate::row::Row;
use crate::settings::Setting;
use crate::table::Table;
use sidestep_transport::{LossDetection, ThresholdRule, mptcp::Coupling, shim};
use sidestep_types::{Entry, Seed};

/// Machine of a host whose rows can be drawn.
#[derive(Clone, Copy)]
pub struct Machine {
    /// `shim`, `receiver`, `threshold`, `detection` or `coupled`.
    pub seam: &'static str,
    /// Entry in the registry.
    pub entry: &'static Entry,
    /// Rows of a sequence.
    pub steps: u32,
    /// Sequences of the shipped table; each setting has at least one.
    pub sequences: u32,
    settings: fn(&'static Entry) -> Vec<Setting>,
    /// Function that returns the rows of sequence number `u32`.
    sequence: fn(&'static Entry, &Setting, u32, Seed) -> Vec<Row>,
}

/// Machines of one seam, apart from their names.
struct Kind {
    seam: &'static str,
    entries: &'static [Entry],
    has: fn(&Entry) -> bool,
    steps: u32,
    /// Sequences of the shipped table, unless there are more settings.
    sequences: u32,
    settings: fn(&'static Entry) -> Vec<Setting>,
    sequence: fn(&'static Entry, &Setting, u32, Seed) -> Vec<Row>,
}

static KINDS: [Kind; 8] = [
    Kind {
        seam: "shim",
        entries: shim::ENTRIES,
        has: |entry| shim::nature(entry.name).orders,
        steps: order::STEPS,
        sequences: order::SEQUENCES,
        settings: order::settings,
        sequence: order::sequence,
    },
    Kind {
        seam: "shim",
        entries: shim::ENTRIES,
        has: |entry| shim::nature(entry.name).tags,
        steps: mark::STEPS,
        sequences: 24,
        settings: mark::settings,
        sequence: mark::sequence,
    },
    Kind {
        seam: "shim",
        entries: shim::ENTRIES,
        has: |entry| shim::nature(entry.name).serves,
        steps: by_size::STEPS,
        sequences: 40,
        settings: by_size::settings,
        sequence: by_size::sequence,
    },
    Kind {
        seam: "shim",
        entries: shim::ENTRIES,
        has: |entry| shim::nature(entry.name).duplicates,
        steps: 96,
        sequences: 12,
        settings: agent::settings,
        sequence: agent::sequence,
    },
    Kind {
        seam: "receiver",
        entries: receiver::ENTRIES,
        has: |_| true,
        steps: 24,
        sequences: 24,
        settings: receiver::settings,
        sequence: receiver::sequence,
    },
    Kind {
        seam: "threshold",
        entries: ThresholdRule::ENTRIES,
        has: |_| true,
        steps: 96,
        sequences: 12,
        settings: threshold::settings,
        sequence: threshold::sequence,
    },
    Kind {
        seam: "detection",
        entries: LossDetection::ENTRIES,
        has: detection::has,
        steps: detection::STEPS,
        sequences: 64,
        settings: detection::settings,
        sequence: detection::sequence,
    },
    Kind {
        seam: "coupled",
        entries: Coupling::ENTRIES,
        has: |_| true,
        steps: 16,
        sequences: 32,
        settings: coupled::settings,
        sequence: coupled::sequence,
    },
];

/// Returns every machine of a host that has a table.
pub fn machines() -> impl Iterator<Item = Machine> {
    let of = |kind: &'static Kind| {
        let has = kind.entries.iter().filter(|entry| (kind.has)(entry));
        has.map(|entry| Machine {
            seam: kind.seam,
            entry,
            steps: kind.steps,
            sequences: kind.sequences.max((kind.settings)(entry).len() as u32),
            settings: kind.settings,
            sequence: kind.sequence,
        })
    };
    KINDS.iter().flat_map(of)
}

impl Table for Machine {
    fn seam(&self) -> &'static str {
        self.seam
    }

    fn entry(&self) -> &'static Entry {
        self.entry
    }

    fn shipped_rows(&self) -> u32 {
        self.sequences * self.steps
    }

    fn rows(&self, seed: Seed) -> Box<dyn Iterator<Item = Row>> {
        let (machine, settings) = (*self, (self.settings)(self.entry));
        Box::new((0..).flat_map(move |number: u32| {
            let setting = &settings[number as usize % settings.len()];
            let rows = (machine.sequence)(machine.entry, setting, number, seed);
            assert_eq!(rows.len() as u32, machine.steps, "a sequence has its steps");
            rows
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    /// Returns the inputs and answers of a machine in sequence `number`, without the name of the setting.
    fn said(machine: &Machine, setting: &Setting, number: u32) -> Vec<String> {
        let rows = (machine.sequence)(machine.entry, setting, number, Seed(1));
        let untold = |row: Row| crate::row::csv(std::iter::once(row)).replace(&setting.words, "");
        rows.into_iter().map(untold).collect()
    }

    /// Returns the changes of a setting, each as `name=value`.
    fn changes(setting: &Setting) -> Vec<&str> {
        let words = setting.words.split("; ");
        words.filter(|word| *word != "defaults").collect()
    }

    /// Returns true if the settings differ only in the parameter `name`.
    fn differs_in(one: &Setting, other: &Setting, name: &str) -> bool {
        let rest = |of: &Setting| -> Vec<String> {
            let others = changes(of).into_iter();
            let others = others.filter(|change| !change.starts_with(&format!("{name}=")));
            others.map(String::from).collect()
        };
        one.words != other.words && rest(one) == rest(other)
    }

    /// Checks that a different number of each parameter shows, all else being equal, and each of its words
    /// beside every other. A parameter without effect on the rows would not be tested by them.
    #[test]
    fn each_parameter_shows_in_the_shipped_sequences() {
        let mut unseen = Vec::new();
        for machine in machines() {
            let settings = (machine.settings)(machine.entry);
            let (mut all, mut seen) = (BTreeSet::new(), BTreeSet::new());
            for (i, setting) in (0..).zip(&settings) {
                for change in changes(setting) {
                    let (name, value) = change.split_once('=').unwrap();
                    let is_word = value.starts_with(char::is_alphabetic);
                    for other in settings.iter().filter(|s| differs_in(setting, s, name)) {
                        let theirs = changes(other).into_iter().find(|c| c.starts_with(name));
                        let what = match is_word {
                            true => (change, theirs),
                            false => (name, None),
                        };
                        all.insert(what);
                        let mut shipped = (i..machine.sequences).step_by(settings.len());
                        if shipped.any(|n| said(&machine, setting, n) != said(&machine, other, n)) {
                            seen.insert(what);
                        }
                    }
                }
            }
            let missing = all.difference(&seen);
            unseen.extend(missing.map(|what| format!("{}: {what:?}", machine.full_name())));
        }
        assert!(unseen.is_empty(), "nothing shows {unseen:#?}");
    }
}
