//! The tests that `make check` runs of this room: what is shipped and written about policies. A program of its own, since the
//! other tests take a minute of a processor to compile.

mod common;
mod docs;
mod hashes;
mod natures;
mod shipped;
