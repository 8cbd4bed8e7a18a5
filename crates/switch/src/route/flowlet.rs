//! Flowlets: a flow keeps its next hop until it pauses; then another is drawn.
//!
//! **Decision**     the last hop of the packet's flow, if the flow's previous packet was less than `gap` ago;
//!                  else `scale(draw, number of hops)`. With one next hop nothing is looked up.
//! **State**        the hop and the time of the last packet, in each place of a table indexed by a hash of the
//!                  flow. One draw per flowlet.
//! **Units**        picoseconds between arrivals at this switch.
//! **Errors**       refuses a `gap` of 0, and a `table` that is not a power of two up to 65,536.
//! **Source**       Sinha, Kandula, Katabi, HotNets 2004 (flowlet switching, FLARE), which the PLTS report
//!                  takes up in its section V.
//! **Deviations**   FLARE sends a new flowlet by the path that is furthest behind its share; here the hop is
//!                  drawn. The report gives no numbers for `gap` and `table`: both *assumed*. A pause of
//!                  exactly `gap` ends a flowlet. Flows whose hashes select the same place are treated as one
//!                  flow.

use super::acks::{Acks, AcksSettings};
use super::table::Places;
use super::{Hops, Route};
use crate::why::SwitchSnapshot;
use crate::{Nature, Policy, Queues};
use sidestep_types::{About, Packet, PortId, Refusal, Rng, Settings, Time, mix64, scale};

/// Route with a next hop per flowlet.
#[derive(Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Flowlet(Box<State>);

#[derive(Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
struct State {
    places: Box<[Place]>,
    gap: Time,
    salt: u64,
    acks: Acks,
}

#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
struct Place {
    /// Arrival of the last packet.
    last: Time,
    /// Hop of the last packet, as its index in the list, or [`NEW`].
    at: u16,
}

/// Hop of a place that has seen no packet.
const NEW: u16 = u16::MAX;

/// Returns the hop that a packet with `many` next hops keeps: that of the previous packet (`at`). Returns
/// `None`, and a hop is drawn, if that packet was `gap` ago or longer or its hop is not in the list.
#[inline]
fn kept(at: u16, many: u16, since: Time, gap: Time) -> Option<u16> {
    (at < many && since < gap).then_some(at)
}

/// Settings of [`Flowlet`].
#[derive(Clone, Settings)]
pub struct FlowletSettings {
    /// pause in a flow's packets after which another next hop is drawn; assumed
    #[setting(
        default = "500 us",
        above = 0,
        because = "at 0 every packet would be a flowlet"
    )]
    gap: Time,
    /// places in the table, a power of two up to 65536; flows with the same place share it; assumed
    #[setting(default = "1024")]
    table: Places,
    #[setting(flatten)]
    acks: AcksSettings,
}

impl Policy for Flowlet {
    type Settings = FlowletSettings;
    const ABOUT: About = About {
        name: "flowlet",
        summary: "a random next hop per flowlet (packets of a flow without a pause)",
        source: "FLARE, HotNets 2004; PLTS section V",
    };
    const NATURE: Nature = Nature {
        reorders: true,
        remembers: true,
        draws: 1,
        ..Nature::PLAIN
    };

    fn build(settings: FlowletSettings, _: u16, salt: u64) -> Result<Flowlet, Refusal> {
        let place = Place {
            last: Time::ZERO,
            at: NEW,
        };
        Ok(Flowlet(Box::new(State {
            places: vec![place; settings.table.0].into(),
            gap: settings.gap,
            salt,
            acks: Acks::new(settings.acks, salt),
        })))
    }
}

impl Route for Flowlet {
    // Not inlined: in one frame with the others, each route would save the registers of all.
    #[inline(never)]
    fn pick(
        &mut self,
        pkt: &Packet,
        hops: Hops<'_>,
        queues: &mut dyn Queues,
        rng: &mut Rng,
    ) -> PortId {
        let ports = hops.ports;
        if let [only] = ports {
            return *only;
        }
        let state = &mut *self.0;
        if let Some(port) = state.acks.hop(pkt, ports) {
            return port;
        }
        let (now, gap) = (queues.now(), state.gap);
        let at = state.place(pkt);
        let place = &mut state.places[at];
        let many = ports.len() as u16;
        let kept = kept(place.at, many, now.saturating_sub(place.last), gap);
        let at = kept.unwrap_or_else(|| scale(rng.draw(), u32::from(many)) as u16);
        *place = Place { last: now, at };
        ports[usize::from(at)]
    }

    fn why(&self, snapshot: &mut SwitchSnapshot<'_>, hops: Hops<'_>, taken: PortId) -> String {
        let state = &*self.0;
        if let Some(why) = state.acks.why(snapshot, hops, taken) {
            return why;
        }
        format!(
            "the last next hop of its flow (table entry {} of {}), or a drawn one after a pause of \
             {} or more",
            state.place(snapshot.packet),
            state.places.len(),
            state.gap
        )
    }
}

impl State {
    #[inline]
    fn place(&self, pkt: &Packet) -> usize {
        mix64(self.salt ^ u64::from(pkt.hash)) as usize & (self.places.len() - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{StillQueues, data};
    use sidestep_types::{Value, Values};

    fn route(table: u64, gap: Time) -> Result<Flowlet, Refusal> {
        let mut values = Values::defaults(Flowlet::ENTRY.params);
        values.set("table", Value::Count(table));
        values.set("gap", Value::Time(gap));
        Flowlet::from_values(&values, 8, 7)
    }

    struct TestSwitch {
        route: Flowlet,
        queues: StillQueues,
        rng: Rng,
    }

    impl TestSwitch {
        fn of(table: u64) -> TestSwitch {
            TestSwitch {
                route: route(table, Time::from_us(500)).unwrap(),
                queues: StillQueues::of(&[0; 8], 100, &[]),
                rng: Rng::from_seed(3),
            }
        }

        /// Returns the port that a packet of this flow takes, `later` after the previous packet.
        fn pick(&mut self, hash: u32, later: Time, ports: &[u16]) -> u16 {
            let ports: Vec<PortId> = ports.iter().map(|p| PortId(*p)).collect();
            let mut packet = data();
            packet.hash = hash;
            self.queues.now += later;
            let hops = Hops::of(&ports);
            (self.route)
                .pick(&packet, hops, &mut self.queues, &mut self.rng)
                .0
        }
    }

    const PORTS: [u16; 4] = [0, 2, 4, 6];

    #[test]
    fn a_flow_keeps_its_hop_until_it_pauses_for_the_gap() {
        let mut asked = TestSwitch::of(1024);
        let just_below = Time::from_us(500) - Time::from_ps(1);
        let mut taken = Vec::new();
        for _ in 0..40 {
            taken.push(asked.pick(9, Time::from_us(500), &PORTS));
            let kept = (0..50).all(|_| asked.pick(9, just_below, &PORTS) == taken[taken.len() - 1]);
            assert!(kept, "what is closer than the gap stays together");
        }
        let each = PORTS.map(|port| taken.iter().filter(|p| **p == port).count());
        assert!(each.iter().all(|n| *n > 2), "any hop is drawn: {each:?}");
        let mut drawn = Rng::from_seed(3);
        (0..40).for_each(|_| _ = drawn.draw());
        assert_eq!(asked.rng, drawn, "one draw for each flowlet");
    }

    #[test]
    fn flows_have_flowlets_of_their_own_unless_they_share_a_place() {
        for (table, draws) in [(1024, 2), (1, 1)] {
            let mut asked = TestSwitch::of(table);
            for _ in 0..20 {
                asked.pick(9, Time::from_us(300), &PORTS);
                asked.pick(77, Time::from_us(100), &PORTS);
            }
            let mut drawn = Rng::from_seed(3);
            (0..draws).for_each(|_| _ = drawn.draw());
            assert_eq!(asked.rng, drawn, "{table} places");
        }
    }

    #[test]
    fn a_hop_that_is_none_of_the_packets_is_drawn_anew_and_one_alone_changes_nothing() {
        let mut asked = TestSwitch::of(1);
        while asked.pick(9, Time::from_us(500), &PORTS) < 4 {}
        let before = asked.route.0.places[0].at;
        assert_eq!(asked.pick(9, Time::ZERO, &[1]), 1);
        assert_eq!(asked.route.0.places[0].at, before);
        assert!([1, 3].contains(&asked.pick(9, Time::ZERO, &[1, 3])));
    }

    #[test]
    fn no_gap_and_no_table_are_refused() {
        let said = |table, gap| route(table, gap).unwrap_err().to_string();
        assert!(said(1024, Time::ZERO).starts_with("gap must be above 0"));
        assert!(said(0, Time::from_us(1)).starts_with("table must be a power of two"));
    }
}
