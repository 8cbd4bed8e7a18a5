//! Schemes with policies of the caller: written in Python, loaded from a plug-in, or in a test.
//!
//! **Decision**  such a scheme extends a scheme of the scenario under a new name, with other policies in every
//!               switch. All other settings are those of the extended scheme. Each switch has its own
//!               instances, made when a run begins.
//! **State**     none here; the state of a policy is part of its switch.
//! **Errors**    a policy that gives an impossible answer, or that stops the run itself ([`PolicySite::stop`]), ends
//!               the run with a [`Failure`]: which policy, where, about which packet, when and why.
//! **Cost**      none for schemes without policies of the caller: one check a run.

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
pub type MakeRoute = dyn Fn(&PolicySite) -> Result<Box<dyn Route + Send>, String> + Send + Sync;
/// Makes the buffer policy of one switch. Errors say why it cannot be made.
pub type MakeBuffer = dyn Fn(&PolicySite) -> Result<Box<dyn Buffer + Send>, String> + Send + Sync;
/// Makes the scheduler of one port. Errors say why it cannot be made.
pub type MakeSched =
    dyn Fn(&PolicySite, PortId) -> Result<Box<dyn Sched + Send>, String> + Send + Sync;

/// Receives the failure of a run.
pub type FailureListener = dyn Fn(&Failure) + Send + Sync;

/// Policy of the caller.
pub struct Part<M: ?Sized> {
    /// Name in results: `python:Mine`, `plugin:mine`.
    pub name: String,
    /// Constructor of the policy.
    pub make: Arc<M>,
}

/// Policies of the caller in a scheme; for a policy that is `None` the scheme keeps the one it extends.
#[derive(Clone, Default)]
pub struct CallerPolicies {
    /// Route of every switch.
    pub route: Option<Part<MakeRoute>>,
    /// Buffer policy of every switch.
    pub buffer: Option<Part<MakeBuffer>>,
    /// Scheduler of every port of every switch.
    pub sched: Option<Part<MakeSched>>,
    /// Identity of their behaviour, for the key under which runs are cached: a digest, a version. Without it no
    /// run is stored, and no stored run is used.
    pub key: Option<String>,
    /// True if the policies are so slow that the numbers of packets, for a [`Failure`], are tracked from the
    /// start. Otherwise a run that fails is repeated to learn the number.
    pub slow: bool,
    /// Receives the failure of a run, before the run ends with the same words.
    pub heard: Option<Arc<FailureListener>>,
}

/// Failure that ended a run with policies of the caller.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// Name of the policy: `python:Mine`.
    pub policy: String,
    /// Switch where it decided.
    pub place: Place,
    /// Packet, as `sidestep why` names it: its host and the number of packets that host had sent before,
    /// `100:3`. `None` without a packet: at the end of a transmission, or when the policy was made.
    pub packet: Option<String>,
    /// Flow of that packet.
    pub flow: Option<u32>,
    /// Simulated time.
    pub at: Time,
    /// Reason: the expected and the given answer, or the message of the policy.
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

/// Policy at its switch.
#[derive(Clone, Debug)]
pub struct PolicySite {
    /// Name of the policy.
    pub policy: String,
    /// Switch where it decides.
    pub place: Place,
}

/// Payload with which a policy unwinds.
pub(crate) struct Stopped {
    who: PolicySite,
    why: String,
}

impl PolicySite {
    /// Ends the run from inside an answer, with this reason. Nothing is printed.
    pub fn stop(&self, why: impl Into<String>) -> ! {
        resume_unwind(Box::new(Stopped {
            who: self.clone(),
            why: why.into(),
        }))
    }

    /// Returns the message of a policy that was called outside a run, for test vectors, and unwound with
    /// `payload`. Gives the payload back if it is not from a policy.
    pub fn said(
        payload: Box<dyn std::any::Any + Send>,
    ) -> Result<String, Box<dyn std::any::Any + Send>> {
        let stopped = payload.downcast::<Stopped>()?;
        Ok(format!("policy {}: {}", stopped.who.policy, stopped.why))
    }
}

impl CallerPolicies {
    /// True if there are none.
    pub fn is_none(&self) -> bool {
        self.names().next().is_none()
    }

    /// Returns the identity of the policies: the key or, without one, the addresses of their constructors.
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

    /// Iterates over the policies: kind and name.
    pub fn names(&self) -> impl Iterator<Item = (&'static str, &str)> {
        let route = self.route.as_ref().map(|part| ("route", &*part.name));
        let buffer = self.buffer.as_ref().map(|part| ("buffer", &*part.name));
        let sched = self.sched.as_ref().map(|part| ("sched", &*part.name));
        [route, buffer, sched].into_iter().flatten()
    }

    /// Puts the policies into every switch of a world that has not begun.
    pub(crate) fn put<A: Agenda>(
        &self,
        world: &mut World<A>,
        network: &Network,
        (scheme, seed): (&str, u64),
    ) -> Result<(), String> {
        let places = places(network, scheme, seed);
        let who = |policy: &str, place: &Place| PolicySite {
            policy: policy.into(),
            place: place.clone(),
        };
        let at = |who: &PolicySite, why: String| {
            format!("policy {} at {}: {why}", who.policy, who.place)
        };
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

    /// Returns the failure of a run of `scheme` that unwound with `payload` at `at`, while a switch was
    /// deciding about `deciding`.
    pub(crate) fn failure(
        &self,
        payload: &(dyn std::any::Any + Send),
        (scheme, seed): (&str, u64),
        at: Time,
        deciding: Option<(Packet, Option<u64>)>,
    ) -> Failure {
        let (policy, place, why) = match payload.downcast_ref::<Stopped>() {
            Some(Stopped { who, why }) => (who.policy.clone(), who.place.clone(), why.clone()),
            // The simulator itself found the impossible state.
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

/// Returns the message of a panic.
fn panic_words(payload: &(dyn std::any::Any + Send)) -> String {
    let text = payload.downcast_ref::<&str>().map(|text| text.to_string());
    let text = text.or_else(|| payload.downcast_ref::<String>().cloned());
    text.unwrap_or_else(|| "it panicked without a message".into())
}

/// Returns the switches of a network, in their order.
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

impl fmt::Debug for CallerPolicies {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut own = f.debug_struct("CallerPolicies");
        self.names().for_each(|(seam, name)| {
            own.field(seam, &name);
        });
        own.field("key", &self.key).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
