//! Frames in and out of Linux interfaces.
//!
//! A [`Port`] is one open interface: it passes received frames to a closure, and sends frames in batches.
//! Frames reach from their destination address to before their FCS; those of AF_PACKET have a stamp, the time
//! when the kernel had them. [`packet`] uses AF_PACKET, `xdp` AF_XDP. No call here waits: the loop of
//! [`crate::process`] waits, on the descriptors of the ports.
//!
//! **Errors**  of the system, with the operation and the interface, as [`IoError`].

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

/// Counters of an interface that the switch itself cannot see.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct IoCounters {
    /// Frames passed to the switch.
    pub received: u64,
    /// Bytes of these frames, without FCS.
    pub received_bytes: u64,
    /// Frames passed to the interface.
    pub sent: u64,
    /// Bytes of these frames, without FCS.
    pub sent_bytes: u64,
    /// Frames for which the receive ring had no room.
    pub kernel_drops: u64,
    /// Frames whose checksum the sender left to hardware that does not exist: its offloads are on.
    pub unfinished_checksum: u64,
    /// Frames that the interface refused: its send buffer was full, or they were too long for it.
    pub tx_refused: u64,
    /// Frames due while the interface was down or gone.
    pub interface_down: u64,
}
