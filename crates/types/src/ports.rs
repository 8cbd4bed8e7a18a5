//! Ports of a switch, and sets of them.

use std::fmt;
use std::ops::BitAnd;

/// Number of a port of a switch, from zero.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct PortId(pub u16);

impl PortId {
    /// Returns the number as an index.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

const WORDS: usize = 4;

/// Set of at most [`PortSet::CAPACITY`] ports of one switch, as a bitmap like in hardware.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct PortSet([u64; WORDS]);

impl PortSet {
    /// Most ports of a switch.
    pub const CAPACITY: usize = WORDS * 64;
    /// Empty set.
    pub const EMPTY: PortSet = PortSet([0; WORDS]);

    /// Adds `port`. Panics at [`PortSet::CAPACITY`] and above.
    pub fn insert(&mut self, port: PortId) {
        self.0[port.index() / 64] |= 1 << (port.index() % 64);
    }

    /// Removes `port`.
    pub fn remove(&mut self, port: PortId) {
        self.0[port.index() / 64] &= !(1 << (port.index() % 64));
    }

    /// Returns true if `port` is in the set.
    pub fn has(self, port: PortId) -> bool {
        self.0[port.index() / 64] >> (port.index() % 64) & 1 == 1
    }

    /// Returns the number of ports in the set.
    #[inline]
    pub fn len(self) -> u32 {
        // Most switches have all their ports in the first word.
        let ones = |word: u64| if word == 0 { 0 } else { word.count_ones() };
        self.0.into_iter().map(ones).sum()
    }

    /// Returns the ports for which `keep` returns true. Calls it in rising order of ports.
    #[inline(always)]
    pub fn filter(self, mut keep: impl FnMut(PortId) -> bool) -> PortSet {
        let mut kept = PortSet::EMPTY;
        for (w, (&word, kept)) in self.0.iter().zip(&mut kept.0).enumerate() {
            let (mut left, mut here) = (word, 0);
            while left != 0 {
                let bit = left.trailing_zeros();
                // No branch: whether a queue has room is unpredictable.
                here |= u64::from(keep(PortId((w * 64) as u16 + bit as u16))) << bit;
                left &= left - 1;
            }
            *kept = here;
        }
        kept
    }

    /// Returns true if the set is empty.
    pub fn is_empty(self) -> bool {
        self == PortSet::EMPTY
    }

    /// Returns the `n`-th port of the set in rising order, counted from zero.
    #[inline]
    pub fn nth(self, n: u32) -> Option<PortId> {
        let mut left = n;
        for (w, &word) in self.0.iter().enumerate() {
            if word == 0 {
                continue;
            }
            let here = word.count_ones();
            if left >= here {
                left -= here;
                continue;
            }
            let mut bits = word;
            for _ in 0..left {
                bits &= bits - 1;
            }
            return Some(PortId((w * 64) as u16 + bits.trailing_zeros() as u16));
        }
        None
    }

    /// Iterates over the ports in rising order.
    pub fn iter(self) -> impl Iterator<Item = PortId> {
        (0..self.len()).map_while(move |n| self.nth(n))
    }
}

impl BitAnd for PortSet {
    type Output = PortSet;
    fn bitand(self, other: PortSet) -> PortSet {
        PortSet(std::array::from_fn(|w| self.0[w] & other.0[w]))
    }
}

impl FromIterator<PortId> for PortSet {
    fn from_iter<I: IntoIterator<Item = PortId>>(ports: I) -> PortSet {
        let mut set = PortSet::EMPTY;
        ports.into_iter().for_each(|p| set.insert(p));
        set
    }
}

impl fmt::Debug for PortSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter().map(|p| p.0)).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nth_walks_the_set_in_rising_order_across_words() {
        let ports = [0, 5, 63, 64, 130, 255].map(PortId);
        let set: PortSet = ports.into_iter().collect();
        assert_eq!(set.len(), 6);
        assert_eq!(set.iter().collect::<Vec<_>>(), ports);
        assert_eq!(set.nth(6), None);
        assert!(set.has(PortId(64)) && !set.has(PortId(65)));
    }

    #[test]
    fn filter_asks_for_each_once_in_rising_order_and_keeps_what_holds() {
        let ports = [0, 5, 63, 64, 130, 255].map(PortId);
        let set: PortSet = ports.into_iter().collect();
        let mut asked = Vec::new();
        let kept = set.filter(|port| {
            asked.push(port);
            port.0 % 5 == 0
        });
        assert_eq!(asked, ports);
        assert_eq!(
            kept.iter().map(|p| p.0).collect::<Vec<_>>(),
            [0, 5, 130, 255]
        );
    }

    #[test]
    fn and_keeps_what_both_hold() {
        let a: PortSet = [1, 2, 70].map(PortId).into_iter().collect();
        let b: PortSet = [2, 70, 71].map(PortId).into_iter().collect();
        assert_eq!((a & b).iter().map(|p| p.0).collect::<Vec<_>>(), [2, 70]);
    }
}
