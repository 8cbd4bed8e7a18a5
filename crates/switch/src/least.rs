//! The least of several loads, with a rule for equal ones that hardware can follow.

/// Of `many` loads the place of the least: of equal ones the first from place `from` on, cyclically.
///
/// With `from` the place behind the one last taken, equal next hops take turns; with 0 the first is taken.
/// Next hops are in the order of their ports, so hardware that keeps ports asks: of the least, the lowest port
/// above the one last taken, else the lowest. `from` may be `many`, which is the same as 0.
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
