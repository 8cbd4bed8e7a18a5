//! Notes: events of each TCP segment, kept in memory and written to a file at the end.
//!
//! **Decision**     when the memory is full, further events are only counted, and the time of the first one is
//!                  kept.
//! **State**        at most [`MOST`] notes, allocated at the start: the loop never waits for memory.
//! **Units**        picoseconds of the switch's clock, which began at `started_ns` of CLOCK_MONOTONIC; bytes of
//!                  buffer.
//! **Errors**       a file that cannot be written or read.
//!
//! A file has a line of JSON about the switch, and one for each note. Frames that are not TCP over IPv4, or
//! have a tag between Ethernet and IP, are only counted. A capture has whole frames and can run as long as the
//! disk lasts; notes have the times of departure as well, and disturb nothing while they are taken.

use super::clock::Clock;
use super::files;
use crate::frame::segment;
use crate::machine::{FrameAction, FrameEvent, buffered};
use serde::{Deserialize, Serialize};
use sidestep_switch::{Changes, Event, Sink};
use sidestep_types::PortId;
use std::io::{BufRead, BufReader, BufWriter, Read, Write};
use std::net::{IpAddr, SocketAddrV4};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard};

/// Most notes of a switch: 40 MB.
pub const MOST: usize = 1 << 19;

/// Summary of a switch's notes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct NotesSummary {
    /// Start of the switch's clock, in nanoseconds of CLOCK_MONOTONIC.
    pub started_ns: u64,
    /// Notes for which there was no room.
    pub lost: u64,
    /// Time of the first note without room.
    pub lost_from_ps: Option<u64>,
    /// Events of frames that are not noted.
    pub others: u64,
}

/// Event of a segment.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Note {
    /// Time of the event.
    pub at_ps: u64,
    /// Kind of event.
    pub what: NoteKind,
    /// Segment concerned.
    pub segment: SegmentHeader,
}

/// Kind of event. Ports are numbers, in the order of the config.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NoteKind {
    /// The segment joined the queue of `port`.
    Queued {
        /// Ingress port; `None` if the segment was queued elsewhere and evicted.
        from: Option<u16>,
        /// Port that the route chose.
        wanted: u16,
        /// Port of the queue.
        port: u16,
        /// Changes made to the segment, a bit for each of [`sidestep_switch::Changes::ALL`].
        changes: u8,
    },
    /// The segment's last bit left the queue of `port`.
    Left {
        /// Port of the queue.
        port: u16,
        /// Time at which the segment left the link.
        out_ps: u64,
    },
    /// The segment was dropped on arrival.
    Dropped {
        /// Ingress port.
        from: Option<u16>,
        /// Port that the route chose.
        wanted: u16,
        /// Drop reason: an index of [`sidestep_switch::DropReason::ALL`].
        reason: u8,
    },
    /// The segment was queued, and then dropped.
    Evicted {
        /// Port of the queue.
        port: u16,
        /// Drop reason: an index of [`sidestep_switch::DropReason::ALL`].
        reason: u8,
    },
}

/// Header fields that identify a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SegmentHeader {
    /// Sender.
    pub from: SocketAddrV4,
    /// Receiver.
    pub to: SocketAddrV4,
    /// Identification of its IP header.
    pub id: u16,
    /// Sequence number of its first byte, or of its SYN.
    pub seq: u32,
    /// Next sequence number that its sender expects.
    pub ack: u32,
    /// Bytes of payload.
    pub payload: u16,
    /// SYN flag: it opens a connection, or answers that.
    pub syn: bool,
    /// ACK flag: it acknowledges.
    pub acks: bool,
    /// ECE flag: its sender echoes a mark.
    pub ece: bool,
    /// Bytes of buffer.
    pub bytes: u32,
}

/// Recorder of notes.
#[derive(Clone)]
pub struct Notes {
    kept: Arc<Mutex<(NotesSummary, Vec<Note>)>>,
    most: usize,
}

impl Notes {
    /// Returns a recorder with room for [`MOST`] notes.
    pub fn begin() -> Notes {
        Notes::of(MOST)
    }

    /// Returns a recorder with room for `most` notes.
    fn of(most: usize) -> Notes {
        Notes {
            kept: Arc::new(Mutex::new((
                NotesSummary::default(),
                Vec::with_capacity(most),
            ))),
            most,
        }
    }

    fn kept(&self) -> MutexGuard<'_, (NotesSummary, Vec<Note>)> {
        self.kept
            .lock()
            .unwrap_or_else(|broken| broken.into_inner())
    }

    /// Returns the observer of the switch's frames. `clock` is the switch's clock.
    pub fn watcher(&self, clock: Clock) -> Notes {
        self.kept().0.started_ns = clock.started_ns();
        self.clone()
    }

    /// Writes the notes to a file that must not exist; returns their number, and the number of those without
    /// room.
    pub fn write(&self, path: &Path) -> Result<(usize, u64), String> {
        let say = |e: std::io::Error| format!("note {}: {e}", path.display());
        let mut file = BufWriter::new(files::create(path).map_err(say)?);
        let kept = self.kept();
        let (about, notes) = &*kept;
        let mut line = |value: Result<String, serde_json::Error>| {
            let text = value.map_err(std::io::Error::from)?;
            writeln!(file, "{text}")
        };
        line(serde_json::to_string(about)).map_err(say)?;
        for note in notes {
            line(serde_json::to_string(note)).map_err(say)?;
        }
        file.flush().map_err(say)?;
        Ok((notes.len(), about.lost))
    }
}

impl Sink<FrameEvent<'_>> for Notes {
    fn observe(&mut self, event: &FrameEvent<'_>) {
        let Some(what) = what(event) else { return };
        let mut kept = self.kept();
        let (about, notes) = &mut *kept;
        let Some(segment) = seen(event.frame) else {
            about.others += 1;
            return;
        };
        let at_ps = event.at.ps();
        if notes.len() == self.most {
            about.lost += 1;
            let first = about.lost_from_ps.unwrap_or(at_ps);
            about.lost_from_ps = Some(first.min(at_ps));
            return;
        }
        notes.push(Note {
            at_ps,
            what,
            segment,
        });
    }
}

/// Bytes of the longest file of notes: [`MOST`] lines of 512 bytes, of which they use some 300.
const LONGEST: u64 = (MOST as u64) << 9;

/// Reads a file that [`Notes::write`] wrote, without following a link. An error names the line that is not a
/// note.
pub fn read(path: &Path) -> Result<(NotesSummary, Vec<Note>), String> {
    let say = |e: std::io::Error| format!("notes {}: {e}", path.display());
    let file = files::open(path, LONGEST, libc::O_NOFOLLOW)?;
    // If the file grows meanwhile, reading ends there, in the middle of a line.
    let mut lines = BufReader::new(file.take(LONGEST)).lines();
    let wrong = |number: usize, e: serde_json::Error| {
        format!(
            "notes {}: line {number}: expected a note of a switch: {e}",
            path.display()
        )
    };
    let first = lines.next().transpose().map_err(say)?.unwrap_or_default();
    let about = serde_json::from_str(&first).map_err(|e| wrong(1, e))?;
    let mut notes = Vec::new();
    for (line, number) in lines.zip(2..) {
        let line = line.map_err(say)?;
        notes.push(serde_json::from_str(&line).map_err(|e| wrong(number, e))?);
    }
    Ok((about, notes))
}

/// Returns the kind of an event, if it is noted.
fn what(event: &FrameEvent<'_>) -> Option<NoteKind> {
    let from = event.from.map(|port| port.0);
    Some(match event.what {
        FrameAction::Switched(Event::Enqueue(joined) | Event::Move(joined)) => NoteKind::Queued {
            from,
            wanted: joined.wanted.0,
            port: joined.port.0,
            changes: bits(joined.changes),
        },
        FrameAction::Left {
            port: PortId(port),
            out,
        } => NoteKind::Left {
            port,
            out_ps: out.ps(),
        },
        FrameAction::Switched(Event::Drop { port, reason }) => NoteKind::Dropped {
            from,
            wanted: port.0,
            reason: reason as u8,
        },
        FrameAction::Switched(Event::Evict { port, reason }) => NoteKind::Evicted {
            port: port.0,
            reason: reason as u8,
        },
        FrameAction::Refused(_) | FrameAction::Answered => return None,
    })
}

/// Returns a bit for each change, in their order.
fn bits(changes: Changes) -> u8 {
    let bits = Changes::ALL.iter().enumerate();
    let bits = bits.map(|(bit, (change, _))| u8::from(changes.has(*change)) << bit);
    bits.sum()
}

fn seen(frame: &[u8]) -> Option<SegmentHeader> {
    let segment = segment(frame)?;
    let end = |(address, port): (IpAddr, u16)| match address {
        IpAddr::V4(address) => Some(SocketAddrV4::new(address, port)),
        IpAddr::V6(_) => None,
    };
    Some(SegmentHeader {
        from: end(segment.from)?,
        to: end(segment.to)?,
        id: u16::from_be_bytes([*frame.get(IDENTIFICATION)?, *frame.get(IDENTIFICATION + 1)?]),
        seq: segment.seq,
        ack: segment.ack,
        payload: segment.payload,
        syn: segment.syn,
        acks: segment.acks,
        ece: segment.ece,
        bytes: buffered(frame.len()),
    })
}

/// Offset of the identification in an IPv4 header that follows Ethernet's directly.
const IDENTIFICATION: usize = crate::frame::ETHERNET_BYTES + 4;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::sample::{Sample, arp_request};
    use sidestep_switch::DropReason;
    use sidestep_types::Time;

    #[test]
    fn notes_come_back_from_their_file_and_what_has_no_room_is_counted() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("notes");
        let notes = Notes::of(2);
        let clock = Clock::start();
        let mut watcher = notes.watcher(clock);
        let sample = Sample::tcp(1, 2, 30);
        let frame = sample.bytes();
        let wanted = PortId(1);
        let all = [
            FrameAction::Switched(Event::Drop {
                port: wanted,
                reason: DropReason::Full,
            }),
            FrameAction::Left {
                port: wanted,
                out: Time::from_us(9),
            },
            FrameAction::Answered,
            FrameAction::Switched(Event::Evict {
                port: wanted,
                reason: DropReason::Evicted,
            }),
            FrameAction::Switched(Event::Evict {
                port: wanted,
                reason: DropReason::Evicted,
            }),
        ];
        for (what, at) in all.into_iter().zip([1, 2, 3, 7, 5]) {
            let event = FrameEvent {
                at: Time::from_us(at),
                from: Some(PortId(0)),
                frame: &frame,
                what,
            };
            watcher.observe(&event);
            watcher.observe(&FrameEvent {
                frame: &arp_request(1, [10, 77, 0, 2]),
                ..event
            });
        }
        assert_eq!(notes.write(&path), Ok((2, 2)));
        assert!(notes.write(&path).unwrap_err().contains("exists"));
        let (about, read) = read(&path).unwrap();
        assert_eq!(about.started_ns, clock.started_ns());
        assert_eq!((about.lost, about.others), (2, 4));
        assert_eq!(about.lost_from_ps, Some(5_000_000));
        let dropped = NoteKind::Dropped {
            from: Some(0),
            wanted: 1,
            reason: DropReason::Full as u8,
        };
        let left = NoteKind::Left {
            port: 1,
            out_ps: 9_000_000,
        };
        assert_eq!([read[0].what, read[1].what], [dropped, left]);
        assert_eq!(read[1].at_ps, 2_000_000);
        let seen = read[0].segment;
        assert_eq!((seen.payload, seen.from.port()), (30, sample.ports.0));
        assert_eq!(IpAddr::from(*seen.to.ip()), sample.addresses.1);
        assert_eq!(seen.bytes, frame.len() as u32 + 4);
    }

    #[test]
    fn a_file_that_is_none_is_told_with_its_line() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("notes");
        let about = serde_json::to_string(&NotesSummary::default()).unwrap();
        std::fs::write(&path, format!("{about}\n{{}}\n")).unwrap();
        let said = read(&path).unwrap_err();
        assert!(
            said.contains("line 2: expected a note of a switch"),
            "{said}"
        );
    }
}
