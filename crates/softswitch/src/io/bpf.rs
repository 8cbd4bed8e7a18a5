//! The one program that AF_XDP needs, five instructions, loaded by bpf(2) without any library:
//! a frame goes to the socket of the queue that it came by, and to the kernel when there is none.

use super::sys::answer;
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};

const MAP_CREATE: i32 = 0;
const MAP_UPDATE: i32 = 2;
const PROGRAM_LOAD: i32 = 5;
const LINK_CREATE: i32 = 28;
const MAP_OF_SOCKETS: u32 = 17;
const PROGRAM_XDP: u32 = 6;
const ATTACH_XDP: u32 = 37;
/// Run by the kernel for every driver.
pub(super) const GENERIC: u32 = 2;
/// Run by the driver.
pub(super) const NATIVE: u32 = 4;

/// Attached to an interface as long as it lives.
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
    /// Sends what comes by `queue` of interface number `interface` to `socket`. `mode` is
    /// [`GENERIC`] or [`NATIVE`].
    pub fn attach(interface: i32, queue: u32, socket: RawFd, mode: u32) -> io::Result<Redirect> {
        let map = made(MAP_CREATE, [MAP_OF_SOCKETS, 4, 4, queue + 1, 0, 0])?;
        let key = queue;
        let value = socket as u32;
        let (key_at, value_at) = ((&raw const key) as u64, (&raw const value) as u64);
        let update: [u64; 4] = [u64::from(map.as_raw_fd() as u32), key_at, value_at, 0];
        bpf(MAP_UPDATE, update)?;

        let code = program(map.as_raw_fd());
        let license = c"Dual MIT/GPL";
        #[repr(C)]
        struct Load {
            kind: u32,
            count: u32,
            code: u64,
            license: u64,
            // Log level, size, buffer; kernel version and flags: none.
            rest: [u64; 3],
        }
        let load = Load {
            kind: PROGRAM_XDP,
            count: (code.len() / 8) as u32,
            code: code.as_ptr() as u64,
            license: license.as_ptr() as u64,
            rest: [0; 3],
        };
        let program = made(PROGRAM_LOAD, load)?;
        let attach = [
            program.as_raw_fd() as u32,
            interface as u32,
            ATTACH_XDP,
            mode,
        ];
        let link = made(LINK_CREATE, attach)?;
        Ok(Redirect {
            _link: link,
            _program: program,
            _map: map,
        })
    }
}

fn bpf<T>(command: i32, attributes: T) -> io::Result<i32> {
    // SAFETY: the kernel reads the attributes, and the key, value, code and license that they
    // point to, all of which live through the call.
    let done = unsafe {
        libc::syscall(
            libc::SYS_bpf,
            command,
            &raw const attributes,
            size_of::<T>() as u32,
        )
    };
    answer(done as i32)
}

/// A command that answers with a new descriptor.
fn made<T>(command: i32, attributes: T) -> io::Result<OwnedFd> {
    // SAFETY: the descriptor is new, and ours alone.
    bpf(command, attributes).map(|fd| unsafe { OwnedFd::from_raw_fd(fd) })
}
