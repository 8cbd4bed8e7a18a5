//! Directed link: the line of the port that feeds it, and its far end.

use crate::layout::FarEnd;
use sidestep_switch::ports::Line;

const HOST_BIT: u32 = 1 << 31;

/// Fields of a link that a hop touches: one cache line.
#[derive(Clone, Copy, Debug, serde::Serialize, serde::Deserialize)]
#[repr(C, align(64))]
pub(crate) struct Link {
    /// Packets on the wire and in the queue before it.
    pub line: Line,
    /// Packets delivered.
    pub packets: u64,
    /// Bytes of link time of these packets.
    pub wire_bytes: u64,
    /// Far end. Not saved: it is an index, taken from the network.
    #[serde(skip)]
    far: u32,
    /// Index of its rate and delay in the fabric's wires.
    pub wire: u32,
}

impl Link {
    /// Returns an empty link that leads to `far`, with the fabric's `wire`-th rate and delay.
    pub fn new(far: FarEnd, wire: u32) -> Link {
        Link {
            line: Line::default(),
            packets: 0,
            wire_bytes: 0,
            far: match far {
                FarEnd::Host(h) => h | HOST_BIT,
                FarEnd::Switch(s) => s,
            },
            wire,
        }
    }

    /// Sets the far end to that of `as_laid`.
    pub fn lead_as(&mut self, as_laid: &Link) {
        self.far = as_laid.far;
    }

    /// Returns the far end.
    #[inline]
    pub fn far(&self) -> FarEnd {
        if self.far & HOST_BIT != 0 {
            FarEnd::Host(self.far & !HOST_BIT)
        } else {
            FarEnd::Switch(self.far)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_is_one_cache_line() {
        assert_eq!(std::mem::size_of::<Link>(), 64);
    }
}
