//! AF_PACKET: a receive ring, and a second socket that sends frames.
//!
//! The second socket is bound with protocol 0, so that it receives nothing, and bypasses the qdisc, which would
//! queue the paced frames again where the switch cannot see it.
//!
//! **Stamps**   of the time of day (CLOCK_REALTIME). The kernel takes them as a frame comes up from its device
//!              (`netif_rx`): on a veth pair while the sender's call or transmit softirq still runs, on a card
//!              in its receive softirq. Without the option they would be taken as the frame is put into the
//!              ring, later by the time that the receive softirq waits on a busy machine.

use super::IoCounters;
use super::ring::{Ring, Slot};
use super::sys::{self, IoError, Tried, answer, option, set_option, socket};
use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};

/// Frames passed to the kernel in one call.
const BATCH: usize = 64;
/// Bytes that may wait for a real card; a veth accepts frames at once.
const SEND_BUFFER: i32 = 4 << 20;

/// Receiving and sending socket of an interface.
pub(super) struct PacketIo {
    // Declared first: the mapping must be dropped before the socket.
    ring: Ring,
    receive: OwnedFd,
    transmit: OwnedFd,
    batch: Batch,
    tagged: Vec<u8>,
}

/// Message headers for `BATCH` frames, and the parts they point to.
struct Batch {
    parts: Box<[libc::iovec]>,
    messages: Box<[libc::mmsghdr]>,
}

// SAFETY: the pointers, to the parts and to frames, are set anew in each call and not used after it.
unsafe impl Send for Batch {}

impl PacketIo {
    /// Opens sockets that are not yet bound to an interface.
    pub fn open(name: &str, mtu: u32) -> Result<PacketIo, IoError> {
        let open = || -> io::Result<PacketIo> {
            let receive = socket(libc::AF_PACKET, libc::SOCK_RAW | libc::SOCK_NONBLOCK, 0)?;
            let fd = receive.as_fd();
            set_option(fd, sys::PACKET_IGNORE_OUTGOING, 1)?;
            let taken = libc::SOF_TIMESTAMPING_RX_SOFTWARE as i32;
            set_option(fd, sys::SO_TIMESTAMPING, taken)?;
            let used = libc::SOF_TIMESTAMPING_SOFTWARE as i32;
            set_option(fd, sys::PACKET_TIMESTAMP, used)?;
            let ring = Ring::new(&receive, mtu)?;
            let transmit = socket(libc::AF_PACKET, libc::SOCK_RAW | libc::SOCK_NONBLOCK, 0)?;
            let fd = transmit.as_fd();
            set_option(fd, sys::PACKET_QDISC_BYPASS, 1)?;
            if set_option(fd, sys::SO_SNDBUFFORCE, SEND_BUFFER).is_err() {
                set_option(fd, sys::SO_SNDBUF, SEND_BUFFER)?;
            }
            Ok(PacketIo {
                ring,
                receive,
                transmit,
                batch: Batch::new(),
                tagged: Vec::new(),
            })
        };
        open().tried(|| format!("open a packet socket for interface {name:?}"))
    }

    /// Binds to the interface of number `index`, whose name is `name`; frames arrive from now on.
    pub fn bind(&mut self, name: &str, index: i32) -> Result<(), IoError> {
        self.forget_errors();
        let every = (libc::ETH_P_ALL as u16).to_be();
        let membership = libc::packet_mreq {
            mr_ifindex: index,
            mr_type: libc::PACKET_MR_PROMISC as u16,
            mr_alen: 0,
            mr_address: [0; 8],
        };
        let fd = self.receive.as_fd();
        bind(&self.transmit, index, 0)
            .and_then(|()| set_option(fd, sys::PACKET_ADD_MEMBERSHIP, membership))
            .and_then(|()| bind(&self.receive, index, every))
            .tried(|| format!("bind a packet socket to interface {name:?}"))
    }

    /// Clears pending errors of an interface that went down: otherwise the next call would return "network is
    /// down", and waiting for frames would end at once every time.
    pub fn forget_errors(&self) {
        for fd in [&self.receive, &self.transmit] {
            let _ = option(fd.as_fd(), sys::SO_ERROR);
        }
    }

    /// Returns the kernel's stamp of the oldest waiting frame, in nanoseconds since 1970; `None` if none waits.
    #[inline]
    pub fn stamp(&self) -> Option<u64> {
        self.ring.stamp()
    }

    /// Passes up to `limit` frames to `take`; returns their number.
    #[inline]
    pub fn receive(
        &mut self,
        limit: usize,
        counters: &mut IoCounters,
        take: &mut impl FnMut(&[u8]),
    ) -> usize {
        let tagged = &mut self.tagged;
        let mut one = |slot: Slot<'_>| {
            if slot.status & libc::TP_STATUS_CSUMNOTREADY != 0 {
                counters.unfinished_checksum += 1;
                return;
            }
            counters.received += 1;
            counters.received_bytes += slot.frame.len() as u64;
            let mut frame = slot.frame;
            if slot.status & libc::TP_STATUS_VLAN_VALID != 0 && frame.len() >= 12 {
                tag_again(tagged, &slot);
                frame = tagged;
            }
            take(frame);
        };
        (0..limit).take_while(|_| self.ring.take(&mut one)).count()
    }

    /// Sends frames by the interface; frames that it refuses are counted and dropped.
    pub fn send<'a>(
        &mut self,
        frames: &mut impl Iterator<Item = &'a [u8]>,
        counters: &mut IoCounters,
    ) {
        loop {
            let count = self.batch.fill(frames);
            if count == 0 {
                return;
            }
            let mut done = 0;
            while done < count {
                match self.batch.give(&self.transmit, done..count) {
                    Ok(given) => {
                        let given = &self.batch.parts[done..done + given];
                        counters.sent += given.len() as u64;
                        counters.sent_bytes += given.iter().map(|p| p.iov_len as u64).sum::<u64>();
                        done += given.len();
                    }
                    Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                    Err(e) => {
                        match e.raw_os_error() {
                            Some(libc::ENETDOWN | libc::ENXIO | libc::ENODEV) => {
                                counters.interface_down += 1
                            }
                            _ => counters.tx_refused += 1,
                        }
                        done += 1;
                    }
                }
            }
        }
    }

    /// Returns the frames that the kernel dropped since the last call because the ring was full.
    pub fn kernel_drops(&self) -> u64 {
        // For V2 and V1 the kernel writes two words; the first counts all frames.
        option(self.receive.as_fd(), sys::PACKET_STATISTICS)
            .map_or(0, |counts| u64::from(counts[1]))
    }
}

impl AsFd for PacketIo {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.receive.as_fd()
    }
}

fn bind(socket: &OwnedFd, index: i32, protocol: u16) -> io::Result<()> {
    // SAFETY: an address of zeros is valid, and then filled.
    let mut address: libc::sockaddr_ll = unsafe { std::mem::zeroed() };
    address.sll_family = libc::AF_PACKET as u16;
    address.sll_protocol = protocol;
    address.sll_ifindex = index;
    // SAFETY: pointer and length are those of `address`.
    answer(unsafe {
        libc::bind(
            socket.as_raw_fd(),
            (&raw const address).cast(),
            size_of_val(&address) as u32,
        )
    })?;
    Ok(())
}

/// Inserts the tag that the kernel took out back between source address and type.
fn tag_again(room: &mut Vec<u8>, slot: &Slot<'_>) {
    let (type_of_tag, tag) = slot.vlan;
    let named = slot.status & libc::TP_STATUS_VLAN_TPID_VALID != 0;
    let type_of_tag = if named { type_of_tag } else { 0x8100 };
    room.clear();
    room.extend_from_slice(&slot.frame[..12]);
    room.extend_from_slice(&type_of_tag.to_be_bytes());
    room.extend_from_slice(&tag.to_be_bytes());
    room.extend_from_slice(&slot.frame[12..]);
}

impl Batch {
    fn new() -> Batch {
        // SAFETY: message headers and parts of zeros are valid.
        let (message, part): (libc::mmsghdr, libc::iovec) = unsafe { std::mem::zeroed() };
        Batch {
            parts: vec![part; BATCH].into_boxed_slice(),
            messages: vec![message; BATCH].into_boxed_slice(),
        }
    }

    fn fill<'a>(&mut self, frames: &mut impl Iterator<Item = &'a [u8]>) -> usize {
        let mut count = 0;
        while count < BATCH
            && let Some(frame) = frames.next()
        {
            self.parts[count].iov_base = frame.as_ptr().cast_mut().cast();
            self.parts[count].iov_len = frame.len();
            count += 1;
        }
        count
    }

    fn give(&mut self, socket: &OwnedFd, which: std::ops::Range<usize>) -> io::Result<usize> {
        let messages = &mut self.messages[which.clone()];
        for (message, part) in messages.iter_mut().zip(&mut self.parts[which]) {
            message.msg_hdr.msg_iov = part;
            message.msg_hdr.msg_iovlen = 1;
        }
        // SAFETY: each message has one part, set by `fill` to a frame that still lives: only `send` calls both,
        // and it holds the frames.
        answer(unsafe {
            libc::sendmmsg(
                socket.as_raw_fd(),
                messages.as_mut_ptr(),
                messages.len() as u32,
                libc::MSG_DONTWAIT,
            )
        })
        .map(|given| given as usize)
    }
}
