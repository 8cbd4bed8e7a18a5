//! Testbed whose host 0 has one of the two DCTCPs, and its connections with a [`Wire`] at the other end.

use crate::common::{Bed, DCTCP, inside, say, star, within};
use crate::wire::{CWR, ECE, HERE, HOST, Wire, introduce};
use sidestep_testbed::network::blueprint::{Congestion, HostSettings, Kernel};
use sidestep_testbed::traffic::{Alpha, TcpInfo, control, tcp_info};
use std::net::{SocketAddrV4, TcpListener, TcpStream};
use std::os::fd::AsRawFd;

/// Payload of a full segment.
pub const MSS: u32 = 1460;

/// Timeout that never expires in a test: a minute.
const NEVER_US: u64 = 60_000_000;

/// Origin of the DCTCP.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Whose {
    /// Our BPF program, with an initial alpha of one half.
    Ours,
    /// The kernel's module.
    Kernels,
}

impl Whose {
    /// Returns the value of [`shown`] before the first window has ended.
    pub fn initial_alpha(self) -> u32 {
        match self {
            Whose::Ours => 512,
            Whose::Kernels => 1024,
        }
    }
}

/// Testbed with one of the two DCTCPs at its host.
pub struct Room {
    bed: Bed,
    pub whose: Whose,
}

impl Room {
    /// Runs a test with each DCTCP of this machine; reports the reason if one is missing.
    pub fn each(name: &str, test: impl Fn(&Room)) {
        if let Some(room) = Room::new(name, Whose::Ours) {
            test(&room);
        }
        // Not a failure even if `SIDESTEP_MUST_RUN` is set: no tool adds a module that the kernel was built
        // without.
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
            // Differs from the module's parameters.
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
            // Without mechanisms that retransmit by themselves.
            kernel: Kernel::Plain,
            ..print.settings
        };
        let bed = Bed::up_or_skip(print)?;
        introduce(&bed.0.host_space(0));
        stay_on_one_core();
        Some(Room { bed, whose })
    }

    /// Returns the expected name of the congestion control of the host's connections.
    pub fn control(&self) -> String {
        match self.whose {
            Whose::Ours => crate::common::congestion(&self.bed.0.name),
            Whose::Kernels => "dctcp".into(),
        }
    }

    /// Returns the expected name after the peer refused ECN.
    pub fn fallback(&self) -> &'static str {
        match self.whose {
            Whose::Ours => "reno",
            Whose::Kernels => "dctcp-reno",
        }
    }

    /// Sets a value of the host's kernel.
    pub fn set(&self, key: &str, value: &str) {
        let key = format!("net.ipv4.{key}={value}");
        inside(&self.bed.0.host_space(0), &["sysctl", "-q", "-w", &key]);
    }

    /// Returns a counter of the host's /proc/net/netstat.
    pub fn counted(&self, name: &str) -> u64 {
        let text = inside(&self.bed.0.host_space(0), &["cat", "/proc/net/netstat"]);
        let lines: Vec<&str> = text.lines().collect();
        let both = lines.chunks(2).find_map(|two| {
            let place = two[0].split(' ').position(|word| word == name)?;
            two[1].split(' ').nth(place)?.parse().ok()
        });
        both.unwrap_or_else(|| panic!("{name}: {text}"))
    }

    /// Opens a wire at the other host's interface.
    pub fn wire(&self) -> Wire {
        within(&self.bed.0.host_space(1), || Wire::new().unwrap())
    }

    /// Makes the wire open a connection, with or without a request for ECN.
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

    /// Makes the host open a connection; the wire grants ECN or does not.
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

/// Returns the kernel's state of a connection.
pub fn info(stream: &TcpStream) -> TcpInfo {
    tcp_info(stream).unwrap()
}

/// Returns a connection's alpha, in 1024ths.
pub fn shown(stream: &TcpStream) -> Option<u32> {
    Alpha::of(stream).unwrap().read(stream)
}

/// Returns the name of a connection's congestion control.
pub fn called(stream: &TcpStream) -> String {
    control(stream).unwrap()
}

/// Pins this thread to its core. The core that sends a frame also carries it through qdiscs, bridge and the
/// other end's TCP. If a thread moves in the middle of a burst, two cores carry frames and acknowledgements
/// past each other, and on a busy machine the wire then reads them in another order than they were sent.
fn stay_on_one_core() {
    // SAFETY: an all-zero set is empty; the call reads it; a thread number of 0 stands for this thread.
    let kept = unsafe {
        let mut set: libc::cpu_set_t = std::mem::zeroed();
        libc::CPU_SET(libc::sched_getcpu() as usize, &mut set);
        libc::sched_setaffinity(0, size_of::<libc::cpu_set_t>(), &raw const set)
    };
    assert_eq!(kept, 0, "{}", std::io::Error::last_os_error());
}

fn available(name: &str) -> bool {
    // A request by a socket makes the kernel load the module.
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
