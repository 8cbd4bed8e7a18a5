//! Limits of the files that an import writes: those of the readers in `sidestep-sim`.

/// Largest size of a flow, in bytes.
pub const LARGEST_FLOW: u64 = (1 << 44) - 1;

/// Most hosts of a list, and most nodes of a network.
pub const MOST_HOSTS: u32 = 1 << 20;
