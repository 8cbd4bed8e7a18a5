//! One program of all tests of this room: linking a program with the whole room takes seconds.

mod answers;
mod any;
mod common;
mod frames;
