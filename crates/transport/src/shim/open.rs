//! Per-flow state of a shim: a table with one look-up per packet and few comparisons of keys.

use sidestep_types::FlowId;

/// Table by flow. Nothing iterates over it, so its order has no effect.
#[derive(Debug, serde::Serialize, serde::Deserialize)]
pub(super) struct Open<T> {
    /// Slots: at least twice as many as flows, and a power of two. A flow is at the slot that its number gives
    /// or, if that is taken, at the next free one.
    places: Vec<Option<(FlowId, T)>>,
    many: usize,
}

impl<T> Open<T> {
    pub fn new() -> Open<T> {
        Open {
            places: std::iter::repeat_with(|| None).take(8).collect(),
            many: 0,
        }
    }

    /// Returns the slot where the search for `flow` begins: consecutive numbers are far apart, whatever their
    /// stride.
    #[inline]
    fn home(&self, flow: FlowId) -> usize {
        let mixed = u64::from(flow.0).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        (mixed >> 32) as usize & (self.places.len() - 1)
    }

    #[inline]
    fn next(&self, at: usize) -> usize {
        (at + 1) & (self.places.len() - 1)
    }

    /// Returns the slot of `flow`, or the free slot where it would be.
    #[inline]
    fn place(&self, flow: FlowId) -> usize {
        let mut at = self.home(flow);
        while let Some((other, _)) = &self.places[at]
            && *other != flow
        {
            at = self.next(at);
        }
        at
    }

    /// Returns the state of `flow`, if it is open.
    #[inline]
    pub fn get_mut(&mut self, flow: FlowId) -> Option<&mut T> {
        let at = self.place(flow);
        self.places[at].as_mut().map(|(_, kept)| kept)
    }

    /// Returns the state of `flow`; opens it with `new` if it is not open.
    pub fn get_or_open(&mut self, flow: FlowId, new: impl FnOnce() -> T) -> &mut T {
        if 2 * (self.many + 1) > self.places.len() {
            self.grow();
        }
        let at = self.place(flow);
        let place = &mut self.places[at];
        self.many += usize::from(place.is_none());
        &mut place.get_or_insert_with(|| (flow, new())).1
    }

    fn grow(&mut self) {
        let twice = std::iter::repeat_with(|| None).take(2 * self.places.len());
        for place in std::mem::replace(&mut self.places, twice.collect()) {
            if let Some((flow, _)) = place {
                let at = self.place(flow);
                self.places[at] = place;
            }
        }
    }

    /// Removes `flow`.
    pub fn close(&mut self, flow: FlowId) {
        let mut hole = self.place(flow);
        if self.places[hole].take().is_none() {
            return;
        }
        self.many -= 1;
        // Each later entry whose search begins at the hole or before it moves into the hole (Knuth, volume 3,
        // 6.4, R).
        let mut at = self.next(hole);
        while let Some((other, _)) = &self.places[at] {
            let (home, mask) = (self.home(*other), self.places.len() - 1);
            if at.wrapping_sub(home) & mask >= at.wrapping_sub(hole) & mask {
                self.places.swap(hole, at);
                hole = at;
            }
            at = self.next(at);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    proptest::proptest! {
        #[test]
        fn it_keeps_what_a_map_keeps(
            steps in proptest::collection::vec((0u32..40, 0u8..4, 0u32..3), 1..400),
        ) {
            let (mut table, mut map) = (Open::new(), BTreeMap::new());
            for (n, (flow, what, stride)) in (0..).zip(steps) {
                // Numbers far apart share a first slot more often.
                let flow = FlowId(flow << (10 * stride));
                match what {
                    0 => {
                        table.close(flow);
                        map.remove(&flow);
                    }
                    1 => {
                        let kept = *table.get_or_open(flow, || n);
                        proptest::prop_assert_eq!(kept, *map.entry(flow).or_insert(n));
                    }
                    _ => {
                        proptest::prop_assert_eq!(table.get_mut(flow), map.get_mut(&flow));
                    }
                }
                proptest::prop_assert_eq!(table.many, map.len());
            }
            for (flow, kept) in map {
                proptest::prop_assert_eq!(table.get_mut(flow).copied(), Some(kept));
            }
        }
    }
}
