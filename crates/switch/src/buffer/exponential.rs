//! Table of `1 − e^(−x)` as in hardware: steps of 1/64 below 16, 16 bits per value.
//!
//! Computed at compile time in whole numbers, from the series of `e^(−1/64)` and its powers.

use super::relative_rank::RelativeRank;

/// Table steps per unit of `x`.
const STEPS: u64 = 64;
/// Length of the table, which ends before 16; from there on the last value holds.
const LENGTH: usize = 16 * STEPS as usize;
/// Denominator of the values.
const WHOLE: u32 = 1 << 16;

/// Values `1 − e^(−i/64)` at index `i`, in 65536ths, rounded down.
static TABLE: [u16; LENGTH] = table();

/// Returns `1 − e^(−x)` for `x = above/below`, rounded down to a step; `below` must be above 0.
pub(super) fn one_less_exp(above: u128, below: u128) -> RelativeRank {
    let step = above * u128::from(STEPS) / below;
    let at = step.min(LENGTH as u128 - 1) as usize;
    RelativeRank {
        part: u32::from(TABLE[at]),
        whole: WHOLE,
    }
}

/// Unit of the fixed-point numbers from which the table is computed: a product of two has 120 bits.
const ONE: u128 = 1 << 60;

const fn table() -> [u16; LENGTH] {
    let factor = e_to_minus_a_step();
    let mut table = [0; LENGTH];
    let (mut left, mut i) = (ONE, 0);
    while i < LENGTH {
        table[i] = ((ONE - left) >> 44) as u16;
        left = (left * factor) >> 60;
        i += 1;
    }
    table
}

/// Computes `e^(−1/64)`: `1 − x + x²/2! − x³/3! …`
const fn e_to_minus_a_step() -> u128 {
    let (mut sum, mut term, mut n) = (ONE, ONE, 0);
    while term > 0 {
        n += 1;
        term /= STEPS as u128 * n;
        if n % 2 == 1 {
            sum -= term;
        } else {
            sum += term;
        }
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_is_that_of_floating_point_rounded_down() {
        for (step, &value) in TABLE.iter().enumerate() {
            let exact = 65_536.0 * (1.0 - (-(step as f64) / 64.0).exp());
            // No value is so close to a whole number that the sixteenth digit matters.
            assert!((exact - exact.round()).abs() > 1e-6 || step == 0, "{step}");
            assert_eq!(f64::from(value), exact.floor(), "{step}");
        }
    }

    #[test]
    fn it_rises_from_nothing_to_nearly_all_and_stays_there() {
        let part = |above, below| one_less_exp(above, below).part;
        assert_eq!([part(0, 7), part(1, 65)], [0, 0]);
        assert_eq!([part(1, 64), part(9_999, 10_000)], [1_016, 41_046]);
        assert_eq!(part(1, 1), 41_426); // 0.63212
        assert_eq!([part(16, 1), part(u128::MAX >> 6, 1)], [65_535; 2]);
        assert!(TABLE.is_sorted());
    }
}
