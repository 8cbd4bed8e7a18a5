//! Probe: a frame that a switch sends to detect whether it comes back.
//!
//! **Decision**     none.
//! **Units**        60 bytes. Behind Ethernet's header a message of the configuration testing protocol: 2 bytes
//!                  to skip (0), 2 of a function (1, a reply, which nobody answers), 2 of a receipt number (0),
//!                  each the lower byte first; then eight letters that identify a probe, 8 bytes of the
//!                  switch's number, and 2 of its port.
//! **Source**       Ethernet version 2.0 (DEC, Intel, Xerox), 8: type 0x9000, and the group of all
//!                  participants, CF-00-00-00-00-00, which bridges forward like any other.
//! **Deviations**   the data of the reply is defined here: no other implementation reads it.

use super::{ETHERNET_BYTES, Frame};
use crate::setup::Mac;

/// Bytes of a probe.
pub const PROBE_BYTES: usize = 60;

const TO: Mac = Mac([0xcf, 0, 0, 0, 0, 0]);
const HEAD: [u8; 16] = *b"\x90\x00\x00\x00\x01\x00\x00\x00SIDESTEP";
const NUMBER_AT: usize = ETHERNET_BYTES - 2 + HEAD.len();

/// Content of a probe.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Probe {
    /// Number of the switch that sent it.
    pub switch: u64,
    /// Number of the port that sent it.
    pub port: u16,
}

impl Probe {
    /// Returns the frame, with a source address that is unique as far as the switch's number is.
    pub fn bytes(self) -> [u8; PROBE_BYTES] {
        let mut out = [0; PROBE_BYTES];
        let number = self.switch.to_be_bytes();
        out[..6].copy_from_slice(&TO.0);
        // Locally administered, and not a group.
        out[6] = 0x02;
        out[7..12].copy_from_slice(&number[3..]);
        out[12..NUMBER_AT].copy_from_slice(&HEAD);
        out[NUMBER_AT..NUMBER_AT + 8].copy_from_slice(&number);
        out[NUMBER_AT + 8..NUMBER_AT + 10].copy_from_slice(&self.port.to_be_bytes());
        out
    }

    /// Returns the content of a frame that is a probe.
    pub fn of(frame: &Frame, bytes: &[u8]) -> Option<Probe> {
        if frame.dst != TO || bytes.get(12..NUMBER_AT)? != HEAD {
            return None;
        }
        let number: [u8; 8] = bytes.get(NUMBER_AT..NUMBER_AT + 8)?.try_into().ok()?;
        let port: [u8; 2] = bytes.get(NUMBER_AT + 8..NUMBER_AT + 10)?.try_into().ok()?;
        Some(Probe {
            switch: u64::from_be_bytes(number),
            port: u16::from_be_bytes(port),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::{FrameContent, read};

    #[test]
    fn a_probe_reads_as_what_it_says_and_nothing_else_does() {
        let probe = Probe {
            switch: 0x0102_0304_0506_0708,
            port: 255,
        };
        let bytes = probe.bytes();
        let frame = read(&bytes).unwrap();
        assert_eq!(Probe::of(&frame, &bytes), Some(probe));
        assert_eq!(
            (frame.what, frame.src),
            (FrameContent::Other, Mac([2, 4, 5, 6, 7, 8]))
        );
        assert!(frame.dst.is_group() && !frame.dst.is_link_local());
        for at in (0..6).chain(12..NUMBER_AT) {
            let mut spoiled = bytes;
            spoiled[at] ^= 0x10;
            let Ok(frame) = read(&spoiled) else { continue };
            assert_eq!(Probe::of(&frame, &spoiled), None, "byte {at}");
        }
        for length in ETHERNET_BYTES..NUMBER_AT + 10 {
            let short = &bytes[..length];
            assert_eq!(Probe::of(&read(short).unwrap(), short), None);
        }
    }
}
