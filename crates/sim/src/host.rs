//! Hosts: the queue of a NIC where it decides, the ends of connections, and one alarm clock.
//!
//! A host's slot in the agenda holds the earliest of its timers and of the flows its
//! applications will start. Timers are lazy: an acknowledgement that moves a deadline later
//! touches nothing; the timer finds out when it goes off.

use crate::losses::Losses;
use crate::lost::{SYN, syn_of};
use crate::order::Orders;
use crate::outcome::FlowOutcome;
use crate::switching::Switch;
use sidestep_transport::mptcp::Head;
use sidestep_transport::shim::Stack;
use sidestep_transport::{AnyReceiver, AnySender, Endpoint, SenderCounters};
use sidestep_types::{FlowId, HostId, Packet, Time};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// One host.
#[derive(serde::Serialize, serde::Deserialize)]
pub(crate) struct Host {
    /// Packets it has put on its NIC.
    pub sent: u64,
    /// Flows that start at a known time, latest first.
    pub starts: Vec<(Time, FlowId)>,
    /// Everything else that is due: timers, and flows that waited for another.
    pub due: BinaryHeap<Reverse<(Time, FlowId, Alarm)>>,
    /// When its slot in the agenda goes off; [`Time::MAX`] when it is idle.
    pub wake_at: Time,
    /// How often the slot was set.
    pub wakes: u64,
    /// Packets do not go straight into a FIFO without a limit: shims change them, or the NIC decides.
    pub guarded: bool,
    /// What decides at its NIC; `None` is a FIFO without a limit.
    pub nic: Option<Box<Switch>>,
    /// What is between its transport and its NIC, where a world has shims.
    pub shims: Option<Box<Shims>>,
}

/// The shims of a host.
#[derive(serde::Serialize, serde::Deserialize)]
pub(crate) struct Shims {
    pub stack: Stack,
    /// The earliest alarm asked for; [`Time::MAX`] without one.
    pub armed: Time,
    /// They change what leaves.
    pub changes_down: bool,
    /// They let all pass that arrives, and as it came.
    pub lets_pass: bool,
    /// They do nothing but let them pass with packets that acknowledge.
    pub passes_acks: bool,
}

/// What an alarm is for.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize,
)]
pub(crate) enum Alarm {
    Start,
    Sender,
    Receiver,
    /// The host's, of no flow: it goes off last at its instant.
    Shim,
}

impl Host {
    pub fn new() -> Host {
        Host {
            sent: 0,
            starts: Vec::new(),
            due: BinaryHeap::new(),
            wake_at: Time::MAX,
            wakes: 0,
            guarded: false,
            nic: None,
            shims: None,
        }
    }

    /// Is one of its shims somebody's own?
    pub fn has_custom_shim(&self) -> bool {
        self.shims
            .as_ref()
            .is_some_and(|shims| shims.stack.has_custom())
    }

    /// Takes what does not change from `built`, the same host before the run.
    pub fn stand_as(&mut self, built: Host) -> Result<(), String> {
        match (&mut self.nic, built.nic) {
            (None, None) => {}
            (Some(kept), Some(built)) => kept.stand_as(*built)?,
            _ => return Err("saved policies of its NIC do not match the scenario".into()),
        }
        let shims = |host: &Option<Box<Shims>>| host.as_ref().map(|shims| shims.stack.names());
        let (expected, got) = (shims(&built.shims), shims(&self.shims));
        match expected == got {
            true => Ok(()),
            false => Err(format!("shims: expected {expected:?}, got {got:?}")),
        }
    }

    /// The earliest thing due.
    pub fn next_due(&self) -> Time {
        let start = self.starts.last().map_or(Time::MAX, |s| s.0);
        let alarm = self.due.peek().map_or(Time::MAX, |Reverse(a)| a.0);
        start.min(alarm)
    }
}

/// The sending end of a flow.
#[derive(serde::Serialize, serde::Deserialize)]
pub(crate) struct SendingEnd {
    pub endpoint: Endpoint<AnySender>,
    pub src: HostId,
    pub dst: HostId,
    pub class: u8,
}

/// The receiving end of a flow, until its last byte is delivered.
#[derive(serde::Serialize, serde::Deserialize)]
pub(crate) struct ReceivingEnd {
    pub endpoint: Endpoint<AnyReceiver>,
    pub src: HostId,
    pub dst: HostId,
    pub class: u8,
    /// Switches of a shortest path of its data; 0 until somebody asks.
    pub shortest: u8,
    pub order: Orders,
    /// The order in which its data reaches the transport, where shims between may change it.
    pub handed: Option<Box<Orders>>,
    pub seen: Seen,
}

/// What a receiving end saw of its flow's packets.
#[derive(Clone, Copy, Debug, Default, serde::Serialize, serde::Deserialize)]
pub(crate) struct Seen {
    pub marks: u32,
    pub detours: u32,
    pub max_detours: u8,
}

impl Seen {
    /// A packet arrived that carries data or opens the flow.
    #[inline]
    pub fn count(&mut self, packet: &Packet) {
        self.marks += u32::from(packet.ce());
        self.detours += u32::from(packet.detours);
        self.max_detours = self.max_detours.max(packet.detours);
    }
}

impl SendingEnd {
    /// The oldest byte waited for; the SYN before any data has left, and in its place the FIN when all
    /// data is acknowledged.
    pub fn head(&self) -> u64 {
        if let AnySender::Mptcp(all) = self.endpoint.machine() {
            return match all.head() {
                Head::Byte(seq) => seq,
                Head::Answer(subflow) => syn_of(subflow),
            };
        }
        let closes = matches!(self.endpoint.machine(), AnySender::Tcp(tcp) if tcp.closes());
        if closes || self.endpoint.counters().segments == 0 {
            SYN
        } else {
            self.endpoint.acknowledged()
        }
    }
}

impl ReceivingEnd {
    /// Takes note of data that arrived; the n of a reordered packet.
    #[inline]
    pub fn see(&mut self, packet: &Packet) -> Option<u32> {
        self.seen.count(packet);
        self.order
            .see(packet, |subflow| self.endpoint.expected(subflow))
    }

    /// Takes note of data that shims hand to the transport; is it reordered still, where they may change that?
    pub fn see_handed(&mut self, packet: &Packet) -> bool {
        let Some(order) = &mut self.handed else {
            return false;
        };
        let n = order.see(packet, |subflow| self.endpoint.expected(subflow));
        n.is_some()
    }

    /// Data packets that reached the transport after one sent later had.
    pub fn transport_reordered(&self) -> u32 {
        let order = self.handed.as_deref().unwrap_or(&self.order);
        order.all().reordered
    }
}

impl FlowOutcome {
    /// What its source writes, when the sender is done.
    pub(crate) fn sent(&mut self, counters: SenderCounters) {
        self.segments = counters.segments;
        self.retransmits = counters.retransmits;
        self.timeouts = counters.timeouts;
        self.fast_retransmits = counters.fast_retransmits;
        self.dsacks = counters.dsacks;
        self.undone = counters.undone;
    }

    /// What its destination writes, when the receiver is done.
    pub(crate) fn received(&mut self, end: &ReceivingEnd) {
        let order = end.order.all();
        self.delivered_bytes = end.endpoint.delivered();
        self.reordered = order.reordered;
        self.reordering_extent = order.extent;
        self.n_reordering = order.n;
        self.transport_reordered = end.transport_reordered();
        self.marks = end.seen.marks;
        self.detours = end.seen.detours;
        self.max_detours = end.seen.max_detours;
    }

    /// A packet arrived after that.
    pub(crate) fn late(&mut self, packet: &Packet) {
        let mut seen = Seen {
            marks: self.marks,
            detours: self.detours,
            max_detours: self.max_detours,
        };
        seen.count(packet);
        self.marks = seen.marks;
        self.detours = seen.detours;
        self.max_detours = seen.max_detours;
    }

    /// What the log of losses says in the end.
    pub(crate) fn lost(&mut self, losses: Losses) {
        self.drops += losses.drops;
        self.spurious_retransmits += losses.spurious_retransmits;
        self.spurious_timeouts += losses.spurious_timeouts;
    }
}
