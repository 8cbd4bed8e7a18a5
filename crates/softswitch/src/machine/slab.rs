//! Frames in slots of one size, reused last-in first-out: no allocation once there are enough.

use super::packet::blank;
use crate::frame::{Carry, LONGEST_TAGGED, WireTag, take_tag};
use sidestep_switch::ports::{NONE, Parcel, Store};
use sidestep_types::Packet;

/// Slots are made so many at a time.
const CHUNK: usize = 64;

/// No more frames than this are kept, 1.6 GB, whatever the capacity says.
const MOST: usize = 1 << 20;

/// The frame itself.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
struct Slot {
    /// How many came before it.
    number: u64,
    len: u16,
    taken: bool,
    /// It may leave by a port that it does not want.
    detours: bool,
    bytes: [u8; LONGEST_TAGGED],
}

const EMPTY: Slot = Slot {
    number: 0,
    len: 0,
    taken: false,
    detours: false,
    bytes: [0; LONGEST_TAGGED],
};

/// All frames.
pub(super) struct Slab {
    parcels: Vec<Parcel>,
    chunks: Vec<Box<[Slot]>>,
    free: u32,
    live: u32,
    came: u64,
}

impl Slab {
    pub fn new() -> Slab {
        Slab {
            parcels: Vec::new(),
            chunks: Vec::new(),
            free: NONE,
            live: 0,
            came: 0,
        }
    }

    /// Keeps a frame of at most [`LONGEST_TAGGED`] bytes, which may or may not take detours; says
    /// where. `None` when there is no room.
    #[inline]
    pub fn put(&mut self, bytes: &[u8], packet: Packet, detours: bool) -> Option<u32> {
        if self.free == NONE {
            self.grow()?;
        }
        let at = self.free;
        self.live += 1;
        self.came += 1;
        let number = self.came;
        let parcel = self.parcel_mut(at);
        self.free = std::mem::replace(parcel, Parcel::new(packet)).next;
        let slot = self.slot_mut(at);
        slot.number = number;
        slot.len = bytes.len() as u16;
        slot.taken = true;
        slot.detours = detours;
        slot.bytes[..bytes.len()].copy_from_slice(bytes);
        Some(at)
    }

    #[cold]
    fn grow(&mut self) -> Option<()> {
        let first = self.parcels.len();
        if first + CHUNK > MOST {
            return None;
        }
        self.chunks.push(vec![EMPTY; CHUNK].into_boxed_slice());
        for at in first..first + CHUNK {
            let last = at + 1 == first + CHUNK;
            let mut parcel = Parcel::new(blank());
            parcel.next = if last { NONE } else { at as u32 + 1 };
            self.parcels.push(parcel);
        }
        self.free = first as u32;
        Some(())
    }

    /// Frees a slot. Panics when it is free already: its frame would be given out twice.
    #[inline]
    pub fn free(&mut self, at: u32) {
        let slot = self.slot_mut(at);
        assert!(slot.taken, "frame {at} was released twice");
        slot.taken = false;
        self.live -= 1;
        self.parcel_mut(at).next = self.free;
        self.free = at;
    }

    /// How many frames there are.
    pub fn live(&self) -> u32 {
        self.live
    }

    #[inline]
    fn slot_mut(&mut self, at: u32) -> &mut Slot {
        &mut self.chunks[at as usize / CHUNK][at as usize % CHUNK]
    }

    #[inline]
    fn slot(&self, at: u32) -> &Slot {
        &self.chunks[at as usize / CHUNK][at as usize % CHUNK]
    }

    /// The bytes of a frame.
    #[inline]
    pub fn bytes(&self, at: u32) -> &[u8] {
        let slot = self.slot(at);
        &slot.bytes[..usize::from(slot.len)]
    }

    /// The bytes of a frame, to be changed.
    #[inline]
    pub fn bytes_mut(&mut self, at: u32) -> &mut [u8] {
        let slot = self.slot_mut(at);
        &mut slot.bytes[..usize::from(slot.len)]
    }

    /// May the frame leave by a port that it does not want?
    pub fn detours(&self, at: u32) -> bool {
        self.slot(at).detours
    }

    /// Keeps the first `len` bytes of a frame alone.
    pub fn cut(&mut self, at: u32, len: usize) {
        let slot = self.slot_mut(at);
        slot.len = slot.len.min(len as u16);
    }

    /// Takes the tag out of a frame that carries it so, and says what it was.
    pub fn take_tag(&mut self, at: u32, carry: Carry) -> Option<WireTag> {
        let (tag, length) = take_tag(self.bytes_mut(at), carry)?;
        self.cut(at, length);
        Some(tag)
    }

    /// How many frames came before this one.
    pub fn number(&self, at: u32) -> u64 {
        self.slot(at).number
    }
}

impl Store for Slab {
    #[inline]
    fn parcel(&self, at: u32) -> &Parcel {
        &self.parcels[at as usize]
    }

    #[inline]
    fn parcel_mut(&mut self, at: u32) -> &mut Parcel {
        &mut self.parcels[at as usize]
    }

    fn has(&self, at: u32) -> bool {
        (at as usize) < self.parcels.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slots_are_reused_and_keep_their_frames_apart() {
        let mut slab = Slab::new();
        let put = |slab: &mut Slab, n: u8| slab.put(&[n; 60], blank(), true).unwrap();
        let all: Vec<u32> = (0..200).map(|n| put(&mut slab, n)).collect();
        for (n, at) in all.iter().enumerate() {
            assert_eq!(slab.bytes(*at), [n as u8; 60]);
        }
        slab.free(all[7]);
        assert_eq!(put(&mut slab, 1), all[7]);
        assert_eq!(slab.live(), 200);
        assert_eq!(std::mem::size_of::<Slot>(), 1536);
    }

    #[test]
    #[should_panic(expected = "released twice")]
    fn a_frame_is_released_once() {
        let mut slab = Slab::new();
        let at = slab.put(&[0; 60], blank(), true).unwrap();
        slab.free(at);
        slab.free(at);
    }
}
