//! What became of each TCP segment, noted in memory and written to a file when all is over.
//!
//! **Decision**     when there is no room any more, what comes later is counted, with when that began.
//! **State**        [`MOST`] notes at most, for which there is room from the beginning: the loop never waits for memory.
//! **Units**        picoseconds of the switch's clock, which began at `started_ns` of CLOCK_MONOTONIC; bytes of buffer.
//! **Errors**       a file that cannot be written or read is told.
//!
//! A file has a line of JSON about the switch, and one for each note. What is no TCP over IPv4, or has a tag between
//! Ethernet and IP, is counted alone. A capture has whole frames and goes on for as long as the disk does; notes have
//! when a frame left as well, and disturb nobody while they are taken.

use super::clock::Clock;
use super::files;
use crate::frame::segment;
use crate::machine::{FrameEvent, Happened, buffered};
use serde::{Deserialize, Serialize};
use sidestep_switch::{Changes, Event, Sink};
use sidestep_types::PortId;
use std::io::{BufRead, BufReader, BufWriter, Read, Write};
use std::net::{IpAddr, SocketAddrV4};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard};

/// Notes of a switch: 40 MB.
pub const MOST: usize = 1 << 19;

/// What is noted of a switch.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct About {
    /// When its clock began, in nanoseconds of CLOCK_MONOTONIC.
    pub started_ns: u64,
    /// For how many notes there was no room.
    pub lost: u64,
    /// When there was no room first.
    pub lost_from_ps: Option<u64>,
    /// Frames of which nothing is noted, each as often as something happened to it.
    pub others: u64,
}

/// One note.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Note {
    /// When it happened.
    pub at_ps: u64,
    /// What happened.
    pub what: What,
    /// To which segment.
    pub segment: Seen,
}

/// What happened to a segment. Ports are numbers, in the order of the config.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum What {
    /// It joined the queue of `port`.
    Queued {
        /// Where it came in by; `None` when it waited elsewhere and was evicted.
        from: Option<u16>,
        /// Where it wanted to go.
        wanted: u16,
        /// Where it waits.
        port: u16,
        /// What was done to it, a bit for each of [`sidestep_switch::Changes::ALL`].
        changes: u8,
    },
    /// Its last bit left the queue of `port`.
    Left {
        /// The port.
        port: u16,
        /// When it was out of the link.
        out_ps: u64,
    },
    /// It was dropped as it came.
    Dropped {
        /// Where it came in by.
        from: Option<u16>,
        /// Where it wanted to go.
        wanted: u16,
        /// Why: an index of [`sidestep_switch::DropReason::ALL`].
        reason: u8,
    },
    /// It waited, and was dropped.
    Evicted {
        /// Where it waited.
        port: u16,
        /// Why.
        reason: u8,
    },
}

/// What a segment is told by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Seen {
    /// Who sent it.
    pub from: SocketAddrV4,
    /// Who gets it.
    pub to: SocketAddrV4,
    /// The identification of its IP header.
    pub id: u16,
    /// Its first byte, or its SYN.
    pub seq: u32,
    /// What its sender expects next.
    pub ack: u32,
    /// Bytes of payload.
    pub payload: u16,
    /// It opens a connection, or answers that.
    pub syn: bool,
    /// It acknowledges.
    pub acks: bool,
    /// Its sender echoes a mark.
    pub ece: bool,
    /// Bytes of buffer.
    pub bytes: u32,
}

/// Notes that are taken.
#[derive(Clone)]
pub struct Notes {
    kept: Arc<Mutex<(About, Vec<Note>)>>,
    most: usize,
}

impl Notes {
    /// With room for [`MOST`].
    pub fn begin() -> Notes {
        Notes::of(MOST)
    }

    /// With room for so many.
    fn of(most: usize) -> Notes {
        Notes {
            kept: Arc::new(Mutex::new((About::default(), Vec::with_capacity(most)))),
            most,
        }
    }

    fn kept(&self) -> MutexGuard<'_, (About, Vec<Note>)> {
        self.kept
            .lock()
            .unwrap_or_else(|broken| broken.into_inner())
    }

    /// What the switch tells of frames goes here. `clock` is the one that the switch is driven by.
    pub fn watcher(&self, clock: Clock) -> Notes {
        self.kept().0.started_ns = clock.started_ns();
        self.clone()
    }

    /// Writes them to a file that must not exist; how many there are, and for how many there was no room.
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
    fn hear(&mut self, event: &FrameEvent<'_>) {
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

/// The longest file of notes: [`MOST`] lines of 512 bytes, of which they have some 300.
const LONGEST: u64 = (MOST as u64) << 9;

/// Reads what [`Notes::write`] wrote, not by way of a link. An error says which line is none.
pub fn read(path: &Path) -> Result<(About, Vec<Note>), String> {
    let say = |e: std::io::Error| format!("notes {}: {e}", path.display());
    let file = files::open(path, LONGEST, libc::O_NOFOLLOW)?;
    // What grows meanwhile ends there, in the middle of a line.
    let mut lines = BufReader::new(file.take(LONGEST)).lines();
    let wrong = |number: usize, e: serde_json::Error| {
        format!(
            "notes {}: line {number}: expected what a switch noted: {e}",
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

/// What is noted of an event, if anything.
fn what(event: &FrameEvent<'_>) -> Option<What> {
    let from = event.from.map(|port| port.0);
    Some(match event.what {
        Happened::Switched(Event::Enqueue(joined) | Event::Move(joined)) => What::Queued {
            from,
            wanted: joined.wanted.0,
            port: joined.port.0,
            changes: bits(joined.changes),
        },
        Happened::Left {
            port: PortId(port),
            out,
        } => What::Left {
            port,
            out_ps: out.ps(),
        },
        Happened::Switched(Event::Drop { port, reason }) => What::Dropped {
            from,
            wanted: port.0,
            reason: reason as u8,
        },
        Happened::Switched(Event::Evict { port, reason }) => What::Evicted {
            port: port.0,
            reason: reason as u8,
        },
        Happened::Refused(_) | Happened::Answered => return None,
    })
}

/// A bit for each change, in their order.
fn bits(changes: Changes) -> u8 {
    let bits = Changes::ALL.iter().enumerate();
    let bits = bits.map(|(bit, (change, _))| u8::from(changes.has(*change)) << bit);
    bits.sum()
}

fn seen(frame: &[u8]) -> Option<Seen> {
    let segment = segment(frame)?;
    let end = |(address, port): (IpAddr, u16)| match address {
        IpAddr::V4(address) => Some(SocketAddrV4::new(address, port)),
        IpAddr::V6(_) => None,
    };
    Some(Seen {
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

/// Where the identification of an IPv4 header right behind Ethernet's is.
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
            Happened::Switched(Event::Drop {
                port: wanted,
                reason: DropReason::Full,
            }),
            Happened::Left {
                port: wanted,
                out: Time::from_us(9),
            },
            Happened::Answered,
            Happened::Switched(Event::Evict {
                port: wanted,
                reason: DropReason::Evicted,
            }),
            Happened::Switched(Event::Evict {
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
            watcher.hear(&event);
            watcher.hear(&FrameEvent {
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
        let dropped = What::Dropped {
            from: Some(0),
            wanted: 1,
            reason: DropReason::Full as u8,
        };
        let left = What::Left {
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
        let about = serde_json::to_string(&About::default()).unwrap();
        std::fs::write(&path, format!("{about}\n{{}}\n")).unwrap();
        let said = read(&path).unwrap_err();
        assert!(
            said.contains("line 2: expected what a switch noted"),
            "{said}"
        );
    }
}
