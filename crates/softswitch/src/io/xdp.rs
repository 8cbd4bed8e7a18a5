//! AF_XDP: frames in memory shared by kernel and switch, past the kernel's network stack.
//!
//! **Modes**   native with zero copy if the driver supports it; else generic, with a copy, as on a veth: its
//!             native mode is slower (`docs/explanation/performance.md`).
//! **Queues**  only the first: a card with more must be configured to use one.

use super::IoCounters;
use super::bpf::{GENERIC, NATIVE, Redirect};
use super::interface::Interface;
use super::sys::{IoError, Tried};
use std::error::Error;
use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use xdp::nic::NicIndex;
use xdp::slab::{HeapSlab, Slab};
use xdp::socket::{XdpSocket, XdpSocketBuilder};
use xdp::umem::{FrameSize, Umem, UmemCfgBuilder};
use xdp::{RingConfigBuilder, WakableRings};

/// Frames of the shared memory: half to receive, half to send.
const FRAMES: u32 = 8192;
const RING: u32 = FRAMES / 2;
/// Frames moved in one call.
const BATCH: usize = 64;
/// Bytes that the kernel leaves free before a frame, and the tail needed behind it.
const HEADROOM: u32 = 256 + 14;
/// Bytes of a place for a frame.
const PLACE: u32 = 2048;

/// Socket of an interface, its memory and the program that feeds it.
pub(super) struct XdpIo {
    // Declared first: the program must be dropped before the rings that it redirects frames to.
    _redirect: Redirect,
    rings: WakableRings,
    socket: XdpSocket,
    memory: Umem,
    got: HeapSlab,
    leaving: HeapSlab,
    /// Mode: "native, zero copy" or "generic, copy".
    pub mode: &'static str,
}

// SAFETY: all pointers inside are into the memory and the rings, which move with this value.
unsafe impl Send for XdpIo {}

impl XdpIo {
    /// Opens a socket on queue 0 of the interface. An error names the step that failed.
    pub fn open(name: &str, about: &Interface) -> Result<XdpIo, IoError> {
        let nic = NicIndex::new(about.index as u32);
        if about.mtu + HEADROOM > PLACE {
            let most = PLACE - HEADROOM;
            let why = format!("expected an MTU of at most {most}, got {}", about.mtu);
            return Err(io::Error::other(why)).tried(|| format!("use AF_XDP on {name:?}"));
        }
        let queues = nic.queue_counts().map_or(1, |queues| queues.rx_count());
        if queues > 1 {
            let why = format!(
                "expected one receive queue, got {queues}: run `ethtool -L {name} combined 1`"
            );
            return Err(io::Error::other(why)).tried(|| format!("use AF_XDP on {name:?}"));
        }
        let abilities = nic.query_capabilities();
        let zero_copy = abilities.is_ok_and(|a| a.zero_copy.is_available());
        if zero_copy && let Ok(io) = XdpIo::try_open(name, nic, about.index, true) {
            return Ok(io);
        }
        XdpIo::try_open(name, nic, about.index, false)
    }

    fn try_open(name: &str, nic: NicIndex, index: i32, zero: bool) -> Result<XdpIo, IoError> {
        let at = |step: &'static str| {
            move |e: Box<dyn Error>| IoError {
                what: format!("{step} on {name:?}"),
                why: io::Error::other(e.to_string()),
            }
        };
        let config = UmemCfgBuilder {
            frame_size: FrameSize::TwoK,
            frame_count: FRAMES,
            ..UmemCfgBuilder::default()
        };
        let config = config.build().map_err(|e| at("share memory")(e.into()))?;
        let mut memory = Umem::map(config).map_err(|e| at("share memory")(e.into()))?;
        let mut builder =
            XdpSocketBuilder::new().map_err(|e| at("open an AF_XDP socket")(e.into()))?;
        let sizes = RingConfigBuilder {
            rx_count: RING,
            tx_count: RING,
            fill_count: RING,
            completion_count: RING,
        };
        let sizes = sizes
            .build()
            .map_err(|e| at("make AF_XDP rings")(e.into()))?;
        let (mut rings, mut flags) = (builder.build_wakable_rings(&memory, sizes))
            .map_err(|e| at("make AF_XDP rings")(e.into()))?;
        match zero {
            true => flags.force_zerocopy(),
            false => flags.force_copy(),
        }
        // SAFETY: the memory outlives the rings: both are fields of one value.
        unsafe { rings.fill_ring.enqueue(&mut memory, RING as usize, false) }
            .map_err(|e| at("fill an AF_XDP ring")(e.into()))?;
        let socket =
            (builder.bind(nic, 0, flags)).map_err(|e| at("bind an AF_XDP socket")(e.into()))?;
        let mode = if zero { NATIVE } else { GENERIC };
        let redirect = Redirect::attach(index, 0, socket.raw_fd(), mode)
            .tried(|| format!("attach an XDP program to {name:?}"))?;
        Ok(XdpIo {
            _redirect: redirect,
            rings,
            socket,
            memory,
            got: HeapSlab::with_capacity(BATCH),
            leaving: HeapSlab::with_capacity(BATCH),
            mode: if zero {
                "native, zero copy"
            } else {
                "generic, copy"
            },
        })
    }

    /// Passes up to `limit` frames to `take`; returns their number.
    pub fn receive(
        &mut self,
        limit: usize,
        counters: &mut IoCounters,
        take: &mut impl FnMut(&[u8]),
    ) -> usize {
        let Some(ring) = &mut self.rings.rx_ring else {
            return 0;
        };
        let mut count = 0;
        while count < limit {
            // SAFETY: packets are given back to the memory below, before it is dropped.
            let got = unsafe { ring.recv(&self.memory, &mut self.got) };
            if got == 0 {
                break;
            }
            count += got;
            while let Some(packet) = self.got.pop_back() {
                counters.received += 1;
                counters.received_bytes += packet.len() as u64;
                take(&packet);
                self.memory.free_packet(packet);
            }
            // SAFETY: as in `try_open`. Places that do not fit into the ring now are added later.
            let _ = unsafe { self.rings.fill_ring.enqueue(&mut self.memory, got, false) };
        }
        count
    }

    /// Sends frames by the interface; frames without room are counted and dropped.
    pub fn send<'a>(
        &mut self,
        frames: &mut impl Iterator<Item = &'a [u8]>,
        counters: &mut IoCounters,
    ) {
        loop {
            (self.rings.completion_ring).dequeue(&mut self.memory, RING as usize);
            let mut any = false;
            while self.leaving.available() > 0
                && let Some(frame) = frames.next()
            {
                any = true;
                // SAFETY: the packet goes to the ring or back to the memory, which outlives both.
                let packet = unsafe { self.memory.alloc() };
                let Some(mut packet) = packet else {
                    counters.tx_refused += 1;
                    continue;
                };
                if packet.append(frame).is_err() {
                    self.memory.free_packet(packet);
                    counters.tx_refused += 1;
                    continue;
                }
                counters.sent += 1;
                counters.sent_bytes += frame.len() as u64;
                self.leaving.push_front(packet);
            }
            self.push(counters);
            if !any {
                return;
            }
        }
    }

    fn push(&mut self, counters: &mut IoCounters) {
        if let Some(ring) = &mut self.rings.tx_ring
            && !self.leaving.is_empty()
        {
            // SAFETY: as in `send`. A failed wake-up is repeated with the next frames.
            let _ = unsafe { ring.send(&mut self.leaving, true) };
        }
        while let Some(packet) = self.leaving.pop_back() {
            counters.sent -= 1;
            counters.sent_bytes -= packet.len() as u64;
            counters.tx_refused += 1;
            self.memory.free_packet(packet);
        }
    }

    /// Returns the frames that the kernel dropped since the socket was opened, for lack of room.
    pub fn kernel_drops(&self) -> u64 {
        (self.socket.statistics()).map_or(0, |s| s.rx_dropped + s.rx_ring_full)
    }
}

impl AsFd for XdpIo {
    fn as_fd(&self) -> BorrowedFd<'_> {
        // SAFETY: the descriptor is open as long as the socket, which `self` owns.
        unsafe { BorrowedFd::borrow_raw(self.socket.raw_fd()) }
    }
}
