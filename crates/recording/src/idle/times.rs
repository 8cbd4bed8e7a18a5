//! Times of a flow's segments: along one path, through two links in turn, across a cut.

use super::cut::Across;
use super::{Hop, Segments};

/// Returns the completion time along one path, ps.
///
/// Segment j leaves link i after it has arrived there and segment j - 1 has left. All segments but the last are
/// equal, so the longest chain of waits goes link by link with the first segment, waits for the rest at the
/// slowest link so far, and continues with the last one: the largest over i of `f(1..=i) + (n - 2) max f(1..=i) +
/// l(i..)`, where `f` and `l` are the times of a full and of the last segment on the links.
pub fn along(path: &[Hop], flow: Segments) -> u128 {
    let rest = |from: usize| {
        path[from..]
            .iter()
            .map(|hop| hop.sent(flow.last))
            .sum::<u128>()
    };
    let delay: u128 = path.iter().map(|hop| u128::from(hop.delay_ps)).sum();
    if flow.count == 1 {
        return delay + rest(0);
    }
    let (mut along, mut slowest, mut longest) = (0, 0, 0);
    for (i, hop) in path.iter().enumerate() {
        let one = hop.sent(flow.full);
        along += one;
        slowest = one.max(slowest);
        longest = longest.max(along + slowest * u128::from(flow.count - 2) + rest(i));
    }
    delay + longest
}

/// Returns the least completion time, ps, of at least two segments that all leave over `first` and arrive over
/// `last`. Between the two, a full segment takes `lags[0]`, the last one `lags[1]`, and none waits for another.
///
/// Full segment i of m can start on `last` at `r(i) = i f + lag`, the last one at `m f + l + lag`. A link that
/// never idles while one can start ends when, after some start, all that start no earlier have been sent.
pub fn in_turn(first: Hop, last: Hop, lags: [u128; 2], flow: Segments) -> u128 {
    let m = u128::from(flow.count - 1);
    let sent = |bytes| [first.sent(bytes), last.sent(bytes)];
    let ([first_full, last_full], [first_short, last_short]) = (sent(flow.full), sent(flow.last));
    let full = |i: u128| i * first_full + lags[0];
    let short = m * first_full + first_short + lags[1];
    // Full segments that can start before the short one, and by the same time.
    let before = |at: Option<u128>| match at {
        Some(at) if first_full > 0 => (at / first_full).min(m),
        Some(_) => m,
        None => 0,
    };
    let by = before(short.checked_sub(lags[0]));
    let earlier = before(short.checked_sub(lags[0] + 1));
    let mut end = short + last_short + (m - earlier) * last_full;
    for i in [1, by, by + 1, m] {
        if (1..=m).contains(&i) {
            let after = if short >= full(i) { last_short } else { 0 };
            end = end.max(full(i) + (m - i + 1) * last_full + after);
        }
    }
    end + u128::from(first.delay_ps) + u128::from(last.delay_ps)
}

/// Returns the least completion time, ps, of at least two segments that all cross one of the links of `cut`, between
/// the links `first` and `last` of the hosts.
///
/// Within T, a link that takes `t` for a full segment carries (T - a) / t of them, rounded down, where `a` is the
/// time to the link and from it to the end: T is the least for which all links together carry them all. If the
/// cut is a single link, the last segment crosses it as well.
pub fn across(first: Hop, last: Hop, cut: &[Across], flow: Segments) -> u128 {
    let m = u128::from(flow.count - 1);
    let of_link = |link: &Across| {
        let before = link.before.fastest(flow.full).time(flow.full);
        let after = link.after.fastest(flow.full).time(flow.full);
        let ends = first.crossed(flow.full) + last.crossed(flow.full);
        let fixed = ends + before + after + u128::from(link.hop.delay_ps);
        (
            fixed,
            link.hop.sent(flow.full).max(1),
            u128::from(link.count),
        )
    };
    let links: Vec<_> = cut.iter().map(of_link).collect();
    let carried = |within: u128| {
        let each = links.iter();
        each.map(|(fixed, one, count)| count * (within.saturating_sub(*fixed) / one))
            .sum::<u128>()
    };
    let enough = links.iter().map(|(fixed, one, _)| fixed + m * one).min();
    let (mut low, mut high) = (0, enough.unwrap_or(0));
    while low < high {
        let middle = low + (high - low) / 2;
        if carried(middle) >= m {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    match cut {
        [link] if link.count == 1 => {
            let time = |bytes| link.before.fastest(bytes).time(bytes);
            let lags = [time(flow.full), time(flow.last)];
            let after = link.after.fastest(flow.last).time(flow.last);
            let tail = after + last.crossed(flow.last);
            high.max(in_turn(first, link.hop, lags, flow) + tail)
        }
        _ => high,
    }
}
