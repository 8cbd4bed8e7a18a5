//! Chunk: the state at its beginning, and its events by columns. A chunk can be read alone.

use crate::columns::{Columns, Cursor, put};
use crate::event::{Event, EventKind, KINDS, Kind};
use crate::state::State;

/// Largest number of events in a chunk.
pub const MOST_EVENTS: usize = 32_768;

/// Chunk as read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chunk {
    /// State of all packets before the first event.
    pub state: State,
    /// Events in order of time; events of one instant are in the order in which they occur.
    pub events: Vec<Event>,
}

/// Chunk being written.
pub(crate) struct Open {
    state: Vec<u8>,
    kinds: Vec<u8>,
    times: Vec<u8>,
    columns: Vec<Columns>,
    pub from: u64,
    pub to: u64,
}

impl Open {
    pub fn new() -> Open {
        let columns = KINDS.iter().map(|_| Columns::new());
        Open {
            state: Vec::new(),
            kinds: Vec::new(),
            times: Vec::new(),
            columns: columns.collect(),
            from: 0,
            to: 0,
        }
    }

    /// Begins a new chunk with this state, which must have been compacted.
    pub fn begin(&mut self, state: &State) {
        self.state.clear();
        state.write(&mut self.state);
        self.kinds.clear();
        self.times.clear();
        self.columns.iter_mut().for_each(Columns::clear);
    }

    /// Returns the number of events.
    pub fn len(&self) -> usize {
        self.kinds.len()
    }

    #[inline]
    pub fn push(&mut self, event: &Event) {
        if self.kinds.is_empty() {
            (self.from, self.to) = (event.at, event.at);
        }
        put(&mut self.times, event.at - self.to);
        self.to = event.at;
        let kind = event.what.kind();
        self.kinds.push(kind as u8);
        let columns = &mut self.columns[kind as usize];
        (event.what).code(|at, coding, first, value| columns.push(at, coding, first, value));
    }

    /// Returns the chunk's bytes, not yet packed.
    pub fn raw(&self) -> Vec<u8> {
        let columns = || self.columns.iter().flat_map(|columns| &columns.bytes);
        let size: usize = columns().map(Vec::len).sum();
        let mut out =
            Vec::with_capacity(self.state.len() + 2 * self.kinds.len() + self.times.len() + size);
        out.extend(&self.state);
        put(&mut out, self.kinds.len() as u64);
        put(&mut out, self.from);
        out.extend(&self.kinds);
        out.extend(&self.times);
        columns().for_each(|bytes| out.extend(bytes));
        out
    }
}

impl Chunk {
    /// Reads the output of [`Open::raw`] for a network of `ports` ports whose queues are `measured` or not. An
    /// error gives the byte and the reason.
    pub(crate) fn read(raw: &[u8], ports: usize, measured: bool) -> Result<Chunk, (usize, String)> {
        let mut cursor = Cursor::new(raw);
        let read = read(&mut cursor, ports, measured);
        read.map_err(|why| (cursor.at(), why))
    }
}

fn read(cursor: &mut Cursor<'_>, ports: usize, measured: bool) -> Result<Chunk, String> {
    let ends = || "an early end".to_string();
    let state = State::read(cursor, ports, measured)?;
    let events = cursor.number().ok_or_else(ends)?;
    if events > MOST_EVENTS as u64 {
        return Err(format!(
            "{events} events, more than the {MOST_EVENTS} of a chunk"
        ));
    }
    let mut at = cursor.number().ok_or_else(ends)?;
    let kinds = cursor.take(events as usize).ok_or_else(ends)?;
    let mut counts = vec![0; KINDS.len()];
    for kind in kinds {
        let count = counts.get_mut(usize::from(*kind));
        *count.ok_or_else(|| format!("the unknown kind of event {kind}"))? += 1;
    }
    let mut times = Vec::with_capacity(kinds.len());
    for _ in kinds {
        let step = cursor.number().ok_or_else(ends)?;
        at = at.checked_add(step).ok_or("a time of more than 64 bits")?;
        times.push(at);
    }
    let mut columns = Vec::with_capacity(KINDS.len());
    for (kind, count) in KINDS.iter().zip(counts) {
        let mut of_kind: Vec<Vec<u64>> = Vec::new();
        for coding in kind.codings() {
            let first = of_kind.first().map_or(&[][..], |first| first);
            let column = cursor.column(*coding, count, first);
            of_kind.push(column.ok_or_else(ends)?);
        }
        columns.push((0, of_kind));
    }
    if cursor.left() > 0 {
        return Err(format!("{} surplus bytes at the end", cursor.left()));
    }
    let mut all = Vec::with_capacity(kinds.len());
    for (number, at) in kinds.iter().zip(times) {
        let (row, columns) = &mut columns[usize::from(*number)];
        let kind = Kind::of(*number).ok_or("an unknown kind of event")?;
        let mut field = columns.iter();
        let next = || field.next().map_or(0, |column| column[*row]);
        let what = EventKind::from_fields(kind, next)
            .map_err(|(field, value)| format!("{value} as {field} of {}", kind.word()))?;
        *row += 1;
        all.push(Event { at, what });
    }
    Ok(Chunk { state, events: all })
}
