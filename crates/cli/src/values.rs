//! Values that arguments of several commands take.

use std::str::FromStr;

/// A whole number, in words that say so where it is none.
pub fn whole<T: FromStr>(text: &str) -> Result<T, String> {
    let read = text.parse();
    read.map_err(|_| "expected a whole number that is not negative and not too large".into())
}

/// Who moves the frames of a switch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Datapath {
    /// This process, by AF_PACKET or AF_XDP
    Packet,
    /// A BPF program at the ports, in the kernel: a few policies, and no process between frames
    Ebpf,
}
