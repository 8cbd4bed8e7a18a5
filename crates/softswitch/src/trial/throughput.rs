//! Throughput and cost per frame: the switch and the Linux bridge, in the same namespaces, in turn.
//!
//! **Set-up**   two hosts and a switch, each in a namespace, veth between them. One host floods from its own
//!              core; frames that arrive at the other are counted by its interface.
//! **Costs**    CPU time of the switch's main thread, and of everything: on veth the kernel does the work of a
//!              hop in the sender's time, and the bridge runs entirely there.
//! **Limit**    rate of the flood alone: the row `nothing`, counted without any switch.

use super::flood::{flood, pin, sink, udp_frame};
use super::wiring::{Wiring, mac};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::Duration;

/// Device between the hosts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Between {
    /// No device: frames end at the switch's interface.
    Nothing,
    /// The kernel's bridge.
    Bridge,
    /// The switch with its default config: AF_PACKET, polling for a while before it sleeps.
    Default,
    /// The switch with AF_PACKET, sleeping whenever there is nothing to do.
    Sleep,
    /// The switch with AF_PACKET, never sleeping.
    Busy,
    /// The switch with AF_XDP, polling for a while before it sleeps.
    Xdp,
    /// The switch as a program in the kernel.
    Ebpf,
}

/// Settings with which a switch is started.
#[derive(Clone, Copy, Debug)]
pub struct Mode<'a> {
    /// Lines of `[process]`.
    process: &'a str,
    /// `io` of every port, or `ebpf` for the datapath in the kernel.
    pub(super) io: &'a str,
    /// `rate` of every port.
    rate: &'a str,
}

/// Rate above that of any flood.
pub const FASTEST: &str = "100 Gbps";

impl Between {
    /// All devices, in the order in which they are run.
    pub const ALL: [Between; 7] = [
        Between::Nothing,
        Between::Bridge,
        Between::Default,
        Between::Sleep,
        Between::Busy,
        Between::Xdp,
        Between::Ebpf,
    ];

    /// Returns the name in tables.
    pub fn name(self) -> &'static str {
        match self {
            Between::Nothing => "nothing",
            Between::Bridge => "linux bridge",
            Between::Default => "sidestep",
            Between::Sleep => "sidestep, sleep",
            Between::Busy => "sidestep, busy",
            Between::Xdp => "sidestep, xdp",
            Between::Ebpf => "sidestep, ebpf",
        }
    }

    /// Returns the settings of the switch, if the device is one; its ports have this rate.
    pub(super) fn mode(self, rate: &str) -> Option<Mode<'_>> {
        let (process, io) = match self {
            Between::Nothing | Between::Bridge => return None,
            Between::Default => ("", "packet"),
            Between::Sleep => ("poll = \"0 us\"\n", "packet"),
            Between::Busy => ("wait = \"busy\"\n", "packet"),
            Between::Xdp => ("", "xdp"),
            Between::Ebpf => ("", "ebpf"),
        };
        Some(Mode { process, io, rate })
    }
}

/// Result of one flood.
#[derive(Clone, Copy, Debug)]
pub struct Throughput {
    /// Device between the hosts.
    pub between: Between,
    /// Bytes of each frame, without FCS.
    pub bytes: usize,
    /// Frames sent a second.
    pub sent_per_s: f64,
    /// Frames received a second.
    pub received_per_s: f64,
    /// CPU time of the switch's main thread per frame received, in nanoseconds.
    pub switch_ns: f64,
    /// CPU time of the switch's main thread and of the flood, per frame received, in nanoseconds.
    pub all_ns: f64,
}

/// Floods frames of `bytes` for `time`. `command` is the `sidestep` program.
pub fn throughput(
    command: &Path,
    between: Between,
    bytes: usize,
    time: Duration,
) -> Result<Throughput, String> {
    let wiring = Wiring::new(2)?;
    let room = tempdir()?;
    let result = measure(command, between, bytes, time, &wiring, &room);
    let _ = std::fs::remove_dir_all(&room);
    result
}

fn measure(
    command: &Path,
    between: Between,
    bytes: usize,
    time: Duration,
    wiring: &Wiring,
    room: &Path,
) -> Result<Throughput, String> {
    let switch = match between.mode(FASTEST) {
        Some(mode) => Some(start(command, wiring, room, &mode)?),
        None if between == Between::Bridge => {
            bridge(wiring)?;
            None
        }
        None => None,
    };
    let arrived = || match between {
        Between::Nothing => wiring.arrived(0),
        _ => wiring.received(1),
    };
    let switch_ns = || switch.as_ref().map_or(Ok(0), Running::cpu_ns);
    std::thread::sleep(Duration::from_millis(200));
    let (before, cpu) = (arrived()?, switch_ns()?);
    let frame = udp_frame(bytes, 0, 1);
    let (flooded, flood_ns) = wiring.hosts[0].within(|| {
        pin(1);
        let cpu = thread_cpu_ns();
        flood("eth0", &frame, time).map(|flooded| (flooded, thread_cpu_ns() - cpu))
    })?;
    std::thread::sleep(Duration::from_millis(50));
    let received = (arrived()? - before).max(1) as f64;
    let switch_cpu = (switch_ns()? - cpu) as f64;
    Ok(Throughput {
        between,
        bytes,
        sent_per_s: flooded.frames as f64 / flooded.seconds,
        received_per_s: received / flooded.seconds,
        switch_ns: switch_cpu / received,
        all_ns: (switch_cpu + flood_ns as f64) / received,
    })
}

/// Puts the kernel's bridge between the hosts.
pub(super) fn bridge(wiring: &Wiring) -> Result<(), String> {
    let space = &wiring.switch;
    space.ip("link add br0 type bridge")?;
    space.ip("link set p0 master br0")?;
    space.ip("link set p1 master br0")?;
    space.ip("link set br0 up")?;
    // The port of the frames' destination is configured, as in the switch's config.
    let mac = sink(1).map(|byte| format!("{byte:02x}")).join(":");
    space.run("bridge", &format!("fdb add {mac} dev p1 master static"))?;
    Ok(())
}

/// Running switch, on core 0; ended when this is dropped.
pub struct Running(Child);

/// Starts a switch between the hosts of `wiring` and waits until it runs.
pub fn start(
    command: &Path,
    wiring: &Wiring,
    room: &Path,
    mode: &Mode<'_>,
) -> Result<Running, String> {
    let socket = room.join("s.sock");
    let Mode { process, io, rate } = mode;
    let (io, datapath) = match *io {
        "ebpf" => ("packet", "ebpf"),
        io => (io, "packet"),
    };
    let mut text = format!(
        "[switch]\ncapacity = \"2000 pkt\"\nbuffer = \"droptail\"\n\
         [process]\n{process}control = \"{}\"\n",
        socket.display()
    );
    for number in 0..wiring.hosts.len() {
        text += &format!("[[port]]\ninterface = \"p{number}\"\nrate = \"{rate}\"\nio = \"{io}\"\n");
        let sink = sink(number as u8)
            .map(|byte| format!("{byte:02x}"))
            .join(":");
        for mac in [sink, mac(number)] {
            text += &format!("[[station]]\nmac = \"{mac}\"\nports = [\"p{number}\"]\n");
        }
    }
    let config = room.join("trial.toml");
    std::fs::write(&config, text).map_err(|e| format!("cannot write {}: {e}", config.display()))?;
    let log = room.join("log");
    let said = std::fs::File::create(&log).map_err(|e| e.to_string())?;
    let mut spawn = wiring.switch.command(&command.display().to_string());
    // SAFETY: a plain system call between fork and exec.
    unsafe {
        spawn.pre_exec(|| {
            pin(0);
            Ok(())
        });
    }
    let child = (spawn.args(["switch", "--datapath", datapath]).arg(&config))
        .stdout(Stdio::null())
        .stderr(said)
        .spawn()
        .map_err(|e| format!("cannot run {}: {e}", command.display()))?;
    let mut running = Running(child);
    // As long as a busy machine may take to start a program.
    for _ in 0..6000 {
        if crate::process::control::ask(&socket, "counters").is_ok() {
            return Ok(running);
        }
        if running.ended() {
            break;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    let said = std::fs::read_to_string(&log).unwrap_or_default();
    Err(format!("the switch does not start: {}", said.trim()))
}

impl Running {
    /// Returns the CPU time of the main thread so far, in nanoseconds.
    pub(super) fn cpu_ns(&self) -> Result<u64, String> {
        let id = self.0.id();
        let path = format!("/proc/{id}/task/{id}/schedstat");
        let text = std::fs::read_to_string(&path).map_err(|e| format!("{path}: {e}"))?;
        let first = text.split_whitespace().next().and_then(|n| n.parse().ok());
        first.ok_or_else(|| format!("{path}: expected a number, got {text:?}"))
    }

    /// Returns its resident memory.
    pub(super) fn resident_kb(&self) -> Result<u64, String> {
        let path = format!("/proc/{}/status", self.0.id());
        let text = std::fs::read_to_string(&path).map_err(|e| format!("{path}: {e}"))?;
        let line = text.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        let number = line.and_then(|line| line.split_whitespace().next()?.parse().ok());
        number.ok_or_else(|| format!("{path}: expected VmRSS in kB, got {line:?}"))
    }

    /// Returns true if the switch has ended, which means that it crashed.
    pub fn ended(&mut self) -> bool {
        !matches!(self.0.try_wait(), Ok(None))
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn thread_cpu_ns() -> u64 {
    // SAFETY: the kernel fills the whole of `now`.
    let now = unsafe {
        let mut now: libc::timespec = std::mem::zeroed();
        libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &raw mut now);
        now
    };
    now.tv_sec as u64 * 1_000_000_000 + now.tv_nsec as u64
}

/// Creates a folder that the unprivileged switch may look into.
pub fn tempdir() -> Result<std::path::PathBuf, String> {
    let nanos = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    let unique = nanos.map_or(0, |n| n.as_nanos());
    let path = std::env::temp_dir().join(format!("sidestep-trial-{}-{unique}", std::process::id()));
    std::fs::create_dir(&path).map_err(|e| format!("cannot make {}: {e}", path.display()))?;
    Ok(path)
}
