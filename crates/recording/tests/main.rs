//! One program of all tests of this room: linking a program with the whole room takes seconds.

mod common;
mod laws;
mod refused;
