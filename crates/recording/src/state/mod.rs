//! State of all packets: the contents of each queue and of each link.
//!
//! **Decision**     none: the state follows the events.
//! **State**        a queue and a link for each port; the packets under way, and those sent since the chunk
//!                  began.
//! **Errors**       an impossible event is an error, such as a packet that leaves a queue in which it does not
//!                  wait.

use crate::event::{Event, EventKind};
use std::collections::VecDeque;

mod bytes;
#[cfg(test)]
mod tests;

/// Place of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// In no queue: just sent, evicted, dropped or delivered.
    Nowhere,
    /// In the queue of this port.
    Queue(u32),
    /// On the link that this port feeds.
    Link(u32),
}

/// Packet and its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Packet {
    /// Number in the recording.
    pub id: u32,
    /// Flow of the packet.
    pub flow: u32,
    /// First byte of data, or the next byte that an acknowledgement expects.
    pub seq: u64,
    /// Payload, bytes.
    pub bytes: u32,
    /// Kind and flags: [`crate::PacketFlags`].
    pub says: u8,
    /// Host that sent the packet.
    pub host: u32,
    /// Number of packets that the host had sent before; [`Packet::NO_NUMBER`] for a packet sent before the
    /// recording.
    pub number: u64,
    /// Current place.
    pub place: Place,
    /// Buffer used in the queue that the packet joined last, bytes.
    pub buffer: u32,
    /// Arrival at the current place, ps.
    pub since: u64,
    /// True if the packet was dropped or delivered.
    pub over: bool,
}

/// State of all packets at one instant.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct State {
    /// Packets with numbers below `base`, by number.
    old: Vec<Packet>,
    /// Number of the first packet of `new`.
    base: u32,
    /// Packets sent since the state was compacted.
    new: Vec<Packet>,
    queues: Vec<VecDeque<u32>>,
    links: Vec<VecDeque<u32>>,
    /// Bytes of buffer of the packets in each port's queue.
    held: Vec<u64>,
    /// Measured packets and bytes of buffer of each port's queue, if only some packets are recorded.
    lengths: Option<Vec<(u32, u64)>>,
}

impl State {
    /// Creates an empty network of `ports` ports.
    pub fn new(ports: usize) -> State {
        State {
            queues: vec![VecDeque::new(); ports],
            links: vec![VecDeque::new(); ports],
            held: vec![0; ports],
            ..State::default()
        }
    }

    /// Creates an empty network of `ports` ports in which only some packets are recorded, so that the lengths
    /// of queues are measured.
    pub fn measured(ports: usize) -> State {
        State {
            lengths: Some(vec![(0, 0); ports]),
            ..State::new(ports)
        }
    }

    /// Returns true if the lengths of queues are measured.
    pub fn is_measured(&self) -> bool {
        self.lengths.is_some()
    }

    /// Sets the measured length of the queue of `port`. Changes nothing if all packets are recorded.
    ///
    /// Panics if there is no such port.
    pub fn measure(&mut self, port: u32, packets: u32, bytes: u64) {
        if let Some(lengths) = &mut self.lengths {
            lengths[port as usize] = (packets, bytes);
        }
    }

    /// Adds a packet that is under way, behind the others at its place. Returns the number it gets.
    pub fn put(&mut self, packet: Packet) -> Result<u32, String> {
        let id = self.next();
        self.settle(id, packet.place, packet.buffer)?;
        self.new.push(Packet { id, ..packet });
        Ok(id)
    }

    /// Returns the number of the next packet.
    pub fn next(&self) -> u32 {
        self.base.saturating_add(self.new.len() as u32)
    }

    /// Returns the number of ports.
    pub fn ports(&self) -> usize {
        self.queues.len()
    }

    /// Returns packets and bytes of buffer in the queue of `port`; if only some packets are recorded, the last
    /// measurement.
    ///
    /// Panics if there is no such port.
    pub fn depth(&self, port: u32) -> (u32, u64) {
        let port = port as usize;
        match &self.lengths {
            Some(lengths) => lengths[port],
            None => (self.queues[port].len() as u32, self.held[port]),
        }
    }

    /// Returns the recorded packets in the queue of `port`, in the order in which they joined it.
    pub fn queue(&self, port: u32) -> impl Iterator<Item = &Packet> {
        let waiting = self.queues.get(port as usize).into_iter().flatten();
        waiting.filter_map(|id| self.packet(*id))
    }

    /// Returns the packets on the link that `port` feeds, the first to arrive first.
    pub fn link(&self, port: u32) -> impl Iterator<Item = &Packet> {
        let under_way = self.links.get(port as usize).into_iter().flatten();
        under_way.filter_map(|id| self.packet(*id))
    }

    /// Returns the packet with this number, if the state still has it.
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

    /// Applies `event`. An impossible event changes nothing and returns the reason.
    #[inline]
    pub fn apply(&mut self, event: &Event) -> Result<(), String> {
        let at = event.at;
        match event.what {
            EventKind::Send {
                flow,
                seq,
                bytes,
                says,
                host,
                number,
            } => {
                let id = self.next();
                if id == u32::MAX {
                    return Err("too many packets: packet numbers have 32 bits".into());
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
            EventKind::Enqueue {
                port,
                packet,
                bytes,
                wanted,
                ..
            } => {
                self.check(port)?;
                self.check(wanted)?;
                self.enqueue(at, port, packet, bytes)
            }
            EventKind::Dequeue { port, packet } => {
                let (known, mut lines) = self.waiting(packet, port)?;
                lines.moves(known, at, Place::Link(port));
                lines.links[port as usize].push_back(packet);
                Ok(())
            }
            EventKind::Evict { port, packet } => {
                let (known, mut lines) = self.waiting(packet, port)?;
                lines.moves(known, at, Place::Nowhere);
                Ok(())
            }
            EventKind::Drop {
                port,
                packet,
                waited,
                ..
            } => self.lose(at, port, packet, waited),
            EventKind::Deliver { packet } => {
                let (known, mut lines) = self.known(packet)?;
                if let Place::Queue(port) = known.place {
                    return Err(format!(
                        "packet {packet} is delivered although it waits at port {port}"
                    ));
                }
                lines.moves(known, at, Place::Nowhere);
                known.over = true;
                Ok(())
            }
            EventKind::Depth {
                port,
                packets,
                bytes,
            } => {
                self.check(port)?;
                self.measure(port, packets, bytes);
                Ok(())
            }
            EventKind::Link { port, .. } => self.check(port),
            EventKind::Window { .. } => Ok(()),
        }
    }

    fn enqueue(&mut self, at: u64, port: u32, packet: u32, bytes: u32) -> Result<(), String> {
        let (known, mut lines) = self.known(packet)?;
        if let Place::Queue(before) = known.place {
            return Err(format!(
                "packet {packet} joins the queue of port {port} although it waits at port {before}"
            ));
        }
        lines.moves(known, at, Place::Queue(port));
        known.buffer = bytes;
        lines.held[port as usize] += u64::from(bytes);
        lines.queues[port as usize].push_back(packet);
        Ok(())
    }

    /// Drops a packet, out of the queue of `port` if `waited` is 1.
    fn lose(&mut self, at: u64, port: u32, packet: u32, waited: u8) -> Result<(), String> {
        self.check(port)?;
        let (known, mut lines) = self.known(packet)?;
        let before = known.place;
        let waits = matches!(before, Place::Queue(_));
        if waits != (waited == 1) || waits && before != Place::Queue(port) {
            return Err(format!(
                "packet {packet} is dropped at port {port} (waited: {waited}) although its place \
                 is {before:?}"
            ));
        }
        lines.moves(known, at, Place::Nowhere);
        known.over = true;
        Ok(())
    }

    fn check(&self, port: u32) -> Result<(), String> {
        let ports = self.queues.len();
        if (port as usize) < ports {
            return Ok(());
        }
        Err(format!(
            "unknown port {port}: there are {ports} ports, numbered from 0"
        ))
    }

    /// Returns a packet that is under way, and the queues and links.
    #[inline]
    fn known(&mut self, id: u32) -> Result<(&mut Packet, Lines<'_>), String> {
        let known = match id.checked_sub(self.base) {
            Some(at) => self.new.get_mut(at as usize),
            None => match self.old.binary_search_by_key(&id, |p| p.id) {
                Ok(at) => self.old.get_mut(at),
                Err(_) => None,
            },
        };
        let lines = Lines {
            queues: &mut self.queues,
            links: &mut self.links,
            held: &mut self.held,
        };
        match known {
            Some(packet) if !packet.over => Ok((packet, lines)),
            Some(_) => Err(format!("packet {id} was dropped or delivered before")),
            None => Err(format!("packet {id} was not sent")),
        }
    }

    /// Returns a packet that must wait in the queue of `port`, and the queues and links.
    #[inline]
    fn waiting(&mut self, id: u32, port: u32) -> Result<(&mut Packet, Lines<'_>), String> {
        let (known, lines) = self.known(id)?;
        let (place, expected) = (known.place, Place::Queue(port));
        if place == expected {
            return Ok((known, lines));
        }
        Err(format!(
            "packet {id} leaves {expected:?} although its place is {place:?}"
        ))
    }

    /// Appends a packet to the others at its place.
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

    /// Removes packets that were dropped or delivered.
    pub fn compact(&mut self) {
        let next = self.next();
        self.old.retain(|packet| !packet.over);
        self.old
            .extend(self.new.drain(..).filter(|packet| !packet.over));
        self.base = next;
    }
}

/// Queues and links, borrowed apart from their packets.
struct Lines<'a> {
    queues: &'a mut [VecDeque<u32>],
    links: &'a mut [VecDeque<u32>],
    held: &'a mut [u64],
}

impl Lines<'_> {
    /// Removes a packet from its place and stores the new place.
    #[inline]
    fn moves(&mut self, packet: &mut Packet, at: u64, to: Place) {
        packet.since = at;
        let line = match std::mem::replace(&mut packet.place, to) {
            Place::Nowhere => return,
            Place::Queue(port) => {
                self.held[port as usize] -= u64::from(packet.buffer);
                &mut self.queues[port as usize]
            }
            Place::Link(port) => &mut self.links[port as usize],
        };
        if line.front() == Some(&packet.id) {
            line.pop_front();
        } else if let Some(at) = line.iter().position(|other| *other == packet.id) {
            line.remove(at);
        }
    }
}

impl Packet {
    /// Number of a packet whose number is not known.
    pub const NO_NUMBER: u64 = u64::MAX;
}
