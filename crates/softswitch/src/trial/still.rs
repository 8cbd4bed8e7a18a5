//! The switch in the kernel without a network, told what time it is: for who holds it against something else.

pub use crate::ebpf::still::{Became, Still};
