//! Hosts: an unlimited FIFO at the NIC, the ends of connections, and one alarm clock.
//!
//! A host's slot in the agenda holds the earliest of its timers and of the flows its
//! applications will start. Timers are lazy: an acknowledgement that moves a deadline later
//! touches nothing; the timer finds out when it goes off.

use crate::lost::Lost;
use crate::order::Order;
use sidestep_transport::{AnyReceiver, AnySender};
use sidestep_types::{FlowId, HostId, Time};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// One host.
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
}

/// What an alarm is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Alarm {
    Start,
    Sender,
    Receiver,
}

impl Host {
    pub fn new() -> Host {
        Host {
            sent: 0,
            starts: Vec::new(),
            due: BinaryHeap::new(),
            wake_at: Time::MAX,
            wakes: 0,
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
pub(crate) struct SendingEnd {
    pub sender: AnySender,
    /// The earliest alarm set for it.
    pub armed: Time,
    pub src: HostId,
    pub dst: HostId,
    pub hash: u32,
    pub class: u8,
    /// What the network has lost of it.
    pub lost: Lost,
}

/// The receiving end of a flow, until its last byte is delivered.
pub(crate) struct ReceivingEnd {
    pub receiver: AnyReceiver,
    pub armed: Time,
    pub src: HostId,
    pub dst: HostId,
    pub hash: u32,
    pub class: u8,
    pub size: u64,
    /// Switches of a shortest path of its data; 0 until somebody asks.
    pub shortest: u8,
    pub order: Order,
    pub seen: Seen,
}

/// What a receiving end saw of its flow's packets.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Seen {
    pub marks: u32,
    pub detours: u32,
    pub max_detours: u8,
}
