//! Player of a recording: the network at an instant, the events with their causes, and completion times, as a
//! page queries them.
//!
//! **Decision**     none: the player reports the content of the recording.
//! **State**        the file, borrowed; decoded chunks, within [`MOST_BYTES`]; the current instant.
//! **Units**        picoseconds since the run began, packets, bytes of buffer.
//! **Errors**       a damaged or contradictory file, and a question about something missing, are [`Refused`]
//!                  with an explanation. No file makes the player panic.
//!
//! [`Player`] implements the interface of that name in `web/src/engine/api.ts`, which defines each question;
//! `crates/wasm` passes the answers on. No files, threads or clock. If a recording lacks some events, as one of
//! real packets may, answers use the events it has.

#![forbid(unsafe_code)]

mod chunks;
mod completions;
mod cursor;
mod flags;
mod flow;
mod frame;
mod happenings;
mod journey;
mod paths;
mod queues;
mod refused;
mod search;
mod sentences;
mod slow;
mod transmissions;
mod window;

pub use chunks::MOST_BYTES;
pub use completions::{Completions, FlowDone, QueryDone};
pub use flags::{ACK, AGAIN, DETOURED, MARKED, TRIMMED};
pub use flow::{Acked, At, FlowSeries, SentSegments, Windows};
pub use frame::Frame;
pub use happenings::{DescribedEvent, EventFilter};
pub use journey::{Hop, Journey};
pub use queues::{PortSeries, QueueSeries};
pub use refused::Refused;
pub use slow::{Breakdown, HopSum, Part, Sum};

use chunks::Chunks;
use cursor::Cursor;
use serde::Serialize;
use sidestep_recording::{Head, Tail};
use window::Window;

/// Open recording.
pub struct Player<'a> {
    chunks: Chunks<'a>,
    cursor: Cursor,
    window: Window,
    frame: Frame,
}

/// Packet waiting in a queue.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Waiting {
    /// Number of the packet.
    pub packet: u32,
    /// Flow of the packet.
    pub flow: u32,
    /// Buffer used, bytes.
    pub bytes: u32,
    /// Flags: [`ACK`] and the others.
    pub flags: u8,
}

impl<'a> Player<'a> {
    /// Opens a recording and reads all of it once. Refuses a file that is not a recording, is incomplete or
    /// newer, or contradicts itself.
    pub fn open(file: &'a [u8]) -> Result<Player<'a>, Refused> {
        let chunks = Chunks::open(file)?;
        let ports = chunks.head().network.links.len();
        Ok(Player {
            chunks,
            cursor: Cursor::default(),
            window: Window::new(ports),
            frame: Frame::default(),
        })
    }

    /// Returns the head of the recording.
    pub fn head(&self) -> &Head {
        self.chunks.head()
    }

    /// Returns the tail of the recording.
    pub fn tail(&self) -> &Tail {
        self.chunks.tail()
    }

    /// Returns the size of the file, bytes.
    pub fn bytes(&self) -> usize {
        self.chunks.bytes()
    }

    /// Returns the memory used, the file included, bytes.
    pub fn memory(&self) -> usize {
        self.chunks.memory() + self.cursor.memory() + self.window.memory() + self.frame.memory()
    }

    /// Returns the network at the instant `at`, with use, detours and drops over the `span` that ends there.
    pub fn frame(&mut self, at: u64, span: u64) -> Result<&Frame, Refused> {
        self.cursor.seek(&mut self.chunks, at)?;
        let (cursor, window) = (&self.cursor, &mut self.window);
        self.frame
            .fill(&mut self.chunks, cursor, window, (at, span))?;
        Ok(&self.frame)
    }

    /// Returns the instant of the next event after `at`; only events at `port` count, if it is given.
    pub fn next(&mut self, at: u64, port: Option<u32>) -> Result<Option<u64>, Refused> {
        search::next(&mut self.chunks, at, port)
    }

    /// Returns the instant of the last event before `at`; only events at `port` count, if it is given.
    pub fn previous(&mut self, at: u64, port: Option<u32>) -> Result<Option<u64>, Refused> {
        search::previous(&mut self.chunks, at, port)
    }

    /// Returns the packets waiting at `port` at the instant `at`, in order of arrival.
    pub fn waiting(&mut self, at: u64, port: u32) -> Result<Vec<Waiting>, Refused> {
        self.check_port(port)?;
        self.cursor.seek(&mut self.chunks, at)?;
        let waiting = self.cursor.state.queue(port).map(|packet| Waiting {
            packet: packet.id,
            flow: packet.flow,
            bytes: packet.buffer,
            flags: self.cursor.flags.of(packet),
        });
        Ok(waiting.collect())
    }

    /// Returns the first `most` events from `from` to `to`, both included, that pass the filter `only`.
    pub fn happenings(
        &mut self,
        (from, to): (u64, u64),
        most: usize,
        only: &EventFilter,
    ) -> Result<Vec<DescribedEvent>, Refused> {
        happenings::find(&mut self.chunks, (from, to), most, only)
    }

    /// Returns the journey of a packet, with the reason for each decision.
    pub fn journey(&mut self, packet: u32) -> Result<Journey, Refused> {
        journey::of(&mut self.chunks, packet)
    }

    /// Returns the queues of a node, in `buckets` equal parts of the time from `from` to `to`.
    pub fn queues(
        &mut self,
        node: u32,
        (from, to): (u64, u64),
        buckets: usize,
    ) -> Result<QueueSeries, Refused> {
        queues::of(&mut self.chunks, node, (from, to), buckets)
    }

    /// Returns the data of a flow over time, and the states of its sender.
    pub fn flow(&mut self, id: u32) -> Result<FlowSeries, Refused> {
        flow::of(&mut self.chunks, id)
    }

    /// Explains the completion time of a query.
    pub fn query(&mut self, id: u32) -> Result<Breakdown, Refused> {
        slow::of(&mut self.chunks, id)
    }

    /// Returns the completion times of the flows and queries under way in the recording.
    pub fn completions(&self) -> Completions {
        completions::of(&self.chunks)
    }

    fn check_port(&self, port: u32) -> Result<(), Refused> {
        let ports = self.head().network.links.len();
        if (port as usize) < ports {
            return Ok(());
        }
        Err(Refused::new(format!(
            "there is no port {port}: the recording has {ports} ports, numbered from 0"
        )))
    }
}
