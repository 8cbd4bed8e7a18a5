//! Checks of custom routes: they may return any port, and drivers do not check it.

use super::{AnyRoute, Hops, Route};
use crate::Queues;
use crate::ports::check_port;
use crate::why::SwitchSnapshot;
use sidestep_types::{Packet, PortId, Rng};

/// Custom route on a switch with `ports` ports.
struct Checked {
    route: Box<dyn Route + Send>,
    ports: u16,
}

/// Makes a custom route panic when it returns a port that a switch with `ports` ports does not have. Registered
/// routes return one of the hops they are given and stay unchanged.
pub(crate) fn checked(route: AnyRoute, ports: u16) -> AnyRoute {
    match route {
        AnyRoute::Custom(route) => AnyRoute::Custom(Box::new(Checked { route, ports })),
        known => known,
    }
}

impl Route for Checked {
    fn pick(
        &mut self,
        packet: &Packet,
        hops: Hops<'_>,
        queues: &mut dyn Queues,
        rng: &mut Rng,
    ) -> PortId {
        let port = self.route.pick(packet, hops, queues, rng);
        check_port(port, self.ports);
        port
    }

    fn why(&self, snapshot: &mut SwitchSnapshot<'_>, hops: Hops<'_>, taken: PortId) -> String {
        self.route.why(snapshot, hops, taken)
    }
}
