//! The switch decision of `sidestep-switch` on real frames and real interfaces.
//!
//! [`machine`] is the switch without I/O: frames and the time go in, frames come out when their
//! last bit would have left. [`setup`] is its config. `docs/how-to/softswitch.md` describes the format of the config
//! and the
//! handling of a frame. [`io`] has ports on interfaces, [`process`] the loop that drives the machine and its
//! surroundings. [`ebpf`] is the same switch as a program in the kernel.

pub mod ebpf;
pub mod frame;
pub mod io;
pub mod machine;
pub mod process;
pub mod setup;
pub mod table;
pub mod trial;
