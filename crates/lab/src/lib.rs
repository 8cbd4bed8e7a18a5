//! From a scenario to runs to statistics: pure, without files, threads or a clock.
//!
//! [`Scenario::read`] turns text into a resolved [`Scenario`], or reports everything that is wrong with it.
//! [`run`] simulates one scheme with one seed. A [`Record`] keeps the results of a run. [`stats::summarise`]
//! combines the seeds. [`evaluate`] compares the result with the paper's claims. An [`Experiment`] is a
//! scenario at several points. The driver (command line, Python, browser) brings the files, the threads and the
//! clock.

#![forbid(unsafe_code)]

mod cables;
pub mod caller;
pub mod catalog;
pub mod checkpoint;
mod claim;
mod count_sources;
pub mod cut;
mod distances;
mod drive;
mod estimate;
mod experiment;
mod fabric;
mod fair;
pub mod ideal;
mod kernel;
mod load;
mod marker;
pub mod probe;
mod ran;
mod read;
mod record;
mod recording;
mod run;
mod running;
mod scenario;
mod scheme;
mod session;
pub mod shipped;
pub mod stats;
pub mod tables;
mod warnings;
mod write;

/// Returns a hint such as `; did you mean "x"?` at the nearest of `known`; all of them if none is near, an
/// empty string if there are none.
pub fn suggest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    sidestep_config::problem::suggest(word, known)
}

pub use claim::{
    Accept, Claim, ClaimPoint, ClaimResult, Compare, PointCombination, Unmarked, Verdict, evaluate,
    evaluate_runs, over,
};
pub use count_sources::{CountSource, CountSources};
pub use drive::{Watch, run, run_cut, run_on, run_recorded};
pub use estimate::{Estimate, FULL_HOPS_A_SECOND, HOPS_A_SECOND};
pub use experiment::{
    AuthorPoint, AuthorPoints, Axis, Experiment, FigureSpec, PlotKind, PlotSpec, Point,
    PointResult, Results,
};
pub use kernel::Kernel;
pub use load::{ClassLoad, LoadReport};
pub use marker::Marker;
pub use probe::{LoggedDetour, LoggedEvent, LoggedPath, LoggedStep, Occupancy, Probe, Probed};
pub use ran::Ran;
pub use read::{Outline, POINTS, SCHEME_KEYS, SECTIONS, WORKLOADS};
pub use record::{ClassRecord, Counts, Record, Signals, Span};
pub use recording::{MOST_BYTES, RecordSpec, network_of, recording_head, recording_tail};
pub use run::{Progress, Run};
pub use scenario::{Scenario, Setting, SettingContent};
pub use scheme::{HOST_SPEC, SWITCH_SPEC, Scheme, SchemeConfig, TRANSPORT_SPEC};
pub use session::{Saved, Session};
pub use shipped::PROFILE_NAMES;
pub use sidestep_config::differ::{AT, MAY_DIFFER};
pub use sidestep_config::problem::Problem;
pub use sidestep_config::source::AROUND;
pub use sidestep_config::spec::{Choice, Spec};
pub use sidestep_recording as recorded;
pub use sidestep_sim::record::{Packets, Sampled};
