//! `samples.parquet`: one row a value of a sample that no other table has.
//!
//! **Decision**     for a single run: the values of probes, and the goodput of endless flows. A sweep has no
//!                  tables of flows, queries, groups and ports, so its samples include their completion times:
//!                  every percentile over all seeds can be computed again. Very large samples, which records
//!                  store rounded, have one row for all items with the same value.
//! **Units**        times in picoseconds and slowdowns in millionths, as in records; others as in their names.

use crate::columns::{Col, columns};
use sidestep_lab::stats::Sample;
use sidestep_lab::{ClassRecord, Record};
use std::borrow::Cow;

/// Value of a sample of a run.
pub struct SampleRow<'a> {
    /// Point of a sweep; empty for a single run.
    pub at: &'a [String],
    scheme: &'a str,
    seed: u64,
    disturbed: bool,
    class: &'a str,
    name: Cow<'a, str>,
    finished: bool,
    value: f64,
    count: u64,
}

/// Lists the samples of a run: those of the whole, then those of each class.
pub fn sample_rows<'a>(at: &'a [String], record: &'a Record) -> Vec<SampleRow<'a>> {
    let mut all = Rows {
        at,
        record,
        class: "",
        rows: Vec::new(),
    };
    for (name, values) in &record.probed.samples {
        all.values(format!("probe.{name}").into(), values);
    }
    all.values("endless_payload".into(), &record.endless_payload);
    // If a part of the run is left out, the rate of endless flows cannot be computed from the table of flows.
    if at.is_empty() && record.probed.flows_from.is_some() {
        all.values("endless_bytes_s".into(), &record.endless);
    }
    if !at.is_empty() {
        all.whole();
        for class in &record.classes {
            all.class = &class.name;
            all.of(class);
        }
    }
    all.rows
}

struct Rows<'a> {
    at: &'a [String],
    record: &'a Record,
    class: &'a str,
    rows: Vec<SampleRow<'a>>,
}

impl<'a> Rows<'a> {
    fn put(&mut self, name: Cow<'a, str>, finished: bool, value: f64) {
        self.put_some(name, finished, value, 1);
    }

    fn put_some(&mut self, name: Cow<'a, str>, finished: bool, value: f64, count: u64) {
        self.rows.push(SampleRow {
            at: self.at,
            scheme: &self.record.scheme,
            seed: self.record.seed,
            disturbed: !self.record.marks.is_empty(),
            class: self.class,
            name,
            finished,
            value,
            count,
        });
    }

    fn values(&mut self, name: Cow<'a, str>, values: &[f64]) {
        for value in values {
            self.put(name.clone(), true, *value);
        }
    }

    /// Adds finished items, then the elapsed times of unfinished ones.
    fn times(&mut self, name: impl Into<Cow<'a, str>>, sample: &Sample) {
        let name = name.into();
        let finished = sample.finished_counts().map(|value| (value, true));
        let others = sample.unfinished_counts().map(|value| (value, false));
        for ((time, count), finished) in finished.chain(others) {
            self.put_some(name.clone(), finished, time.ps() as f64, count);
        }
    }

    fn whole(&mut self) {
        let record = self.record;
        self.times("qct", &record.qct);
        self.times("fct_short", &record.fct_short);
        self.times("fct_long", &record.fct_long);
        if let Some(responses) = &record.fct_response {
            self.times("fct_response", responses);
        }
        self.values("long_goodput_bytes_s".into(), &record.long_goodput);
        for (size, sample) in record.fct_by_size.iter().enumerate() {
            self.times(format!("fct_by_size.{size}"), sample);
        }
        self.times("group", &record.mixed_groups);
        self.values("endless_bytes_s".into(), &record.endless);
        self.values("endless_link_bytes_s".into(), &record.endless_link);
        self.put("link_use_sum".into(), true, record.links.sum);
        self.put("link_use_max".into(), true, record.links.max);
    }

    fn of(&mut self, class: &ClassRecord) {
        self.times("fct", &class.fct);
        self.times("slowdown", &class.slowdown);
        self.times("group", &class.groups);
    }
}

/// Returns the columns of `samples.parquet`.
pub fn sample_columns<'a>() -> Vec<Col<SampleRow<'a>>> {
    columns! { r: SampleRow<'a>;
        /// name of the scheme
        scheme: Text = r.scheme;
        /// seed of the run
        seed: Int = r.seed;
        /// true if the machine disturbed the run (testbed only); such runs are in `marked` of `summary.json`
        disturbed: Flag = r.disturbed;
        /// name of the traffic class; empty for the run as a whole
        class: Text = r.class;
        /// name of the sample
        name: Text = &r.name;
        /// true if the value is final; false: the part seen of an item that did not finish
        finished: Flag = r.finished;
        /// the value
        value: Float = r.value;
        /// number of items with this value: 1, except in very large samples, which are rounded
        count: Int = r.count;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sidestep_lab::probe::FlowsFrom;
    use sidestep_types::Time;

    #[test]
    fn a_run_alone_has_what_no_table_of_flows_has_and_a_sweep_has_all() {
        let mut record = Record {
            endless_payload: vec![0.9],
            ..Record::default()
        };
        record.qct.done(Time::from_ps(7));
        record.qct.open(Time::from_ps(5));
        record.probed.samples.insert("busy".into(), vec![0.5]);
        let of = |at: &[String]| -> Vec<(String, bool, f64)> {
            let rows = sample_rows(at, &record);
            let row = |r: &SampleRow<'_>| (r.name.to_string(), r.finished, r.value);
            rows.iter().map(row).collect()
        };
        let alone = [
            ("probe.busy".to_string(), true, 0.5),
            ("endless_payload".to_string(), true, 0.9),
        ];
        assert_eq!(of(&[]), alone);
        let mut record = record.clone();
        (record.endless, record.probed.flows_from) = (vec![3.0], Some(FlowsFrom::default()));
        let rows = sample_rows(&[], &record);
        assert_eq!(
            (&*rows[2].name, rows[2].value, rows.len()),
            ("endless_bytes_s", 3.0, 3)
        );
        let swept = of(&["1".to_string()]);
        assert_eq!(swept[..2], alone);
        assert_eq!(swept[2], ("qct".to_string(), true, 7.0));
        assert_eq!(swept[3], ("qct".to_string(), false, 5.0));
    }

    #[test]
    fn very_many_have_a_row_for_each_rounded_value() {
        let mut record = Record::default();
        let n = Sample::EACH as u64 + 1;
        (0..n).for_each(|i| record.qct.done(Time::from_us(1_000 + i % 100)));
        let at = ["1".to_string()];
        let rows = sample_rows(&at, &record);
        let own: Vec<_> = rows.iter().filter(|row| row.name == "qct").collect();
        assert!(own.len() <= 102, "{}", own.len());
        assert_eq!(own.iter().map(|row| row.count).sum::<u64>(), n);
    }
}
