//! The switch in the kernel without a network, with a clock set by the caller: for comparisons.

pub use crate::ebpf::still::{Became, Still};
