//! Switching off offloads: a switch must see frames as they are on the wire.
//!
//! With offloads on, a veth pair passes frames without checksums and of up to 64 KiB.
//!
//! **Source**  linux/ethtool.h, the one-value commands; no ethtool program is needed.

use super::interface::Inquiry;
use std::io;

/// Names and set-commands of the offloads.
const OFFLOADS: [(&str, u32); 6] = [
    ("receive checksums", 0x15),
    ("transmit checksums", 0x17),
    ("scatter-gather", 0x19),
    ("TCP segmentation", 0x1f),
    ("generic segmentation", 0x24),
    ("generic receive", 0x2c),
];

/// `struct ethtool_value`.
#[repr(C)]
struct Value {
    command: u32,
    data: u32,
}

/// Switches off all offloads of `interface`, one end of a veth pair. An offload that the driver does not
/// support counts as off. An error names the first offload that stays on, and the reason.
pub fn off(interface: &str) -> io::Result<()> {
    off_by(&Inquiry::new().map_err(|e| e.why)?, interface)
}

/// Switches off offloads as [`off`] does, by an existing socket: a running switch opens none.
pub(super) fn off_by(inquiry: &Inquiry, interface: &str) -> io::Result<()> {
    for (name, command) in OFFLOADS {
        let mut value = Value { command, data: 0 };
        // SAFETY: all of these commands read a `struct ethtool_value`.
        match unsafe { inquiry.ethtool(interface, &mut value) } {
            Ok(()) => {}
            Err(e) if e.raw_os_error() == Some(libc::EOPNOTSUPP) => {}
            Err(e) => return Err(io::Error::new(e.kind(), format!("{name}: {e}"))),
        }
    }
    Ok(())
}
