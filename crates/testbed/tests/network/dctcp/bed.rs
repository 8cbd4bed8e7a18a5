//! A testbed whose host 0 has one of the two DCTCPs, and connections of it with a [`Wire`] at the other end.

use crate::common::{Bed, DCTCP, inside, say, star, within};
use crate::wire::{CWR, ECE, HERE, HOST, Wire, introduce};
use sidestep_testbed::network::blueprint::{Congestion, HostSettings, Kernel};
use sidestep_testbed::traffic::{Alpha, TcpInfo, control, tcp_info};
use std::net::{SocketAddrV4, TcpListener, TcpStream};
use std::os::fd::AsRawFd;

/// Bytes of a full segment.
pub const MSS: u32 = 1460;

/// Timers of connections that never have to run out: a minute.
const NEVER_US: u64 = 60_000_000;

/// Whose DCTCP it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Whose {
    /// Our BPF program, with an alpha that begins at one half.
    Ours,
    /// The kernel's module.
    Kernels,
}

impl Whose {
    /// What [`Room::shown`] says before any window has ended.
    pub fn initial_alpha(self) -> u32 {
        match self {
            Whose::Ours => 512,
            Whose::Kernels => 1024,
        }
    }
}

/// A testbed with a host for one of the two.
pub struct Room {
    bed: Bed,
    pub whose: Whose,
}

impl Room {
    /// For each DCTCP that this machine can have, with the reason said for the other.
    pub fn each(name: &str, test: impl Fn(&Room)) {
        if let Some(room) = Room::new(name, Whose::Ours) {
            test(&room);
        }
        // However much must run, no tool brings a module that the kernel was built without.
        match available("dctcp") {
            false => say(
                "left out: the kernel's own dctcp, which this kernel has not (CONFIG_TCP_CONG_DCTCP)",
            ),
            true => {
                if let Some(room) = Room::new(name, Whose::Kernels) {
                    test(&room);
                }
            }
        }
    }

    fn new(name: &str, whose: Whose) -> Option<Room> {
        let congestion = match whose {
            // No module's parameters.
            Whose::Ours => Congestion::Dctcp {
                gain: 64,
                initial_alpha: whose.initial_alpha(),
            },
            Whose::Kernels => DCTCP,
        };
        let mut print = star(name, 2);
        print.settings = HostSettings {
            congestion,
            ecn: true,
            fast_retransmit: Some(3),
            sack: true,
            rto_min_us: NEVER_US,
            delayed_ack: true,
            // Nothing but what the test sends makes it send again.
            kernel: Kernel::Plain,
            ..print.settings
        };
        let bed = Bed::up_or_skip(print)?;
        introduce(&bed.0.host_space(0));
        stay_on_one_core();
        Some(Room { bed, whose })
    }

    /// What the host's connections are called to have for a congestion control.
    pub fn control(&self) -> String {
        match self.whose {
            Whose::Ours => crate::common::congestion(&self.bed.0.name),
            Whose::Kernels => "dctcp".into(),
        }
    }

    /// What one is called to have whose peer refused ECN.
    pub fn fallback(&self) -> &'static str {
        match self.whose {
            Whose::Ours => "reno",
            Whose::Kernels => "dctcp-reno",
        }
    }

    /// A value of the host's kernel.
    pub fn set(&self, key: &str, value: &str) {
        let key = format!("net.ipv4.{key}={value}");
        inside(&self.bed.0.host_space(0), &["sysctl", "-q", "-w", &key]);
    }

    /// One of its counts, as /proc/net/netstat has it.
    pub fn counted(&self, name: &str) -> u64 {
        let text = inside(&self.bed.0.host_space(0), &["cat", "/proc/net/netstat"]);
        let lines: Vec<&str> = text.lines().collect();
        let both = lines.chunks(2).find_map(|two| {
            let place = two[0].split(' ').position(|word| word == name)?;
            two[1].split(' ').nth(place)?.parse().ok()
        });
        both.unwrap_or_else(|| panic!("{name}: {text}"))
    }

    /// A wire at the other host's interface.
    pub fn wire(&self) -> Wire {
        within(&self.bed.0.host_space(1), || Wire::new().unwrap())
    }

    /// A connection that the wire opens; asks for ECN or does not.
    pub fn answered(&self, ecn: bool) -> (Wire, TcpStream) {
        let mut wire = self.wire();
        let listener = within(&self.bed.0.host_space(0), || {
            TcpListener::bind((HOST, 0)).unwrap()
        });
        let port = listener.local_addr().unwrap().port();
        let asks = if ecn { ECE | CWR } else { 0 };
        let answer = wire.connect(port, asks);
        assert_eq!(answer.has(ECE), ecn, "{answer:?}");
        let (stream, _) = listener.accept().unwrap();
        (wire, stream)
    }

    /// A connection that the host opens; the wire grants ECN or does not.
    pub fn asked(&self, ecn: bool) -> (Wire, TcpStream) {
        let mut wire = self.wire();
        let to = SocketAddrV4::new(HERE, wire.port());
        let space = self.bed.0.host_space(0);
        std::thread::scope(|scope| {
            let opens = scope.spawn(|| within(&space, || TcpStream::connect(to).unwrap()));
            let asked = wire.accept(if ecn { ECE } else { 0 });
            assert!(asked.has(ECE | CWR), "{asked:?}");
            let stream = opens.join().unwrap();
            (wire, stream)
        })
    }
}

/// What the kernel says of a connection.
pub fn info(stream: &TcpStream) -> TcpInfo {
    tcp_info(stream).unwrap()
}

/// Its alpha, in 1024ths.
pub fn shown(stream: &TcpStream) -> Option<u32> {
    Alpha::of(stream).unwrap().read(stream)
}

/// What its congestion control is called.
pub fn called(stream: &TcpStream) -> String {
    control(stream).unwrap()
}

/// Keeps this thread on the core that it is on. A frame is carried by the core that sends it, through qdiscs, bridge and the
/// other end's TCP; a thread that moves in the middle of a burst has two cores carry frames and acknowledgements past each
/// other, and on a busy machine the wire then reads them in another order than they were made in.
fn stay_on_one_core() {
    // SAFETY: an all-zero set is the empty one; the call reads it; a number of 0 means this thread.
    let kept = unsafe {
        let mut set: libc::cpu_set_t = std::mem::zeroed();
        libc::CPU_SET(libc::sched_getcpu() as usize, &mut set);
        libc::sched_setaffinity(0, size_of::<libc::cpu_set_t>(), &raw const set)
    };
    assert_eq!(kept, 0, "{}", std::io::Error::last_os_error());
}

fn available(name: &str) -> bool {
    // Asked for by a socket, for which a kernel loads the module.
    let socket = TcpListener::bind("127.0.0.1:0").unwrap();
    // SAFETY: the pointer and length are of the name.
    let set = unsafe {
        libc::setsockopt(
            socket.as_raw_fd(),
            libc::IPPROTO_TCP,
            libc::TCP_CONGESTION,
            name.as_ptr().cast(),
            name.len() as libc::socklen_t,
        )
    };
    set == 0
}
