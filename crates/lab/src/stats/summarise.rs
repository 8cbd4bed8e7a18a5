//! Summary of a scheme from its records, of which each seed has one.

use super::metric;
use super::reordering::reordering_p99;
use super::ways::Ways;
use super::{
    ClassSummary, LinkUse, Percentiles, Sample, Sampled, Summary, are_apart, jain, max_over_min,
    sectioned,
};
use crate::count_sources::{CountSource, CountSources};
use crate::probe::Loops;
use crate::record::{ClassRecord, Counts, Record, SIZES};
use sidestep_sim::ClassOutcome;
use sidestep_types::mix64;
use std::collections::BTreeMap;

/// Returns the summary of one scheme from its records, one per seed: numbers over all runs, intervals, and the
/// numbers of each seed. Panics without records.
pub fn summarise(records: &[&Record]) -> Summary {
    let mut summary = add_up(records);
    if records.len() > 1 {
        let mut seeds: Vec<Summary> = records.iter().map(|record| add_up(&[record])).collect();
        let of_seeds: Vec<Vec<&mut Percentiles>> = seeds.iter_mut().map(Summary::times).collect();
        for (i, whole) in summary.times().into_iter().enumerate() {
            whole.ci = over_seeds(whole, of_seeds.iter().map(|seed| &*seed[i]));
        }
        summary.per_seed = seeds;
    }
    summary
}

/// Returns the 95 % confidence interval of the 99th percentile `whole`, from the percentile of each seed. `None` if
/// one of them is missing or only a lower bound.
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

/// Merges all records as if they were of one run. Leaves intervals and the numbers of each seed empty.
fn add_up(records: &[&Record]) -> Summary {
    let mut sum = Counts::default();
    let mut told = CountSources::default();
    for record in records {
        sum.add(&record.counts);
        told.add(&record.told);
    }
    let counts = sum.told(&told);
    let classes = classes(records);
    // Packets of all classes, of classes with queries, and of classes without.
    let [all, of_queries, of_background] = [None, Some(true), Some(false)].map(|query| {
        let mut packets = ClassOutcome::default();
        let chosen = classes
            .iter()
            .filter(|class| query.is_none_or(|q| class.query == q));
        chosen.for_each(|class| packets.merge(&class.packets));
        packets
    });
    let ways = Ways::of(&all);
    let (reordering_p99, reordering_p99_at_least) = reordering_p99(&all);
    let whole = |value: Option<usize>| value.map(|v| v as u64);
    let share = |part: u64, whole: u64| (whole > 0).then(|| part as f64 / whole as f64);
    // Only the simulator follows each packet, so only simulated runs have shares of detoured packets.
    let simulated = |share: Option<f64>| told.by(CountSource::Simulator, share).flatten();
    let simulated_n = |n: Option<u64>| told.by(CountSource::Simulator, n).flatten();
    let timed_out = |part: fn(&Record) -> u64, whole: fn(&Record) -> u64| {
        let sum = |of: fn(&Record) -> u64| records.iter().map(|record| of(record)).sum();
        told.by(CountSource::Timeouts, share(sum(part), sum(whole)))
            .flatten()
    };
    let endless = records.iter().flat_map(|record| &record.endless);
    let (flow_goodput_max_over_min, flow_goodput_max_over_min_at_least) =
        max_over_min(records.iter().map(|record| &record.endless[..]));
    Summary {
        scheme: records[0].scheme.clone(),
        seeds: records.iter().map(|record| record.seed).collect(),
        interrupted: records.iter().any(|record| record.interrupted),
        qct_ms: Percentiles::of(&mut merged(records, |record| &record.qct)),
        fct_short_ms: Percentiles::of(&mut merged(records, |record| &record.fct_short)),
        fct_background_ms: Percentiles::of(&mut background(records)),
        fct_long_ms: Percentiles::of(&mut merged(records, |record| &record.fct_long)),
        fct_by_size_ms: by_size(records),
        fct_query_ms: Percentiles::of(&mut responses(records)),
        fct_response_ms: Percentiles::of(&mut answers(records)),
        fct_all_ms: Percentiles::of(&mut all_flows(records)),
        query_timeout_share: timed_out(|r| r.timed_out_queries, |r| r.queries),
        response_timeout_share: timed_out(|r| r.timed_out_responses, |r| r.responses),
        drops: told.by(CountSource::Switches, drops(records)),
        drops_at: told.by(CountSource::Switches, drops_at(records)),
        detours: counts.detours,
        detoured_share: counts
            .detoured
            .and_then(|detoured| share(detoured, sum.delivered)),
        detoured_data_share: simulated(share(all.detoured, all.delivered)),
        detoured_query_share: simulated(share(of_queries.detoured, all.detoured)),
        detoured_background_share: simulated(share(
            of_background.detoured,
            of_background.delivered,
        )),
        detours_per_packet: simulated(ways.detours.mean()),
        detours_p99: simulated_n(whole(Ways::of(&of_queries).detours.percentile(990))),
        detours_max: simulated_n(whole(ways.detours.max())),
        stretch_mean: simulated(ways.stretch()),
        extra_hops_p99: simulated_n(whole(ways.extra_hops().percentile(990))),
        link_use: told.by(CountSource::Switches, link_use(records)),
        samples: samples(records),
        loops: loops(records),
        signals: counts.signals,
        reordered_share: simulated(share(all.reordered, all.delivered)),
        transport_reordered_share: simulated(share(all.transport_reordered, all.delivered)),
        reordering_p99: simulated_n(reordering_p99),
        reordering_p99_at_least: told.by(CountSource::Simulator, reordering_p99_at_least),
        pauses: counts.pauses,
        deadlocks: told.by(
            CountSource::Simulator,
            records.iter().map(|r| r.deadlocks).sum(),
        ),
        jain: jain(endless.copied()),
        flow_goodput_max_over_min,
        flow_goodput_max_over_min_at_least,
        sent: sum.sent,
        delivered: sum.delivered,
        in_flight: counts.in_flight,
        packet_hops: counts.packet_hops,
        events: counts.events,
        simulated_s: records.iter().map(|record| record.end.0.as_s_f64()).sum(),
        cpu_s: None,
        hops_per_cpu_s: None,
        trajectory_hash: told.by(CountSource::Simulator, trajectory_hash(records)),
        group_ms: Percentiles::of(&mut groups(records)),
        classes: classes
            .into_iter()
            .map(|class| ClassSummary::of(class, &told))
            .collect(),
        told,
        per_seed: Vec::new(),
    }
}

/// Counts dropped packets of all runs by reason.
fn drops(records: &[&Record]) -> BTreeMap<String, u64> {
    let mut sum = BTreeMap::new();
    for (reason, count) in records.iter().flat_map(|record| &record.drops) {
        *sum.entry(reason.clone()).or_default() += count;
    }
    sum
}

/// Returns one hash of the trajectory hashes of all runs; it depends on their order.
fn trajectory_hash(records: &[&Record]) -> String {
    let mixed = (records.iter()).fold(0, |hash, record| mix64(hash ^ record.trajectory_hash));
    format!("{mixed:016x}")
}

/// Merges the records of each class over all runs.
fn classes(records: &[&Record]) -> Vec<ClassRecord> {
    let mut all = records[0].classes.clone();
    for record in &records[1..] {
        let each = all.iter_mut().zip(&record.classes);
        each.for_each(|(class, more)| class.merge(more));
    }
    all
}

/// Returns completion times of finite background flows, one entry for each size range of [`SIZES`].
fn by_size(records: &[&Record]) -> Vec<Percentiles> {
    let of = |size: usize| Percentiles::of(&mut merged(records, |r| &r.fct_by_size[size]));
    (0..SIZES.len()).map(of).collect()
}

/// Merges one sample, which `of` selects, over all records.
fn merged(records: &[&Record], of: impl Fn(&Record) -> &Sample) -> Sample {
    let mut all = Sample::default();
    records.iter().for_each(|record| all.merge(of(record)));
    all
}

/// Returns completion times of all flows outside queries.
fn background(records: &[&Record]) -> Sample {
    flows(records, false)
}

/// Returns completion times of all flows of queries, requests included.
fn responses(records: &[&Record]) -> Sample {
    flows(records, true)
}

/// Returns completion times of background flows and responses: all flows but requests.
fn all_flows(records: &[&Record]) -> Sample {
    let mut all = background(records);
    all.merge(&answers(records));
    all
}

/// Returns completion times of responses, without requests.
fn answers(records: &[&Record]) -> Sample {
    let mut all = Sample::default();
    records.iter().for_each(|r| all.merge(&r.answers()));
    all
}

/// Merges completion times over the classes with queries, or over those without.
fn flows(records: &[&Record], query: bool) -> Sample {
    let mut all = Sample::default();
    let classes = records.iter().flat_map(|record| &record.classes);
    let chosen = classes.filter(|class| class.query == query);
    chosen.for_each(|class| all.merge(&class.fct));
    all
}

/// Returns completion times of all groups.
fn groups(records: &[&Record]) -> Sample {
    let mut all = Sample::default();
    records.iter().for_each(|r| all.merge(&r.groups()));
    all
}

/// Counts dropped packets of all runs by reason and place.
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

/// Summarises each sample of the probes and of the flows over all runs. Empty samples are left out.
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

/// Merges the loops of all runs; `None` if no run counted loops.
fn loops(records: &[&Record]) -> Option<Loops> {
    let mut all: Option<Loops> = None;
    for loops in records.iter().filter_map(|r| r.probed.loops.as_ref()) {
        all.get_or_insert_default().merge(loops);
    }
    all
}

/// Returns the mean and maximum use of the links out of switches, over all runs.
fn link_use(records: &[&Record]) -> LinkUse {
    let n: u64 = records.iter().map(|record| record.links.n).sum();
    let sum: f64 = records.iter().map(|record| record.links.sum).sum();
    let max = records.iter().map(|record| record.links.max);
    LinkUse {
        mean: (n > 0).then(|| sum / n as f64),
        max: (n > 0).then(|| max.fold(0.0, f64::max)),
    }
}
