//! Everything around a run: parallel runs, result directories, tables and plots.
//!
//! `lab` says what happens in a scenario; this room runs it on several threads, writes the
//! result directory, and turns it back into tables. The heavy dependencies live here.

mod columns;
mod error;
mod ideal;
pub mod plot;
pub mod progress;
mod rows;
mod staging;
pub mod trace;
mod when;
pub mod words;
mod workers;

pub use error::Error;
