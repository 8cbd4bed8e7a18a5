//! Reader of a recording. Reads the head and the tail at once, and chunks on demand.
//!
//! **State**        the file's bytes, borrowed; the head and the tail.
//! **Errors**       a faulty file is refused with an explanation. No file makes the reader panic, or use more
//!                  memory than a chunk may have.

use crate::chunk::Chunk;
use crate::event::Event;
use crate::head::{Head, Span, Tail};
use crate::refused::Refused;
use crate::section::{END, FOOTER, MAGIC, PREAMBLE, Section, VERSION, WHOLE, section_at};
use crate::state::State;
use serde::de::DeserializeOwned;

/// Reader of one recording.
#[derive(Debug)]
pub struct Reader<'a> {
    file: &'a [u8],
    head: Head,
    tail: Tail,
    /// True if the lengths of queues are recorded as measured.
    measured: bool,
}

impl<'a> Reader<'a> {
    /// Opens a recording. Refuses bytes that are not a recording, are incomplete, or are of a newer version.
    pub fn open(file: &'a [u8]) -> Result<Reader<'a>, Refused> {
        let version = check_preamble(file)?;
        let tail_at = tail_offset(file)?;
        let (head, _) = section_at(file, PREAMBLE as u64, Section::Head)?;
        let head: Head = json("head", &head)?;
        let (tail, _) = section_at(file, tail_at, Section::Tail)?;
        let tail: Tail = json("tail", &tail)?;
        check_head(&head)?;
        Ok(Reader {
            file,
            measured: version > WHOLE && head.measured,
            head,
            tail,
        })
    }

    /// Returns the head: the recorded network and the origin of the recording.
    pub fn head(&self) -> &Head {
        &self.head
    }

    /// Returns the tail: the results of flows and queries, and the index of chunks.
    pub fn tail(&self) -> &Tail {
        &self.tail
    }

    /// Returns the index of chunks.
    pub fn chunks(&self) -> &[Span] {
        &self.tail.chunks
    }

    /// Returns the size of the recording, bytes.
    pub fn bytes(&self) -> usize {
        self.file.len()
    }

    /// Reads chunk number `i`.
    ///
    /// Panics when there is no such chunk.
    pub fn chunk(&self, i: usize) -> Result<Chunk, Refused> {
        let span = &self.tail.chunks[i];
        let (raw, _) = section_at(self.file, span.offset, Section::Chunk)?;
        let ports = self.head.network.links.len();
        let wrong = |at: usize, expected: String, got: String| {
            let what = format!("chunk {i} of the recording cannot be read");
            Refused::new(
                what,
                format!("byte {at} of the unpacked chunk"),
                expected,
                got,
            )
        };
        let chunk = Chunk::read(&raw, ports, self.measured)
            .map_err(|(at, why)| wrong(at, "columns of events".into(), why))?;
        let said = (span.events, span.from, span.to);
        let (first, last) = (chunk.events.first(), chunk.events.last());
        let at = |event: Option<&Event>| event.map_or(0, |event| event.at);
        let got = (chunk.events.len() as u64, at(first), at(last));
        if said != got {
            let words = |(events, from, to): (u64, u64, u64)| {
                format!("{events} events from {from} to {to} ps")
            };
            let expected = format!("{}, as in the index", words(said));
            return Err(wrong(raw.len(), expected, words(got)));
        }
        Ok(chunk)
    }

    /// Returns the number of the first chunk that may have events at or after the instant `at`.
    pub fn chunk_at(&self, at: u64) -> usize {
        self.tail.chunks.partition_point(|span| span.to < at)
    }

    /// Returns the state of all packets after every event up to and including the instant `at`.
    pub fn state_at(&self, at: u64) -> Result<State, Refused> {
        let chunks = &self.tail.chunks;
        // The last chunk that begins by then: its initial state covers all earlier events.
        let i = chunks.partition_point(|span| span.from <= at);
        let Some(i) = i.checked_sub(1).or((!chunks.is_empty()).then_some(0)) else {
            let ports = self.head.network.links.len();
            return Ok(match self.measured {
                true => State::measured(ports),
                false => State::new(ports),
            });
        };
        let Chunk { mut state, events } = self.chunk(i)?;
        for (number, event) in events.iter().enumerate() {
            if event.at > at {
                break;
            }
            self.apply(&mut state, i, number, event)?;
        }
        Ok(state)
    }

    /// Returns the events from `from` to `to`, both included, for which `wanted` returns true, in order; at
    /// most `most` of them.
    pub fn events(
        &self,
        (from, to): (u64, u64),
        most: usize,
        mut wanted: impl FnMut(&Event) -> bool,
    ) -> Result<Vec<Event>, Refused> {
        let mut found = Vec::new();
        for i in self.chunk_at(from)..self.tail.chunks.len() {
            if self.tail.chunks[i].from > to || found.len() >= most {
                break;
            }
            let chunk = self.chunk(i)?;
            let within = |event: &&Event| (from..=to).contains(&event.at);
            for event in chunk.events.iter().filter(within) {
                if wanted(event) && found.len() < most {
                    found.push(*event);
                }
            }
        }
        Ok(found)
    }

    /// Reads every chunk and applies its events. Checks that each event is possible, that each chunk begins
    /// with the state at the end of the previous one, and that the events of each kind are as many as the tail
    /// reports.
    pub fn verify(&self) -> Result<(), Refused> {
        let mut counts = vec![0; self.tail.counts.len()];
        let mut before: Option<State> = None;
        for i in 0..self.tail.chunks.len() {
            let Chunk { mut state, events } = self.chunk(i)?;
            if before.is_some_and(|before| before != state) {
                return Err(Refused::new(
                    format!("chunk {i} of the recording does not continue the previous chunk"),
                    "the start of the chunk",
                    "the packets at the end of the previous chunk, in the same places",
                    "other packets or other places",
                ));
            }
            for (number, event) in events.iter().enumerate() {
                self.apply(&mut state, i, number, event)?;
                if let Some(count) = counts.get_mut(event.what.kind() as usize) {
                    *count += 1;
                }
            }
            state.compact();
            before = Some(state);
        }
        let said: Vec<u64> = self.tail.counts.iter().map(|crowd| crowd.events).collect();
        if said != counts {
            return Err(Refused::new(
                "the counts of the recording are wrong",
                "its tail",
                format!("{counts:?}, the events in its chunks"),
                format!("{said:?}"),
            ));
        }
        Ok(())
    }

    fn apply(
        &self,
        state: &mut State,
        chunk: usize,
        number: usize,
        event: &Event,
    ) -> Result<(), Refused> {
        state.apply(event).map_err(|why| {
            Refused::new(
                "the recording contradicts itself",
                format!("event {number} of chunk {chunk}"),
                "a possible event",
                why,
            )
        })
    }
}

/// Checks the preamble and returns the version.
fn check_preamble(file: &[u8]) -> Result<u16, Refused> {
    let begins = &file[..file.len().min(MAGIC.len())];
    if begins != MAGIC {
        return Err(Refused::new(
            "the file is not a recording",
            "byte 0",
            format!("\"{}\"", MAGIC.escape_ascii()),
            format!("\"{}\"", begins.escape_ascii()),
        ));
    }
    let Some([low, high, flags @ ..]) = file.get(MAGIC.len()..PREAMBLE) else {
        return Err(cut_off(file));
    };
    let version = u16::from_le_bytes([*low, *high]);
    if version == 0 || version > VERSION {
        return Err(Refused::new(
            "the recording has an unsupported version",
            format!("byte {}", MAGIC.len()),
            format!("version 1 to {VERSION} (a newer sidestep reads newer versions)"),
            format!("version {version}"),
        ));
    }
    if flags.iter().any(|flag| *flag != 0) {
        return Err(Refused::new(
            "the recording is damaged",
            format!("byte {}", MAGIC.len() + 2),
            "two bytes that are 0",
            format!("{flags:?}"),
        ));
    }
    Ok(version)
}

fn tail_offset(file: &[u8]) -> Result<u64, Refused> {
    let footer = file.len().checked_sub(FOOTER).filter(|at| *at >= PREAMBLE);
    let footer = footer.map(|at| &file[at..]).ok_or_else(|| cut_off(file))?;
    let (offset, end) = footer.split_at(8);
    if end != END {
        return Err(cut_off(file));
    }
    let offset = <[u8; 8]>::try_from(offset).map_err(|_| cut_off(file))?;
    Ok(u64::from_le_bytes(offset))
}

fn cut_off(file: &[u8]) -> Refused {
    let end = &file[file.len().saturating_sub(END.len())..];
    Refused::new(
        "the recording is cut off",
        format!("its end, byte {}", file.len()),
        format!("{:?}", String::from_utf8_lossy(&END)),
        format!("{:?}", String::from_utf8_lossy(end)),
    )
}

fn json<T: DeserializeOwned>(what: &str, raw: &[u8]) -> Result<T, Refused> {
    serde_json::from_slice(raw).map_err(|e| {
        Refused::new(
            format!("the {what} of the recording cannot be read"),
            format!("line {} column {} of its JSON", e.line(), e.column()),
            "JSON as described in docs/reference/recording.md",
            e.to_string(),
        )
    })
}

/// Checks that links connect existing nodes.
fn check_head(head: &Head) -> Result<(), Refused> {
    let nodes = head.network.nodes.len();
    for (port, link) in head.network.links.iter().enumerate() {
        if link.from as usize >= nodes || link.to as usize >= nodes {
            return Err(Refused::new(
                "the network of the recording is invalid",
                format!("link {port}"),
                format!("nodes below {nodes}"),
                format!("from {} to {}", link.from, link.to),
            ));
        }
    }
    Ok(())
}
