//! Reasons of one decision, as sentences. The policies are queried while the switch is still in the state they
//! saw.

use crate::ports::{Live, Ports};
use crate::why::{self, SwitchSnapshot};
use crate::{
    AnyBuffer, AnyRoute, AnySched, Buffer, Class, Depth, Hops, Route, Sched, Verdict, Want,
};
use sidestep_types::{Packet, PortId};

/// Observer that may query the reasons of a decision. The unit type asks nothing and costs nothing.
pub trait Witness {
    /// Returns the queries about the decision at hand, if any.
    #[inline(always)]
    fn reason_collector(&mut self) -> Option<&mut ReasonCollector> {
        None
    }
}

impl Witness for () {}

impl Witness for Option<ReasonCollector> {
    fn reason_collector(&mut self) -> Option<&mut ReasonCollector> {
        self.as_mut()
    }
}

/// Queries about one decision, and the answers so far.
pub struct ReasonCollector {
    /// Name of each port of the switch.
    names: Vec<String>,
    /// Answers so far.
    pub reasons: Reasons,
}

/// Reasons of one decision.
#[derive(Clone, Debug, Default)]
pub struct Reasons {
    /// Next hops on shortest paths; empty if the destination host is attached to this switch.
    pub hops: Vec<PortId>,
    /// Name of the route, and the reason of its choice.
    pub route: Option<(&'static str, String)>,
    /// Wanted port and its queue.
    pub want: Want,
    /// State of the wanted queue, in words.
    pub room: String,
    /// Queue of the packet's class at the wanted port, before the packet; `None` if the scheduler has no class
    /// queues.
    pub class: Option<InClass>,
    /// Name of the buffer policy, and the reason of its verdict; `None` when it was not queried.
    pub buffer: Option<(&'static str, String)>,
    /// Verdict, as the beginning of a sentence.
    pub done: String,
    /// Verdict, as a word.
    pub verdict: &'static str,
    /// Name of the scheduler of the port that the packet joins, and the packet's place in its order.
    pub sched: Option<(&'static str, String)>,
}

/// Queue of a packet's class.
#[derive(Clone, Copy, Debug)]
pub struct InClass {
    /// Class of service of the packet.
    pub service: u8,
    /// Class queue in which this service waits.
    pub class: u8,
    /// Packets and bytes that wait in that queue.
    pub depth: Depth,
    /// Flows counted in that queue; `None` if the scheduler does not count flows.
    pub flows: Option<u32>,
}

impl ReasonCollector {
    /// Creates queries to a switch whose ports have these names.
    pub fn new(names: &[String]) -> ReasonCollector {
        ReasonCollector {
            names: names.to_vec(),
            reasons: Reasons::default(),
        }
    }

    /// Calls `tell` with the current state of the switch, for the explanation of a policy.
    fn snapshot<P: Ports, T>(
        &self,
        packet: &Packet,
        queues: &mut Live<P>,
        tell: impl FnOnce(&mut SwitchSnapshot<'_>) -> T,
    ) -> T {
        let (capacity, ports) = (queues.0.capacity(), queues.0.count());
        let name = |port: PortId| match self.names.get(port.index()) {
            Some(name) => name.clone(),
            None => format!("port {}", port.0),
        };
        tell(&mut SwitchSnapshot {
            packet,
            queues,
            capacity,
            ports,
            name: &name,
        })
    }

    /// Queries the route for the reason why it chose `wanted` among `hops`.
    #[cold]
    #[inline(never)]
    pub(super) fn routed<P: Ports>(
        &mut self,
        route: &AnyRoute,
        packet: &Packet,
        hops: Hops<'_>,
        queues: &mut Live<P>,
        wanted: PortId,
    ) {
        let why = match hops.ports.len() {
            1 => "the only next hop of a shortest path".into(),
            _ => self.snapshot(packet, queues, |snapshot| route.why(snapshot, hops, wanted)),
        };
        self.reasons.hops = hops.ports.to_vec();
        self.reasons.route = Some((route.name(), why));
    }

    /// Queries the buffer policy for the reason of this verdict, before it is carried out, and the scheduler
    /// for the packet's place in its order. Skips the buffer policy if the packet's input has no room
    /// (`crowded`).
    #[cold]
    #[inline(never)]
    pub(super) fn decided<P: Ports>(
        &mut self,
        policy: &AnyBuffer,
        packet: &Packet,
        (want, verdict): (Want, Verdict),
        crowded: bool,
        queues: &mut Live<P>,
    ) {
        let asked = packet.ttl > 0 && !crowded;
        let (mut room, done, buffer) = self.snapshot(packet, queues, |snapshot| {
            let buffer = asked.then(|| (policy.name(), policy.why(snapshot, want, verdict)));
            (snapshot.room(want), why::done(snapshot, verdict), buffer)
        });
        if crowded && packet.ttl > 0 {
            room.push_str("; its input port has no room");
        }
        let class = |sched: &AnySched| in_class(sched, packet.service());
        let class = queues.look(want.port, class).flatten();
        let sched = verdict.port(want.port).map(|port| {
            let told = queues.look(port, |sched| (sched.name(), sched.why(packet)));
            told.unwrap_or_else(|| ("fifo", "all waiting packets leave before it".to_string()))
        });
        self.reasons = Reasons {
            want,
            room,
            class,
            buffer,
            done,
            verdict: verdict.name(),
            sched,
            ..std::mem::take(&mut self.reasons)
        };
    }
}

/// Returns the queue in which a packet of the class `service` waits.
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
