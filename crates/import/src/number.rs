//! Decimal numbers as whole numbers of a smaller unit, either exact or reported as rounded.

/// Multiplies `text` by ten to the power of `digits`. Returns the number, and true if it was rounded. Returns
/// `None` if the text is not a number from zero on, or too large.
pub fn scaled(text: &str, digits: u32) -> Option<(u128, bool)> {
    let text = text.trim();
    let (mantissa, power) = match text.split_once(['e', 'E']) {
        Some((mantissa, power)) => (mantissa, power.parse::<i32>().ok()?),
        None => (text, 0),
    };
    let (whole, part) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    if whole.is_empty() && part.is_empty() || whole.len() + part.len() > 38 {
        return None;
    }
    let mut value: u128 = 0;
    for digit in whole.bytes().chain(part.bytes()) {
        let digit = digit.is_ascii_digit().then(|| u128::from(digit - b'0'))?;
        value = value.checked_mul(10)?.checked_add(digit)?;
    }
    let shift = i64::from(power) + i64::from(digits) - part.len() as i64;
    if value == 0 {
        return Some((0, false));
    }
    if shift >= 0 {
        let by = 10u128.checked_pow(u32::try_from(shift).ok()?)?;
        return Some((value.checked_mul(by)?, false));
    }
    let Some(by) = 10u128.checked_pow(shift.unsigned_abs().try_into().ok()?) else {
        return Some((0, true));
    };
    let (quotient, rest) = (value / by, value % by);
    Some((quotient + u128::from(rest >= by.div_ceil(2)), rest != 0))
}

/// Reads a whole number, which is never rounded.
pub fn whole(text: &str) -> Option<u64> {
    let (number, _) = scaled(text, 0).filter(|(_, cut)| !cut)?;
    u64::try_from(number).ok()
}

/// Formats picoseconds as microseconds, without trailing zeros.
pub fn micros(ps: u64) -> String {
    let (whole, rest) = (ps / 1_000_000, ps % 1_000_000);
    if rest == 0 {
        return whole.to_string();
    }
    let rest = format!("{rest:06}");
    format!("{whole}.{}", rest.trim_end_matches('0'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_exact_stays_so_and_what_is_not_is_said() {
        assert_eq!(scaled("2.000000001", 12), Some((2_000_000_001_000, false)));
        assert_eq!(scaled("0.0000000000015", 12), Some((2, true)));
        assert_eq!(scaled("0.0000000000014", 12), Some((1, true)));
        assert_eq!(scaled("1e-3", 6), Some((1000, false)));
        assert_eq!(scaled("1.5E3", 0), Some((1500, false)));
        assert_eq!(scaled("5e-1", 0), Some((1, true)));
        assert_eq!(scaled("1e-999999", 3), Some((0, true)));
        for wrong in ["", ".", "-1", "1e", "1.2.3", "0x1", "1e999", "nan"] {
            assert_eq!(scaled(wrong, 0), None, "{wrong}");
        }
        assert_eq!(micros(1_500_000), "1.5");
        assert_eq!(micros(1), "0.000001");
    }
}
