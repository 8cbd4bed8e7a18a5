//! Labels of an axis: numbers short enough to fit beside it, and the power of ten that they leave out.
//!
//! Nine digits are cut at the edge of a page, and 0.000000001 is unreadable. If plain numbers are too long, or
//! if rounding changes them, the ticks count in thousands, millions or thousandths, and the axis title states
//! the unit: `latency, us` becomes `latency, ms`, and `packets` becomes `packets (millions)`.

/// Maximum length of a label, so that it fits into the margin.
const LONGEST: usize = 7;

/// Number format of an axis's labels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Labels {
    /// Each value divided by this power of ten, a multiple of three.
    In(i32),
    /// `2e-9`: no single power of ten suits all values.
    Powers,
}

impl Labels {
    /// Returns the simplest format that suits all of these values.
    pub fn of(values: &[f64]) -> Labels {
        let largest = values.iter().fold(0.0f64, |most, v| most.max(v.abs()));
        let power = match largest > 0.0 {
            true => 3 * (largest.log10() + 1e-9).div_euclid(3.0) as i32,
            false => 0,
        };
        let suits = |labels: &Labels| values.iter().all(|v| labels.suits(*v));
        let mut all = [0, power, power - 3].into_iter().map(Labels::In);
        all.find(suits).unwrap_or(Labels::Powers)
    }

    /// Returns true if the label of `value` is short and reads as that value.
    fn suits(self, value: f64) -> bool {
        let Labels::In(power) = self else {
            return true;
        };
        let label = self.label(value);
        let read: f64 = label.replace(',', "").parse().unwrap_or(f64::NAN);
        let meant = value / 10f64.powi(power);
        let digits = label.trim_start_matches('-');
        let long = digits.len() > LONGEST || digits.starts_with("0.0000");
        !long && (read - meant).abs() <= 1e-6 * meant.abs()
    }

    /// Returns the label of the tick at `value`.
    pub fn label(self, value: f64) -> String {
        match self {
            Labels::In(power) => plain(value / 10f64.powi(power)),
            Labels::Powers if value == 0.0 => "0".into(),
            Labels::Powers => {
                let text = format!("{value:.5e}");
                let (digits, power) = text.split_once('e').expect("such a number has an e");
                let digits = digits.trim_end_matches('0').trim_end_matches('.');
                format!("{digits}e{power}")
            }
        }
    }

    /// Adds the unit of the labels to the axis title `words`.
    pub fn said(self, words: &str) -> String {
        let Labels::In(power) = self else {
            return words.into();
        };
        if power == 0 {
            return words.into();
        }
        if let Some((before, unit)) = words.rsplit_once(", ")
            && let Some((own, base)) = split(unit)
        {
            // Megaseconds are unusual, and `Ms` is mistaken for `ms`.
            if base == "s" && own + power > 0 {
                return format!("{before}, s{}", counted(own + power));
            }
            if let Some((_, prefix)) = PREFIXES.iter().find(|(p, _)| *p == own + power) {
                return format!("{before}, {prefix}{base}");
            }
        }
        format!("{words}{}", counted(power))
    }
}

/// Returns the suffix for a power of ten: ` (millions)`.
fn counted(power: i32) -> String {
    match COUNTED.iter().find(|(p, _)| *p == power) {
        Some((_, counted)) => format!(" ({counted})"),
        None => format!(" (times 1e{power})"),
    }
}

/// Splits a unit into the power of ten of its prefix and its base: `ms` is -3 and `s`.
fn split(unit: &str) -> Option<(i32, &'static str)> {
    let base = ["bps", "B", "s"].into_iter().find(|b| unit.ends_with(b))?;
    let own = PREFIXES
        .iter()
        .find(|(_, p)| unit.strip_suffix(base) == Some(p));
    own.map(|(power, _)| (*power, base))
}

/// Formats a number without needless zeros: `0.05`, `2`, `1,000`.
pub fn plain(value: f64) -> String {
    if value < 0.0 {
        return format!("-{}", plain(-value));
    }
    if value >= 1000.0 {
        let whole = format!("{value:.0}");
        let head = whole.len() % 3;
        let mut out = whole[..head].to_string();
        for group in whole.as_bytes()[head..].chunks(3) {
            if !out.is_empty() {
                out.push(',');
            }
            out.extend(group.iter().map(|&b| char::from(b)));
        }
        return out;
    }
    let text = format!("{value:.6}");
    text.trim_end_matches('0').trim_end_matches('.').to_string()
}

const PREFIXES: [(i32, &str); 10] = [
    (-12, "p"),
    (-9, "n"),
    (-6, "u"),
    (-3, "m"),
    (0, ""),
    (3, "k"),
    (6, "M"),
    (9, "G"),
    (12, "T"),
    (15, "P"),
];

const COUNTED: [(i32, &str); 7] = [
    (-9, "billionths"),
    (-6, "millionths"),
    (-3, "thousandths"),
    (3, "thousands"),
    (6, "millions"),
    (9, "billions"),
    (12, "trillions"),
];

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the labels of these values, and the axis title.
    fn said(values: &[f64], words: &str) -> (Vec<String>, String) {
        let labels = Labels::of(values);
        let each = values.iter().map(|v| labels.label(*v)).collect();
        (each, labels.said(words))
    }

    #[test]
    fn numbers_that_fit_stay_plain() {
        let (labels, words) = said(&[0.0, 0.05, 2.0, 500_000.0], "packets");
        assert_eq!(labels, ["0", "0.05", "2", "500,000"]);
        assert_eq!(words, "packets");
    }

    #[test]
    fn longer_ones_leave_out_a_power_of_ten_and_the_axis_says_which() {
        let (labels, words) = said(&[0.0, 5e8, 1e9, 1.5e9], "bytes delivered, a seed");
        assert_eq!(labels, ["0", "0.5", "1", "1.5"]);
        assert_eq!(words, "bytes delivered, a seed (billions)");
        let (labels, words) = said(&[0.0, 1e-7, 2e-7], "share");
        assert_eq!(labels, ["0", "100", "200"]);
        assert_eq!(words, "share (billionths)");
    }

    #[test]
    fn units_have_their_prefixes() {
        for (values, words, told) in [
            ([1e6, 2e6], "queue, B", "queue, MB"),
            ([2e12, 1e12], "queue, B", "queue, TB"),
            (
                [1e6, 3e6],
                "completion time, ms",
                "completion time, s (thousands)",
            ),
            ([1e-6, 3e-6], "latency, us", "latency, ps"),
            ([1e-5, 3e-5], "goodput, Gbps", "goodput, kbps"),
            ([1e6, 3e6], "query rate, /s", "query rate, /s (millions)"),
            ([1e6, 3e6], "rate, Mbps", "rate, Tbps"),
            ([1e6, 3e6], "hosts, bytes", "hosts, bytes (millions)"),
            ([1e15, 3e15], "queue, B", "queue, PB"),
            ([1e15, 3e15], "packets", "packets (times 1e15)"),
        ] {
            assert_eq!(said(&values, words).1, told, "{words}");
        }
    }

    #[test]
    fn what_no_power_suits_is_written_with_its_own() {
        let (labels, words) = said(&[1e-9, 2e-9, 1.0, 1e12], "latency, us");
        assert_eq!(labels, ["1e-9", "2e-9", "1e0", "1e12"]);
        assert_eq!(words, "latency, us");
    }

    #[test]
    fn a_value_between_round_ones_is_not_cut_short() {
        let (labels, words) = said(&[1234.5, 1240.0], "packets");
        assert_eq!(labels, ["1.2345", "1.24"]);
        assert_eq!(words, "packets (thousands)");
    }

    #[test]
    fn numbers_are_plain() {
        assert_eq!(
            [0.05, 2.0, 1000.0, 25000.0, 1e6].map(plain),
            ["0.05", "2", "1,000", "25,000", "1,000,000"]
        );
    }
}
