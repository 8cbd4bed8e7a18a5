//! Prefix table with longest match.
//!
//! **Decision**     one table for each length present, searched from the longest down.
//! **Errors**       none; bits of a prefix beyond its length are cleared.
//! **Source**       Waldvogel et al., SIGCOMM 1997, searched in order instead of by halves: a config has a
//!                  handful of lengths.

use super::Mixed;
use std::collections::HashMap;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Values of prefixes, of both families.
#[derive(Debug)]
pub struct Prefixes<T> {
    v4: Vec<(u8, HashMap<u32, T, Mixed>)>,
    v6: Vec<(u8, HashMap<u128, T, Mixed>)>,
    mixed: Mixed,
}

impl<T> Prefixes<T> {
    /// Returns an empty table; for `salt` see [`Mixed`].
    pub fn new(salt: u64) -> Prefixes<T> {
        Prefixes {
            v4: Vec::new(),
            v6: Vec::new(),
            mixed: Mixed::new(salt),
        }
    }

    /// Adds or replaces a prefix.
    pub fn insert(&mut self, prefix: IpAddr, length: u8, value: T) {
        let mixed = self.mixed;
        match masked(prefix, length) {
            IpAddr::V4(ip) => of_length(&mut self.v4, length, mixed).insert(ip.to_bits(), value),
            IpAddr::V6(ip) => of_length(&mut self.v6, length, mixed).insert(ip.to_bits(), value),
        };
    }

    /// Returns the value of the longest prefix of `ip`.
    pub fn longest(&self, ip: IpAddr) -> Option<&T> {
        match ip {
            IpAddr::V4(ip) => self
                .v4
                .iter()
                .find_map(|(length, table)| table.get(&(ip.to_bits() & mask_v4(*length)))),
            IpAddr::V6(ip) => self
                .v6
                .iter()
                .find_map(|(length, table)| table.get(&(ip.to_bits() & mask_v6(*length)))),
        }
    }
}

/// Returns the table of `length`; tables are sorted by falling length.
fn of_length<K, T>(
    tables: &mut Vec<(u8, HashMap<K, T, Mixed>)>,
    length: u8,
    mixed: Mixed,
) -> &mut HashMap<K, T, Mixed> {
    let at = tables.partition_point(|(other, _)| *other > length);
    if tables.get(at).is_none_or(|(other, _)| *other != length) {
        tables.insert(at, (length, HashMap::with_hasher(mixed)));
    }
    &mut tables[at].1
}

fn mask_v4(length: u8) -> u32 {
    u32::MAX
        .checked_shl(32 - u32::from(length.min(32)))
        .unwrap_or(0)
}

fn mask_v6(length: u8) -> u128 {
    u128::MAX
        .checked_shl(128 - u32::from(length.min(128)))
        .unwrap_or(0)
}

/// Returns `address` with all bits beyond its first `length` cleared.
pub fn masked(address: IpAddr, length: u8) -> IpAddr {
    match address {
        IpAddr::V4(ip) => Ipv4Addr::from_bits(ip.to_bits() & mask_v4(length)).into(),
        IpAddr::V6(ip) => Ipv6Addr::from_bits(ip.to_bits() & mask_v6(length)).into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ip(text: &str) -> IpAddr {
        text.parse().unwrap()
    }

    #[test]
    fn the_longest_prefix_wins_in_either_family() {
        let mut table = Prefixes::new(7);
        for (n, (prefix, length)) in [
            ("0.0.0.0", 0),
            ("10.0.0.0", 8),
            ("10.1.0.0", 16),
            ("10.1.2.3", 32),
            ("fd77::", 16),
            ("fd77:1::", 32),
        ]
        .into_iter()
        .enumerate()
        {
            table.insert(ip(prefix), length, n);
        }
        let found = |text| table.longest(ip(text)).copied();
        assert_eq!(found("10.1.2.3"), Some(3));
        assert_eq!(found("10.1.2.4"), Some(2));
        assert_eq!(found("10.2.2.4"), Some(1));
        assert_eq!(found("11.0.0.1"), Some(0));
        assert_eq!(found("fd77:1::5"), Some(5));
        assert_eq!(found("fd77:2::5"), Some(4));
        assert_eq!(found("fd78::1"), None, "no default in this family");
    }

    proptest::proptest! {
        #[test]
        fn a_search_through_all_prefixes_finds_the_same(
            prefixes in proptest::collection::vec((0u32..64, 0u8..=32), 1..20), asked in 0u32..64,
        ) {
            // Addresses that differ in their first and last bits.
            let spread = |bits: u32| IpAddr::from(Ipv4Addr::from_bits(bits << 29 | bits));
            let mut table = Prefixes::new(1);
            let mut all: Vec<(IpAddr, u8)> = Vec::new();
            for (bits, length) in prefixes {
                let prefix = masked(spread(bits), length);
                table.insert(prefix, length, (prefix, length));
                all.push((prefix, length));
            }
            let fits = all.iter().filter(|(prefix, length)| masked(spread(asked), *length) == *prefix);
            let best = fits.max_by_key(|(_, length)| *length);
            proptest::prop_assert_eq!(table.longest(spread(asked)), best);
        }
    }
}
