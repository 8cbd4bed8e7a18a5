//! Accepted range of a claim: numbers that count as reproduced, each end included or not.

use crate::stats::Interval;
use std::fmt;

/// Range of numbers; an end left out is infinite.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Accept {
    /// Lower end.
    pub from: f64,
    /// Upper end.
    pub to: f64,
    /// True if the lower end itself is excluded.
    pub above: bool,
    /// True if the upper end itself is excluded.
    pub below: bool,
}

impl Accept {
    /// Reads `"10..30"`, `"..2"`, `"0.9.."` or one number; `">1"`, `"<2"` and `">0..<2"` exclude the ends
    /// themselves.
    pub fn parse(text: &str) -> Result<Accept, String> {
        Self::read(text).ok_or_else(|| {
            format!(
                "expected a range like \"10..30\", \"..2\", \"0.9..\", \">1\", \"<2\", \">0..<2\" or one number, got {text:?}"
            )
        })
    }

    fn read(text: &str) -> Option<Accept> {
        let number = |text: &str| text.trim().parse().ok().filter(|n: &f64| n.is_finite());
        // Reads an end: excluded after this sign, infinite if left out.
        let end = |text: &str, sign: char, open: f64| {
            let text = text.trim();
            match text.strip_prefix(sign) {
                Some(text) => Some((number(text)?, true)),
                None if text.is_empty() => Some((open, false)),
                None => Some((number(text)?, false)),
            }
        };
        let (from, to) = match text.split_once("..") {
            Some((from, to)) => (from, to),
            None if text.trim().starts_with('>') => (text, ""),
            None if text.trim().starts_with('<') => ("", text),
            None => (text, text),
        };
        let (from, above) = end(from, '>', f64::NEG_INFINITY)?;
        let (to, below) = end(to, '<', f64::INFINITY)?;
        let nothing = from > to || from == to && (above || below);
        let all = from.is_infinite() && to.is_infinite();
        (!nothing && !all).then_some(Accept {
            from,
            to,
            above,
            below,
        })
    }

    /// True if the range contains this number.
    pub fn holds(&self, value: f64) -> bool {
        let low = if self.above {
            self.from < value
        } else {
            self.from <= value
        };
        let high = if self.below {
            value < self.to
        } else {
            value <= self.to
        };
        low && high
    }

    /// True if the range contains every number of an interval.
    pub fn holds_all(&self, ci: Interval) -> bool {
        self.holds(ci.low) && self.holds(ci.high)
    }

    /// True if the range contains no number of an interval.
    pub fn holds_none(&self, ci: Interval) -> bool {
        let before = ci.high < self.from || self.above && ci.high == self.from;
        let after = ci.low > self.to || self.below && ci.low == self.to;
        before || after
    }

    /// Returns the number of a range that contains a single one.
    pub fn only(&self) -> Option<f64> {
        (self.from == self.to).then_some(self.from)
    }

    /// Returns the distance of a number from the nearer end of the range; negative outside.
    pub fn room(&self, value: f64) -> f64 {
        (value - self.from).min(self.to - value)
    }
}

impl fmt::Display for Accept {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(only) = self.only() {
            return write!(f, "{only}");
        }
        let sign = |is: bool, sign: &'static str| if is { sign } else { "" };
        let from = format!("{}{}", sign(self.above, ">"), self.from);
        let to = format!("{}{}", sign(self.below, "<"), self.to);
        match (self.from.is_finite(), self.to.is_finite()) {
            (true, false) if self.above => f.write_str(&from),
            (false, true) if self.below => f.write_str(&to),
            (true, false) => write!(f, "{from}.."),
            (false, _) => write!(f, "..{to}"),
            (true, true) => write!(f, "{from}..{to}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ci(low: f64, high: f64) -> Interval {
        Interval { low, high }
    }

    #[test]
    fn ranges_read_back() {
        for text in [
            "10..30", "..2", "0.9..", "0", "-3..-1", ">1", "<2", ">0..<2", ">0.9..1", "0..<1",
        ] {
            let read = Accept::parse(text).unwrap();
            assert_eq!(read.to_string(), text);
        }
        assert_eq!(Accept::parse(" > 1 ").unwrap().to_string(), ">1");
        assert_eq!(Accept::parse(">1..").unwrap().to_string(), ">1");
        for text in [
            "", "..", ">", "<..", "2..>3", "<1..2", ">1..1", ">=1", "1..<1", "30..10",
        ] {
            assert!(Accept::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn equality_does_not_pass_for_more_or_for_less() {
        let more = Accept::parse(">1").unwrap();
        assert!(!more.holds(1.0) && more.holds(1.1));
        assert!(more.holds_none(ci(0.5, 1.0)) && !more.holds_none(ci(0.5, 1.1)));
        let less = Accept::parse("0..<1").unwrap();
        assert!(less.holds(0.0) && !less.holds(1.0));
        assert!(less.holds_all(ci(0.0, 0.9)) && !less.holds_all(ci(0.0, 1.0)));
        assert!(less.holds_none(ci(1.0, 2.0)) && !less.holds_none(ci(0.9, 2.0)));
    }
}
