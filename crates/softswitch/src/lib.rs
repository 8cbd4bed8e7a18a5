//! The switch decision of `sidestep-switch` on real frames and real interfaces.
//!
//! [`machine`] is the switch without I/O: frames and the time go in, frames come out when their
//! last bit would have left. [`setup`] is what a config says. The format and what becomes of a
//! frame are described in `docs/softswitch.md`. [`io`] is ports on interfaces, [`process`] the
//! loop that drives the machine and what surrounds it. [`ebpf`] is the same switch as a program in the kernel.

pub mod ebpf;
pub mod frame;
pub mod io;
pub mod machine;
pub mod process;
pub mod setup;
pub mod table;
pub mod trial;
