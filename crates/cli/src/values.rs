//! Argument types common to several commands.

use std::str::FromStr;

/// Parses a whole number; the error states the expected range.
pub fn whole<T: FromStr>(text: &str) -> Result<T, String> {
    let read = text.parse();
    read.map_err(|_| "expected a whole number that is not negative and not too large".into())
}

/// Datapath of a switch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Datapath {
    /// A process, with AF_PACKET or AF_XDP
    Packet,
    /// A BPF program at the ports, in the kernel: fewer policies, and no process between frames
    Ebpf,
}
