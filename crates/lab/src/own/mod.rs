//! Schemes whose policies are the caller's: written in Python, loaded from a plug-in, or in a test.
//!
//! **Decision**  a scheme of a scenario, under a name of its own, with other policies in every switch. All else is what
//!               the scheme says that it extends. Each switch has policies of its own, made when a run begins.
//! **State**     none here; what a policy remembers is its switch's.
//! **Errors**    a policy that answers what cannot be, or that stops the run itself ([`Who::stop`]), ends the run with
//!               a [`Failure`]: which policy, where, about which packet, when and why.
//! **Cost**      none for schemes without policies of the caller's: they are asked once a run.

mod checked;
mod scheme;

use sidestep_sim::agenda::Agenda;
use sidestep_sim::{Network, World, policy_salt};
use sidestep_switch::{AnyBuffer, AnyRoute, AnySched, Buffer, Place, Route, Sched};
use sidestep_types::{Packet, PortId, Seed, SwitchId, Time};
use std::fmt;
use std::panic::resume_unwind;
use std::sync::Arc;

/// Makes the route of one switch. Errors say why it cannot be made.
pub type MakeRoute = dyn Fn(&Who) -> Result<Box<dyn Route + Send>, String> + Send + Sync;
/// The same of a buffer policy.
pub type MakeBuffer = dyn Fn(&Who) -> Result<Box<dyn Buffer + Send>, String> + Send + Sync;
/// The same of the scheduler of one port.
pub type MakeSched = dyn Fn(&Who, PortId) -> Result<Box<dyn Sched + Send>, String> + Send + Sync;

/// Hears why a run failed.
pub type Heard = dyn Fn(&Failure) + Send + Sync;

/// One policy of the caller's.
pub struct Part<M: ?Sized> {
    /// What it is called in results: `python:Mine`, `plugin:mine`.
    pub name: String,
    /// Makes it.
    pub make: Arc<M>,
}

/// The policies of the caller's that a scheme has; where there is none the scheme has its own.
#[derive(Clone, Default)]
pub struct Own {
    /// The route of every switch.
    pub route: Option<Part<MakeRoute>>,
    /// The buffer policy of every switch.
    pub buffer: Option<Part<MakeBuffer>>,
    /// The scheduler of every port of every switch.
    pub sched: Option<Part<MakeSched>>,
    /// What decides their answers, for the key under which runs are kept: a digest, a version. Without it no run is
    /// kept, and none is taken up.
    pub key: Option<String>,
    /// They cost so much more than the simulator that the numbers of packets, for a [`Failure`], are kept from the
    /// start. Otherwise a run that fails is made again to learn the number.
    pub slow: bool,
    /// Hears why a run failed, before the run ends with the same words.
    pub heard: Option<Arc<Heard>>,
}

/// Why a run ended that had policies of the caller's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// The policy: `python:Mine`.
    pub policy: String,
    /// The switch where it decided.
    pub place: Place,
    /// The packet, by the name that `sidestep why` takes: its host and how many that one had sent before, `100:3`.
    /// `None` where none was at hand: at the end of a transmission, or when the policy was made.
    pub packet: Option<String>,
    /// The flow of that packet.
    pub flow: Option<u32>,
    /// Simulated time.
    pub at: Time,
    /// Why: expected and got, or what the policy said.
    pub why: String,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "policy {} at {}", self.policy, self.place)?;
        match (&self.packet, self.flow) {
            (Some(packet), Some(flow)) => write!(f, ", packet {packet} of flow {flow}")?,
            (None, Some(flow)) => write!(f, ", a packet of flow {flow}")?,
            _ => {}
        }
        write!(f, ", at {}: {}", self.at, self.why)
    }
}

/// A policy at its switch.
#[derive(Clone, Debug)]
pub struct Who {
    /// What it is called.
    pub policy: String,
    /// Where it decides.
    pub place: Place,
}

/// What a policy unwinds with.
pub(crate) struct Stopped {
    who: Who,
    why: String,
}

impl Who {
    /// Ends the run, from inside an answer, with this reason. Nothing is printed.
    pub fn stop(&self, why: impl Into<String>) -> ! {
        resume_unwind(Box::new(Stopped {
            who: self.clone(),
            why: why.into(),
        }))
    }

    /// What a policy said that was asked outside a run, and unwound with `payload`: for vectors. Gives the payload
    /// back where it is somebody else's.
    pub fn said(
        payload: Box<dyn std::any::Any + Send>,
    ) -> Result<String, Box<dyn std::any::Any + Send>> {
        let stopped = payload.downcast::<Stopped>()?;
        Ok(format!("policy {}: {}", stopped.who.policy, stopped.why))
    }
}

impl Own {
    /// Is there any?
    pub fn is_none(&self) -> bool {
        self.names().next().is_none()
    }

    /// What tells them from others: the key or, without one, where in memory they are made.
    pub(crate) fn identity(&self) -> String {
        fn at<M: ?Sized>(part: &Option<Part<M>>) -> usize {
            part.as_ref()
                .map_or(0, |part| Arc::as_ptr(&part.make).cast::<()>() as usize)
        }
        match &self.key {
            Some(key) => format!("{key:?}"),
            None => format!(
                "{:x} {:x} {:x}",
                at(&self.route),
                at(&self.buffer),
                at(&self.sched)
            ),
        }
    }

    /// The seam and the name of each.
    pub fn names(&self) -> impl Iterator<Item = (&'static str, &str)> {
        let route = self.route.as_ref().map(|part| ("route", &*part.name));
        let buffer = self.buffer.as_ref().map(|part| ("buffer", &*part.name));
        let sched = self.sched.as_ref().map(|part| ("sched", &*part.name));
        [route, buffer, sched].into_iter().flatten()
    }

    /// Puts them into every switch of a world whose first event is still to come.
    pub(crate) fn put<A: Agenda>(
        &self,
        world: &mut World<A>,
        network: &Network,
        (scheme, seed): (&str, u64),
    ) -> Result<(), String> {
        let places = places(network, scheme, seed);
        let who = |policy: &str, place: &Place| Who {
            policy: policy.into(),
            place: place.clone(),
        };
        let at = |who: &Who, why: String| format!("policy {} at {}: {why}", who.policy, who.place);
        if let Some(Part { name, make }) = &self.route {
            let mut made = Vec::new();
            for place in &places {
                let who = who(name, place);
                let inner = make(&who).map_err(|why| at(&who, why))?;
                made.push(AnyRoute::Custom(Box::new(checked::Route { who, inner })));
            }
            let mut made = made.into_iter();
            world.set_routes(|_| made.next().expect("one for each switch"));
        }
        if let Some(Part { name, make }) = &self.buffer {
            let mut made = Vec::new();
            for place in &places {
                let who = who(name, place);
                let inner = make(&who).map_err(|why| at(&who, why))?;
                made.push(AnyBuffer::Custom(Box::new(checked::Buffer { who, inner })));
            }
            let mut made = made.into_iter();
            world.set_buffers(|_| made.next().expect("one for each switch"));
        }
        if let Some(Part { name, make }) = &self.sched {
            let mut made: Vec<Vec<Option<AnySched>>> = Vec::new();
            for place in &places {
                let mut ports = Vec::new();
                for port in (0..place.ports).map(PortId) {
                    let who = who(name, place);
                    let inner = make(&who, port).map_err(|why| at(&who, why))?;
                    let sched = checked::Sched::new(who, port, inner);
                    ports.push(Some(AnySched::Custom(Box::new(sched))));
                }
                made.push(ports);
            }
            world.set_scheds(|SwitchId(switch), port| {
                let sched = made[switch as usize][port.index()].take();
                sched.expect("one for each port")
            });
        }
        Ok(())
    }

    /// What a run of `scheme` ended with that unwound with `payload` at `at`, about this packet.
    pub(crate) fn failure(
        &self,
        payload: &(dyn std::any::Any + Send),
        (scheme, seed): (&str, u64),
        at: Time,
        deciding: Option<(Packet, Option<u64>)>,
    ) -> Failure {
        let (policy, place, why) = match payload.downcast_ref::<Stopped>() {
            Some(Stopped { who, why }) => (who.policy.clone(), who.place.clone(), why.clone()),
            // The simulator itself found what cannot be.
            None => {
                let names: Vec<&str> = self.names().map(|(_, name)| name).collect();
                let place = Place {
                    name: "unknown".into(),
                    scheme: scheme.into(),
                    seed,
                    ..Place::of_vectors(0, 0)
                };
                (names.join(" and "), place, panic_words(payload))
            }
        };
        let number = deciding.and_then(|(_, number)| number);
        Failure {
            policy,
            place,
            packet: number.map(|n| format!("{}:{}", n >> 32, n & u64::from(u32::MAX))),
            flow: deciding.map(|(packet, _)| packet.flow.0),
            at,
            why,
        }
    }
}

/// What a panic said.
fn panic_words(payload: &(dyn std::any::Any + Send)) -> String {
    let text = payload.downcast_ref::<&str>().map(|text| text.to_string());
    let text = text.or_else(|| payload.downcast_ref::<String>().cloned());
    text.unwrap_or_else(|| "it panicked without words".into())
}

/// The switches of a network, in their order.
fn places(network: &Network, scheme: &str, seed: u64) -> Vec<Place> {
    let mut ports = vec![0u16; network.switches.len()];
    for end in network.cables.iter().flat_map(|cable| [cable.a, cable.b]) {
        if let sidestep_sim::End::Switch(switch) = end {
            ports[switch.0 as usize] += 1;
        }
    }
    let place = |(number, (switch, ports)): (u32, (&sidestep_sim::SwitchInfo, u16))| Place {
        switch: number,
        name: switch.name.clone(),
        ports,
        salt: policy_salt(Seed(seed), number),
        seed,
        scheme: scheme.into(),
    };
    (0..)
        .zip(network.switches.iter().zip(ports))
        .map(place)
        .collect()
}

impl<M: ?Sized> Clone for Part<M> {
    fn clone(&self) -> Part<M> {
        Part {
            name: self.name.clone(),
            make: Arc::clone(&self.make),
        }
    }
}

impl fmt::Debug for Own {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut own = f.debug_struct("Own");
        self.names().for_each(|(seam, name)| {
            own.field(seam, &name);
        });
        own.field("key", &self.key).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
