//! Random frames to a running switch: none may end it, and none may be lost uncounted.
//!
//! **Frames**  14 to 1514 bytes. A quarter is noise; the rest has an address that the switch knows and a type
//!             that it reads, IPv4, IPv6, ARP or VLAN, half of these with a right IPv4 header in which one byte
//!             is changed.
//! **Sum**     frames in, less those flooded, plus their copies, are frames out, dropped, refused and held. At
//!             the interface: frames that arrived are read or dropped by the kernel; frames sent are accepted
//!             or refused by the interface.
//! **Memory**  resident memory of the switch after half of the frames and after all: a leak per frame shows.

use super::account::{all_reasons, count, leaks, taken};
use super::flood::{Source, sink, udp_frame};
use super::throughput::{Between, FASTEST, Running, start, tempdir};
use super::wiring::Wiring;
use crate::process::control;
use serde_json::Value;
use sidestep_types::{Rng, Seed};
use std::path::Path;
use std::time::{Duration, Instant};

/// Frames sent between two checks of the switch's progress.
const BATCH: u64 = 2048;
/// Time between two queries.
const STEP: Duration = Duration::from_millis(1);
/// Time without progress after which a switch counts as hanging.
const PATIENCE: Duration = Duration::from_secs(60);

/// Result of a run with random frames.
#[derive(Clone, Debug)]
pub struct Garbage {
    /// Frames sent to the switch.
    pub sent: u64,
    /// Growth of the switch in the second half, in kB.
    pub grown_kb: u64,
    /// Last counters of the switch.
    pub counters: Value,
    /// Sums that do not add up; empty if all do.
    pub wrong: Vec<String>,
}

/// Sends `frames` random frames to a switch of the program `command`, whose ports or datapath are `io`. An
/// error says that the switch ended, hangs, or cannot be run here.
pub fn garbage(command: &Path, io: &str, frames: u64, seed: u64) -> Result<Garbage, String> {
    let wiring = Wiring::new(2)?;
    let room = tempdir()?;
    let result = run(command, io, frames, seed, &wiring, &room);
    let _ = std::fs::remove_dir_all(&room);
    result
}

fn run(
    command: &Path,
    io: &str,
    frames: u64,
    seed: u64,
    wiring: &Wiring,
    room: &Path,
) -> Result<Garbage, String> {
    let mut mode = Between::Default.mode(FASTEST).expect("a switch");
    mode.io = io;
    let mut switch = start(command, wiring, room, &mode)?;
    let socket = room.join("s.sock");
    // Frames from before the switch started are not in its counters.
    let counters = control::ask(&socket, "counters")?;
    let before = arrived(wiring)?;
    let mut at_first = [0; 2];
    for (number, early) in at_first.iter_mut().enumerate() {
        *early = before[number].saturating_sub(taken(&counters, number)?);
    }
    let mut rng = Seed(seed).stream("garbage");
    let mut sent = 0;
    let mut source = wiring.hosts[0].within(|| Source::open("eth0"))?;
    let mut frame = Vec::new();
    let mut half_kb = None;
    while sent < frames {
        if half_kb.is_none() && sent >= frames / 2 {
            half_kb = Some(switch.resident_kb()?);
        }
        for _ in 0..BATCH.min(frames - sent) {
            make(&mut frame, &mut rng);
            source.send(std::iter::once(&frame[..]));
        }
        sent += BATCH.min(frames - sent);
        follow(&mut switch, &socket, source.sent(), |counters| {
            taken(counters, 0)
        })?;
    }
    // Queued frames leave, and answers of the hosts arrive: the sums are right only after that.
    let end = Instant::now();
    let (counters, mut wrong) = loop {
        if switch.ended() {
            return Err("the switch has ended".into());
        }
        let counters = control::ask(&socket, "counters")?;
        let wrong = wrong(&counters, at_first, arrived(wiring)?)?;
        if wrong.is_empty() || end.elapsed() > PATIENCE {
            break (counters, wrong);
        }
        std::thread::sleep(Duration::from_millis(20));
    };
    let grown_kb = match half_kb {
        Some(half) => switch.resident_kb()?.saturating_sub(half),
        None => 0,
    };
    wrong.extend(leaks(frames / 2, grown_kb));
    Ok(Garbage {
        sent: source.sent(),
        grown_kb,
        counters,
        wrong,
    })
}

/// Waits until the switch has received `goal` frames.
fn follow(
    switch: &mut Running,
    socket: &Path,
    goal: u64,
    seen: impl Fn(&Value) -> Result<u64, String>,
) -> Result<(), String> {
    let start = Instant::now();
    loop {
        if switch.ended() {
            return Err("the switch has ended".into());
        }
        let counters = control::ask(socket, "counters")?;
        if seen(&counters)? >= goal {
            return Ok(());
        }
        if start.elapsed() > PATIENCE {
            return Err(format!("the switch hangs: {goal} frames sent, {counters}"));
        }
        // An answer costs the switch as much as a hundred frames: constant queries would leave it little time.
        std::thread::sleep(STEP);
    }
}

/// Returns the frames that came in by each interface of the switch.
fn arrived(wiring: &Wiring) -> Result<[u64; 2], String> {
    Ok([wiring.arrived(0)?, wiring.arrived(1)?])
}

/// Returns the sums that do not add up, if `arrived` frames came by each interface, `early` of them before the
/// switch counted.
fn wrong(counters: &Value, early: [u64; 2], arrived: [u64; 2]) -> Result<Vec<String>, String> {
    let mut wrong = Vec::new();
    let mut same = |what: &str, one: u64, other: u64| {
        if one != other {
            wrong.push(format!("{what}: {one} and {other}"));
        }
    };
    let (mut came, mut went) = (0, count(counters, "/held")?);
    for number in 0..2 {
        let of = |name: &str| count(counters, &format!("/ports/p{number}/{name}"));
        came += of("rx_frames")? + of("copies")?;
        went += of("tx_frames")? + of("floods")? + all_reasons(counters, number)?;
        same(
            &format!("p{number}: frames that arrived, and that were taken"),
            arrived[number],
            taken(counters, number)? + early[number],
        );
        same(
            &format!("p{number}: frames read, and frames in"),
            of("io/received")?,
            of("rx_frames")?,
        );
        same(
            &format!("p{number}: frames out, and what the interface did with them"),
            of("tx_frames")?,
            of("io/sent")? + of("io/tx_refused")? + of("io/interface_down")?,
        );
    }
    same("frames in and copies, and what became of them", came, went);
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
    // A tag without two bytes behind it: Linux drops such a frame before any socket sees it, uncounted.
    if matches!(frame[12..14], [0x81, 0] | [0x88, 0xa8]) && frame.len() < 20 {
        frame.resize(20, 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// Returns counters of two ports in a switch's format: 10 frames by the first, one of them before the
    /// switch counted.
    fn counters() -> Value {
        json!({"held": 1, "ports": {
            "p0": {
                "rx_frames": 7, "tx_frames": 1, "floods": 1, "copies": 0,
                "drops": {"full": 1}, "refused": {"short": 2},
                "io": {"received": 7, "kernel_drops": 1, "unfinished_checksum": 1,
                       "sent": 1, "tx_refused": 0, "interface_down": 0},
            },
            "p1": {
                "rx_frames": 1, "tx_frames": 3, "floods": 0, "copies": 1,
                "drops": {"full": 0}, "refused": {"short": 0},
                "io": {"received": 1, "kernel_drops": 0, "unfinished_checksum": 0,
                       "sent": 1, "tx_refused": 1, "interface_down": 1},
            },
        }})
    }

    /// Returns the paths of all values below one.
    fn paths(value: &Value, at: &str) -> Vec<String> {
        let inside = value.as_object().into_iter().flatten();
        let below = inside.flat_map(|(key, value)| paths(value, &format!("{at}/{key}")));
        std::iter::once(at.to_string()).chain(below).collect()
    }

    #[test]
    fn what_adds_up_is_not_wrong_and_one_frame_more_anywhere_is() {
        let good = counters();
        assert_eq!(wrong(&good, [1, 0], [10, 1]), Ok(vec![]));
        for path in paths(&good, "") {
            let mut spoiled = good.clone();
            let value = spoiled.pointer_mut(&path).unwrap();
            if let Some(number) = value.as_u64() {
                *value = json!(number + 1);
                let wrong = wrong(&spoiled, [1, 0], [10, 1]).unwrap();
                assert!(!wrong.is_empty(), "{path}");
            }
        }
    }

    #[test]
    fn a_count_that_is_missing_is_an_error_and_not_0() {
        let good = counters();
        for path in paths(&good, "") {
            let mut spoiled = good.clone();
            *spoiled.pointer_mut(&path).unwrap() = Value::Null;
            let why = wrong(&spoiled, [1, 0], [10, 1]).unwrap_err();
            assert!(why.contains("in the switch's answer"), "{path}: {why}");
        }
    }
}
