//! Comparison of program and machine: the same frames, valid and damaged, at the same times by the same ports;
//! compares the result and bytes of each frame, and at the end every counter.

use super::can;
use crate::ebpf::still::{Became, Still};
use crate::frame::{self, FrameContent, Refusal, sample::Sample};
use crate::machine::{FrameAction, FrameEvent, Machine};
use crate::setup::Setup;
use sidestep_switch::{Changes, Event};
use sidestep_types::{PortId, Rng, Seed, Time};
use std::sync::{Arc, Mutex};

/// Event of a frame in the machine, and its bytes.
type Fate = (FrameAction, Vec<u8>);

struct Both {
    machine: Machine,
    still: Still,
    fates: Arc<Mutex<Vec<Fate>>>,
    now: Time,
}

impl Both {
    fn new(switch: &str) -> Both {
        let mut text = format!("seed = 3\n[switch]\n{switch}\n");
        for port in 0..6 {
            let leads_to = if port < 2 { "host" } else { "switch" };
            let rate = if port % 2 == 0 { "1 Gbps" } else { "300 Mbps" };
            text += &format!(
                "[[port]]\ninterface = \"p{port}\"\nrate = \"{rate}\"\nleads_to = \"{leads_to}\"\nflood = {}\n",
                port != 4
            );
        }
        for (station, ports) in [(1, "\"p0\""), (2, "\"p1\""), (3, "\"p2\", \"p3\", \"p5\"")] {
            text += &format!(
                "[[station]]\nmac = \"02:00:00:00:00:0{station}\"\naddresses = [\"10.77.0.{station}\"]\nports = [{ports}]\n"
            );
        }
        let setup = Setup::read("s", &text).expect("a config");
        let fates = Arc::new(Mutex::new(Vec::new()));
        let mut machine = Machine::new(&setup).expect("a switch");
        let seen = Arc::clone(&fates);
        machine.watch(Some(Box::new(move |event: &FrameEvent<'_>| {
            if !matches!(event.what, FrameAction::Left { .. }) {
                let fate = (event.what, event.frame.to_vec());
                seen.lock().expect("one thread").push(fate);
            }
        })));
        Both {
            machine,
            still: Still::new(&setup, None).expect("a program"),
            fates,
            now: Time::ZERO,
        }
    }

    /// Receives a frame in both, compares the results, and returns the program's.
    fn receive(&mut self, port: PortId, bytes: &[u8]) -> Became {
        while let Some(departure) = self.machine.poll_send(self.now) {
            self.machine.release(departure.handle);
        }
        self.machine.receive(self.now, port, bytes);
        let fates = std::mem::take(&mut *self.fates.lock().expect("one thread"));
        let (became, out) = (self.still.receive(self.now, port, bytes)).expect("a test run");
        let about = || {
            format!(
                "{became:?}, not {fates:?}: {bytes:02x?} by {port:?} at {}",
                self.now
            )
        };
        if became == Became::Flooded {
            assert!(bytes[0] & 1 == 1, "{}", about());
            return became;
        }
        let fate = fates.last().expect("something happened");
        match (became, fate.0) {
            (
                Became::Queued {
                    wanted,
                    port,
                    ahead,
                    marked,
                    departs,
                },
                FrameAction::Switched(Event::Enqueue(joined)),
            ) => {
                assert_eq!((wanted, port), (joined.wanted, joined.port), "{}", about());
                assert_eq!(ahead, joined.ahead.packets, "{}", about());
                assert_eq!(marked, joined.changes.has(Changes::MARKED), "{}", about());
                assert!(departs > self.now, "{}", about());
                assert_eq!(out, fate.1, "{}", about());
            }
            (
                Became::Dropped { wanted, reason },
                FrameAction::Switched(Event::Drop {
                    port: other,
                    reason: why,
                }),
            ) => assert_eq!((wanted, reason), (other, why), "{}", about()),
            (Became::Refused(why), FrameAction::Refused(other)) => {
                assert_eq!(why, other, "{}", about())
            }
            _ => panic!("{}", about()),
        }
        became
    }

    /// Checks that every counter is the same at the end, and that no frame is lost.
    fn agree(&mut self) {
        while let Some(departure) = self.machine.poll_send(self.now) {
            self.machine.release(departure.handle);
        }
        let machine = self.machine.counters(self.now);
        let still = self.still.counters(self.now).expect("maps");
        assert_eq!(machine.held, still.held);
        for (one, other) in machine.ports.iter().zip(&still.ports) {
            assert_eq!(one, other);
        }
    }
}

/// Returns a random frame of a host or of a neighbour, valid in about half of the cases.
fn make(rng: &mut Rng) -> Vec<u8> {
    const TYPES: [[u8; 2]; 6] = [
        [8, 0],
        [0x86, 0xdd],
        [8, 6],
        [0x81, 0],
        [0, 46],
        [0x88, 0xb5],
    ];
    let mut sample = Sample::tcp(1 + rng.below(4) as u8, 1 + rng.below(3) as u8, 0);
    sample.payload = vec![7; [0, 1, 100, 1000, 1400][rng.below(5) as usize]];
    sample.flags = [Some(0x10), Some(0x02), Some(0x12), Some(0x11), None][rng.below(5) as usize];
    sample.ports = (rng.below(50) as u16, 80);
    sample.ttl = [64, 64, 64, 2, 1, 0][rng.below(6) as usize];
    sample.tos = [0, 1, 2, 3, 0xb9][rng.below(5) as usize];
    if rng.below(3) == 0 {
        sample = sample.over_v6();
    }
    let mut bytes = sample.bytes();
    match rng.below(16) {
        0 => {
            let at = rng.below(bytes.len().min(60) as u64) as usize;
            bytes[at] = rng.draw() as u8;
        }
        1 => bytes.truncate(14 + rng.below(bytes.len() as u64 - 13) as usize),
        2 => bytes[12..14].copy_from_slice(&TYPES[rng.below(6) as usize]),
        3 => bytes.resize(bytes.len().max(60) + rng.below(300) as usize, 0),
        4 => bytes[..6]
            .copy_from_slice(&[[0xff; 6], [1, 0x80, 0xc2, 0, 0, 3]][rng.below(2) as usize]),
        5 => bytes[..6].copy_from_slice(&[2, 0, 0, 0, 0, 9]),
        6 => return arp(rng),
        7 => fragment(&mut bytes, rng),
        _ => {}
    }
    bytes
}

/// Returns a random ARP request or answer.
fn arp(rng: &mut Rng) -> Vec<u8> {
    let mut bytes = vec![0xff; 6];
    bytes.extend([
        2,
        0,
        0,
        0,
        0,
        1 + rng.below(4) as u8,
        8,
        6,
        0,
        1,
        8,
        0,
        6,
        4,
        0,
    ]);
    bytes.push(1 + (rng.below(4) == 0) as u8);
    bytes.extend([2, 0, 0, 0, 0, 1, 10, 77, 0, 1, 0, 0, 0, 0, 0, 0]);
    bytes.extend([10, 77, 0, 1 + rng.below(5) as u8]);
    bytes.resize(42 + [0, 18, 100][rng.below(3) as usize], 0);
    bytes
}

/// Makes an IPv4 packet a fragment, with its checksum.
fn fragment(bytes: &mut [u8], rng: &mut Rng) {
    if bytes[12..14] != [8, 0] {
        return;
    }
    bytes[20] = [0x20, 0x00][rng.below(2) as usize];
    bytes[21] = 1;
    bytes[24..26].fill(0);
    let words = bytes[14..34]
        .chunks(2)
        .map(|two| u32::from(u16::from_be_bytes([two[0], two[1]])));
    let sum: u32 = words.sum();
    let sum = !((sum & 0xffff) + (sum >> 16)) as u16;
    bytes[24..26].copy_from_slice(&sum.to_be_bytes());
}

/// Returns true for frames that the program reads differently, as its header states: IPv6 with extension
/// headers, and neighbour discovery.
fn differs(bytes: &[u8]) -> bool {
    let six = bytes.len() > 54 && bytes[12..14] == [0x86, 0xdd];
    six && ![6, 17].contains(&bytes[20])
}

/// Returns true for frames that the kernel's test run rejects: IP packets shorter than their fixed header.
fn is_cut(bytes: &[u8]) -> bool {
    match bytes[12..14] {
        [8, 0] => bytes.len() < 34,
        [0x86, 0xdd] => bytes.len() < 54,
        _ => false,
    }
}

const SWITCHES: [&str; 14] = [
    "capacity = \"6 pkt\"\nbuffer = \"droptail\"\nroute = \"ecmp\"",
    "capacity = \"9 kB\"\nbuffer = { kind = \"ecn\", mark_at = \"3 kB\" }\nroute = \"spray-random\"",
    "capacity = \"5 pkt\"\nbuffer = { kind = \"dibs\", mark_at = \"2 pkt\" }\nroute = \"ecmp\"",
    "capacity = \"5 pkt\"\nbuffer = { kind = \"dibs\", ingress = false, mark_detours = false, mark_at = \"2 pkt\" }",
    "capacity = \"7 kB\"\nbuffer = { kind = \"dibs-first-open\", mark_at = \"off\" }\nroute = \"single\"",
    "capacity = \"5 pkt\"\nbuffer = \"dibs-first-open\"\nroute = { kind = \"spray-random\", acks = \"ecmp\" }",
    "capacity = \"1 pkt\"\nbuffer = \"dibs\"\nroute = { kind = \"ecmp\", salt = \"none\" }",
    "capacity = \"unlimited\"\nbuffer = { kind = \"ecn\", mark_at = \"9 pkt\" }\nroute = { kind = \"spray-rr\", shuffle = 2, burst = 3 }",
    "capacity = \"shared\"\nmemory = \"20 kB\"\nalpha = \"1/2\"\nroute = { kind = \"spray-rr\", per = \"destination\", table = 2, acks = \"ecmp\" }",
    "capacity = \"shared\"\nmemory = \"12 kB\"\nalpha = \"2\"\nbuffer = \"dibs\"\nroute = { kind = \"spray-rr\", per = \"prefix\", start = \"first\" }",
    "capacity = \"5 pkt\"\nroute = { kind = \"spray-rr\", per = \"switch\" }",
    "capacity = \"5 pkt\"\nroute = { kind = \"spray-counter\", limit = \"4 kB\", acks = \"ecmp\" }",
    "capacity = \"9 kB\"\nroute = { kind = \"spray-counter\", by = \"queued\", ties = \"random\" }\nbuffer = \"dibs\"",
    "capacity = \"9 kB\"\nroute = { kind = \"spray-counter\", ties = \"first\" }",
];

#[test]
fn every_frame_fares_as_in_the_machine() {
    if !can() {
        return;
    }
    let (mut queued, mut dropped, mut refused, mut flooded, mut detoured) = (0, 0, 0, 0, 0);
    for (number, switch) in (0..).zip(SWITCHES) {
        let mut both = Both::new(switch);
        let mut rng = Seed(11).stream(("lockstep", number));
        for _ in 0..3_000 {
            both.now +=
                Time::from_ps([0, 1, 500_000, 3_000_000, 40_000_000][rng.below(5) as usize]);
            let (port, bytes) = (PortId(rng.below(6) as u16), make(&mut rng));
            if differs(&bytes) || is_cut(&bytes) {
                continue;
            }
            match both.receive(port, &bytes) {
                Became::Queued { wanted, port, .. } => {
                    queued += 1;
                    detoured += u32::from(wanted != port);
                }
                Became::Dropped { .. } => dropped += 1,
                Became::Refused(_) => refused += 1,
                Became::Flooded => flooded += 1,
            }
        }
        both.agree();
    }
    let all = [queued, dropped, refused, flooded, detoured];
    assert!(all.iter().all(|n| *n > 300), "{all:?}");
}

/// Checks that the comparison is sensitive: with another seed, some frame has another result.
#[test]
#[should_panic(expected = "not [")]
fn another_salt_is_seen() {
    if !can() {
        panic!("skipped, and not [seen]");
    }
    let mut both = Both::new(SWITCHES[0]);
    let mut setup = both.machine.setup().clone();
    setup.seed += 1;
    both.still = Still::new(&setup, None).expect("a program");
    for from in 0..200 {
        let sample = Sample {
            ports: (from, 80),
            ..Sample::tcp(1, 3, 100)
        };
        both.receive(PortId(0), &sample.bytes());
    }
}

#[test]
fn the_program_says_why_it_refuses() {
    if !can() {
        return;
    }
    let mut both = Both::new(SWITCHES[0]);
    let good = Sample::tcp(1, 2, 100).bytes();
    assert!(matches!(
        frame::read(&good).unwrap().what,
        FrameContent::Ip(_)
    ));
    let spoiled = |at: usize, to: u8| {
        let mut bytes = good.clone();
        bytes[at] = to;
        bytes
    };
    let long = vec![2; 1515];
    let cases = [
        (long, Refusal::Oversized),
        (spoiled(6, 1), Refusal::GroupSource),
        (spoiled(14, 0x44), Refusal::BadHeader),
        (spoiled(22, 63), Refusal::BadChecksum),
        (spoiled(5, 77), Refusal::NoStation),
        ([&good[..12], &[8, 6, 0, 1]].concat(), Refusal::Truncated),
        (good[..40].to_vec(), Refusal::BadLength),
        (spoiled(12, 0x81), Refusal::Vlan),
        (spoiled(12, 0), Refusal::Llc),
    ];
    for (bytes, why) in cases {
        assert_eq!(both.receive(PortId(0), &bytes), Became::Refused(why));
    }
    // From the port of the destination.
    assert_eq!(
        both.receive(PortId(1), &good),
        Became::Refused(Refusal::Hairpin)
    );
    both.agree();
}
