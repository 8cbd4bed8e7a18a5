//! What one packet met, step by step, with the numbers that each decision was made of.
//!
//! **Decision**     none: everything happens as in a run in which nobody asks.
//! **State**        the account of one packet, the packet that a switch or NIC has at hand, and of each flow that sent
//!                  something again what its sender had counted by then.
//! **Units**        picoseconds, packets, bytes.
//! **Errors**       none.
//!
//! A world that explains takes the path of packets that switches with pauses take, so that the path of all
//! others knows nothing of it ([`crate::World::explain`]).

use crate::event::{PacketEvent, What};
use crate::network::End;
use sidestep_switch::{Depth, Event, Reasons, Sink};
use sidestep_transport::SenderCounters;
use sidestep_types::{FlowId, Kind, Packet, PortId, SwitchId, Time};
use std::collections::BTreeMap;

/// The account of one packet.
#[derive(Clone, Debug, Default)]
pub struct Explained {
    /// What it met, in order; nothing when it was never sent.
    pub steps: Vec<Told>,
    /// How many packets its host had put on its NIC by then.
    pub sent_by_host: u64,
}

/// One step.
#[derive(Clone, Debug)]
pub struct Told {
    /// Simulated time.
    pub at: Time,
    /// What happened.
    pub what: Met,
}

/// What happened to the packet.
#[derive(Clone, Debug)]
pub enum Met {
    /// Its host put it on the NIC.
    Sent(Box<Sent>),
    /// The NIC of its host, where NICs decide, did so about it.
    Nic(Box<Judged>),
    /// A switch decided about it.
    Decided(Box<Decided>),
    /// A switch, or a NIC, took it out of the queue where it waited, for another.
    Evicted(Box<Displaced>),
    /// It was lost on a link that was down, or waiting for it.
    Lost {
        /// Whose link it was.
        from: End,
        /// The port there; 0 of a host.
        port: PortId,
    },
    /// It reached its host.
    Arrived {
        /// What its flow's end knew before.
        known: Known,
        /// For how long the last link had been paused by then.
        paused: Time,
    },
    /// Its host's shims let it go on to the transport.
    Handed {
        /// What its flow's end knew before.
        known: Known,
        /// The names of those that drop such packets at other times, in its order, and why they did not, in a clause.
        passed: Vec<(&'static str, String)>,
    },
    /// A shim of its host dropped it.
    Withheld {
        /// The name of that shim.
        shim: &'static str,
        /// Why, in a clause.
        why: String,
    },
}

/// A packet as it was sent.
#[derive(Clone, Debug)]
pub struct Sent {
    /// It.
    pub packet: Packet,
    /// What was in the NIC's queue before it.
    pub ahead: Depth,
    /// For how long the NIC had been paused by then.
    pub paused: Time,
    /// Of a retransmission, why it is one.
    pub again: Option<Again>,
}

/// Why a sender sends again.
#[derive(Clone, Copy, Debug, Default)]
pub struct Again {
    /// What it is about.
    pub cause: Cause,
    /// When that began.
    pub since: Time,
    /// What the sender had counted by then.
    pub counters: SenderCounters,
}

/// What made a sender send again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Cause {
    /// Nothing that it counts.
    #[default]
    Unknown,
    /// Its timer ran out.
    Timeout,
    /// Duplicate acknowledgements began a fast retransmit.
    Fast,
    /// A switch had cut the payload off.
    Cut,
}

/// A decision of a switch.
#[derive(Clone, Debug)]
pub struct Decided {
    /// The switch.
    pub switch: SwitchId,
    /// Where the packet came from.
    pub from: End,
    /// The port by which it came in.
    pub ingress: PortId,
    /// Its time to live, after this switch has lowered it.
    pub ttl: u8,
    /// How often it had been detoured.
    pub detours: u8,
    /// The hash that routes may look at.
    pub hash: u32,
    /// What was done with it.
    pub judged: Judged,
    /// For how long the link that it came over had been paused by then.
    pub paused_before: Time,
    /// For how long the link of the port that it joined had been paused by then.
    pub paused: Time,
}

/// What a switch, or a NIC, did with a packet that wanted a port.
#[derive(Clone, Debug)]
pub struct Judged {
    /// Why.
    pub reasons: Reasons,
    /// Event of the packet here.
    pub event: Event,
    /// Packets that were taken out of queues for it.
    pub displaced: u32,
    /// Its bytes of link time from here on.
    pub wire: u16,
}

/// A packet that made room.
#[derive(Clone, Debug)]
pub struct Displaced {
    /// The switch, or the host of the NIC.
    pub here: End,
    /// The packet that it made room for.
    pub by: Option<Packet>,
    /// Event of the packet here.
    pub event: Event,
}

/// What the end of a flow knew when the packet reached it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Known {
    /// The receiver waited for this byte.
    Expected(u64),
    /// The receiver had every byte.
    Complete,
    /// The sender's oldest byte not acknowledged.
    Acknowledged(u64),
    /// The sender was done.
    Done,
}

/// The account of one packet, while it is written.
pub(crate) struct Account {
    pub number: u64,
    /// The slot of that packet, while it is under way.
    pub parcel: Option<u32>,
    /// Per switch and port, what the port is called: `port 2 to agg 0.1`.
    pub names: Vec<Vec<String>>,
    pub steps: Vec<Told>,
    /// The packet that a switch, or a NIC, has at hand.
    pub at_hand: Option<Packet>,
    /// While a switch decides: the packet that it decides about, with its host's number where that is known.
    pub deciding: Option<(Packet, Option<u64>)>,
    again: BTreeMap<FlowId, Again>,
}

impl Account {
    /// Of packet `number`, in a network whose ports are called so.
    pub fn new(number: u64, names: Vec<Vec<String>>) -> Account {
        Account {
            number,
            parcel: None,
            names,
            steps: Vec::new(),
            at_hand: None,
            deciding: None,
            again: BTreeMap::new(),
        }
    }

    /// Adds a step.
    pub fn tell(&mut self, at: Time, what: Met) {
        self.steps.push(Told { at, what });
    }

    /// The packet has been put on its NIC.
    pub fn sent(&mut self, at: Time, packet: &Packet, ahead: Depth, paused: Time) {
        let again = packet.sent_again().then(|| self.again.get(&packet.flow));
        let sent = Sent {
            packet: *packet,
            ahead,
            paused,
            again: again.flatten().copied(),
        };
        self.tell(at, Met::Sent(Box::new(sent)));
    }

    /// The sender of `flow`, which has counted so much, sends something again.
    pub fn sends_again(&mut self, now: Time, flow: FlowId, counters: SenderCounters) {
        let known = self.again.entry(flow).or_default();
        let before = known.counters;
        let cause = if counters.timeouts > before.timeouts {
            Cause::Timeout
        } else if counters.fast_retransmits > before.fast_retransmits {
            Cause::Fast
        } else if counters.cuts > before.cuts {
            Cause::Cut
        } else {
            known.counters = counters;
            return;
        };
        *known = Again {
            cause,
            since: now,
            counters,
        };
    }

    /// Is this the packet? It has no number of its own once it has arrived.
    pub fn is_about(&self, packet: &Packet) -> bool {
        let Some(Met::Sent(sent)) = self.steps.first().map(|step| &step.what) else {
            return false;
        };
        let key = |p: &Packet| (p.flow, p.seq(), p.kind() as u8, p.dst, p.retransmit());
        key(&sent.packet) == key(packet)
            && matches!(
                self.steps.last(),
                Some(Told {
                    what: Met::Arrived { .. },
                    ..
                })
            )
    }
}

impl Sink<PacketEvent<'_>> for Account {
    fn hear(&mut self, event: &PacketEvent<'_>) {
        if let What::Sent { number } = event.what
            && number == self.number
        {
            self.parcel = Some(event.parcel);
        }
        if self.parcel != Some(event.parcel) {
            return;
        }
        match event.what {
            What::At(here, what) if what.waited() => {
                let displaced = Displaced {
                    here,
                    by: self.at_hand,
                    event: what,
                };
                self.tell(event.at, Met::Evicted(Box::new(displaced)));
            }
            What::Lost { from, port, .. } => self.tell(event.at, Met::Lost { from, port }),
            // These are told with what the world knows of them (`world/why.rs`).
            What::Sent { .. } | What::At(..) | What::Delivered => {}
        }
        if event.what.ends() {
            self.parcel = None;
        }
    }
}

/// Is the packet one that a receiver takes?
pub(crate) fn for_receiver(packet: &Packet) -> bool {
    matches!(packet.kind(), Kind::Data | Kind::Syn)
}
