//! All tests of this room in one program: linking a program with the whole room takes seconds.

mod answers;
mod any;
mod common;
mod frames;
