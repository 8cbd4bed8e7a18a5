//! What a run counts: written all the time, read when it ends.
//!
//! **Decision**     none. Nothing that happens in a run depends on a count: the fields are
//!                  private, and there is no way to read them before [`Tally::finish`].
//! **State**        sums, by class where it matters, and the log of losses.
//! **Units**        packets.
//! **Errors**       none.
//!
//! The counts add up, so a run that is cut may have a tally in each part; of the log of losses see
//! [`crate::losses`]. What a link, a switch, a host or an end of a flow counts of itself stands with
//! it; the outcome joins them.

use crate::losses::{LossLog, Losses};
use crate::outcome::ClassOutcome;
use sidestep_transport::Segment;
use sidestep_types::{FlowId, Packet, Time};

/// The counts of one run.
#[derive(serde::Serialize, serde::Deserialize)]
pub(crate) struct Tally {
    events: u64,
    delivered: u64,
    detoured: u64,
    classes: Vec<ClassOutcome>,
    losses: LossLog,
}

/// What a tally holds in the end.
pub(crate) struct Tallied {
    pub events: u64,
    pub delivered: u64,
    pub detoured: u64,
    pub classes: Vec<ClassOutcome>,
    /// Of each flow that lost something, or whose sender believed so: some have several, which add up.
    pub losses: Vec<(FlowId, Losses)>,
}

impl Tally {
    /// For so many classes.
    pub fn new(classes: usize) -> Tally {
        Tally {
            events: 0,
            delivered: 0,
            detoured: 0,
            classes: vec![ClassOutcome::default(); classes],
            losses: LossLog::default(),
        }
    }

    /// Has nothing happened yet?
    pub fn is_fresh(&self) -> bool {
        self.events == 0
    }

    /// An event was taken from the agenda.
    #[inline(always)]
    pub fn event(&mut self) {
        self.events += 1;
    }

    /// A sender handed a segment to its NIC.
    #[inline(always)]
    pub fn sent(&mut self, now: Time, flow: FlowId, class: u8, segment: &Segment) {
        self.classes[class as usize].sent += u64::from(segment.len > 0);
        if segment.retransmit {
            self.losses.sent_again(now, flow, segment);
        }
    }

    /// A sender waited too long for byte `head`.
    pub fn timed_out(&mut self, now: Time, flow: FlowId, head: u64) {
        self.losses.timed_out(now, flow, head);
    }

    /// A sender that has sent something again is done.
    pub fn closed(&mut self, now: Time, flow: FlowId) {
        self.losses.closed(now, flow);
    }

    /// A packet reached its host.
    #[inline(always)]
    pub fn delivered(&mut self, packet: &Packet) {
        self.delivered += 1;
        self.detoured += u64::from(packet.detours > 0);
    }

    /// It carries data, whole.
    #[inline(always)]
    pub fn data_delivered(&mut self, packet: &Packet) {
        let class = &mut self.classes[packet.class as usize];
        class.delivered += 1;
        class.marked += u64::from(packet.ce());
    }

    /// It carries data and was detoured: it crossed so many switches where the `shortest` path has
    /// fewer.
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

    /// It was to carry data, and came without.
    pub fn cut(&mut self, now: Time, packet: &Packet) {
        self.classes[packet.class as usize].trimmed += 1;
        self.losses.cut(now, packet);
    }

    /// It carries data and came after one that was sent later, as its n says (RFC 4737).
    pub fn reordered(&mut self, packet: &Packet, n: u32) {
        let class = &mut self.classes[packet.class as usize];
        class.reordered += 1;
        class.n_reordering.count(n);
    }

    /// It carries data, and reached the transport after one that was sent later.
    pub fn transport_reordered(&mut self, packet: &Packet) {
        self.classes[packet.class as usize].transport_reordered += 1;
    }

    /// A shim of its destination dropped it.
    pub fn dropped_by_shim(&mut self, now: Time, packet: &Packet) {
        self.losses.cut(now, packet);
    }

    /// No shims are between network and transport.
    pub fn nothing_between(&mut self) {
        for class in &mut self.classes {
            class.transport_reordered = class.reordered;
        }
    }

    /// A switch detoured a packet.
    pub fn detour(&mut self, packet: &Packet) {
        if packet.carries_data() {
            self.classes[packet.class as usize].detours += 1;
        }
    }

    /// A switch dropped a packet.
    pub fn dropped(&mut self, now: Time, packet: &Packet) {
        self.count_dropped(packet);
        self.losses.dropped(now, packet);
    }

    /// A host dropped a packet as it sent it or another.
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

    /// The log of losses, of a run that is cut.
    pub fn losses_mut(&mut self) -> &mut LossLog {
        &mut self.losses
    }

    /// The sums.
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
