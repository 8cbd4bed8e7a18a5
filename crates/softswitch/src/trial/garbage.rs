//! Random frames at a running switch: none may end it, and none may be lost uncounted.
//!
//! **Frames**  14 to 1514 bytes. A quarter is noise; the rest has an address that the switch knows
//!             and a type that it reads, IPv4, IPv6, ARP or VLAN, half of these with a right IPv4
//!             header of which one byte is changed.
//! **Sum**     frames in, less those flooded, plus their copies, are frames out, dropped, refused
//!             and held. At the interface: arrived is read or dropped by the kernel; sent is given,
//!             or refused by the interface.

use super::flood::{Source, sink, udp_frame};
use super::throughput::{Running, start, tempdir};
use super::wiring::Wiring;
use crate::process::control;
use serde_json::Value;
use sidestep_types::{Rng, Seed};
use std::path::Path;
use std::time::{Duration, Instant};

/// Frames sent before the switch is asked how far it is.
const BATCH: u64 = 2048;
/// A switch that does not get on for so long hangs.
const PATIENCE: Duration = Duration::from_secs(60);

/// What became of random frames.
#[derive(Clone, Debug)]
pub struct Garbage {
    /// Frames that were sent at it.
    pub sent: u64,
    /// Its last counters.
    pub counters: Value,
    /// What does not add up; empty when all does.
    pub wrong: Vec<String>,
}

/// Sends `frames` random frames to a switch of the program `command`. An error says that it ended,
/// hangs, or cannot be tried here.
pub fn garbage(command: &Path, frames: u64, seed: u64) -> Result<Garbage, String> {
    let wiring = Wiring::new(2)?;
    let room = tempdir()?;
    let result = run(command, frames, seed, &wiring, &room);
    let _ = std::fs::remove_dir_all(&room);
    result
}

fn run(
    command: &Path,
    frames: u64,
    seed: u64,
    wiring: &Wiring,
    room: &Path,
) -> Result<Garbage, String> {
    let mut switch = start(command, wiring, room, "sleep", "packet")?;
    let socket = room.join("s.sock");
    // What came before the switch did is not for it to count.
    let at_first = early(&control::ask(&socket, "counters")?, wiring)?;
    let mut rng = Seed(seed).stream("garbage");
    let mut sent = 0;
    let mut source = wiring.hosts[0].within(|| Source::open("eth0"))?;
    let mut frame = Vec::new();
    while sent < frames {
        for _ in 0..BATCH.min(frames - sent) {
            make(&mut frame, &mut rng);
            source.send(std::iter::once(&frame[..]));
        }
        sent += BATCH.min(frames - sent);
        follow(&mut switch, &socket, source.sent(), |counters| {
            taken(&counters["ports"]["p0"]["io"])
        })?;
    }
    // What is queued leaves, and what the hosts answer comes: all of it adds up once it has.
    let end = Instant::now();
    let (counters, wrong) = loop {
        if switch.ended() {
            return Err("the switch has ended".into());
        }
        let counters = control::ask(&socket, "counters")?;
        let wrong = wrong(&counters, at_first, wiring)?;
        if wrong.is_empty() || end.elapsed() > PATIENCE {
            break (counters, wrong);
        }
        std::thread::sleep(Duration::from_millis(20));
    };
    Ok(Garbage {
        sent: source.sent(),
        counters,
        wrong,
    })
}

/// Waits until the switch has seen `goal` frames.
fn follow(
    switch: &mut Running,
    socket: &Path,
    goal: u64,
    seen: impl Fn(&Value) -> u64,
) -> Result<(), String> {
    let start = Instant::now();
    loop {
        if switch.ended() {
            return Err("the switch has ended".into());
        }
        let counters = control::ask(socket, "counters")?;
        if seen(&counters) >= goal {
            return Ok(());
        }
        if start.elapsed() > PATIENCE {
            return Err(format!("the switch hangs: {goal} frames sent, {counters}"));
        }
    }
}

fn count(value: &Value) -> u64 {
    value.as_u64().unwrap_or(0)
}

/// Frames that were read, or dropped where that is counted, before the switch decides.
fn taken(io: &Value) -> u64 {
    count(&io["received"]) + count(&io["kernel_drops"]) + count(&io["unfinished_checksum"])
}

/// Frames at each interface that are not in the counters.
fn early(counters: &Value, wiring: &Wiring) -> Result<[u64; 2], String> {
    let mut early = [0; 2];
    for (number, early) in early.iter_mut().enumerate() {
        let io = &counters["ports"][format!("p{number}")]["io"];
        *early = wiring.arrived(number)?.saturating_sub(taken(io));
    }
    Ok(early)
}

fn wrong(counters: &Value, at_first: [u64; 2], wiring: &Wiring) -> Result<Vec<String>, String> {
    let names = ["p0", "p1"];
    let sum = |key: &str| -> u64 {
        names
            .iter()
            .map(|n| count(&counters["ports"][n][key]))
            .sum()
    };
    let reasons = |key: &str| -> u64 {
        let of = |name: &&str| counters["ports"][name][key].as_object();
        let all = names.iter().filter_map(of);
        all.flat_map(|reasons| reasons.values().map(count)).sum()
    };
    let mut wrong = Vec::new();
    let mut same = |what: &str, one: u64, other: u64| {
        if one != other {
            wrong.push(format!("{what}: {one} and {other}"));
        }
    };
    same(
        "frames in and copies, and what became of them",
        sum("rx_frames") + sum("copies") - sum("floods"),
        sum("tx_frames") + reasons("drops") + reasons("refused") + count(&counters["held"]),
    );
    for (number, name) in names.iter().enumerate() {
        let port = &counters["ports"][name];
        let io = &port["io"];
        same(
            &format!("{name}: frames that arrived, and that were taken"),
            wiring.arrived(number)?,
            taken(io) + at_first[number],
        );
        same(
            &format!("{name}: frames read, and frames in"),
            count(&io["received"]),
            count(&port["rx_frames"]),
        );
        same(
            &format!("{name}: frames out, and what the interface did with them"),
            count(&port["tx_frames"]),
            count(&io["sent"]) + count(&io["tx_refused"]) + count(&io["interface_down"]),
        );
    }
    Ok(wrong)
}

fn make(frame: &mut Vec<u8>, rng: &mut Rng) {
    const TYPES: [[u8; 2]; 4] = [[8, 0], [0x86, 0xdd], [8, 6], [0x81, 0]];
    let length = 14 + (rng.draw() % 1501) as usize;
    let kind = rng.draw() % 8;
    if kind >= 5 {
        *frame = udp_frame(length, 0, 1);
        let at = 14 + rng.draw() as usize % (frame.len() - 14).min(40);
        frame[at] = rng.draw() as u8;
        return;
    }
    frame.clear();
    frame.resize(length, 0);
    for bytes in frame.chunks_mut(4) {
        let draw = rng.draw().to_le_bytes();
        bytes.copy_from_slice(&draw[..bytes.len()]);
    }
    if kind >= 2 {
        frame[..6].copy_from_slice(&sink(1));
        frame[6] &= 0xfe;
        frame[12..14].copy_from_slice(&TYPES[rng.draw() as usize % 4]);
    }
    // A tag without two bytes behind it: Linux drops that before any socket sees it, uncounted.
    if matches!(frame[12..14], [0x81, 0] | [0x88, 0xa8]) && frame.len() < 20 {
        frame.resize(20, 0);
    }
}
