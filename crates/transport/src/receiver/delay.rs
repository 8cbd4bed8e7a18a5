//! Which acknowledgements of data in order wait, and how long.
//!
//! **Decision**     `linux`: the first [`QUICK`] segments of a flow are answered at once, and as
//!                  many after a silence longer than the smallest timeout (who sends then has
//!                  probably timed out) and after a segment seen before; the next after a change
//!                  of marks. Then an acknowledgement leaves when more than one full segment
//!                  waits for it, or when its time has come. `ns3`: every second segment.
//! **State**        how many are answered at once still, the bytes that wait, the largest
//!                  segment seen, when the last one came.
//! **Units**        bytes.
//! **Errors**       none.
//! **Source**       Linux `tcp_event_data_recv`, `tcp_incr_quickack`, `__tcp_ack_snd_check`,
//!                  `dctcp_ece_ack_update`, `tcp_delack_max`; RFC 1122 4.2.3.2, RFC 5681 4.2.
//! **Deviations**   Linux waits for `rto_min` less a jiffy at most: its timeout is `rto_min` on
//!                  top of the round trip. Other estimators take the larger of the two, so
//!                  the wait is half of `rto_min` at most. Its timer adapts between 40 and
//!                  500 ms by the gaps of segments; here it is what `delayed_ack` says.

use sidestep_types::Time;

use crate::{AckRule, TcpConfig};

/// Linux: `TCP_MAX_QUICKACKS`.
const QUICK: u32 = 16;

/// Linux: the largest segment is taken for at least so long before one is seen.
const LEAST_FULL: u64 = 536;

#[derive(Clone, Debug, Default, serde::Serialize, serde::Deserialize)]
pub(super) struct Delay {
    /// Every so many segments, with ns-3's rule.
    segments: u32,
    /// Linux's rule.
    linux: bool,
    /// Segments that are answered at once still.
    quick: u32,
    /// What `begin` makes of it.
    at_first: u32,
    /// Bytes that are not acknowledged yet.
    held: u64,
    largest: u64,
    last: Time,
    /// A longer gap is a silence.
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

    /// So many segments are answered whatever is said here.
    pub fn every(&self) -> u32 {
        if self.linux { u32::MAX } else { self.segments }
    }

    /// How long an acknowledgement waits.
    pub fn wait(&self) -> Time {
        self.wait
    }

    /// A segment of `len` bytes has come in order, the `first` that is not acknowledged: is it
    /// answered at once?
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

    /// As at the beginning of a flow.
    #[inline]
    pub fn begin(&mut self) {
        self.quick = self.quick.max(self.at_first);
    }

    /// The next `segments` are answered at once.
    #[inline]
    pub fn hurry(&mut self, segments: u32) {
        self.quick = self.quick.max(segments);
    }
}
