//! One frame's way into a queue: the decision of `sidestep-switch`, and what it means for bytes.

use super::counters::PortCounts;
use super::outputs::{MakingRoom, Outputs, View};
use super::packet::packet_of;
use super::rank::Sent;
use super::slab::NONE;
use super::watch::{Event, Happened, Watcher};
use crate::frame::{self, Frame, Refusal, What};
use crate::setup::{Mac, Rank};
use sidestep_switch::{Decider, Depth, DropReason, Verdict};
use sidestep_types::{Kind, Packet, PortId};

/// The decision, the queues, and what is counted.
pub(super) struct Core {
    pub outputs: Outputs,
    pub decider: Decider,
    pub counts: Vec<PortCounts>,
    /// Where ranks come from, when a policy asks for them.
    pub ranks: Option<Ranks>,
    pub watcher: Option<Watcher>,
    /// Frames that the decision at hand has evicted.
    pub evicted: Vec<u32>,
}

/// Where a packet's rank comes from.
pub(super) enum Ranks {
    Sent(Sent),
    Dscp,
}

impl Ranks {
    pub fn of(rank: Rank) -> Ranks {
        match rank {
            Rank::Sent => Ranks::Sent(Sent::new()),
            Rank::Dscp => Ranks::Dscp,
        }
    }

    fn rank(&mut self, now: sidestep_types::Time, packet: &Packet) -> u32 {
        match self {
            Ranks::Sent(sent) => sent.rank(now, packet.hash, packet.len),
            Ranks::Dscp => u32::from(packet.class),
        }
    }
}

/// How a frame is forwarded.
#[derive(Clone, Copy, Debug)]
pub(super) struct How {
    /// The port it came in by; `None` of the switch's own.
    pub from: Option<PortId>,
    /// Its TTL falls.
    pub ages: bool,
    /// It may leave by a port that it does not want.
    pub detours: bool,
    /// It goes back where it came from, if the route says so.
    pub returns: bool,
    /// It is routed: its MACs become these, destination and source.
    pub macs: Option<(Mac, Mac)>,
}

impl Core {
    /// Tells who watches.
    #[inline]
    pub fn tell(&mut self, from: Option<PortId>, bytes: &[u8], what: Happened) {
        if let Some(watcher) = &mut self.watcher {
            watcher(&Event {
                at: self.outputs.now,
                from,
                frame: bytes,
                what,
            });
        }
    }

    /// The same of a frame that is kept.
    #[inline]
    fn tell_kept(&mut self, from: Option<PortId>, handle: u32, what: Happened) {
        if let Some(watcher) = &mut self.watcher {
            watcher(&Event {
                at: self.outputs.now,
                from,
                frame: self.outputs.slab.bytes(handle),
                what,
            });
        }
    }

    /// Refuses a frame that came in by `port`.
    #[cold]
    pub fn refuse(&mut self, port: PortId, bytes: &[u8], why: Refusal) {
        self.counts[port.index()].refused[why as usize] += 1;
        self.tell(Some(port), bytes, Happened::Refused(why));
    }

    /// Decides about a frame that wants to leave by one of `hops`, and does it.
    #[inline]
    pub fn forward(&mut self, frame: &Frame, bytes: &[u8], hops: &[PortId], how: How) {
        let mut packet = packet_of(frame, bytes.len(), how.ages);
        if let Some(ranks) = &mut self.ranks
            && packet.kind() == Kind::Data
        {
            packet.set_rank(ranks.rank(self.outputs.now, &packet));
        }
        let mut view = View {
            outputs: &mut self.outputs,
            ingress: how.from,
        };
        // The route has no say about a host of this very switch; a draw would be one too many.
        let wanted = match hops {
            [only] if !view.outputs.to_switch.has(*only) => *only,
            _ => self.decider.pick(&packet, hops, &mut view),
        };
        if how.from == Some(wanted) && !how.returns {
            return self.refuse(wanted, bytes, Refusal::Hairpin);
        }
        let (want, verdict) = self.decider.decide(&packet, wanted, false, &mut view);
        let depths = &mut self.counts[wanted.index()].depths;
        depths.saturating_record(u64::from(want.depth.packets));
        match verdict {
            Verdict::Enqueue { mark } => {
                self.queue(frame, packet, bytes, wanted, wanted, want.depth, mark, how);
            }
            Verdict::Detour(port) if how.detours => {
                packet.detours += 1;
                let ahead = self.outputs.depth(port);
                self.queue(frame, packet, bytes, wanted, port, ahead, true, how);
            }
            Verdict::Detour(_) => self.discard(how.from, bytes, wanted, DropReason::Full),
            Verdict::Drop(reason) => self.discard(how.from, bytes, wanted, reason),
            Verdict::Evict { mark } => self.squeeze(frame, packet, bytes, wanted, mark, how),
            Verdict::Trim => self.trim(*frame, packet, bytes, wanted, how),
        }
    }

    fn discard(&mut self, from: Option<PortId>, bytes: &[u8], wanted: PortId, reason: DropReason) {
        self.counts[wanted.index()].drops[reason as usize] += 1;
        self.tell(from, bytes, Happened::Dropped { wanted, reason });
    }

    /// Keeps a frame as it will leave, and queues it on `port`.
    #[inline]
    #[allow(clippy::too_many_arguments)]
    fn queue(
        &mut self,
        frame: &Frame,
        mut packet: Packet,
        bytes: &[u8],
        wanted: PortId,
        port: PortId,
        ahead: Depth,
        mark: bool,
        how: How,
    ) {
        let marked = mark && packet.mark();
        let Some(handle) = self.keep(frame, packet, bytes, marked, how) else {
            return self.no_memory(wanted, bytes, how);
        };
        self.counts[port.index()].marks += u64::from(marked);
        self.outputs.enqueue(port.index(), handle);
        let ahead = ahead.packets;
        let what = if port == wanted {
            Happened::Queued {
                port,
                ahead,
                marked,
            }
        } else {
            self.counts[wanted.index()].detours_out += 1;
            self.counts[port.index()].detours_in += 1;
            Happened::Detoured {
                wanted,
                port,
                ahead,
                marked,
            }
        };
        self.tell_kept(how.from, handle, what);
    }

    /// Puts a frame into a slot, changed as it will leave.
    #[inline]
    fn keep(
        &mut self,
        frame: &Frame,
        packet: Packet,
        bytes: &[u8],
        marked: bool,
        how: How,
    ) -> Option<u32> {
        let handle = self.outputs.slab.put(bytes, packet)?;
        let kept = self.outputs.slab.bytes_mut(handle);
        if let Some((dst, src)) = how.macs {
            frame::set_macs(kept, dst, src);
        }
        if let What::Ip(mut ip) = frame.what {
            if how.ages {
                frame::lower_ttl(kept, &mut ip);
            }
            if marked {
                frame::mark_ce(kept, &mut ip);
            }
        }
        Some(handle)
    }

    /// There is no slot for a frame: it counts as refused where it came in, or dropped where the
    /// switch made it.
    #[cold]
    fn no_memory(&mut self, wanted: PortId, bytes: &[u8], how: How) {
        match how.from {
            Some(port) => self.refuse(port, bytes, Refusal::NoMemory),
            None => self.discard(None, bytes, wanted, DropReason::Full),
        }
    }

    /// Evicts until the frame fits, or drops it.
    #[cold]
    fn squeeze(
        &mut self,
        frame: &Frame,
        packet: Packet,
        bytes: &[u8],
        wanted: PortId,
        mark: bool,
        how: How,
    ) {
        let mut making = MakingRoom {
            outputs: &mut self.outputs,
            ingress: how.from,
            evicted: &mut self.evicted,
        };
        let room = self.decider.make_room(&mut making, &packet, wanted, mark);
        while let Some(gone) = self.evicted.pop() {
            self.counts[wanted.index()].drops[DropReason::Evicted as usize] += 1;
            self.tell_kept(None, gone, Happened::Evicted { port: wanted });
            self.outputs.slab.free(gone);
        }
        match room {
            Err(reason) => self.discard(how.from, bytes, wanted, reason),
            Ok(mark) => {
                let ahead = self.outputs.depth(wanted);
                self.queue(frame, packet, bytes, wanted, wanted, ahead, mark, how);
            }
        }
    }

    /// Cuts the payload off and queues what is left; what cannot be cut is dropped.
    #[cold]
    fn trim(
        &mut self,
        mut frame: Frame,
        mut packet: Packet,
        bytes: &[u8],
        wanted: PortId,
        how: How,
    ) {
        let cuts = matches!(&frame.what, What::Ip(ip) if ip.tcp_at.is_some());
        if !cuts {
            return self.discard(how.from, bytes, wanted, DropReason::Full);
        }
        let Some(handle) = self.keep(&frame, packet, bytes, false, how) else {
            return self.no_memory(wanted, bytes, how);
        };
        let kept = self.outputs.slab.bytes_mut(handle);
        let length = frame::trim(kept, &mut frame).expect("a segment that may be trimmed");
        self.outputs.slab.cut(handle, length);
        packet.trim(super::packet::wire(length));
        self.outputs.slab.parcel_mut(handle).packet = packet;
        self.counts[wanted.index()].trims += 1;
        let port = wanted;
        let ahead = self.outputs.depth(port).packets;
        self.outputs.enqueue(port.index(), handle);
        self.tell_kept(how.from, handle, Happened::Trimmed { port, ahead });
        debug_assert!(handle != NONE);
    }
}
