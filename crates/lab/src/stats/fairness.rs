//! How evenly something is shared.

/// Jain's index of `shares`: 1 when all are equal, 1/n when one has everything.
///
/// `None` when there are no shares or all are zero. Source: Jain, Chiu and Hawe, 1984.
pub fn jain(shares: impl IntoIterator<Item = f64>) -> Option<f64> {
    let (mut n, mut sum, mut squares) = (0u64, 0.0, 0.0);
    for share in shares {
        n += 1;
        sum += share;
        squares += share * share;
    }
    // Rounding may leave equal shares a hair above 1.
    (squares > 0.0).then(|| (sum * sum / (n as f64 * squares)).min(1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_shares_give_one_and_a_monopoly_one_over_n() {
        assert_eq!(jain([3.0; 7]), Some(1.0));
        assert_eq!(jain([1000.0 / 0.102; 3]), Some(1.0), "never above 1");
        assert_eq!(jain([5.0, 0.0, 0.0, 0.0]), Some(0.25));
        // (1 + 2 + 3)² / (3 · 14)
        assert_eq!(jain([1.0, 2.0, 3.0]), Some(36.0 / 42.0));
        assert_eq!(jain([]), None);
        assert_eq!(jain([0.0]), None);
    }
}
