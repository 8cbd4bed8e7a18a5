//! Fairness of shares.

/// Returns Jain's index of `shares`: 1 if all are equal, 1/n if one has everything.
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

/// Returns the largest share over the smallest, as the geometric mean over runs, and whether it is a lower
/// bound: if a share is zero, the smallest share above zero gives a bound.
///
/// `None` where a run has no share above zero, and without runs. A run without shares is left out.
pub fn max_over_min<'a>(runs: impl IntoIterator<Item = &'a [f64]>) -> (Option<f64>, bool) {
    let (mut n, mut logs, mut at_least) = (0u64, 0.0, false);
    for shares in runs.into_iter().filter(|shares| !shares.is_empty()) {
        let some = || shares.iter().copied().filter(|share| *share > 0.0);
        let Some((least, most)) = some().reduce(f64::min).zip(some().reduce(f64::max)) else {
            return (None, false);
        };
        n += 1;
        logs += libm::log(most / least);
        at_least |= some().count() < shares.len();
    }
    let mean = (n > 0).then(|| libm::exp(logs / n as f64));
    (mean, mean.is_some() && at_least)
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

    #[test]
    fn the_largest_over_the_smallest_is_of_each_run_and_nothing_leaves_a_bound() {
        let of = |runs: &[&[f64]]| {
            let (ratio, at_least) = max_over_min(runs.iter().copied());
            (ratio.map(|ratio| (ratio * 1e9).round() / 1e9), at_least)
        };
        assert_eq!(of(&[&[2.0, 5.0, 10.0]]), (Some(5.0), false));
        // √(2 · 8); flows of different runs are not compared with each other.
        assert_eq!(of(&[&[1.0, 2.0], &[], &[100.0, 800.0]]), (Some(4.0), false));
        assert_eq!(of(&[&[0.0, 2.0, 6.0], &[3.0, 9.0]]), (Some(3.0), true));
        assert_eq!(of(&[&[7.0]]), (Some(1.0), false));
        assert_eq!(of(&[&[0.0, 0.0], &[1.0]]), (None, false));
        assert_eq!(of(&[&[]]), (None, false));
        assert_eq!(of(&[]), (None, false));
    }
}
