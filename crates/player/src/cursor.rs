//! Cursor: the network at an instant, found by moving forward from an earlier instant or the beginning of a
//! chunk.
//!
//! **State**        packets, their flags, and measured queues, after all events up to an instant.

use crate::chunks::{Chunks, Decoded, NONE};
use crate::flags::Flags;
use crate::refused::Refused;
use crate::transmissions::LinkTransmissions;
use sidestep_recording::{Event, EventKind, State};
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::rc::Rc;

/// Network after all events up to some instant.
#[derive(Default)]
pub(crate) struct Cursor {
    pub state: State,
    pub flags: Flags,
    /// Transmission times of packets on links, at the instant of the last [`Cursor::seek`].
    pub sent: LinkTransmissions,
    /// Packets and bytes in queues that were measured.
    pub depths: BTreeMap<u32, (u32, u64)>,
    within: Option<(usize, Rc<Decoded>)>,
    /// Index of the next event in its chunk.
    next: usize,
    at: u64,
}

impl Cursor {
    /// Creates a cursor before the first event of chunk `i`.
    pub fn begin(chunks: &mut Chunks<'_>, i: usize) -> Result<Cursor, Refused> {
        let decoded = chunks.get(i)?;
        let known = &chunks.summaries[i].known;
        let state = decoded.chunk.state.clone();
        Ok(Cursor {
            flags: Flags::begin(state.next(), known.flags.clone()),
            sent: LinkTransmissions::begin(&state, &known.sent),
            state,
            depths: known.depths.clone(),
            within: Some((i, decoded)),
            next: 0,
            at: 0,
        })
    }

    /// Moves to the instant `at`: applies every event up to and including it, and none after it.
    pub fn seek(&mut self, chunks: &mut Chunks<'_>, at: u64) -> Result<(), Refused> {
        let Some(target) = chunks.at(at) else {
            if self.state.ports() == 0 {
                self.state = State::new(chunks.head().network.links.len());
            }
            return Ok(());
        };
        let here = self.within.as_ref().map(|(i, _)| *i);
        if here != Some(target) || at < self.at {
            *self = Cursor::begin(chunks, target)?;
        }
        self.at = at;
        let Some((_, decoded)) = self.within.clone() else {
            return Ok(());
        };
        while let Some(event) = decoded.chunk.events.get(self.next) {
            if event.at > at {
                break;
            }
            self.apply(event)?;
            self.sent.apply(event, decoded.busy[self.next], &self.state);
            self.next += 1;
        }
        Ok(())
    }

    pub fn apply(&mut self, event: &Event) -> Result<(), Refused> {
        // Cannot fail: the event was applied when its chunk was first read.
        self.state.apply(event).map_err(Refused::new)?;
        self.flags.apply(event);
        if let EventKind::Depth {
            port,
            packets,
            bytes,
        } = event.what
        {
            self.depths.insert(port, (packets, bytes));
        }
        Ok(())
    }

    /// Returns packets and bytes waiting at a port: as measured if the queue was measured, else as counted.
    pub fn depth(&self, port: u32) -> (u32, u64) {
        match self.depths.get(&port) {
            Some(measured) => *measured,
            None if (port as usize) < self.state.ports() => self.state.depth(port),
            None => (0, 0),
        }
    }

    pub fn memory(&self) -> usize {
        let ports = 0..self.state.ports() as u32;
        let waiting: usize = ports.map(|port| self.state.depth(port).0 as usize).sum();
        self.state.ports() * 72 + waiting * 80 + self.flags.memory() + self.sent.memory()
    }
}

/// Event, and the network just before it.
pub(crate) struct Step<'a> {
    pub event: &'a Event,
    /// Flow of the event; [`NONE`] if it has none.
    pub flow: u32,
    pub before: &'a Cursor,
}

/// Calls `see` for each event from `from` to `to`, both included, until it breaks. Skips chunks for which `has`
/// returns false.
pub(crate) fn walk(
    chunks: &mut Chunks<'_>,
    (from, to): (u64, u64),
    has: impl Fn(&Chunks<'_>, usize) -> bool,
    mut see: impl FnMut(Step<'_>) -> ControlFlow<()>,
) -> Result<(), Refused> {
    for i in chunks.from(from)..chunks.count() {
        if chunks.span(i).0 > to {
            break;
        }
        if !has(chunks, i) {
            continue;
        }
        let mut cursor = Cursor::begin(chunks, i)?;
        let decoded = chunks.get(i)?;
        for (event, flow) in decoded.chunk.events.iter().zip(&decoded.flow) {
            if event.at > to {
                return Ok(());
            }
            if event.at >= from {
                let flow = *flow;
                let before = &cursor;
                let step = Step {
                    event,
                    flow,
                    before,
                };
                if see(step).is_break() {
                    return Ok(());
                }
            }
            cursor.apply(event)?;
        }
    }
    Ok(())
}

/// Returns the flow, or `None` for [`NONE`].
pub(crate) fn known(flow: u32) -> Option<u32> {
    (flow != NONE).then_some(flow)
}
