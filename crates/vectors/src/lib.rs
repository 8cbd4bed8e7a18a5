//! Conformance vectors: the decisions of every policy of a switch and of the machines of a host, row by row,
//! for hardware, BPF programs and other simulators to replay.
//!
//! A row holds all inputs of the decision, chance included: it shows the draws that the policy would use next.
//! Rows are drawn from a separate stream, derived from the policy's name, the seed and the row's number, so a
//! longer table begins like a shorter one. Rows of a policy that remembers are the steps of sequences; one
//! policy answers all steps of a sequence. A policy states in its [`Nature`] which inputs its rows need. All
//! machines of a host (`host`) remember.
//! `docs/reference/vectors.md` defines the columns.
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
pub use policy::{Policy, PolicyConstructor};
pub use row::{Row, csv};
pub use seams::{CallerPolicy, policies};
pub use sidestep_types::Seed;
pub use table::Table;

/// Returns everything that has a table: every policy, then every machine of a host.
pub fn tables() -> impl Iterator<Item = Box<dyn Table>> {
    let policies = policies().map(|policy| Box::new(policy) as Box<dyn Table>);
    policies.chain(machines().map(|machine| Box::new(machine) as Box<dyn Table>))
}

/// Returns the policies with the name `word`: `dibs`, or `buffer/dibs`. Returns several if several seams have a
/// policy of that name, and none if the name is unknown.
pub fn named(word: &str) -> Vec<Policy> {
    policies().filter(|policy| policy.is_named(word)).collect()
}

/// Returns everything with the name `word` that has a table.
pub fn tables_named(word: &str) -> Vec<Box<dyn Table>> {
    tables().filter(|table| table.is_named(word)).collect()
}
