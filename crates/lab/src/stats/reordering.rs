//! How far packets were reordered: n-reordering of RFC 4737 section 5.4.

use sidestep_sim::{ClassOutcome, NReordering};

/// How many packets there were of each n, without the zeros at the end.
pub fn n_reordering(all: &NReordering) -> Vec<u64> {
    let mut counts = all.counts.to_vec();
    let used = counts.iter().rposition(|n| *n > 0);
    counts.truncate(used.map_or(0, |last| last + 1));
    // One is held for each point of a sweep.
    counts.shrink_to_fit();
    counts
}

/// [`n_p99`] of the packets of all workloads together.
pub fn reordering_p99(all: &ClassOutcome) -> (Option<u64>, bool) {
    n_p99(all.reordered, &all.n_reordering.counts)
}

/// The n that 99 % of the `reordered` packets do not exceed, and whether it is only known to be
/// that or more. `counts` is of n = 1, 2 and so on, its last number of all beyond.
fn n_p99(reordered: u64, counts: &[u64]) -> (Option<u64>, bool) {
    if reordered == 0 {
        return (None, false);
    }
    let rank = (reordered * 99).div_ceil(100);
    let mut below = reordered - counts.iter().sum::<u64>();
    let mut n = 0;
    while below < rank {
        below += counts[n];
        n += 1;
    }
    (Some(n as u64), n == counts.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_99th_percentile_of_n_counts_those_with_none() {
        assert_eq!(n_p99(0, &[0, 0, 0]), (None, false));
        assert_eq!(n_p99(100, &[0, 0, 0]), (Some(0), false));
        assert_eq!(n_p99(100, &[1, 0, 0]), (Some(0), false));
        assert_eq!(n_p99(100, &[1, 1, 0]), (Some(1), false));
        assert_eq!(n_p99(100, &[50, 50, 0]), (Some(2), false));
        assert_eq!(n_p99(100, &[0, 98, 2]), (Some(3), true));
        assert_eq!(n_p99(3, &[0, 3, 0]), (Some(2), false));
    }
}
