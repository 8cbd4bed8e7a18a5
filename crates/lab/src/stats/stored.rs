//! Summaries of very many points, compressed in memory.
//!
//! **Decision**  a [`Summary`] is wide: some 150 numbers, few of them used by a small point, 4.5 kB beside the
//!               text. A sweep holds one of each point and scheme until its last file is written, so it holds
//!               them packed, in a quarter of that, and unpacks a summary only while it is read.
//! **Format**    postcard, field after field: within this process only, never written to a file. JSON leaves
//!               out fields and flattens others, so the fields are listed here again, without that; the
//!               compiler requires each.
//! **Errors**    none: everything unpacked was packed here.

use super::summary::{ClassSummary, LinkUse, Percentiles, Sampled, Summary};
use crate::count_sources::CountSources;
use crate::probe::Loops;
use crate::record::Signals;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Summary as it is, or packed.
#[derive(Clone, Debug)]
pub enum StoredSummary {
    /// Summary as it is.
    Whole(Arc<Summary>),
    /// Packed summary.
    Packed(Arc<[u8]>),
}

impl StoredSummary {
    /// Returns the summary.
    pub fn get(&self) -> Arc<Summary> {
        match self {
            StoredSummary::Whole(summary) => summary.clone(),
            StoredSummary::Packed(bytes) => Arc::new(unpacked(bytes)),
        }
    }

    /// Returns the summary packed.
    pub fn packed(&self) -> StoredSummary {
        match self {
            StoredSummary::Whole(summary) => StoredSummary::Packed(bytes_of(summary).into()),
            StoredSummary::Packed(bytes) => StoredSummary::Packed(bytes.clone()),
        }
    }
}

impl From<Summary> for StoredSummary {
    fn from(summary: Summary) -> StoredSummary {
        StoredSummary::Whole(Arc::new(summary))
    }
}

impl PartialEq for StoredSummary {
    fn eq(&self, other: &StoredSummary) -> bool {
        self.get() == other.get()
    }
}

fn bytes_of(summary: &Summary) -> Vec<u8> {
    postcard::to_stdvec(&BorrowedSummary(summary))
        .expect("a summary has no part that cannot be written")
}

fn unpacked(bytes: &[u8]) -> Summary {
    let OwnedSummary(summary) = postcard::from_bytes(bytes).expect("it was packed here");
    summary
}

/// Form that is written.
#[derive(Serialize)]
struct BorrowedSummary<'a>(#[serde(with = "Fields")] &'a Summary);

/// Form that is read.
#[derive(Deserialize)]
struct OwnedSummary(#[serde(with = "Fields")] Summary);

/// Fields of a [`Summary`], without the attributes for JSON.
#[derive(Serialize, Deserialize)]
#[serde(remote = "Summary")]
struct Fields {
    scheme: String,
    seeds: Vec<u64>,
    interrupted: bool,
    qct_ms: Percentiles,
    fct_short_ms: Percentiles,
    fct_background_ms: Percentiles,
    fct_long_ms: Percentiles,
    fct_query_ms: Percentiles,
    fct_response_ms: Percentiles,
    fct_all_ms: Percentiles,
    fct_by_size_ms: Vec<Percentiles>,
    query_timeout_share: Option<f64>,
    response_timeout_share: Option<f64>,
    drops: Option<BTreeMap<String, u64>>,
    drops_at: Option<BTreeMap<String, BTreeMap<String, u64>>>,
    detours: Option<u64>,
    detoured_share: Option<f64>,
    detoured_data_share: Option<f64>,
    detoured_query_share: Option<f64>,
    detoured_background_share: Option<f64>,
    detours_per_packet: Option<f64>,
    detours_p99: Option<u64>,
    detours_max: Option<u64>,
    stretch_mean: Option<f64>,
    extra_hops_p99: Option<u64>,
    link_use: Option<LinkUse>,
    samples: BTreeMap<String, Sampled>,
    loops: Option<Loops>,
    signals: Signals,
    reordered_share: Option<f64>,
    transport_reordered_share: Option<f64>,
    reordering_p99: Option<u64>,
    reordering_p99_at_least: Option<bool>,
    pauses: Option<u64>,
    deadlocks: Option<u64>,
    jain: Option<f64>,
    flow_goodput_max_over_min: Option<f64>,
    flow_goodput_max_over_min_at_least: bool,
    sent: u64,
    delivered: u64,
    in_flight: Option<u64>,
    packet_hops: Option<u64>,
    events: Option<u64>,
    simulated_s: f64,
    cpu_s: Option<f64>,
    hops_per_cpu_s: Option<f64>,
    trajectory_hash: Option<String>,
    group_ms: Percentiles,
    classes: Vec<ClassSummary>,
    told: CountSources,
    #[serde(with = "seeds")]
    per_seed: Vec<Summary>,
}

/// Serialises the summaries of the seeds, which have the same fields.
mod seeds {
    use super::{BorrowedSummary, OwnedSummary, Summary};
    use serde::{Deserialize, Deserializer, Serializer};

    pub fn serialize<S: Serializer>(all: &[Summary], to: S) -> Result<S::Ok, S::Error> {
        to.collect_seq(all.iter().map(BorrowedSummary))
    }

    pub fn deserialize<'d, D: Deserializer<'d>>(from: D) -> Result<Vec<Summary>, D::Error> {
        let all = Vec::<OwnedSummary>::deserialize(from)?;
        Ok(all
            .into_iter()
            .map(|OwnedSummary(summary)| summary)
            .collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::summarise;
    use crate::{Record, Scenario, Watch, run};
    use sidestep_sim::{NoFiles, TraceFilter};

    const TEXT: &str = "duration = \"1 ms\"\nschemes = [\"dctcp\", \"dibs\"]\nseeds = \"1..3\"\n\
        [topology]\nkind = \"fat_tree\"\nk = 4\n[switch]\ncapacity = \"20 pkt\"\n\
        [workload.query]\nkind = \"incast\"\ndegree = 15\nsize = \"40 kB\"\n[probe]\nlinks = \"100 us\"\nloops = true\n";

    fn summary(scheme: usize, seeds: &[u64]) -> Summary {
        let scenario = Scenario::read("t.toml", TEXT, &[], &NoFiles);
        let scenario = scenario.unwrap_or_else(|problems| panic!("{problems:?}"));
        let record = |seed: &u64| {
            let go = &mut |_: &_| Watch::Go;
            Record::of(&run(&scenario, scheme, *seed, TraceFilter::None, go).unwrap())
        };
        let records: Vec<Record> = seeds.iter().map(record).collect();
        summarise(&records.iter().collect::<Vec<_>>())
    }

    #[test]
    fn what_is_packed_is_the_same_summary() {
        for scheme in [0, 1] {
            let summary = summary(scheme, &[1, 2, 3]);
            // Fields that JSON writes in another form, or omits when empty, are present.
            assert_eq!(summary.per_seed.len(), 3);
            assert!(summary.loops.is_some() && !summary.samples.is_empty());
            let packed = StoredSummary::from(summary.clone()).packed();
            assert!(matches!(packed, StoredSummary::Packed(_)));
            assert_eq!(*packed.get(), summary);
            assert_eq!(*packed.packed().get(), summary);
        }
    }

    #[test]
    fn of_one_seed_it_takes_less_than_a_third_of_the_summary() {
        let summary = summary(0, &[1]);
        let packed = bytes_of(&summary).len();
        // Leaves out names, counts and lists, which are stored elsewhere.
        let wide = size_of::<Summary>()
            + summary.classes.len() * size_of::<ClassSummary>()
            + summary.fct_by_size_ms.len() * size_of::<Percentiles>();
        assert!(3 * packed < wide, "{packed} of {wide}");
    }
}
