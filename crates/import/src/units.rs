//! Units of sizes in the names of columns: `size_kb`, `size (MiB)`, `bits`.
//!
//! **Units**        kb is 1000 B and kib 1024 B, as in all sizes of Sidestep.
//! **Errors**       a name that counts packets or a rate, and `Kb` or `Mb`, which may mean bits or bytes.

use crate::lines::shown;
use crate::number::scaled;

/// Unit of sizes.
#[derive(Debug, PartialEq, Eq)]
pub struct SizeUnit {
    /// Words for it in small letters; the first one is that of `--columns`.
    words: &'static [&'static str],
    bits: u128,
}

macro_rules! units {
    ($($bits:expr, $($word:literal)+;)*) => {
        const UNITS: &[SizeUnit] = &[$(SizeUnit { words: &[$($word),+], bits: $bits }),*];
    };
}

units! {
    8, "bytes" "byte" "b" "octets" "octet";
    1, "bits" "bit";
    8_000, "kb" "kbyte" "kbytes" "kilobyte" "kilobytes";
    8_000_000, "mb" "mbyte" "mbytes" "megabyte" "megabytes";
    8_000_000_000, "gb" "gbyte" "gbytes" "gigabyte" "gigabytes";
    8_000_000_000_000, "tb" "tbyte" "tbytes" "terabyte" "terabytes";
    8 << 10, "kib" "kibibyte" "kibibytes";
    8 << 20, "mib" "mebibyte" "mebibytes";
    8 << 30, "gib" "gibibyte" "gibibytes";
    8 << 40, "tib" "tebibyte" "tebibytes";
    1_000, "kbit" "kbits" "kilobit" "kilobits";
    1_000_000, "mbit" "mbits" "megabit" "megabits";
    1_000_000_000, "gbit" "gbits" "gigabit" "gigabits";
}

/// Words of names that count something else than bytes.
const OTHERS: &[&str] = &[
    "packets", "packet", "pkts", "pkt", "segments", "frames", "cells", "pages", "blocks", "words",
    "mss", "per", "sec", "second", "bps", "kbps", "mbps", "gbps", "kibps", "mibps", "gibps",
];

/// Words that make a size of a name with one of `OTHERS`: `Total Length of Fwd Packets`.
const SIZES: &[&str] = &["length", "len", "totlen", "bytes", "byte", "octets"];

/// Names of sizes to which a unit may be joined: `sizeKB`.
const JOINED: &[&str] = &["flowsize", "size", "payload", "length"];

impl SizeUnit {
    pub fn is_byte(&self) -> bool {
        self.bits == 8
    }

    /// Returns the word of `--columns`.
    pub fn word(&self) -> &'static str {
        self.words[0]
    }

    /// Returns a number of this unit as bytes, if it is a whole number of them.
    pub fn bytes(&self, cell: &str) -> Option<u64> {
        const DIGITS: u32 = 9;
        let (value, _) = scaled(cell, DIGITS).filter(|(_, cut)| !cut)?;
        let bits = value.checked_mul(self.bits)?;
        let one = 8 * 10u128.pow(DIGITS);
        (bits % one == 0).then(|| u64::try_from(bits / one).ok())?
    }

    /// Names the unit in a sentence: `kb (1000 bytes)`.
    pub fn said(&self) -> String {
        match self.bits {
            1 => "bits".to_string(),
            bits if bits % 8 == 0 => format!("{} ({} bytes)", self.word(), bits / 8),
            bits => format!("{} ({bits} bits)", self.word()),
        }
    }
}

fn known(word: &str) -> Option<&'static SizeUnit> {
    let word = word.to_ascii_lowercase();
    UNITS
        .iter()
        .find(|unit| unit.words.contains(&word.as_str()))
}

/// Returns the unit that follows a name of sizes in one word: `sizeKB`, `sizeInKB`.
fn joined(word: &str) -> Option<&str> {
    let small = word.to_ascii_lowercase();
    let base = JOINED.iter().find(|base| small.starts_with(**base))?;
    let rest = &word[base.len()..];
    let rest = if rest.starts_with("In") || rest.starts_with("in") {
        &rest[2..]
    } else {
        rest
    };
    (!rest.is_empty()).then_some(rest)
}

/// Returns the unit in the name of a column, if it has one.
pub fn of(name: &str) -> Result<Option<&'static SizeUnit>, String> {
    let words = name.split(|c: char| !c.is_ascii_alphanumeric());
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    let small: Vec<String> = words.iter().map(|word| word.to_ascii_lowercase()).collect();
    let has = |of: &[&str]| small.iter().find(|word| of.contains(&word.as_str()));
    let expected = "expected a column of sizes in bytes, bits, kb, kib, mb, mib, gb, gib or tb";
    if let Some(other) = has(OTHERS) {
        let rate = ![
            "packet", "pkt", "segment", "frame", "cell", "page", "block", "word", "mss",
        ]
        .iter()
        .any(|of| other.starts_with(of));
        if rate || has(SIZES).is_none() {
            return Err(format!("{expected}, got {} (\"{other}\")", shown(name)));
        }
    }
    let mut found: Option<&'static SizeUnit> = None;
    for word in words {
        let word = joined(word).unwrap_or(word);
        let Some(unit) = known(word) else {
            continue;
        };
        if word.ends_with('b')
            && word.len() > 1
            && word.starts_with(['K', 'M', 'G', 'T'])
            && word.len() < 4
        {
            return Err(format!(
                "{expected}, got {}, where {word} can be bits or bytes: choose with --columns size_kb=NAME \
                 (1000 bytes) or size_kbit=NAME",
                shown(name)
            ));
        }
        if found.is_some_and(|other| other != unit) {
            return Err(format!("{expected}, got {} with two units", shown(name)));
        }
        found = Some(unit);
    }
    // A unit in brackets that is not known: "size (furlongs)".
    if let (None, Some((_, unit))) = (found, name.split_once(['(', '[']))
        && unit.chars().any(|c| c.is_ascii_alphanumeric())
    {
        return Err(format!("{expected}, got {}", shown(name)));
    }
    Ok(found)
}

/// Returns true for a name in small letters and digits that is a size with its unit: `sizekb`.
pub fn is_size(plain: &str) -> bool {
    joined(plain).is_some_and(|word| known(word).is_some())
}

/// Returns the unit of times in the name of a column, as a word of `--columns` has it: `ms` of `begin_ms`.
pub fn of_time(name: &str) -> Option<&'static str> {
    const WORDS: &[(&str, &[&str])] = &[
        ("ms", &["ms", "msec", "msecs", "millis"]),
        ("us", &["us", "usec", "usecs", "micros"]),
        ("ns", &["ns", "nsec", "nsecs", "nanos"]),
        ("ps", &["ps"]),
        ("s", &["s", "sec", "secs"]),
    ];
    const ENDS: &[(&str, &str)] = &[
        ("milliseconds", "ms"),
        ("microseconds", "us"),
        ("nanoseconds", "ns"),
        ("seconds", "s"),
    ];
    let small = name.to_ascii_lowercase();
    let mut words = small.split(|c: char| !c.is_ascii_alphanumeric());
    let last = words.rfind(|word| !word.is_empty())?;
    let ends = ENDS.iter().find(|(end, _)| last.ends_with(end));
    let known = || WORDS.iter().find(|(_, words)| words.contains(&last));
    let word = |(unit, _): &(&'static str, _)| *unit;
    ends.map(|(_, unit)| *unit).or_else(|| known().map(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_unit_in_a_name_is_read_or_refused() {
        let bits = |name: &str| of(name).map(|unit| unit.map(|unit| unit.bits));
        for (name, known) in [
            ("size", None),
            ("octets_total", Some(8)),
            ("size_kb", Some(8_000)),
            ("size (MB)", Some(8_000_000)),
            ("sizeKB", Some(8_000)),
            ("flowSizeInKiB", Some(8 << 10)),
            ("KiB", Some(8 << 10)),
            ("bits", Some(1)),
            ("Total KBytes", Some(8_000)),
            ("Total Length of Fwd Packets", None),
            ("nbytes", None),
            ("volume", None),
        ] {
            assert_eq!(bits(name), Ok(known), "{name}");
        }
        for wrong in [
            "packets",
            "size_pkts",
            "size (packets)",
            "Bits/s per flow",
            "size_kbps",
            "size (furlongs)",
            "size [Mb]",
            "size_kb_mb",
        ] {
            assert!(of(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn the_unit_of_a_time_is_the_last_word_of_its_name() {
        for (name, unit) in [
            ("begin_ms", Some("ms")),
            ("Start (us)", Some("us")),
            ("flowStartMilliseconds", Some("ms")),
            ("Start Seconds", Some("s")),
            ("Stime", None),
            ("time_s_of_day", None),
            ("status", None),
        ] {
            assert_eq!(of_time(name), unit, "{name}");
        }
    }

    #[test]
    fn numbers_of_a_unit_are_whole_bytes_or_nothing() {
        let bytes = |unit: &str, cell: &str| known(unit).unwrap().bytes(cell);
        assert_eq!(bytes("kb", "10"), Some(10_000));
        assert_eq!(bytes("kb", "0.5"), Some(500));
        assert_eq!(bytes("kb", "0.0005"), None);
        assert_eq!(bytes("KiB", "1.5"), Some(1536));
        assert_eq!(bytes("bits", "80"), Some(10));
        assert_eq!(bytes("bits", "81"), None);
        assert_eq!(bytes("tb", "17"), Some(17_000_000_000_000));
        assert_eq!(bytes("tb", "1e30"), None);
        assert_eq!(bytes("kb", "10 kB"), None);
    }
}
