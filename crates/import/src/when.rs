//! Dates as picoseconds since 1970.

use crate::number::scaled;

/// Reads a date as picoseconds since 1970: `2026-09-01 10:00:05.123`, optionally with `T` for the blank,
/// with `/` in the day, and with `Z` or an offset. Without an offset the date is in UTC. Also returns true if the date was rounded.
pub fn date(text: &str) -> Option<(u128, bool)> {
    let (day, clock) = text.trim().split_once([' ', 'T'])?;
    let (year, rest) = day.split_once(['-', '/'])?;
    let (month, date) = rest.split_once(['-', '/'])?;
    let whole = |text: &str, digits: usize| -> Option<i64> {
        let plain = text.len() == digits && text.bytes().all(|b| b.is_ascii_digit());
        plain.then(|| text.parse().ok())?
    };
    let (year, month, date) = (whole(year, 4)?, whole(month, 2)?, whole(date, 2)?);
    if !(1..=12).contains(&month) || !(1..=days_of(year, month)).contains(&date) {
        return None;
    }
    let (clock, offset) = offset(clock.trim())?;
    let (hour, rest) = clock.split_once(':')?;
    let (minute, second) = rest.split_once(':')?;
    let (hour, minute) = (whole(hour, 2)?, whole(minute, 2)?);
    let (second, rounded) = scaled(second, 12)?;
    if hour > 23 || minute > 59 || second >= 61 * 1_000_000_000_000 {
        return None;
    }
    let minutes = days(year, month, date) * 1440 + hour * 60 + minute - offset;
    let seconds = u128::try_from(minutes.checked_mul(60)?).ok()?;
    Some((seconds * 1_000_000_000_000 + second, rounded))
}

/// Splits a time of day from its offset, in minutes ahead of UTC.
fn offset(clock: &str) -> Option<(&str, i64)> {
    if let Some(clock) = clock.strip_suffix(['Z', 'z']) {
        return Some((clock, 0));
    }
    let Some(at) = clock.rfind(['+', '-']) else {
        return Some((clock, 0));
    };
    let digits: String = clock[at + 1..].chars().filter(|c| *c != ':').collect();
    if digits.len() != 4 || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let (hours, minutes): (i64, i64) = (digits[..2].parse().ok()?, digits[2..].parse().ok()?);
    // The largest offset in use is 14 hours.
    if minutes > 59 || hours * 60 + minutes > 14 * 60 {
        return None;
    }
    let sign = if clock[at..].starts_with('-') { -1 } else { 1 };
    Some((clock[..at].trim(), sign * (hours * 60 + minutes)))
}

/// Returns the days of a month.
fn days_of(year: i64, month: i64) -> i64 {
    let next = if month == 12 {
        (year + 1, 1)
    } else {
        (year, month + 1)
    };
    days(next.0, next.1, 1) - days(year, month, 1)
}

/// Returns the days since 1970 of a date in the Gregorian calendar.
fn days(year: i64, month: i64, date: i64) -> i64 {
    // Years begin in March here, so that a leap day is the last.
    let (year, month) = if month > 2 {
        (year, month - 3)
    } else {
        (year - 1, month + 9)
    };
    let (era, year) = (year.div_euclid(400), year.rem_euclid(400));
    let day = (153 * month + 2) / 5 + date - 1;
    era * 146_097 + year * 365 + year / 4 - year / 100 + day - 719_468
}

/// Returns the number of digits by which a number since 1970 is short of picoseconds: from 2001 to 2286,
/// seconds have ten digits.
pub fn short_of_ps(cell: &str) -> Option<u32> {
    let whole = cell.split('.').next().unwrap_or_default();
    let plain = whole.bytes().all(|b| b.is_ascii_digit()) && !whole.starts_with('0');
    match whole.len() {
        10 if plain => Some(12),
        13 if plain => Some(9),
        16 if plain => Some(6),
        19 if plain => Some(3),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_those_of_the_calendar() {
        const S: u128 = 1_000_000_000_000;
        let known = [
            ("1970-01-01 00:00:00", 0),
            ("2000-02-29T12:00:00Z", 951_825_600 * S),
            ("2026-11-22 07:33:10", 1_795_332_790 * S),
            ("2026-11-22 09:33:10.5+02:00", 1_795_332_790 * S + S / 2),
            ("2026/11/22T07:33:10", 1_795_332_790 * S),
            ("2026-11-22T02:33:10-0500", 1_795_332_790 * S),
        ];
        for (text, ps) in known {
            assert_eq!(date(text), Some((ps, false)), "{text}");
        }
        for wrong in [
            "",
            "2026-13-01 00:00:00",
            "2026-02-29 00:00:00",
            "2026-04-31 00:00:00",
            "2026-12-32 00:00:00",
            "2026-01-01 00:00:00+15:00",
            "2026-01-01 00:00:00+01:60",
            "2026-01-01",
            "2026-01-01 24:00:00",
            "26-1-1 0:0:0",
            "1969-12-31 00:00:00",
        ] {
            assert_eq!(date(wrong), None, "{wrong}");
        }
    }
}
