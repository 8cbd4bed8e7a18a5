//! Tests of the loop's rounds over artificial ports and clocks, which stand still and advance between any two
//! steps.

use super::*;
use crate::setup::Setup;
use crate::trial::flood::udp_frame;
use proptest::prelude::*;
use std::cell::{Cell, RefCell};
use std::collections::VecDeque;

/// Nanoseconds of the time of day when the switch's clock began.
const DAY_NS: u64 = 1_700_000_000_000_000_000;

/// Clocks of a machine: each step of a thread takes one of `gaps`, and may be a stop.
struct Here {
    now_ns: Cell<u64>,
    ahead_ns: Cell<u64>,
    gaps: RefCell<VecDeque<u64>>,
}

impl Here {
    fn new(gaps: &[u64]) -> Here {
        Here {
            now_ns: Cell::new(0),
            ahead_ns: Cell::new(DAY_NS),
            gaps: RefCell::new(gaps.iter().copied().collect()),
        }
    }

    /// Lets some time pass: the gaps in turn.
    fn step(&self) {
        let mut gaps = self.gaps.borrow_mut();
        let gap = gaps.pop_front().unwrap();
        gaps.push_back(gap);
        self.now_ns.set(self.now_ns.get() + gap);
    }

    fn read(&self) -> Reading {
        self.step();
        let now = Time::from_ns(self.now_ns.get());
        Reading {
            before: now,
            day_ns: self.now_ns.get() + self.ahead_ns.get(),
            after: now,
        }
    }
}

/// Port with future frames: arrival time, stamp and bytes of each.
struct Waiting<'a> {
    here: &'a Here,
    frames: VecDeque<(u64, u64, Vec<u8>)>,
}

impl Inlet for Waiting<'_> {
    fn stamp(&self) -> Option<u64> {
        self.here.step();
        let (came, stamp, _) = self.frames.front()?;
        (*came <= self.here.now_ns.get()).then_some(*stamp)
    }

    fn receive(&mut self, limit: usize, take: &mut impl FnMut(&[u8])) -> usize {
        for (_, _, frame) in self.frames.drain(..limit) {
            take(&frame);
        }
        limit
    }

    fn receive_unstamped(&mut self, _: usize, _: &mut impl FnMut(&[u8])) -> usize {
        0
    }
}

/// Returns a switch on which two hosts send to a third whose queue has four places; frames that find it full
/// are detoured, and then dropped.
fn machine() -> Machine {
    let mut text = "name = \"s\"\n[switch]\ncapacity = \"4 pkt\"\nbuffer = \"dibs\"\n".to_string();
    for (name, to) in [
        ("a", "host"),
        ("b", "host"),
        ("c", "host"),
        ("up", "switch"),
    ] {
        text += &format!(
            "[[port]]\ninterface = \"{name}\"\nrate = \"100 Mbps\"\nleads_to = \"{to}\"\n"
        );
    }
    text += "[[station]]\nmac = \"02:09:00:00:01:03\"\nports = [\"c\"]\n";
    Machine::new(&Setup::read("s.toml", &text).unwrap()).unwrap()
}

/// Departure: port, time, and length, which identifies the frame.
type Left = (u16, Time, usize);

fn leave(machine: &mut Machine, departures: &mut Vec<Departure>, left: &mut Vec<Left>) {
    for departure in departures.drain(..) {
        let length = machine.frame(departure.handle).len();
        left.push((departure.port.0, departure.due, length));
        machine.release(departure.handle);
    }
}

/// Returns departures and drops of a switch that is never late.
fn in_time(frames: &[(u64, usize)]) -> (Vec<Left>, Vec<u64>) {
    let (mut machine, mut left, mut held) = (machine(), Vec::new(), Vec::new());
    let all = frames
        .iter()
        .enumerate()
        .map(|(n, (at, port))| (Time::from_ns(*at), *port, length(n)));
    for (at, port, length) in all.chain([(Time::from_s(1000), 2, 60)]) {
        while let Some(departure) = machine.poll_send(at) {
            held.push(departure);
        }
        leave(&mut machine, &mut held, &mut left);
        machine.receive(at, PortId(port as u16), &udp_frame(length, 0, 2));
    }
    (left, drops(&mut machine))
}

/// Returns the unique length of a frame, nearly that of a full one.
fn length(n: usize) -> usize {
    1000 + n
}

fn drops(machine: &mut Machine) -> Vec<u64> {
    let counters = machine.counters(Time::from_s(1000));
    let json = serde_json::to_value(&counters.ports).unwrap();
    let ports = json.as_array().unwrap().iter();
    ports
        .map(|port| port["drops"]["full"].as_u64().unwrap())
        .collect()
}

/// Returns departures and drops of the loop on a machine whose steps take `gaps`.
fn on(gaps: &[u64], frames: &[(u64, usize)]) -> (Vec<Left>, Vec<u64>) {
    let here = Here::new(gaps);
    let mut ports = [0, 1, 2].map(|port| Waiting {
        here: &here,
        frames: (frames.iter().enumerate())
            .filter(|(_, (_, of))| *of == port)
            .map(|(n, (at, _))| (*at, *at + DAY_NS, udp_frame(length(n), 0, 2)))
            .collect(),
    });
    let (mut machine, mut left) = (machine(), Vec::new());
    let (mut arrivals, mut held) = (Arrivals::default(), Vec::with_capacity(5));
    while ports.iter().any(|port| !port.frames.is_empty()) || machine.held() > 0 {
        arrivals.take(&mut || here.read(), &mut ports, &mut machine, &mut held);
        leave(&mut machine, &mut held, &mut left);
        while let Some(departure) = machine.poll_send(arrivals.now()) {
            leave(&mut machine, &mut vec![departure], &mut left);
        }
    }
    (left, drops(&mut machine))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]
    /// Steps of a microsecond, and stops of up to 50 ms anywhere.
    #[test]
    fn a_loop_that_stops_decides_what_it_would_have_decided_in_time(
        gaps in proptest::collection::vec(prop_oneof![5 => 100u64..3_000, 1 => 100_000u64..50_000_000], 1..40),
        spans in proptest::collection::vec((0u64..200_000, 0usize..2), 1..300),
    ) {
        let mut at = 5_000;
        let frames: Vec<(u64, usize)> = spans.iter().map(|(span, port)| {
            // No two at one instant: the kernel decides which of those is first.
            at += span + 1;
            (at, *port)
        }).collect();
        prop_assert_eq!(on(&gaps, &frames), in_time(&frames));
    }
}

#[test]
fn the_rows_of_the_property_above_have_detours_and_drops() {
    let burst: Vec<(u64, usize)> = (0..40)
        .map(|n| (10_000 + n * 10_000, n as usize % 2))
        .collect();
    let (left, drops) = in_time(&burst);
    assert!(left.iter().any(|(port, ..)| *port == 3), "{left:?}");
    assert!(drops[2] > 0, "{drops:?}");
    assert_eq!(on(&[700], &burst), (left, drops));
}

/// Receives frames every 100 us at port a, with stamps of a time of day that is set by `step_ns` after the
/// tenth; returns the number of frames that left, and the longest recorded wait.
fn while_the_day_is_set(step_ns: i64) -> (usize, u64) {
    let here = Here::new(&[1_000]);
    let set = |n: u64| if n < 10 { 0 } else { step_ns };
    let frames = (0..20).map(|n| {
        let at = 50_000 + n * 100_000;
        let stamp = (at + DAY_NS).wrapping_add_signed(set(n));
        (at, stamp, udp_frame(length(n as usize), 0, 2))
    });
    let mut ports = [Waiting {
        here: &here,
        frames: frames.collect(),
    }];
    let (mut machine, mut left) = (machine(), Vec::new());
    let (mut arrivals, mut held) = (Arrivals::default(), Vec::with_capacity(256));
    let mut rounds = 0;
    while !ports[0].frames.is_empty() {
        rounds += 1;
        assert!(rounds < 100_000, "a frame is never taken");
        // Set between the stamp of the tenth and its reading.
        if here.now_ns.get() > 50_000 + 9 * 100_000 {
            here.ahead_ns.set(DAY_NS.wrapping_add_signed(step_ns));
        }
        let before = arrivals.now();
        arrivals.take(&mut || here.read(), &mut ports, &mut machine, &mut held);
        assert!(before <= arrivals.now() && arrivals.now() <= Time::from_ns(here.now_ns.get()));
        while let Some(departure) = machine.poll_send(arrivals.now()) {
            held.push(departure);
        }
        leave(&mut machine, &mut held, &mut left);
    }
    assert_eq!(arrivals.overtaken(), Stalls::default());
    (left.len(), arrivals.late().max_ns())
}

#[test]
fn a_time_of_day_that_is_set_moves_no_frame_beyond_a_round() {
    for step_ns in [-3_600_000_000_000, -5_000_000, 5_000_000, 3_600_000_000_000] {
        let (left, late_ns) = while_the_day_is_set(step_ns);
        assert!(left >= 18, "{left} by {step_ns}");
        // A round is some steps of a microsecond.
        assert!(late_ns < 20_000, "{late_ns} by {step_ns}");
    }
}

#[test]
fn what_lies_between_the_clocks_is_known_the_better_the_more_often_they_are_read() {
    let at = |before: u64, day: u64, after: u64| Reading {
        before: Time::from_ns(before),
        day_ns: DAY_NS + day,
        after: Time::from_ns(after),
    };
    let mut offset = Offset::default();
    assert!(offset.read(at(1_000, 1_500, 2_000)), "the first");
    assert_eq!(offset.time_of(DAY_NS + 9_000), Time::from_ns(9_000));
    // Interrupted for a second between two of the three: nothing is lost.
    assert!(!offset.read(at(10_000, 10_100, 1_000_010_000)));
    assert_eq!(offset.time_of(DAY_NS + 9_000), Time::from_ns(8_950 + 250));
    assert!(!offset.read(at(2_000_000_000, 2_000_000_002, 2_000_000_004)));
    assert_eq!(offset.time_of(DAY_NS + 9_000), Time::from_ns(9_000));
    // Set by a microsecond.
    assert!(offset.read(at(3_000_000_000, 3_000_001_002, 3_000_000_004)));
    assert_eq!(offset.time_of(DAY_NS + 9_000), Time::from_ns(8_000));
    assert_eq!(offset.time_of(DAY_NS - 9_000), Time::ZERO);
}
