//! Numbers of one scheme, from one run per seed: the content of `summary.json`.

use super::reordering::n_reordering;
use super::ways::Ways;
use super::{Percentile, Sample, slowdown};
use crate::count_sources::{CountSource, CountSources};
use crate::probe::Loops;
use crate::record::{ClassRecord, Signals};
use serde::{Deserialize, Serialize};
use sidestep_sim::{Histogram, class_counts};
use sidestep_types::Time;
use std::collections::BTreeMap;

/// Numbers of one scheme.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// Name of the scheme.
    pub scheme: String,
    /// Seeds, one run each.
    pub seeds: Vec<u64>,
    /// True if a run was stopped before its end: flows in progress count as unfinished.
    pub interrupted: bool,
    /// Query completion times in milliseconds.
    pub qct_ms: Percentiles,
    /// Completion times of background flows of 1 to 10 kB (DIBS section 5.3), in milliseconds.
    pub fct_short_ms: Percentiles,
    /// Completion times of all finite background flows, in milliseconds.
    #[serde(default)]
    pub fct_background_ms: Percentiles,
    /// Completion times of background flows of more than 1 MB, in milliseconds.
    #[serde(default)]
    pub fct_long_ms: Percentiles,
    /// Completion times of the flows of queries, in milliseconds.
    #[serde(default)]
    pub fct_query_ms: Percentiles,
    /// Completion times of responses, without the requests of queries, in milliseconds.
    #[serde(default)]
    pub fct_response_ms: Percentiles,
    /// Completion times of all finite flows but the requests of queries, in milliseconds.
    #[serde(default)]
    pub fct_all_ms: Percentiles,
    /// Completion times of finite background flows, in the size ranges of [`crate::record::SIZES`], in
    /// milliseconds.
    #[serde(default)]
    pub fct_by_size_ms: Vec<Percentiles>,
    /// Share of the queries in which a response had a timeout.
    #[serde(default)]
    pub query_timeout_share: Option<f64>,
    /// Share of the responses with a timeout.
    #[serde(default)]
    pub response_timeout_share: Option<f64>,
    /// Packets dropped, by reason.
    pub drops: Option<BTreeMap<String, u64>>,
    /// Packets dropped, by reason and then by the tier of the switch, or by switch where a topology names
    /// no tiers. Zeros are left out.
    #[serde(default)]
    pub drops_at: Option<BTreeMap<String, BTreeMap<String, u64>>>,
    /// Detours of all packets.
    pub detours: Option<u64>,
    /// Share of all packets delivered, acknowledgements included, that were detoured at least once.
    pub detoured_share: Option<f64>,
    /// Share of the data packets delivered that were detoured at least once.
    pub detoured_data_share: Option<f64>,
    /// Share of the detoured data packets that belong to queries.
    pub detoured_query_share: Option<f64>,
    /// Share of the background data packets delivered that were detoured.
    pub detoured_background_share: Option<f64>,
    /// Mean detours of a delivered data packet, including packets without any.
    #[serde(default)]
    pub detours_per_packet: Option<f64>,
    /// 99th percentile of the detours of a delivered data packet of a query: 1 % have this many or more.
    #[serde(default)]
    pub detours_p99: Option<u64>,
    /// Largest number of detours of a delivered data packet.
    #[serde(default)]
    pub detours_max: Option<u64>,
    /// Mean over delivered data packets: switches crossed over those of a shortest path.
    #[serde(default)]
    pub stretch_mean: Option<f64>,
    /// 99th percentile of the switches that a delivered data packet crossed beyond a shortest path.
    #[serde(default)]
    pub extra_hops_p99: Option<u64>,
    /// Mean and largest share of the runs' time that a link out of a switch was busy.
    #[serde(default)]
    pub link_use: Option<LinkUse>,
    /// Samples of probes, and samples over endless flows, by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub samples: BTreeMap<String, Sampled>,
    /// Loops of data packets, if they were counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub loops: Option<Loops>,
    /// Effects of congestion: marks, timeouts and the like, each under its own key in JSON.
    #[serde(flatten)]
    pub signals: Signals,
    /// Share of the delivered data packets that arrived after one sent later (RFC 4737).
    #[serde(default)]
    pub reordered_share: Option<f64>,
    /// Share of the delivered data packets that reached the transport after one sent later: reordering
    /// that shims did not repair; without shims equal to `reordered_share`.
    #[serde(default)]
    pub transport_reordered_share: Option<f64>,
    /// 99th percentile of n (RFC 4737 section 5.4) over the reordered packets, by nearest rank.
    #[serde(default)]
    pub reordering_p99: Option<u64>,
    /// True if `reordering_p99` is a lower bound: values above 64 are not distinguished.
    #[serde(default)]
    pub reordering_p99_at_least: Option<bool>,
    /// Pauses that switches sent.
    #[serde(default)]
    pub pauses: Option<u64>,
    /// Cycles of ports that wait for each other forever.
    #[serde(default)]
    pub deadlocks: Option<u64>,
    /// Jain's index of the goodputs of endless flows.
    pub jain: Option<f64>,
    /// Largest goodput of an endless flow over the smallest of the same run: the geometric mean of the runs.
    #[serde(default)]
    pub flow_goodput_max_over_min: Option<f64>,
    /// True if that is a lower bound, because a flow delivered nothing.
    #[serde(default)]
    pub flow_goodput_max_over_min_at_least: bool,
    /// Packets put on NICs, data or not.
    pub sent: u64,
    /// Packets that reached their host.
    pub delivered: u64,
    /// Packets in flight when the runs stopped.
    pub in_flight: Option<u64>,
    /// Deliveries of one packet over one link.
    pub packet_hops: Option<u64>,
    /// Events taken from the agenda.
    pub events: Option<u64>,
    /// Simulated time of all runs, in seconds.
    pub simulated_s: f64,
    /// Processor time of all runs, in seconds; filled in by a caller with a clock.
    pub cpu_s: Option<f64>,
    /// `packet_hops / cpu_s`; filled in with it.
    pub hops_per_cpu_s: Option<f64>,
    /// Digest of the runs' trajectories, in the order of the seeds, as 16 hexadecimal digits.
    pub trajectory_hash: Option<String>,
    /// Completion times of groups of flows, in milliseconds.
    #[serde(default)]
    pub group_ms: Percentiles,
    /// Numbers of each workload and each class of a flow list; in JSON an object, by name.
    #[serde(with = "super::by_name")]
    pub classes: Vec<ClassSummary>,
    /// Sources of the counts: counts of a missing source are `None`.
    #[serde(
        default,
        rename = "not_told",
        skip_serializing_if = "CountSources::is_all"
    )]
    pub told: CountSources,
    /// Summary of each seed alone; empty within those.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub per_seed: Vec<Summary>,
}

/// Completion times, in milliseconds where the field says so, or slowdowns.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Percentiles {
    /// Median, by nearest rank over all seeds together; `None` if there are no values.
    pub p50: Option<f64>,
    /// 95th percentile, likewise.
    #[serde(default)]
    pub p95: Option<f64>,
    /// 99th percentile, likewise.
    pub p99: Option<f64>,
    /// 99.9th percentile, likewise.
    #[serde(default)]
    pub p999: Option<f64>,
    /// Mean; unfinished items count with their elapsed time.
    #[serde(default)]
    pub mean: Option<f64>,
    /// Mean of the finished items alone, as studies print that leave out the others. `None` if none finished.
    #[serde(default)]
    pub done_mean: Option<f64>,
    /// 99th percentile of the finished items alone.
    #[serde(default)]
    pub done_p99: Option<f64>,
    /// Smallest value.
    #[serde(default)]
    pub min: Option<f64>,
    /// Largest value.
    #[serde(default)]
    pub max: Option<f64>,
    /// 95 % interval of `p99`, from each seed's own by [`sectioned`](super::sectioned). `None` with fewer than
    /// three seeds, or when unfinished items leave a seed without an exact value.
    pub ci: Option<[f64; 2]>,
    /// Number of items, finished or not.
    pub n: u64,
    /// Share that finished; `None` if there are no items.
    pub completed_share: Option<f64>,
    /// True if `p50` is a lower bound, from an unfinished item.
    #[serde(default)]
    pub p50_at_least: bool,
    /// True if `p95` is a lower bound, from an unfinished item.
    #[serde(default)]
    pub p95_at_least: bool,
    /// True if `p99` is a lower bound, from an unfinished item.
    #[serde(default)]
    pub p99_at_least: bool,
    /// True if `p999` is a lower bound, from an unfinished item.
    #[serde(default)]
    pub p999_at_least: bool,
    /// True if the mean is a lower bound, because an item did not finish.
    #[serde(default)]
    pub mean_at_least: bool,
    /// True if the largest is a lower bound, because an item did not finish.
    #[serde(default)]
    pub max_at_least: bool,
}

/// Use of the links out of switches over whole runs.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LinkUse {
    /// Mean over links; `None` if there are no links.
    pub mean: Option<f64>,
    /// Use of the busiest link.
    pub max: Option<f64>,
}

/// Sample of a probe, over all seeds together; percentiles by nearest rank.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sampled {
    /// Number of values; never 0.
    pub n: u64,
    /// Mean.
    pub mean: f64,
    /// 10th percentile.
    pub p10: f64,
    /// Median.
    pub p50: f64,
    /// 90th percentile.
    pub p90: f64,
    /// 99th percentile.
    #[serde(default)]
    pub p99: f64,
    /// Largest value.
    pub max: f64,
}

impl Sampled {
    /// Sums up values; `None` if there are none.
    pub(super) fn of(mut values: Vec<f64>) -> Option<Sampled> {
        values.sort_unstable_by(f64::total_cmp);
        let n = values.len();
        let rank = |percent: usize| values[(n * percent).div_ceil(100).max(1) - 1];
        (n > 0).then(|| Sampled {
            n: n as u64,
            mean: values.iter().sum::<f64>() / n as f64,
            p10: rank(10),
            p50: rank(50),
            p90: rank(90),
            p99: rank(99),
            max: rank(100),
        })
    }
}

/// Writes [`ClassSummary`].
macro_rules! class_summary {
    (
        path { $($(#[$path_doc:meta])* $path:ident by $path_teller:ident;)* }
        arrival { $($(#[$arrival_doc:meta])* $arrival:ident by $arrival_teller:ident;)* }
    ) => {
        /// Numbers of a workload, or of a class of a flow list.
        #[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
        pub struct ClassSummary {
            /// Name of the workload in the scenario; for a flow list followed by a slash and the class.
            pub name: String,
            /// True if it has queries.
            pub query: bool,
            $($(#[$path_doc])* pub $path: Option<u64>,)*
            /// Data packets that arrived, by number of detours, from 0 up.
            #[serde(default)]
            pub detours_each: Option<Vec<u64>>,
            /// Data packets that arrived, by number of switches crossed beyond a shortest path, from 0 up.
            #[serde(default)]
            pub extra_hops: Option<Vec<u64>>,
            $($(#[$arrival_doc])* #[serde(default)] pub $arrival: Option<u64>,)*
            /// Reordered packets by their n (RFC 4737 section 5.4): 1 to 64 in turn, then more; trailing zeros
            /// are left out.
            #[serde(default)]
            pub n_reordering: Option<Vec<u64>>,
            /// Bytes delivered in order.
            pub delivered_bytes: u64,
            /// Detours of the data packets that arrived, as in the rows of flows.
            #[serde(default)]
            pub detours_delivered: Option<u64>,
            /// Completion times of its finite flows, in milliseconds.
            pub fct_ms: Percentiles,
            /// Completion times over the ideal ones in an idle network.
            #[serde(default)]
            pub slowdown: Percentiles,
            /// Completion times of groups of its flows alone, in milliseconds.
            #[serde(default)]
            pub group_ms: Percentiles,
        }

        impl ClassSummary {
            /// Sums up a workload; numbers of tellers that a run lacked are `None`.
            pub(super) fn of(mut class: ClassRecord, told: &CountSources) -> ClassSummary {
                let packets = &class.packets;
                let ways = Ways::of(packets);
                let bins = |histogram: &Histogram| {
                    told.by(CountSource::Simulator, histogram.counts().to_vec())
                };
                ClassSummary {
                    query: class.query,
                    $($path: told.by(CountSource::$path_teller, packets.$path),)*
                    detours_each: bins(ways.detours),
                    extra_hops: bins(&ways.extra_hops()),
                    $($arrival: told.by(CountSource::$arrival_teller, packets.$arrival),)*
                    n_reordering: told.by(CountSource::Simulator, n_reordering(&packets.n_reordering)),
                    delivered_bytes: class.delivered_bytes,
                    detours_delivered: told.by(CountSource::Simulator, class.detours_delivered),
                    fct_ms: Percentiles::of(&mut class.fct),
                    slowdown: Percentiles::of_slowdowns(&mut class.slowdown),
                    group_ms: Percentiles::of(&mut class.groups),
                    name: class.name,
                }
            }
        }
    };
}

class_counts!(class_summary);

impl ClassSummary {
    /// True if it had any traffic.
    pub fn exists(&self) -> bool {
        self.fct_ms.n > 0 || self.sent.is_some_and(|sent| sent > 0) || self.delivered_bytes > 0
    }
}

impl Summary {
    /// Returns all completion times and slowdowns, those of classes last.
    pub(super) fn times(&mut self) -> Vec<&mut Percentiles> {
        let own = [
            &mut self.qct_ms,
            &mut self.fct_short_ms,
            &mut self.fct_background_ms,
            &mut self.fct_long_ms,
            &mut self.fct_query_ms,
            &mut self.fct_response_ms,
            &mut self.fct_all_ms,
            &mut self.group_ms,
        ];
        let of_classes = (self.classes.iter_mut())
            .flat_map(|class| [&mut class.fct_ms, &mut class.slowdown, &mut class.group_ms]);
        let of_sizes = self.fct_by_size_ms.iter_mut();
        own.into_iter().chain(of_sizes).chain(of_classes).collect()
    }

    /// Returns the class called `name`, or the only one with that word in a flow list: `web` for `trace/web`.
    pub fn class(&self, name: &str) -> Option<&ClassSummary> {
        let names = self.classes.iter().map(|class| &*class.name);
        place(names, name).ok().map(|place| &self.classes[place])
    }

    /// Fills in the cost of the runs.
    pub fn set_cpu(&mut self, seconds: f64) {
        self.cpu_s = Some(seconds);
        self.hops_per_cpu_s =
            (self.packet_hops.filter(|_| seconds > 0.0)).map(|hops| hops as f64 / seconds);
    }
}

impl Percentiles {
    /// Sums up a sample of times.
    pub(super) fn of(sample: &mut Sample) -> Percentiles {
        Percentiles::by(sample, Time::as_ms_f64)
    }

    /// Sums up a sample of slowdowns.
    pub(super) fn of_slowdowns(sample: &mut Sample) -> Percentiles {
        Percentiles::by(sample, slowdown::value)
    }

    fn by(sample: &mut Sample, number: fn(Time) -> f64) -> Percentiles {
        let read = |percentile: Option<Percentile>| match percentile {
            None => (None, false),
            Some(Percentile::Exactly(t)) => (Some(number(t)), false),
            Some(Percentile::AtLeast(t)) => (Some(number(t)), true),
        };
        let (p50, p50_at_least) = read(sample.percentile(500));
        let (p95, p95_at_least) = read(sample.percentile(950));
        let (p99, p99_at_least) = read(sample.percentile(990));
        let (p999, p999_at_least) = read(sample.percentile(999));
        let (mean, mean_at_least) = read(sample.mean());
        let (max, max_at_least) = read(sample.percentile(1000));
        let (min, _) = read(sample.percentile(0));
        Percentiles {
            p50,
            p95,
            p99,
            p999,
            mean,
            done_mean: sample.done_mean().map(number),
            done_p99: sample.done_percentile(990).map(number),
            min,
            max,
            ci: None,
            n: sample.len(),
            completed_share: sample.completed_share(),
            p50_at_least,
            p95_at_least,
            p99_at_least,
            p999_at_least,
            mean_at_least,
            max_at_least,
        }
    }
}

/// Finds the index of the class called `name` among `classes`. For a class of a flow list its word is enough,
/// if that is unique. The error holds the classes it may mean, and is empty for an unknown one.
pub fn place<'a>(
    classes: impl Iterator<Item = &'a str> + Clone,
    name: &str,
) -> Result<usize, Vec<&'a str>> {
    if let Some(place) = classes.clone().position(|class| class == name) {
        return Ok(place);
    }
    let is_word = |class: &str| class.split_once('/').is_some_and(|(_, word)| word == name);
    let found: Vec<(usize, &str)> = (classes.enumerate())
        .filter(|(_, class)| is_word(class))
        .collect();
    match found[..] {
        [(place, _)] => Ok(place),
        _ => Err(found.into_iter().map(|(_, class)| class).collect()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_class_of_a_list_has_its_word_as_its_name_where_that_is_nobody_elses() {
        let classes = ["web", "a/storage", "a/dns", "b/dns", "a/web", "b/x/y"];
        let at = |name| place(classes.iter().copied(), name);
        let good = ["web", "storage", "a/dns", "a/web", "x/y"].map(at);
        assert_eq!(good, [Ok(0), Ok(1), Ok(2), Ok(4), Ok(5)]);
        assert_eq!(at("dns"), Err(vec!["a/dns", "b/dns"]));
        assert_eq!(at("mail"), Err(vec![]));
    }
}
