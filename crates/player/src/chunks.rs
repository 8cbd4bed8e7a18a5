//! Chunks that were read, and what must be known before each of them.
//!
//! **Decision**     which chunks stay in memory: those asked for last, within [`MOST_BYTES`].
//! **State**        chunks, and of each of them which ports and flows it has, and what packets before it went through.
//! **Units**        picoseconds, bytes.
//! **Errors**       a chunk that cannot be read, or contradicts itself or the one before, is refused.
//!
//! Opening reads every chunk once, so that a damaged file is told at once, and an answer about any instant needs no chunk before its own.

use crate::flags::{Flags, is_ack};
use crate::refused::Refused;
use crate::sent::Sent;
use sidestep_recording::{Chunk, Event, Head, MOST_EVENTS, Reader, State, Tail, What};
use std::collections::BTreeMap;
use std::rc::Rc;

/// Chunks that were read take at most so much memory, but one is always kept.
pub const MOST_BYTES: usize = 64 << 20;

/// No flow.
pub(crate) const NONE: u32 = u32::MAX;

/// Flows from this number on are taken to be in every chunk.
const MOST_FLOWS: usize = 1 << 22;

/// A chunk that was read, and of each of its events what follows from those before.
pub(crate) struct Decoded {
    pub chunk: Chunk,
    /// Of a dequeue: for how long its packet was sent, in picoseconds.
    pub busy: Vec<u64>,
    /// The flow that it is about; [`NONE`] where there is none.
    pub flow: Vec<u32>,
}

/// What must be known before the first event of a chunk.
#[derive(Clone, Default)]
pub(crate) struct Known {
    pub flags: Vec<(u32, u8)>,
    /// Of packets on links: for how long they were sent.
    pub sent: Vec<(u32, u64)>,
    /// Of links whose rate changed: bits per second.
    pub rates: BTreeMap<u32, u64>,
    /// Of queues that were measured: packets and bytes.
    pub depths: BTreeMap<u32, (u32, u64)>,
}

/// What is in a chunk.
pub(crate) struct Summary {
    pub known: Known,
    /// The number of the first packet that is sent in it.
    pub first: u32,
    /// Events in all chunks before.
    pub before: usize,
    ports: Vec<u64>,
    flows: Vec<u32>,
    /// It has flows whose numbers are too large to be noted.
    more_flows: bool,
}

/// What the packets of the whole recording have in common.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Sizes {
    /// The largest payload in bytes; 0 where no data was seen.
    pub payload: u32,
    /// Bytes of buffer of a packet of that payload.
    pub buffer: u32,
    /// The fewest bytes of buffer.
    pub least: u32,
    /// Bytes that take link time and no buffer.
    pub unbuffered: u32,
}

pub(crate) struct Chunks<'a> {
    reader: Reader<'a>,
    kept: Vec<Option<Rc<Decoded>>>,
    /// When each was asked for last.
    asked: Vec<u64>,
    asks: u64,
    held: usize,
    pub summaries: Vec<Summary>,
    pub sizes: Sizes,
    /// The longest time for which one packet was sent.
    pub longest: u64,
    /// Events in all chunks.
    pub events: usize,
    /// Of each flow: detours and deflections of its packets.
    pub detours: BTreeMap<u32, u32>,
}

impl<'a> Chunks<'a> {
    /// Reads every chunk once.
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

    /// Memory that is held, of the file's bytes and of what was read of it.
    pub fn memory(&self) -> usize {
        let summary = |summary: &Summary| {
            let Known {
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

    /// The last chunk that begins by `at`; the first one when all begin later.
    ///
    /// `None` when there is no chunk.
    pub fn at(&self, at: u64) -> Option<usize> {
        let chunks = self.reader.chunks();
        let begun = chunks.partition_point(|span| span.from <= at);
        (!chunks.is_empty()).then(|| begun.saturating_sub(1))
    }

    /// The first chunk that ends at `at` or later; the number of chunks when there is none.
    pub fn from(&self, at: u64) -> usize {
        self.reader.chunk_at(at)
    }

    /// The instants of the first and the last event of chunk `i`.
    pub fn span(&self, i: usize) -> (u64, u64) {
        let span = &self.reader.chunks()[i];
        (span.from, span.to)
    }

    /// How many events happen until `at`, that instant included.
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

    /// The chunk that has event number `event`, counted over the whole recording.
    pub fn of_event(&self, event: usize) -> usize {
        let after = self.summaries.partition_point(|s| s.before <= event);
        after.saturating_sub(1)
    }

    /// May chunk `i` have events at `port`?
    pub fn has_port(&self, i: usize, port: u32) -> bool {
        let word = self.summaries[i].ports.get(port as usize / 64);
        word.is_some_and(|word| word >> (port % 64) & 1 == 1)
    }

    /// May chunk `i` have events of `flow`?
    pub fn has_flow(&self, i: usize, flow: u32) -> bool {
        let summary = &self.summaries[i];
        if flow as usize >= MOST_FLOWS {
            return summary.more_flows;
        }
        summary.flows.binary_search(&flow).is_ok()
    }

    /// Chunk number `i`.
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

    /// Does what the events of a chunk say, and calls `see` for each with the state before it and its flow.
    fn follow(
        &self,
        i: usize,
        chunk: Chunk,
        known: Known,
        mut see: impl FnMut(&Event, &State, u32),
    ) -> Result<(Decoded, (State, Known)), Refused> {
        let links = &self.head().network.links;
        let mut state = chunk.state.clone();
        let mut flags = Flags::begin(state.next(), known.flags);
        let mut sent = Sent::begin(&state, &known.sent);
        let (mut rates, mut depths) = (known.rates, known.depths);
        let mut busy = Vec::with_capacity(chunk.events.len());
        let mut flows = Vec::with_capacity(chunk.events.len());
        for (number, event) in chunk.events.iter().enumerate() {
            let packet = event.packet().and_then(|id| state.packet(id));
            let flow = match event.what {
                What::Send { flow, .. } | What::Window { flow, .. } => flow,
                _ => packet.map_or(NONE, |packet| packet.flow),
            };
            let sent_for = match (event.what, packet) {
                (What::Dequeue { port, .. }, Some(packet)) => {
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
                What::Link { port, rate_bps } => drop(rates.insert(port, rate_bps)),
                What::Depth {
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
        let known = Known {
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
        // The chunk in which each flow was seen last, counted from 1.
        let mut seen = vec![0; noted];
        let (mut known, mut before) = (Known::default(), None);
        for i in 0..self.count() {
            let chunk = self.reader.chunk(i)?;
            if before.is_some_and(|before| before != chunk.state) {
                return Err(Refused::new(format!(
                    "chunk {i} of the recording does not go on where the one before it ended"
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
                let What::Enqueue {
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
        // Of packets under way only those are known that wait, which is most of them.
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

/// Picoseconds to send so many bytes; 0 on a link without a rate.
pub(crate) fn time_to_send(bytes: u64, rate_bps: u64) -> u64 {
    if rate_bps == 0 {
        return 0;
    }
    let bits = u128::from(bytes) * 8 * 1_000_000_000_000;
    u64::try_from(bits.div_ceil(u128::from(rate_bps))).unwrap_or(u64::MAX)
}

/// Bytes that take link time and no buffer (preamble and gap): a packet that finds its queue empty leaves when it has been
/// sent, so that what its time says more than its bytes is that.
fn unbuffered(chunk: &Chunk, head: &Head) -> u32 {
    // More than any framing adds.
    const MOST: u128 = 64;
    let mut joined = BTreeMap::new();
    let mut state = chunk.state.clone();
    let mut least = None;
    for event in &chunk.events {
        match event.what {
            What::Link { .. } => break,
            What::Enqueue {
                port,
                packet,
                bytes,
                ..
            } if (port as usize) < state.ports() && state.depth(port).0 == 0 => {
                joined.insert(port, (packet, event.at, bytes));
            }
            What::Dequeue { port, packet } => {
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
    // Where queues are served in turns or paused, nothing can be said.
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
                "the index of the recording cannot be: at chunk {i}: expected chunks in the order of time with at most {MOST_EVENTS} events, got {} events from {} to {} ps, behind {before} ps",
                span.events, span.from, span.to
            )));
        }
        // A chunk that stood in the index a million times would be read as often.
        if offset.is_some_and(|offset| span.offset <= offset) {
            return Err(Refused::new(format!(
                "the index of the recording cannot be: at chunk {i}: expected each chunk once, in the order of the file, got one at byte {} behind one at byte {}",
                span.offset,
                offset.unwrap_or_default()
            )));
        }
        (before, offset) = (span.to, Some(span.offset));
    }
    Ok(())
}
