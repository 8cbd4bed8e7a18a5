//! What a page asks of a recording: the network at an instant, what happened and why, and how long things took.
//!
//! **Decision**     none: it tells what is recorded.
//! **State**        the file, borrowed; chunks that were read, within [`MOST_BYTES`]; where it plays.
//! **Units**        picoseconds since the run began, packets, bytes of buffer.
//! **Errors**       a file that is damaged or contradicts itself, and a question about what is not there, are [`Refused`] in words. Nothing in a
//!                  file makes it panic.
//!
//! [`Player`] answers for the interface of that name in `web/src/engine/api.ts`, which says what each question means; `crates/wasm` hands the
//! answers over. No files, threads or clock. A recording that lacks some events, as one of real packets may, is answered from those it has.

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
mod sent;
mod slow;
mod window;
mod words;

pub use chunks::MOST_BYTES;
pub use completions::{Completions, FlowDone, QueryDone};
pub use flags::{ACK, AGAIN, DETOURED, MARKED, TRIMMED};
pub use flow::{Acked, At, FlowSeries, Sent, Windows};
pub use frame::Frame;
pub use happenings::{Happening, Only};
pub use journey::{Hop, Journey};
pub use queues::{PortSeries, QueueSeries};
pub use refused::Refused;
pub use slow::{Breakdown, HopSum, Part, Sum};

use chunks::Chunks;
use cursor::Cursor;
use serde::Serialize;
use sidestep_recording::{Head, Tail};
use window::Window;

/// A recording that is open.
pub struct Player<'a> {
    chunks: Chunks<'a>,
    cursor: Cursor,
    window: Window,
    frame: Frame,
}

/// A packet that waits.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Waiting {
    /// Its number.
    pub packet: u32,
    /// Its flow.
    pub flow: u32,
    /// Its bytes of buffer.
    pub bytes: u32,
    /// Bits: [`ACK`] and the others.
    pub flags: u8,
}

impl<'a> Player<'a> {
    /// Opens a recording, and reads all of it once. Refuses what is no recording, not whole, newer, or contradicts itself.
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

    /// What the recording is of.
    pub fn head(&self) -> &Head {
        self.chunks.head()
    }

    /// What it came to.
    pub fn tail(&self) -> &Tail {
        self.chunks.tail()
    }

    /// Bytes of the file.
    pub fn bytes(&self) -> usize {
        self.chunks.bytes()
    }

    /// Bytes of memory that are held, the file among them.
    pub fn memory(&self) -> usize {
        self.chunks.memory() + self.cursor.memory() + self.window.memory() + self.frame.memory()
    }

    /// The network at the instant `at`; use, detours and drops over the `span` that ends there.
    pub fn frame(&mut self, at: u64, span: u64) -> Result<&Frame, Refused> {
        self.cursor.seek(&mut self.chunks, at)?;
        let (cursor, window) = (&self.cursor, &mut self.window);
        self.frame
            .fill(&mut self.chunks, cursor, window, (at, span))?;
        Ok(&self.frame)
    }

    /// The instant of the next event after `at`; of those at `port`, if one is given.
    pub fn next(&mut self, at: u64, port: Option<u32>) -> Result<Option<u64>, Refused> {
        search::next(&mut self.chunks, at, port)
    }

    /// The instant of the last event before `at`; of those at `port`, if one is given.
    pub fn previous(&mut self, at: u64, port: Option<u32>) -> Result<Option<u64>, Refused> {
        search::previous(&mut self.chunks, at, port)
    }

    /// Who waits at `port` at the instant `at`, in the order in which they came.
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

    /// What happened from `from` to `to`, both included: the first `most` of what `only` lets pass.
    pub fn happenings(
        &mut self,
        (from, to): (u64, u64),
        most: usize,
        only: &Only,
    ) -> Result<Vec<Happening>, Refused> {
        happenings::find(&mut self.chunks, (from, to), most, only)
    }

    /// Where a packet went, and why.
    pub fn journey(&mut self, packet: u32) -> Result<Journey, Refused> {
        journey::of(&mut self.chunks, packet)
    }

    /// The queues of a node, in `buckets` equal parts of the time from `from` to `to`.
    pub fn queues(
        &mut self,
        node: u32,
        (from, to): (u64, u64),
        buckets: usize,
    ) -> Result<QueueSeries, Refused> {
        queues::of(&mut self.chunks, node, (from, to), buckets)
    }

    /// What a flow sent, and how its sender stood.
    pub fn flow(&mut self, id: u32) -> Result<FlowSeries, Refused> {
        flow::of(&mut self.chunks, id)
    }

    /// Why a query took so long.
    pub fn query(&mut self, id: u32) -> Result<Breakdown, Refused> {
        slow::of(&mut self.chunks, id)
    }

    /// How long the flows and queries took that were under way in the recording.
    pub fn completions(&self) -> Completions {
        completions::of(&self.chunks)
    }

    fn check_port(&self, port: u32) -> Result<(), Refused> {
        let ports = self.head().network.links.len();
        if (port as usize) < ports {
            return Ok(());
        }
        Err(Refused::new(format!(
            "there is no port {port}: the recording has {ports}, from 0 on"
        )))
    }
}
