//! Account of one packet, step by step, with the numbers behind each decision.
//!
//! **Decision**     none: everything happens as in a run without an account.
//! **State**        the account of one packet, the packet that a switch or NIC is deciding about, and for each
//!                  flow that has
//!                  retransmitted the counters of its sender at that time.
//! **Units**        picoseconds, packets, bytes.
//! **Errors**       none.
//!
//! A world that explains a packet uses the code path of switches with pauses, so that the path of all other
//! runs needs no code for it ([`crate::World::explain`]).

use crate::event::{PacketAction, PacketEvent};
use crate::network::End;
use sidestep_switch::{Depth, Event, Reasons, Sink};
use sidestep_transport::SenderCounters;
use sidestep_types::{FlowId, Kind, Packet, PortId, SwitchId, Time};
use std::collections::BTreeMap;

/// Account of one packet.
#[derive(Clone, Debug, Default)]
pub struct Explained {
    /// Steps in order; empty if it was never sent.
    pub steps: Vec<AccountStep>,
    /// Packets that its host had put on its NIC by then.
    pub sent_by_host: u64,
}

/// Step of the account.
#[derive(Clone, Debug)]
pub struct AccountStep {
    /// Simulated time.
    pub at: Time,
    /// Event of the step.
    pub what: AccountEvent,
}

/// Event of the packet.
#[derive(Clone, Debug)]
pub enum AccountEvent {
    /// The packet's host put it on the NIC.
    Sent(Box<SentPacket>),
    /// The NIC of its host, if it has a buffer policy, decided about it.
    Nic(Box<DecisionResult>),
    /// A switch decided about it.
    Decided(Box<Decided>),
    /// A switch, or a NIC, evicted it for another packet.
    Evicted(Box<Displaced>),
    /// The packet was lost on a link that was down, or queued before it.
    Lost {
        /// Switch or host that owns the link.
        from: End,
        /// Port there; 0 at a host.
        port: PortId,
    },
    /// The packet reached its host.
    Arrived {
        /// State of its flow's end before.
        known: EndState,
        /// Time for which the last link had been paused by then.
        paused: Time,
    },
    /// The shims of its host let it go on to the transport.
    Handed {
        /// State of its flow's end before.
        known: EndState,
        /// Shims that drop such packets at other times, in order: the name, and a clause with the reason why it
        /// did not.
        passed: Vec<(&'static str, String)>,
    },
    /// A shim of its host dropped it.
    Withheld {
        /// Name of that shim.
        shim: &'static str,
        /// Reason, in a clause.
        why: String,
    },
}

/// Packet as it was sent.
#[derive(Clone, Debug)]
pub struct SentPacket {
    /// The packet.
    pub packet: Packet,
    /// Depth of the NIC's queue before it.
    pub ahead: Depth,
    /// Time for which the NIC had been paused by then.
    pub paused: Time,
    /// Reason for a retransmission; `None` for a first transmission.
    pub again: Option<Again>,
}

/// Reason why a sender retransmits.
#[derive(Clone, Copy, Debug, Default)]
pub struct Again {
    /// Cause of the retransmission.
    pub cause: Cause,
    /// Begin of that cause.
    pub since: Time,
    /// Counters of the sender by then.
    pub counters: SenderCounters,
}

/// Cause of a retransmission.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Cause {
    /// No cause that the sender counts.
    #[default]
    Unknown,
    /// The sender's timer ran out.
    Timeout,
    /// Duplicate acknowledgements began a fast retransmit.
    Fast,
    /// A switch had trimmed the packet.
    Cut,
}

/// Decision of a switch.
#[derive(Clone, Debug)]
pub struct Decided {
    /// Switch that decided.
    pub switch: SwitchId,
    /// Switch or host that the packet came from.
    pub from: End,
    /// Port by which it came in.
    pub ingress: PortId,
    /// Time to live, after this switch has decremented it.
    pub ttl: u8,
    /// Detours before this switch.
    pub detours: u8,
    /// Hash that routes may read.
    pub hash: u32,
    /// Result of the decision.
    pub judged: DecisionResult,
    /// Time for which the link that it came over had been paused by then.
    pub paused_before: Time,
    /// Time for which the link of the port that it joined had been paused by then.
    pub paused: Time,
}

/// Result of a decision of a switch, or a NIC, about a packet that wanted a port.
#[derive(Clone, Debug)]
pub struct DecisionResult {
    /// Reasons of the policies.
    pub reasons: Reasons,
    /// Event of the packet here.
    pub event: Event,
    /// Packets evicted for it.
    pub displaced: u32,
    /// Bytes of link time from here on.
    pub wire: u16,
}

/// Packet that was evicted.
#[derive(Clone, Debug)]
pub struct Displaced {
    /// Switch, or host of the NIC.
    pub here: End,
    /// Packet for which it was evicted.
    pub by: Option<Packet>,
    /// Event of the packet here.
    pub event: Event,
}

/// State of the end of a flow when the packet reached it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EndState {
    /// The receiver waited for this byte.
    Expected(u64),
    /// The receiver had every byte.
    Complete,
    /// The oldest byte of the sender that was not acknowledged.
    Acknowledged(u64),
    /// The sender was done.
    Done,
}

/// Account of one packet, while it is written.
pub(crate) struct Account {
    pub number: u64,
    /// Slot of that packet, while it is in flight.
    pub parcel: Option<u32>,
    /// Per switch and port, the name of the port: `port 2 to agg 0.1`.
    pub names: Vec<Vec<String>>,
    pub steps: Vec<AccountStep>,
    /// Packet that a switch, or a NIC, is deciding about.
    pub at_hand: Option<Packet>,
    /// Set while a switch decides: the packet that it decides about, with its host's number if that is known.
    pub deciding: Option<(Packet, Option<u64>)>,
    again: BTreeMap<FlowId, Again>,
}

impl Account {
    /// Returns an empty account of packet `number`; `names` are the names of the ports.
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
    pub fn tell(&mut self, at: Time, what: AccountEvent) {
        self.steps.push(AccountStep { at, what });
    }

    /// Adds the sending of the packet.
    pub fn sent(&mut self, at: Time, packet: &Packet, ahead: Depth, paused: Time) {
        let again = packet.sent_again().then(|| self.again.get(&packet.flow));
        let sent = SentPacket {
            packet: *packet,
            ahead,
            paused,
            again: again.flatten().copied(),
        };
        self.tell(at, AccountEvent::Sent(Box::new(sent)));
    }

    /// Notes that the sender of `flow` retransmits, with its counters.
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

    /// Returns true if this is the packet, once it has arrived: it has no number then.
    pub fn is_about(&self, packet: &Packet) -> bool {
        let Some(AccountEvent::Sent(sent)) = self.steps.first().map(|step| &step.what) else {
            return false;
        };
        let key = |p: &Packet| (p.flow, p.seq(), p.kind() as u8, p.dst, p.retransmit());
        key(&sent.packet) == key(packet)
            && matches!(
                self.steps.last(),
                Some(AccountStep {
                    what: AccountEvent::Arrived { .. },
                    ..
                })
            )
    }
}

impl Sink<PacketEvent<'_>> for Account {
    fn observe(&mut self, event: &PacketEvent<'_>) {
        if let PacketAction::Sent { number } = event.what
            && number == self.number
        {
            self.parcel = Some(event.parcel);
        }
        if self.parcel != Some(event.parcel) {
            return;
        }
        match event.what {
            PacketAction::At(here, what) if what.waited() => {
                let displaced = Displaced {
                    here,
                    by: self.at_hand,
                    event: what,
                };
                self.tell(event.at, AccountEvent::Evicted(Box::new(displaced)));
            }
            PacketAction::Lost { from, port, .. } => {
                self.tell(event.at, AccountEvent::Lost { from, port })
            }
            // These are added by the world, with what it can tell of them (`world/why.rs`).
            PacketAction::Sent { .. } | PacketAction::At(..) | PacketAction::Delivered => {}
        }
        if event.what.ends() {
            self.parcel = None;
        }
    }
}

/// Returns true if the packet is one for a receiver.
pub(crate) fn for_receiver(packet: &Packet) -> bool {
    matches!(packet.kind(), Kind::Data | Kind::Syn)
}
