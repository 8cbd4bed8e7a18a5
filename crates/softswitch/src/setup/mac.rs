//! Ethernet addresses.

use std::fmt;
use std::str::FromStr;

/// An Ethernet address.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Mac(pub [u8; 6]);

impl Mac {
    /// Broadcast address.
    pub const BROADCAST: Mac = Mac([0xff; 6]);

    /// Returns true for a group address, broadcast included.
    #[inline]
    pub const fn is_group(self) -> bool {
        self.0[0] & 1 == 1
    }

    /// Returns true for an address that IEEE 802.1D (7.12.6) forbids a bridge to forward: spanning tree, pause
    /// frames, LLDP.
    #[inline]
    pub const fn is_link_local(self) -> bool {
        matches!(self.0, [0x01, 0x80, 0xc2, 0, 0, 0..=0x0f])
    }

    /// Returns the address as a number, for tables.
    #[inline]
    pub const fn bits(self) -> u64 {
        let [a, b, c, d, e, f] = self.0;
        u64::from_be_bytes([0, 0, a, b, c, d, e, f])
    }
}

impl fmt::Display for Mac {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [a, b, c, d, e, g] = self.0;
        write!(f, "{a:02x}:{b:02x}:{c:02x}:{d:02x}:{e:02x}:{g:02x}")
    }
}

impl fmt::Debug for Mac {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for Mac {
    type Err = String;

    /// Reads six pairs of hexadecimal digits with colons. The error says what was expected.
    fn from_str(text: &str) -> Result<Mac, String> {
        let refuse = || format!("expected a MAC like \"02:00:00:00:00:01\", got {text:?}");
        let mut bytes = [0; 6];
        let mut parts = text.trim().split(':');
        for byte in &mut bytes {
            let part = parts.next().ok_or_else(refuse)?;
            let digits = part.len() == 2 && part.bytes().all(|b| b.is_ascii_hexdigit());
            *byte = u8::from_str_radix(part, 16).map_err(|_| refuse())?;
            if !digits {
                return Err(refuse());
            }
        }
        match parts.next() {
            None => Ok(Mac(bytes)),
            Some(_) => Err(refuse()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_reads_what_it_prints_and_nothing_else() {
        let mac = Mac([2, 0, 0xab, 0, 0xff, 1]);
        assert_eq!(mac.to_string(), "02:00:ab:00:ff:01");
        assert_eq!(mac.to_string().parse(), Ok(mac));
        for bad in [
            "",
            "02:00:00:00:00",
            "02:00:00:00:00:01:02",
            "2:0:0:0:0:1",
            "+2:00:00:00:00:01",
            "x",
        ] {
            assert!(bad.parse::<Mac>().is_err(), "{bad:?}");
        }
    }

    #[test]
    fn groups_and_the_addresses_of_bridges_are_known() {
        assert!(Mac::BROADCAST.is_group() && Mac([0x33, 0x33, 0, 0, 0, 1]).is_group());
        assert!(!Mac([2, 0, 0, 0, 0, 1]).is_group());
        assert!(Mac([1, 0x80, 0xc2, 0, 0, 0x0e]).is_link_local());
        assert!(!Mac([1, 0x80, 0xc2, 0, 0, 0x10]).is_link_local());
    }
}
