//! Minimum of several loads, with a tie-break that hardware can follow.

/// Returns the index of the smallest of `many` loads. Among equal loads, the first at or after index `from`
/// wins, cyclically.
///
/// If `from` is the index behind the last choice, equal next hops take turns; with 0 the first wins. Next hops
/// are in the order of their ports, so hardware that keeps ports picks, among the smallest, the lowest port
/// above the last choice, else the lowest. `from` may be `many`, which is the same as 0.
#[inline]
pub(crate) fn least(many: usize, from: usize, mut load: impl FnMut(usize) -> u32) -> usize {
    let from = if from < many { from } else { 0 };
    let (mut best, mut fewest) = (from, load(from));
    let mut look = |at: usize| {
        let load = load(at);
        if load < fewest {
            (best, fewest) = (at, load);
        }
    };
    (from + 1..many).for_each(&mut look);
    (0..from).for_each(&mut look);
    best
}
