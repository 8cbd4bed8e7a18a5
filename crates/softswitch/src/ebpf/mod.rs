//! The switch in the kernel: the same decision as a BPF program on the ports, without a process between frames.
//!
//! **Decision**     that of `crates/softswitch/bpf`, in C; this module loads it, and reports what it cannot do
//!                  ([`ProgramConfig`]).
//! **State**        in the kernel: one map with all state of the decision, one with the queues' departures,
//!                  tables of addresses.
//! **Units**        picoseconds since the start; bytes without FCS.
//! **Errors**       a config that needs more than the program has, by its key; a kernel or machine that lacks
//!                  something, by the option or package.
//! **Source**       `docs/how-to/ebpf.md`.

mod attach;
mod buckets;
mod compile;
mod counts;
mod kernel;
mod layout;
mod plan;
mod program;
mod run;
pub(crate) mod still;
#[cfg(test)]
mod tests;
pub mod tools;

pub use compile::need;
pub use plan::ProgramConfig;
pub use run::run;
