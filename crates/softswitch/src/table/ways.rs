//! Numbers of port lists and table entries, by which a stateful route stores its state.

use sidestep_switch::Hops;
use sidestep_types::PortId;
use std::collections::HashMap;

/// Ports toward one entry of the table, one or more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ways {
    ports: Box<[PortId]>,
    set: u32,
    prefix: u32,
}

impl Ways {
    /// Returns the ports in the form that a route receives.
    #[inline]
    pub fn hops(&self) -> Hops<'_> {
        Hops {
            ports: &self.ports,
            set: self.set,
            prefix: self.prefix,
        }
    }
}

/// Assignment of numbers. A list of one port has the port's number; other lists follow in order of appearance.
/// Entries are numbered from the number of ports on: lower numbers stand for addresses without an entry.
#[derive(Debug)]
pub struct Numbering {
    sets: HashMap<Box<[PortId]>, u32>,
    next_set: u32,
    next_prefix: u32,
}

impl Numbering {
    /// Returns the numbering for a switch with `ports` ports.
    pub fn new(ports: u16) -> Numbering {
        Numbering {
            sets: HashMap::new(),
            next_set: u32::from(ports),
            next_prefix: u32::from(ports),
        }
    }

    /// Adds an entry whose frames leave by one of `ports`.
    pub fn entry(&mut self, ports: &[PortId]) -> Ways {
        let set = match ports {
            [only] => u32::from(only.0),
            _ => *self.sets.entry(ports.into()).or_insert_with(|| {
                self.next_set += 1;
                self.next_set - 1
            }),
        };
        self.next_prefix += 1;
        Ways {
            ports: ports.into(),
            set,
            prefix: self.next_prefix - 1,
        }
    }
}

/// Returns the next hop for an address at `port` without an entry.
#[inline]
pub fn only(port: &PortId) -> Hops<'_> {
    Hops {
        ports: std::slice::from_ref(port),
        set: u32::from(port.0),
        prefix: u32::from(port.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_lists_share_a_number_and_entries_do_not() {
        let [a, b, c] = [0, 1, 2].map(PortId);
        let mut numbering = Numbering::new(3);
        let mut entry = |ports: &[PortId]| {
            let ways = numbering.entry(ports);
            let hops = ways.hops();
            assert_eq!(hops.ports, ports);
            (hops.set, hops.prefix)
        };
        assert_eq!(entry(&[b, c]), (3, 3));
        assert_eq!(entry(&[b]), (1, 4));
        assert_eq!(entry(&[a, b]), (4, 5));
        assert_eq!(entry(&[b, c]), (3, 6));
        assert_eq!((only(&b).set, only(&b).prefix), (1, 1));
    }
}
