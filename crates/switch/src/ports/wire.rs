//! Link behind a port: sending time and propagation delay of packets.

use sidestep_types::{BitRate, Bytes, Time};
use std::hint::cold_path;

/// Rate and delay of a link. Several links may share one value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Wire {
    /// Bits per second.
    pub rate: BitRate,
    /// Time from the departure of the last bit to its arrival at the far end.
    pub delay: Time,
    /// Picoseconds per byte if that is a whole number, else 0.
    ps_per_byte: u64,
}

impl Wire {
    /// Creates a link of this rate and delay.
    pub fn new(rate: BitRate, delay: Time) -> Wire {
        Wire {
            rate,
            delay,
            ps_per_byte: rate.whole_ps_per_byte().unwrap_or(0),
        }
    }

    /// Returns the time to send `bytes` of link time, preamble and gap included; rounded up.
    #[inline(always)]
    pub fn time_to_send(&self, bytes: u32) -> Time {
        if self.ps_per_byte != 0 {
            Time::from_ps(u64::from(bytes) * self.ps_per_byte)
        } else {
            cold_path();
            self.rate.time_to_send(Bytes(u64::from(bytes)))
        }
    }
}
