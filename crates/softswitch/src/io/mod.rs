//! Frames in and out of Linux interfaces.
//!
//! A [`Port`] is one interface, opened: frames that came in are handed to a closure, frames that
//! leave are given in batches. Frames are from their destination address to before their FCS; those of AF_PACKET have a
//! stamp, when the kernel had them. [`packet`] does it with AF_PACKET, `xdp` with AF_XDP. Nothing here
//! waits: the loop of [`crate::process`] does, on the descriptors of the ports.
//!
//! **Errors**  of the system, with what was tried and on which interface, as [`IoError`].

mod bpf;
pub mod interface;
pub mod links;
pub mod offloads;
mod packet;
mod port;
mod ring;
pub mod sys;
mod xdp;

pub use port::{Change, Port};
pub use sys::IoError;

/// What happened at an interface that the switch itself cannot see.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct IoCounters {
    /// Frames handed to the switch.
    pub received: u64,
    /// Bytes of them, without FCS.
    pub received_bytes: u64,
    /// Frames given to the interface.
    pub sent: u64,
    /// Bytes of them, without FCS.
    pub sent_bytes: u64,
    /// Frames the kernel had no room for in the receive ring.
    pub kernel_drops: u64,
    /// Frames whose checksum the sender left to hardware that is not there: its offloads are on.
    pub unfinished_checksum: u64,
    /// Frames the interface would not take: its send buffer was full, or they were too long for it.
    pub tx_refused: u64,
    /// Frames that were due while the interface was down or gone.
    pub interface_down: u64,
}
