//! Everything around a run: parallel runs, result directories, tables and plots.
//!
//! `lab` defines what happens in a scenario; this crate runs it on several threads, writes the result
//! directory, and turns it back into tables. The heavy dependencies are in this crate.

// Unsafe code is in `usage`, which queries the CPU time of a thread and returns free memory, and in
// `plugin/open`, which opens a library.
#![deny(unsafe_code)]

pub mod bench;
pub mod caller;
pub mod catalog;
pub mod check;
pub mod checkpoint;
mod claim_text;
mod columns;
mod csv;
mod error;
mod figures;
pub mod files;
pub mod format;
pub mod json;
mod logs;
mod manifest;
pub mod memory;
mod page;
pub mod plot;
pub mod plugin;
pub mod progress;
pub mod recorded;
mod recorder;
mod report;
pub mod reproduce;
pub mod result;
mod rows;
pub mod schema;
mod session;
mod staging;
pub mod sweep;
mod tables;
pub mod threads;
pub mod trace;
mod usage;
pub mod when;
pub mod why;
mod workers;

/// Commit from which the program was built, with `+modified` if the sources differ from it; `unknown` outside a
/// checkout.
pub const COMMIT: &str = env!("COMMIT");

pub use error::Error;
pub use manifest::Status;
pub use recorder::{Finished, Recorder, WrittenRecording};
pub use report::Report;
pub use result::ResultDir;
pub use rows::KernelRow;
pub use session::{Options, run_all};
pub use staging::{discard, names, refuse_occupied};
pub use sweep::{
    FinishedSweep, MeasureOptions, Measurement, SweepOptions, SweepReport, measure_experiment,
    measure_experiments, run_experiment,
};
