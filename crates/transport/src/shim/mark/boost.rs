//! Boosting: what was sent again ranks as if less of its message were left.
//!
//! **Decision**     each time a packet is sent again its number counts for 1/`factor` of what it did. `Shift`:
//!                  number and count travel, and every switch shifts by itself. `Rotate`: the host rotates
//!                  the one number to the right, switches order by it as it is, and the host that receives
//!                  it rotates it back by the count.
//! **State**        none.
//! **Units**        bytes or packets, as the number is; a count of 0 to [`MOST_COUNTED`].
//! **Errors**       a factor that is not 1, 2, 4 or 8.
//! **Source**       Abdous et al., CoNEXT 2021 (Vertigo), section 3.1 for `Rotate`; its simulator, where
//!                  switches divide, for `Shift`.
//! **Deviations**   none of the paper under `Rotate`, whose fault comes with it: a 1 that leaves the number
//!                  at the low end returns at the high end, so that an odd number becomes one of the largest.

use sidestep_types::Words;

/// The largest count of retransmissions: 4 bits; further ones count as this.
pub const MOST_COUNTED: u8 = 15;

/// Who makes a rank of the number and the count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Words, serde::Serialize, serde::Deserialize)]
pub enum Rule {
    /// Every switch, by a shift.
    Shift,
    /// The host, by a rotation.
    Rotate,
}

/// The factor and the rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Boosting {
    rule: Rule,
    /// Bits of a shift, for each retransmission.
    bits: u32,
}

impl Boosting {
    /// By this rule and factor; `None` unless it is 1 (off), 2, 4 or 8.
    pub fn new(rule: Rule, factor: u64) -> Option<Boosting> {
        let known = matches!(factor, 1 | 2 | 4 | 8);
        known.then(|| Boosting {
            rule,
            bits: factor.trailing_zeros(),
        })
    }

    /// What switches order a packet by whose number is `number`, sent again so often.
    #[inline]
    pub fn rank(self, number: u32, count: u8) -> u32 {
        let bits = self.bits * u32::from(count);
        match self.rule {
            Rule::Shift => number.checked_shr(bits).unwrap_or(0),
            Rule::Rotate => number.rotate_right(bits % u32::BITS),
        }
    }

    /// The number that travels in a frame: under `Shift` the number itself, under `Rotate` its rank.
    pub fn carried(self, number: u32, count: u8) -> u32 {
        match self.rule {
            Rule::Shift => number,
            Rule::Rotate => self.rank(number, count),
        }
    }

    /// The number of which [`Boosting::carried`] made this.
    pub fn restored(self, carried: u32, count: u8) -> u32 {
        match self.rule {
            Rule::Shift => carried,
            Rule::Rotate => carried.rotate_left(self.bits * u32::from(count) % u32::BITS),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const FACTORS: [u64; 4] = [1, 2, 4, 8];

    fn boosting(rule: Rule, factor: u64) -> Boosting {
        Boosting::new(rule, factor).expect("a factor that can be had")
    }

    #[test]
    fn a_shift_divides_by_the_factor_each_time() {
        let ranks = |factor| {
            let by = boosting(Rule::Shift, factor);
            [0, 1, 2, 3, 15].map(|count| by.rank(14_600, count))
        };
        assert_eq!(ranks(1), [14_600; 5]);
        assert_eq!(ranks(2), [14_600, 7_300, 3_650, 1_825, 0]);
        assert_eq!(ranks(4), [14_600, 3_650, 912, 228, 0]);
        assert_eq!(ranks(8), [14_600, 1_825, 228, 28, 0]);
        // 45 bits are more than there are.
        assert_eq!(boosting(Rule::Shift, 8).rank(u32::MAX, 15), 0);
        assert_eq!(boosting(Rule::Shift, 4).rank(u32::MAX, 15), 3);
    }

    #[test]
    fn rotated_an_even_number_is_halved_and_an_odd_one_becomes_one_of_the_largest() {
        let rotate = boosting(Rule::Rotate, 2);
        assert_eq!(rotate.rank(14_600, 1), 7_300);
        // The fault of the paper's rule: the last full packet of a message, behind all that is waiting.
        assert_eq!(rotate.rank(1_461, 1), (1 << 31) + 730);
        assert!(rotate.rank(1_461, 1) > rotate.rank(u32::MAX >> 1, 0));
        assert_eq!(boosting(Rule::Shift, 2).rank(1_461, 1), 730);
        // By 8 a number must be a multiple of 8 for it.
        assert!(boosting(Rule::Rotate, 8).rank(1_460, 1) > 1 << 31);
    }

    #[test]
    fn factors_are_powers_of_two_up_to_8() {
        let had = (0..20).filter(|n| Boosting::new(Rule::Shift, *n).is_some());
        assert_eq!(had.collect::<Vec<_>>(), FACTORS);
    }

    proptest! {
        #[test]
        fn what_travels_says_the_number_however_often_it_was_sent(
            number: u32, count in 0..=MOST_COUNTED, factor in proptest::sample::select(&FACTORS[..]),
        ) {
            for rule in [Rule::Shift, Rule::Rotate] {
                let by = boosting(rule, factor);
                prop_assert_eq!(by.restored(by.carried(number, count), count), number);
            }
            // Once shifted, a packet never ranks behind itself.
            let by = boosting(Rule::Shift, factor);
            prop_assert!(count == 0 || by.rank(number, count) <= by.rank(number, count - 1));
        }
    }
}
