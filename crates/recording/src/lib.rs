//! Recording of a run, written and read: the data a page needs to play the run. `docs/reference/recording.md` defines the
//! format.
//!
//! **Decision**     none: the room stores what a driver reports, and returns it.
//! **State**        the place of each packet ([`State`]), so that every chunk can be read alone.
//! **Units**        picoseconds, packets, bytes of buffer, bits per second.
//! **Errors**       a file that is not a recording, is incomplete or is newer is refused: what, where,
//!                  expected, got ([`Refused`]). A driver that reports an impossible event has a bug, and the
//!                  writer panics.
//!
//! No files, threads or clock: a recording is bytes. The simulator writes it, commands and pages read it, and a
//! program that measures real packets can write it too.
//!
//! ```
//! use sidestep_recording::{Event, Head, Link, Network, Node, Reader, Tail, EventKind, Writer};
//!
//! let node = |host| Node { name: "a".into(), host, ..Node::default() };
//! let link = Link { from: 0, to: 1, rate_bps: 1_000_000_000, delay_ps: 1_000_000, ..Link::default() };
//! let network = Network { nodes: vec![node(true), node(false)], links: vec![link], ..Network::default() };
//! let head = Head { source: "simulator".into(), network, ..Head::default() };
//!
//! let mut writer = Writer::begin(&head, Default::default());
//! let send = EventKind::Send { flow: 7, seq: 0, bytes: 1460, says: 0, host: 0, number: 0 };
//! let joins = EventKind::Enqueue { port: 0, packet: 0, bytes: 1500, wanted: 0, changes: 0, moved: 0 };
//! writer.push(Event { at: 5, what: send });
//! writer.push(Event { at: 5, what: joins });
//! let bytes = writer.finish(Tail::default());
//!
//! let reader = Reader::open(&bytes).unwrap();
//! let chunk = reader.chunk(0).unwrap();
//! assert_eq!(chunk.events[1].what, joins);
//! assert_eq!(reader.state_at(5).unwrap().depth(0), (1, 1500));
//! ```

#![forbid(unsafe_code)]

mod chunk;
mod columns;
mod event;
mod head;
pub mod idle;
mod reader;
mod refused;
mod section;
mod state;
mod writer;

pub use chunk::{Chunk, MOST_EVENTS};
pub use event::{Cause, Event, EventKind, KINDS, Kind, PacketFlags};
pub use head::{EventCount, Flow, Head, LeftOut, Link, Network, Node, Query, Span, Tail};
pub use reader::Reader;
pub use refused::Refused;
pub use section::VERSION;
pub use state::{Packet, Place, State};
pub use writer::Writer;

/// Reads an unpacked chunk of a network of `ports` ports, whose queues are `measured` or not. A fuzzer begins
/// here, since packed bytes that it changes can hardly ever be unpacked.
#[cfg(fuzzing)]
pub fn fuzz_chunk(raw: &[u8], ports: usize, measured: bool) -> Option<Chunk> {
    Chunk::read(raw, ports, measured).ok()
}
