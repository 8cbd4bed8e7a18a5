//! Natural order of names: the numbers in them count as numbers.
//!
//! **Decision**     `node2` is before `node10`, and `rack1-node02` before `rack1-node10`. Letters are compared
//!                  without case; names that differ in case or in leading zeros alone are in the order of their
//!                  bytes.

use std::cmp::Ordering;

/// Compares two names.
pub fn order(one: &str, two: &str) -> Ordering {
    let (mut left, mut right) = (one.as_bytes(), two.as_bytes());
    while let ([x, ..], [y, ..]) = (left, right) {
        let found = if x.is_ascii_digit() && y.is_ascii_digit() {
            let (a, b) = (number(&mut left), number(&mut right));
            a.len().cmp(&b.len()).then_with(|| a.cmp(b))
        } else {
            (left, right) = (&left[1..], &right[1..]);
            x.to_ascii_lowercase().cmp(&y.to_ascii_lowercase())
        };
        if found.is_ne() {
            return found;
        }
    }
    (left.len().cmp(&right.len())).then_with(|| one.cmp(two))
}

/// Takes the digits at the front of `text`, and returns them without leading zeros.
fn number<'a>(text: &mut &'a [u8]) -> &'a [u8] {
    let end = text.iter().position(|byte| !byte.is_ascii_digit());
    let (digits, rest) = text.split_at(end.unwrap_or(text.len()));
    *text = rest;
    let zeros = digits.iter().take_while(|digit| **digit == b'0').count();
    &digits[zeros..]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_in_names_count_as_numbers() {
        let sorted = [
            "7",
            "Ethernet0",
            "Ethernet4",
            "Ethernet12",
            "host|asic0|Ethernet8",
            "host|asic1|Ethernet0",
            "node",
            "node2",
            "node02",
            "node10",
            "node10a",
            "node99999999999999999999999999",
            "node100000000000000000000000000",
            "rack1-node02",
            "rack1-node10",
            "Rack2-node1",
            "rack10-node1",
        ];
        for (i, one) in sorted.iter().enumerate() {
            for (j, two) in sorted.iter().enumerate() {
                // "node02" and "node2" are equal as numbers: their bytes decide.
                let tie = [one, two]
                    .iter()
                    .all(|word| word.trim_start_matches("node").trim_start_matches('0') == "2");
                if !tie {
                    assert_eq!(order(one, two), i.cmp(&j), "{one} {two}");
                }
            }
        }
        assert_eq!(order("node02", "node2"), Ordering::Less);
        assert_eq!(order("A1", "a1"), Ordering::Less);
    }

    proptest::proptest! {
        #[test]
        fn any_names_have_one_order(words in proptest::collection::vec("[a-bA-B0-2|.-]{0,6}", 3)) {
            let [a, b, c] = [0, 1, 2].map(|i| words[i].as_str());
            proptest::prop_assert_eq!(order(a, b), order(b, a).reverse());
            proptest::prop_assert_eq!(order(a, b).is_eq(), a == b);
            if order(a, b).is_le() && order(b, c).is_le() {
                proptest::prop_assert!(order(a, c).is_le());
            }
        }
    }
}
