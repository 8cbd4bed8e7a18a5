//! Short result of one run.
//!
//! **Decision**  a sweep of very many points cannot hold a [`Record`] of each run, which takes thousands of
//!               bytes however little was sent. Reports, pages and manifests need only this short result; plots
//!               of samples, paths, detours or queues need the records.
//! **State**     about a hundred bytes a run, and its warnings.
//! **Units**     as in a [`Record`].

use crate::count_sources::CountSource;
use crate::record::Record;
use sidestep_types::Time;

/// Short result of one run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Ran {
    /// Index of the scheme among those of its point.
    pub scheme: usize,
    /// Seed of the run.
    pub seed: u64,
    /// Simulated time at the end.
    pub end: Time,
    /// Planned flows.
    pub flows: u64,
    /// Planned queries.
    pub queries: u64,
    /// Events taken from the agenda.
    pub events: u64,
    /// Deliveries of one packet over one link; `None` if they were not counted.
    pub packet_hops: Option<u64>,
    /// Digest of the trajectory; `None` for real packets.
    pub trajectory_hash: Option<u64>,
    /// Processor time of the run, s.
    pub cpu_s: f64,
    /// Warnings to read before trusting the numbers.
    pub warnings: Vec<String>,
}

impl Ran {
    /// Shortens the record of a run of scheme number `scheme`.
    fn of(scheme: usize, record: &Record) -> Ran {
        Ran {
            scheme,
            seed: record.seed,
            end: record.end.0,
            flows: record.flows,
            queries: record.queries,
            events: record.counts.events,
            packet_hops: record
                .told
                .by(CountSource::Switches, record.counts.packet_hops),
            trajectory_hash: record
                .told
                .by(CountSource::Simulator, record.trajectory_hash),
            cpu_s: record.cpu_s,
            warnings: record.warnings.clone(),
        }
    }

    /// Shortens the records whose scheme is among `schemes`, in the order of the records.
    pub fn all(schemes: &[&str], records: &[Record]) -> Vec<Ran> {
        let number = |record: &Record| schemes.iter().position(|name| *name == record.scheme);
        let ran = |record| Some(Ran::of(number(record)?, record));
        let mut all = Vec::with_capacity(records.len());
        all.extend(records.iter().filter_map(ran));
        all
    }
}
