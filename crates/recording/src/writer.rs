//! Writer of a recording, event by event.
//!
//! **Decision**     a chunk ends when it is full. A tail without room for all flows and queries lists those
//!                  with the lowest numbers, and counts the rest.
//! **State**        the place of every packet, the chunk under way, and all bytes so far.
//! **Errors**       events out of time order and impossible events are bugs of the caller: the writer panics. A
//!                  caller whose events were observed, not decided, [offers](Writer::offer) them instead.

use crate::chunk::{MOST_EVENTS, Open};
use crate::event::{Event, KINDS};
use crate::head::{EventCount, Head, LeftOut, Span, Tail};
use crate::section::{END, MAGIC, MOST_RAW, Section, VERSION, WHOLE, put_section};
use crate::state::State;
use serde::Serialize;

/// Recording under construction.
pub struct Writer {
    out: Vec<u8>,
    state: State,
    open: Open,
    chunks: Vec<Span>,
    counts: Vec<u64>,
    latest: u64,
}

impl Writer {
    /// Begins with the network in this `state`: an empty one, or one of as many ports as `head` has links.
    ///
    /// Panics if the number of ports differs, or if `state` and `head` disagree about measured queues.
    pub fn begin(head: &Head, state: State) -> Writer {
        let ports = head.network.links.len();
        let mut state = match (state.ports(), head.measured) {
            (0, true) => State::measured(ports),
            (0, false) => State::new(ports),
            _ => state,
        };
        assert_eq!(
            state.ports(),
            ports,
            "the state must have as many ports as the head has links"
        );
        assert_eq!(
            state.is_measured(),
            head.measured,
            "state and head must agree on whether queues are measured"
        );
        state.compact();
        let version = if head.measured { VERSION } else { WHOLE };
        let mut out = MAGIC.to_vec();
        out.extend(version.to_le_bytes());
        out.extend([0; 2]);
        let head = serde_json::to_vec(head).expect("a head is always JSON");
        put_section(&mut out, Section::Head, &head);
        let mut open = Open::new();
        open.begin(&state);
        Writer {
            out,
            state,
            open,
            chunks: Vec::new(),
            counts: vec![0; KINDS.len()],
            latest: 0,
        }
    }

    /// Adds an event. Panics if the event is earlier than the one before, or impossible.
    #[inline]
    pub fn push(&mut self, event: Event) {
        if let Err(why) = self.offer(event) {
            panic!("{event:?} is impossible: {why}");
        }
    }

    /// Adds an event if it is possible: events observed from real packets may be wrong. An error gives the
    /// reason, and the event is not recorded.
    ///
    /// Panics if the event is earlier than the one before.
    #[inline]
    pub fn offer(&mut self, event: Event) -> Result<(), String> {
        assert!(
            event.at >= self.latest,
            "an event at {} ps comes after one at {} ps",
            event.at,
            self.latest
        );
        self.state.apply(&event)?;
        self.latest = event.at;
        self.counts[event.what.kind() as usize] += 1;
        self.open.push(&event);
        if self.open.len() == MOST_EVENTS {
            self.close_chunk();
        }
        Ok(())
    }

    /// Returns the current state of all packets.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// Returns the size of the head and all full chunks, bytes.
    pub fn bytes(&self) -> usize {
        self.out.len()
    }

    /// Ends the recording. Fills in the tail's chunks, counts and number of packets.
    pub fn finish(mut self, tail: Tail) -> Vec<u8> {
        if self.open.len() > 0 || self.chunks.is_empty() {
            self.close_chunk();
        }
        let counts = KINDS.iter().zip(&self.counts);
        let tail = Tail {
            chunks: self.chunks,
            counts: counts
                .map(|(kind, events)| EventCount {
                    kind: kind.word().into(),
                    events: *events,
                })
                .collect(),
            packets: u64::from(self.state.next()),
            ..tail
        };
        let offset = self.out.len() as u64;
        put_section(&mut self.out, Section::Tail, &fitting(tail, MOST_RAW));
        self.out.extend(offset.to_le_bytes());
        self.out.extend(END);
        self.out
    }

    #[inline(never)]
    fn close_chunk(&mut self) {
        self.chunks.push(Span {
            offset: self.out.len() as u64,
            from: self.open.from,
            to: self.open.to,
            events: self.open.len() as u64,
        });
        put_section(&mut self.out, Section::Chunk, &self.open.raw());
        self.state.compact();
        self.open.begin(&self.state);
    }
}

/// Encodes a tail in at most `most` bytes. Queries have priority over flows, low numbers over high ones.
fn fitting(mut tail: Tail, most: usize) -> Vec<u8> {
    let bytes = json(&tail);
    if bytes.len() <= most {
        return bytes;
    }
    let (mut flows, mut queries) = (
        std::mem::take(&mut tail.flows),
        std::mem::take(&mut tail.queries),
    );
    // Reserve room for the counts, at their largest.
    tail.left_out = Some(LeftOut {
        flows: u64::MAX,
        queries: u64::MAX,
    });
    let mut room = most.saturating_sub(json(&tail).len());
    let left_out = LeftOut {
        queries: keep(&mut queries, &mut room),
        flows: keep(&mut flows, &mut room),
    };
    json(&Tail {
        flows,
        queries,
        left_out: Some(left_out),
        ..tail
    })
}

/// Keeps the first items that fit into `room`, and returns the number of the rest.
fn keep<T: Serialize>(list: &mut Vec<T>, room: &mut usize) -> u64 {
    let all = list.len();
    let kept = list.iter().take_while(|item| {
        // One byte more for the comma.
        let takes = json(item).len() + 1;
        let left = room.checked_sub(takes);
        *room = left.unwrap_or(0);
        left.is_some()
    });
    let kept = kept.count();
    list.truncate(kept);
    (all - kept) as u64
}

fn json<T: Serialize>(what: &T) -> Vec<u8> {
    serde_json::to_vec(what).expect("a tail is always JSON")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::head::{Flow, Query};

    #[test]
    fn a_tail_without_room_keeps_the_first_and_says_how_many_it_leaves_out() {
        let tail = Tail {
            flows: (0..90)
                .map(|id| Flow {
                    id,
                    ..Flow::default()
                })
                .collect(),
            queries: (0..9)
                .map(|id| Query {
                    id,
                    ..Query::default()
                })
                .collect(),
            ..Tail::default()
        };
        let whole = json(&tail).len();
        assert_eq!(fitting(tail.clone(), whole), json(&tail), "there is room");
        let empty = json(&Tail::default()).len() + 100;
        for most in empty..whole {
            let bytes = fitting(tail.clone(), most);
            assert!(bytes.len() <= most, "{} of {most}", bytes.len());
            let kept: Tail = serde_json::from_slice(&bytes).unwrap();
            let left = kept.left_out.unwrap();
            assert_eq!(kept.flows, tail.flows[..90 - left.flows as usize]);
            assert_eq!(kept.queries, tail.queries[..9 - left.queries as usize]);
            assert!(left.flows == 90 || left.queries == 0, "queries are first");
            // The room left is smaller than another flow.
            assert!(bytes.len() + 160 > most, "{} of {most}", bytes.len());
        }
    }
}
