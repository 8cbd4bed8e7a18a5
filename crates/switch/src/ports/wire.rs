//! The link behind a port: how long a packet takes to leave, and to arrive.

use sidestep_types::{BitRate, Bytes, Time};
use std::hint::cold_path;

/// Rate and delay of a link. Many links may share one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Wire {
    /// Bits per second.
    pub rate: BitRate,
    /// From the departure of the last bit to its arrival at the far end.
    pub delay: Time,
    /// The rate again, where a byte takes whole picoseconds; else 0.
    ps_per_byte: u64,
}

impl Wire {
    /// A link of this rate and delay.
    pub fn new(rate: BitRate, delay: Time) -> Wire {
        Wire {
            rate,
            delay,
            ps_per_byte: rate.whole_ps_per_byte().unwrap_or(0),
        }
    }

    /// How long `bytes` of link time take, preamble and gap included; rounded up.
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
