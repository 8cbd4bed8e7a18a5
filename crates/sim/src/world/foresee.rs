//! Memory that the next events will touch, asked for before their turn.
//!
//! A hop waits for some ten cache lines: the link, its first packet, the switch, the queue that the packet joins
//! and the last packet there. In a large network each comes from beyond the cache, one after the other, as each
//! says where the next one is. The agenda knows which links come next. So their lines are asked for in five
//! steps, a batch of events at a time, and are there when their turn comes. It changes nothing that happens: a
//! wrong guess, of an event that another came before, costs a line in vain.

use super::World;
use crate::agenda::Agenda;
use crate::fabric::Link;
use crate::indexed::fetch;
use crate::layout::Far;
use sidestep_types::{Kind, Packet};

/// So many events are looked at together, after so many have happened.
const BATCH: usize = 8;
/// How many batches ahead the first step is; each of the others is one later.
const AHEAD: usize = 4;

/// Links that take more bytes than this are worth it, with the packets on them: less stays in a core's cache.
const WORTH: usize = if cfg!(debug_assertions) {
    1 << 12
} else {
    1 << 20
};

/// A cache line.
const LINE: usize = 64;
/// Of the end of a flow, so many bytes are asked for.
const OF_END: usize = 6 * LINE;

/// What of the events to come has been found out.
pub(super) struct Foreseen {
    /// So many events happen before the next look.
    until: u64,
    /// What the next batch will touch last.
    last: [Last; BATCH],
}

/// What an event touches last.
#[derive(Clone, Copy)]
enum Last {
    /// Nobody knows.
    Nothing,
    /// The queue of this link.
    Queue(u32),
    /// The end of a flow where data leaves or arrives.
    Sender(u32),
    Receiver(u32),
}

impl Default for Foreseen {
    fn default() -> Foreseen {
        Foreseen {
            until: u64::MAX,
            last: [Last::Nothing; BATCH],
        }
    }
}

impl Foreseen {
    /// An event happens; is it time to look?
    #[inline(always)]
    pub fn is_due(&mut self) -> bool {
        self.until -= 1;
        self.until == 0
    }
}

impl<A: Agenda> World<A> {
    /// Looks ahead from now on where that is worth it.
    pub(super) fn look_ahead(&mut self) {
        let worth = self.fabric.links.len() * size_of::<Link>() > WORTH;
        let (wanted, until) = match worth {
            true => ((AHEAD + 2) * BATCH, 1),
            false => (0, u64::MAX),
        };
        self.fabric.agenda.look(wanted);
        self.foreseen.until = until;
    }

    /// Takes one step for each of the batches to come.
    #[inline(never)]
    pub(super) fn foresee(&mut self) {
        self.foreseen.until = BATCH as u64;
        self.touch_last();
        let fabric = &self.fabric;
        if let Some(slots) = fabric.agenda.ahead::<BATCH>(AHEAD * BATCH) {
            slots.into_iter().for_each(|slot| fabric.links.fetch(slot));
        }
        if let Some(slots) = fabric.agenda.ahead::<BATCH>((AHEAD - 1) * BATCH) {
            slots.into_iter().for_each(|slot| self.first_packet(slot));
        }
        if let Some(slots) = fabric.agenda.ahead::<BATCH>((AHEAD - 2) * BATCH) {
            slots.into_iter().for_each(|slot| self.way(slot));
        }
        self.foreseen.last = match fabric.agenda.ahead::<BATCH>((AHEAD - 3) * BATCH) {
            Some(slots) => slots.map(|slot| self.last(slot)),
            None => [Last::Nothing; BATCH],
        };
    }

    /// Asks for the first packet of a link, and for the switch that it arrives at.
    #[inline(always)]
    fn first_packet(&self, slot: u32) {
        let fabric = &self.fabric;
        if slot >= fabric.links.len() as u32 {
            return self.hosts.fetch(slot - fabric.links.len() as u32);
        }
        let link = &fabric.links[slot];
        fabric.pool.fetch(link.line.head());
        if let Far::Switch(switch) = link.far() {
            self.switches.fetch(switch);
        }
    }

    /// The first packet of a link, if the link stands in `slot` and has one.
    #[inline(always)]
    fn arriving(&self, slot: u32) -> Option<(&Link, u32)> {
        let fabric = &self.fabric;
        if slot >= fabric.links.len() as u32 {
            return None;
        }
        let link = &fabric.links[slot];
        (!link.line.is_empty()).then(|| (link, link.line.head()))
    }

    /// Asks for the packet behind it, and for what the switch reads of the way on.
    #[inline(always)]
    fn way(&self, slot: u32) {
        let Some((link, parcel)) = self.arriving(slot) else {
            return;
        };
        let parcel = self.fabric.pool.get(parcel);
        self.fabric.pool.fetch(parcel.next);
        match link.far() {
            Far::Switch(switch) => {
                self.switches[switch].fetch(self.attachments[parcel.packet.dst.0]);
            }
            Far::Host(host) => {
                // Its NIC has the number of the host.
                self.fabric.links.fetch(host);
                self.fabric.agenda.fetch(host);
                self.hosts.fetch(host);
                self.fetch_end(&parcel.packet);
            }
        }
    }

    /// Asks for the queue that it will join; says what is touched last.
    #[inline(always)]
    fn last(&self, slot: u32) -> Last {
        let Some((link, parcel)) = self.arriving(slot) else {
            return Last::Nothing;
        };
        let packet = &self.fabric.pool.get(parcel).packet;
        match link.far() {
            Far::Switch(switch) => {
                let dst = self.attachments[packet.dst.0];
                let Some(next) = self.switches[switch].foresee(packet, dst) else {
                    return Last::Nothing;
                };
                self.fabric.links.fetch(next);
                self.fabric.agenda.fetch(next);
                Last::Queue(next)
            }
            Far::Host(_) => match is_for_receiver(packet) {
                true => Last::Receiver(packet.flow.0),
                false => Last::Sender(packet.flow.0),
            },
        }
    }

    /// Asks for where the end of a flow is kept.
    fn fetch_end(&self, packet: &Packet) {
        let flow = packet.flow.0 as usize;
        match is_for_receiver(packet) {
            true => fetch(self.receivers.as_ptr().wrapping_add(flow).cast()),
            false => fetch(self.senders.as_ptr().wrapping_add(flow).cast()),
        }
    }

    /// Asks for what the next batch touches last.
    #[inline(always)]
    fn touch_last(&self) {
        for last in self.foreseen.last {
            match last {
                Last::Nothing => {}
                Last::Queue(link) => {
                    let line = &self.fabric.links[link].line;
                    self.fabric.pool.fetch(line.tail());
                    self.fabric.pool.fetch(line.sending());
                }
                Last::Sender(flow) => fetch_all(self.senders[flow as usize].as_deref()),
                Last::Receiver(flow) => fetch_all(self.receivers[flow as usize].as_deref()),
            }
        }
    }
}

/// Does it go to the receiver of its flow?
fn is_for_receiver(packet: &Packet) -> bool {
    matches!(packet.kind(), Kind::Data | Kind::Syn)
}

/// Asks for what of one end of a flow a packet touches.
#[inline(always)]
fn fetch_all<T>(end: Option<&T>) {
    let Some(end) = end else {
        return;
    };
    let at = std::ptr::from_ref(end).cast::<u8>();
    for line in (0..size_of::<T>().min(OF_END)).step_by(LINE) {
        fetch(at.wrapping_add(line));
    }
}
