//! Counters of the program, in the form of the switch in user space.
//!
//! **Decision**     none.
//! **State**        none: a copy of the maps, with the queues settled to the requested instant.
//! **Units**        as [`Counters`].
//! **Errors**       none.

use super::layout::{self, PortRead, Read, SLOT};
use super::plan::ProgramConfig;
use crate::frame::Refusal;
use crate::machine::{Counters, Depths, FrameCounts, PortCounters};
use crate::setup::Setup;
use hdrhistogram::Histogram;
use sidestep_switch::ports::Counts;
use sidestep_switch::{Depth, DropReason};

/// Copy of the maps.
pub(super) struct Copied<'a> {
    pub plan: &'a ProgramConfig,
    /// Bytes of `struct machine`.
    pub machine: &'a [u8],
    /// Bytes of `struct queues`, copied after it.
    pub queues: &'a [u8],
    /// Number of the last order to forget peaks.
    pub forget: u64,
}

impl Copied<'_> {
    /// Returns all counters at `now`, in picoseconds, of the switch that `setup` describes.
    pub fn counters(&self, setup: &Setup, now: u64) -> Counters {
        let mut held = 0;
        let mut ports = Vec::new();
        for (index, port) in setup.ports.iter().enumerate() {
            let read = self.settled(index, now);
            let depth = self.depth(&read, index);
            held += u64::from(depth.packets);
            let queue = self.queue(index);
            let heeded = read.forgotten == self.forget;
            let peak = if heeded { read.peak } else { (0, 0) };
            ports.push(PortCounters {
                name: port.name.clone(),
                interface: port.interface.clone(),
                rate_bps: port.rate.as_bps(),
                link_up: true,
                learned: 0,
                shims: None,
                frames: FrameCounts {
                    rx_frames: read.rx.0,
                    rx_bytes: read.rx.1,
                    tx_frames: read.left,
                    tx_bytes: read.left_bytes,
                    answered: read.answered,
                    floods: read.floods,
                    copies: read.copies,
                    ..FrameCounts::default()
                },
                decided: Counts {
                    marks: read.marks,
                    detours_in: read.detours.0,
                    detours_out: read.detours.1,
                    drops: read.drops,
                    ..Counts::default()
                },
                looped: false,
                blocked: false,
                drops: (DropReason::ALL.iter())
                    .map(|reason| (reason.name(), read.drops[*reason as usize]))
                    .collect(),
                refused: (Refusal::ALL.iter())
                    .map(|reason| (reason.name(), read.refused[*reason as usize]))
                    .collect(),
                queued_packets: depth.packets,
                queued_bytes: depth.bytes,
                peak_packets: peak.0.max(depth.packets),
                peak_bytes: peak.1.max(depth.bytes),
                depths: Depths::of(&met(queue, self.plan.sizes.ring_bits)),
            });
        }
        Counters {
            name: setup.name.clone(),
            at_ps: now,
            held,
            learned: 0,
            not_learned: 0,
            no_port: 0,
            changes: 0,
            ports,
        }
    }

    fn queue(&self, index: usize) -> &[u8] {
        let bytes = layout::queue(self.plan.sizes.ring_bits);
        &self.queues[index * bytes..][..bytes]
    }

    /// Returns the slot of the packet that joined port `index` as number `number`.
    fn slot(&self, index: usize, number: u64) -> (u64, u32, u32) {
        let ring = 1u64 << self.plan.sizes.ring_bits;
        let at = (number % ring) as usize * SLOT;
        let read = Read(&self.queue(index)[at..at + SLOT]);
        (read.u64(0), read.u32(8), read.u32(12))
    }

    /// Returns a port in which packets that left by `now` are counted out.
    fn settled(&self, index: usize, now: u64) -> PortRead {
        let mut port = layout::port(self.machine, index);
        while port.left < port.entered && self.slot(index, port.left).0 <= now {
            port.left += 1;
        }
        let length = match port.left < port.entered {
            true => self.slot(index, port.left).2,
            false => port.length,
        };
        port.left_bytes += u64::from(length.wrapping_sub(port.length_left));
        port.length_left = length;
        port
    }

    fn depth(&self, port: &PortRead, index: usize) -> Depth {
        let packets = port.entered - port.left;
        let bytes = match packets {
            0 => 0,
            _ => port.bytes.wrapping_sub(self.slot(index, port.left).1),
        };
        Depth {
            packets: packets as u32,
            bytes,
        }
    }
}

/// Returns the queue lengths that arrivals met, from the counts of a `struct queue`.
fn met(queue: &[u8], bits: u32) -> Histogram<u64> {
    let mut all = crate::machine::Depths::none();
    let counts = Read(&queue[SLOT << bits..]);
    for depth in 0..1u64 << bits {
        let times = counts.u64(8 * depth as usize);
        if times > 0 {
            // Rings are shorter than the longest queue of a histogram.
            let _ = all.record_n(depth, times);
        }
    }
    all
}
