//! Hosts: the queue of the NIC if it has a buffer policy, the ends of connections, and one alarm clock.
//!
//! A host's slot in the agenda holds the earliest of its timers and of the flows its applications will start.
//! Timers are lazy: an acknowledgement that postpones a deadline changes nothing here; the timer checks the
//! deadline when it goes off.

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

/// State of one host.
#[derive(serde::Serialize, serde::Deserialize)]
pub(crate) struct Host {
    /// Packets it has put on its NIC.
    pub sent: u64,
    /// Flows that start at a known time, latest first.
    pub starts: Vec<(Time, FlowId)>,
    /// All other alarms: timers, and starts of flows that waited for another.
    pub due: BinaryHeap<Reverse<(Time, FlowId, Alarm)>>,
    /// Time of its event in the agenda; [`Time::MAX`] if it is idle.
    pub wake_at: Time,
    /// Number of times the event was scheduled.
    pub wakes: u64,
    /// True if packets do not go straight into an unlimited FIFO: shims change them, or the NIC has a buffer
    /// policy.
    pub guarded: bool,
    /// Buffer policy of its NIC; `None` for an unlimited FIFO.
    pub nic: Option<Box<Switch>>,
    /// Shims between its transport and its NIC, if the world has any.
    pub shims: Option<Box<Shims>>,
}

/// Shims of a host.
#[derive(serde::Serialize, serde::Deserialize)]
pub(crate) struct Shims {
    pub stack: Stack,
    /// Earliest alarm set; [`Time::MAX`] without one.
    pub armed: Time,
    /// True if they change outgoing packets.
    pub changes_down: bool,
    /// True if they let all arriving packets pass unchanged.
    pub lets_pass: bool,
    /// True if they do nothing with acknowledgements but let them pass.
    pub passes_acks: bool,
}

/// Kind of an alarm.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize,
)]
pub(crate) enum Alarm {
    Start,
    Sender,
    Receiver,
    /// Alarm of the host's shims, of no flow: last at its instant.
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

    /// Returns true if one of its shims is custom.
    pub fn has_custom_shim(&self) -> bool {
        self.shims
            .as_ref()
            .is_some_and(|shims| shims.stack.has_custom())
    }

    /// Copies what does not change from `built`, the same host before the run.
    pub fn restore_constants(&mut self, built: Host) -> Result<(), String> {
        match (&mut self.nic, built.nic) {
            (None, None) => {}
            (Some(kept), Some(built)) => kept.restore_constants(*built)?,
            _ => return Err("saved policies of its NIC do not match the scenario".into()),
        }
        let shims = |host: &Option<Box<Shims>>| host.as_ref().map(|shims| shims.stack.names());
        let (expected, got) = (shims(&built.shims), shims(&self.shims));
        match expected == got {
            true => Ok(()),
            false => Err(format!("shims: expected {expected:?}, got {got:?}")),
        }
    }

    /// Returns the earliest time at which something is due.
    pub fn next_due(&self) -> Time {
        let start = self.starts.last().map_or(Time::MAX, |s| s.0);
        let alarm = self.due.peek().map_or(Time::MAX, |Reverse(a)| a.0);
        start.min(alarm)
    }
}

/// Sending end of a flow.
#[derive(serde::Serialize, serde::Deserialize)]
pub(crate) struct SendingEnd {
    pub endpoint: Endpoint<AnySender>,
    pub src: HostId,
    pub dst: HostId,
    pub class: u8,
}

/// Receiving end of a flow, until its last byte is delivered.
#[derive(serde::Serialize, serde::Deserialize)]
pub(crate) struct ReceivingEnd {
    pub endpoint: Endpoint<AnyReceiver>,
    pub src: HostId,
    pub dst: HostId,
    pub class: u8,
    /// Switches on a shortest path of its data; 0 until first computed.
    pub shortest: u8,
    pub order: Orders,
    /// Order in which its data reaches the transport, if shims may change the order.
    pub handed: Option<Box<Orders>>,
    pub seen: ReceivedCounts,
}

/// Counts of a flow's packets at its receiving end.
#[derive(Clone, Copy, Debug, Default, serde::Serialize, serde::Deserialize)]
pub(crate) struct ReceivedCounts {
    pub marks: u32,
    pub detours: u32,
    pub max_detours: u8,
}

impl ReceivedCounts {
    /// Counts an arrived packet that carries data or opens the flow.
    #[inline]
    pub fn count(&mut self, packet: &Packet) {
        self.marks += u32::from(packet.ce());
        self.detours += u32::from(packet.detours);
        self.max_detours = self.max_detours.max(packet.detours);
    }
}

impl SendingEnd {
    /// Returns the oldest byte waited for. Before any data has left that is the place of the SYN; once all data
    /// is acknowledged it is that of the FIN, which is the same place.
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
    /// Counts data that arrived; returns the n of a reordered packet.
    #[inline]
    pub fn see(&mut self, packet: &Packet) -> Option<u32> {
        self.seen.count(packet);
        self.order
            .see(packet, |subflow| self.endpoint.expected(subflow))
    }

    /// Counts data that shims hand to the transport; returns true if it is still reordered, where shims may
    /// change the order.
    pub fn see_handed(&mut self, packet: &Packet) -> bool {
        let Some(order) = &mut self.handed else {
            return false;
        };
        let n = order.see(packet, |subflow| self.endpoint.expected(subflow));
        n.is_some()
    }

    /// Returns the number of data packets that reached the transport after one sent later.
    pub fn transport_reordered(&self) -> u32 {
        let order = self.handed.as_deref().unwrap_or(&self.order);
        order.all().reordered
    }
}

impl FlowOutcome {
    /// Writes the columns of the source, when the sender is done.
    pub(crate) fn sent(&mut self, counters: SenderCounters) {
        self.segments = counters.segments;
        self.retransmits = counters.retransmits;
        self.timeouts = counters.timeouts;
        self.fast_retransmits = counters.fast_retransmits;
        self.dsacks = counters.dsacks;
        self.undone = counters.undone;
    }

    /// Writes the columns of the destination, when the receiver is done.
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

    /// Counts a packet that arrived after the receiver was done.
    pub(crate) fn late(&mut self, packet: &Packet) {
        let mut seen = ReceivedCounts {
            marks: self.marks,
            detours: self.detours,
            max_detours: self.max_detours,
        };
        seen.count(packet);
        self.marks = seen.marks;
        self.detours = seen.detours;
        self.max_detours = seen.max_detours;
    }

    /// Adds the results of the log of losses.
    pub(crate) fn lost(&mut self, losses: Losses) {
        self.drops += losses.drops;
        self.spurious_retransmits += losses.spurious_retransmits;
        self.spurious_timeouts += losses.spurious_timeouts;
    }
}
