//! All tests of this crate in one program: linking takes seconds.

mod common;
mod html;
mod server;
mod shown;
