//! Announced size of a message: its true size, unless the host is wrong or lies.
//!
//! **Decision**     the size times `announce`, rounded up, for a share of the messages, chosen by their
//!                  numbers. [`super::mark`] ranks a message that exceeds its announced size as 0 from then on,
//!                  and states no size; [`super::by_size`] keeps it in the class of its announced size
//!                  throughout.
//! **State**        none.
//! **Units**        bytes of payload.
//! **Errors**       `announce` of 0; an `announce_share` above 1.
//! **Source**       none: Vertigo leaves sizes to applications (section 3.1), MulBuff to hosts (section 2), and
//!                  neither covers wrong sizes.
//! **Deviations**   none.

use sidestep_types::{FlowId, Fraction, Settings, mix64};

/// Rule of announced sizes.
#[derive(Clone, Copy, Debug, serde::Serialize, serde::Deserialize, Settings)]
pub struct Announced {
    /// Ratio of the announced size to the true size.
    #[setting(common, key = "announce")]
    pub(super) factor: Fraction,
    /// Share of the messages that announce so.
    #[setting(common, key = "announce_share")]
    pub(super) share: Fraction,
}

impl Announced {
    /// Returns the announced size of `flow`, which has `size` bytes.
    pub fn of(&self, flow: FlowId, size: u64) -> u64 {
        match self.is_wrong(flow) {
            true => scaled(size, self.factor),
            false => size,
        }
    }

    /// Returns true if `flow` belongs to the share.
    fn is_wrong(&self, flow: FlowId) -> bool {
        let Fraction(above, below) = self.share;
        let place = u128::from(mix64(u64::from(flow.0)));
        place * u128::from(below) < u128::from(above) << 64
    }
}

/// Scales and rounds up, so that a message that is not empty announces at least a byte.
fn scaled(size: u64, Fraction(above, below): Fraction) -> u64 {
    let scaled = (u128::from(size) * u128::from(above)).div_ceil(u128::from(below));
    u64::try_from(scaled).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn told(factor: (u64, u64), share: (u64, u64)) -> Announced {
        Announced {
            factor: Fraction(factor.0, factor.1),
            share: Fraction(share.0, share.1),
        }
    }

    #[test]
    fn a_size_is_announced_times_the_factor_and_never_as_nothing() {
        let tenth = told((1, 10), (1, 1));
        let of = |size| tenth.of(FlowId(7), size);
        assert_eq!([of(20_000), of(15), of(1)], [2_000, 2, 1]);
        assert_eq!(told((3, 1), (1, 1)).of(FlowId(7), u64::MAX), u64::MAX);
    }

    #[test]
    fn a_share_of_the_messages_is_wrong_and_the_others_tell_the_truth() {
        let few = told((1, 10), (1, 10));
        let wrong = (0..10_000)
            .filter(|n| few.of(FlowId(*n), 1_000) == 100)
            .count();
        let right = (0..10_000)
            .filter(|n| few.of(FlowId(*n), 1_000) == 1_000)
            .count();
        assert_eq!(wrong + right, 10_000);
        // Three standard deviations of 10,000 draws with 0.1.
        assert!((910..=1_090).contains(&wrong), "{wrong}");
        let none = told((1, 10), (0, 1));
        assert!((0..1_000).all(|n| none.of(FlowId(n), 1_000) == 1_000));
    }
}
