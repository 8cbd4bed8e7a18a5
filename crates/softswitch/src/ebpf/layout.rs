//! Byte layout of the data that the program and this process share, as `crates/softswitch/bpf` defines it.
//!
//! **Decision**     none.
//! **Units**        offsets in bytes; numbers in the machine's own byte order.
//! **Errors**       none: sizes are checked when a map is opened, and again by the compiler of the program.

use super::plan::{ProgramConfig, Rule};
use crate::frame::Refusal;
use sidestep_switch::DropReason;
use sidestep_switch::route::spray_rr::strides;
use sidestep_types::Rng;

/// Bytes of `struct rule`, `struct machine` before its ports, `struct port` and `struct slot`.
pub(super) const RULE: usize = 112;
pub(super) const MACHINE: usize = 256;
pub(super) const PORT: usize = FORGOTTEN + 8;
pub(super) const SLOT: usize = 16;
/// Offset in `struct machine` of the last packet's result, for tests.
pub(super) const LAST: usize = MACHINE - 32;

/// Most next hops, and thus counters of `struct memory`; bytes of a `struct turn`.
const MOST_HOPS: usize = 64;
const TURN: usize = 12;
/// Turn of a place that no packet has used yet, and that begins at a drawn hop.
const NEW: u16 = u16::MAX;

/// Offsets in `struct port` of its drops, its refusals, and its last order number.
const DROPS: usize = 136;
const REFUSED: usize = DROPS + 8 * DropReason::COUNT;
const FORGOTTEN: usize = REFUSED + 8 * Refusal::COUNT;

/// Byte buffer to which values are appended.
#[derive(Default)]
pub(super) struct Bytes(pub Vec<u8>);

impl Bytes {
    pub fn u8(&mut self, value: u8) -> &mut Bytes {
        self.0.push(value);
        self
    }

    pub fn u32(&mut self, value: u32) -> &mut Bytes {
        self.0.extend(value.to_ne_bytes());
        self
    }

    pub fn u64(&mut self, value: u64) -> &mut Bytes {
        self.0.extend(value.to_ne_bytes());
        self
    }

    /// Appends zeros up to `length` bytes in all.
    pub fn to(&mut self, length: usize) -> &mut Bytes {
        assert!(self.0.len() <= length, "{} > {length}", self.0.len());
        self.0.resize(length, 0);
        self
    }

    pub fn stream(&mut self, rng: &Rng) -> &mut Bytes {
        rng.state().into_iter().fold(self, |b, word| b.u64(word))
    }

    /// Appends a `struct rule`.
    pub fn rule(&mut self, rule: &Rule) -> &mut Bytes {
        let begin = self.0.len();
        self.u64(rule.salt).u64(rule.hash_salt);
        self.u64(rule.packets).u64(rule.bytes);
        self.u64(rule.mark_packets).u64(rule.mark_bytes);
        self.u64(rule.to_switch).u32(rule.ports);
        self.u8(rule.way.route)
            .u8(rule.way.buffer)
            .u8(u8::from(rule.back));
        self.u8(u8::from(rule.mark_detours)).u8(rule.max_detours);
        self.u8(u8::from(rule.acks_by_hash));
        self.u8(rule.per)
            .u8(rule.ties)
            .u8(u8::from(rule.way.queued));
        self.u8(u8::from(rule.way.shared)).to(begin + 72);
        let (over, under) = rule.alpha;
        self.u64(rule.memory).u64(over).u64(under);
        self.u32(rule.limit).u32(rule.table);
        self.u32(rule.burst).u32(rule.rounds).to(begin + RULE)
    }
}

/// Returns a `struct machine` of a plan, started at that nanosecond of the clock, with these interfaces.
pub(super) fn machine(plan: &ProgramConfig, started_ns: u64, interfaces: &[i32]) -> Vec<u8> {
    let mut bytes = Bytes::default();
    bytes.u64(0).u64(started_ns).u64(0);
    bytes
        .stream(&plan.streams.route)
        .stream(&plan.streams.buffer);
    bytes.rule(&plan.rule).u64(plan.switches).u64(plan.flood);
    bytes.to(MACHINE);
    for (port, interface) in plan.rates.iter().zip(interfaces) {
        let begin = bytes.0.len();
        bytes.u64(0).u64(*port).to(begin + 52);
        bytes.u32(*interface as u32).to(begin + PORT);
    }
    // An unused port has a rate of 1: the program would divide by a rate of 0.
    for _ in plan.rates.len()..plan.sizes.ports {
        let begin = bytes.0.len();
        bytes.u64(0).u64(1).to(begin + PORT);
    }
    bytes.0
}

/// Returns the bytes of a `struct memory`.
pub(super) const fn memory_bytes(places: usize) -> usize {
    4 * MOST_HOPS + MOST_HOPS * (MOST_HOPS + 1) + TURN * places
}

/// Returns the `struct memory` of a route that has met no packet.
pub(super) fn memory(rule: &Rule, places: usize) -> Vec<u8> {
    let mut bytes = Bytes::default();
    bytes.to(4 * MOST_HOPS);
    for many in 0..=MOST_HOPS {
        let begin = bytes.0.len();
        let strides: Vec<u8> = strides(many as u16).map(|stride| stride as u8).collect();
        bytes.u8(strides.len() as u8);
        strides.iter().for_each(|stride| _ = bytes.u8(*stride));
        bytes.to(begin + MOST_HOPS);
    }
    for _ in 0..places {
        let begin = bytes.0.len();
        let next = if rule.drawn { NEW } else { 0 };
        bytes.0.extend(next.to_ne_bytes());
        bytes.to(begin + TURN);
    }
    bytes.0
}

/// Value of a map, to be read.
#[derive(Clone, Copy)]
pub(super) struct Read<'a>(pub &'a [u8]);

impl Read<'_> {
    pub fn u32(self, at: usize) -> u32 {
        u32::from_ne_bytes(self.0[at..at + 4].try_into().expect("four bytes"))
    }

    pub fn u64(self, at: usize) -> u64 {
        u64::from_ne_bytes(self.0[at..at + 8].try_into().expect("eight bytes"))
    }
}

/// Counters of a `struct port`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PortRead {
    pub free_at: u64,
    pub entered: u64,
    pub left: u64,
    pub left_bytes: u64,
    /// Sums of the bytes of buffer, and of the bytes of frames, that joined; they wrap.
    pub bytes: u32,
    pub length: u32,
    pub length_left: u32,
    pub peak: (u32, u32),
    pub rx: (u64, u64),
    pub marks: u64,
    pub detours: (u64, u64),
    pub answered: u64,
    pub floods: u64,
    pub copies: u64,
    pub drops: [u64; DropReason::COUNT],
    pub refused: [u64; Refusal::COUNT],
    pub forgotten: u64,
}

/// Returns port number `index` of a `struct machine`.
pub(super) fn port(machine: &[u8], index: usize) -> PortRead {
    let read = Read(&machine[MACHINE + index * PORT..][..PORT]);
    PortRead {
        free_at: read.u64(0),
        entered: read.u64(16),
        left: read.u64(24),
        left_bytes: read.u64(32),
        bytes: read.u32(40),
        length: read.u32(44),
        length_left: read.u32(48),
        peak: (read.u32(64), read.u32(68)),
        rx: (read.u64(72), read.u64(80)),
        marks: read.u64(88),
        detours: (read.u64(96), read.u64(104)),
        answered: read.u64(112),
        floods: read.u64(120),
        copies: read.u64(128),
        drops: std::array::from_fn(|reason| read.u64(DROPS + 8 * reason)),
        refused: std::array::from_fn(|reason| read.u64(REFUSED + 8 * reason)),
        forgotten: read.u64(FORGOTTEN),
    }
}

/// Returns the bytes of a `struct queue` with a ring of 2 to the power of `bits` slots.
pub(super) const fn queue(bits: u32) -> usize {
    (SLOT + 8) << bits
}
