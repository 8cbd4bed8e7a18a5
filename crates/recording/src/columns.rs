//! Columns of numbers. Each number uses as few bytes as it needs, least significant first.

use crate::event::Coding;

/// Appends a number in groups of 7 bits, least significant group first. The eighth bit is set if more groups
/// follow (LEB128).
#[inline]
pub(crate) fn put(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// Encodes a signed difference as an unsigned number that is small if the difference is near 0.
#[inline]
pub(crate) fn zigzag(from: u64, to: u64) -> u64 {
    let difference = to.wrapping_sub(from) as i64;
    (difference << 1 ^ difference >> 63) as u64
}

/// Decodes the output of [`zigzag`].
#[inline]
pub(crate) fn unzigzag(from: u64, coded: u64) -> u64 {
    let difference = (coded >> 1) as i64 ^ -((coded & 1) as i64);
    from.wrapping_add(difference as u64)
}

/// Largest number of fields of an event.
const MOST_FIELDS: usize = 7;

/// Columns of one kind of event, to which the values of events are appended.
pub(crate) struct Columns {
    before: [u64; MOST_FIELDS],
    pub bytes: [Vec<u8>; MOST_FIELDS],
}

impl Columns {
    pub fn new() -> Columns {
        Columns {
            before: [0; MOST_FIELDS],
            bytes: Default::default(),
        }
    }

    /// Appends `value` to column `at` of an event whose first value is `first`.
    #[inline]
    pub fn push(&mut self, at: usize, coding: Coding, first: u64, value: u64) {
        let coded = match coding {
            Coding::Plain => value,
            Coding::Delta => zigzag(std::mem::replace(&mut self.before[at], value), value),
            Coding::First => zigzag(first, value),
        };
        put(&mut self.bytes[at], coded);
    }

    /// Clears all columns and keeps their capacity.
    pub fn clear(&mut self) {
        self.before.fill(0);
        self.bytes.iter_mut().for_each(Vec::clear);
    }
}

/// Cursor that reads one number after another.
pub(crate) struct Cursor<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Cursor<'a> {
    pub fn new(bytes: &'a [u8]) -> Cursor<'a> {
        Cursor { bytes, at: 0 }
    }

    /// Returns the position of the cursor, bytes.
    pub fn at(&self) -> usize {
        self.at
    }

    /// Returns the number of bytes left.
    pub fn left(&self) -> usize {
        self.bytes.len() - self.at
    }

    /// Reads the next `n` bytes; `None` if fewer are left.
    pub fn take(&mut self, n: usize) -> Option<&'a [u8]> {
        let taken = self.bytes.get(self.at..self.at.checked_add(n)?)?;
        self.at += n;
        Some(taken)
    }

    /// Reads the next number; `None` if the bytes end first or the number has more than 64 bits.
    #[inline]
    pub fn number(&mut self) -> Option<u64> {
        let mut value = 0u64;
        for shift in (0..64).step_by(7) {
            let byte = *self.bytes.get(self.at)?;
            self.at += 1;
            let bits = u64::from(byte & 0x7f);
            if shift == 63 && bits > 1 {
                return None;
            }
            value |= bits << shift;
            if byte & 0x80 == 0 {
                return Some(value);
            }
        }
        None
    }

    /// Reads the next `n` values of a column.
    pub fn column(&mut self, coding: Coding, n: usize, first: &[u64]) -> Option<Vec<u64>> {
        let mut before = 0;
        let mut values = Vec::with_capacity(n);
        for i in 0..n {
            let coded = self.number()?;
            let value = match coding {
                Coding::Plain => coded,
                Coding::Delta => unzigzag(before, coded),
                Coding::First => unzigzag(*first.get(i)?, coded),
            };
            before = value;
            values.push(value);
        }
        Some(values)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_comes_back() {
        let numbers = [0, 1, 127, 128, 16383, 16384, u64::MAX / 2, u64::MAX];
        let mut out = Vec::new();
        numbers.iter().for_each(|n| put(&mut out, *n));
        let mut cursor = Cursor::new(&out);
        for n in numbers {
            assert_eq!(cursor.number(), Some(n));
        }
        assert_eq!((cursor.number(), cursor.left()), (None, 0));
        for from in numbers {
            for to in numbers {
                assert_eq!(unzigzag(from, zigzag(from, to)), to);
            }
        }
        assert_eq!((zigzag(5, 5), zigzag(5, 4), zigzag(5, 6)), (0, 1, 2));
    }

    #[test]
    fn a_number_of_more_than_64_bits_is_none() {
        assert_eq!(Cursor::new(&[0xff; 11]).number(), None);
        let mut large = [0xff; 10];
        large[9] = 2;
        assert_eq!(Cursor::new(&large).number(), None);
    }
}
