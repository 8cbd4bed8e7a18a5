//! All tests of this room in one program: linking a program with the whole room takes seconds.

mod common;
mod idle;
mod laws;
mod refused;
