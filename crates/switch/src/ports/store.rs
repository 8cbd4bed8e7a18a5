//! Where a driver keeps packets: numbered places, one cache line each.

use sidestep_types::{Packet, Time};

/// No packet.
pub const NONE: u32 = u32::MAX;

/// A packet with its place in a queue.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Parcel {
    /// When its last bit leaves the queue it is in; [`Time::MAX`] while a scheduler holds it.
    pub departs: Time,
    /// What decisions see of it.
    pub packet: Packet,
    /// The parcel behind it in its line. The store may use it for parcels in no line.
    pub next: u32,
}

impl Parcel {
    /// A packet that is in no queue.
    #[inline]
    pub fn new(packet: Packet) -> Parcel {
        Parcel {
            departs: Time::ZERO,
            packet,
            next: NONE,
        }
    }
}

/// A driver's packets, by number.
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
    /// The parcel in place `at`, a number that this store gave out.
    fn parcel(&self, at: u32) -> &Parcel;
    /// The same, to be changed.
    fn parcel_mut(&mut self, at: u32) -> &mut Parcel;
    /// Is `at` the number of a place, in use or free? Asked before a number is used that comes
    /// from a scheduler.
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
