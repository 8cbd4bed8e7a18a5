//! Reading of rows, and parts shared by the second implementations.

#![allow(dead_code, missing_docs)]

use sidestep_vectors::{Row, Seed, tables_named};

/// Returns the rows of the shipped table of this full name.
pub fn shipped(name: &str) -> Vec<Row> {
    let table = tables_named(name).pop().expect("it has a table");
    let rows = table.rows(Seed(1));
    rows.take(table.shipped_rows() as usize).collect()
}

pub fn cell<'a>(row: &'a Row, column: &str) -> &'a str {
    row.cell(column).expect("the table has it")
}

pub fn number(row: &Row, column: &str) -> u64 {
    let text = cell(row, column);
    text.parse()
        .unwrap_or_else(|_| panic!("{column} is {text:?}: {row:?}"))
}

/// Returns the value of `param` in the settings of a row, or its default.
pub fn setting<'a>(row: &'a Row, param: &str, default: &'a str) -> &'a str {
    let words = cell(row, "settings").split("; ");
    let mut found = words.filter_map(|word| word.split_once('='));
    found
        .find(|(name, _)| *name == param)
        .map_or(default, |(_, text)| text)
}

fn fraction(text: &str) -> (u128, u128) {
    let (above, below) = text.split_once('/').unwrap_or((text, "1"));
    (above.parse().unwrap(), below.parse().unwrap())
}

/// Returns the size that a message of `size` bytes announces.
pub fn announced(row: &Row, flow: u64, size: u64) -> u64 {
    let share = fraction(setting(row, "announce_share", "1"));
    let factor = fraction(setting(row, "announce", "1"));
    let chosen = u128::from(mix64(flow)) * share.1 < share.0 << 64;
    let scaled = (u128::from(size) * factor.0).div_ceil(factor.1);
    if chosen { scaled as u64 } else { size }
}

/// Mixer of docs/reference/vectors.md, with numbers that cannot overflow.
pub fn mix64(x: u64) -> u64 {
    const ALL: u128 = 1 << 64;
    let times = |a: u64, b: u128| (u128::from(a) * b % ALL) as u64;
    let z = ((u128::from(x) + 0x9e37_79b9_7f4a_7c15) % ALL) as u64;
    let z = times(z ^ z >> 30, 0xbf58_476d_1ce4_e5b9);
    let z = times(z ^ z >> 27, 0x94d0_49bb_1331_11eb);
    z ^ z >> 31
}

/// Cuckoo filter of docs/reference/vectors.md.
pub struct Filter {
    buckets: Vec<[u64; 4]>,
    bits: u64,
    turns: usize,
}

impl Filter {
    pub fn new(places: u64, bits: u64) -> Filter {
        Filter {
            buckets: vec![[0; 4]; (places as usize).div_ceil(4)],
            bits,
            turns: 0,
        }
    }

    /// Returns the fingerprint of a key, and its buckets.
    fn of(&self, key: u64) -> (u64, [usize; 2]) {
        let print = (key % (1 << self.bits)).max(1);
        let one = (u128::from(key >> 32) * self.buckets.len() as u128 / (1 << 32)) as usize;
        (print, [one, self.beside(one, print)])
    }

    fn beside(&self, bucket: usize, print: u64) -> usize {
        let n = self.buckets.len() as i128;
        (i128::from(mix64(print)) - bucket as i128).rem_euclid(n) as usize
    }

    pub fn holds(&self, key: u64) -> bool {
        let (print, two) = self.of(key);
        two.into_iter()
            .any(|bucket| self.buckets[bucket].contains(&print))
    }

    fn place(&mut self, bucket: usize, print: u64) -> bool {
        let free = self.buckets[bucket].iter().position(|place| *place == 0);
        free.map(|at| self.buckets[bucket][at] = print).is_some()
    }

    pub fn put_in(&mut self, key: u64) -> bool {
        let (mut print, [one, two]) = self.of(key);
        if self.place(one, print) || self.place(two, print) {
            return true;
        }
        let before = self.buckets.clone();
        let mut bucket = one;
        for _ in 0..500 {
            let taken = std::mem::replace(&mut self.buckets[bucket][self.turns % 4], print);
            self.turns += 1;
            (print, bucket) = (taken, self.beside(bucket, taken));
            if self.place(bucket, print) {
                return true;
            }
        }
        self.buckets = before;
        false
    }

    pub fn take_out(&mut self, key: u64) {
        let (print, two) = self.of(key);
        for bucket in two {
            if let Some(at) = self.buckets[bucket]
                .iter()
                .position(|place| *place == print)
            {
                self.buckets[bucket][at] = 0;
                return;
            }
        }
    }
}
