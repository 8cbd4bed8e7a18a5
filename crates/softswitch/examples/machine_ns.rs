//! Nanoseconds of the switch alone for one frame: receive, poll_send, release. No I/O.
//!
//!     cargo run --release -p sidestep-softswitch --example machine_ns [ROW [FRAMES]]
//!
//! With a ROW, only the rows that begin so are run, with 1500 B only, and with so many FRAMES: two runs with
//! different FRAMES under `valgrind --tool=callgrind` give the instructions of a frame.

use sidestep_softswitch::frame::{self, sample::Sample};
use sidestep_softswitch::machine::Machine;
use sidestep_softswitch::setup::Setup;
use sidestep_types::{PortId, Time};
use std::hint::black_box;
use std::time::Instant;

const FRAMES: u64 = 4_000_000;

/// Arguments of the command line.
struct Args {
    row: Option<String>,
    frames: u64,
}

impl Args {
    fn read() -> Args {
        let mut args = std::env::args().skip(1);
        let row = args.next();
        let frames = args.next().map(|n| n.parse().expect("a number of frames"));
        Args {
            row,
            frames: frames.unwrap_or(FRAMES),
        }
    }
}

/// Config with class queues, behind a port that marks.
const BY_SIZE: &str = "buffer = { kind = \"mulbuff\", per_flow = \"9 pkt\", long = 0, product = \"50 kB\" }\n\
                       sched = \"wps\"\ncapacity = \"250 kB\"\n# by-size";

fn main() {
    let asked = Args::read();
    println!("{:<34}{:>8}{:>8}", "ns per frame", "64 B", "1500 B");
    let bytes = [0, 1446].map(|payload| Sample::tcp(1, 2, payload).bytes());
    let v6 = [0, 1426].map(|payload| Sample::tcp(1, 2, payload).over_v6().bytes());
    asked.row("read, IPv4", &bytes, reading);
    asked.row("read, IPv6", &v6, reading);
    for (name, switch, ports) in [
        ("droptail, 5 ports", "", 5),
        ("droptail, 256 ports", "", 256),
        ("dibs, 5 ports", "buffer = \"dibs\"", 5),
        ("shared memory, 5 ports", "capacity = \"shared\"", 5),
        ("priority, 5 ports", "sched = \"priority\"", 5),
        ("learning, 5 ports", "forwarding = \"learning\"", 5),
        (
            "pfabric, 5 ports",
            "buffer = \"pfabric\"\nsched = \"pfabric\"",
            5,
        ),
        ("strict, 5 ports", "sched = \"strict\"", 5),
        ("ps, 5 ports", "sched = \"ps\"", 5),
        ("wps, 5 ports", "sched = \"wps\"", 5),
        (
            "mulbuff and wps, 5 ports",
            "buffer = { kind = \"mulbuff\", per_flow = \"9 pkt\" }\nsched = \"wps\"\ncapacity = \"250 kB\"",
            5,
        ),
        (
            "the same, count by bitmaps",
            "buffer = { kind = \"mulbuff\", per_flow = \"9 pkt\" }\nsched = { kind = \"wps\", count = \"approximate\" }\n\
             capacity = \"250 kB\"",
            5,
        ),
        ("by-size, mulbuff and wps, 5 ports", BY_SIZE, 5),
    ] {
        asked.row(name, &bytes, |b, frames| {
            switching(b, frames, switch, ports)
        });
    }
}

impl Args {
    /// Prints one row, for a short and a long frame.
    fn row(&self, name: &str, bytes: &[Vec<u8>; 2], ns: impl Fn(&[u8], u64) -> f64) {
        let ns = |bytes: &[u8]| ns(bytes, self.frames);
        match &self.row {
            None => println!("{name:<34}{:>8.1}{:>8.1}", ns(&bytes[0]), ns(&bytes[1])),
            Some(row) if name.starts_with(row) => {
                println!("{name:<34}{:>8}{:>8.1}", "", ns(&bytes[1]));
            }
            Some(_) => {}
        }
    }
}

fn reading(bytes: &[u8], frames: u64) -> f64 {
    let start = Instant::now();
    for _ in 0..frames {
        black_box(frame::read(black_box(bytes))).expect("a sound frame");
    }
    start.elapsed().as_nanos() as f64 / frames as f64
}

/// Switches frames, eight in and eight out, as in a driver's batches; the queue never overflows.
fn switching(bytes: &[u8], frames: u64, switch: &str, ports: u16) -> f64 {
    let mut text = format!("[switch]\n{switch}\n");
    for port in 0..ports {
        text += &format!("[[port]]\ninterface = \"p{port}\"\nrate = \"100 Gbps\"\n");
        if port < 2 && switch == BY_SIZE {
            text += "shims = [\"by-size\"]\nby-size = { by = \"sent\" }\n";
        }
    }
    text +=
        "[[station]]\nmac = \"02:00:00:00:00:02\"\naddresses = [\"10.77.0.2\"]\nports = [\"p1\"]\n";
    text += "[[station]]\nmac = \"02:00:00:00:00:01\"\nports = [\"p0\"]\n";
    let setup = Setup::read("bench.toml", &text).expect("a sound config");
    let mut machine = Machine::new(&setup).expect("a switch");
    let mut now = Time::ZERO;
    let start = Instant::now();
    for _ in 0..frames / 8 {
        for _ in 0..8 {
            machine.receive(now, PortId(0), black_box(bytes));
        }
        now += Time::from_us(2);
        while let Some(departure) = machine.poll_send(now) {
            black_box(machine.frame(departure.handle));
            machine.release(departure.handle);
        }
    }
    let ns = start.elapsed().as_nanos() as f64 / frames as f64;
    let sent: u64 = machine
        .counters(now)
        .ports
        .iter()
        .map(|port| port.frames.tx_frames)
        .sum();
    let copies = if switch.contains("learning") {
        sent
    } else {
        frames / 8 * 8
    };
    assert_eq!(sent, copies, "every frame went through");
    ns
}
