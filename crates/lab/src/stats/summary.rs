//! The numbers of one scheme, from one run per seed: what `summary.json` holds.

use super::ways::Ways;
use super::{Percentile, Sample, jain, t_interval};
use crate::probe::Loops;
use crate::record::{ClassRecord, Counts, Record};
use crate::unmeasured::Unmeasured;
use serde::{Deserialize, Serialize};
use sidestep_sim::NReordering;
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
    /// Completion times of all background flows that end, in milliseconds.
    #[serde(default)]
    pub fct_background_ms: Percentiles,
    /// Completion times of background flows of more than 1 MB, in milliseconds.
    #[serde(default)]
    pub fct_long_ms: Percentiles,
    /// Completion times of the flows of queries, in milliseconds.
    #[serde(default)]
    pub fct_query_ms: Percentiles,
    /// Share of the queries with a response that ran into a timeout.
    #[serde(default)]
    pub query_timeout_share: Option<f64>,
    /// Share of the responses that ran into a timeout.
    #[serde(default)]
    pub response_timeout_share: Option<f64>,
    /// Packets dropped, by reason.
    pub drops: BTreeMap<String, u64>,
    /// The same by reason and then by the tier of the switch, or by switch where a topology names
    /// no tiers. What did not happen is left out.
    #[serde(default)]
    pub drops_at: BTreeMap<String, BTreeMap<String, u64>>,
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
    /// Mean detours of a data packet delivered, those without any included.
    #[serde(default)]
    pub detours_per_packet: Option<f64>,
    /// 99th percentile of the detours of a query's data packet delivered: 1 % have this many or more.
    #[serde(default)]
    pub detours_p99: Option<u64>,
    /// The most detours of a data packet delivered.
    #[serde(default)]
    pub detours_max: Option<u64>,
    /// Mean over the data packets delivered of switches crossed over those of a shortest path.
    #[serde(default)]
    pub stretch_mean: Option<f64>,
    /// 99th percentile of the switches that a data packet delivered crossed beyond a shortest path.
    #[serde(default)]
    pub extra_hops_p99: Option<u64>,
    /// Mean and largest share of the runs' time that a link out of a switch was busy.
    #[serde(default)]
    pub link_use: LinkUse,
    /// What probes sampled, by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub samples: BTreeMap<String, Sampled>,
    /// Loops of data packets, when they were counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub loops: Option<Loops>,
    /// Packets marked.
    pub marks: u64,
    /// Packets that lost their payload in a switch.
    #[serde(default)]
    pub trims: u64,
    /// Retransmission timeouts.
    pub timeouts: u64,
    /// Data segments sent again.
    pub retransmits: u64,
    /// Of those, the ones of which the network had lost nothing since it was last sent.
    #[serde(default)]
    pub spurious_retransmits: u64,
    /// Timeouts at which the network had not lost the oldest byte waited for.
    #[serde(default)]
    pub spurious_timeouts: u64,
    /// Share of the data packets delivered that arrived after one sent later (RFC 4737).
    #[serde(default)]
    pub reordered_share: Option<f64>,
    /// The n of RFC 4737 section 5.4 that 99 % of those do not exceed, by nearest rank.
    #[serde(default)]
    pub reordering_p99: Option<u64>,
    /// It is this or more: beyond 64 nothing is told apart.
    #[serde(default)]
    pub reordering_p99_at_least: bool,
    /// Pauses that switches sent.
    #[serde(default)]
    pub pauses: u64,
    /// Cycles of ports that came to wait for each other for ever.
    #[serde(default)]
    pub deadlocks: u64,
    /// Jain's index of the goodputs of endless flows.
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
    /// What was not counted: 0 here, and not to be shown.
    #[serde(default, skip_serializing_if = "Unmeasured::is_empty")]
    pub unmeasured: Unmeasured,
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
    /// The smallest.
    #[serde(default)]
    pub min: Option<f64>,
    /// The largest.
    #[serde(default)]
    pub max: Option<f64>,
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
    /// One did not finish: the largest is a lower bound.
    #[serde(default)]
    pub max_at_least: bool,
}

/// How busy the links out of switches were over whole runs.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LinkUse {
    /// The mean over links; `None` of nothing.
    pub mean: Option<f64>,
    /// The busiest link's.
    pub max: Option<f64>,
}

/// What a probe sampled, over all seeds together; percentiles by nearest rank.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sampled {
    /// How many there are; never 0.
    pub n: u64,
    /// Their mean.
    pub mean: f64,
    /// The 10th percentile.
    pub p10: f64,
    /// The median.
    pub p50: f64,
    /// The 90th percentile.
    pub p90: f64,
    /// The largest.
    pub max: f64,
}

impl Sampled {
    /// `None` of nothing.
    fn of(mut values: Vec<f64>) -> Option<Sampled> {
        values.sort_unstable_by(f64::total_cmp);
        let n = values.len();
        let rank = |percent: usize| values[(n * percent).div_ceil(100).max(1) - 1];
        (n > 0).then(|| Sampled {
            n: n as u64,
            mean: values.iter().sum::<f64>() / n as f64,
            p10: rank(10),
            p50: rank(50),
            p90: rank(90),
            max: rank(100),
        })
    }
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
    /// Data packets that arrived, by how often they were detoured, from 0 up.
    #[serde(default)]
    pub detours_each: Vec<u64>,
    /// Data packets that arrived, by how many switches they crossed beyond a shortest path, from 0 up.
    #[serde(default)]
    pub extra_hops: Vec<u64>,
    /// Data packets that arrived without their payload, which `delivered` leaves out.
    #[serde(default)]
    pub trimmed: u64,
    /// Of those delivered, the ones that arrived after one sent later.
    #[serde(default)]
    pub reordered: u64,
    /// Those by their n (RFC 4737 section 5.4): 1 to 64 in turn, then more; zeros at the end
    /// are left out.
    #[serde(default)]
    pub n_reordering: Vec<u64>,
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
        summary.fct_background_ms.ci = over_seeds(seeds.iter().map(|s| &s.fct_background_ms));
        summary.fct_long_ms.ci = over_seeds(seeds.iter().map(|s| &s.fct_long_ms));
        summary.fct_query_ms.ci = over_seeds(seeds.iter().map(|s| &s.fct_query_ms));
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
    let mut unmeasured = Unmeasured::default();
    let mut drops: BTreeMap<String, u64> = BTreeMap::new();
    let (mut qct, mut fct_short) = (Sample::default(), Sample::default());
    for record in records {
        sum.add(&record.counts);
        unmeasured.add(&record.unmeasured);
        for (reason, count) in &record.drops {
            *drops.entry(reason.clone()).or_default() += count;
        }
        qct.merge(&record.qct);
        fct_short.merge(&record.fct_short);
    }
    let classes = classes(records);
    let (all, of_queries) = (ways(records, None), ways(records, Some(true)));
    let (reordering_p99, reordering_p99_at_least) = reordering_p99(records);
    let whole = |value: Option<usize>| value.map(|v| v as u64);
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
        fct_background_ms: percentiles(&mut background(records)),
        fct_long_ms: percentiles(&mut merged(records, |record| &record.fct_long)),
        fct_query_ms: percentiles(&mut responses(records)),
        query_timeout_share: share(
            records.iter().map(|r| r.timed_out_queries).sum(),
            records.iter().map(|r| r.queries).sum(),
        ),
        response_timeout_share: share(
            records.iter().map(|r| r.timed_out_responses).sum(),
            records.iter().map(|r| r.responses).sum(),
        ),
        drops,
        drops_at: drops_at(records),
        detours: sum.detours,
        detoured_share: share(sum.detoured, sum.delivered),
        detoured_data_share: share(detoured(None), delivered(None)),
        detoured_query_share: share(detoured(Some(true)), detoured(None)),
        detoured_background_share: share(detoured(Some(false)), delivered(Some(false))),
        detours_per_packet: all.detours.mean(),
        detours_p99: whole(of_queries.detours.percentile(990)),
        detours_max: whole(all.detours.max()),
        stretch_mean: all.stretch(),
        extra_hops_p99: whole(all.extra_hops().percentile(990)),
        link_use: link_use(records),
        samples: samples(records),
        loops: loops(records),
        marks: sum.marks,
        trims: sum.trims,
        timeouts: sum.timeouts,
        retransmits: sum.retransmits,
        spurious_retransmits: sum.spurious_retransmits,
        spurious_timeouts: sum.spurious_timeouts,
        reordered_share: share(packets(|class| class.reordered, None), delivered(None)),
        reordering_p99,
        reordering_p99_at_least,
        pauses: sum.pauses,
        deadlocks: records.iter().map(|record| record.deadlocks).sum(),
        jain: jain(endless.copied()),
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
        unmeasured,
        per_seed: Vec::new(),
    }
}

/// Each workload over all records.
fn classes(records: &[&Record]) -> Vec<ClassSummary> {
    let summary = |i: usize| {
        let all: Vec<&ClassRecord> = records.iter().map(|r| &r.classes[i]).collect();
        let sum = |of: fn(&ClassRecord) -> u64| all.iter().map(|class| of(class)).sum::<u64>();
        let ways = Ways::of(all.iter().copied());
        let mut fct = Sample::default();
        all.iter().for_each(|class| fct.merge(&class.fct));
        ClassSummary {
            name: all[0].name.clone(),
            query: all.iter().any(|class| class.query),
            sent: sum(|class| class.sent),
            delivered: sum(|class| class.delivered),
            detoured: sum(|class| class.detoured),
            detours: sum(|class| class.detours),
            dropped: sum(|class| class.dropped),
            marked: sum(|class| class.marked),
            trimmed: sum(|class| class.trimmed),
            reordered: sum(|class| class.reordered),
            n_reordering: n_reordering(&all),
            delivered_bytes: sum(|class| class.delivered_bytes),
            fct_ms: percentiles(&mut fct),
            detours_each: ways.detours.counts().to_vec(),
            extra_hops: ways.extra_hops().counts().to_vec(),
        }
    };
    (0..records[0].classes.len()).map(summary).collect()
}

/// How many packets there were of each n, without the zeros at the end.
fn n_reordering(classes: &[&ClassRecord]) -> Vec<u64> {
    let mut counts = vec![0; NReordering::BUCKETS];
    for class in classes {
        for (sum, count) in counts.iter_mut().zip(&class.n_reordering) {
            *sum += count;
        }
    }
    let used = counts.iter().rposition(|n| *n > 0);
    counts.truncate(used.map_or(0, |last| last + 1));
    counts
}

/// [`n_p99`] of all workloads together.
fn reordering_p99(records: &[&Record]) -> (Option<u64>, bool) {
    let all: Vec<&ClassRecord> = records.iter().flat_map(|record| &record.classes).collect();
    let reordered = all.iter().map(|class| class.reordered).sum();
    let mut counts = n_reordering(&all);
    counts.resize(NReordering::BUCKETS, 0);
    n_p99(reordered, &counts)
}

/// The n that 99 % of the `reordered` packets do not exceed, and whether it is only known to be
/// that or more. `counts` is of n = 1, 2 and so on, its last number of all beyond.
fn n_p99(reordered: u64, counts: &[u64]) -> (Option<u64>, bool) {
    if reordered == 0 {
        return (None, false);
    }
    let rank = (reordered * 99).div_ceil(100);
    let mut below = reordered - counts.iter().sum::<u64>();
    let mut n = 0;
    while below < rank {
        below += counts[n];
        n += 1;
    }
    (Some(n as u64), n == counts.len())
}

/// The ways of all packets, or of those of queries or background alone.
fn ways(records: &[&Record], query: Option<bool>) -> Ways {
    let classes = records.iter().flat_map(|record| &record.classes);
    Ways::of(classes.filter(|class| query.is_none_or(|q| class.query == q)))
}

fn merged(records: &[&Record], of: fn(&Record) -> &Sample) -> Sample {
    let mut all = Sample::default();
    records.iter().for_each(|record| all.merge(of(record)));
    all
}

/// Completion times of all flows that are not of queries.
fn background(records: &[&Record]) -> Sample {
    flows(records, false)
}

/// Completion times of the flows of queries.
fn responses(records: &[&Record]) -> Sample {
    flows(records, true)
}

fn flows(records: &[&Record], query: bool) -> Sample {
    let mut all = Sample::default();
    let classes = records.iter().flat_map(|record| &record.classes);
    let chosen = classes.filter(|class| class.query == query);
    chosen.for_each(|class| all.merge(&class.fct));
    all
}

fn drops_at(records: &[&Record]) -> BTreeMap<String, BTreeMap<String, u64>> {
    let mut all: BTreeMap<String, BTreeMap<String, u64>> = BTreeMap::new();
    for (reason, places) in records.iter().flat_map(|record| &record.probed.drops_at) {
        let of = all.entry(reason.clone()).or_default();
        for (place, count) in places {
            *of.entry(place.clone()).or_default() += count;
        }
    }
    all
}

fn samples(records: &[&Record]) -> BTreeMap<String, Sampled> {
    let mut all: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    for (name, values) in records.iter().flat_map(|record| &record.probed.samples) {
        all.entry(name).or_default().extend_from_slice(values);
    }
    let sampled = |(name, values): (&str, Vec<f64>)| Some((name.to_string(), Sampled::of(values)?));
    all.into_iter().filter_map(sampled).collect()
}

fn loops(records: &[&Record]) -> Option<Loops> {
    let mut all: Option<Loops> = None;
    for loops in records.iter().filter_map(|r| r.probed.loops.as_ref()) {
        all.get_or_insert_default().merge(loops);
    }
    all
}

/// How busy each link out of a switch was in each run.
fn link_use(records: &[&Record]) -> LinkUse {
    let n: u64 = records.iter().map(|record| record.links.n).sum();
    let sum: f64 = records.iter().map(|record| record.links.sum).sum();
    let max = records.iter().map(|record| record.links.max);
    LinkUse {
        mean: (n > 0).then(|| sum / n as f64),
        max: (n > 0).then(|| max.fold(0.0, f64::max)),
    }
}

fn percentiles(sample: &mut Sample) -> Percentiles {
    let read = |percentile: Option<Percentile>| match percentile {
        None => (None, false),
        Some(Percentile::Exactly(t)) => (Some(t.as_ms_f64()), false),
        Some(Percentile::AtLeast(t)) => (Some(t.as_ms_f64()), true),
    };
    let (p50, p50_at_least) = read(sample.percentile(500));
    let (p99, p99_at_least) = read(sample.percentile(990));
    let (max, max_at_least) = read(sample.percentile(1000));
    let (min, _) = read(sample.percentile(0));
    Percentiles {
        p50,
        p99,
        min,
        max,
        ci: None,
        n: sample.len(),
        completed_share: sample.completed_share(),
        p50_at_least,
        p99_at_least,
        max_at_least,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_99th_percentile_of_n_counts_those_with_none() {
        assert_eq!(n_p99(0, &[0, 0, 0]), (None, false));
        assert_eq!(n_p99(100, &[0, 0, 0]), (Some(0), false));
        assert_eq!(n_p99(100, &[1, 0, 0]), (Some(0), false));
        assert_eq!(n_p99(100, &[1, 1, 0]), (Some(1), false));
        assert_eq!(n_p99(100, &[50, 50, 0]), (Some(2), false));
        assert_eq!(n_p99(100, &[0, 98, 2]), (Some(3), true));
        assert_eq!(n_p99(3, &[0, 3, 0]), (Some(2), false));
    }
}
