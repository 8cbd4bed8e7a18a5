//! Routes: which of the next hops on a shortest path a packet takes.

mod acks;
mod checked;
pub mod ecmp;
pub mod flowlet;
pub mod power_of_two;
pub mod single;
pub mod spray_counter;
pub mod spray_random;
pub mod spray_rr;
mod table;

pub(crate) use checked::checked;

use crate::Queues;
use crate::registry::registry;
use crate::why::Scene;
use sidestep_types::{Packet, PortId, Rng};

/// The ways on from a switch toward where a packet goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hops<'a> {
    /// The ports on shortest paths, in rising order; never empty.
    pub ports: &'a [PortId],
    /// A number for this very list of ports: in one switch the same for equal lists, and another
    /// for others. What a route remembers of a list it keeps under this number. They are dense
    /// enough to be indices: below the lengths of the switch's lists together.
    pub set: u32,
    /// A number for where the packet goes, as far as the switch's table tells: in the simulator
    /// the switch that the host hangs off, in the software switch the entry of the table.
    pub prefix: u32,
}

impl<'a> Hops<'a> {
    /// These ports, of which there is one list, toward one place.
    pub fn of(ports: &'a [PortId]) -> Hops<'a> {
        Hops {
            ports,
            set: 0,
            prefix: 0,
        }
    }
}

/// Picks a next hop.
///
/// ```
/// use sidestep_switch::testing::{StillQueues, data};
/// use sidestep_switch::{Hops, Queues, Route};
/// use sidestep_types::{Packet, PortId, Rng};
///
/// /// Sends packets by each next hop in turn, whatever their flow.
/// #[derive(Default)]
/// struct Turns(Vec<usize>);
///
/// impl Route for Turns {
///     fn pick(&mut self, _: &Packet, hops: Hops, _: &mut dyn Queues, _: &mut Rng) -> PortId {
///         let at = hops.set as usize;
///         if self.0.len() <= at {
///             self.0.resize(at + 1, 0);
///         }
///         self.0[at] += 1;
///         hops.ports[self.0[at] % hops.ports.len()]
///     }
/// }
///
/// let ports = [PortId(2), PortId(5)];
/// let mut queues = StillQueues::of(&[0; 6], 100, &[2, 5]);
/// let (mut turns, mut rng) = (Turns::default(), Rng::from_seed(1));
/// let mut next = || turns.pick(&data(), Hops::of(&ports), &mut queues, &mut rng).0;
/// assert_eq!([next(), next(), next()], [5, 2, 5]);
/// ```
pub trait Route {
    /// One of the ports of `hops`. Draws from `rng` only when it needs chance; no buffer policy
    /// draws from it.
    fn pick(
        &mut self,
        pkt: &Packet,
        hops: Hops<'_>,
        queues: &mut dyn Queues,
        rng: &mut Rng,
    ) -> PortId;

    /// The same, of queues of a kind that is known where this is compiled: a route may ask these without a call. Drivers
    /// choose by this one.
    #[inline(always)]
    fn pick_by<Q: Queues>(
        &mut self,
        pkt: &Packet,
        hops: Hops<'_>,
        queues: &mut Q,
        rng: &mut Rng,
    ) -> PortId
    where
        Self: Sized,
    {
        self.pick(pkt, hops, queues, rng)
    }

    /// Why of `hops`, more than one, it took `taken`: a clause with the numbers that it looked at.
    fn why(&self, _scene: &mut Scene<'_>, _hops: Hops<'_>, _taken: PortId) -> String {
        "the route chose it".into()
    }
}

registry! {
    /// A route: one of the registry, or a custom one.
    pub enum AnyRoute: Route {
        ecmp::Ecmp,
        single::Single,
        spray_random::SprayRandom,
        power_of_two::PowerOfTwo,
        spray_counter::SprayCounter,
        spray_rr::SprayRr,
        flowlet::Flowlet,
    }
}

impl Route for AnyRoute {
    fn pick(
        &mut self,
        pkt: &Packet,
        hops: Hops<'_>,
        queues: &mut dyn Queues,
        rng: &mut Rng,
    ) -> PortId {
        dispatch!(self, policy => policy.pick(pkt, hops, queues, rng))
    }

    /// Nearly every run has ECMP: the others are out of line, and cost its path nothing.
    #[inline(always)]
    fn pick_by<Q: Queues>(
        &mut self,
        pkt: &Packet,
        hops: Hops<'_>,
        queues: &mut Q,
        rng: &mut Rng,
    ) -> PortId {
        match self {
            AnyRoute::Ecmp(ecmp) => ecmp.pick(pkt, hops, queues, rng),
            other => other.pick_otherwise(pkt, hops, queues, rng),
        }
    }

    #[cold]
    fn why(&self, scene: &mut Scene<'_>, hops: Hops<'_>, taken: PortId) -> String {
        dispatch!(self, policy => policy.why(scene, hops, taken))
    }
}

impl AnyRoute {
    /// The port that it picks, where it looks at nothing but the hash of the packet's flow.
    #[inline(always)]
    pub(crate) fn pick_by_hash(&self, pkt: &Packet, hops: Hops<'_>) -> Option<PortId> {
        match self {
            AnyRoute::Ecmp(ecmp) => Some(ecmp.pick_of(pkt.hash, hops.ports)),
            _ => None,
        }
    }

    /// The port that it will pick for a packet, where that depends on nothing but the packet.
    #[inline]
    pub fn foresee(&self, pkt: &Packet, hops: Hops<'_>) -> Option<PortId> {
        match (self, hops.ports) {
            (AnyRoute::Custom(_), _) => None,
            (_, [only]) => Some(*only),
            (AnyRoute::Ecmp(ecmp), [_, _, ..]) => Some(ecmp.pick_of(pkt.hash, hops.ports)),
            _ => None,
        }
    }

    /// With one next hop, as on half of the way through a fat-tree, there is nothing to ask a policy of ours; a caller's
    /// own is asked always.
    #[inline(never)]
    fn pick_otherwise<Q: Queues>(
        &mut self,
        pkt: &Packet,
        hops: Hops<'_>,
        queues: &mut Q,
        rng: &mut Rng,
    ) -> PortId {
        match (self, hops.ports) {
            (AnyRoute::Custom(route), _) => route.pick(pkt, hops, queues, rng),
            (_, [only]) => *only,
            (AnyRoute::PowerOfTwo(route), _) => route.pick_by(pkt, hops, queues, rng),
            (AnyRoute::SprayCounter(route), _) => route.pick_by(pkt, hops, queues, rng),
            (other, _) => other.pick(pkt, hops, queues, rng),
        }
    }
}
