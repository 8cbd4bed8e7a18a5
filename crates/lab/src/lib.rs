//! From a scenario to a run to statistics: pure, without files, threads or a clock.
//!
//! [`Scenario::read`] turns text into a resolved [`Scenario`], or says everything that is
//! wrong with it; [`run`] simulates one scheme with one seed; [`stats::summarise`] adds the
//! seeds up; [`evaluate`] holds the result against the paper's claims. Whoever drives this
//! (command line, Python, browser) brings the files, the threads and the clock.

mod claim;
mod fabric;
pub mod ideal;
mod load;
mod read;
mod run;
mod scenario;
mod scheme;
pub mod shipped;
pub mod stats;
pub mod tables;
mod warnings;
mod write;

pub use claim::{Accept, Claim, ClaimResult, Compare, Verdict, evaluate};
pub use load::{ClassLoad, LoadReport};
pub use read::problem::Problem;
pub use run::{Progress, Run, Watch, run, run_on};
pub use scenario::{Scenario, Setting};
pub use scheme::{Scheme, SchemeConfig};
pub use warnings::of_run as run_warnings;
