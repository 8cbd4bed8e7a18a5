//! Routes: the choice among the next hops on shortest paths.

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
use crate::why::SwitchSnapshot;
use sidestep_types::{Packet, PortId, Rng};

/// Next hops from a switch toward the destination of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hops<'a> {
    /// Ports on shortest paths, in rising order; never empty.
    pub ports: &'a [PortId],
    /// Number of this list of ports: in one switch, equal lists have the same number and different lists
    /// different ones. A route stores its state per list under this number. The numbers are dense enough for
    /// indices: below the total length of the switch's lists.
    pub set: u32,
    /// Number of the destination, as far as the switch's table distinguishes it: in the simulator the switch to
    /// which the host is attached, in the software switch the table entry.
    pub prefix: u32,
}

impl<'a> Hops<'a> {
    /// Creates the only list of a switch, toward a single destination.
    pub fn of(ports: &'a [PortId]) -> Hops<'a> {
        Hops {
            ports,
            set: 0,
            prefix: 0,
        }
    }
}

/// Route: picks a next hop for each packet.
///
/// ```
/// use sidestep_switch::testing::{StillQueues, data};
/// use sidestep_switch::{Hops, Queues, Route};
/// use sidestep_types::{Packet, PortId, Rng};
///
/// /// Route that takes each next hop in turn, whatever the flow.
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
    /// Picks one of the ports of `hops`. Draws from `rng` only when the choice is random; no buffer policy
    /// draws from it.
    fn pick(
        &mut self,
        pkt: &Packet,
        hops: Hops<'_>,
        queues: &mut dyn Queues,
        rng: &mut Rng,
    ) -> PortId;

    /// Picks like [`Route::pick`], for queues of a type known at compile time: a route may query them without a
    /// dynamic call. Drivers call this method.
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

    /// Explains why the route picked `taken` among `hops`, which are several: a clause with the numbers that it
    /// used.
    fn why(&self, _scene: &mut SwitchSnapshot<'_>, _hops: Hops<'_>, _taken: PortId) -> String {
        "the route chose it".into()
    }
}

registry! {
    /// Route from the registry, or a custom one.
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

    /// Picks with ECMP inline, since nearly every run uses it. The others are out of line and cost its path
    /// nothing.
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
    fn why(&self, snapshot: &mut SwitchSnapshot<'_>, hops: Hops<'_>, taken: PortId) -> String {
        dispatch!(self, policy => policy.why(snapshot, hops, taken))
    }
}

impl AnyRoute {
    /// Returns the picked port, if the route uses nothing but the flow hash of the packet.
    #[inline(always)]
    pub(crate) fn pick_by_hash(&self, pkt: &Packet, hops: Hops<'_>) -> Option<PortId> {
        match self {
            AnyRoute::Ecmp(ecmp) => Some(ecmp.pick_of(pkt.hash, hops.ports)),
            _ => None,
        }
    }

    /// Returns the port that the route will pick for a packet, if that depends on nothing but the packet.
    #[inline]
    pub fn predict_port(&self, pkt: &Packet, hops: Hops<'_>) -> Option<PortId> {
        match (self, hops.ports) {
            (AnyRoute::Custom(_), _) => None,
            (_, [only]) => Some(*only),
            (AnyRoute::Ecmp(ecmp), [_, _, ..]) => Some(ecmp.pick_of(pkt.hash, hops.ports)),
            _ => None,
        }
    }

    /// Picks with a route other than ECMP. A single next hop, as on half of the way through a fat-tree, needs
    /// no registered policy; a custom route is always called.
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
