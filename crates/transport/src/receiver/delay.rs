//! Delayed acknowledgements of data in order.
//!
//! **Decision**     `linux`: the first [`QUICK`] segments of a flow are answered at once, and as many after a
//!                  silence longer than the smallest timeout (the sender has probably timed out) and after a
//!                  segment received before; so is the next one after a change of marks. Then an
//!                  acknowledgement leaves when more than one full segment is unacknowledged, or when its time
//!                  has come. `ns3`: every second segment.
//! **State**        the segments still to be answered at once, the unacknowledged bytes, the largest segment
//!                  seen, the time of the last one.
//! **Units**        bytes.
//! **Errors**       none.
//! **Source**       Linux `tcp_event_data_recv`, `tcp_incr_quickack`, `__tcp_ack_snd_check`,
//!                  `dctcp_ece_ack_update`, `tcp_delack_max`; RFC 1122 4.2.3.2, RFC 5681 4.2.
//! **Deviations**   Linux delays by `rto_min` less a jiffy at most: its timeout is `rto_min` on top of the
//!                  round trip. Other estimators use the larger of the two, so the delay here is half of
//!                  `rto_min` at most. Linux adapts its delay between 40 and 500 ms to the gaps between
//!                  segments; here `delayed_ack` sets it.

use sidestep_types::Time;

use crate::{AckRule, TcpConfig};

/// Linux: `TCP_MAX_QUICKACKS`.
const QUICK: u32 = 16;

/// Linux: size assumed for the largest segment before a larger one arrives.
const LEAST_FULL: u64 = 536;

#[derive(Clone, Debug, Default, serde::Serialize, serde::Deserialize)]
pub(super) struct Delay {
    /// Segments per acknowledgement, with ns-3's rule.
    segments: u32,
    /// Set for Linux's rule.
    linux: bool,
    /// Segments still to be answered at once.
    quick: u32,
    /// Value of `quick` after `begin`.
    at_first: u32,
    /// Bytes not acknowledged yet.
    held: u64,
    largest: u64,
    last: Time,
    /// Longest gap that is no silence.
    silence: Time,
    wait: Time,
}

impl Delay {
    pub fn new(config: &TcpConfig) -> Delay {
        let Some(delayed) = config.delayed_ack else {
            return Delay {
                segments: 1,
                ..Delay::default()
            };
        };
        let linux = config.ack_rule == AckRule::Linux;
        let full = u64::from(config.mss).max(1);
        let windows = config.receive_window / (2 * full);
        let at_first = windows.clamp(2, u64::from(QUICK)) as u32;
        let bound = Time::from_ps(config.rto.min.ps() / 2);
        Delay {
            segments: delayed.segments,
            linux,
            quick: at_first,
            at_first,
            held: 0,
            largest: LEAST_FULL.min(full),
            last: Time::ZERO,
            silence: config.rto.min,
            wait: match linux {
                true => delayed.timeout.min(bound),
                false => delayed.timeout,
            },
        }
    }

    /// Returns the number of unacknowledged segments that are answered without a call of
    /// [`Delay::answers_now`].
    pub fn every(&self) -> u32 {
        if self.linux { u32::MAX } else { self.segments }
    }

    /// Returns the delay of an acknowledgement.
    pub fn wait(&self) -> Time {
        self.wait
    }

    /// Returns true if a segment of `len` bytes that arrived in order is answered at once; `first` if no other
    /// segment is unacknowledged.
    pub fn answers_now(&mut self, now: Time, len: u64, first: bool) -> bool {
        if !self.linux {
            return false;
        }
        self.largest = self.largest.max(len);
        self.held = if first { len } else { self.held + len };
        if now.saturating_sub(self.last) > self.silence {
            self.begin();
        }
        self.last = now;
        if self.quick > 0 {
            self.quick -= 1;
            return true;
        }
        let rest = u64::from(self.segments.saturating_sub(1));
        self.held > self.largest.saturating_mul(rest)
    }

    /// Answers the next segments at once, as at the start of a flow.
    #[inline]
    pub fn begin(&mut self) {
        self.quick = self.quick.max(self.at_first);
    }

    /// Answers the next `segments` at once.
    #[inline]
    pub fn hurry(&mut self, segments: u32) {
        self.quick = self.quick.max(segments);
    }
}
