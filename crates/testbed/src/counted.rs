//! Counts of kernels and switches over all kept runs of a scheme, and their table.
//!
//! **Decision**     retransmissions minus the switches' drops are the least number of needless retransmissions:
//!                  a lost segment is retransmitted once for each loss.
//! **Units**        counts are means per run, over all hosts; goodput is in Mbps of the emulated network.

use crate::traffic::{HostCounters, Ran};
use std::collections::BTreeMap;

/// Counts over all kept runs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Counted {
    /// Counters of the kernels, summed over hosts and runs.
    pub hosts: BTreeMap<String, u64>,
    /// Number of runs.
    runs: u64,
    /// Frames that switches dropped; `None` if not counted.
    dropped: Option<u64>,
    /// Bytes read per flow and second as measured, summed over runs.
    goodput: f64,
}

/// Columns after goodput and drops: a heading, and the kernel counters that are summed.
const COLUMNS: [(&str, &[&str]); 8] = [
    ("TCPDSACKRecv", &["TCPDSACKRecv"]),
    ("TCPSACKReorder", &["TCPSACKReorder"]),
    ("TCPRenoReorder", &["TCPRenoReorder"]),
    ("fast recoveries", &["TCPRenoRecovery", "TCPSackRecovery"]),
    (
        "window cuts undone",
        &[
            "TCPFullUndo",
            "TCPPartialUndo",
            "TCPDSACKUndo",
            "TCPLossUndo",
        ],
    ),
    ("timeouts", &["TCPTimeouts"]),
    ("spurious timeouts", &["TCPSpuriousRTOs"]),
    ("dropped by agents", &["AgentDropped"]),
];

/// Note printed with the table.
pub const NOTE: &str = "Counts are means per run, over all hosts. Needless retransmissions are a \
                        lower bound: retransmissions minus the switches' drops. TCPDSACKRecv \
                        counts those that receivers report (D-SACK), only with SACK. \
                        TCPSACKReorder and TCPRenoReorder count packets that a sender judged late \
                        instead of lost; window cuts undone counts reductions that a sender took \
                        back.";

impl Counted {
    /// Adds one run, in which switches `dropped` frames.
    pub fn add(&mut self, ran: &Ran, dropped: Option<u64>) {
        for (key, n) in ran.hosts.iter().flat_map(|h: &HostCounters| &h.tcp) {
            *self.hosts.entry(key.clone()).or_default() += n;
        }
        self.dropped = match self.runs {
            0 => dropped,
            _ => self.dropped.zip(dropped).map(|(a, b)| a + b),
        };
        self.runs += 1;
        let bytes: u64 = ran.flows.iter().map(|flow| flow.delivered).sum();
        let flow_seconds = ran.flows.len() as f64 * ran.end_ns as f64 / 1e9;
        if flow_seconds > 0.0 {
            self.goodput += bytes as f64 / flow_seconds;
        }
    }

    /// Returns the names of the columns.
    pub fn head() -> Vec<String> {
        let first = [
            "scheme",
            "goodput per flow, Mbps",
            "retransmissions",
            "dropped by switches",
            "needless retransmissions, at least",
        ];
        let rest = COLUMNS.iter().map(|(name, _)| *name);
        first.into_iter().chain(rest).map(String::from).collect()
    }

    /// Returns the row of a scheme on a testbed that is slower by `scale`.
    pub fn row(&self, scheme: &str, scale: f64) -> Vec<String> {
        let runs = self.runs as f64;
        let each = |n: Option<u64>| match n {
            Some(n) if self.runs > 0 => rounded(n as f64 / runs),
            _ => "-".to_string(),
        };
        let sum = |keys: &[&str]| {
            let found: Vec<u64> = keys
                .iter()
                .filter_map(|k| self.hosts.get(*k).copied())
                .collect();
            (!found.is_empty()).then(|| found.iter().sum::<u64>())
        };
        let again = sum(&["RetransSegs"]);
        let in_vain = again.zip(self.dropped).map(|(a, d)| a.saturating_sub(d));
        let goodput = match self.runs {
            0 => "-".to_string(),
            _ => rounded(self.goodput / runs * 8.0 / 1e6 * scale),
        };
        let mut row = vec![scheme.to_string(), goodput];
        row.extend([again, self.dropped, in_vain].map(each));
        row.extend(COLUMNS.iter().map(|(_, keys)| each(sum(keys))));
        row
    }
}

fn rounded(value: f64) -> String {
    match value {
        v if v != 0.0 && v < 100.0 => format!("{v:.1}"),
        v => format!("{v:.0}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::traffic::FlowRan;

    fn ran(counts: &[(&str, u64)]) -> Ran {
        let tcp = counts.iter().map(|(k, n)| (k.to_string(), *n)).collect();
        Ran {
            flows: vec![
                FlowRan {
                    delivered: 1_000_000,
                    ..FlowRan::default()
                };
                2
            ],
            hosts: vec![HostCounters {
                tcp,
                ..HostCounters::default()
            }],
            end_ns: 1_000_000_000,
            ..Ran::default()
        }
    }

    #[test]
    fn a_row_has_what_one_run_counts_on_average() {
        let mut counted = Counted::default();
        let heads = Counted::head();
        let of = |counted: &Counted, name: &str| {
            let row = counted.row("rr", 10.0);
            assert_eq!(row.len(), heads.len());
            row[heads.iter().position(|head| head == name).unwrap()].clone()
        };
        assert_eq!(of(&counted, "retransmissions"), "-");
        counted.add(&ran(&[("RetransSegs", 7), ("TCPFullUndo", 1)]), Some(2));
        counted.add(&ran(&[("RetransSegs", 8), ("TCPDSACKUndo", 4)]), Some(3));
        assert_eq!(of(&counted, "scheme"), "rr");
        // One megabyte per second, on a testbed ten times slower.
        assert_eq!(of(&counted, "goodput per flow, Mbps"), "80.0");
        assert_eq!(of(&counted, "retransmissions"), "7.5");
        assert_eq!(of(&counted, "needless retransmissions, at least"), "5.0");
        assert_eq!(of(&counted, "window cuts undone"), "2.5");
        assert_eq!(of(&counted, "TCPDSACKRecv"), "-");
        // Bridges count no drops.
        counted.add(&ran(&[("RetransSegs", 0)]), None);
        assert_eq!(of(&counted, "needless retransmissions, at least"), "-");
    }
}
