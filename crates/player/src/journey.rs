//! Journey of one packet: each queue that it joined, and a sentence about each decision.

use crate::chunks::Chunks;
use crate::cursor::{Cursor, walk};
use crate::flags::{CHANGE_MARKED, MARKED};
use crate::happenings::{self, DescribedEvent};
use crate::refused::Refused;
use serde::Serialize;
use sidestep_recording::{EventKind, Packet, PacketFlags, Place};
use std::ops::ControlFlow;

/// Journey of a packet: `Journey` of `web/src/engine/api.ts`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Journey {
    /// Number of the packet.
    pub packet: u32,
    /// Flow of the packet.
    pub flow: u32,
    /// Kind of the packet: `data`, `ack`, `syn` or `syn_ack`.
    pub kind: &'static str,
    /// First byte of data, or the next byte that an acknowledgement expects.
    pub seq: u64,
    /// Payload, bytes.
    pub bytes: u32,
    /// True for a retransmission.
    pub again: bool,
    /// Time of sending, ps; `None` if that was before the recording.
    pub sent: Option<u64>,
    /// End of the journey: `delivered`, `dropped` or `under way`.
    pub end: &'static str,
    /// Time of the end, ps.
    pub ended: Option<u64>,
    /// Number of detours and deflections.
    pub detours: u32,
    /// True if the packet was marked.
    pub marked: bool,
    /// Queues that the packet joined, in order.
    pub path: Vec<Hop>,
    /// Events of the packet.
    pub happenings: Vec<DescribedEvent>,
}

/// Queue that a packet joined.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Hop {
    /// Port of the queue.
    pub port: u32,
    /// Time of joining, ps.
    pub enqueued: u64,
    /// Time when its last bit left, or it was evicted or dropped, ps; `None` while it waits.
    pub dequeued: Option<u64>,
    /// Packets in the queue when it joined.
    pub before: u32,
    /// True if the packet was detoured or deflected into the queue.
    pub detoured: bool,
    /// Port to which the packet was routed; `None` if it was not detoured.
    pub wanted: Option<u32>,
}

pub(crate) fn of(chunks: &mut Chunks<'_>, id: u32) -> Result<Journey, Refused> {
    let after = chunks.summaries.partition_point(|s| s.first <= id);
    let first = after.saturating_sub(1);
    if first >= chunks.count() {
        return Err(unknown(chunks, id));
    }
    let cursor = Cursor::begin(chunks, first)?;
    // The packet was sent before the recording began.
    let mut journey = cursor.state.packet(id).map(|packet| {
        let marked = cursor.flags.of(packet) & MARKED != 0;
        under_way(packet, &cursor, marked)
    });
    let ends = happenings::ends(chunks);
    let head = chunks.head().clone();
    let span = (chunks.span(first).0, u64::MAX);
    walk(
        chunks,
        span,
        |_, i| i >= first,
        |step| {
            let event = step.event;
            match event.what {
                EventKind::Send {
                    flow,
                    seq,
                    bytes,
                    says,
                    ..
                } if journey.is_none() && step.before.state.next() == id => {
                    journey = Some(Journey {
                        packet: id,
                        flow,
                        kind: PacketFlags(says).kind(),
                        seq,
                        bytes,
                        again: PacketFlags(says).again(),
                        sent: Some(event.at),
                        end: "under way",
                        ended: None,
                        detours: 0,
                        marked: false,
                        path: Vec::new(),
                        happenings: Vec::new(),
                    });
                }
                _ if event.packet() != Some(id) => return ControlFlow::Continue(()),
                _ => {}
            }
            let Some(journey) = &mut journey else {
                return ControlFlow::Continue(());
            };
            let happening = happenings::of(&head, &step, ends.get(&step.flow).copied());
            journey.happenings.push(happening);
            follow(journey, event, step.before)
        },
    )?;
    journey.ok_or_else(|| unknown(chunks, id))
}

/// Applies an event of the packet; breaks if it is the last one.
fn follow(
    journey: &mut Journey,
    event: &sidestep_recording::Event,
    before: &Cursor,
) -> ControlFlow<()> {
    match event.what {
        EventKind::Enqueue {
            port,
            wanted,
            changes,
            ..
        } => {
            let detoured = port != wanted;
            journey.detours += u32::from(detoured);
            journey.marked |= changes & CHANGE_MARKED != 0;
            journey.path.push(Hop {
                port,
                enqueued: event.at,
                dequeued: None,
                before: before.state.depth(port).0,
                detoured,
                wanted: detoured.then_some(wanted),
            });
        }
        EventKind::Dequeue { .. } | EventKind::Evict { .. } => leaves(journey, event.at),
        EventKind::Drop { waited, .. } => {
            if waited == 1 {
                leaves(journey, event.at);
            }
            (journey.end, journey.ended) = ("dropped", Some(event.at));
            return ControlFlow::Break(());
        }
        EventKind::Deliver { .. } => {
            (journey.end, journey.ended) = ("delivered", Some(event.at));
            return ControlFlow::Break(());
        }
        _ => {}
    }
    ControlFlow::Continue(())
}

fn leaves(journey: &mut Journey, at: u64) {
    if let Some(hop) = journey.path.last_mut() {
        hop.dequeued.get_or_insert(at);
    }
}

/// Returns the journey of a packet that was under way when the recording began.
fn under_way(packet: &Packet, cursor: &Cursor, marked: bool) -> Journey {
    let hop = |port, dequeued, before| Hop {
        port,
        enqueued: packet.since,
        dequeued,
        before,
        detoured: false,
        wanted: None,
    };
    let path = match packet.place {
        Place::Nowhere => vec![],
        Place::Queue(port) => {
            let ahead = cursor.state.queue(port);
            let ahead = ahead.take_while(|other| other.id != packet.id).count();
            vec![hop(port, None, ahead as u32)]
        }
        Place::Link(port) => vec![hop(port, Some(packet.since), 0)],
    };
    Journey {
        packet: packet.id,
        flow: packet.flow,
        kind: PacketFlags(packet.says).kind(),
        seq: packet.seq,
        bytes: packet.bytes,
        again: PacketFlags(packet.says).again(),
        sent: None,
        end: "under way",
        ended: None,
        detours: 0,
        marked,
        path,
        happenings: Vec::new(),
    }
}

fn unknown(chunks: &Chunks<'_>, id: u32) -> Refused {
    Refused::new(format!(
        "packet {id} is not in the recording: it has {} packets, numbered from 0",
        chunks.tail().packets
    ))
}
