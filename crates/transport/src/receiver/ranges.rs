//! Ranges received beyond a hole: sorted, disjoint, never touching.

use sidestep_types::SackBlocks;

#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
struct Range {
    start: u64,
    end: u64,
    /// Number of the arrival that last extended or hit it.
    touched: u64,
}

/// Byte ranges that wait for a hole to fill.
#[derive(Clone, Debug, Default, serde::Serialize, serde::Deserialize)]
pub(crate) struct Ranges {
    sorted: Vec<Range>,
    arrivals: u64,
}

impl Ranges {
    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.sorted.is_empty()
    }

    /// Adds `[start, end)`, merged with the ranges it overlaps or touches.
    pub(crate) fn insert(&mut self, start: u64, end: u64) {
        self.arrivals += 1;
        let first = self.sorted.partition_point(|r| r.end < start);
        let touching = self.sorted[first..].iter();
        let last = first + touching.take_while(|r| r.start <= end).count();
        let mut merged = Range {
            start,
            end,
            touched: self.arrivals,
        };
        if first == last {
            self.sorted.insert(first, merged);
            return;
        }
        merged.start = start.min(self.sorted[first].start);
        merged.end = end.max(self.sorted[last - 1].end);
        self.sorted[first] = merged;
        self.sorted.drain(first + 1..last);
    }

    /// Removes all ranges that `next` now reaches; returns the end of the last, or `next`.
    pub(crate) fn take_from(&mut self, next: u64) -> u64 {
        let reached = self.sorted.iter().take_while(|r| r.start <= next).count();
        let end = self.sorted[..reached].last().map_or(next, |r| r.end);
        self.sorted.drain(..reached);
        end.max(next)
    }

    /// Returns true if all of `[start, end)` has arrived.
    pub(crate) fn holds(&self, start: u64, end: u64) -> bool {
        self.sorted.iter().any(|r| r.start <= start && end <= r.end)
    }

    /// Returns the first part of `[start, end)` that has arrived.
    pub(super) fn shared(&self, start: u64, end: u64) -> Option<(u64, u64)> {
        let range = self.sorted.iter().find(|r| r.end > start)?;
        (range.start < end).then(|| (range.start.max(start), range.end.min(end)))
    }

    /// Returns the SACK blocks: the range with the newest arrival first, then the next newest (RFC 2018 section
    /// 4).
    pub(super) fn blocks(&self, next: u64) -> SackBlocks {
        let mut newest: [Option<&Range>; 3] = [None; 3];
        for range in &self.sorted {
            let older = |n: &Option<&Range>| n.is_none_or(|n| n.touched < range.touched);
            if let Some(at) = newest.iter().position(older) {
                newest[at..].rotate_right(1);
                newest[at] = Some(range);
            }
        }
        let mut blocks = SackBlocks::NONE;
        for range in newest.into_iter().flatten() {
            let relative = (
                u32::try_from(range.start.saturating_sub(next)),
                u32::try_from(range.end.saturating_sub(next)),
            );
            if let (Ok(start), Ok(end)) = relative {
                blocks.push(start, end);
            }
        }
        blocks
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn listed(ranges: &Ranges) -> Vec<(u64, u64)> {
        ranges.sorted.iter().map(|r| (r.start, r.end)).collect()
    }

    #[test]
    fn overlapping_and_touching_ranges_merge() {
        let mut r = Ranges::default();
        for (start, end) in [(50, 60), (10, 20), (30, 40), (20, 25), (24, 50)] {
            r.insert(start, end);
        }
        assert_eq!(listed(&r), [(10, 60)]);
        r.insert(70, 80);
        r.insert(65, 90);
        r.insert(72, 73);
        assert_eq!(listed(&r), [(10, 60), (65, 90)]);
    }

    #[test]
    fn the_three_newest_blocks_are_reported_newest_first() {
        let mut r = Ranges::default();
        for start in [100, 300, 200, 400] {
            r.insert(start, start + 10);
        }
        let blocks = |r: &Ranges| r.blocks(50).iter().collect::<Vec<_>>();
        assert_eq!(blocks(&r), [(350, 360), (150, 160), (250, 260)]);
        r.insert(100, 110); // a duplicate is news of where it landed
        assert_eq!(blocks(&r), [(50, 60), (350, 360), (150, 160)]);
    }

    #[test]
    fn what_a_filled_hole_reaches_is_given_up() {
        let mut r = Ranges::default();
        r.insert(10, 20);
        r.insert(30, 40);
        assert_eq!(r.take_from(5), 5);
        assert_eq!(r.take_from(15), 20);
        assert_eq!(listed(&r), [(30, 40)]);
        assert_eq!(r.take_from(100), 100);
        assert!(r.is_empty());
    }
}
