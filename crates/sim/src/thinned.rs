//! Sample of bounded size: it keeps every value at first, then every second, fourth …
//!
//! **Decision**     when it is full, every second value is removed, and from then on every second
//!                  new value is left out as well: kept are the first value offered and then each
//!                  `every`-th.
//! **Units**        those of the values.
//! **Deviations**   none from a whole sample until it is full; then quantiles have the error of a
//!                  systematic sample.

/// Values kept of those offered.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Thinned<T> {
    values: Vec<T>,
    most: usize,
    every: u64,
    offered: u64,
}

impl<T: Copy> Thinned<T> {
    /// Returns an empty sample of at most `most` values, which is even and above 0.
    pub fn new(most: usize) -> Thinned<T> {
        assert!(
            most > 0 && most.is_multiple_of(2),
            "an even number of values"
        );
        Thinned {
            values: Vec::new(),
            most,
            every: 1,
            offered: 0,
        }
    }

    /// Offers a value; it is kept if it is its turn.
    pub fn offer(&mut self, value: T) {
        let turn = self.offered.is_multiple_of(self.every);
        if turn && self.values.len() == self.most {
            let mut place = 0;
            self.values.retain(|_| {
                place += 1;
                place % 2 == 1
            });
            self.every *= 2;
            // Because `most` is even, the turn after the last value kept is this one.
            debug_assert!(self.offered.is_multiple_of(self.every));
        }
        if turn {
            self.values.push(value);
        }
        self.offered += 1;
    }

    /// Returns the number of values offered, kept or not.
    pub fn offered(&self) -> u64 {
        self.offered
    }

    /// Returns true if any value was left out.
    pub fn is_thinned(&self) -> bool {
        self.every > 1
    }

    /// Returns the values kept, in the order in which they were offered.
    pub fn into_values(self) -> Vec<T> {
        self.values
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(most: usize, offered: u64) -> Thinned<u64> {
        let mut all = Thinned::new(most);
        (0..offered).for_each(|value| all.offer(value));
        all
    }

    #[test]
    fn what_fits_is_whole_and_what_does_not_is_each_nth() {
        let whole = of(6, 6);
        assert!(!whole.is_thinned());
        assert_eq!(whole.into_values(), [0, 1, 2, 3, 4, 5]);
        let one_more = of(6, 7);
        assert!(one_more.is_thinned());
        assert_eq!(one_more.into_values(), [0, 2, 4, 6]);
        for offered in 1..500 {
            let kept = of(8, offered);
            assert_eq!(kept.offered(), offered);
            let every = kept.every;
            let values = kept.into_values();
            assert!(values.len() <= 8 && (every == 1 || values.len() > 4));
            let expected: Vec<u64> = (0..offered).filter(|v| v % every == 0).collect();
            assert_eq!(values, expected, "of {offered}");
        }
    }
}
