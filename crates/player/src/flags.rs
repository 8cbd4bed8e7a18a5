//! Flags of a packet: acknowledgement, retransmission, marked, detoured, trimmed.
//!
//! **State**        the flags that switches set on each packet under way; flags set by its sender are read from
//!                  the packet.

use sidestep_recording::{Event, EventKind, Packet, PacketFlags, State};

/// Flag of an acknowledgement.
pub const ACK: u8 = 1;
/// Flag of a retransmission.
pub const AGAIN: u8 = 2;
/// Flag of a packet that a switch marked.
pub const MARKED: u8 = 4;
/// Flag of a packet that the last switch detoured or deflected.
pub const DETOURED: u8 = 8;
/// Flag of a packet whose payload a switch trimmed.
pub const TRIMMED: u8 = 16;

/// Bits of the field `changes` of an enqueue.
pub(crate) const CHANGE_MARKED: u8 = 1;
pub(crate) const CHANGE_TRIMMED: u8 = 2;

/// Returns true for an acknowledgement of data or of a connection's first packet.
pub(crate) fn is_ack(says: u8) -> bool {
    says & 1 == 1
}

/// Flags that switches set on each packet under way.
#[derive(Clone, Debug, Default)]
pub(crate) struct Flags {
    /// Nonzero flags of packets sent before `base`, by number.
    old: Vec<(u32, u8)>,
    base: u32,
    /// Flags of packets from `base` on.
    new: Vec<u8>,
}

impl Flags {
    /// Begins a chunk with the number of its next packet, and the flags of earlier packets.
    pub fn begin(next: u32, old: Vec<(u32, u8)>) -> Flags {
        Flags {
            old,
            base: next,
            new: Vec::new(),
        }
    }

    /// Returns all flags of this packet.
    pub fn of(&self, packet: &Packet) -> u8 {
        let ack = if is_ack(packet.says) { ACK } else { 0 };
        let again = if PacketFlags(packet.says).again() {
            AGAIN
        } else {
            0
        };
        self.done(packet.id) | ack | again
    }

    fn done(&self, id: u32) -> u8 {
        match id.checked_sub(self.base) {
            Some(at) => self.new.get(at as usize).copied().unwrap_or(0),
            None => {
                let found = self.old.binary_search_by_key(&id, |known| known.0);
                found.map_or(0, |at| self.old[at].1)
            }
        }
    }

    fn set(&mut self, id: u32, flags: u8) {
        match id.checked_sub(self.base) {
            Some(at) => {
                if let Some(known) = self.new.get_mut(at as usize) {
                    *known = flags;
                }
            }
            None => match self.old.binary_search_by_key(&id, |known| known.0) {
                Ok(at) => self.old[at].1 = flags,
                Err(at) if flags != 0 => self.old.insert(at, (id, flags)),
                Err(_) => {}
            },
        }
    }

    /// Applies an event.
    #[inline]
    pub fn apply(&mut self, event: &Event) {
        match event.what {
            EventKind::Send { .. } => self.new.push(0),
            EventKind::Enqueue {
                port,
                packet,
                wanted,
                changes,
                ..
            } => {
                let mut flags = self.done(packet) & !DETOURED;
                if port != wanted {
                    flags |= DETOURED;
                }
                if changes & CHANGE_MARKED != 0 {
                    flags |= MARKED;
                }
                if changes & CHANGE_TRIMMED != 0 {
                    flags |= TRIMMED;
                }
                self.set(packet, flags);
            }
            _ => {}
        }
    }

    /// Returns the flags of packets still under way, for the beginning of the next chunk.
    pub fn kept(&self, state: &State) -> Vec<(u32, u8)> {
        let new = (self.base..).zip(self.new.iter().copied());
        let all = self.old.iter().copied().chain(new);
        let under_way = |id: u32| state.packet(id).is_some_and(|packet| !packet.over);
        all.filter(|(id, flags)| *flags != 0 && under_way(*id))
            .collect()
    }

    pub fn memory(&self) -> usize {
        self.old.capacity() * size_of::<(u32, u8)>() + self.new.capacity()
    }
}
