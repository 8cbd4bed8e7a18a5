//! Chunks of a recording, decoded, and the state needed before each of them.
//!
//! **Decision**     which chunks stay in memory: those used last, within [`MOST_BYTES`].
//! **State**        chunks; for each chunk its ports and flows, and the history of packets sent before it.
//! **Units**        picoseconds, bytes.
//! **Errors**       a chunk that cannot be read, or contradicts itself or the one before, is refused.
//!
//! Opening reads every chunk once. So a damaged file is refused at once, and an answer about any instant needs
//! no chunk before its own.

use crate::flags::{Flags, is_ack};
use crate::refused::Refused;
use crate::transmissions::LinkTransmissions;
use sidestep_recording::idle::time_to_send;
use sidestep_recording::{Chunk, Event, EventKind, Head, MOST_EVENTS, Reader, State, Tail};
use std::collections::BTreeMap;
use std::rc::Rc;

/// Memory limit of decoded chunks, bytes. One chunk is always kept.
pub const MOST_BYTES: usize = 64 << 20;

/// Number that stands for no flow.
pub(crate) const NONE: u32 = u32::MAX;

/// Limit of flow numbers: flows from this number on are assumed to be in every chunk.
const MOST_FLOWS: usize = 1 << 22;

/// Decoded chunk, with values of each event that depend on earlier events.
pub(crate) struct Decoded {
    pub chunk: Chunk,
    /// Transmission time of the packet, ps, for each dequeue; 0 for other events.
    pub busy: Vec<u64>,
    /// Flow of each event; [`NONE`] if it has none.
    pub flow: Vec<u32>,
}

/// State needed before the first event of a chunk.
#[derive(Clone, Default)]
pub(crate) struct ChunkStart {
    pub flags: Vec<(u32, u8)>,
    /// Transmission times of packets on links.
    pub sent: Vec<(u32, u64)>,
    /// Rates of links whose rate changed, bit/s.
    pub rates: BTreeMap<u32, u64>,
    /// Packets and bytes in queues that were measured.
    pub depths: BTreeMap<u32, (u32, u64)>,
}

/// Summary of a chunk.
pub(crate) struct Summary {
    pub known: ChunkStart,
    /// Number of the first packet sent in the chunk.
    pub first: u32,
    /// Events in all earlier chunks.
    pub before: usize,
    ports: Vec<u64>,
    flows: Vec<u32>,
    /// True if the chunk has flows with numbers too large to be noted.
    more_flows: bool,
}

/// Sizes of packets over the whole recording.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Sizes {
    /// Largest payload, bytes; 0 if there is no data.
    pub payload: u32,
    /// Buffer used by a packet with that payload, bytes.
    pub buffer: u32,
    /// Smallest buffer used by a packet, bytes.
    pub least: u32,
    /// Bytes of a packet that take link time and no buffer.
    pub unbuffered: u32,
}

pub(crate) struct Chunks<'a> {
    reader: Reader<'a>,
    kept: Vec<Option<Rc<Decoded>>>,
    /// Counter value at the last use of each chunk.
    asked: Vec<u64>,
    asks: u64,
    held: usize,
    pub summaries: Vec<Summary>,
    pub sizes: Sizes,
    /// Longest transmission time of a packet, ps.
    pub longest: u64,
    /// Events in all chunks.
    pub events: usize,
    /// Detours and deflections of each flow's packets.
    pub detours: BTreeMap<u32, u32>,
}

impl<'a> Chunks<'a> {
    /// Opens a recording and reads every chunk once.
    pub fn open(file: &'a [u8]) -> Result<Chunks<'a>, Refused> {
        let reader = Reader::open(file)?;
        check_order(&reader)?;
        let count = reader.chunks().len();
        let mut chunks = Chunks {
            reader,
            kept: (0..count).map(|_| None).collect(),
            asked: vec![0; count],
            asks: 0,
            held: 0,
            summaries: Vec::with_capacity(count),
            sizes: Sizes::default(),
            longest: 0,
            events: 0,
            detours: BTreeMap::new(),
        };
        chunks.survey()?;
        Ok(chunks)
    }

    pub fn head(&self) -> &Head {
        self.reader.head()
    }

    pub fn tail(&self) -> &Tail {
        self.reader.tail()
    }

    pub fn bytes(&self) -> usize {
        self.reader.bytes()
    }

    pub fn count(&self) -> usize {
        self.kept.len()
    }

    /// Returns the memory used, bytes: the file and the decoded chunks.
    pub fn memory(&self) -> usize {
        let summary = |summary: &Summary| {
            let ChunkStart {
                flags,
                sent,
                rates,
                depths,
            } = &summary.known;
            8 * (summary.ports.len() + flags.len())
                + 16 * sent.len()
                + 4 * summary.flows.len()
                + 32 * (rates.len() + depths.len())
        };
        self.bytes() + self.held + self.summaries.iter().map(summary).sum::<usize>()
    }

    /// Returns the last chunk that begins by `at`, or the first chunk if all begin later.
    ///
    /// `None` if there are no chunks.
    pub fn at(&self, at: u64) -> Option<usize> {
        let chunks = self.reader.chunks();
        let begun = chunks.partition_point(|span| span.from <= at);
        (!chunks.is_empty()).then(|| begun.saturating_sub(1))
    }

    /// Returns the first chunk that ends at `at` or later, or the number of chunks if there is none.
    pub fn from(&self, at: u64) -> usize {
        self.reader.chunk_at(at)
    }

    /// Returns the instants of the first and the last event of chunk `i`.
    pub fn span(&self, i: usize) -> (u64, u64) {
        let span = &self.reader.chunks()[i];
        (span.from, span.to)
    }

    /// Returns the number of events up to and including the instant `at`.
    pub fn until(&mut self, at: u64) -> Result<usize, Refused> {
        let Some(i) = self.at(at) else { return Ok(0) };
        if self.span(i).1 <= at {
            let next = self.summaries.get(i + 1);
            return Ok(next.map_or(self.events, |next| next.before));
        }
        let before = self.summaries[i].before;
        let decoded = self.get(i)?;
        let within = decoded.chunk.events.partition_point(|e| e.at <= at);
        Ok(before + within)
    }

    /// Returns the chunk with event number `event`, counted over the whole recording.
    pub fn of_event(&self, event: usize) -> usize {
        let after = self.summaries.partition_point(|s| s.before <= event);
        after.saturating_sub(1)
    }

    /// Returns true if chunk `i` may have events at `port`.
    pub fn has_port(&self, i: usize, port: u32) -> bool {
        let word = self.summaries[i].ports.get(port as usize / 64);
        word.is_some_and(|word| word >> (port % 64) & 1 == 1)
    }

    /// Returns true if chunk `i` may have events of `flow`.
    pub fn has_flow(&self, i: usize, flow: u32) -> bool {
        let summary = &self.summaries[i];
        if flow as usize >= MOST_FLOWS {
            return summary.more_flows;
        }
        summary.flows.binary_search(&flow).is_ok()
    }

    /// Returns chunk number `i`.
    pub fn get(&mut self, i: usize) -> Result<Rc<Decoded>, Refused> {
        self.asks += 1;
        self.asked[i] = self.asks;
        if let Some(known) = &self.kept[i] {
            return Ok(Rc::clone(known));
        }
        let chunk = self.reader.chunk(i)?;
        let known = self.summaries[i].known.clone();
        let (decoded, _) = self.follow(i, chunk, known, |_, _, _| {})?;
        Ok(self.keep(i, decoded))
    }

    fn keep(&mut self, i: usize, decoded: Decoded) -> Rc<Decoded> {
        self.held += decoded.memory();
        let decoded = Rc::new(decoded);
        self.kept[i] = Some(Rc::clone(&decoded));
        while self.held > MOST_BYTES {
            let others = (0..self.kept.len()).filter(|at| *at != i && self.kept[*at].is_some());
            let Some(oldest) = others.min_by_key(|at| self.asked[*at]) else {
                break;
            };
            if let Some(oldest) = self.kept[oldest].take() {
                self.held -= oldest.memory();
            }
        }
        decoded
    }

    /// Applies the events of a chunk. Calls `see` for each with the state before it and its flow.
    fn follow(
        &self,
        i: usize,
        chunk: Chunk,
        known: ChunkStart,
        mut see: impl FnMut(&Event, &State, u32),
    ) -> Result<(Decoded, (State, ChunkStart)), Refused> {
        let links = &self.head().network.links;
        let mut state = chunk.state.clone();
        let mut flags = Flags::begin(state.next(), known.flags);
        let mut sent = LinkTransmissions::begin(&state, &known.sent);
        let (mut rates, mut depths) = (known.rates, known.depths);
        let mut busy = Vec::with_capacity(chunk.events.len());
        let mut flows = Vec::with_capacity(chunk.events.len());
        for (number, event) in chunk.events.iter().enumerate() {
            let packet = event.packet().and_then(|id| state.packet(id));
            let flow = match event.what {
                EventKind::Send { flow, .. } | EventKind::Window { flow, .. } => flow,
                _ => packet.map_or(NONE, |packet| packet.flow),
            };
            let sent_for = match (event.what, packet) {
                (EventKind::Dequeue { port, .. }, Some(packet)) => {
                    let head = links.get(port as usize).map_or(0, |link| link.rate_bps);
                    let rate = rates.get(&port).copied().unwrap_or(head);
                    let bytes = u64::from(packet.buffer) + u64::from(self.sizes.unbuffered);
                    time_to_send(bytes, rate)
                }
                _ => 0,
            };
            see(event, &state, flow);
            state.apply(event).map_err(|why| {
                Refused::new(format!(
                    "the recording contradicts itself: at event {number} of chunk {i}: {why}"
                ))
            })?;
            flags.apply(event);
            sent.apply(event, sent_for, &state);
            match event.what {
                EventKind::Link { port, rate_bps } => drop(rates.insert(port, rate_bps)),
                EventKind::Depth {
                    port,
                    packets,
                    bytes,
                } => drop(depths.insert(port, (packets, bytes))),
                _ => {}
            }
            busy.push(sent_for);
            flows.push(flow);
        }
        state.compact();
        let known = ChunkStart {
            flags: flags.kept(&state),
            sent: sent.kept(&state),
            rates,
            depths,
        };
        let decoded = Decoded {
            chunk,
            busy,
            flow: flows,
        };
        Ok((decoded, (state, known)))
    }

    fn survey(&mut self) -> Result<(), Refused> {
        let ports = self.head().network.links.len();
        let most = self
            .tail()
            .flows
            .iter()
            .map(|flow| (flow.id as usize).saturating_add(1));
        let noted = most.max().unwrap_or(0).min(MOST_FLOWS);
        // Last chunk in which each flow was seen, counted from 1.
        let mut seen = vec![0; noted];
        let (mut known, mut before) = (ChunkStart::default(), None);
        for i in 0..self.count() {
            let chunk = self.reader.chunk(i)?;
            if before.is_some_and(|before| before != chunk.state) {
                return Err(Refused::new(format!(
                    "chunk {i} of the recording does not continue the previous chunk"
                )));
            }
            if i == 0 {
                self.sizes.unbuffered = unbuffered(&chunk, self.head());
            }
            let mut summary = Summary {
                known: known.clone(),
                first: chunk.state.next(),
                before: self.events,
                ports: vec![0; ports.div_ceil(64)],
                flows: Vec::new(),
                more_flows: false,
            };
            let mut sizes = self.sizes;
            let mut detours = Vec::new();
            let see = |event: &Event, state: &State, flow: u32| {
                if let Some(word) = event.port().and_then(|port| {
                    let word = summary.ports.get_mut(port as usize / 64)?;
                    Some((word, port % 64))
                }) {
                    *word.0 |= 1 << word.1;
                }
                note_flow(&mut summary, &mut seen, i + 1, flow);
                let EventKind::Enqueue {
                    port,
                    packet,
                    bytes,
                    wanted,
                    ..
                } = event.what
                else {
                    return;
                };
                if port != wanted && flow != NONE {
                    detours.push(flow);
                }
                if sizes.least == 0 || bytes < sizes.least {
                    sizes.least = bytes;
                }
                if let Some(packet) = state.packet(packet)
                    && !is_ack(packet.says)
                    && packet.bytes > sizes.payload
                    && bytes > packet.bytes
                {
                    (sizes.payload, sizes.buffer) = (packet.bytes, bytes);
                }
            };
            let (decoded, (after, next)) = self.follow(i, chunk, known, see)?;
            for flow in detours {
                *self.detours.entry(flow).or_default() += 1;
            }
            summary.flows.sort_unstable();
            summary.flows.dedup();
            let longest = decoded.busy.iter().copied().max().unwrap_or(0);
            self.longest = self.longest.max(longest);
            self.sizes = sizes;
            self.events += decoded.chunk.events.len();
            self.summaries.push(summary);
            self.asks += 1;
            self.asked[i] = self.asks;
            self.keep(i, decoded);
            (known, before) = (next, Some(after));
        }
        Ok(())
    }
}

impl Decoded {
    fn memory(&self) -> usize {
        let each = size_of::<Event>() + size_of::<u64>() + size_of::<u32>();
        let state = &self.chunk.state;
        // An estimate: it counts only waiting packets, most of those under way.
        let packets: usize = (0..state.ports() as u32)
            .map(|port| state.depth(port).0 as usize)
            .sum();
        self.chunk.events.len() * each + state.ports() * 72 + packets * 80
    }
}

fn note_flow(summary: &mut Summary, seen: &mut [usize], chunk: usize, flow: u32) {
    match seen.get_mut(flow as usize) {
        Some(last) if *last == chunk => {}
        Some(last) => {
            *last = chunk;
            summary.flows.push(flow);
        }
        None if flow == NONE => {}
        None if (flow as usize) < MOST_FLOWS => {
            if summary.flows.last() != Some(&flow) {
                summary.flows.push(flow);
            }
        }
        None => summary.more_flows = true,
    }
}

/// Infers the bytes that take link time and no buffer (preamble and gap). A packet that joins an empty queue
/// leaves when it has been sent. The bytes that fit into this time, less its own, are the preamble and gap.
fn unbuffered(chunk: &Chunk, head: &Head) -> u32 {
    // More than any framing adds.
    const MOST: u128 = 64;
    let mut joined = BTreeMap::new();
    let mut state = chunk.state.clone();
    let mut least = None;
    for event in &chunk.events {
        match event.what {
            EventKind::Link { .. } => break,
            EventKind::Enqueue {
                port,
                packet,
                bytes,
                ..
            } if (port as usize) < state.ports() && state.depth(port).0 == 0 => {
                joined.insert(port, (packet, event.at, bytes));
            }
            EventKind::Dequeue { port, packet } => {
                if let Some((first, at, bytes)) = joined.remove(&port)
                    && first == packet
                    && let Some(link) = head.network.links.get(port as usize)
                {
                    let time = u128::from(event.at.saturating_sub(at));
                    let all = time * u128::from(link.rate_bps) / 8_000_000_000_000;
                    if let Some(more) = all.checked_sub(u128::from(bytes)) {
                        least = Some(least.map_or(more, |least: u128| least.min(more)));
                    }
                }
            }
            _ => {}
        }
        if state.apply(event).is_err() {
            break;
        }
    }
    // The bytes are not known if queues are served in turns or paused.
    match least {
        Some(least) if least <= MOST => least as u32,
        _ => 0,
    }
}

fn check_order(reader: &Reader<'_>) -> Result<(), Refused> {
    let mut before = 0;
    let mut offset = None;
    for (i, span) in reader.chunks().iter().enumerate() {
        if span.from < before || span.to < span.from || span.events > MOST_EVENTS as u64 {
            return Err(Refused::new(format!(
                "the index of the recording is invalid: at chunk {i}: expected chunks in order of \
                 time with at most {MOST_EVENTS} events, got {} events from {} to {} ps after \
                 {before} ps",
                span.events, span.from, span.to
            )));
        }
        // An index that lists one chunk a million times would make the player read it as often.
        if offset.is_some_and(|offset| span.offset <= offset) {
            return Err(Refused::new(format!(
                "the index of the recording is invalid: at chunk {i}: expected rising offsets, got \
                 byte {} after byte {}",
                span.offset,
                offset.unwrap_or_default()
            )));
        }
        (before, offset) = (span.to, Some(span.offset));
    }
    Ok(())
}
