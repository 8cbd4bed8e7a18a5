//! All tests of this room in one program: linking a program with the whole room takes seconds.

mod by_size;
mod common;
mod coupled;
mod detection;
mod hosts;
mod marks;
mod ordering;
mod sequences;
mod tables;
