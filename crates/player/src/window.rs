//! Activity of links and queues over a span of time: sending time, detours, drops.
//!
//! **Decision**     none.
//! **State**        sums over the events of one span. A span that moves adds events at one end and subtracts
//!                  them at the other, so that the cost of playing depends on the number of events and not on
//!                  the length of the span.
//! **Units**        picoseconds.
//!
//! A dequeue is the end of a transmission. So a packet that leaves just after the span was partly sent within
//! it, and one that leaves just after its beginning was partly sent before it. Both ends are examined anew for
//! each frame.

use crate::chunks::{Chunks, Decoded};
use crate::refused::Refused;
use sidestep_recording::EventKind;
use std::ops::Range;

/// Limit of the events examined at each end of a span, however slow a link may be.
const MOST_AT_ENDS: usize = 20_000;

/// Sums over a span.
#[derive(Default)]
pub(crate) struct Window {
    /// Events counted, by number in the recording.
    counted: Range<usize>,
    /// Time of the transmissions that end in the span, ps, for each port.
    sent: Vec<u64>,
    pub detours: Vec<u32>,
    pub drops: Vec<u32>,
    /// Sending time within the span, ps, for each port, corrected at both ends.
    pub busy: Vec<u64>,
    /// Packets in transmission at the end of the span, at most one of each port, by port.
    pub sending: Vec<Sending>,
}

/// Packet in transmission.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sending {
    pub port: u32,
    pub packet: u32,
    /// Transmission time, ps.
    pub sent_for: u64,
    /// Part of that time that has passed, ps.
    pub passed: u64,
}

impl Window {
    pub fn new(ports: usize) -> Window {
        Window {
            counted: 0..0,
            sent: vec![0; ports],
            detours: vec![0; ports],
            drops: vec![0; ports],
            busy: vec![0; ports],
            sending: Vec::new(),
        }
    }

    /// Moves to the span after `from` until `to`, `to` included.
    pub fn go(&mut self, chunks: &mut Chunks<'_>, from: u64, to: u64) -> Result<(), Refused> {
        let wanted = chunks.until(from)?..chunks.until(to)?;
        self.count(chunks, wanted.clone())?;
        self.busy.copy_from_slice(&self.sent);
        let longest = chunks.longest;
        let busy = &mut self.busy;
        let first = wanted.start..wanted.end.min(wanted.start + MOST_AT_ENDS);
        each(
            chunks,
            first,
            from.saturating_add(longest),
            |what, at, sent_for| {
                if let EventKind::Dequeue { port, .. } = what {
                    let began = at.saturating_sub(sent_for);
                    let outside = from.saturating_sub(began);
                    let busy = &mut busy[port as usize];
                    *busy = busy.saturating_sub(outside);
                }
            },
        )?;
        let after = wanted.end..chunks.events.min(wanted.end + MOST_AT_ENDS);
        let sending = &mut self.sending;
        sending.clear();
        each(
            chunks,
            after,
            to.saturating_add(longest),
            |what, at, sent_for| {
                if let EventKind::Dequeue { port, packet } = what {
                    let began = at.saturating_sub(sent_for).max(from);
                    let busy = &mut busy[port as usize];
                    *busy = busy.saturating_add(to.saturating_sub(began));
                    sending.push(Sending {
                        port,
                        packet,
                        sent_for,
                        passed: sent_for.saturating_sub(at.saturating_sub(to)),
                    });
                }
            },
        )?;
        // A link sends one packet after the other: only the first to leave can be in transmission.
        sending.sort_by_key(|one| one.port);
        sending.dedup_by_key(|one| one.port);
        sending.retain(|one| one.passed > 0);
        Ok(())
    }

    /// Counts exactly these events.
    fn count(&mut self, chunks: &mut Chunks<'_>, wanted: Range<usize>) -> Result<(), Refused> {
        let (old, new) = (self.counted.clone(), wanted.clone());
        let moves = old.start.abs_diff(new.start) + old.end.abs_diff(new.end);
        if moves > new.len() {
            self.sent.fill(0);
            self.detours.fill(0);
            self.drops.fill(0);
            self.counted = 0..0;
            self.add(chunks, new, 1)?;
        } else {
            // Add events before subtracting others, so that no sum drops below zero in between.
            self.add(chunks, new.start..old.start, 1)?;
            self.add(chunks, old.end..new.end, 1)?;
            self.add(chunks, old.start..new.start, -1)?;
            self.add(chunks, new.end..old.end, -1)?;
        }
        self.counted = wanted;
        Ok(())
    }

    fn add(
        &mut self,
        chunks: &mut Chunks<'_>,
        events: Range<usize>,
        sign: i8,
    ) -> Result<(), Refused> {
        let (sent, detours, drops) = (&mut self.sent, &mut self.detours, &mut self.drops);
        let step = |count: &mut u32| *count = count.wrapping_add_signed(sign.into());
        each(chunks, events, u64::MAX, |what, _, sent_for| match what {
            EventKind::Dequeue { port, .. } => {
                let sum = &mut sent[port as usize];
                *sum = match sign {
                    1 => sum.wrapping_add(sent_for),
                    _ => sum.wrapping_sub(sent_for),
                };
            }
            EventKind::Enqueue { port, wanted, .. } if port != wanted => {
                step(&mut detours[port as usize])
            }
            EventKind::Drop { port, .. } => step(&mut drops[port as usize]),
            _ => {}
        })
    }

    pub fn memory(&self) -> usize {
        self.sent.len() * 24 + self.sending.capacity() * size_of::<Sending>()
    }
}

/// Calls `see` with each event of these numbers, its time and its packet's transmission time, until `last`.
fn each(
    chunks: &mut Chunks<'_>,
    events: Range<usize>,
    last: u64,
    mut see: impl FnMut(EventKind, u64, u64),
) -> Result<(), Refused> {
    let mut at = events.start;
    while at < events.end {
        let i = chunks.of_event(at);
        let decoded = chunks.get(i)?;
        let Decoded { chunk, busy, .. } = &*decoded;
        let before = chunks.summaries[i].before;
        let within = at - before..(events.end - before).min(chunk.events.len());
        if within.is_empty() {
            break;
        }
        at = before + within.end;
        for (event, sent_for) in chunk.events[within.clone()].iter().zip(&busy[within]) {
            if event.at > last {
                return Ok(());
            }
            see(event.what, event.at, *sent_for);
        }
    }
    Ok(())
}
