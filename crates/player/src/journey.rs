//! Where one packet went: each queue that it joined, and each decision about it in a sentence.

use crate::chunks::Chunks;
use crate::cursor::{Cursor, walk};
use crate::flags::{CHANGE_MARKED, MARKED};
use crate::happenings::{self, Happening};
use crate::refused::Refused;
use serde::Serialize;
use sidestep_recording::{Packet, Place, Says, What};
use std::ops::ControlFlow;

/// Where a packet went: `Journey` of `web/src/engine/api.ts`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Journey {
    /// Its number.
    pub packet: u32,
    /// Its flow.
    pub flow: u32,
    /// `data`, `ack`, `syn` or `syn_ack`.
    pub kind: &'static str,
    /// Its first byte of data, or the next byte that an acknowledgement expects.
    pub seq: u64,
    /// Its payload in bytes.
    pub bytes: u32,
    /// Its sender has sent the same before.
    pub again: bool,
    /// When it was sent; `None` when that was before the recording.
    pub sent: Option<u64>,
    /// `delivered`, `dropped` or `under way`.
    pub end: &'static str,
    /// When that was.
    pub ended: Option<u64>,
    /// How often it was detoured or deflected.
    pub detours: u32,
    /// Was it marked?
    pub marked: bool,
    /// The queues that it joined, in order.
    pub path: Vec<Hop>,
    /// All that happened to it.
    pub happenings: Vec<Happening>,
}

/// A queue that a packet joined.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Hop {
    /// Of this port.
    pub port: u32,
    /// When it joined.
    pub enqueued: u64,
    /// When its last bit left, or it was taken out; `None` while it waits.
    pub dequeued: Option<u64>,
    /// Packets in that queue when it joined.
    pub before: u32,
    /// Was it detoured or deflected into it?
    pub detoured: bool,
    /// The port that it wanted then.
    pub wanted: Option<u32>,
}

pub(crate) fn of(chunks: &mut Chunks<'_>, id: u32) -> Result<Journey, Refused> {
    let after = chunks.summaries.partition_point(|s| s.first <= id);
    let first = after.saturating_sub(1);
    if first >= chunks.count() {
        return Err(unknown(chunks, id));
    }
    let cursor = Cursor::begin(chunks, first)?;
    // It was sent before the recording began.
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
                What::Send {
                    flow,
                    seq,
                    bytes,
                    says,
                    ..
                } if journey.is_none() && step.before.state.next() == id => {
                    journey = Some(Journey {
                        packet: id,
                        flow,
                        kind: Says(says).kind(),
                        seq,
                        bytes,
                        again: Says(says).again(),
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

/// Does what an event of the packet says; breaks when it is the last one.
fn follow(
    journey: &mut Journey,
    event: &sidestep_recording::Event,
    before: &Cursor,
) -> ControlFlow<()> {
    match event.what {
        What::Enqueue {
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
        What::Dequeue { .. } | What::Evict { .. } => leaves(journey, event.at),
        What::Drop { waited, .. } => {
            if waited == 1 {
                leaves(journey, event.at);
            }
            (journey.end, journey.ended) = ("dropped", Some(event.at));
            return ControlFlow::Break(());
        }
        What::Deliver { .. } => {
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

/// The journey of a packet that was under way when the recording began.
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
        kind: Says(packet.says).kind(),
        seq: packet.seq,
        bytes: packet.bytes,
        again: Says(packet.says).again(),
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
        "packet {id} is not in the recording, which numbers {} packets from 0 on",
        chunks.tail().packets
    ))
}
