//! What is told of a run once it is summed up.
//!
//! **Decision**  a sweep of very many points cannot hold a [`Record`] of each run, which takes thousands of bytes however
//!               little was sent. Reports, pages and manifests ask for what is here; plots of samples, paths, detours or
//!               queues for the records.
//! **State**     about a hundred bytes a run, and its warnings.
//! **Units**     as in a [`Record`].

use crate::record::Record;
use crate::told::Teller;
use sidestep_types::Time;

/// One run, in short.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Ran {
    /// The number of its scheme among those of its point.
    pub scheme: usize,
    /// The seed.
    pub seed: u64,
    /// Simulated time.
    pub end: Time,
    /// Flows of the plan.
    pub flows: u64,
    /// Queries of the plan.
    pub queries: u64,
    /// Events taken from the agenda.
    pub events: u64,
    /// Deliveries of one packet over one link; `None` where nobody counted them.
    pub packet_hops: Option<u64>,
    /// A digest of the trajectory; `None` of real packets.
    pub trajectory_hash: Option<u64>,
    /// Seconds of processor time that it took.
    pub cpu_s: f64,
    /// What must be read before trusting its numbers.
    pub warnings: Vec<String>,
}

impl Ran {
    /// Of the run of scheme number `scheme` with this record.
    fn of(scheme: usize, record: &Record) -> Ran {
        Ran {
            scheme,
            seed: record.seed,
            end: record.end.0,
            flows: record.flows,
            queries: record.queries,
            events: record.counts.events,
            packet_hops: record.told.by(Teller::Switches, record.counts.packet_hops),
            trajectory_hash: record.told.by(Teller::Simulator, record.trajectory_hash),
            cpu_s: record.cpu_s,
            warnings: record.warnings.clone(),
        }
    }

    /// Those of the records that are of these schemes, in their order.
    pub fn all(schemes: &[&str], records: &[Record]) -> Vec<Ran> {
        let number = |record: &Record| schemes.iter().position(|name| *name == record.scheme);
        let ran = |record| Some(Ran::of(number(record)?, record));
        let mut all = Vec::with_capacity(records.len());
        all.extend(records.iter().filter_map(ran));
        all
    }
}
