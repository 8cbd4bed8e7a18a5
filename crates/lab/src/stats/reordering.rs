//! Extent of packet reordering: n-reordering of RFC 4737 section 5.4.

use sidestep_sim::{ClassOutcome, NReordering};

/// Returns the number of packets for each n, without trailing zeros.
pub fn n_reordering(all: &NReordering) -> Vec<u64> {
    let mut counts = all.counts.to_vec();
    let used = counts.iter().rposition(|n| *n > 0);
    counts.truncate(used.map_or(0, |last| last + 1));
    // A sweep stores one for each point.
    counts.shrink_to_fit();
    counts
}

/// Returns [`n_p99`] of the packets of all workloads together.
pub fn reordering_p99(all: &ClassOutcome) -> (Option<u64>, bool) {
    n_p99(all.reordered, &all.n_reordering.counts)
}

/// Returns the 99th percentile of n over the `reordered` packets, and whether it is a lower
/// bound. `counts` holds n = 1, 2 and so on; its last entry counts all larger n.
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
