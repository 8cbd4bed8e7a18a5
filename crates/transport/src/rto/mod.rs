//! Retransmission timer: when a sender stops waiting for an acknowledgement.
//!
//! **Decision**     one deadline: started with the first byte in flight, restarted by
//!                  new acknowledgements, stopped when nothing is in flight.
//! **State**        the estimator's, the timeout in force and the deadline.
//! **Units**        whole picoseconds; samples above 2^58 ps (3 days) count as 2^58 ps.
//! **Errors**       none.
//! **Source**       RFC 6298 section 5. The back-off ends with the next valid sample (the note of RFC 6298 5.7
//!                  and Karn's rule) or, as in ns-3, with any acknowledgement of new data. Ticks: Linux
//!                  `kernel/time/timer.c` (`calc_wheel_index`), `usecs_to_jiffies`.
//! **Deviations**   after a lost SYN the timeout returns to `initial` (RFC 6298 5.7: 3 s, too long
//!                  for a data centre). With ticks, all hosts tick at the same instants.
//!
//! One file per estimator, one line in the registry below.

mod inet;
mod linux;
mod ns3;
mod rfc6298;

use sidestep_types::{Entry, Refusal, Settings, Time};

use crate::BackoffEnds;
use crate::registry::estimators;

estimators! {
    /// RFC 6298 to the letter.
    rfc6298::Rfc6298,
    /// Linux `tcp_rtt_estimator`: windowed maximum deviation, `rto_min` applied to the variance term.
    linux::Linux,
    /// ns-3 `RttMeanDeviation`.
    ns3::Ns3,
    /// INET 3/4: variance starts at a quarter of the initial timeout, both gains 1/8.
    inet::Inet,
}

/// Settings of the retransmission timer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize, Settings)]
#[settings(check)]
pub struct RtoConfig {
    /// estimator of the timeout from round-trip samples; it decides the tail
    #[setting(key = "rto_estimator", default = "rfc6298")]
    pub estimator: Estimator,
    /// shortest timeout (DIBS Table 1)
    #[setting(key = "rto_min", default = "10 ms", above = 0)]
    pub min: Time,
    /// timeout before the first sample; assumed: an established connection has measured its path
    #[setting(key = "rto_initial", default = "10 ms", above = 0)]
    pub initial: Time,
    /// longest timeout, back-off included (RFC 6298 section 2.5)
    #[setting(key = "rto_max", default = "60 s")]
    pub max: Time,
    /// clock granularity G of RFC 6298; assumed
    #[setting(key = "rto_granularity", default = "1 us")]
    pub granularity: Time,
    /// period of the ticks at which the sender's timers expire (Linux: 1/HZ); off: timers expire exactly on
    /// time
    #[setting(default = "off", off = "off", above = 0)]
    pub jiffy: Option<Time>,
    /// double the timeout each time it expires (RFC 6298 section 5.5)
    #[setting(key = "rto_backoff", default = "true")]
    pub backoff: bool,
    /// event that ends the doubling of a timeout: a round trip of a segment that was sent once, or any
    /// acknowledgement of new data
    #[setting(key = "rto_backoff_ends", default = "as_estimator")]
    pub backoff_ends: BackoffEnds,
}

impl RtoConfig {
    /// Refuses settings that contradict each other.
    fn check(&self) -> Result<(), Refusal> {
        if let Some(jiffy) = self.jiffy.filter(|jiffy| *jiffy > self.min) {
            let wrong = format!(
                "jiffy ({jiffy}) must not be above rto_min ({}): no timeout can be shorter than a \
                 tick; set a jiffy of at most rto_min, or \"off\"",
                self.min
            );
            return Err(Refusal::about(&["jiffy", "rto_min"], wrong));
        }
        for (name, span) in [("rto_min", self.min), ("rto_initial", self.initial)] {
            if span > self.max {
                let wrong = format!("{name} ({span}) must not be above rto_max ({})", self.max);
                return Err(Refusal::about(&[name, "rto_max"], wrong));
            }
        }
        Ok(())
    }

    /// Returns true if an acknowledgement of new data ends a back-off even without a sample.
    pub fn backoff_ends_at_ack(&self) -> bool {
        match self.backoff_ends {
            BackoffEnds::AsEstimator => self.estimator.backoff_ends_at_ack(),
            BackoffEnds::Sample => false,
            BackoffEnds::Ack => true,
        }
    }
}

/// Turns round-trip samples into timeouts.
///
/// ```
/// use sidestep_transport::{Estimate, RtoConfig, TcpConfig};
/// use sidestep_types::Entry;
///
/// /// Three times the last round trip.
/// struct Thrice;
///
/// impl Estimate for Thrice {
///     const ENTRY: Entry = Entry {
///         name: "thrice",
///         summary: "three times the last round trip",
///         source: "none",
///         params: &[],
///     };
///     fn new(_config: &RtoConfig) -> Thrice {
///         Thrice
///     }
///     fn sample(&mut self, rtt: u64, _first_unacked: u64, _next_seq: u64) -> u64 {
///         3 * rtt
///     }
/// }
///
/// let mut thrice = Thrice::new(&TcpConfig::default().rto);
/// assert_eq!(thrice.sample(100_000_000, 1460, 14_600), 300_000_000); // 300 us
/// ```
pub trait Estimate {
    /// Name, summary and source of the estimator.
    const ENTRY: Entry;

    /// True if in the original implementation any acknowledgement of new data ends a back-off, not only a valid
    /// sample.
    const BACKOFF_ENDS_AT_ACK: bool = false;

    /// Creates an estimator without samples.
    fn new(config: &RtoConfig) -> Self;
    /// Adds a sample of `rtt` ps, taken when everything below `first_unacked` was acknowledged and everything below `next_seq`
    /// sent. Returns the timeout before `min` and `max` apply.
    fn sample(&mut self, rtt: u64, first_unacked: u64, next_seq: u64) -> u64;
}

/// Limit of all spans, ps: low enough that sixteen of them still fit.
const LONGEST: u64 = 1 << 58;

/// Single timer of a sender.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub(crate) struct Timer {
    /// Time of expiry; [`Time::MAX`] while the timer is stopped.
    deadline: Time,
    rto: Time,
    /// Timeout without back-off.
    plain: Time,
    rtt: Rtt,
    min: Time,
    max: Time,
    jiffy: Time,
    ends_at_ack: bool,
}

impl Timer {
    pub(crate) fn new(config: &RtoConfig) -> Timer {
        Timer {
            deadline: Time::MAX,
            rto: config.initial.min(config.max),
            plain: config.initial.min(config.max),
            rtt: Rtt::new(config),
            min: config.min,
            max: config.max,
            jiffy: config.jiffy.unwrap_or(Time::ZERO),
            ends_at_ack: config.backoff_ends_at_ack(),
        }
    }

    /// Returns the timeout in force, back-off included.
    #[inline]
    pub(crate) fn rto(&self) -> Time {
        self.rto
    }

    /// Returns the time of expiry, if the timer is running.
    #[inline]
    pub(crate) fn deadline(&self) -> Option<Time> {
        (self.deadline != Time::MAX).then_some(self.deadline)
    }

    /// Starts the timer unless it is running (RFC 6298 5.1).
    #[inline]
    pub(crate) fn start(&mut self, now: Time) {
        if self.deadline == Time::MAX {
            self.restart(now);
        }
    }

    /// Restarts the timer (RFC 6298 5.3).
    #[inline]
    pub(crate) fn restart(&mut self, now: Time) {
        self.run(now, self.rto);
    }

    /// Sets the expiry to `span` after `now`, replacing any earlier setting.
    #[inline]
    pub(crate) fn run(&mut self, now: Time, span: Time) {
        self.deadline = match self.jiffy {
            Time::ZERO => now.saturating_add(span),
            jiffy => tick_after(now, span, jiffy),
        };
    }

    /// Returns the shortest timeout that can be set.
    pub(crate) fn shortest(&self) -> Time {
        self.jiffy.max(Time::from_ns(1))
    }

    /// Returns the lower bound of the timeout.
    pub(crate) fn min(&self) -> Time {
        self.min
    }

    /// Stops the timer (RFC 6298 5.2).
    #[inline]
    pub(crate) fn stop(&mut self) {
        self.deadline = Time::MAX;
    }

    /// Adds a sample of a segment that was sent once (Karn); ends any back-off.
    #[inline]
    pub(crate) fn sample(&mut self, rtt: Time, first_unacked: u64, next_seq: u64) {
        let rto = self
            .rtt
            .sample(rtt.ps().min(LONGEST), first_unacked, next_seq);
        self.rto = Time::from_ps(rto).max(self.min).min(self.max);
        self.plain = self.rto;
    }

    /// Handles an acknowledgement of new data that gives no sample, because the data was sent twice.
    #[cold]
    pub(crate) fn acknowledged(&mut self) {
        if self.ends_at_ack {
            self.end_back_off();
        }
    }

    /// Ends a back-off: the timeout that began it was spurious.
    #[cold]
    pub(crate) fn end_back_off(&mut self) {
        self.rto = self.plain;
    }

    /// Handles an expiry (RFC 6298 5.5 and 5.6): doubles the timeout if `backoff` is set, and restarts.
    pub(crate) fn expire(&mut self, now: Time, backoff: bool) {
        if backoff {
            self.rto = self.rto.saturating_mul(2).min(self.max);
        }
        self.restart(now);
    }

    /// Returns to the timeout before the first sample.
    pub(crate) fn forget_back_off(&mut self, config: &RtoConfig) {
        self.rto = config.initial.min(config.max);
        self.plain = self.rto;
    }
}

/// Returns the tick at which a Linux timer of `span` set at `now` expires. The span is rounded up to whole
/// jiffies and counted from the last tick. The timer wheel then rounds up to its granularity (8 jiffies from 63
/// jiffies on, 64 from 504 on, and so forth). A timer never expires early.
fn tick_after(now: Time, span: Time, jiffy: Time) -> Time {
    let (now, span, jiffy) = (now.ps(), span.ps().min(LONGEST), jiffy.ps());
    let jiffies = span.div_ceil(jiffy);
    let mut level = 0;
    while level < 8 && jiffies >= 63 << (3 * level) {
        level += 1;
    }
    let expires = now / jiffy + jiffies;
    let tick = ((expires >> (3 * level)) + 1) << (3 * level);
    Time::from_ps(tick.saturating_mul(jiffy))
}

#[cfg(test)]
mod tests {
    use super::*;
    use sidestep_types::Words;

    #[test]
    fn a_timer_with_ticks_never_runs_out_early_and_at_most_a_tick_late() {
        let (jiffy, ms) = (Time::from_ms(4), Time::from_ms);
        let due = |now: Time, span| tick_after(now, span, jiffy);
        // Set on a tick, between two ticks and just before one.
        assert_eq!(due(ms(8), ms(4)), ms(16));
        assert_eq!(due(ms(9), ms(4)), ms(16));
        assert_eq!(due(ms(12) - Time::from_ps(1), ms(4)), ms(16));
        // 9 ms are three jiffies.
        assert_eq!(due(ms(8), ms(9)), ms(24));
        // 100 jiffies: the second level of the wheel, with ticks 8 jiffies apart.
        assert_eq!(due(ms(4), ms(400)), ms(416));
        assert_eq!(due(ms(12), ms(400)), ms(416));
        assert_eq!(due(ms(16), ms(400)), ms(448));
    }

    #[test]
    fn a_timer_without_ticks_runs_out_on_the_picosecond() {
        let mut t = timer(Estimator::Rfc6298);
        t.run(Time::from_ps(3), Time::from_ps(4));
        assert_eq!(t.deadline(), Some(Time::from_ps(7)));
    }

    const CONFIG: RtoConfig = RtoConfig {
        estimator: Estimator::Rfc6298,
        min: Time::from_us(10),
        initial: Time::from_s(1),
        max: Time::from_s(3),
        granularity: Time::from_us(1),
        backoff: true,
        backoff_ends: BackoffEnds::AsEstimator,
        jiffy: None,
    };

    fn timer(estimator: Estimator) -> Timer {
        Timer::new(&RtoConfig {
            estimator,
            ..CONFIG
        })
    }

    #[test]
    fn every_listed_name_reads_back() {
        for entry in Estimator::ENTRIES {
            let found = Estimator::from_name(entry.name).expect("a listed name is known");
            assert_eq!(found.name(), entry.name);
            assert!(!entry.summary.is_empty() && !entry.source.is_empty());
        }
        assert_eq!(Estimator::from_name("jacobson"), None);
    }

    #[test]
    fn before_the_first_sample_the_timeout_is_the_initial_one() {
        for entry in Estimator::ENTRIES {
            let mut t = timer(Estimator::from_name(entry.name).expect("listed"));
            t.start(Time::from_us(5));
            t.start(Time::from_us(6));
            assert_eq!(t.deadline(), Some(Time::from_us(1_000_005)));
        }
    }

    #[test]
    fn the_timeout_doubles_up_to_its_maximum_and_a_sample_ends_that() {
        let mut t = timer(Estimator::Rfc6298);
        t.expire(Time::ZERO, true);
        assert_eq!(t.deadline(), Some(Time::from_s(2)));
        t.expire(Time::ZERO, true);
        assert_eq!(t.deadline(), Some(Time::from_s(3)));
        t.expire(Time::ZERO, false);
        assert_eq!(t.rto(), Time::from_s(3));
        t.sample(Time::from_us(100), 1, 2);
        assert_eq!(t.rto(), Time::from_us(300));
    }

    #[test]
    fn what_ends_a_back_off_is_the_settings_or_else_the_estimators_choice() {
        let after_an_ack = |estimator, backoff_ends| {
            let mut t = Timer::new(&RtoConfig {
                estimator,
                backoff_ends,
                ..CONFIG
            });
            t.sample(Time::from_us(100), 1, 2);
            t.expire(Time::ZERO, true);
            t.expire(Time::ZERO, true);
            assert_eq!(t.rto(), Time::from_us(1200));
            t.acknowledged();
            t.rto()
        };
        use BackoffEnds::{Ack, AsEstimator, Sample};
        let (plain, doubled) = (Time::from_us(300), Time::from_us(1200));
        assert_eq!(after_an_ack(Estimator::Ns3, AsEstimator), plain);
        assert_eq!(after_an_ack(Estimator::Ns3, Sample), doubled);
        for karn in [Estimator::Rfc6298, Estimator::Linux] {
            assert_eq!(after_an_ack(karn, AsEstimator), doubled);
            assert_eq!(after_an_ack(karn, Ack), plain);
        }
    }

    #[test]
    fn no_timeout_is_shorter_than_the_minimum_or_longer_than_the_maximum() {
        for entry in Estimator::ENTRIES {
            let mut t = timer(Estimator::from_name(entry.name).expect("listed"));
            (0..200).for_each(|i| t.sample(Time::from_ns(10), i, i + 1));
            assert!(t.rto() >= Time::from_us(10), "{}", entry.name);
            t.sample(Time::MAX, 300, 301);
            assert_eq!(t.rto(), Time::from_s(3), "{}", entry.name);
        }
    }
}
