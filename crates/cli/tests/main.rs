//! One program of all tests of this room that need none of their own: each program is linked with the whole room.

mod checkpoint;
mod coexistence;
mod common;
mod deadlock;
mod endings;
mod estimate;
mod executor;
mod faces;
mod import;
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
