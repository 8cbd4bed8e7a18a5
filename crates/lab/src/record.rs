//! Record of one run, kept after its flows are forgotten: the input of all statistics.
//!
//! **Units**        times in whole picoseconds, so that merging seeds is exact; counts of packets.
//! **Deviations**   none: [`crate::stats::summarise`] sees runs only through records, so that a
//!                  record taken from a cache and one made a moment ago give the same numbers.
//!
//! A new count is one line in [`sidestep_sim::run_counts!`]; a new kind of measurement one field of
//! [`Record`].

use crate::count_sources::{CountSource, CountSources};
use crate::ideal::Ideal;
use crate::probe::Probed;
use crate::run::Run;
use crate::stats::{Sample, slowdown};
use serde::{Deserialize, Serialize};
use sidestep_sim::{
    ClassOutcome, End, FlowOutcome, FlowPlan, Outcome, Start, Totals, TrafficPlan, class_counts,
    run_counts,
};
use sidestep_switch::DropReason;
use sidestep_types::{BitRate, Framing, HEADER_BYTES, HostId, Time};
use std::collections::BTreeMap;

/// Record of one run: a point, a scheme, a seed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// Name of the scheme.
    pub scheme: String,
    /// Seed of the run.
    pub seed: u64,
    /// True if the watcher stopped the run: flows in progress are in no percentile, since it is unknown when
    /// they would have finished.
    pub interrupted: bool,
    /// Planned flows, without those of a closed loop that never started.
    pub flows: u64,
    /// Planned queries.
    pub queries: u64,
    /// Simulated time at the end.
    pub end: Span,
    /// Digest of the trajectory.
    pub trajectory_hash: u64,
    /// Sums over the run.
    pub counts: Counts,
    /// Packets dropped, by reason.
    pub drops: BTreeMap<String, u64>,
    /// Query completion times.
    pub qct: Sample,
    /// Completion times of background flows of 1 to 10 kB (DIBS section 5.3).
    pub fct_short: Sample,
    /// Record of each workload.
    pub classes: Vec<ClassRecord>,
    /// Completion times of groups with flows of several classes; other groups are in their class.
    pub mixed_groups: Sample,
    /// Completion times of background flows of more than 1 MB.
    pub fct_long: Sample,
    /// Completion times of responses, if queries send requests: see [`Record::answers`]. Without requests they
    /// equal those of the flows of queries, and are not stored twice.
    pub fct_response: Option<Sample>,
    /// Goodput of each background flow of more than 1 MB from its start to its end, or to that of the run,
    /// bytes a second.
    pub long_goodput: Vec<f64>,
    /// Queries in which a response had a timeout.
    pub timed_out_queries: u64,
    /// Responses with a timeout.
    pub timed_out_responses: u64,
    /// Number of responses.
    pub responses: u64,
    /// Goodput of each endless flow while it lasted, bytes a second.
    pub endless: Vec<f64>,
    /// Rate of the slower of the links of its two hosts, for each endless flow, bytes a second.
    pub endless_link: Vec<f64>,
    /// Share of a full packet on such a link that is payload, for each endless flow.
    pub endless_payload: Vec<f64>,
    /// Completion times of finite background flows by size: see [`SIZES`].
    pub fct_by_size: [Sample; SIZES.len()],
    /// Use of the links out of switches.
    pub links: LinksBusy,
    /// Results of the probes.
    pub probed: Probed,
    /// Cycles of ports that wait for each other forever.
    pub deadlocks: u64,
    /// Warnings to read before trusting the numbers.
    pub warnings: Vec<String>,
    /// Disturbances of the run by the machine, in words; numbers are given with and without such runs. Never
    /// stored: simulated runs are not disturbed.
    #[serde(skip)]
    pub marks: Vec<String>,
    /// Sources of the counts. Never stored: only simulated runs are stored, and they have all sources.
    #[serde(skip)]
    pub told: CountSources,
    /// Processor time of the run, in seconds; 0 until a caller with a clock fills it in. The only number here
    /// that differs between repetitions of a run.
    pub cpu_s: f64,
}

/// Use of the links out of switches over a run, as shares of its time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LinksBusy {
    /// Number of links.
    pub n: u64,
    /// Sum of their shares.
    pub sum: f64,
    /// Share of the busiest link.
    pub max: f64,
}

impl LinksBusy {
    fn of(outcome: &Outcome) -> LinksBusy {
        let capacity = |rate: BitRate| rate.as_bps() as f64 * outcome.end.as_s_f64() / 8.0;
        let mut busy = LinksBusy::default();
        for port in &outcome.ports {
            let share = port.wire_bytes as f64 / capacity(port.rate);
            if matches!(port.from, End::Switch(_)) && share.is_finite() {
                busy.n += 1;
                busy.sum += share;
                busy.max = busy.max.max(share);
            }
        }
        busy
    }
}

/// Picoseconds that serialise as a number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "u64", into = "u64")]
pub struct Span(pub Time);

impl From<u64> for Span {
    fn from(ps: u64) -> Span {
        Span(Time::from_ps(ps))
    }
}

impl From<Span> for u64 {
    fn from(span: Span) -> u64 {
        span.0.ps()
    }
}

/// Wraps a count of a certain source, or of any.
macro_rules! told_by {
    ($told:ident, $count:expr) => {
        Some($count)
    };
    ($told:ident, $count:expr, $teller:ident) => {
        $told.by(CountSource::$teller, $count)
    };
}

/// Defines [`Counts`] and [`Signals`].
macro_rules! counts {
    (
        work { $($(#[$work_doc:meta])* $work:ident $(by $work_teller:ident)?;)* }
        signals { $($(#[$signal_doc:meta])* $signal:ident $(by $signal_teller:ident)?;)* }
    ) => {
        /// Sums over a run. Packets are data, acknowledgements and handshakes alike.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
        pub struct Counts {
            $($(#[$work_doc])* pub $work: u64,)*
            $($(#[$signal_doc])* pub $signal: u64,)*
        }

        impl Counts {
            /// Names of all counts, which are keys of a summary.
            pub const NAMES: &[&str] = &[$(stringify!($work),)* $(stringify!($signal),)*];

            fn of(totals: &Totals) -> Counts {
                Counts { $($work: totals.$work,)* $($signal: totals.$signal,)* }
            }

            /// Adds the counts of another run.
            pub fn add(&mut self, other: &Counts) {
                $(self.$work += other.$work;)*
                $(self.$signal += other.$signal;)*
            }

            /// Returns the counts whose source is present, `None` for the others.
            pub fn told(&self, told: &CountSources) -> KnownCounts {
                KnownCounts {
                    $($work: told_by!(told, self.$work $(, $work_teller)?),)*
                    signals: Signals { $($signal: told_by!(told, self.$signal $(, $signal_teller)?),)* },
                }
            }
        }

        /// Sums over a run whose source is present.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub struct KnownCounts {
            $($(#[$work_doc])* pub $work: Option<u64>,)*
            /// Effects of congestion.
            pub signals: Signals,
        }

        impl KnownCounts {
            /// Iterates over all counts, in the order of [`Counts::NAMES`].
            pub fn all(&self) -> impl Iterator<Item = Option<u64>> + use<> {
                [$(self.$work,)* $(self.signals.$signal,)*].into_iter()
            }
        }

        /// Effects of congestion, summed over the seeds: fields of a summary.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
        #[serde(default)]
        pub struct Signals {
            $($(#[$signal_doc])* pub $signal: Option<u64>,)*
        }

        impl Signals {
            /// Names of all signals.
            pub const NAMES: &[&str] = &[$(stringify!($signal)),*];
        }
    };
}

run_counts!(counts);

/// Record of one workload, in one run or in several.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ClassRecord {
    /// Name in the scenario.
    pub name: String,
    /// True if it has queries.
    pub query: bool,
    /// Counts of its data packets.
    pub packets: ClassOutcome,
    /// Bytes delivered in order.
    pub delivered_bytes: u64,
    /// Detours of the packets that arrived.
    pub detours_delivered: u64,
    /// Completion times of its finite flows.
    pub fct: Sample,
    /// Completion times over ideal ones in an idle network, in the form of [`mod@slowdown`].
    pub slowdown: Sample,
    /// Completion times of groups with flows of this workload alone.
    pub groups: Sample,
}

impl ClassRecord {
    /// Adds the same workload of another run.
    pub fn merge(&mut self, other: &ClassRecord) {
        self.query |= other.query;
        self.packets.merge(&other.packets);
        self.delivered_bytes += other.delivered_bytes;
        self.detours_delivered += other.detours_delivered;
        self.fct.merge(&other.fct);
        self.slowdown.merge(&other.slowdown);
        self.groups.merge(&other.groups);
    }
}

/// Writes [`ClassRecord::counts`].
macro_rules! told_of_class {
    (
        path { $($(#[$path_doc:meta])* $path:ident by $path_teller:ident;)* }
        arrival { $($(#[$arrival_doc:meta])* $arrival:ident by $arrival_teller:ident;)* }
    ) => {
        impl ClassRecord {
            /// Names and values of the counts of its data packets, `None` where nobody told one.
            pub fn counts(
                &self,
                told: &CountSources,
            ) -> impl Iterator<Item = (&'static str, Option<u64>)> + use<> {
                let packets = &self.packets;
                [
                    $((stringify!($path), told.by(CountSource::$path_teller, packets.$path)),)*
                    $((stringify!($arrival), told.by(CountSource::$arrival_teller, packets.$arrival)),)*
                ]
                .into_iter()
            }
        }
    };
}

class_counts!(told_of_class);

/// Sizes of the paper's short flows: 1 to 10 kB (DIBS section 5.3).
const SHORT: std::ops::RangeInclusive<u64> = 1_000..=10_000;

/// Size above which a flow is long: the largest class of DCTCP (SIGCOMM 2010, figure 22).
const LONG: u64 = 1_000_000;

/// Size ranges of completion times: the largest size of each in bytes, `None` for the last.
pub const SIZES: [Option<u64>; 5] = [
    Some(10_000),
    Some(100_000),
    Some(1_000_000),
    Some(10_000_000),
    None,
];

impl Record {
    /// Makes the record of a run.
    pub fn of(run: &Run) -> Record {
        let (plan, outcome) = (&*run.plan, &run.outcome);
        let drops = |reason: DropReason| {
            let count = outcome.totals.drops[reason as usize];
            (reason.name().to_string(), count)
        };
        let mut record = Record {
            scheme: run.scheme.clone(),
            seed: run.seed,
            interrupted: run.interrupted,
            flows: outcome.flows_of(plan).count() as u64,
            queries: plan.queries.len() as u64,
            end: Span(outcome.end),
            trajectory_hash: outcome.trajectory_hash,
            counts: Counts::of(&outcome.totals),
            drops: DropReason::ALL.into_iter().map(drops).collect(),
            qct: queries(plan, outcome),
            classes: classes(plan, outcome),
            links: LinksBusy::of(outcome),
            probed: run.probed.clone(),
            deadlocks: outcome.deadlocks.len() as u64,
            warnings: run.warnings.clone(),
            marks: run.marks.clone(),
            told: run.told.clone(),
            fct_response: (plan.flows.iter())
                .any(|flow| flow.request && flow.query.is_some())
                .then(Sample::default),
            ..Record::default()
        };
        let rates = host_rates(outcome);
        let mut ideal = Ideal::new(&run.network, run.framing, run.mss);
        for (_, flow, seen) in outcome.flows_of(plan) {
            record.flow(flow, seen, outcome.end, &mut ideal);
            if flow.is_endless() {
                let rate = |host: HostId| rates.get(&host).copied().unwrap_or(0.0);
                record.endless_link.push(rate(flow.src).min(rate(flow.dst)));
                let mss = flow.mss.map_or(run.mss, |mss| u32::from(mss.get()));
                let payload = payload_share(run.framing, mss);
                record.endless_payload.push(payload);
            }
        }
        record.groups_of(plan, outcome);
        record.timed_out(plan, outcome);
        if run.interrupted {
            record.times().for_each(Sample::stop);
        }
        record.times().for_each(Sample::sort);
        record
    }

    /// Returns completion times of the flows of queries.
    pub fn responses(&self) -> Sample {
        let mut all = Sample::default();
        let classes = self.classes.iter().filter(|class| class.query);
        classes.for_each(|class| all.merge(&class.fct));
        all
    }

    /// Returns completion times of responses, without requests.
    pub fn answers(&self) -> Sample {
        let own = self.fct_response.clone();
        own.unwrap_or_else(|| self.responses())
    }

    /// Returns completion times of all groups.
    pub fn groups(&self) -> Sample {
        let mut all = self.mixed_groups.clone();
        self.classes.iter().for_each(|c| all.merge(&c.groups));
        all
    }

    fn flow(&mut self, flow: &FlowPlan, seen: &FlowOutcome, end: Time, ideal: &mut Ideal) {
        let class = &mut self.classes[usize::from(flow.class)];
        class.delivered_bytes += seen.delivered_bytes;
        class.detours_delivered += u64::from(seen.detours);
        if flow.is_endless() {
            // The part of the run before `probe.flows_from` does not count.
            let part = self.probed.flows_from.as_ref();
            let before = part.and_then(|part| part.delivered.get(self.endless.len()));
            let bytes = seen.delivered_bytes - before.copied().unwrap_or(0);
            let from = part.map_or(Time::ZERO, |part| Time::from_ps(part.at_ps));
            let lasted = seen
                .started
                .map(|at| end.saturating_sub(at.max(from)).as_s_f64());
            let goodput = lasted.map_or(0.0, |s| bytes as f64 / s);
            self.endless
                .push(if goodput.is_finite() { goodput } else { 0.0 });
            return;
        }
        if matches!(flow.start, Start::At(t) if seen.started.is_none() && t > end) {
            // The interrupted run never handed it over.
            return;
        }
        if flow.request && flow.query.is_none() {
            // A request for a background flow is not measured: it is part of the cause of that flow.
            return;
        }
        add(&mut class.fct, seen, end);
        if let Some(ideal) = ideal.of(flow) {
            add_slowdown(&mut class.slowdown, seen, end, ideal);
        }
        if let Some(responses) = &mut self.fct_response
            && flow.query.is_some()
            && !flow.request
        {
            add(responses, seen, end);
        }
        if !class.query && flow.query.is_none() {
            let fits = |most: &Option<u64>| most.is_none_or(|most| flow.size <= most);
            let size = SIZES.iter().position(fits).expect("the last has no limit");
            add(&mut self.fct_by_size[size], seen, end);
        }
        if !class.query && flow.query.is_none() && SHORT.contains(&flow.size) {
            add(&mut self.fct_short, seen, end);
        }
        if !class.query && flow.query.is_none() && flow.size > LONG {
            add(&mut self.fct_long, seen, end);
            let (_, span) = took(seen, end);
            let goodput = seen.delivered_bytes as f64 / span.as_s_f64();
            self.long_goodput.extend(finite(goodput));
        }
    }

    /// Adds the groups: from the first start of a flow of the group to the last byte of all its flows.
    fn groups_of(&mut self, plan: &TrafficPlan, outcome: &Outcome) {
        for group in &plan.groups {
            let seen = outcome.group(group);
            let began = seen.started.unwrap_or(group.start);
            let sample = match group.class {
                Some(class) => &mut self.classes[usize::from(class)].groups,
                None => &mut self.mixed_groups,
            };
            match seen.finished {
                Some(finished) => sample.done(finished.saturating_sub(began)),
                // A group that an interrupted run never began does not count as unfinished.
                None if began > outcome.end => {}
                None => sample.open(outcome.end.saturating_sub(began)),
            }
        }
    }

    /// Counts the responses with a timeout, and the queries that have one.
    fn timed_out(&mut self, plan: &TrafficPlan, outcome: &Outcome) {
        let mut hit = vec![false; plan.queries.len()];
        for (flow, seen) in plan.flows.iter().zip(&outcome.flows) {
            let (Some(query), false) = (flow.query, flow.request) else {
                continue;
            };
            self.responses += 1;
            self.timed_out_responses += u64::from(seen.timeouts > 0);
            hit[query as usize] |= seen.timeouts > 0;
        }
        self.timed_out_queries = hit.iter().filter(|hit| **hit).count() as u64;
    }

    /// Iterates over all samples of times. They have no order; sorting makes the bytes reproducible.
    fn times(&mut self) -> impl Iterator<Item = &mut Sample> {
        let own = [
            &mut self.qct,
            &mut self.fct_short,
            &mut self.fct_long,
            &mut self.mixed_groups,
        ];
        let of_classes = self
            .classes
            .iter_mut()
            .flat_map(|class| [&mut class.fct, &mut class.slowdown, &mut class.groups]);
        own.into_iter()
            .chain(&mut self.fct_response)
            .chain(&mut self.fct_by_size)
            .chain(of_classes)
    }
}

/// Returns the rate, or `None` if it was taken over zero time.
fn finite(rate: f64) -> Option<f64> {
    rate.is_finite().then_some(rate)
}

/// Returns the rate of each host's own link, bytes a second.
fn host_rates(outcome: &Outcome) -> BTreeMap<HostId, f64> {
    let own = outcome.ports.iter().filter_map(|port| match port.from {
        End::Host(host) => Some((host, port.rate.as_bps() as f64 / 8.0)),
        End::Switch(_) => None,
    });
    own.collect()
}

/// Returns the share of a full packet's time on a link that is payload.
pub(crate) fn payload_share(framing: Framing, mss: u32) -> f64 {
    f64::from(mss) / f64::from(framing.wire(mss + HEADER_BYTES))
}

fn classes(plan: &TrafficPlan, outcome: &Outcome) -> Vec<ClassRecord> {
    let class = |(class, name): (usize, &String)| {
        let mut queries = plan.queries.iter();
        ClassRecord {
            name: name.clone(),
            query: queries.any(|query| usize::from(query.class) == class),
            packets: outcome.classes.get(class).cloned().unwrap_or_default(),
            ..ClassRecord::default()
        }
    };
    plan.classes.iter().enumerate().map(class).collect()
}

/// Returns completion times of queries: from the question until the last response is complete.
fn queries(plan: &TrafficPlan, outcome: &Outcome) -> Sample {
    // Number of completed responses, and the time of the last.
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
            // A query that an interrupted run never began does not count as unfinished.
            sample.open(outcome.end.saturating_sub(query.start));
        }
    }
    sample
}

/// Adds one flow: from the hand-over until its last byte is delivered.
fn add(sample: &mut Sample, seen: &FlowOutcome, end: Time) {
    match took(seen, end) {
        (true, span) => sample.done(span),
        (false, span) => sample.open(span),
    }
}

/// Adds the slowdown of one flow, which takes `ideal` over an idle network.
fn add_slowdown(sample: &mut Sample, seen: &FlowOutcome, end: Time, ideal: Time) {
    match took(seen, end) {
        (true, span) => sample.done(slowdown::kept(span, ideal)),
        (false, span) => sample.open(slowdown::kept(span, ideal)),
    }
}

/// Returns whether a flow finished, and its time so far.
fn took(seen: &FlowOutcome, end: Time) -> (bool, Time) {
    match (seen.started, seen.finished) {
        (Some(started), Some(finished)) => (true, finished.saturating_sub(started)),
        (Some(started), None) => (false, end.saturating_sub(started)),
        // The flow waits for one that did not finish.
        (None, _) => (false, Time::ZERO),
    }
}
