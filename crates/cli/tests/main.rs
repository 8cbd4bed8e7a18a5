//! All tests of the command that do not need a separate program: each program links the whole crate.

mod checkpoint;
mod coexistence;
mod common;
mod deadlock;
mod endings;
mod estimate;
mod executor;
mod faces;
mod first_hour;
mod import;
mod import_into;
mod pages;
mod recording;
mod reproduce;
mod results;
mod schema;
mod sweep;
mod threads;
mod tutorial;
mod view;
mod why;
mod wrong_input;
