//! Prefetch of memory that the next events will touch.
//!
//! A hop waits for some ten cache lines: the link, its first packet, the switch, the queue that the packet
//! joins and the last packet there. In a large network each comes from beyond the cache, one after the other,
//! because each holds the address of the next. The agenda can tell which links come next. So their lines are
//! prefetched in five steps, a batch of events at a time, and have arrived when their turn comes. Results do
//! not change: a wrong guess, when another event comes first, costs one useless prefetch.

use super::World;
use crate::agenda::Agenda;
use crate::fabric::Link;
use crate::indexed::fetch;
use crate::layout::FarEnd;
use sidestep_types::{Kind, Packet};

/// Events in a batch.
const BATCH: usize = 8;
/// Distance of the first step, in batches; each later step is one batch nearer.
const AHEAD: usize = 4;

/// Bytes of links above which prefetching pays: with the packets on them, less fits into a core's cache.
const WORTH: usize = if cfg!(debug_assertions) {
    1 << 12
} else {
    1 << 20
};

/// Bytes of a cache line.
const LINE: usize = 64;
/// Bytes to prefetch of one end of a flow.
const OF_END: usize = 6 * LINE;

/// State of the look-ahead.
pub(super) struct PrefetchState {
    /// Events left until the next look.
    until: u64,
    /// Memory that the next batch will touch last.
    last: [Last; BATCH],
}

/// Memory that an event touches last.
#[derive(Clone, Copy)]
enum Last {
    /// Unknown.
    Nothing,
    /// Queue of this link.
    Queue(u32),
    /// End of a flow, where data leaves or arrives.
    Sender(u32),
    Receiver(u32),
}

impl Default for PrefetchState {
    fn default() -> PrefetchState {
        PrefetchState {
            until: u64::MAX,
            last: [Last::Nothing; BATCH],
        }
    }
}

impl PrefetchState {
    /// Counts an event; returns true if it is time to look.
    #[inline(always)]
    pub fn is_due(&mut self) -> bool {
        self.until -= 1;
        self.until == 0
    }
}

impl<A: Agenda> World<A> {
    /// Turns look-ahead on if the network is large enough for it to pay.
    pub(super) fn look_ahead(&mut self) {
        let worth = self.fabric.links.len() * size_of::<Link>() > WORTH;
        let (wanted, until) = match worth {
            true => ((AHEAD + 2) * BATCH, 1),
            false => (0, u64::MAX),
        };
        self.fabric.agenda.look(wanted);
        self.foreseen.until = until;
    }

    /// Takes one step for each of the coming batches.
    #[inline(never)]
    pub(super) fn prefetch_ahead(&mut self) {
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

    /// Prefetches the first packet of a link, and the switch where it arrives.
    #[inline(always)]
    fn first_packet(&self, slot: u32) {
        let fabric = &self.fabric;
        if slot >= fabric.links.len() as u32 {
            return self.hosts.fetch(slot - fabric.links.len() as u32);
        }
        let link = &fabric.links[slot];
        fabric.pool.fetch(link.line.head());
        if let FarEnd::Switch(switch) = link.far() {
            self.switches.fetch(switch);
        }
    }

    /// Returns the first packet of a link, if `slot` is that of a link and it has one.
    #[inline(always)]
    fn arriving(&self, slot: u32) -> Option<(&Link, u32)> {
        let fabric = &self.fabric;
        if slot >= fabric.links.len() as u32 {
            return None;
        }
        let link = &fabric.links[slot];
        (!link.line.is_empty()).then(|| (link, link.line.head()))
    }

    /// Prefetches the packet behind it, and what the switch reads to forward it.
    #[inline(always)]
    fn way(&self, slot: u32) {
        let Some((link, parcel)) = self.arriving(slot) else {
            return;
        };
        let parcel = self.fabric.pool.get(parcel);
        self.fabric.pool.fetch(parcel.next);
        match link.far() {
            FarEnd::Switch(switch) => {
                self.switches[switch].fetch(self.attachments[parcel.packet.dst.0]);
            }
            FarEnd::Host(host) => {
                // A NIC's link has the number of its host.
                self.fabric.links.fetch(host);
                self.fabric.agenda.fetch(host);
                self.hosts.fetch(host);
                self.fetch_end(&parcel.packet);
            }
        }
    }

    /// Prefetches the queue that the packet will join; returns what is touched last.
    #[inline(always)]
    fn last(&self, slot: u32) -> Last {
        let Some((link, parcel)) = self.arriving(slot) else {
            return Last::Nothing;
        };
        let packet = &self.fabric.pool.get(parcel).packet;
        match link.far() {
            FarEnd::Switch(switch) => {
                let dst = self.attachments[packet.dst.0];
                let Some(next) = self.switches[switch].predict_link(packet, dst) else {
                    return Last::Nothing;
                };
                self.fabric.links.fetch(next);
                self.fabric.agenda.fetch(next);
                Last::Queue(next)
            }
            FarEnd::Host(_) => match is_for_receiver(packet) {
                true => Last::Receiver(packet.flow.0),
                false => Last::Sender(packet.flow.0),
            },
        }
    }

    /// Prefetches the pointer to the end of a flow.
    fn fetch_end(&self, packet: &Packet) {
        let flow = packet.flow.0 as usize;
        match is_for_receiver(packet) {
            true => fetch(self.receivers.as_ptr().wrapping_add(flow).cast()),
            false => fetch(self.senders.as_ptr().wrapping_add(flow).cast()),
        }
    }

    /// Prefetches what the next batch touches last.
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

/// Returns true if the packet goes to the receiver of its flow.
fn is_for_receiver(packet: &Packet) -> bool {
    matches!(packet.kind(), Kind::Data | Kind::Syn)
}

/// Prefetches the part of one end of a flow that a packet touches.
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
