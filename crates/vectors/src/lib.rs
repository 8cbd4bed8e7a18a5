//! Conformance vectors: what every policy of a switch and the machines of a host decide, row by row, for
//! hardware, BPF programs and other simulators to replay.
//!
//! A row holds everything that the decision depends on, chance included: the draws that
//! the policy would take next stand in it. Rows are drawn from a stream of their own, by
//! the policy's name, the seed and the row's number, so a longer table begins like a shorter one.
//! Rows of a policy that remembers are the steps of sequences, each of them answered by one policy.
//! What a policy's rows need it says itself, in its [`Nature`]. Machines of a host (`host`) remember, all of
//! them. What the columns mean: `docs/vectors.md`.
//!
//! ```
//! use sidestep_vectors::{Seed, Table, tables};
//!
//! for table in tables() {
//!     let row = table.rows(Seed(1)).next().unwrap();
//!     assert_eq!(row.cell("row"), Some("0"));
//! }
//! ```

#![forbid(unsafe_code)]

mod buffer;
mod chance;
mod draw;
mod host;
mod policy;
mod route;
mod row;
mod sched;
mod seams;
mod sequence;
mod settings;
mod table;

pub use host::{Machine, machines};
pub use policy::{Make, Policy};
pub use row::{Row, csv};
pub use seams::{Asked, policies};
pub use sidestep_types::Seed;
pub use table::Table;

/// Everything that has a table: every policy, then every machine of a host.
pub fn tables() -> impl Iterator<Item = Box<dyn Table>> {
    let policies = policies().map(|policy| Box::new(policy) as Box<dyn Table>);
    policies.chain(machines().map(|machine| Box::new(machine) as Box<dyn Table>))
}

/// The policies that `word` stands for: `dibs`, or `buffer/dibs`. Several where several seams have
/// one of that name; none when it is unknown.
pub fn named(word: &str) -> Vec<Policy> {
    policies().filter(|policy| policy.is_named(word)).collect()
}

/// The same of all that has a table.
pub fn tables_named(word: &str) -> Vec<Box<dyn Table>> {
    tables().filter(|table| table.is_named(word)).collect()
}
