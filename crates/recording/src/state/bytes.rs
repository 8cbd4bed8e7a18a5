//! Encoding of the state at the beginning of a chunk.

use super::{Packet, Place, State};
use crate::columns::{Cursor, put, unzigzag, zigzag};

impl State {
    /// Appends the packets under way; packets at one place keep their order.
    ///
    /// The state must have been compacted.
    pub(crate) fn write(&self, out: &mut Vec<u8>) {
        debug_assert!(self.new.is_empty(), "the state is compacted");
        put(out, u64::from(self.base));
        let nowhere = self.old.iter().filter(|p| p.place == Place::Nowhere);
        let rows: Vec<&Packet> = (0..self.queues.len() as u32)
            .flat_map(|port| self.queue(port).chain(self.link(port)))
            .chain(nowhere)
            .collect();
        put(out, rows.len() as u64);
        let mut before = [0; ROW];
        for row in rows {
            for (before, value) in before.iter_mut().zip(row.values()) {
                put(out, zigzag(std::mem::replace(before, value), value));
            }
        }
        let Some(lengths) = &self.lengths else { return };
        let longer = || (0..).zip(lengths).filter(|(_, length)| **length != (0, 0));
        put(out, longer().count() as u64);
        for (port, (packets, bytes)) in longer() {
            put(out, port);
            put(out, u64::from(*packets));
            put(out, *bytes);
        }
    }

    /// Reads the output of [`State::write`] for a network of `ports` ports whose queues are `measured` or not.
    /// An error gives the reason.
    pub(crate) fn read(
        cursor: &mut Cursor<'_>,
        ports: usize,
        measured: bool,
    ) -> Result<State, String> {
        let ends = || "an early end".to_string();
        let next = cursor.number().ok_or_else(ends)?;
        let base = u32::try_from(next).map_err(|_| format!("packet number {next}"))?;
        let rows = cursor.number().ok_or_else(ends)?;
        // Each value needs at least one byte.
        if rows > (cursor.left() / ROW) as u64 {
            return Err(format!("{rows} packets in {} bytes", cursor.left()));
        }
        let mut state = State::new(ports);
        let mut before = [0; ROW];
        for _ in 0..rows {
            for before in &mut before {
                *before = unzigzag(*before, cursor.number().ok_or_else(ends)?);
            }
            let packet = Packet::of(&before)?;
            if packet.id >= base {
                return Err(format!(
                    "packet {}, although packet numbers end before {base}",
                    packet.id
                ));
            }
            state.settle(packet.id, packet.place, packet.buffer)?;
            state.old.push(packet);
        }
        state.old.sort_unstable_by_key(|packet| packet.id);
        if let Some(pair) = state.old.windows(2).find(|pair| pair[0].id == pair[1].id) {
            return Err(format!("packet {} twice", pair[0].id));
        }
        state.base = base;
        if measured {
            state.lengths = Some(lengths(cursor, ports)?);
        }
        Ok(state)
    }
}

/// Reads the measured length of each port's queue.
fn lengths(cursor: &mut Cursor<'_>, ports: usize) -> Result<Vec<(u32, u64)>, String> {
    let mut number = || {
        let number = cursor.number();
        number.ok_or_else(|| "an early end".to_string())
    };
    let mut lengths = vec![(0, 0); ports];
    let (longer, mut least) = (number()?, 0);
    for _ in 0..longer {
        let (port, packets, bytes) = (number()?, number()?, number()?);
        let length = usize::try_from(port)
            .ok()
            .and_then(|at| lengths.get_mut(at));
        let length = length.filter(|_| port >= least);
        let length = length.ok_or_else(|| {
            format!(
                "a measured queue of port {port}: expected a port from {least} to below {ports}"
            )
        })?;
        let packets =
            u32::try_from(packets).map_err(|_| format!("{packets} packets in a queue"))?;
        *length = (packets, bytes);
        least = port + 1;
    }
    Ok(lengths)
}

/// Number of values of a packet under way.
const ROW: usize = 11;

impl Packet {
    fn values(&self) -> [u64; ROW] {
        let (place, port) = match self.place {
            Place::Nowhere => (0, 0),
            Place::Queue(port) => (1, port),
            Place::Link(port) => (2, port),
        };
        [
            place,
            u64::from(port),
            u64::from(self.id),
            u64::from(self.flow),
            self.seq,
            u64::from(self.bytes),
            u64::from(self.says),
            u64::from(self.host),
            self.number,
            u64::from(self.buffer),
            self.since,
        ]
    }

    fn of(values: &[u64; ROW]) -> Result<Packet, String> {
        let small = |at: usize| {
            let value = values[at];
            u32::try_from(value).map_err(|_| format!("{value} in a packet under way"))
        };
        let port = small(1)?;
        Ok(Packet {
            place: match values[0] {
                0 => Place::Nowhere,
                1 => Place::Queue(port),
                2 => Place::Link(port),
                other => return Err(format!("{other} as the place of a packet")),
            },
            id: small(2)?,
            flow: small(3)?,
            seq: values[4],
            bytes: small(5)?,
            says: u8::try_from(values[6]).map_err(|_| format!("{} as flags", values[6]))?,
            host: small(7)?,
            number: values[8],
            buffer: small(9)?,
            since: values[10],
            over: false,
        })
    }
}
