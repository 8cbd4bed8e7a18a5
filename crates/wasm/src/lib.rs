//! WebAssembly module of the page.
//!
//! **Decision**     none: the module passes questions to `sidestep-player` and the simulator, and returns their
//!                  answers.
//! **State**        one per module: the last answer, open recordings, the state of each family. A module has
//!                  one thread.
//! **Units**        as in `web/src/engine/api.ts`: picoseconds, packets, bytes.
//! **Errors**       an error that a user can cause is an answer with a message ([`calls::Refusal`]). A bug
//!                  panics: the module stops, its message is at `sidestep_panic`, and the page creates a new
//!                  module.
//!
//! The interface is raw: numbers, and memory of the module ([`memory`], which with `opened` has the only
//! `unsafe` code). `wasm-bindgen` would generate the other half of it, but needs a tool of its exact version
//! wherever the page is built. Its output would be `web/src/engine/wasm.ts`, a screen long.
//!
//! A question is a method, its arguments as JSON, and bytes; an answer is JSON and bytes ([`calls`]). A frame
//! is passed in another way: as arrays that stay in place.
//!
//! **A new family of calls** is one file with a [`calls::Family`], its `mod` line here, and one line in
//! `FAMILIES` of `families.rs`.

pub mod calls;
pub mod columns;
mod families;
#[cfg(feature = "lab")]
mod lab;
pub mod memory;
#[cfg(feature = "player")]
mod opened;
#[cfg(feature = "player")]
mod player;
