//! Numbers with units, as people write them: `"50 us"`, `"1.5 Gbps"`, `"20 kB"`, `"100 pkt"`.
//!
//! The arithmetic is exact: a decimal that is not a whole number of the base unit (picosecond, byte, bit per
//! second, packet) is refused, never rounded.

use crate::{BitRate, Bytes, Time};
use std::fmt;

/// Kind of unit that a number must carry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// `ps ns us ms s`
    Time,
    /// `B kB MB GB` (powers of 1000), `KiB MiB GiB` (powers of 1024)
    Bytes,
    /// `bps kbps Mbps Gbps Tbps`
    Rate,
    /// `pkt`
    Packets,
    /// `/s`, `k/s`, `M/s`; stored in millionths per second
    PerSecond,
}

/// Number in the base unit of its kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantity {
    /// A span of time.
    Time(Time),
    /// A size.
    Bytes(Bytes),
    /// A link rate.
    Rate(BitRate),
    /// A number of packets.
    Packets(u64),
    /// Events per million seconds, so that `0.5 /s` is exact.
    PerMegasecond(u64),
}

/// Size of a queue, in packets or in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Size {
    /// Whole packets of any length.
    Packets(u64),
    /// Bytes of packets.
    Bytes(Bytes),
}

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Size::Packets(n) => write!(f, "{n} pkt"),
            Size::Bytes(b) => b.fmt(f),
        }
    }
}

/// Mismatch between a string and the expected kind of number. Prints as "expected …, got …".
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseQuantityError {
    /// Expected value, with an example.
    pub expected: &'static str,
    /// Text found instead.
    pub got: String,
}

impl fmt::Display for ParseQuantityError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "expected {}, got {}", self.expected, self.got)
    }
}

impl std::error::Error for ParseQuantityError {}

impl Unit {
    fn expected(self) -> &'static str {
        match self {
            Unit::Time => "a time like \"50 us\" (ps, ns, us, ms, s)",
            Unit::Bytes => "a size like \"20 kB\" (B, kB, MB, GB; KiB, MiB, GiB)",
            Unit::Rate => "a rate like \"1 Gbps\" (bps, kbps, Mbps, Gbps, Tbps)",
            Unit::Packets => "a number of packets like \"100 pkt\"",
            Unit::PerSecond => "a frequency like \"300 /s\" (/s, k/s, M/s)",
        }
    }

    /// Returns the unit names of this kind, each with its size in base units.
    pub fn names(self) -> &'static [(&'static str, u64)] {
        const K: u64 = 1_000;
        match self {
            Unit::Time => &[
                ("ps", 1),
                ("ns", K),
                ("us", K * K),
                ("µs", K * K),
                ("μs", K * K),
                ("ms", K * K * K),
                ("s", K * K * K * K),
            ],
            Unit::Bytes => &[
                ("B", 1),
                ("kB", K),
                ("KB", K),
                ("MB", K * K),
                ("GB", K * K * K),
                ("KiB", 1 << 10),
                ("MiB", 1 << 20),
                ("GiB", 1 << 30),
            ],
            Unit::Rate => &[
                ("bps", 1),
                ("kbps", K),
                ("Mbps", K * K),
                ("Gbps", K * K * K),
                ("Tbps", K * K * K * K),
            ],
            Unit::Packets => &[("pkt", 1), ("pkts", 1), ("packet", 1), ("packets", 1)],
            Unit::PerSecond => &[("/s", K * K), ("k/s", K * K * K), ("M/s", K * K * K * K)],
        }
    }

    /// Returns the size of the unit `name` in base units.
    fn base(self, name: &str) -> Option<u64> {
        let found = self.names().iter().find(|(known, _)| *known == name);
        found.map(|(_, base)| *base)
    }
}

/// Reads `text` as a number of kind `unit`.
pub fn parse_quantity(text: &str, unit: Unit) -> Result<Quantity, ParseQuantityError> {
    let fail = |got: String| ParseQuantityError {
        expected: unit.expected(),
        got,
    };
    let (digits, name) = split_number(text);
    if digits.is_empty() {
        return Err(fail(format!("{text:?}")));
    }
    if name.is_empty() {
        return Err(fail(format!("{text:?} without a unit")));
    }
    let Some(base) = unit.base(name) else {
        return Err(fail(format!("{text:?} with the unknown unit {name:?}")));
    };
    let whole = scaled(digits, base).map_err(|why| fail(format!("{text:?}, which {why}")))?;
    Ok(match unit {
        Unit::Time => Quantity::Time(Time::from_ps(whole)),
        Unit::Bytes => Quantity::Bytes(Bytes(whole)),
        Unit::Rate => Quantity::Rate(BitRate::bps(whole)),
        Unit::Packets => Quantity::Packets(whole),
        Unit::PerSecond => Quantity::PerMegasecond(whole),
    })
}

/// Reads `text` as a size of a queue, in packets or in bytes.
pub fn parse_size(text: &str) -> Result<Size, ParseQuantityError> {
    if let Ok(Quantity::Packets(n)) = parse_quantity(text, Unit::Packets) {
        return Ok(Size::Packets(n));
    }
    match parse_quantity(text, Unit::Bytes) {
        Ok(Quantity::Bytes(b)) => Ok(Size::Bytes(b)),
        _ => Err(ParseQuantityError {
            expected: "packets like \"100 pkt\" or bytes like \"150 kB\"",
            got: format!("{text:?}"),
        }),
    }
}

/// Reads `"1/16"` or `"0.0625"` as a fraction `(numerator, denominator)` without reducing it. The denominator
/// is above 0.
pub fn parse_fraction(text: &str) -> Result<(u64, u64), ParseQuantityError> {
    let fail = || ParseQuantityError {
        expected: "a fraction like \"1/16\", \"0.25\" or \"25 %\"",
        got: format!("{text:?}"),
    };
    if let Some((above, below)) = text.split_once('/') {
        let above = above.trim().parse().map_err(|_| fail())?;
        let below = below.trim().parse().map_err(|_| fail())?;
        return if below == 0 {
            Err(fail())
        } else {
            Ok((above, below))
        };
    }
    let (digits, rest) = split_number(text);
    let whole = match rest {
        "" => 1,
        "%" => 100,
        _ => return Err(fail()),
    };
    if digits.is_empty() {
        return Err(fail());
    }
    let places = digits.split_once('.').map_or(0, |(_, f)| f.len() as u32);
    let scale = 10u64.checked_pow(places).ok_or_else(fail)?;
    let above = scaled(digits, scale).map_err(|_| fail())?;
    Ok((above, scale.checked_mul(whole).ok_or_else(fail)?))
}

/// Splits `text` into the leading decimal number and the rest, both trimmed.
fn split_number(text: &str) -> (&str, &str) {
    let text = text.trim();
    let end = text
        .find(|c: char| !c.is_ascii_digit() && c != '.' && c != '_')
        .unwrap_or(text.len());
    (text[..end].trim(), text[end..].trim())
}

/// Computes `digits × base` exactly.
fn scaled(digits: &str, base: u64) -> Result<u64, &'static str> {
    let plain = digits.replace('_', "");
    let (whole, fraction) = plain.split_once('.').unwrap_or((&plain, ""));
    if (whole.is_empty() && fraction.is_empty()) || fraction.contains('.') {
        return Err("is not a number");
    }
    let mut value: u128 = 0;
    for digit in whole.bytes().chain(fraction.bytes()) {
        value = value
            .checked_mul(10)
            .and_then(|v| v.checked_add(u128::from(digit - b'0')))
            .ok_or("is too large")?;
    }
    let value = value.checked_mul(u128::from(base)).ok_or("is too large")?;
    let places = 10u128
        .checked_pow(fraction.len() as u32)
        .ok_or("has too many digits")?;
    if value % places != 0 {
        return Err(
            "is not a whole number of base units (picoseconds, bytes, bits per second or packets)",
        );
    }
    u64::try_from(value / places).map_err(|_| "is too large")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn people_write_units_in_several_ways() {
        let time = |s| parse_quantity(s, Unit::Time);
        assert_eq!(time("50 us"), Ok(Quantity::Time(Time::from_us(50))));
        assert_eq!(time("50us"), Ok(Quantity::Time(Time::from_us(50))));
        assert_eq!(time("1.5 ms"), Ok(Quantity::Time(Time::from_us(1500))));
        assert_eq!(
            parse_quantity("20 KB", Unit::Bytes),
            Ok(Quantity::Bytes(Bytes(20_000)))
        );
        assert_eq!(
            parse_quantity("0.5 /s", Unit::PerSecond),
            Ok(Quantity::PerMegasecond(500_000))
        );
        assert_eq!(parse_size("100 pkt"), Ok(Size::Packets(100)));
        assert_eq!(parse_size("1.7 MB"), Ok(Size::Bytes(Bytes(1_700_000))));
    }

    #[test]
    fn what_does_not_fit_is_refused_with_a_reason() {
        let said = |s, u| parse_quantity(s, u).unwrap_err().to_string();
        assert!(said("50", Unit::Time).contains("without a unit"));
        assert!(said("50 furlongs", Unit::Time).contains("unknown unit \"furlongs\""));
        assert!(said("0.5 pkt", Unit::Packets).contains("not a whole number of base units"));
        assert!(said("99999999999 s", Unit::Time).contains("too large"));
        assert!(said("", Unit::Rate).starts_with("expected a rate like"));
        assert!(said("-1 Gbps", Unit::Rate).contains("got \"-1 Gbps\""));
        assert!(said("1.2.3 us", Unit::Time).contains("not a number"));
    }

    #[test]
    fn fractions_are_exact() {
        assert_eq!(parse_fraction("1/16"), Ok((1, 16)));
        assert_eq!(parse_fraction("0.25"), Ok((25, 100)));
        assert_eq!(parse_fraction("2"), Ok((2, 1)));
        assert_eq!(parse_fraction("50 %"), Ok((50, 100)));
        assert_eq!(parse_fraction("50%"), Ok((50, 100)));
        assert_eq!(parse_fraction(" 12.5 % "), Ok((125, 1000)));
        assert_eq!(parse_fraction("0.1%"), Ok((1, 1000)));
        for wrong in ["%", "50 % %", "50 percent", "1/2 %", "-5 %", "50 %x"] {
            assert!(parse_fraction(wrong).is_err(), "{wrong}");
        }
        assert!(parse_fraction("1/0").is_err());
        assert!(parse_fraction("half").is_err());
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_answered_without_a_panic(text in "\\PC{0,24}") {
            for unit in [Unit::Time, Unit::Bytes, Unit::Rate, Unit::Packets, Unit::PerSecond] {
                let _ = parse_quantity(&text, unit);
            }
            let _ = parse_size(&text);
            let _ = parse_fraction(&text);
        }

        #[test]
        fn what_is_printed_reads_back(ps in 0..u64::MAX) {
            let time = Time::from_ps(ps);
            let read = parse_quantity(&time.to_string(), Unit::Time);
            proptest::prop_assert_eq!(read, Ok(Quantity::Time(time)));
        }
    }
}
