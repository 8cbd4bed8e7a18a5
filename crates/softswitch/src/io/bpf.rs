//! The one program that AF_XDP needs, five instructions, loaded by bpf(2) without any library: it passes a
//! frame to the socket of its receive queue, or to the kernel if there is none.

use super::sys::answer;
use std::ffi::c_int;
use std::io;
use std::marker::PhantomData;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};

const MAP_CREATE: c_int = 0;
const MAP_UPDATE: c_int = 2;
const PROGRAM_LOAD: c_int = 5;
const LINK_CREATE: c_int = 28;
const MAP_OF_SOCKETS: u32 = 17;
const PROGRAM_XDP: u32 = 6;
const ATTACH_XDP: u32 = 37;
/// Mode in which the kernel runs the program, for every driver.
pub(super) const GENERIC: u32 = 2;
/// Mode in which the driver runs the program.
pub(super) const NATIVE: u32 = 4;

/// Program attached to an interface, until this is dropped.
pub(super) struct Redirect {
    _link: OwnedFd,
    _program: OwnedFd,
    _map: OwnedFd,
}

/// `struct bpf_insn`: code, registers (source high), offset, immediate.
type Instruction = (u8, u8, i16, i32);

fn program(map: RawFd) -> Vec<u8> {
    const REDIRECT_MAP: i32 = 51;
    const PASS: i32 = 2;
    let instructions: [Instruction; 6] = [
        (0x61, 0x12, 16, 0),           // r2 = context->rx_queue_index
        (0x18, 0x11, 0, map),          // r1 = map (two slots)
        (0, 0, 0, 0),                  //
        (0xb7, 0x03, 0, PASS),         // r3 = what to do without a socket
        (0x85, 0x00, 0, REDIRECT_MAP), // r0 = bpf_redirect_map(r1, r2, r3)
        (0x95, 0x00, 0, 0),            // return r0
    ];
    let bytes = |&(code, registers, offset, immediate): &Instruction| {
        let mut bytes = vec![code, registers];
        bytes.extend(offset.to_ne_bytes());
        bytes.extend(immediate.to_ne_bytes());
        bytes
    };
    instructions.iter().flat_map(bytes).collect()
}

impl Redirect {
    /// Redirects frames received by `queue` of interface number `interface` to `socket`. `mode` is [`GENERIC`]
    /// or [`NATIVE`].
    pub fn attach(interface: i32, queue: u32, socket: RawFd, mode: u32) -> io::Result<Redirect> {
        let sockets = SocketMap::new(queue + 1)?;
        sockets.put(queue, socket)?;
        let program = load(&program(sockets.0.as_raw_fd()))?;
        let link = attach(&program, interface, mode)?;
        Ok(Redirect {
            _link: link,
            _program: program,
            _map: sockets.0,
        })
    }
}

/// Map from the number of a queue to the socket that receives its frames.
struct SocketMap(OwnedFd);

impl SocketMap {
    fn new(entries: u32) -> io::Result<SocketMap> {
        // Kind, bytes of a key and of a value, entries.
        let attributes = Attributes::of([MAP_OF_SOCKETS, 4, 4, entries]);
        // SAFETY: no attribute is a pointer.
        unsafe { made(MAP_CREATE, attributes) }.map(SocketMap)
    }

    fn put(&self, queue: u32, socket: RawFd) -> io::Result<()> {
        let (key, value) = (queue.to_ne_bytes(), (socket as u32).to_ne_bytes());
        let mut attributes = Attributes::of([self.0.as_raw_fd() as u32]);
        attributes.point(2, &key);
        attributes.point(4, &value);
        // SAFETY: keys and values of this map have four bytes each, like the two that the attributes point to.
        unsafe { bpf(MAP_UPDATE, &attributes) }.map(|_| ())
    }
}

/// Loads a program of whole instructions.
fn load(code: &[u8]) -> io::Result<OwnedFd> {
    let license = c"Dual MIT/GPL";
    // No log and no kernel version.
    let mut attributes = Attributes::of([PROGRAM_XDP, (code.len() / 8) as u32]);
    attributes.point(2, code);
    attributes.point(4, license.to_bytes_with_nul());
    // SAFETY: the kernel reads as many instructions of eight bytes as there are in `code`, and the
    // license up to its zero.
    unsafe { made(PROGRAM_LOAD, attributes) }
}

fn attach(program: &OwnedFd, interface: i32, mode: u32) -> io::Result<OwnedFd> {
    let program = program.as_raw_fd() as u32;
    let attributes = Attributes::of([program, interface as u32, ATTACH_XDP, mode]);
    // SAFETY: no attribute is a pointer.
    unsafe { made(LINK_CREATE, attributes) }
}

/// `union bpf_attr` in words of 32 bits, as far as these commands use it; the rest is zero. The data pointed to
/// lives as long as the attributes.
#[repr(C, align(8))]
struct Attributes<'a>([u32; 12], PhantomData<&'a [u8]>);

impl<'a> Attributes<'a> {
    fn of<const N: usize>(first: [u32; N]) -> Attributes<'a> {
        let mut words = [0; 12];
        words[..N].copy_from_slice(&first);
        Attributes(words, PhantomData)
    }

    /// Writes a pointer, of 64 bits, at word `at`, an even number.
    fn point(&mut self, at: usize, to: &'a [u8]) {
        let bytes = (to.as_ptr().expose_provenance() as u64).to_ne_bytes();
        for (word, half) in self.0[at..at + 2].iter_mut().zip(bytes.chunks_exact(4)) {
            *word = u32::from_ne_bytes(half.try_into().expect("four bytes"));
        }
    }
}

/// Executes a command of bpf(2).
///
/// # Safety
/// The command reads the data that the attributes point to, within its bounds, and does not write there.
unsafe fn bpf(command: c_int, attributes: &Attributes<'_>) -> io::Result<c_int> {
    // SAFETY: the kernel reads the attributes, of that size; the caller guarantees the rest.
    let done = unsafe {
        libc::syscall(
            libc::SYS_bpf,
            command,
            std::ptr::from_ref(attributes),
            size_of::<Attributes<'_>>() as u32,
        )
    };
    answer(done as c_int)
}

/// Executes a command that returns a new descriptor.
///
/// # Safety
/// As for [`bpf`]; and `command` returns a new descriptor.
unsafe fn made(command: c_int, attributes: Attributes<'_>) -> io::Result<OwnedFd> {
    // SAFETY: guaranteed by the caller; the descriptor is new, and owned by nobody else.
    unsafe { bpf(command, &attributes).map(|fd| OwnedFd::from_raw_fd(fd)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attributes_are_laid_out_as_the_kernel_reads_them() {
        let value = [7];
        let mut attributes = Attributes::of([3, 5]);
        attributes.point(2, &value);
        let bytes: Vec<u8> = attributes.0.iter().flat_map(|w| w.to_ne_bytes()).collect();
        assert_eq!(bytes[..4], 3u32.to_ne_bytes());
        assert_eq!(bytes[4..8], 5u32.to_ne_bytes());
        assert_eq!(bytes[8..16], (value.as_ptr() as u64).to_ne_bytes());
        assert_eq!(size_of_val(&attributes), 48);
        assert_eq!(
            (bytes[16..].iter().max(), align_of_val(&attributes)),
            (Some(&0), 8)
        );
    }

    #[test]
    fn a_descriptor_that_is_no_socket_is_refused_by_the_kernel_not_by_luck() {
        // Without the right to create maps, this fails one step earlier.
        let error = Redirect::attach(1, 0, -1, GENERIC).err().unwrap();
        let why = error.raw_os_error();
        let known = [libc::EPERM, libc::EBADF, libc::ENOSYS, libc::EINVAL];
        assert!(why.is_some_and(|why| known.contains(&why)), "{error}");
    }
}
