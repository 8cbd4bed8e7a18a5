//! CPU time for passing one frame to a veth, by four ways of sending from an AF_PACKET socket.
//!
//!     cargo run --release -p sidestep-softswitch --example send_ways      (root)
//!
//! **Measured**  CPU time of the whole process, with the poll thread of io_uring, and wall-clock time, per
//!               frame; medians of rounds in which the ways take turns.
//! **Ways**      64 frames a system call each: `sendmmsg`; a TPACKET_V2 ring; io_uring; io_uring with a kernel
//!               thread that polls its queue.
//! **Limits**    Sending only: nothing is received, decided or copied into a batch, and the ring's frames are
//!               in their slots from the start. A veth does the hop's work in the sender's time, down to the
//!               far host's drop; work left to ksoftirqd is not counted. A real card would differ.

use io_uring::{IoUring, cqueue, opcode, types};
use sidestep_softswitch::io::interface::Inquiry;
use sidestep_softswitch::io::sys::{self, answer, set_option, socket};
use sidestep_softswitch::trial::flood::udp_frame;
use sidestep_softswitch::trial::wiring::Wiring;
use std::io;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Instant;

const FRAMES: usize = 300_000;
const BATCH: usize = 64;
const ROUNDS: usize = 3;
const LENGTHS: [usize; 2] = [64, 1500];
const WAYS: [(&str, Way); 4] = [
    ("sendmmsg", sendmmsg),
    ("TX ring", ring),
    ("io_uring", |to, frame| uring(to, frame, false)),
    ("io_uring, SQPOLL", |to, frame| uring(to, frame, true)),
];

/// Function that sends frames by a bound socket; returns CPU and wall-clock nanoseconds per frame.
type Way = fn(&OwnedFd, &[u8]) -> io::Result<[f64; 2]>;

fn main() -> Result<(), String> {
    let wiring = Wiring::new(1)?;
    let mut seen: Vec<[Vec<[f64; 2]>; 2]> = vec![Default::default(); WAYS.len()];
    for _ in 0..ROUNDS {
        for ((name, way), seen) in WAYS.iter().zip(&mut seen) {
            for (length, seen) in LENGTHS.iter().zip(seen) {
                let frame = udp_frame(*length, 0, 1);
                let before = wiring.arrived(0)?;
                let one = wiring.hosts[0].within(|| way(&bound("eth0")?, &frame));
                seen.push(one.map_err(|e| format!("{name}, {length} bytes: {e}"))?);
                let came = wiring.arrived(0)? - before;
                let sent = FRAMES.next_multiple_of(BATCH) as u64;
                // A host's kernel sends a few frames itself when its interface is new.
                if !(sent..sent + 10).contains(&came) {
                    return Err(format!("{name}, {length} bytes: {came} of {sent} came"));
                }
            }
        }
    }
    println!("| ns/frame | 64 B, CPU | 64 B, clock | 1500 B, CPU | 1500 B, clock |");
    println!("|---|---|---|---|---|");
    for ((name, _), seen) in WAYS.iter().zip(&seen) {
        let cells = seen.iter().flat_map(|rounds| {
            [0, 1].map(|what| {
                let mut values: Vec<f64> = rounds.iter().map(|round| round[what]).collect();
                values.sort_by(f64::total_cmp);
                let (least, most) = (values[0], values[ROUNDS - 1]);
                format!(" {:.0} ({least:.0}–{most:.0}) |", values[ROUNDS / 2])
            })
        });
        println!("| {name} |{}", cells.collect::<String>());
    }
    Ok(())
}

/// Opens a socket that receives nothing and sends by `interface` past its qdisc, as the switch's does.
fn bound(interface: &str) -> io::Result<OwnedFd> {
    let index = (Inquiry::new().map_err(|e| e.why)?.interface(interface)?).index;
    let socket = socket(libc::AF_PACKET, libc::SOCK_RAW, 0)?;
    set_option(socket.as_fd(), sys::PACKET_QDISC_BYPASS, 1)?;
    // SAFETY: an address of zeros is valid; pointer and length passed are those of `address`.
    unsafe {
        let mut address: libc::sockaddr_ll = std::mem::zeroed();
        address.sll_family = libc::AF_PACKET as u16;
        address.sll_ifindex = index;
        let length = size_of_val(&address) as u32;
        let address = (&raw const address).cast();
        answer(libc::bind(socket.as_raw_fd(), address, length))?;
    }
    Ok(socket)
}

/// Runs `batch` until all frames are sent.
fn timed(mut batch: impl FnMut() -> io::Result<()>) -> io::Result<[f64; 2]> {
    let batches = FRAMES.div_ceil(BATCH);
    let (cpu, clock) = (cpu_ns(), Instant::now());
    for _ in 0..batches {
        batch()?;
    }
    let (cpu, clock) = (cpu_ns() - cpu, clock.elapsed().as_nanos());
    Ok([cpu as f64, clock as f64].map(|ns| ns / (batches * BATCH) as f64))
}

fn cpu_ns() -> u64 {
    // SAFETY: the kernel fills the whole of `now`.
    let now = unsafe {
        let mut now: libc::timespec = std::mem::zeroed();
        libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &raw mut now);
        now
    };
    now.tv_sec as u64 * 1_000_000_000 + now.tv_nsec as u64
}

fn sendmmsg(to: &OwnedFd, frame: &[u8]) -> io::Result<[f64; 2]> {
    let mut part = libc::iovec {
        iov_base: frame.as_ptr().cast_mut().cast(),
        iov_len: frame.len(),
    };
    // SAFETY: a message header of zeros is valid.
    let mut message: libc::mmsghdr = unsafe { std::mem::zeroed() };
    message.msg_hdr.msg_iov = &raw mut part;
    message.msg_hdr.msg_iovlen = 1;
    let mut messages = [message; BATCH];
    timed(|| {
        let first = messages.as_mut_ptr();
        // SAFETY: the messages' part and its frame live through the call.
        let sent = answer(unsafe { libc::sendmmsg(to.as_raw_fd(), first, BATCH as u32, 0) })?;
        whole(sent as usize, BATCH)
    })
}

fn ring(to: &OwnedFd, frame: &[u8]) -> io::Result<[f64; 2]> {
    const SLOT: usize = 2048;
    /// Offset at which the kernel reads the frame: behind the header.
    const FRAME_AT: usize = libc::TPACKET2_HDRLEN - size_of::<libc::sockaddr_ll>();
    let version = libc::tpacket_versions::TPACKET_V2 as i32;
    set_option(to.as_fd(), sys::PACKET_VERSION, version)?;
    let request = libc::tpacket_req {
        tp_block_size: (BATCH * SLOT) as u32,
        tp_block_nr: 1,
        tp_frame_size: SLOT as u32,
        tp_frame_nr: BATCH as u32,
    };
    set_option(to.as_fd(), sys::PACKET_TX_RING, request)?;
    let (access, length) = (libc::PROT_READ | libc::PROT_WRITE, BATCH * SLOT);
    let (kind, fd) = (libc::MAP_SHARED | libc::MAP_POPULATE, to.as_raw_fd());
    // SAFETY: a new mapping of the ring just made, of its length.
    let start = unsafe { libc::mmap(std::ptr::null_mut(), length, access, kind, fd, 0) };
    if start == libc::MAP_FAILED {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: slot `i` is inside the mapping and aligned, and belongs to the kernel only while its status says
    // so.
    let slots: [_; BATCH] = std::array::from_fn(|i| unsafe { start.cast::<u8>().add(i * SLOT) });
    for slot in slots {
        // SAFETY: as above; the longest frame fits a slot.
        unsafe {
            (*slot.cast::<libc::tpacket2_hdr>()).tp_len = frame.len() as u32;
            slot.add(FRAME_AT).copy_from(frame.as_ptr(), frame.len());
        }
    }
    // SAFETY: the header's first word is its status.
    let status = slots.map(|slot| unsafe { AtomicU32::from_ptr(slot.cast()) });
    let done = timed(|| {
        for status in status {
            while status.load(Ordering::Acquire) != libc::TP_STATUS_AVAILABLE {
                std::hint::spin_loop();
            }
            status.store(libc::TP_STATUS_SEND_REQUEST, Ordering::Release);
        }
        // SAFETY: no memory is passed: the data is in the ring.
        let sent = unsafe { libc::send(fd, std::ptr::null(), 0, 0) };
        let sent = usize::try_from(sent).map_err(|_| io::Error::last_os_error())?;
        whole(sent, BATCH * frame.len())
    });
    // SAFETY: the mapping is not used again.
    answer(unsafe { libc::munmap(start, length) }).and(done)
}

fn uring(to: &OwnedFd, frame: &[u8], poll: bool) -> io::Result<[f64; 2]> {
    let mut builder = IoUring::builder();
    if poll {
        builder.setup_sqpoll(1000);
    }
    let mut ring = builder.build(2 * BATCH as u32)?; // a poll thread gives room back late
    ring.submitter().register_files(&[to.as_raw_fd()])?;
    let send = opcode::Send::new(types::Fixed(0), frame.as_ptr(), frame.len() as u32).build();
    let sends: [_; BATCH] = std::array::from_fn(|_| send.clone());
    timed(|| {
        // SAFETY: the frame lives until all sends are answered, below.
        unsafe { ring.submission().push_multiple(&sends) }.map_err(io::Error::other)?;
        ring.submit_and_wait(BATCH)?;
        let answers = ring.completion().map(|a: cqueue::Entry| a.result());
        let sent = answers.map(|bytes| bytes.max(0) as usize).sum();
        whole(sent, BATCH * frame.len())
    })
}

/// Returns an error unless everything was sent.
fn whole(sent: usize, of: usize) -> io::Result<()> {
    let same = (sent == of).then_some(());
    same.ok_or_else(|| io::Error::other(format!("{sent} of {of} sent")))
}
