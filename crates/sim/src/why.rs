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

use crate::network::End;
use crate::switching::{Done, Evicted, Fate};
use sidestep_switch::ports::{Live, Ports};
use sidestep_switch::why::{self, Scene};
use sidestep_switch::{
    Action, AnySched, Class, Decider, Depth, DropReason, Hops, Joined, Sched, Verdict, Want,
};
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
    /// Next hops on shortest paths; none where its host hangs off this switch.
    pub hops: Vec<PortId>,
    /// The hash that routes may look at.
    pub hash: u32,
    /// The route, and why it took the wanted port.
    pub route: Option<(&'static str, String)>,
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
    /// The wanted port and its queue.
    pub want: Want,
    /// That queue in words.
    pub room: String,
    /// The queue of its class there, before it, where the scheduler has such queues.
    pub class: Option<InClass>,
    /// The buffer policy, and why it said what it did; `None` when it was not asked.
    pub buffer: Option<(&'static str, String)>,
    /// What was done, in words.
    pub done: String,
    /// What was done, as a word.
    pub verdict: &'static str,
    /// The scheduler of the port that the packet joined, and when the packet leaves among others.
    pub sched: Option<(&'static str, String)>,
    /// How it joined a queue, if it did.
    pub joined: Option<Joined>,
    /// Why it was dropped, if it was.
    pub dropped: Option<DropReason>,
    /// Packets that were taken out of queues for it.
    pub displaced: u32,
    /// Its bytes of link time from here on.
    pub wire: u16,
}

/// The queue of a packet's class.
#[derive(Clone, Copy, Debug)]
pub struct InClass {
    /// The class of service that the packet says.
    pub service: u8,
    /// The class queue in which that one waits.
    pub class: u8,
    /// What waits there.
    pub depth: Depth,
    /// How many flows are in it; `None` where nobody counts.
    pub flows: Option<u32>,
}

/// A packet that made room.
#[derive(Clone, Debug)]
pub struct Displaced {
    /// The switch, or the host of the NIC.
    pub here: End,
    /// The port where it waited.
    pub from: PortId,
    /// The packet that it made room for.
    pub by: Option<Packet>,
    /// How it joined another queue, if it did.
    pub joined: Option<Joined>,
    /// Why it was dropped, if it was.
    pub dropped: Option<DropReason>,
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

    /// A switch or a NIC took the packet out of a queue.
    pub fn evicted(&mut self, at: Time, here: End, gone: &Evicted) {
        let (joined, dropped) = match gone.fate {
            Fate::Moved(joined, _) => (Some(joined), None),
            Fate::Lost(reason) => (None, Some(reason)),
        };
        let displaced = Displaced {
            here,
            from: gone.from,
            by: self.at_hand,
            joined,
            dropped,
        };
        self.tell(at, Met::Evicted(Box::new(displaced)));
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

/// Hears what a switch decides. The unit type hears nothing and costs nothing.
pub(crate) trait Witness {
    /// The route took `wanted` of `hops`.
    #[inline(always)]
    fn routed<P: Ports>(
        &mut self,
        _: &Decider,
        _: &Packet,
        _: Hops<'_>,
        _: &mut Live<P>,
        _: PortId,
    ) {
    }

    /// The verdict, before it is carried out; the packet may be `crowded` out where it came in.
    #[inline(always)]
    fn decided<P: Ports>(
        &mut self,
        _: &Decider,
        _: &Packet,
        _: (Want, Verdict),
        _: bool,
        _: &mut Live<P>,
    ) {
    }
}

impl Witness for () {}

/// One that may not listen.
impl<W: Witness> Witness for Option<W> {
    fn routed<P: Ports>(
        &mut self,
        decider: &Decider,
        packet: &Packet,
        hops: Hops<'_>,
        queues: &mut Live<P>,
        wanted: PortId,
    ) {
        if let Some(witness) = self {
            witness.routed(decider, packet, hops, queues, wanted);
        }
    }

    fn decided<P: Ports>(
        &mut self,
        decider: &Decider,
        packet: &Packet,
        said: (Want, Verdict),
        crowded: bool,
        queues: &mut Live<P>,
    ) {
        if let Some(witness) = self {
            witness.decided(decider, packet, said, crowded, queues);
        }
    }
}

/// What is heard of one decision.
pub(crate) struct Notes<'a> {
    /// What each port of the switch is called.
    pub names: &'a [String],
    pub hops: Vec<PortId>,
    pub route: Option<(&'static str, String)>,
    pub room: String,
    pub class: Option<InClass>,
    pub buffer: Option<(&'static str, String)>,
    pub done: String,
    pub verdict: &'static str,
    pub sched: Option<(&'static str, String)>,
}

impl<'a> Notes<'a> {
    /// Of a switch whose ports are called so.
    pub fn new(names: &'a [String]) -> Notes<'a> {
        Notes {
            names,
            hops: Vec::new(),
            route: None,
            room: String::new(),
            class: None,
            buffer: None,
            done: String::new(),
            verdict: "",
            sched: None,
        }
    }

    /// What was done with the packet at hand, for which so many were displaced, and its bytes of link time now.
    pub fn judged(&mut self, done: &Done, displaced: usize, wire: u16) -> Judged {
        let joined = done.action.joined(done.want.port);
        Judged {
            want: done.want,
            room: std::mem::take(&mut self.room),
            class: self.class.take(),
            buffer: self.buffer.take(),
            done: std::mem::take(&mut self.done),
            verdict: self.verdict,
            sched: joined.and(self.sched.take()),
            joined,
            dropped: match done.action {
                Action::Dropped(reason) => Some(reason),
                _ => None,
            },
            displaced: displaced as u32,
            wire,
        }
    }

    /// Shows the switch as it stands to whoever explains itself.
    fn scene<P: Ports, T>(
        &self,
        packet: &Packet,
        queues: &mut Live<P>,
        tell: impl FnOnce(&mut Scene<'_>) -> T,
    ) -> T {
        let (capacity, ports) = (queues.0.capacity(), queues.0.count());
        let name = |port: PortId| match self.names.get(port.index()) {
            Some(name) => name.clone(),
            None => format!("port {}", port.0),
        };
        tell(&mut Scene {
            packet,
            queues,
            capacity,
            ports,
            name: &name,
        })
    }
}

impl Witness for Notes<'_> {
    fn routed<P: Ports>(
        &mut self,
        decider: &Decider,
        packet: &Packet,
        hops: Hops<'_>,
        queues: &mut Live<P>,
        wanted: PortId,
    ) {
        self.hops = hops.ports.to_vec();
        let why = |scene: &mut Scene<'_>| decider.why_route(scene, hops, wanted);
        self.route = Some(self.scene(packet, queues, why));
    }

    fn decided<P: Ports>(
        &mut self,
        decider: &Decider,
        packet: &Packet,
        (want, verdict): (Want, Verdict),
        crowded: bool,
        queues: &mut Live<P>,
    ) {
        let asked = packet.ttl > 0 && !crowded;
        let told = self.scene(packet, queues, |scene| {
            let buffer = asked.then(|| decider.why_buffer(scene, want, verdict));
            (scene.room(want), why::done(scene, verdict), buffer)
        });
        (self.room, self.done, self.buffer) = told;
        self.verdict = verdict.name();
        if crowded && packet.ttl > 0 {
            self.room
                .push_str("; and there is no room where it came in");
        }
        let joins = verdict.port(want.port);
        let class = |sched: &AnySched| in_class(sched, packet.service());
        self.class = queues.look(want.port, class).flatten();
        self.sched = joins.map(|port| {
            let told = queues.look(port, |sched| (sched.name(), sched.why(packet)));
            told.unwrap_or_else(|| ("fifo", "all that is there leaves first".to_string()))
        });
    }
}

/// Where a packet of the class `service` waits.
fn in_class(sched: &impl Sched, service: u8) -> Option<InClass> {
    let class = sched.class_of(service)?;
    let Class { depth, flows } = sched.queue(service);
    Some(InClass {
        service,
        class,
        depth,
        flows: sched.counts().then_some(flows),
    })
}

/// Is the packet one that a receiver takes?
pub(crate) fn for_receiver(packet: &Packet) -> bool {
    matches!(packet.kind(), Kind::Data | Kind::Syn)
}
