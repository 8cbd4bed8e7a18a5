//! `counts.parquet`: one row a count of a run.
//!
//! A sweep has no tables of flows and ports. Its counts include those that would be counted in these tables.

use crate::columns::{Col, columns};
use sidestep_lab::{ClassRecord, CountSource, Counts, Record};

/// Count of a run.
pub struct CountRow<'a> {
    /// Point of a sweep; empty for a single run.
    pub at: &'a [String],
    scheme: &'a str,
    seed: u64,
    disturbed: bool,
    class: &'a str,
    name: String,
    bin: Option<u64>,
    value: u64,
}

/// Lists the counts of a run: those of the whole, then those of each class.
pub fn count_rows<'a>(at: &'a [String], record: &'a Record) -> Vec<CountRow<'a>> {
    let mut all = Rows {
        at,
        record,
        class: "",
        rows: Vec::new(),
    };
    all.whole();
    if !at.is_empty() {
        all.of_flows();
    }
    for class in &record.classes {
        all.class = &class.name;
        all.of(class);
    }
    all.rows
}

struct Rows<'a> {
    at: &'a [String],
    record: &'a Record,
    class: &'a str,
    rows: Vec<CountRow<'a>>,
}

impl Rows<'_> {
    /// Adds a count, if it was measured.
    fn add(&mut self, name: &str, value: Option<u64>) {
        if let Some(value) = value {
            self.put(name, None, value);
        }
    }

    fn put(&mut self, name: &str, bin: Option<u64>, value: u64) {
        self.rows.push(CountRow {
            at: self.at,
            scheme: &self.record.scheme,
            seed: self.record.seed,
            disturbed: !self.record.marks.is_empty(),
            class: self.class,
            name: name.to_string(),
            bin,
            value,
        });
    }

    /// Adds the non-empty bins of a histogram, numbered from `first`.
    fn bins(&mut self, name: &str, first: u64, counts: &[u64]) {
        for (bin, count) in (first..).zip(counts).filter(|(_, count)| **count > 0) {
            self.put(name, Some(bin), *count);
        }
    }

    fn whole(&mut self) {
        let record = self.record;
        self.put("simulated_ps", None, record.end.0.ps());
        self.put("interrupted", None, u64::from(record.interrupted));
        let simulated = |count| record.told.by(CountSource::Simulator, count);
        self.add("trajectory_hash", simulated(record.trajectory_hash));
        for (name, count) in Counts::NAMES
            .iter()
            .zip(record.counts.told(&record.told).all())
        {
            self.add(name, count);
        }
        self.add("deadlocks", simulated(record.deadlocks));
        if let Some(loops) = &record.probed.loops {
            self.put("loops.packets", None, loops.packets);
            self.put("loops.detoured", None, loops.detoured);
            self.put("loops.looped", None, loops.looped);
            self.bins("loops.lengths", 0, &loops.lengths);
        }
        if record.told.by(CountSource::Switches, ()).is_none() {
            return;
        }
        for (reason, count) in &record.drops {
            self.put(&format!("drops.{reason}"), None, *count);
        }
        for (reason, places) in &record.probed.drops_at {
            for (place, count) in places {
                self.put(&format!("drops_at.{reason}.{place}"), None, *count);
            }
        }
    }

    /// Adds the counts that a single run has in its tables of flows, queries and ports.
    fn of_flows(&mut self) {
        let record = self.record;
        self.put("queries", None, record.queries);
        self.put("timed_out_queries", None, record.timed_out_queries);
        self.put("responses", None, record.responses);
        self.put("timed_out_responses", None, record.timed_out_responses);
        self.put("links", None, record.links.n);
    }

    fn of(&mut self, class: &ClassRecord) {
        self.put("query", None, u64::from(class.query));
        let (packets, told) = (&class.packets, &self.record.told);
        for (name, count) in class.counts(told) {
            self.add(name, count);
            if name == "detours" {
                let delivered = told.by(CountSource::Simulator, class.detours_delivered);
                self.add("detours_delivered", delivered);
            }
        }
        self.put("delivered_bytes", None, class.delivered_bytes);
        self.bins("n_reordering", 1, &packets.n_reordering.counts);
        self.bins("detours_each", 0, packets.detours_each.counts());
        for (shortest, extra) in packets.extra_hops.iter().enumerate() {
            self.bins(&format!("extra_hops.{shortest}"), 0, extra.counts());
        }
    }
}

/// Returns the columns of `counts.parquet`. A count that was not measured has no row.
pub fn count_columns<'a>() -> Vec<Col<CountRow<'a>>> {
    columns! { r: CountRow<'a>;
        /// name of the scheme
        scheme: Text = r.scheme;
        /// seed of the run
        seed: Int = r.seed;
        /// true if the machine disturbed the run (testbed only); such runs are in `marked` of `summary.json`
        disturbed: Flag = r.disturbed;
        /// name of the traffic class; empty for the run as a whole
        class: Text = r.class;
        /// name of the count
        name: Text = &r.name;
        /// bin of a histogram: detours, hops or n of these packets; null for a plain count
        bin: OptInt = r.bin;
        /// the count
        value: Int = r.value;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sidestep_lab::CountSources;
    use sidestep_sim::{ClassOutcome, Histogram, NReordering};

    #[test]
    fn what_was_not_measured_has_no_row_and_bins_are_numbered() {
        let mut n_reordering = NReordering::default();
        n_reordering.counts[..3].copy_from_slice(&[4, 0, 1]);
        let class = ClassRecord {
            name: "web".into(),
            packets: ClassOutcome {
                delivered: 10,
                dropped: 3,
                n_reordering,
                extra_hops: vec![Histogram::default(), Histogram::from(&[0, 0, 5][..])],
                ..ClassOutcome::default()
            },
            ..ClassRecord::default()
        };
        let record = Record {
            told: CountSources::without([CountSource::Simulator, CountSource::Switches]),
            drops: [("full".to_string(), 3)].into(),
            classes: vec![class],
            ..Record::default()
        };
        let rows = count_rows(&[], &record);
        let of = |class: &str, name: &str| -> Vec<(Option<u64>, u64)> {
            let own = rows.iter().filter(|r| r.class == class && r.name == name);
            own.map(|r| (r.bin, r.value)).collect()
        };
        for (class, name) in [
            ("", "marks"),
            ("", "detoured"),
            ("", "drops.full"),
            ("web", "dropped"),
        ] {
            assert_eq!(of(class, name), [], "{class} {name}");
        }
        assert_eq!(of("", "timeouts"), [(None, 0)]);
        assert_eq!(of("web", "delivered"), [(None, 10)]);
        assert_eq!(of("web", "n_reordering"), [(Some(1), 4), (Some(3), 1)]);
        assert_eq!(of("web", "extra_hops.1"), [(Some(2), 5)]);
    }
}
