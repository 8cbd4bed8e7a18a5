//! Receive ring shared with the kernel: TPACKET_V2, one slot a frame.
//!
//! **Why V2**      a frame is available as soon as the kernel has copied it. V3 delivers blocks, when full or
//!                 after a millisecond at the earliest: too coarse for a paced link (`docs/explanation/performance.md` has
//!                 the numbers).
//! **Slots**       an odd number of cache lines, so that the headers spread over all cache sets.
//! **Source**      Documentation/networking/packet_mmap.rst of the kernel.

use super::sys::{PACKET_RX_RING, PACKET_VERSION, answer, set_option};
use crate::frame::{LONGEST_FRAME, LONGEST_TAGGED};
use std::io;
use std::os::fd::{AsFd, AsRawFd};
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU32, Ordering};

/// Slots of a ring: 8 ms of the shortest frames at half a million a second.
const SLOTS: usize = 4096;
/// Offset of the frame in a slot of V2, if its Ethernet header has 14 bytes.
const FRAME_AT: usize = 66;
/// Spare room in a slot, so that a frame longer than the MTU with its tag is recognized as such.
const SPARE: usize = 18;
const BLOCK: usize = 1 << 17;

/// Frame in a slot, with the kernel's data about it.
#[derive(Clone, Copy)]
pub(super) struct Slot<'a> {
    /// Bytes from the destination address; truncated if far longer than the MTU was, but never to a length that
    /// could be forwarded.
    pub frame: &'a [u8],
    /// TP_STATUS bits.
    pub status: u32,
    /// Tag that the kernel took out of the frame, if the status says there was one.
    pub vlan: (u16, u16),
}

/// Mapped ring.
pub(super) struct Ring {
    start: NonNull<u8>,
    length: usize,
    slot: usize,
    slots_in_block: usize,
    slots: usize,
    next: usize,
}

// SAFETY: the mapping belongs to this value and the kernel only, and any thread may access it.
unsafe impl Send for Ring {}

impl Ring {
    /// Sets up a ring at a packet socket, for frames of up to `mtu` bytes of payload, and at least for the
    /// longest frames that a switch forwards, as the MTU may be raised later. A truncated frame is thus still
    /// too long for the switch, which counts it as oversized.
    pub fn new(socket: impl AsFd, mtu: u32) -> io::Result<Ring> {
        let fd = socket.as_fd();
        let payload = (mtu as usize).max(LONGEST_FRAME - 14);
        let lines = (FRAME_AT + 14 + payload + SPARE).div_ceil(64);
        let slot = (lines | 1) * 64;
        let block = BLOCK.max(slot.next_multiple_of(4096));
        let slots_in_block = block / slot;
        let blocks = SLOTS.div_ceil(slots_in_block);
        let slots = blocks * slots_in_block;
        let version = libc::tpacket_versions::TPACKET_V2 as i32;
        set_option(fd, PACKET_VERSION, version)?;
        let request = libc::tpacket_req {
            tp_block_size: block as u32,
            tp_block_nr: blocks as u32,
            tp_frame_size: slot as u32,
            tp_frame_nr: slots as u32,
        };
        set_option(fd, PACKET_RX_RING, request)?;
        let length = block * blocks;
        // SAFETY: a new shared mapping of the ring that the kernel has just made, of that length.
        let start = unsafe {
            libc::mmap(
                std::ptr::null_mut(),
                length,
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_SHARED | libc::MAP_POPULATE,
                fd.as_raw_fd(),
                0,
            )
        };
        if start == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        let start = NonNull::new(start.cast()).ok_or(io::ErrorKind::Other)?;
        Ok(Ring {
            start,
            length,
            slot,
            slots_in_block,
            slots,
            next: 0,
        })
    }

    fn header(&self) -> *mut libc::tpacket2_hdr {
        let block = self.length / (self.slots / self.slots_in_block);
        let offset = self.next / self.slots_in_block * block;
        let offset = offset + self.next % self.slots_in_block * self.slot;
        // SAFETY: `next` is below `slots`, so the offset is inside the mapping; slots are aligned.
        unsafe { self.start.as_ptr().add(offset).cast() }
    }

    /// Returns the kernel's stamp of the next frame, if there is one.
    #[inline]
    pub fn stamp(&self) -> Option<u64> {
        let header = self.header();
        // SAFETY: as in `take`: the status first, and then what the kernel wrote before it.
        unsafe {
            let status = AtomicU32::from_ptr(header.cast());
            let ours = status.load(Ordering::Acquire) & libc::TP_STATUS_USER != 0;
            ours.then(|| stamp(&*header))
        }
    }

    /// Passes the next frame to `take`, if there is one, and its slot back to the kernel. Returns false if
    /// there is none.
    #[inline]
    pub fn take(&mut self, take: impl FnOnce(Slot<'_>)) -> bool {
        let header = self.header();
        // SAFETY: the first field of the header is its status, which the kernel and this process pass to and
        // fro.
        let status = unsafe { AtomicU32::from_ptr(header.cast()) };
        let bits = status.load(Ordering::Acquire);
        if bits & libc::TP_STATUS_USER == 0 {
            return false;
        }
        // SAFETY: until the status is given back the slot is ours, and the kernel does not write to it; the
        // header says where in the slot the frame is, which is limited to the slot. `take` cannot keep the
        // frame: it accepts one of any lifetime.
        unsafe {
            let about = &*header;
            let at = usize::from(about.tp_mac).min(self.slot);
            let length = (about.tp_snaplen as usize).min(self.slot - at);
            debug_assert!(about.tp_len as usize == length || length > LONGEST_TAGGED);
            take(Slot {
                frame: std::slice::from_raw_parts(header.cast::<u8>().add(at), length),
                status: bits,
                vlan: (about.tp_vlan_tpid, about.tp_vlan_tci),
            });
        }
        status.store(libc::TP_STATUS_KERNEL, Ordering::Release);
        self.next += 1;
        if self.next == self.slots {
            self.next = 0;
        }
        true
    }
}

/// Returns the stamp in nanoseconds since 1970.
fn stamp(about: &libc::tpacket2_hdr) -> u64 {
    u64::from(about.tp_sec) * 1_000_000_000 + u64::from(about.tp_nsec)
}

impl Drop for Ring {
    fn drop(&mut self) {
        // SAFETY: the mapping is ours, and no slot of it is borrowed beyond `take`.
        let _ = answer(unsafe { libc::munmap(self.start.as_ptr().cast(), self.length) });
    }
}
