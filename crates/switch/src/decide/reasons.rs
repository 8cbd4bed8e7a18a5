//! Reasons of one decision, as sentences: asked of the policies while the switch stands as they saw it.

use crate::ports::{Live, Ports};
use crate::why::{self, Scene};
use crate::{
    AnyBuffer, AnyRoute, AnySched, Buffer, Class, Depth, Hops, Route, Sched, Verdict, Want,
};
use sidestep_types::{Packet, PortId};

/// Observer that may ask a switch why it decides as it does. The unit type asks nothing and costs nothing.
pub trait Witness {
    /// The questions about the decision at hand, if there are any.
    #[inline(always)]
    fn asked(&mut self) -> Option<&mut Asked> {
        None
    }
}

impl Witness for () {}

impl Witness for Option<Asked> {
    fn asked(&mut self) -> Option<&mut Asked> {
        self.as_mut()
    }
}

/// Questions about one decision, and the answers so far.
pub struct Asked {
    /// Name of each port of the switch.
    names: Vec<String>,
    /// The answers.
    pub reasons: Reasons,
}

/// Reasons of one decision.
#[derive(Clone, Debug, Default)]
pub struct Reasons {
    /// Next hops on shortest paths; none where the packet's host hangs off this switch.
    pub hops: Vec<PortId>,
    /// The route, and why it took the wanted port.
    pub route: Option<(&'static str, String)>,
    /// The wanted port and its queue.
    pub want: Want,
    /// The queue in words.
    pub room: String,
    /// The queue of the packet's class there, before it, where the scheduler has such queues.
    pub class: Option<InClass>,
    /// The buffer policy, and why it said what it did; `None` when it was not asked.
    pub buffer: Option<(&'static str, String)>,
    /// The verdict as a sentence begins.
    pub done: String,
    /// The verdict as a word.
    pub verdict: &'static str,
    /// The scheduler of the port that the packet joins, and when the packet leaves among others.
    pub sched: Option<(&'static str, String)>,
}

/// Queue of a packet's class.
#[derive(Clone, Copy, Debug)]
pub struct InClass {
    /// The class of service that the packet says.
    pub service: u8,
    /// The class queue in which that one waits.
    pub class: u8,
    /// Packets and bytes that wait there.
    pub depth: Depth,
    /// Flows that are counted in it; `None` where nobody counts.
    pub flows: Option<u32>,
}

impl Asked {
    /// Questions to a switch whose ports have these names.
    pub fn new(names: &[String]) -> Asked {
        Asked {
            names: names.to_vec(),
            reasons: Reasons::default(),
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

    /// Asks the route why it took `wanted` of `hops`.
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
            _ => self.scene(packet, queues, |scene| route.why(scene, hops, wanted)),
        };
        self.reasons.hops = hops.ports.to_vec();
        self.reasons.route = Some((route.name(), why));
    }

    /// Asks the buffer policy why it said this verdict, before it is carried out, and the scheduler when the packet
    /// leaves; the packet may be `crowded` out where it came in.
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
        let (mut room, done, buffer) = self.scene(packet, queues, |scene| {
            let buffer = asked.then(|| (policy.name(), policy.why(scene, want, verdict)));
            (scene.room(want), why::done(scene, verdict), buffer)
        });
        if crowded && packet.ttl > 0 {
            room.push_str("; and there is no room where it came in");
        }
        let class = |sched: &AnySched| in_class(sched, packet.service());
        let class = queues.look(want.port, class).flatten();
        let sched = verdict.port(want.port).map(|port| {
            let told = queues.look(port, |sched| (sched.name(), sched.why(packet)));
            told.unwrap_or_else(|| ("fifo", "all that is there leaves first".to_string()))
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
