//! Path of a frame into a queue: the decision of `sidestep-switch`, applied to bytes.

use super::counters::PortCounts;
use super::needs_ranks;
use super::outputs::{Outputs, PortsView};
use super::packet::packet_of;
use super::vlans::{Vlans, wire_with};
use super::watch::{FrameAction, FrameEvent, Watcher};
use crate::frame::{self, Carry, Frame, FrameContent, Refusal, WireTag};
use crate::setup::{Mac, Rank, Services, Setup};
use sidestep_switch::ports::{NONE, Store};
use sidestep_switch::{AttainedService, Carrier, Decider, DropReason, Event, Hops};
use sidestep_transport::shim::mark::Boosting;
use sidestep_types::{Kind, Packet, PortId, PortSet, Time};

/// Decision, queues and counters of a switch.
pub(super) struct Core {
    pub outputs: Outputs,
    pub decider: Decider,
    pub counts: Vec<PortCounts>,
    /// Source of ranks, if a policy needs them.
    pub ranks: Option<Ranks>,
    /// Map from code points to classes, unless code points are numbers of classes.
    pub services: Option<Services>,
    /// Position of tags in frames, if frames have tags.
    pub carry: Option<Carry>,
    /// VLANs of each port, if there are VLANs.
    pub vlans: Option<Box<Vlans>>,
    /// VLAN tag of the current frame, or the tag it would have; 0 without VLANs.
    pub tag: u16,
    /// Ports blocked because each is part of a loop.
    pub blocked: PortSet,
    /// Set when the TTL of a frame has expired: its sender may have to be informed.
    pub expired: bool,
    pub watcher: Option<Watcher>,
}

/// Source of a packet's rank.
pub(super) enum Ranks {
    Sent(AttainedService),
    Dscp,
    Tag(Boosting),
}

impl Ranks {
    /// Returns the source that `setup` configures; `None` if no policy needs ranks, or no tag carries them.
    pub fn of(setup: &Setup) -> Option<Ranks> {
        // Ranks cost a table look-up for each packet.
        needs_ranks(setup).then_some(())?;
        Some(match setup.rank {
            Rank::Sent => Ranks::Sent(AttainedService::new(setup.rank_gap)),
            Rank::Dscp => Ranks::Dscp,
            Rank::Tag => Ranks::Tag(setup.tags?.boosting()),
        })
    }

    /// Returns the rank of a data packet; `None` without a tag, which ranks it behind all tagged packets.
    fn rank(&mut self, now: Time, packet: &Packet, tag: Option<WireTag>) -> Option<u32> {
        match self {
            Ranks::Sent(sent) => Some(sent.rank(now, packet.hash, packet.len)),
            Ranks::Dscp => Some(u32::from(packet.service())),
            Ranks::Tag(by) => tag.map(|tag| by.rank(by.restored(tag.number, tag.again), tag.again)),
        }
    }
}

/// Rules for forwarding one frame.
#[derive(Clone, Copy, Debug)]
pub(super) struct ForwardingRules {
    /// Port the frame came in by; `None` for frames the switch made itself.
    pub from: Option<PortId>,
    /// True if the TTL is decremented.
    pub ages: bool,
    /// True if the frame may be detoured.
    pub detours: bool,
    /// True if the frame may leave by its ingress port, if the route chooses that.
    pub returns: bool,
    /// New MACs of a routed frame: destination and source.
    pub macs: Option<(Mac, Mac)>,
}

impl Core {
    /// Reports an event to the watcher, if there is one.
    #[inline]
    pub fn tell(&mut self, from: Option<PortId>, bytes: &[u8], what: FrameAction) {
        tell(&mut self.watcher, self.outputs.now, from, bytes, what);
    }

    /// Reports frames that have left links since the last call.
    #[cold]
    pub fn tell_left(&mut self) {
        let taken = std::mem::take(&mut self.outputs.taken);
        for (departure, bytes) in taken.into_iter().flatten() {
            let (port, out) = (departure.port, departure.due);
            let (at, what) = (
                self.outputs.left(&departure),
                FrameAction::Left { port, out },
            );
            tell(&mut self.watcher, at, None, &bytes, what);
        }
        self.outputs.taken = Some(Vec::new());
    }

    /// Refuses a frame that came in by `port`.
    #[cold]
    pub fn refuse(&mut self, port: PortId, bytes: &[u8], why: Refusal) {
        self.counts[port.index()].refused[why as usize] += 1;
        self.tell(Some(port), bytes, FrameAction::Refused(why));
    }

    /// Decides on a frame for which `hops` are the next hops, and carries the decision out.
    #[inline]
    pub fn forward(&mut self, frame: &Frame, bytes: &[u8], hops: Hops<'_>, how: ForwardingRules) {
        let mut packet = packet_of(frame, bytes.len(), how.ages);
        let mut tag = 0;
        if let Some(vlans) = &self.vlans {
            // All next hops of one station carry the same VLANs in the same way.
            let first = hops.ports[0];
            let Some(leaves) = vlans.leaving(first, self.tag) else {
                return self.refuse(how.from.unwrap_or(first), bytes, Refusal::VlanOther);
            };
            tag = leaves;
            packet.wire = wire_with(bytes.len(), tag);
        }
        if let Some(ranks) = &mut self.ranks
            && packet.kind() == Kind::Data
            && let Some(rank) = ranks.rank(self.outputs.now, &packet, frame.tag)
        {
            packet.set_rank(rank);
        }
        if let (Some(services), FrameContent::Ip(ip)) = (&self.services, &frame.what) {
            packet.set_service(services.class(ip.dscp));
        }
        let (down, switches) = (self.outputs.down, self.outputs.switches);
        let blocked = self.blocked;
        let mut at_hand = CurrentFrame {
            outputs: &mut self.outputs,
            watcher: &mut self.watcher,
            expired: &mut self.expired,
            carry: self.carry,
            frame,
            bytes,
            packet,
            how,
            tag,
            cut: false,
            kept: NONE,
        };
        // The route does not decide for a host of this very switch; it would draw one random number too many.
        let wanted = match hops.ports {
            [only] if !switches.has(*only) => *only,
            _ => self.decider.route(&mut at_hand, hops, &mut ()),
        };
        if how.from == Some(wanted) && !how.returns {
            return self.refuse(wanted, bytes, Refusal::Hairpin);
        }
        if down.has(wanted) {
            return self.unplugged(wanted, bytes, how.from);
        }
        if blocked.has(wanted)
            && let Some(from) = how.from
        {
            return self.refuse(from, bytes, Refusal::LoopBlocked);
        }
        let depth = at_hand.outputs.depth(wanted);
        let depths = &mut self.counts[wanted.index()].depths;
        depths.saturating_record(u64::from(depth.packets));
        if !self.decider.admit(at_hand, wanted, false, &mut ()) {
            self.no_memory(wanted, bytes, how.from);
        }
        if !self.outputs.stranded.is_empty() {
            self.strand();
        }
    }

    /// Drops a frame routed to a port whose link is down.
    #[cold]
    fn unplugged(&mut self, wanted: PortId, bytes: &[u8], from: Option<PortId>) {
        self.drop(wanted, bytes, from, DropReason::LinkDown);
    }

    /// Drops a frame routed to `port`, before the decision.
    #[cold]
    fn drop(&mut self, port: PortId, bytes: &[u8], from: Option<PortId>, reason: DropReason) {
        self.decider.count_drop(port, reason);
        let event = Event::Drop { port, reason };
        self.tell(from, bytes, FrameAction::Switched(event));
    }

    /// Drops frames that were detoured to a port whose link is down.
    #[cold]
    fn strand(&mut self) {
        for (handle, port) in std::mem::take(&mut self.outputs.stranded) {
            self.lose(handle, port);
        }
    }

    /// Drops a frame that has left its queue because the link of `port` is down.
    #[cold]
    pub fn lose(&mut self, handle: u32, port: PortId) {
        let reason = DropReason::LinkDown;
        self.decider.count_drop(port, reason);
        let (at, bytes) = (self.outputs.now, self.outputs.slab.bytes(handle));
        tell(
            &mut self.watcher,
            at,
            None,
            bytes,
            FrameAction::Switched(Event::Evict { port, reason }),
        );
        self.outputs.slab.free(handle);
    }

    /// Handles the lack of a slot for a frame: counts it as refused at its ingress port, or as dropped if the
    /// switch made it.
    #[cold]
    fn no_memory(&mut self, wanted: PortId, bytes: &[u8], from: Option<PortId>) {
        let Some(port) = from else {
            return self.drop(wanted, bytes, None, DropReason::Full);
        };
        self.refuse(port, bytes, Refusal::NoMemory);
    }
}

/// Reports an event to the watcher, if there is one.
#[inline]
fn tell(
    watcher: &mut Option<Watcher>,
    at: Time,
    from: Option<PortId>,
    frame: &[u8],
    what: FrameAction,
) {
    if let Some(watcher) = watcher {
        watcher.observe(&FrameEvent {
            at,
            from,
            frame,
            what,
        });
    }
}

/// Frame the switch decides on. Its bytes are copied into a slot when it is queued.
struct CurrentFrame<'a> {
    outputs: &'a mut Outputs,
    watcher: &'a mut Option<Watcher>,
    expired: &'a mut bool,
    carry: Option<Carry>,
    frame: &'a Frame,
    bytes: &'a [u8],
    packet: Packet,
    how: ForwardingRules,
    /// VLAN tag the frame leaves with; 0 for none.
    tag: u16,
    /// True if the payload is to be cut off.
    cut: bool,
    /// Slot of the frame, once it has one.
    kept: u32,
}

impl Carrier for CurrentFrame<'_> {
    type Ports<'a>
        = PortsView<'a>
    where
        Self: 'a;

    #[inline]
    fn at_hand(&mut self) -> (&Packet, PortsView<'_>) {
        (&self.packet, self.outputs.ports_from(self.how.from))
    }

    #[inline]
    fn packet_mut(&mut self) -> &mut Packet {
        &mut self.packet
    }

    #[inline]
    fn may_detour(&self) -> bool {
        self.how.detours
    }

    /// Marks the payload to be cut off, which is possible for TCP segments only.
    fn trim(&mut self) -> bool {
        self.cut = matches!(&self.frame.what, FrameContent::Ip(ip) if ip.tcp_at.is_some());
        self.cut
    }

    #[inline]
    fn enqueue(&mut self, port: PortId) -> bool {
        let slab = &mut self.outputs.slab;
        let Some(handle) = slab.put(self.bytes, self.packet, self.how.detours) else {
            return false;
        };
        if self.tag != 0 {
            slab.set_tag(handle, self.tag);
        }
        self.change(handle);
        if self.cut {
            self.cut(handle);
        }
        self.outputs.enqueue(port.index(), handle);
        self.kept = handle;
        true
    }

    fn take(&mut self, port: PortId) -> u32 {
        self.outputs.evict(port)
    }

    fn held(&mut self, held: u32) -> (Packet, PortsView<'_>) {
        let packet = self.outputs.slab.parcel(held).packet;
        (packet, self.outputs.ports_from(None))
    }

    fn held_mut(&mut self, held: u32) -> &mut Packet {
        &mut self.outputs.slab.parcel_mut(held).packet
    }

    fn held_may_detour(&self, held: u32) -> bool {
        self.outputs.slab.detours(held)
    }

    fn put(&mut self, held: u32, port: PortId) {
        let marked = self.outputs.slab.parcel(held).packet.ce();
        if marked {
            mark_kept(self.outputs.slab.bytes_mut(held), self.carry);
        }
        self.outputs.enqueue(port.index(), held);
    }

    #[inline]
    fn tell(&mut self, held: Option<u32>, event: Event) {
        let handle = held.unwrap_or(self.kept);
        *self.expired |= event.dropped() == Some(DropReason::Ttl);
        let from = self.how.from.filter(|_| held.is_none());
        let bytes = match event {
            Event::Drop { .. } => self.bytes,
            _ => self.outputs.slab.bytes(handle),
        };
        let at = self.outputs.now;
        tell(self.watcher, at, from, bytes, FrameAction::Switched(event));
        if let Event::Evict { .. } = event {
            self.outputs.slab.free(handle);
        }
    }
}

/// Sets CE in a queued frame, if it is not set yet.
pub(super) fn mark_kept(kept: &mut [u8], carry: Option<Carry>) {
    let read = match carry {
        // The frame was within its MTU when it came in.
        None => frame::read_within(kept, kept.len()),
        Some(carry) => frame::read_tagged(kept, carry),
    };
    if let Ok(Frame {
        what: FrameContent::Ip(mut ip),
        ..
    }) = read
        && ip.ecn != 3
    {
        frame::mark_ce(kept, &mut ip);
    }
}

impl CurrentFrame<'_> {
    /// Changes the queued frame to its outgoing form: MACs, TTL and mark.
    #[inline]
    fn change(&mut self, handle: u32) {
        let kept = self.outputs.slab.bytes_mut(handle);
        if let Some((dst, src)) = self.how.macs {
            frame::set_macs(kept, dst, src);
        }
        if let FrameContent::Ip(mut ip) = self.frame.what {
            if self.how.ages {
                frame::lower_ttl(kept, &mut ip);
            }
            // The frame came in with a mark, or the decision has marked it.
            if self.packet.ce() && ip.ecn != 3 {
                frame::mark_ce(kept, &mut ip);
            }
        }
    }

    /// Cuts the payload off the queued frame, and off its length in the queue.
    #[cold]
    fn cut(&mut self, handle: u32) {
        let mut frame = *self.frame;
        let slab = &mut self.outputs.slab;
        let length = frame::trim(slab.bytes_mut(handle), &mut frame);
        let length = length.expect("a segment that may be trimmed");
        slab.cut(handle, length);
        slab.parcel_mut(handle)
            .packet
            .trim(wire_with(length, self.tag));
    }
}
