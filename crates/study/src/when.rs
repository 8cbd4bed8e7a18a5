//! Date and time, in UTC, for names and manifests.

use std::time::{SystemTime, UNIX_EPOCH};

/// Returns the seconds since 1970.
pub fn now_s() -> u64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |d| d.as_secs())
}

/// Formats an instant: `2026-11-21T03:37:35Z`.
pub fn rfc3339(unix_s: u64) -> String {
    let [y, mo, d, h, mi, s] = parts(unix_s);
    format!("{y:04}-{mo:02}-{d:02}T{h:02}:{mi:02}:{s:02}Z")
}

/// Formats an instant for a file name: `20261121T033735Z`.
pub fn compact(unix_s: u64) -> String {
    rfc3339(unix_s).replace(['-', ':'], "")
}

/// Returns year, month, day, hour, minute and second in the proleptic Gregorian calendar.
fn parts(unix_s: u64) -> [u64; 6] {
    let (mut days, rest) = (unix_s / 86_400, unix_s % 86_400);
    let leap = |y: u64| y.is_multiple_of(4) && (!y.is_multiple_of(100) || y.is_multiple_of(400));
    let mut year = 1970;
    while days >= 365 + u64::from(leap(year)) {
        days -= 365 + u64::from(leap(year));
        year += 1;
    }
    let lengths = [
        31,
        28 + u64::from(leap(year)),
        31,
        30,
        31,
        30,
        31,
        31,
        30,
        31,
        30,
        31,
    ];
    let mut month = 1;
    for length in lengths {
        if days < length {
            break;
        }
        days -= length;
        month += 1;
    }
    [
        year,
        month,
        days + 1,
        rest / 3600,
        rest / 60 % 60,
        rest % 60,
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instants_are_written_in_utc() {
        assert_eq!(rfc3339(0), "1970-01-01T00:00:00Z");
        assert_eq!(rfc3339(951_827_696), "2000-02-29T12:34:56Z");
        assert_eq!(compact(1_795_232_255), "20261121T033735Z");
    }
}
