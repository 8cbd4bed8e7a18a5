//! The numbers of one scheme, from one run per seed: what `summary.json` holds.

use super::{Percentile, Sample, jain, t_interval};
use crate::record::{ClassRecord, Counts, Record};
use serde::{Deserialize, Serialize};
use sidestep_types::mix64;
use std::collections::BTreeMap;

/// The numbers of one scheme.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// The scheme's name.
    pub scheme: String,
    /// The seeds, one run each.
    pub seeds: Vec<u64>,
    /// A run was stopped before its end: what was under way counts as unfinished.
    pub interrupted: bool,
    /// Query completion times in milliseconds.
    pub qct_ms: Percentiles,
    /// Completion times of background flows of 1 to 10 kB (DIBS section 5.3), in milliseconds.
    pub fct_short_ms: Percentiles,
    /// Packets dropped, by reason.
    pub drops: BTreeMap<String, u64>,
    /// Detours of all packets.
    pub detours: u64,
    /// Share of all packets delivered, acknowledgements included, that were detoured at least once.
    pub detoured_share: Option<f64>,
    /// Share of the data packets delivered that were detoured at least once.
    pub detoured_data_share: Option<f64>,
    /// Share of the detoured data packets that belong to queries.
    pub detoured_query_share: Option<f64>,
    /// Share of the background data packets delivered that were detoured.
    pub detoured_background_share: Option<f64>,
    /// Packets marked.
    pub marks: u64,
    /// Retransmission timeouts.
    pub timeouts: u64,
    /// Data segments sent again.
    pub retransmits: u64,
    /// Jain's index of the bytes that endless flows delivered.
    pub jain: Option<f64>,
    /// Packets put on NICs, data or not.
    pub sent: u64,
    /// Packets that reached their host.
    pub delivered: u64,
    /// Packets under way when the runs stopped.
    pub in_flight: u64,
    /// Deliveries of one packet over one link.
    pub packet_hops: u64,
    /// Events taken from the agenda.
    pub events: u64,
    /// Simulated time of all runs, in seconds.
    pub simulated_s: f64,
    /// Processor time of all runs, in seconds; filled by whoever has a clock.
    pub cpu_s: Option<f64>,
    /// `packet_hops / cpu_s`; filled with it.
    pub hops_per_cpu_s: Option<f64>,
    /// A digest of the runs' trajectories, in the order of the seeds, as 16 hexadecimal digits.
    pub trajectory_hash: String,
    /// One per workload.
    pub classes: Vec<ClassSummary>,
    /// The same numbers for each seed alone; empty in those.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub per_seed: Vec<Summary>,
}

/// Completion times, in milliseconds where the field says so.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Percentiles {
    /// The median, by nearest rank over all seeds together; `None` of nothing.
    pub p50: Option<f64>,
    /// The 99th percentile, likewise.
    pub p99: Option<f64>,
    /// 95 % interval of the mean over seeds of each seed's `p99`. `None` with fewer than two
    /// seeds, or when unfinished ones leave a seed without an exact one.
    pub ci: Option<[f64; 2]>,
    /// How many there are, finished or not.
    pub n: u64,
    /// The share that finished; `None` of nothing.
    pub completed_share: Option<f64>,
    /// `p50` fell on an unfinished one: it is a lower bound.
    #[serde(default)]
    pub p50_at_least: bool,
    /// `p99` fell on an unfinished one: it is a lower bound.
    #[serde(default)]
    pub p99_at_least: bool,
}

/// One workload's numbers.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ClassSummary {
    /// Its name in the scenario.
    pub name: String,
    /// It has queries.
    pub query: bool,
    /// Data packets that hosts put on their NICs.
    pub sent: u64,
    /// Data packets that arrived.
    pub delivered: u64,
    /// Of those, detoured at least once.
    pub detoured: u64,
    /// Detours of all data packets.
    pub detours: u64,
    /// Data packets dropped.
    pub dropped: u64,
    /// Data packets that arrived marked.
    pub marked: u64,
    /// Bytes delivered in order.
    pub delivered_bytes: u64,
    /// Completion times of its flows that end, in milliseconds.
    pub fct_ms: Percentiles,
}

impl Summary {
    /// Fills in what the runs cost.
    pub fn set_cpu(&mut self, seconds: f64) {
        self.cpu_s = Some(seconds);
        self.hops_per_cpu_s = (seconds > 0.0).then(|| self.packet_hops as f64 / seconds);
    }
}

/// Sums up the runs of one scheme, one per seed. Panics when there is none.
pub fn summarise(records: &[&Record]) -> Summary {
    let mut summary = add_up(records);
    if records.len() > 1 {
        summary.per_seed = records.iter().map(|record| add_up(&[record])).collect();
        let seeds = &summary.per_seed;
        summary.qct_ms.ci = over_seeds(seeds.iter().map(|s| &s.qct_ms));
        summary.fct_short_ms.ci = over_seeds(seeds.iter().map(|s| &s.fct_short_ms));
        for (i, class) in summary.classes.iter_mut().enumerate() {
            class.fct_ms.ci = over_seeds(seeds.iter().map(|s| &s.classes[i].fct_ms));
        }
    }
    summary
}

fn over_seeds<'a>(seeds: impl Iterator<Item = &'a Percentiles>) -> Option<[f64; 2]> {
    let exact = |p: &Percentiles| p.p99.filter(|_| !p.p99_at_least);
    let values: Vec<f64> = seeds.map(exact).collect::<Option<_>>()?;
    t_interval(&values).map(|ci| [ci.low, ci.high])
}

/// All records as if they were one run.
fn add_up(records: &[&Record]) -> Summary {
    let mut sum = Counts::default();
    let mut drops: BTreeMap<String, u64> = BTreeMap::new();
    let (mut qct, mut fct_short) = (Sample::default(), Sample::default());
    for record in records {
        sum.add(&record.counts);
        for (reason, count) in &record.drops {
            *drops.entry(reason.clone()).or_default() += count;
        }
        qct.merge(&record.qct);
        fct_short.merge(&record.fct_short);
    }
    let classes = classes(records);
    let packets = |of: fn(&ClassSummary) -> u64, query: Option<bool>| {
        let chosen = classes
            .iter()
            .filter(|class| query.is_none_or(|q| class.query == q));
        chosen.map(of).sum::<u64>()
    };
    let share = |part: u64, whole: u64| (whole > 0).then(|| part as f64 / whole as f64);
    let detoured = |query| packets(|class| class.detoured, query);
    let delivered = |query| packets(|class| class.delivered, query);
    let endless = records.iter().flat_map(|record| &record.endless);
    let hash = records
        .iter()
        .fold(0, |hash, record| mix64(hash ^ record.trajectory_hash));
    Summary {
        scheme: records[0].scheme.clone(),
        seeds: records.iter().map(|record| record.seed).collect(),
        interrupted: records.iter().any(|record| record.interrupted),
        qct_ms: percentiles(&mut qct),
        fct_short_ms: percentiles(&mut fct_short),
        drops,
        detours: sum.detours,
        detoured_share: share(sum.detoured, sum.delivered),
        detoured_data_share: share(detoured(None), delivered(None)),
        detoured_query_share: share(detoured(Some(true)), detoured(None)),
        detoured_background_share: share(detoured(Some(false)), delivered(Some(false))),
        marks: sum.marks,
        timeouts: sum.timeouts,
        retransmits: sum.retransmits,
        jain: jain(endless.map(|bytes| *bytes as f64)),
        sent: sum.sent,
        delivered: sum.delivered,
        in_flight: sum.in_flight,
        packet_hops: sum.packet_hops,
        events: sum.events,
        simulated_s: records.iter().map(|record| record.end.0.as_s_f64()).sum(),
        cpu_s: None,
        hops_per_cpu_s: None,
        trajectory_hash: format!("{hash:016x}"),
        classes,
        per_seed: Vec::new(),
    }
}

fn classes(records: &[&Record]) -> Vec<ClassSummary> {
    let mut all = records[0].classes.clone();
    for record in &records[1..] {
        for (mine, theirs) in all.iter_mut().zip(&record.classes) {
            mine.merge(theirs);
        }
    }
    let summary = |mut class: ClassRecord| ClassSummary {
        fct_ms: percentiles(&mut class.fct),
        name: class.name,
        query: class.query,
        sent: class.sent,
        delivered: class.delivered,
        detoured: class.detoured,
        detours: class.detours,
        dropped: class.dropped,
        marked: class.marked,
        delivered_bytes: class.delivered_bytes,
    };
    all.into_iter().map(summary).collect()
}

fn percentiles(sample: &mut Sample) -> Percentiles {
    let read = |percentile: Option<Percentile>| match percentile {
        None => (None, false),
        Some(Percentile::Exactly(t)) => (Some(t.as_ms_f64()), false),
        Some(Percentile::AtLeast(t)) => (Some(t.as_ms_f64()), true),
    };
    let (p50, p50_at_least) = read(sample.percentile(500));
    let (p99, p99_at_least) = read(sample.percentile(990));
    Percentiles {
        p50,
        p99,
        ci: None,
        n: sample.len(),
        completed_share: sample.completed_share(),
        p50_at_least,
        p99_at_least,
    }
}
