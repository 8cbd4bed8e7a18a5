//! bpf(2) without a library: opening pinned objects, reading and writing maps, testing and attaching programs.
//!
//! **Errors**       the kernel's; a map of other sizes than expected is refused before it is read.
//! **Source**       `linux/bpf.h`, `union bpf_attr`.

use crate::io::sys::answer;
use std::ffi::{CString, c_int};
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

const MAP_LOOKUP: c_int = 1;
const MAP_UPDATE: c_int = 2;
const OBJECT_GET: c_int = 7;
const PROGRAM_LOAD: c_int = 5;
const PROGRAM_TEST: c_int = 10;
const OBJECT_INFO: c_int = 15;
const LINK_CREATE: c_int = 28;

/// `BPF_F_LOCK`: under the lock in the value.
const LOCKED: u64 = 4;
/// `BPF_TCX_INGRESS`.
pub(super) const TCX_INGRESS: u32 = 46;
/// `BPF_PROG_TYPE_SCHED_CLS`.
const CLASSIFIER: u32 = 3;
/// Interface number that does not exist: the kernel looks for it only if it supports the way to attach.
const NOWHERE: u32 = i32::MAX as u32;

/// `union bpf_attr`, as far as these commands use it: 80 bytes, in words of 32 bits.
#[repr(C, align(8))]
#[derive(Default)]
struct Attributes([u32; 20]);

impl Attributes {
    fn put(&mut self, word: usize, value: u32) {
        self.0[word] = value;
    }

    /// Writes an address of 64 bits at an even word.
    fn point<T>(&mut self, word: usize, to: *const T) {
        let bytes = (to.expose_provenance() as u64).to_ne_bytes();
        for (half, word) in bytes.chunks_exact(4).zip(word..) {
            self.0[word] = u32::from_ne_bytes(half.try_into().expect("four bytes"));
        }
    }
}

/// Executes a command of bpf(2).
///
/// # Safety
/// The attributes point to the memory that the command reads and writes there, which lives through the call.
unsafe fn bpf(command: c_int, attributes: &mut Attributes) -> io::Result<c_int> {
    // SAFETY: the kernel reads and writes the attributes, of that size; the caller guarantees the rest.
    let done = unsafe {
        libc::syscall(
            libc::SYS_bpf,
            command,
            &raw mut *attributes,
            size_of::<Attributes>() as u32,
        )
    };
    answer(done as c_int)
}

/// Checks that this process can load a program here and attach it in this way. An error is the rest of a
/// sentence whose subject is the caller.
pub(super) fn attaches(way: u32) -> Result<(), String> {
    // `r0 = 0; exit`.
    const NOTHING: [u64; 2] = [0xb7, 0x95];
    let mut attributes = Attributes::default();
    attributes.put(0, CLASSIFIER);
    attributes.put(1, NOTHING.len() as u32);
    attributes.point(2, NOTHING.as_ptr());
    attributes.point(4, c"Dual MIT/GPL".as_ptr());
    // SAFETY: instructions and licence live, and have the stated lengths; the descriptor is new, and ours
    // alone.
    let loaded = unsafe { bpf(PROGRAM_LOAD, &mut attributes).map(|fd| OwnedFd::from_raw_fd(fd)) };
    let program = Program(loaded.map_err(|e| match e.kind() {
        io::ErrorKind::PermissionDenied => {
            "loads a BPF program: expected root, or CAP_BPF with CAP_NET_ADMIN, got a process without them"
                .to_string()
        }
        _ => format!("needs a kernel that loads BPF programs (CONFIG_BPF_SYSCALL): {e}"),
    })?);
    match program.link(NOWHERE, way) {
        Err(e) if e.raw_os_error() == Some(libc::ENODEV) => Ok(()),
        Ok(_) => Ok(()),
        Err(e) => Err(format!(
            "attaches by tcx: expected Linux 6.6 or newer with CONFIG_NET_XGRESS, got a kernel that answers {e}"
        )),
    }
}

/// Opens the object pinned at a path.
fn open(path: &Path) -> io::Result<OwnedFd> {
    let path =
        CString::new(path.as_os_str().as_bytes()).map_err(|_| io::ErrorKind::InvalidInput)?;
    let mut attributes = Attributes::default();
    attributes.point(0, path.as_ptr());
    // SAFETY: the path ends with a zero; the descriptor is new, and ours alone.
    unsafe { bpf(OBJECT_GET, &mut attributes).map(|fd| OwnedFd::from_raw_fd(fd)) }
}

/// Map of the kernel, open.
#[derive(Debug)]
pub(super) struct Map {
    fd: OwnedFd,
    key: usize,
    value: usize,
}

impl Map {
    /// Opens the map pinned at `path`, whose keys and values have so many bytes.
    pub fn open(path: &Path, key: usize, value: usize) -> io::Result<Map> {
        let fd = open(path)?;
        let mut info = [0u32; 4];
        let mut attributes = Attributes::default();
        attributes.put(0, fd.as_raw_fd() as u32);
        attributes.put(1, size_of_val(&info) as u32);
        attributes.point(2, info.as_mut_ptr());
        // SAFETY: the kernel writes at most the length given beside the address: kind, number, and both sizes.
        unsafe { bpf(OBJECT_INFO, &mut attributes)? };
        let (got, expected) = ((info[2] as usize, info[3] as usize), (key, value));
        if got != expected {
            return Err(io::Error::other(format!(
                "a map with keys and values of {expected:?} bytes was expected, got {got:?}"
            )));
        }
        Ok(Map { fd, key, value })
    }

    /// Sets the value of `key`.
    pub fn put(&self, key: &[u8], value: &[u8]) -> io::Result<()> {
        assert_eq!((key.len(), value.len()), (self.key, self.value));
        let mut attributes = self.about(key, value.as_ptr());
        // SAFETY: key and value have the sizes of the map.
        unsafe { bpf(MAP_UPDATE, &mut attributes) }.map(|_| ())
    }

    /// Returns the value of `key`; if `locked`, copied at one moment, under its lock.
    pub fn get(&self, key: &[u8], locked: bool) -> io::Result<Vec<u8>> {
        assert_eq!(key.len(), self.key);
        let mut value = vec![0u8; self.value];
        let mut attributes = self.about(key, value.as_mut_ptr());
        attributes.put(6, if locked { LOCKED as u32 } else { 0 });
        // SAFETY: the kernel reads a key and writes a value, of the map's sizes.
        unsafe { bpf(MAP_LOOKUP, &mut attributes)? };
        Ok(value)
    }

    fn about(&self, key: &[u8], value: *const u8) -> Attributes {
        let mut attributes = Attributes::default();
        attributes.put(0, self.fd.as_raw_fd() as u32);
        attributes.point(2, key.as_ptr());
        attributes.point(4, value);
        attributes
    }
}

/// Loaded program.
#[derive(Debug)]
pub(super) struct Program(OwnedFd);

/// Attachment of a program to an interface, for as long as this lives.
#[derive(Debug)]
pub(super) struct Link {
    _link: OwnedFd,
}

impl Program {
    /// Opens the program pinned at `path`.
    pub fn open(path: &Path) -> io::Result<Program> {
        open(path).map(Program)
    }

    /// Attaches the program to the ingress of interface number `interface`.
    pub fn attach(&self, interface: i32) -> io::Result<Link> {
        self.link(interface as u32, TCX_INGRESS)
    }

    fn link(&self, interface: u32, way: u32) -> io::Result<Link> {
        let mut attributes = Attributes::default();
        attributes.put(0, self.0.as_raw_fd() as u32);
        attributes.put(1, interface);
        attributes.put(2, way);
        // SAFETY: no attribute is an address; the descriptor is new, and ours alone.
        let link = unsafe { bpf(LINK_CREATE, &mut attributes).map(|fd| OwnedFd::from_raw_fd(fd))? };
        Ok(Link { _link: link })
    }

    /// Runs the program once, on a frame with this mark; replaces the frame by the program's output, and
    /// returns the program's result.
    pub fn test(&self, frame: &mut Vec<u8>, mark: u32) -> io::Result<u32> {
        let context = [0u32, 0, mark];
        let mut out = vec![0u8; 4096];
        let mut attributes = Attributes::default();
        attributes.put(0, self.0.as_raw_fd() as u32);
        attributes.put(2, frame.len() as u32);
        attributes.put(3, out.len() as u32);
        attributes.point(4, frame.as_ptr());
        attributes.point(6, out.as_mut_ptr());
        attributes.put(8, 1);
        attributes.put(10, size_of_val(&context) as u32);
        attributes.point(12, context.as_ptr());
        // SAFETY: the kernel reads frame and context, and writes at most the length of `out`, as given beside
        // each.
        unsafe { bpf(PROGRAM_TEST, &mut attributes)? };
        frame.clear();
        frame.extend_from_slice(&out[..attributes.0[3] as usize]);
        Ok(attributes.0[1])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_way_to_attach_that_no_kernel_has_is_said() {
        if let Err(why) = attaches(TCX_INGRESS) {
            // Not root, or an older kernel.
            assert!(why.contains("expected") || why.contains("CONFIG_"), "{why}");
            return;
        }
        let why = attaches(u32::MAX).unwrap_err();
        assert!(why.contains("CONFIG_NET_XGRESS"), "{why}");
    }
}
