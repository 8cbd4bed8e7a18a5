//! From the records of one scheme, one a seed, to its summary.

use super::metric;
use super::reordering::{n_reordering, reordering_p99};
use super::ways::Ways;
use super::{
    ClassSummary, LinkUse, Percentiles, Sample, Sampled, Summary, are_apart, jain, max_over_min,
    sectioned,
};
use crate::probe::Loops;
use crate::record::{ClassRecord, Counts, Record, SIZES};
use crate::unmeasured::Unmeasured;
use sidestep_types::mix64;
use std::collections::BTreeMap;

/// Sums up the runs of one scheme, one per seed. Panics when there is none.
pub fn summarise(records: &[&Record]) -> Summary {
    let mut summary = add_up(records);
    if records.len() > 1 {
        summary.per_seed = records.iter().map(|record| add_up(&[record])).collect();
        let seeds = &summary.per_seed;
        summary.qct_ms.ci = over_seeds(&summary.qct_ms, seeds.iter().map(|s| &s.qct_ms));
        summary.fct_short_ms.ci =
            over_seeds(&summary.fct_short_ms, seeds.iter().map(|s| &s.fct_short_ms));
        summary.fct_background_ms.ci = over_seeds(
            &summary.fct_background_ms,
            seeds.iter().map(|s| &s.fct_background_ms),
        );
        summary.fct_long_ms.ci =
            over_seeds(&summary.fct_long_ms, seeds.iter().map(|s| &s.fct_long_ms));
        for (i, size) in summary.fct_by_size_ms.iter_mut().enumerate() {
            size.ci = over_seeds(size, seeds.iter().map(|s| &s.fct_by_size_ms[i]));
        }
        summary.fct_query_ms.ci =
            over_seeds(&summary.fct_query_ms, seeds.iter().map(|s| &s.fct_query_ms));
        summary.fct_response_ms.ci = over_seeds(
            &summary.fct_response_ms,
            seeds.iter().map(|s| &s.fct_response_ms),
        );
        summary.fct_all_ms.ci =
            over_seeds(&summary.fct_all_ms, seeds.iter().map(|s| &s.fct_all_ms));
        for (i, class) in summary.classes.iter_mut().enumerate() {
            class.fct_ms.ci = over_seeds(&class.fct_ms, seeds.iter().map(|s| &s.classes[i].fct_ms));
            class.slowdown.ci = over_seeds(
                &class.slowdown,
                seeds.iter().map(|s| &s.classes[i].slowdown),
            );
            class.group_ms.ci = over_seeds(
                &class.group_ms,
                seeds.iter().map(|s| &s.classes[i].group_ms),
            );
        }
        summary.group_ms.ci = over_seeds(&summary.group_ms, seeds.iter().map(|s| &s.group_ms));
    }
    summary
}

/// The interval of the 99th percentile of all seeds, from each seed's own.
fn over_seeds<'a>(
    whole: &Percentiles,
    seeds: impl Iterator<Item = &'a Percentiles>,
) -> Option<[f64; 2]> {
    let exact = |p: &Percentiles| p.p99.filter(|_| !p.p99_at_least);
    let values: Vec<f64> = seeds.map(exact).collect::<Option<_>>()?;
    let whole = exact(whole)?;
    let ci = sectioned(whole, &values, true, are_apart(whole, &values), 0.95)?;
    Some([ci.low.max(0.0), ci.high])
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
    let (flow_goodput_max_over_min, flow_goodput_max_over_min_at_least) =
        max_over_min(records.iter().map(|record| &record.endless[..]));
    let hash = records
        .iter()
        .fold(0, |hash, record| mix64(hash ^ record.trajectory_hash));
    Summary {
        scheme: records[0].scheme.clone(),
        seeds: records.iter().map(|record| record.seed).collect(),
        interrupted: records.iter().any(|record| record.interrupted),
        qct_ms: Percentiles::of(&mut qct),
        fct_short_ms: Percentiles::of(&mut fct_short),
        fct_background_ms: Percentiles::of(&mut background(records)),
        fct_long_ms: Percentiles::of(&mut merged(records, |record| &record.fct_long)),
        fct_by_size_ms: by_size(records),
        fct_query_ms: Percentiles::of(&mut responses(records)),
        fct_response_ms: Percentiles::of(&mut answers(records)),
        fct_all_ms: Percentiles::of(&mut all_flows(records)),
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
        signals: sum.signals(),
        reordered_share: share(packets(|class| class.reordered, None), delivered(None)),
        transport_reordered_share: share(
            packets(|class| class.transport_reordered, None),
            delivered(None),
        ),
        reordering_p99,
        reordering_p99_at_least,
        pauses: sum.pauses,
        deadlocks: records.iter().map(|record| record.deadlocks).sum(),
        jain: jain(endless.copied()),
        flow_goodput_max_over_min,
        flow_goodput_max_over_min_at_least,
        sent: sum.sent,
        delivered: sum.delivered,
        in_flight: sum.in_flight,
        packet_hops: sum.packet_hops,
        events: sum.events,
        simulated_s: records.iter().map(|record| record.end.0.as_s_f64()).sum(),
        cpu_s: None,
        hops_per_cpu_s: None,
        trajectory_hash: format!("{hash:016x}"),
        group_ms: Percentiles::of(&mut groups(records)),
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
        let merged = |of: fn(&ClassRecord) -> &Sample| {
            let mut sample = Sample::default();
            all.iter().for_each(|class| sample.merge(of(class)));
            sample
        };
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
            transport_reordered: sum(|class| class.transport_reordered),
            n_reordering: n_reordering(&all),
            delivered_bytes: sum(|class| class.delivered_bytes),
            detours_delivered: sum(|class| class.detours_delivered),
            fct_ms: Percentiles::of(&mut merged(|class| &class.fct)),
            slowdown: Percentiles::of_slowdowns(&mut merged(|class| &class.slowdown)),
            group_ms: Percentiles::of(&mut merged(|class| &class.groups)),
            detours_each: ways.detours.counts().to_vec(),
            extra_hops: ways.extra_hops().counts().to_vec(),
        }
    };
    (0..records[0].classes.len()).map(summary).collect()
}

/// The ways of all packets, or of those of queries or background alone.
fn ways(records: &[&Record], query: Option<bool>) -> Ways {
    let classes = records.iter().flat_map(|record| &record.classes);
    Ways::of(classes.filter(|class| query.is_none_or(|q| class.query == q)))
}

/// Completion times of background flows that end, by size.
fn by_size(records: &[&Record]) -> Vec<Percentiles> {
    let of = |size: usize| Percentiles::of(&mut merged(records, |r| &r.fct_by_size[size]));
    (0..SIZES.len()).map(of).collect()
}

fn merged(records: &[&Record], of: impl Fn(&Record) -> &Sample) -> Sample {
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

/// Completion times of all flows but requests.
fn all_flows(records: &[&Record]) -> Sample {
    let mut all = background(records);
    all.merge(&answers(records));
    all
}

/// Completion times of responses.
fn answers(records: &[&Record]) -> Sample {
    let mut all = Sample::default();
    records.iter().for_each(|r| all.merge(&r.answers()));
    all
}

fn flows(records: &[&Record], query: bool) -> Sample {
    let mut all = Sample::default();
    let classes = records.iter().flat_map(|record| &record.classes);
    let chosen = classes.filter(|class| class.query == query);
    chosen.for_each(|class| all.merge(&class.fct));
    all
}

/// Completion times of all groups.
fn groups(records: &[&Record]) -> Sample {
    let mut all = Sample::default();
    records.iter().for_each(|r| all.merge(&r.groups()));
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
    for (name, values) in metric::of_flows() {
        let values = records.iter().flat_map(|record| values(record));
        all.insert(name, values.collect());
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
