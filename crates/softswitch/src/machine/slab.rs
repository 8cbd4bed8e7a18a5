//! Frames in slots of one size, reused last-in first-out: no allocation once there are enough.

use super::packet::blank;
use super::vlans::{TAG_BYTES, put_tag};
use crate::frame::{Carry, ETHERNET_BYTES, WireTag, take_tag};
use sidestep_switch::ports::{NONE, Parcel, Store};
use sidestep_types::Packet;

/// Slots allocated at a time.
const CHUNK: usize = 64;

/// Most frames stored, whatever the capacity, and fewer if they are jumbo frames: at most the bytes of this
/// many frames of MTU 1500.
const MOST: usize = 1 << 20;
const MOST_BYTES: usize = MOST * ROOM_OF_1500;

/// Bytes of a cache line; a slot is a whole number of them.
const LINE: usize = 64;
const ROOM_OF_1500: usize = room(1500);

/// Returns the bytes of a slot for a frame of this MTU, with its header and any tag it may get.
const fn room(mtu: usize) -> usize {
    let tags = [TAG_BYTES, Carry::Ethertype.adds()];
    let longest = if tags[0] > tags[1] { tags[0] } else { tags[1] };
    (ETHERNET_BYTES + mtu + longest).next_multiple_of(LINE)
}

/// Data about a frame besides its bytes.
#[derive(Clone, Copy)]
struct Slot {
    /// Sequence number of arrival.
    number: u64,
    len: u16,
    /// VLAN tag the frame leaves with; 0 for none.
    tag: u16,
    taken: bool,
    /// True if the frame may be detoured.
    detours: bool,
}

const EMPTY: Slot = Slot {
    number: 0,
    len: 0,
    tag: 0,
    taken: false,
    detours: false,
};

/// Memory for all frames.
pub(super) struct Slab {
    parcels: Vec<Parcel>,
    slots: Vec<Slot>,
    /// Bytes of frames, in chunks that never move.
    chunks: Vec<Box<[u8]>>,
    /// Bytes of each slot.
    room: usize,
    free: u32,
    live: u32,
    came: u64,
}

impl Slab {
    /// Returns memory for frames of this MTU.
    pub fn new(mtu: u32) -> Slab {
        Slab {
            parcels: Vec::new(),
            slots: Vec::new(),
            chunks: Vec::new(),
            room: room(mtu as usize),
            free: NONE,
            live: 0,
            came: 0,
        }
    }

    /// Stores a frame within the MTU, and whether it may be detoured; returns its slot, or `None` if there is
    /// no room.
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
        *slot = Slot {
            number,
            len: bytes.len() as u16,
            tag: 0,
            taken: true,
            detours,
        };
        self.place(at)[..bytes.len()].copy_from_slice(bytes);
        Some(at)
    }

    #[cold]
    fn grow(&mut self) -> Option<()> {
        let first = self.parcels.len();
        if first + CHUNK > MOST || (first + CHUNK) * self.room > MOST_BYTES {
            return None;
        }
        self.chunks
            .push(vec![0; CHUNK * self.room].into_boxed_slice());
        self.slots.resize(first + CHUNK, EMPTY);
        for at in first..first + CHUNK {
            let last = at + 1 == first + CHUNK;
            let mut parcel = Parcel::new(blank());
            parcel.next = if last { NONE } else { at as u32 + 1 };
            self.parcels.push(parcel);
        }
        self.free = first as u32;
        Some(())
    }

    /// Frees a slot. Panics if it is free already: its frame would be given out twice.
    #[inline]
    pub fn free(&mut self, at: u32) {
        let slot = self.slot_mut(at);
        assert!(slot.taken, "frame {at} was released twice");
        slot.taken = false;
        self.live -= 1;
        self.parcel_mut(at).next = self.free;
        self.free = at;
    }

    /// Returns the number of frames stored.
    pub fn live(&self) -> u32 {
        self.live
    }

    #[inline]
    fn slot_mut(&mut self, at: u32) -> &mut Slot {
        &mut self.slots[at as usize]
    }

    #[inline]
    fn slot(&self, at: u32) -> &Slot {
        &self.slots[at as usize]
    }

    /// Returns the whole slot of a frame.
    #[inline]
    fn place(&mut self, at: u32) -> &mut [u8] {
        let first = at as usize % CHUNK * self.room;
        &mut self.chunks[at as usize / CHUNK][first..first + self.room]
    }

    /// Returns the bytes of a frame.
    #[inline]
    pub fn bytes(&self, at: u32) -> &[u8] {
        let first = at as usize % CHUNK * self.room;
        let length = usize::from(self.slot(at).len);
        &self.chunks[at as usize / CHUNK][first..first + length]
    }

    /// Returns the bytes of a frame, mutable.
    #[inline]
    pub fn bytes_mut(&mut self, at: u32) -> &mut [u8] {
        let length = usize::from(self.slot(at).len);
        &mut self.place(at)[..length]
    }

    /// Sets the VLAN tag a frame leaves with; 0 for none.
    #[inline]
    pub fn set_tag(&mut self, at: u32, tag: u16) {
        self.slot_mut(at).tag = tag;
    }

    /// Inserts the VLAN tag into a departing frame, if it has one.
    pub fn put_tag(&mut self, at: u32) {
        let (tag, length) = (self.slot(at).tag, usize::from(self.slot(at).len));
        if tag == 0 {
            return;
        }
        let length = put_tag(self.place(at), length, tag);
        let slot = self.slot_mut(at);
        (slot.tag, slot.len) = (0, length as u16);
    }

    /// Returns true if the frame may be detoured.
    pub fn detours(&self, at: u32) -> bool {
        self.slot(at).detours
    }

    /// Truncates a frame to its first `len` bytes.
    pub fn cut(&mut self, at: u32, len: usize) {
        let slot = self.slot_mut(at);
        slot.len = slot.len.min(len as u16);
    }

    /// Removes and returns the tag of a frame that carries it as `carry` says.
    pub fn take_tag(&mut self, at: u32, carry: Carry) -> Option<WireTag> {
        let (tag, length) = take_tag(self.bytes_mut(at), carry)?;
        self.cut(at, length);
        Some(tag)
    }

    /// Returns the sequence number of the frame's arrival.
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
        let mut slab = Slab::new(1500);
        let put = |slab: &mut Slab, n: u8| slab.put(&[n; 60], blank(), true).unwrap();
        let all: Vec<u32> = (0..200).map(|n| put(&mut slab, n)).collect();
        for (n, at) in all.iter().enumerate() {
            assert_eq!(slab.bytes(*at), [n as u8; 60]);
        }
        slab.free(all[7]);
        assert_eq!(put(&mut slab, 1), all[7]);
        assert_eq!(slab.live(), 200);
        assert_eq!((std::mem::size_of::<Slot>(), ROOM_OF_1500), (16, 1536));
    }

    #[test]
    fn a_jumbo_frame_has_room_for_its_tag_and_ends_before_the_next() {
        let mut slab = Slab::new(9000);
        let all: Vec<u32> = [1, 2]
            .map(|n| {
                slab.put(&[n; ETHERNET_BYTES + 9000], blank(), false)
                    .unwrap()
            })
            .to_vec();
        slab.set_tag(all[0], 10);
        slab.put_tag(all[0]);
        slab.put_tag(all[0]);
        let tagged = slab.bytes(all[0]);
        assert_eq!(
            (tagged.len(), &tagged[12..16]),
            (9018, &[0x81, 0, 0, 10][..])
        );
        assert!(tagged[16..].iter().all(|byte| *byte == 1));
        assert_eq!(slab.bytes(all[1]), [2; 9014]);
    }

    #[test]
    #[should_panic(expected = "released twice")]
    fn a_frame_is_released_once() {
        let mut slab = Slab::new(1500);
        let at = slab.put(&[0; 60], blank(), true).unwrap();
        slab.free(at);
        slab.free(at);
    }
}
