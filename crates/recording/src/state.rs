//! Where every packet is: what each queue holds, and what is on each link.
//!
//! **Decision**     none: it follows what events say.
//! **State**        per port a queue and a link; the packets under way, and those that were sent since the chunk began.
//! **Errors**       an event that cannot be, as a packet that leaves a queue in which it does not wait, is told.

use crate::columns::{Cursor, put, unzigzag, zigzag};
use crate::event::{Event, What};
use std::collections::VecDeque;

/// Where a packet is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// In no queue: it was just sent, or evicted, or is no more.
    Nowhere,
    /// In the queue of this port.
    Queue(u32),
    /// On the link that this port feeds.
    Link(u32),
}

/// A packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Packet {
    /// Its number in the recording.
    pub id: u32,
    /// Its flow.
    pub flow: u32,
    /// Its first byte of data, or the next byte that an acknowledgement expects.
    pub seq: u64,
    /// Its payload in bytes.
    pub bytes: u32,
    /// What it says of itself: [`crate::Says`].
    pub says: u8,
    /// The host that sent it.
    pub host: u32,
    /// How many packets that host had sent before; [`Packet::NO_NUMBER`] of one that was sent before the recording.
    pub number: u64,
    /// Where it is.
    pub place: Place,
    /// Its bytes of buffer, in the queue that it joined last.
    pub buffer: u32,
    /// When it came to its place.
    pub since: u64,
    /// It is no more: it was dropped or delivered.
    pub over: bool,
}

/// Where every packet is at one instant.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct State {
    /// Sent before `base`, by number.
    old: Vec<Packet>,
    /// The number of the first of `new`.
    base: u32,
    /// Those that were sent since the state was compacted.
    new: Vec<Packet>,
    queues: Vec<VecDeque<u32>>,
    links: Vec<VecDeque<u32>>,
    /// Per port: bytes of buffer in its queue.
    held: Vec<u64>,
}

impl State {
    /// An empty network of so many ports.
    pub fn new(ports: usize) -> State {
        State {
            queues: vec![VecDeque::new(); ports],
            links: vec![VecDeque::new(); ports],
            held: vec![0; ports],
            ..State::default()
        }
    }

    /// Adds a packet that is under way, behind the others at its place. It gets the next number, which is said.
    pub fn put(&mut self, packet: Packet) -> Result<u32, String> {
        let id = self.next();
        self.settle(id, packet.place, packet.buffer)?;
        self.new.push(Packet { id, ..packet });
        Ok(id)
    }

    /// The number of the next packet.
    pub fn next(&self) -> u32 {
        self.base.saturating_add(self.new.len() as u32)
    }

    /// How many ports there are.
    pub fn ports(&self) -> usize {
        self.queues.len()
    }

    /// Packets and bytes of buffer in the queue of `port`.
    ///
    /// Panics when there is no such port.
    pub fn depth(&self, port: u32) -> (u32, u64) {
        let port = port as usize;
        (self.queues[port].len() as u32, self.held[port])
    }

    /// The packets in the queue of `port`, in the order in which they joined it.
    pub fn queue(&self, port: u32) -> impl Iterator<Item = &Packet> {
        let waiting = self.queues.get(port as usize).into_iter().flatten();
        waiting.filter_map(|id| self.packet(*id))
    }

    /// The packets on the link that `port` feeds, the first to arrive first.
    pub fn link(&self, port: u32) -> impl Iterator<Item = &Packet> {
        let under_way = self.links.get(port as usize).into_iter().flatten();
        under_way.filter_map(|id| self.packet(*id))
    }

    /// The packet of this number, while it is known.
    #[inline]
    pub fn packet(&self, id: u32) -> Option<&Packet> {
        match id.checked_sub(self.base) {
            Some(at) => self.new.get(at as usize),
            None => {
                let at = self.old.binary_search_by_key(&id, |p| p.id).ok()?;
                self.old.get(at)
            }
        }
    }

    #[inline]
    fn packet_mut(&mut self, id: u32) -> Result<&mut Packet, String> {
        let known = match id.checked_sub(self.base) {
            Some(at) => self.new.get_mut(at as usize),
            None => match self.old.binary_search_by_key(&id, |p| p.id) {
                Ok(at) => self.old.get_mut(at),
                Err(_) => None,
            },
        };
        match known {
            Some(packet) if !packet.over => Ok(packet),
            Some(_) => Err(format!("packet {id} is no more")),
            None => Err(format!("packet {id} was not sent")),
        }
    }

    /// Does what `event` says. An error says why that cannot be; then nothing is done.
    #[inline]
    pub fn apply(&mut self, event: &Event) -> Result<(), String> {
        let at = event.at;
        match event.what {
            What::Send {
                flow,
                seq,
                bytes,
                says,
                host,
                number,
            } => {
                let id = self.next();
                if id == u32::MAX {
                    return Err("there are more packets than numbers".into());
                }
                self.new.push(Packet {
                    id,
                    flow,
                    seq,
                    bytes,
                    says,
                    host,
                    number,
                    place: Place::Nowhere,
                    buffer: 0,
                    since: at,
                    over: false,
                });
                Ok(())
            }
            What::Enqueue {
                port,
                packet,
                bytes,
                wanted,
                ..
            } => {
                self.check(port)?;
                self.check(wanted)?;
                let known = self.packet_mut(packet)?;
                if let Place::Queue(before) = known.place {
                    return Err(format!(
                        "packet {packet} joins port {port} and still waits at port {before}"
                    ));
                }
                known.buffer = bytes;
                self.take(packet, at, Place::Queue(port));
                self.settle(packet, Place::Queue(port), bytes)
            }
            What::Dequeue { port, packet } => {
                self.expect(packet, Place::Queue(port))?;
                self.take(packet, at, Place::Link(port));
                self.settle(packet, Place::Link(port), 0)
            }
            What::Evict { port, packet } => {
                self.expect(packet, Place::Queue(port))?;
                self.take(packet, at, Place::Nowhere);
                Ok(())
            }
            What::Drop {
                port,
                packet,
                waited,
                ..
            } => {
                self.check(port)?;
                let before = self.packet_mut(packet)?.place;
                let waits = matches!(before, Place::Queue(_));
                if waits != (waited == 1) || waits && before != Place::Queue(port) {
                    return Err(format!(
                        "packet {packet} is dropped at port {port}, waiting: {waited}, and is {before:?}"
                    ));
                }
                self.end(packet, at)
            }
            What::Deliver { packet } => {
                if let Place::Queue(port) = self.packet_mut(packet)?.place {
                    return Err(format!(
                        "packet {packet} is delivered and waits at port {port}"
                    ));
                }
                self.end(packet, at)
            }
            What::Depth { port, .. } | What::Link { port, .. } => self.check(port),
            What::Window { .. } => Ok(()),
        }
    }

    fn check(&self, port: u32) -> Result<(), String> {
        let ports = self.queues.len();
        if (port as usize) < ports {
            return Ok(());
        }
        Err(format!("there are {ports} ports and no port {port}"))
    }

    fn expect(&mut self, packet: u32, expected: Place) -> Result<(), String> {
        let place = self.packet_mut(packet)?.place;
        if place == expected {
            return Ok(());
        }
        Err(format!(
            "packet {packet} leaves {expected:?} and is {place:?}"
        ))
    }

    /// Takes a packet that is known away from where it is, and notes where it goes.
    #[inline]
    fn take(&mut self, id: u32, at: u64, to: Place) {
        let Ok(packet) = self.packet_mut(id) else {
            return;
        };
        let before = std::mem::replace(&mut packet.place, to);
        packet.since = at;
        let buffer = packet.buffer;
        let line = match before {
            Place::Nowhere => return,
            Place::Queue(port) => {
                self.held[port as usize] -= u64::from(buffer);
                &mut self.queues[port as usize]
            }
            Place::Link(port) => &mut self.links[port as usize],
        };
        if line.front() == Some(&id) {
            line.pop_front();
        } else if let Some(at) = line.iter().position(|other| *other == id) {
            line.remove(at);
        }
    }

    /// A packet that is known is no more.
    fn end(&mut self, id: u32, at: u64) -> Result<(), String> {
        self.take(id, at, Place::Nowhere);
        self.packet_mut(id)?.over = true;
        Ok(())
    }

    /// Puts a packet behind the others at its place.
    #[inline]
    fn settle(&mut self, id: u32, place: Place, buffer: u32) -> Result<(), String> {
        match place {
            Place::Nowhere => {}
            Place::Queue(port) => {
                self.check(port)?;
                self.held[port as usize] += u64::from(buffer);
                self.queues[port as usize].push_back(id);
            }
            Place::Link(port) => {
                self.check(port)?;
                self.links[port as usize].push_back(id);
            }
        }
        Ok(())
    }

    /// Forgets the packets that are no more.
    pub fn compact(&mut self) {
        let next = self.next();
        self.old.retain(|packet| !packet.over);
        self.old
            .extend(self.new.drain(..).filter(|packet| !packet.over));
        self.base = next;
    }

    /// Appends the packets under way, those of each place in their order.
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
    }

    /// Reads what [`State::write`] wrote, for a network of so many ports; an error says what is wrong.
    pub(crate) fn read(cursor: &mut Cursor<'_>, ports: usize) -> Result<State, String> {
        let ends = || "it ends early".to_string();
        let next = cursor.number().ok_or_else(ends)?;
        let base = u32::try_from(next).map_err(|_| format!("packet number {next}"))?;
        let rows = cursor.number().ok_or_else(ends)?;
        // Each takes a byte a value.
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
                return Err(format!("packet {} of {base}", packet.id));
            }
            state.settle(packet.id, packet.place, packet.buffer)?;
            state.old.push(packet);
        }
        state.old.sort_unstable_by_key(|packet| packet.id);
        if let Some(pair) = state.old.windows(2).find(|pair| pair[0].id == pair[1].id) {
            return Err(format!("packet {} twice", pair[0].id));
        }
        state.base = base;
        Ok(state)
    }
}

/// Values of a packet under way.
const ROW: usize = 11;

impl Packet {
    /// The number of a packet of which it is not known.
    pub const NO_NUMBER: u64 = u64::MAX;

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

#[cfg(test)]
mod tests {
    use super::*;

    fn at(at: u64, what: What) -> Event {
        Event { at, what }
    }

    fn send() -> What {
        What::Send {
            flow: 1,
            seq: 0,
            bytes: 1460,
            says: 0,
            host: 0,
            number: 0,
        }
    }

    fn enqueue(port: u32, packet: u32) -> What {
        What::Enqueue {
            port,
            packet,
            bytes: 1500,
            wanted: port,
            changes: 0,
            moved: 0,
        }
    }

    #[test]
    fn a_packet_waits_is_sent_and_arrives() {
        let mut state = State::new(2);
        let steps = [
            send(),
            enqueue(0, 0),
            What::Dequeue { port: 0, packet: 0 },
            enqueue(1, 0),
            What::Dequeue { port: 1, packet: 0 },
            What::Deliver { packet: 0 },
        ];
        let mut depths = Vec::new();
        for (time, what) in (0..).zip(steps) {
            state.apply(&at(time, what)).unwrap();
            depths.push((state.depth(0).0, state.depth(1).0, state.link(0).count()));
        }
        assert_eq!(
            depths,
            [
                (0, 0, 0),
                (1, 0, 0),
                (0, 0, 1),
                (0, 1, 0),
                (0, 0, 0),
                (0, 0, 0)
            ]
        );
        state.compact();
        assert_eq!((state.next(), state.packet(0)), (1, None));
    }

    #[test]
    fn what_cannot_be_is_told() {
        let mut state = State::new(2);
        state.apply(&at(0, send())).unwrap();
        state.apply(&at(0, enqueue(0, 0))).unwrap();
        let drop = |port, waited| What::Drop {
            port,
            packet: 0,
            reason: 0,
            waited,
        };
        let wrong = [
            (
                enqueue(1, 0),
                "packet 0 joins port 1 and still waits at port 0",
            ),
            (
                What::Dequeue { port: 1, packet: 0 },
                "packet 0 leaves Queue(1) and is Queue(0)",
            ),
            (enqueue(1, 7), "packet 7 was not sent"),
            (enqueue(2, 0), "there are 2 ports and no port 2"),
            (
                drop(0, 0),
                "packet 0 is dropped at port 0, waiting: 0, and is Queue(0)",
            ),
            (
                What::Deliver { packet: 0 },
                "packet 0 is delivered and waits at port 0",
            ),
        ];
        for (what, says) in wrong {
            assert_eq!(
                state.clone().apply(&at(1, what)),
                Err(says.into()),
                "{what:?}"
            );
        }
        state.apply(&at(1, drop(0, 1))).unwrap();
        let gone = state.apply(&at(2, enqueue(0, 0)));
        assert_eq!(gone, Err("packet 0 is no more".into()));
    }

    #[test]
    fn what_is_under_way_comes_back_in_its_order() {
        let mut state = State::new(2);
        for packet in 0..5 {
            state.apply(&at(packet, send())).unwrap();
        }
        for packet in [3, 1, 2] {
            state.apply(&at(9, enqueue(1, packet))).unwrap();
        }
        state
            .apply(&at(10, What::Dequeue { port: 1, packet: 1 }))
            .unwrap();
        state.apply(&at(10, What::Deliver { packet: 0 })).unwrap();
        state.compact();
        let mut out = Vec::new();
        state.write(&mut out);
        let mut cursor = Cursor::new(&out);
        let read = State::read(&mut cursor, 2).unwrap();
        assert_eq!((&read, cursor.left()), (&state, 0));
        let waiting: Vec<u32> = read.queue(1).map(|packet| packet.id).collect();
        assert_eq!(
            (waiting, read.depth(1), read.next()),
            (vec![3, 2], (2, 3000), 5)
        );
        assert!(State::read(&mut Cursor::new(&out), 1).is_err(), "no port 1");
        for end in 0..out.len() {
            assert!(State::read(&mut Cursor::new(&out[..end]), 2).is_err());
        }
    }
}
