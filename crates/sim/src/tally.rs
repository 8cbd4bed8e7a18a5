//! Counts of a run: written all the time, read when it ends.
//!
//! **Decision**     none. Nothing in a run depends on a count: the fields are
//!                  private, and cannot be read before [`Tally::finish`].
//! **State**        sums, by class where it matters, and the log of losses.
//! **Units**        packets.
//! **Errors**       none.
//!
//! The counts add up, so each part of a split run may have a tally; for the log of losses see
//! [`crate::losses`]. A link, a switch, a host and an end of a flow keep their own counts; the outcome joins
//! them.

use crate::losses::{LossLog, Losses};
use crate::outcome::ClassOutcome;
use sidestep_transport::Segment;
use sidestep_types::{FlowId, Packet, Time};

/// Counts of one run.
#[derive(serde::Serialize, serde::Deserialize)]
pub(crate) struct Tally {
    events: u64,
    delivered: u64,
    detoured: u64,
    classes: Vec<ClassOutcome>,
    losses: LossLog,
}

/// Final counts of a tally.
pub(crate) struct Tallied {
    pub events: u64,
    pub delivered: u64,
    pub detoured: u64,
    pub classes: Vec<ClassOutcome>,
    /// Losses of each flow that lost something, or whose sender believed so: a flow may have several entries,
    /// which add up.
    pub losses: Vec<(FlowId, Losses)>,
}

impl Tally {
    /// Returns an empty tally of this many classes.
    pub fn new(classes: usize) -> Tally {
        Tally {
            events: 0,
            delivered: 0,
            detoured: 0,
            classes: vec![ClassOutcome::default(); classes],
            losses: LossLog::default(),
        }
    }

    /// Returns true if nothing has happened yet.
    pub fn is_fresh(&self) -> bool {
        self.events == 0
    }

    /// Counts an event taken from the agenda.
    #[inline(always)]
    pub fn event(&mut self) {
        self.events += 1;
    }

    /// Counts a segment that a sender handed to its NIC.
    #[inline(always)]
    pub fn sent(&mut self, now: Time, flow: FlowId, class: u8, segment: &Segment) {
        self.classes[class as usize].sent += u64::from(segment.len > 0);
        if segment.retransmit {
            self.losses.sent_again(now, flow, segment);
        }
    }

    /// Logs a timeout of a sender that waited for byte `head`.
    pub fn timed_out(&mut self, now: Time, flow: FlowId, head: u64) {
        self.losses.timed_out(now, flow, head);
    }

    /// Logs that a sender, which has retransmitted, is done.
    pub fn closed(&mut self, now: Time, flow: FlowId) {
        self.losses.closed(now, flow);
    }

    /// Counts a packet that reached its host.
    #[inline(always)]
    pub fn delivered(&mut self, packet: &Packet) {
        self.delivered += 1;
        self.detoured += u64::from(packet.detours > 0);
    }

    /// Counts a delivered data packet with its payload.
    #[inline(always)]
    pub fn data_delivered(&mut self, packet: &Packet) {
        let class = &mut self.classes[packet.class as usize];
        class.delivered += 1;
        class.marked += u64::from(packet.ce());
    }

    /// Counts a delivered data packet that was detoured: it `crossed` this many switches; the `shortest` path
    /// has fewer.
    pub fn data_detoured(&mut self, packet: &Packet, shortest: u8, crossed: u8) {
        let class = &mut self.classes[packet.class as usize];
        class.detoured += 1;
        class.detours_each.add(usize::from(packet.detours), 1);
        let (shortest, crossed) = (usize::from(shortest), usize::from(crossed));
        if class.extra_hops.len() <= shortest {
            class.extra_hops.resize_with(shortest + 1, Default::default);
        }
        class.extra_hops[shortest].add(crossed - shortest, 1);
    }

    /// Counts a delivered data packet that lost its payload.
    pub fn cut(&mut self, now: Time, packet: &Packet) {
        self.classes[packet.class as usize].trimmed += 1;
        self.losses.cut(now, packet);
    }

    /// Counts a delivered data packet that came after one sent later, by its n (RFC 4737).
    pub fn reordered(&mut self, packet: &Packet, n: u32) {
        let class = &mut self.classes[packet.class as usize];
        class.reordered += 1;
        class.n_reordering.count(n);
    }

    /// Counts a data packet that reached the transport after one sent later.
    pub fn transport_reordered(&mut self, packet: &Packet) {
        self.classes[packet.class as usize].transport_reordered += 1;
    }

    /// Logs a packet that a shim of its destination dropped.
    pub fn dropped_by_shim(&mut self, now: Time, packet: &Packet) {
        self.losses.cut(now, packet);
    }

    /// Copies the reordering counts to those of the transport: there are no shims between network and
    /// transport.
    pub fn nothing_between(&mut self) {
        for class in &mut self.classes {
            class.transport_reordered = class.reordered;
        }
    }

    /// Counts a detour by a switch.
    pub fn detour(&mut self, packet: &Packet) {
        if packet.carries_data() {
            self.classes[packet.class as usize].detours += 1;
        }
    }

    /// Counts a drop by a switch.
    pub fn dropped(&mut self, now: Time, packet: &Packet) {
        self.count_dropped(packet);
        self.losses.dropped(now, packet);
    }

    /// Counts a drop by the host that sent the packet, at the instant of sending it or another.
    #[cold]
    pub fn dropped_at_once(&mut self, now: Time, packet: &Packet) {
        self.count_dropped(packet);
        self.losses.dropped_at_once(now, packet);
    }

    fn count_dropped(&mut self, packet: &Packet) {
        if packet.carries_data() || packet.is_trimmed_data() {
            self.classes[packet.class as usize].dropped += 1;
        }
    }

    /// Returns the log of losses, for a split run.
    pub fn losses_mut(&mut self) -> &mut LossLog {
        &mut self.losses
    }

    /// Returns the final counts.
    pub fn finish(mut self) -> Tallied {
        for class in &mut self.classes {
            class.detours_each.add(0, class.delivered - class.detoured);
        }
        Tallied {
            events: self.events,
            delivered: self.delivered,
            detoured: self.detoured,
            classes: self.classes,
            losses: self.losses.finish(),
        }
    }
}
