//! Log of all events of one flow's packets.

use crate::chunks::Chunks;
use crate::cursor::{Cursor, walk};
use crate::flags::is_ack;
use crate::refused::Refused;
use sidestep_recording::idle::time_to_send;
use sidestep_recording::{Event, EventKind, Flow, Packet};
use std::collections::BTreeMap;
use std::ops::ControlFlow;

/// Instant, and index among the events of the flow: of two events at one instant, the earlier has the lower
/// index.
pub(super) type Instant = (u64, usize);

/// Events of a flow's packets.
#[derive(Default)]
pub(super) struct Log {
    /// Packets by number.
    pub packets: BTreeMap<u32, PacketHistory>,
    /// Packets in the order in which the flow's source sent them.
    pub sent: Vec<(Instant, u32)>,
    /// Data, in order of arrival.
    pub data: Vec<(Instant, u32)>,
    /// Acknowledgements, in order of arrival.
    pub acks: Vec<(Instant, u32)>,
    /// Times at which the sender's timer expired, ps.
    pub timeouts: Vec<u64>,
    /// True if the sender's windows are recorded.
    pub has_windows: bool,
    pub drops: Vec<Dropped>,
    /// Detours and deflections of the flow's packets.
    pub detours: u32,
}

/// History of a packet.
pub(super) struct PacketHistory {
    pub sent: Option<Instant>,
    pub seq: u64,
    pub ack: bool,
    pub again: bool,
    pub hops: Vec<Wait>,
}

/// Queue that a packet joined.
pub(super) struct Wait {
    pub port: u32,
    pub joined: u64,
    /// Time when its last bit left, or it was evicted, ps.
    pub left: Option<u64>,
    /// Depth of the queue when the packet joined.
    pub before: (u32, u64),
    pub detoured: bool,
    /// Transmission time, ps.
    pub sent_for: u64,
}

/// Packet that was dropped.
pub(super) struct Dropped {
    pub at: u64,
    pub seq: u64,
    pub ack: bool,
    pub port: u32,
    pub reason: u8,
    /// Depth of the queue at that time.
    pub held: (u32, u64),
}

impl Log {
    /// Reads the events of a flow until `end`.
    pub fn read(chunks: &mut Chunks<'_>, flow: &Flow, end: u64) -> Result<Log, Refused> {
        let mut log = Log::default();
        let rates: Vec<u64> = chunks
            .head()
            .network
            .links
            .iter()
            .map(|l| l.rate_bps)
            .collect();
        let unbuffered = chunks.sizes.unbuffered;
        let mut place = 0;
        let has = |chunks: &Chunks<'_>, i: usize| chunks.has_flow(i, flow.id);
        walk(chunks, (flow.start, end), has, |step| {
            if step.flow == flow.id {
                place += 1;
                log.note(
                    step.event,
                    step.before,
                    (step.event.at, place),
                    |port, bytes| {
                        let rate = rates.get(port as usize).copied().unwrap_or(0);
                        time_to_send(u64::from(bytes) + u64::from(unbuffered), rate)
                    },
                );
            }
            ControlFlow::Continue(())
        })?;
        Ok(log)
    }

    fn note(
        &mut self,
        event: &Event,
        before: &Cursor,
        at: Instant,
        sent_for: impl Fn(u32, u32) -> u64,
    ) {
        match event.what {
            EventKind::Send { seq, says, .. } => {
                let id = before.state.next();
                if !is_ack(says) {
                    self.sent.push((at, id));
                }
                self.packets.insert(
                    id,
                    PacketHistory {
                        sent: Some(at),
                        seq,
                        ack: is_ack(says),
                        again: sidestep_recording::PacketFlags(says).again(),
                        hops: Vec::new(),
                    },
                );
            }
            EventKind::Window { cause, .. } => {
                self.has_windows = true;
                if cause == sidestep_recording::Cause::Timeout as u8 {
                    self.timeouts.push(event.at);
                }
            }
            _ => {
                if let Some(packet) = event.packet().and_then(|id| before.state.packet(id)) {
                    self.note_packet(event, before, packet, at, sent_for);
                }
            }
        }
    }

    fn note_packet(
        &mut self,
        event: &Event,
        before: &Cursor,
        packet: &Packet,
        at: Instant,
        sent_for: impl Fn(u32, u32) -> u64,
    ) {
        let story = self
            .packets
            .entry(packet.id)
            .or_insert_with(|| PacketHistory {
                sent: None,
                seq: packet.seq,
                ack: is_ack(packet.says),
                again: sidestep_recording::PacketFlags(packet.says).again(),
                hops: Vec::new(),
            });
        match event.what {
            EventKind::Enqueue {
                port,
                bytes,
                wanted,
                ..
            } => {
                self.detours += u32::from(port != wanted);
                story.hops.push(Wait {
                    port,
                    joined: event.at,
                    left: None,
                    before: before.state.depth(port),
                    detoured: port != wanted,
                    sent_for: sent_for(port, bytes),
                });
            }
            EventKind::Dequeue { .. } => {
                if let Some(hop) = story.hops.last_mut() {
                    hop.left = Some(event.at);
                }
            }
            EventKind::Evict { .. } => {
                if let Some(hop) = story.hops.last_mut() {
                    // The packet was not sent from this queue.
                    (hop.left, hop.sent_for) = (Some(event.at), 0);
                }
            }
            EventKind::Drop { port, reason, .. } => self.drops.push(Dropped {
                at: event.at,
                seq: story.seq,
                ack: story.ack,
                port,
                reason,
                held: before.state.depth(port),
            }),
            EventKind::Deliver { .. } => {
                let arrived = if story.ack {
                    &mut self.acks
                } else {
                    &mut self.data
                };
                arrived.push((at, packet.id));
            }
            _ => {}
        }
    }
}

/// Returns the last entry before an instant.
pub(super) fn last_before(all: &[(Instant, u32)], before: Instant) -> Option<(Instant, u32)> {
    let count = all.partition_point(|(at, _)| *at < before);
    all[..count].last().copied()
}
