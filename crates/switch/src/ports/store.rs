//! Packet storage of a driver: numbered places, one cache line each.

use sidestep_types::{Packet, Time};

/// Number that stands for no packet.
pub const NONE: u32 = u32::MAX;

/// Packet with its place in a queue.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Parcel {
    /// Time when the last bit leaves the queue; [`Time::MAX`] while a scheduler holds the packet.
    pub departs: Time,
    /// Fields of the packet that decisions read.
    pub packet: Packet,
    /// Next parcel in the line. The store may use the field for parcels in no line.
    pub next: u32,
}

impl Parcel {
    /// Creates a parcel that is in no queue.
    #[inline]
    pub fn new(packet: Packet) -> Parcel {
        Parcel {
            departs: Time::ZERO,
            packet,
            next: NONE,
        }
    }
}

/// Packets of a driver, by number.
///
/// ```
/// use sidestep_switch::ports::{Parcel, Store};
///
/// struct Shelf(Vec<Parcel>);
///
/// impl Store for Shelf {
///     fn parcel(&self, at: u32) -> &Parcel {
///         &self.0[at as usize]
///     }
///     fn parcel_mut(&mut self, at: u32) -> &mut Parcel {
///         &mut self.0[at as usize]
///     }
///     fn has(&self, at: u32) -> bool {
///         (at as usize) < self.0.len()
///     }
/// }
/// assert!(!Shelf(Vec::new()).has(0));
/// ```
pub trait Store {
    /// Returns the parcel in place `at`, a number that this store gave out.
    fn parcel(&self, at: u32) -> &Parcel;
    /// Returns the parcel in place `at`, for changes.
    fn parcel_mut(&mut self, at: u32) -> &mut Parcel;
    /// Returns true if `at` is the number of a place, used or free. Called before a number from a scheduler is
    /// used.
    fn has(&self, at: u32) -> bool;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_parcel_is_one_cache_line() {
        assert_eq!(std::mem::size_of::<Parcel>(), 64);
    }
}
