//! Recording of a run, for the page that replays it: every packet's events in a span of time, and senders'
//! windows.
//!
//! **Decision**     when the recording ends: at the end of its span or of the run, or at its size limit.
//! **State**        per slot of the pool the number of its packet; events that others may still precede; the
//!                  recording so far.
//! **Units**        picoseconds; bytes of buffer.
//! **Errors**       none.
//!
//! While a run is recorded every packet is traced, so the recorder receives the events of all
//! ([`crate::observers`]), and runs without a recorder pay nothing for it. No event marks the end of a
//! transmission: it is reported when the packet arrives, a link's delay later. So events are held back until
//! none can precede them ([`mod@order`]).

mod order;
mod sampled;

pub use sampled::{Packets, Sampled};

use crate::event::{PacketAction, PacketEvent};
use crate::layout::LinkEnds;
use crate::network::End;
use crate::pool::NONE;
use order::Ordered;
use sidestep_recording::{Cause, EventKind, Head, PacketFlags, State, Tail, Writer};
use sidestep_switch::{Changes, DropReason, Event, Joined, Sink};
use sidestep_transport::{AnySender, Endpoint, Sender, SenderCounters};
use sidestep_types::{FlowId, Kind, Packet, PortId, Time};
use std::collections::{BTreeMap, BTreeSet};

/// Settings of a recording.
#[derive(Clone, Debug, Default)]
pub struct Recording {
    /// Head of the recording; its `from` is the time it begins.
    pub head: Head,
    /// Flows whose senders' windows are recorded.
    pub flows: Sampled,
    /// Packets whose events are recorded; the head must say whether that is all.
    pub packets: Packets,
    /// Size of its chunks at which it ends, bytes; `None` for no limit.
    pub most_bytes: Option<usize>,
}

/// Finished recording, except for what only the end of the run can tell.
pub struct Recorded {
    writer: Writer,
    /// End of the recording: events of this instant are not in it.
    pub to: Time,
    /// True if it reached its size limit.
    pub full: bool,
}

impl Recorded {
    /// Returns the bytes of the recording.
    pub fn finish(self, tail: Tail) -> Vec<u8> {
        self.writer.finish(Tail {
            to: self.to.ps(),
            ..tail
        })
    }
}

/// Place of the packet in a slot of the pool.
#[derive(Clone, Copy, Debug)]
struct Slot {
    /// True if the slot holds a packet.
    taken: bool,
    /// Number of the packet in the recording; [`NONE`] if it is not recorded.
    id: u32,
    /// Link whose queue it joined last, the time it did, and its bytes of buffer there.
    link: u32,
    joined: Time,
    buffer: u32,
}

const EMPTY: Slot = Slot {
    taken: false,
    id: NONE,
    link: NONE,
    joined: Time::ZERO,
    buffer: 0,
};

/// Packet in flight when the recording begins.
pub(crate) struct UnderWay {
    pub parcel: u32,
    /// Number of the packet in the recording; [`NONE`] if it is not recorded.
    pub id: u32,
    pub link: u32,
    pub buffer: u32,
}

/// Events held back between two attempts to write some.
const BATCH: usize = 8192;

/// Properties of the network that a recorder needs.
pub(crate) struct Layout {
    /// Per link: its number in the outcome, which is that of its port in the recording.
    ports: Vec<u32>,
    delays: Vec<Time>,
    longest: Time,
    /// Per switch: the link of its port 0.
    first_links: Vec<u32>,
    /// Bytes of a packet's link time that occupy no buffer.
    unbuffered: u32,
    /// True if NICs have a buffer policy.
    nics: bool,
}

impl Layout {
    pub fn new(
        ends: &[LinkEnds],
        delays: Vec<Time>,
        first_links: Vec<u32>,
        unbuffered: u32,
        nics: bool,
    ) -> Layout {
        Layout {
            ports: ends.iter().map(|end| end.place as u32).collect(),
            longest: delays.iter().copied().max().unwrap_or(Time::ZERO),
            delays,
            first_links,
            unbuffered,
            nics,
        }
    }

    /// Returns the link of a port.
    pub fn link(&self, from: End, port: PortId) -> u32 {
        match from {
            End::Host(host) => host.0,
            End::Switch(switch) => self.first_links[switch.0 as usize] + u32::from(port.0),
        }
    }

    /// Returns the port number of a link.
    pub fn port(&self, link: u32) -> u32 {
        self.ports[link as usize]
    }

    /// Returns the bytes of buffer of a packet that takes `wire` bytes of link time.
    pub fn buffer(&self, wire: u16) -> u32 {
        u32::from(wire) - self.unbuffered
    }
}

/// Sender that an acknowledgement, or its first packet, has just changed.
struct ChangedSender {
    at: Time,
    flow: FlowId,
    cause: Cause,
}

/// Recorder of a run.
pub(crate) struct Recorder {
    pub layout: Layout,
    writer: Writer,
    flows: Sampled,
    packets: Packets,
    most_bytes: Option<usize>,
    /// Begin of the recording.
    from: Time,
    slots: Vec<Slot>,
    /// Number of the next packet.
    next: u32,
    /// Events that others may still precede.
    pending: Ordered,
    /// Length of `pending` after the last write.
    kept: usize,
    touched: Vec<ChangedSender>,
    /// Flows that have sent a packet.
    opened: BTreeSet<u32>,
    /// Counters at the last retransmission, by flow.
    counted: BTreeMap<FlowId, SenderCounters>,
    /// End of the recording, once it has ended.
    to: Option<Time>,
    full: bool,
}

impl Recorder {
    /// Begins a recording in this `state`; `known` gives the slots and numbers of its packets.
    pub fn begin(
        recording: Recording,
        layout: Layout,
        state: State,
        known: impl IntoIterator<Item = UnderWay>,
    ) -> Recorder {
        let next = state.next();
        let from = Time::from_ps(recording.head.from);
        let mut recorder = Recorder {
            layout,
            from,
            pending: Ordered::new(&state),
            writer: Writer::begin(&recording.head, state),
            flows: recording.flows,
            packets: recording.packets,
            most_bytes: recording.most_bytes,
            slots: Vec::new(),
            next,
            kept: 0,
            touched: Vec::new(),
            opened: BTreeSet::new(),
            counted: BTreeMap::new(),
            to: None,
            full: false,
        };
        for at in known {
            *recorder.slot(at.parcel) = Slot {
                taken: true,
                id: at.id,
                link: at.link,
                joined: from,
                buffer: at.buffer,
            };
        }
        recorder
    }

    /// Returns true while it records.
    pub fn is_on(&self) -> bool {
        self.to.is_none()
    }

    fn slot(&mut self, parcel: u32) -> &mut Slot {
        let at = parcel as usize;
        if self.slots.len() <= at {
            self.slots.resize(at + 1, EMPTY);
        }
        &mut self.slots[at]
    }

    /// Returns the packet of a slot and its place; `None` if the packet was never reported, or if the recording
    /// has ended.
    #[inline]
    fn known(&self, parcel: u32) -> Option<Slot> {
        let slot = self.slots.get(parcel as usize)?;
        (slot.taken && self.is_on()).then_some(*slot)
    }

    #[inline]
    fn tell(&mut self, at: Time, what: EventKind) {
        let at = at.ps();
        self.pending.tell(sidestep_recording::Event { at, what });
    }

    /// Adds an event of a packet, if it is recorded.
    #[inline]
    fn tell_of(&mut self, at: Time, packet: u32, what: EventKind) {
        if packet != NONE {
            self.tell(at, what);
        }
    }

    /// Removes a packet from the queue length of `port`.
    #[inline]
    fn shorter(&mut self, at: Time, port: u32, slot: Slot) {
        self.pending
            .change(at.ps(), port, -1, -i64::from(slot.buffer));
    }

    /// Handles a packet that a host sends.
    fn sent(&mut self, now: Time, parcel: u32, number: u64, packet: &Packet) {
        if !self.is_on() {
            return;
        }
        let host = (number >> 32) as u32;
        let ack = matches!(packet.kind(), Kind::Ack | Kind::SynAck);
        let mut id = NONE;
        if self.packets.has(packet.flow.0, Some(number)) {
            let again = if packet.sent_again() {
                PacketFlags::AGAIN
            } else {
                0
            };
            let echo = if ack && packet.ece() {
                PacketFlags::ECHO
            } else {
                0
            };
            let what = EventKind::Send {
                flow: packet.flow.0,
                seq: packet.seq(),
                bytes: u32::from(packet.len),
                says: packet.kind() as u8 | again | echo,
                host,
                number: number & 0xffff_ffff,
            };
            self.tell(now, what);
            id = self.next;
            self.next += 1;
        }
        let taken = true;
        *self.slot(parcel) = Slot { taken, id, ..EMPTY };
        if !ack && self.flows.has(packet.flow.0) && self.opened.insert(packet.flow.0) {
            self.touch(now, packet.flow, Cause::Start);
        }
        if !self.layout.nics {
            let joined = (host, Changes::default());
            self.joined(now, parcel, host, joined, packet.wire, false);
        }
        self.pump(now);
    }

    /// Handles a packet that joins the queue of `link`; its route wanted that of the link `wanted`.
    fn joined(
        &mut self,
        now: Time,
        parcel: u32,
        link: u32,
        (wanted, changes): (u32, Changes),
        wire: u16,
        moved: bool,
    ) {
        let bytes = self.layout.buffer(wire);
        let slot = self.slot(parcel);
        (slot.link, slot.joined, slot.buffer) = (link, now, bytes);
        let packet = slot.id;
        let port = self.layout.port(link);
        self.pending.change(now.ps(), port, 1, i64::from(bytes));
        let bits = Changes::ALL.iter().enumerate();
        let bits = bits.map(|(bit, (change, _))| u8::from(changes.has(*change)) << bit);
        let what = EventKind::Enqueue {
            port,
            packet,
            bytes,
            wanted: self.layout.port(wanted),
            changes: bits.sum(),
            moved: moved.into(),
        };
        self.tell_of(now, packet, what);
    }

    /// Handles the arrival of a packet over the link it was sent by: its last bit left one delay ago.
    fn arrived(&mut self, now: Time, slot: Slot) {
        let delay = self.layout.delays[slot.link as usize];
        self.left(slot, now - delay);
    }

    /// Handles the departure of a packet's last bit. A packet that left before the recording began is on its
    /// link already.
    fn left(&mut self, slot: Slot, departed: Time) {
        if departed >= self.from {
            let port = self.layout.port(slot.link);
            self.shorter(departed, port, slot);
            if slot.id != NONE {
                self.pending.end(departed.ps(), port, slot.id);
            }
        }
    }

    /// Handles a decision of a switch or NIC about a packet, which takes `wire` bytes of link time from now on.
    fn decided(&mut self, now: Time, parcel: u32, here: End, event: Event, wire: u16) {
        let Some(slot) = self.known(parcel) else {
            return;
        };
        let crossed = !event.waited() && matches!(here, End::Switch(_));
        if crossed {
            self.arrived(now, slot);
        }
        match event {
            Event::Enqueue(joined) => self.took(now, parcel, here, joined, wire, false),
            Event::Move(joined) => {
                self.evicted(now, slot, here, joined.wanted);
                self.took(now, parcel, here, joined, wire, true);
            }
            Event::Drop { port, reason } => self.dropped(now, parcel, here, port, reason, false),
            Event::Evict { port, reason } => {
                self.evicted(now, slot, here, port);
                self.dropped(now, parcel, here, port, reason, false);
            }
        }
        if crossed {
            self.pump(now);
        }
    }

    /// Handles a packet that joins a queue of `from`.
    fn took(&mut self, now: Time, parcel: u32, from: End, joined: Joined, wire: u16, moved: bool) {
        let link = self.layout.link(from, joined.port);
        let wanted = self.layout.link(from, joined.wanted);
        self.joined(now, parcel, link, (wanted, joined.changes), wire, moved);
    }

    /// Handles the eviction of a packet from the queue of a port of `from`.
    fn evicted(&mut self, now: Time, slot: Slot, from: End, port: PortId) {
        let port = self.layout.port(self.layout.link(from, port));
        let packet = slot.id;
        self.shorter(now, port, slot);
        self.tell_of(now, packet, EventKind::Evict { port, packet });
    }

    /// Handles the drop of a packet.
    fn dropped(
        &mut self,
        now: Time,
        parcel: u32,
        from: End,
        port: PortId,
        reason: DropReason,
        waited: bool,
    ) {
        let Some(slot) = self.known(parcel) else {
            return;
        };
        let port = self.layout.port(self.layout.link(from, port));
        let packet = slot.id;
        if waited {
            self.shorter(now, port, slot);
        }
        let (reason, waited) = (reason as u8, waited.into());
        let what = EventKind::Drop {
            port,
            packet,
            reason,
            waited,
        };
        self.tell_of(now, packet, what);
        *self.slot(parcel) = EMPTY;
    }

    /// Handles a packet lost behind a port of `from`, whose link is down; its departure is, or would have been,
    /// at `departs`.
    fn lost(&mut self, now: Time, parcel: u32, from: End, port: PortId, departs: Time) {
        let Some(slot) = self.known(parcel) else {
            return;
        };
        // A packet sent to a link that was already down keeps the departure from its queue before.
        let joined = if slot.joined == self.from {
            Time::ZERO
        } else {
            slot.joined
        };
        let left = departs > joined && departs < now;
        if left {
            self.left(slot, departs);
        }
        self.dropped(now, parcel, from, port, DropReason::LinkDown, !left);
        self.pump(now);
    }

    /// Handles a packet that has reached its host.
    fn delivered(&mut self, now: Time, parcel: u32, packet: &Packet) {
        let Some(slot) = self.known(parcel) else {
            return;
        };
        self.arrived(now, slot);
        let id = slot.id;
        self.tell_of(now, id, EventKind::Deliver { packet: id });
        *self.slot(parcel) = EMPTY;
        let ack = matches!(packet.kind(), Kind::Ack | Kind::SynAck);
        if ack && self.flows.has(packet.flow.0) {
            self.touch(now, packet.flow, Cause::Ack);
        }
        self.pump(now);
    }

    /// Records the new rate of a link; 0 when it is down.
    pub fn link(&mut self, now: Time, link: u32, rate_bps: u64) {
        if self.is_on() {
            let port = self.layout.port(link);
            self.tell(now, EventKind::Link { port, rate_bps });
        }
    }

    fn touch(&mut self, at: Time, flow: FlowId, cause: Cause) {
        self.touched.push(ChangedSender { at, flow, cause });
    }

    /// Returns true if any sender has changed since the last look.
    #[inline]
    pub fn has_touched(&self) -> bool {
        !self.touched.is_empty()
    }

    /// Records the window of every sender that has changed, unless it is done.
    pub fn look<'a>(&mut self, end: impl Fn(FlowId) -> Option<&'a Endpoint<AnySender>>) {
        for ChangedSender { at, flow, cause } in std::mem::take(&mut self.touched) {
            if let Some(end) = end(flow) {
                self.window(at, flow, end, cause);
            }
        }
    }

    /// Records the window of the sender of `flow`, which retransmits.
    pub fn sends_again(&mut self, now: Time, flow: FlowId, end: &Endpoint<AnySender>) {
        if !self.is_on() || !self.flows.has(flow.0) {
            return;
        }
        // The window just after the acknowledgement before is no longer known.
        self.touched.retain(|touched| touched.flow != flow);
        let counters = end.counters();
        let before = self.counted.insert(flow, counters);
        let cause = match before.unwrap_or_default().timeouts < counters.timeouts {
            true => Cause::Timeout,
            false => Cause::Again,
        };
        self.window(now, flow, end, cause);
    }

    /// Records the window of the sender of `flow`.
    pub fn window(&mut self, at: Time, flow: FlowId, end: &Endpoint<AnySender>, cause: Cause) {
        if !self.is_on() || !self.flows.has(flow.0) {
            return;
        }
        // Other transports have no window in bytes.
        let AnySender::Tcp(tcp) = end.machine() else {
            return;
        };
        let counters = tcp.counters();
        let what = EventKind::Window {
            flow: flow.0,
            cwnd: tcp.cwnd(),
            ssthresh: tcp.ssthresh(),
            acked: end.acknowledged(),
            retransmits: counters.retransmits,
            timeouts: counters.timeouts,
            cause: cause as u8,
        };
        self.tell(at, what);
    }

    /// Writes the events that none can precede any more, if there are many.
    #[inline]
    fn pump(&mut self, now: Time) {
        if self.pending.len() >= self.kept + BATCH {
            self.write_before(now);
        }
    }

    #[inline(never)]
    fn write_before(&mut self, now: Time) {
        let ended = now.saturating_sub(self.layout.longest);
        let looked = self.touched.iter().map(|touched| touched.at).min();
        let until = looked.unwrap_or(ended).min(ended);
        self.write(until);
        if (self.most_bytes).is_some_and(|most| self.writer.bytes() >= most) {
            self.full = true;
            self.close(until);
        }
    }

    /// Writes the events before `until`.
    fn write(&mut self, until: Time) {
        self.pending.write(until.ps(), &mut self.writer);
        self.kept = self.pending.len();
    }

    fn close(&mut self, to: Time) {
        self.to = Some(to);
        self.pending = Ordered::default();
        self.slots = Vec::new();
        self.touched = Vec::new();
    }

    /// Ends the recording before the events at `to`, once all earlier ones have been received. `left` are the
    /// packets that have left a queue and not arrived: slot, link and departure.
    pub fn end(&mut self, to: Time, left: impl IntoIterator<Item = (u32, u32, Time)>) {
        if !self.is_on() {
            return;
        }
        for (parcel, link, departed) in left {
            // A packet in flight at the begin of the recording may have left before it.
            let known = self.known(parcel).filter(|slot| slot.link == link);
            let Some(slot) = known else { continue };
            self.left(slot, departed);
        }
        self.write(to);
        self.close(to);
    }

    /// Returns what was recorded. Panics if the recording has not ended.
    pub fn finish(self) -> Recorded {
        Recorded {
            writer: self.writer,
            to: self.to.expect("a recording that has ended"),
            full: self.full,
        }
    }
}

impl Sink<PacketEvent<'_>> for Recorder {
    fn observe(&mut self, event: &PacketEvent<'_>) {
        let PacketEvent {
            at,
            parcel,
            packet,
            what,
        } = *event;
        match what {
            PacketAction::Sent { number } => self.sent(at, parcel, number, packet),
            PacketAction::At(here, event) => self.decided(at, parcel, here, event, packet.wire),
            PacketAction::Lost {
                from,
                port,
                departs,
            } => self.lost(at, parcel, from, port, departs),
            PacketAction::Delivered => self.delivered(at, parcel, packet),
        }
    }
}
