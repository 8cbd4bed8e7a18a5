//! The WebAssembly module of the page.
//!
//! **Decision**     none: it hands questions to `sidestep-player` and the simulator, and answers back.
//! **State**        one for a module: the last answer, recordings that are open, what each family keeps. A module has one thread.
//! **Units**        as in `web/src/engine/api.ts`: picoseconds, packets, bytes.
//! **Errors**       what a user can cause is an answer with words ([`calls::Refusal`]). What only a bug can cause panics: the module stops, its
//!                  words are at `sidestep_panic`, and the page makes a new one.
//!
//! The interface is raw: numbers, and memory of the module ([`memory`], with `opened` the only files with `unsafe`). `wasm-bindgen` would write the other half of it,
//! and wants a tool of its very version wherever the page is built; what it would write is `web/src/engine/wasm.ts`, a screen long.
//!
//! A question is a method, its arguments as JSON, and bytes; so is an answer ([`calls`]). A frame goes another way: arrays that stay where they are.
//!
//! **A new family of calls** is one file with a [`calls::Family`], its `mod` line here, and one line in `FAMILIES` of `families.rs`.

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
