//! Writes a recording, event by event.
//!
//! **Decision**     a chunk ends when it is full.
//! **State**        where packets are, the chunk under way, and all bytes so far.
//! **Errors**       events out of the order of time, and what cannot be, are bugs of whoever tells them: it panics.

use crate::chunk::{MOST_EVENTS, Open};
use crate::event::{Event, KINDS};
use crate::head::{Crowd, Head, Span, Tail};
use crate::section::{END, MAGIC, Section, VERSION, put_section};
use crate::state::State;

/// A recording in the making.
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
    /// Panics when there is another number.
    pub fn begin(head: &Head, state: State) -> Writer {
        let ports = head.network.links.len();
        let mut state = match state.ports() {
            0 => State::new(ports),
            _ => state,
        };
        assert_eq!(
            state.ports(),
            ports,
            "a state of as many ports as there are links"
        );
        state.compact();
        let mut out = MAGIC.to_vec();
        out.extend(VERSION.to_le_bytes());
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

    /// Adds an event. Panics when it is earlier than the one before, or cannot be.
    #[inline]
    pub fn push(&mut self, event: Event) {
        assert!(
            event.at >= self.latest,
            "an event at {} ps comes after one at {} ps",
            event.at,
            self.latest
        );
        self.latest = event.at;
        if let Err(why) = self.state.apply(&event) {
            panic!("{event:?} cannot be: {why}");
        }
        self.counts[event.what.kind() as usize] += 1;
        self.open.push(&event);
        if self.open.len() == MOST_EVENTS {
            self.close_chunk();
        }
    }

    /// Where packets are.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// Bytes of all chunks that are full.
    pub fn bytes(&self) -> usize {
        self.out.len()
    }

    /// Ends it. Of the tail it fills in what it knows: chunks, counts, packets.
    pub fn finish(mut self, tail: Tail) -> Vec<u8> {
        if self.open.len() > 0 || self.chunks.is_empty() {
            self.close_chunk();
        }
        let counts = KINDS.iter().zip(&self.counts);
        let tail = Tail {
            chunks: self.chunks,
            counts: counts
                .map(|(kind, events)| Crowd {
                    kind: kind.word().into(),
                    events: *events,
                })
                .collect(),
            packets: u64::from(self.state.next()),
            ..tail
        };
        let offset = self.out.len() as u64;
        let tail = serde_json::to_vec(&tail).expect("a tail is always JSON");
        put_section(&mut self.out, Section::Tail, &tail);
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
