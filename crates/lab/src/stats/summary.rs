//! The numbers of one scheme, from one run per seed: what `summary.json` holds.

use super::{Percentile, Sample, jain, t_interval};
use crate::run::Run;
use serde::{Deserialize, Serialize};
use sidestep_sim::{FlowOutcome, FlowPlan, Outcome, Plan, Start};
use sidestep_switch::DropReason;
use sidestep_types::{Time, mix64};
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
    /// Pauses that switches sent.
    #[serde(default)]
    pub pauses: u64,
    /// Cycles of ports that came to wait for each other for ever.
    #[serde(default)]
    pub deadlocks: u64,
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
pub fn summarise(runs: &[&Run]) -> Summary {
    let tallies: Vec<Tally> = runs.iter().map(|run| Tally::of(run)).collect();
    let mut whole = Tally::default();
    tallies.iter().for_each(|tally| whole.merge(tally));
    let mut summary = whole.summary(runs);
    if runs.len() > 1 {
        summary.per_seed = tallies
            .into_iter()
            .zip(runs)
            .map(|(t, run)| t.summary(&[run]))
            .collect();
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

/// Completion times of a run's queries: what `qct_ms` is taken from.
pub fn query_times(run: &Run) -> Sample {
    queries(&run.plan, &run.outcome)
}

/// Completion times of a run's short background flows: what `fct_short_ms` is taken from.
pub fn short_flow_times(run: &Run) -> Sample {
    Tally::of(run).fct_short
}

/// The paper's short flows: 1 to 10 kB (DIBS section 5.3).
const SHORT: std::ops::RangeInclusive<u64> = 1_000..=10_000;

/// What one run, or several, add up to.
#[derive(Clone, Default)]
struct Tally {
    qct: Sample,
    fct_short: Sample,
    classes: Vec<(ClassSummary, Sample)>,
    /// Bytes that each endless flow delivered.
    endless: Vec<f64>,
}

impl Tally {
    fn of(run: &Run) -> Tally {
        let (plan, outcome) = (&*run.plan, &run.outcome);
        let mut tally = Tally {
            qct: queries(plan, outcome),
            ..Tally::default()
        };
        for (class, name) in plan.classes.iter().enumerate() {
            let seen = outcome.classes.get(class).copied().unwrap_or_default();
            let class = ClassSummary {
                name: name.clone(),
                query: plan
                    .queries
                    .iter()
                    .any(|query| usize::from(query.class) == class),
                sent: seen.sent,
                delivered: seen.delivered,
                detoured: seen.detoured,
                detours: seen.detours,
                dropped: seen.dropped,
                marked: seen.marked,
                ..ClassSummary::default()
            };
            tally.classes.push((class, Sample::default()));
        }
        for (flow, seen) in plan.flows.iter().zip(&outcome.flows) {
            tally.flow(flow, seen, outcome.end);
        }
        tally
    }

    fn flow(&mut self, flow: &FlowPlan, seen: &FlowOutcome, end: Time) {
        let (class, fct) = &mut self.classes[usize::from(flow.class)];
        class.delivered_bytes += seen.delivered_bytes;
        if flow.is_endless() {
            self.endless.push(seen.delivered_bytes as f64);
            return;
        }
        if matches!(flow.start, Start::At(t) if seen.started.is_none() && t > end) {
            // An interrupted run never came to hand it over.
            return;
        }
        add(fct, seen, end);
        if !class.query && flow.query.is_none() && SHORT.contains(&flow.size) {
            add(&mut self.fct_short, seen, end);
        }
    }

    fn merge(&mut self, other: &Tally) {
        self.qct.merge(&other.qct);
        self.fct_short.merge(&other.fct_short);
        self.endless.extend_from_slice(&other.endless);
        if self.classes.is_empty() {
            self.classes = other.classes.clone();
            return;
        }
        for ((mine, fct), (theirs, more)) in self.classes.iter_mut().zip(&other.classes) {
            mine.query |= theirs.query;
            mine.sent += theirs.sent;
            mine.delivered += theirs.delivered;
            mine.detoured += theirs.detoured;
            mine.detours += theirs.detours;
            mine.dropped += theirs.dropped;
            mine.marked += theirs.marked;
            mine.delivered_bytes += theirs.delivered_bytes;
            fct.merge(more);
        }
    }

    fn summary(mut self, runs: &[&Run]) -> Summary {
        let sum = |of: fn(&Outcome) -> u64| runs.iter().map(|run| of(&run.outcome)).sum::<u64>();
        let drops = |reason: DropReason| {
            let one = |run: &&Run| run.outcome.totals.drops[reason as usize];
            (reason.name().to_string(), runs.iter().map(one).sum())
        };
        let classes: Vec<ClassSummary> = (self.classes.iter_mut())
            .map(|(class, fct)| ClassSummary {
                fct_ms: percentiles(fct),
                ..class.clone()
            })
            .collect();
        let packets = |of: fn(&ClassSummary) -> u64, query: Option<bool>| {
            let chosen = classes
                .iter()
                .filter(|class| query.is_none_or(|q| class.query == q));
            chosen.map(of).sum::<u64>()
        };
        let share = |part: u64, whole: u64| (whole > 0).then(|| part as f64 / whole as f64);
        let detoured = |query| packets(|class| class.detoured, query);
        let delivered = |query| packets(|class| class.delivered, query);
        let hash = runs
            .iter()
            .fold(0, |hash, run| mix64(hash ^ run.outcome.trajectory_hash));
        Summary {
            scheme: runs[0].scheme.clone(),
            seeds: runs.iter().map(|run| run.seed).collect(),
            interrupted: runs.iter().any(|run| run.interrupted),
            qct_ms: percentiles(&mut self.qct),
            fct_short_ms: percentiles(&mut self.fct_short),
            drops: DropReason::ALL.into_iter().map(drops).collect(),
            detours: sum(|o| o.totals.detours),
            detoured_share: share(sum(|o| o.totals.detoured), sum(|o| o.totals.delivered)),
            detoured_data_share: share(detoured(None), delivered(None)),
            detoured_query_share: share(detoured(Some(true)), detoured(None)),
            detoured_background_share: share(detoured(Some(false)), delivered(Some(false))),
            marks: sum(|o| o.totals.marks),
            timeouts: sum(|o| o.totals.timeouts),
            retransmits: sum(|o| o.totals.retransmits),
            pauses: sum(|o| o.totals.pauses),
            deadlocks: sum(|o| o.deadlocks.len() as u64),
            jain: jain(self.endless.iter().copied()),
            sent: sum(|o| o.totals.sent),
            delivered: sum(|o| o.totals.delivered),
            in_flight: sum(|o| o.totals.in_flight),
            packet_hops: sum(|o| o.totals.packet_hops),
            events: sum(|o| o.totals.events),
            simulated_s: runs.iter().map(|run| run.outcome.end.as_s_f64()).sum(),
            cpu_s: None,
            hops_per_cpu_s: None,
            trajectory_hash: format!("{hash:016x}"),
            classes,
            per_seed: Vec::new(),
        }
    }
}

/// Completion times of queries: from the question until the last response is complete.
fn queries(plan: &Plan, outcome: &Outcome) -> Sample {
    // Responses complete, and when the last of them was.
    let mut seen = vec![(0u32, Time::ZERO); plan.queries.len()];
    for (flow, what) in plan.flows.iter().zip(&outcome.flows) {
        let (Some(query), Some(finished), false) = (flow.query, what.finished, flow.request) else {
            continue;
        };
        let (done, last) = &mut seen[query as usize];
        *done += 1;
        *last = finished.max(*last);
    }
    let mut sample = Sample::default();
    for (query, (done, last)) in plan.queries.iter().zip(seen) {
        if done >= query.responses {
            sample.done(last.saturating_sub(query.start));
        } else if query.start <= outcome.end {
            // One that an interrupted run never came to ask is not an unfinished one.
            sample.open(outcome.end.saturating_sub(query.start));
        }
    }
    sample
}

/// Adds one flow: from the hand-over until its last byte is delivered.
fn add(sample: &mut Sample, seen: &FlowOutcome, end: Time) {
    match (seen.started, seen.finished) {
        (Some(started), Some(finished)) => sample.done(finished.saturating_sub(started)),
        (Some(started), None) => sample.open(end.saturating_sub(started)),
        // It waits for a flow that did not finish.
        (None, _) => sample.open(Time::ZERO),
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
