//! Time in picoseconds, sizes in bytes, rates in bits per second.
//!
//! One picosecond is the time of a bit at 1 Tbps, so sending times are whole picoseconds at all common rates or
//! are rounded up by less than one. `u64` picoseconds last 213 days.

use std::fmt;
use std::ops::{Add, AddAssign, Mul, Sub};

/// Instant since the start of the run, or span between two instants, in whole picoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Time(u64);

impl Time {
    /// Start of a run, or an empty span.
    pub const ZERO: Time = Time(0);
    /// End of representable time; stands for "never".
    pub const MAX: Time = Time(u64::MAX);

    /// Creates a time of `ps` picoseconds.
    pub const fn from_ps(ps: u64) -> Time {
        Time(ps)
    }
    /// Creates a time of `ns` nanoseconds.
    pub const fn from_ns(ns: u64) -> Time {
        Time(ns * 1_000)
    }
    /// Creates a time of `us` microseconds.
    pub const fn from_us(us: u64) -> Time {
        Time(us * 1_000_000)
    }
    /// Creates a time of `ms` milliseconds.
    pub const fn from_ms(ms: u64) -> Time {
        Time(ms * 1_000_000_000)
    }
    /// Creates a time of `s` seconds.
    pub const fn from_s(s: u64) -> Time {
        Time(s * 1_000_000_000_000)
    }
    /// Returns whole picoseconds.
    pub const fn ps(self) -> u64 {
        self.0
    }
    /// Returns nanoseconds, rounded down.
    pub const fn as_ns(self) -> u64 {
        self.0 / 1_000
    }
    /// Returns microseconds, for people and tables; never for a decision.
    pub fn as_us_f64(self) -> f64 {
        self.0 as f64 / 1e6
    }
    /// Returns milliseconds, for people and tables; never for a decision.
    pub fn as_ms_f64(self) -> f64 {
        self.0 as f64 / 1e9
    }
    /// Returns seconds, for people and tables; never for a decision.
    pub fn as_s_f64(self) -> f64 {
        self.0 as f64 / 1e12
    }
    /// Adds `span`; returns `None` past the end of time.
    pub const fn checked_add(self, span: Time) -> Option<Time> {
        match self.0.checked_add(span.0) {
            Some(ps) => Some(Time(ps)),
            None => None,
        }
    }
    /// Adds `span`, up to [`Time::MAX`].
    pub const fn saturating_add(self, span: Time) -> Time {
        Time(self.0.saturating_add(span.0))
    }
    /// Subtracts `earlier`, down to zero.
    pub const fn saturating_sub(self, earlier: Time) -> Time {
        Time(self.0.saturating_sub(earlier.0))
    }
    /// Multiplies the span by `times`, up to [`Time::MAX`].
    pub const fn saturating_mul(self, times: u64) -> Time {
        Time(self.0.saturating_mul(times))
    }
    /// Rounds up to a whole number of `step`s. A `step` of zero leaves the time unchanged.
    pub const fn round_up_to(self, step: Time) -> Time {
        if step.0 == 0 {
            return self;
        }
        Time(self.0.div_ceil(step.0).saturating_mul(step.0))
    }
}

impl Add for Time {
    type Output = Time;
    fn add(self, span: Time) -> Time {
        Time(self.0 + span.0)
    }
}

impl AddAssign for Time {
    fn add_assign(&mut self, span: Time) {
        self.0 += span.0;
    }
}

impl Sub for Time {
    type Output = Time;
    fn sub(self, earlier: Time) -> Time {
        Time(self.0 - earlier.0)
    }
}

impl Mul<u64> for Time {
    type Output = Time;
    fn mul(self, times: u64) -> Time {
        Time(self.0 * times)
    }
}

impl fmt::Display for Time {
    /// Prints the largest unit in which the number is at least 1, without trailing zeros: `12.5 us`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if *self == Time::MAX {
            return f.write_str("never");
        }
        let units = [
            (1_000_000_000_000, "s"),
            (1_000_000_000, "ms"),
            (1_000_000, "us"),
            (1_000, "ns"),
        ];
        for (ps, name) in units {
            if self.0 >= ps {
                return write_scaled(f, self.0, ps, name);
            }
        }
        write!(f, "{} ps", self.0)
    }
}

/// Number of bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Bytes(pub u64);

impl fmt::Display for Bytes {
    /// Prints powers of a thousand, like link rates and the papers: `20 kB`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let units = [(1_000_000_000, "GB"), (1_000_000, "MB"), (1_000, "kB")];
        for (bytes, name) in units {
            if self.0 >= bytes {
                return write_scaled(f, self.0, bytes, name);
            }
        }
        write!(f, "{} B", self.0)
    }
}

/// Rate in bits per second.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct BitRate(u64);

impl BitRate {
    /// Creates a rate of `bps` bits per second. A link of rate zero is refused when scenarios are read.
    pub const fn bps(bps: u64) -> BitRate {
        BitRate(bps)
    }
    /// Creates a rate of `mbps` million bits per second.
    pub const fn mbps(mbps: u64) -> BitRate {
        BitRate(mbps * 1_000_000)
    }
    /// Creates a rate of `gbps` thousand million bits per second.
    pub const fn gbps(gbps: u64) -> BitRate {
        BitRate(gbps * 1_000_000_000)
    }
    /// Returns bits per second.
    pub const fn as_bps(self) -> u64 {
        self.0
    }
    /// Returns the time to send `bytes` at this rate, rounded up to a picosecond.
    ///
    /// Panics when the rate is zero or the time does not fit in [`Time`].
    pub fn time_to_send(self, bytes: Bytes) -> Time {
        let bit_ps = u128::from(bytes.0) * 8 * 1_000_000_000_000;
        let ps = bit_ps.div_ceil(u128::from(self.0));
        Time(u64::try_from(ps).expect("a serialisation time fits in u64 picoseconds"))
    }
    /// Returns the picoseconds per byte if that is a whole number: the fast path of a link.
    pub fn whole_ps_per_byte(self) -> Option<u64> {
        let byte_ps = 8_000_000_000_000;
        (self.0 != 0 && byte_ps % self.0 == 0).then(|| byte_ps / self.0)
    }
}

impl fmt::Display for BitRate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let units = [
            (1_000_000_000_000, "Tbps"),
            (1_000_000_000, "Gbps"),
            (1_000_000, "Mbps"),
            (1_000, "kbps"),
        ];
        for (bps, name) in units {
            if self.0 >= bps {
                return write_scaled(f, self.0, bps, name);
            }
        }
        write!(f, "{} bps", self.0)
    }
}

/// Writes `value / unit` in decimal without trailing zeros; `unit` is a power of ten.
fn write_scaled(f: &mut fmt::Formatter<'_>, value: u64, unit: u64, name: &str) -> fmt::Result {
    let (whole, rest) = (value / unit, value % unit);
    if rest == 0 {
        return write!(f, "{whole} {name}");
    }
    let digits = unit.ilog10() as usize;
    let fraction = format!("{rest:0digits$}");
    write!(f, "{whole}.{} {name}", fraction.trim_end_matches('0'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_packet_at_100_gbps_takes_120_ns() {
        assert_eq!(
            BitRate::gbps(100).time_to_send(Bytes(1500)),
            Time::from_ps(120_000)
        );
    }

    #[test]
    fn serialisation_rounds_up() {
        // 1 byte at 3 bps is 2.666… s.
        assert_eq!(
            BitRate::bps(3).time_to_send(Bytes(1)),
            Time::from_ps(2_666_666_666_667)
        );
        assert_eq!(BitRate::bps(3).whole_ps_per_byte(), None);
        assert_eq!(BitRate::gbps(1).whole_ps_per_byte(), Some(8_000));
    }

    #[test]
    fn quantities_print_in_the_largest_fitting_unit() {
        assert_eq!(Time::from_ps(12_500_000).to_string(), "12.5 us");
        assert_eq!(Time::from_ms(10).to_string(), "10 ms");
        assert_eq!(Time::from_ps(7).to_string(), "7 ps");
        assert_eq!(Bytes(1_700_000).to_string(), "1.7 MB");
        assert_eq!(BitRate::mbps(2_500).to_string(), "2.5 Gbps");
    }

    #[test]
    fn rounding_up_to_a_step() {
        assert_eq!(
            Time::from_us(1001).round_up_to(Time::from_ms(1)),
            Time::from_ms(2)
        );
        assert_eq!(Time::from_us(5).round_up_to(Time::ZERO), Time::from_us(5));
    }
}
