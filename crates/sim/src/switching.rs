//! Switch of the simulator: the links of its ports, as the decision code of `sidestep-switch` sees them.

use crate::agenda::Agenda;
use crate::config::{NicConfig, SwitchConfig};
use crate::fabric::{Fabric, Link, Wiring};
use crate::fib::{Attachment, Fib};
use crate::indexed::{Table, fetch};
use crate::pool::{NONE, Pool};
use sidestep_switch::ports::{Counts, Line, Ports, Ranked, Wire};
use sidestep_switch::{
    AnyBuffer, AnyRoute, AnySched, AttainedService, Capacity, Carrier, Decider, DropReason, Event,
    FastLimits, Streams, Witness, buffer, sched,
};
use sidestep_types::{Kind, Packet, PortId, PortSet, Seed, Time, Values};

mod by_class;

/// State of one switch. The fields that a hop touches come first, in two cache lines: in the compiler's order
/// they took four or five, of which few stay in the first-level cache.
#[repr(C, align(64))]
#[derive(serde::Serialize, serde::Deserialize)]
pub(crate) struct Switch {
    /// Packets that the decider's policy and the capacity admit after one look at the queue.
    #[serde(skip)]
    fast_limits: FastLimits,
    #[serde(skip)]
    fib: Fib,
    #[serde(skip)]
    frame: Frame,
    decider: Decider,
    /// State per flow, if the switch ranks data by what it saw of the flow.
    sent: Option<Box<AttainedService>>,
    /// Events of the parcels evicted for the last one that came: the caller reports and counts them, and frees
    /// those dropped.
    #[serde(skip)]
    pub evicted: Vec<(u32, Event)>,
}

/// Immutable switch state, which policies see through [`Outputs`]. The default is a placeholder:
/// [`Switch::restore_constants`] fills it in for a saved switch.
struct Frame {
    capacity: Capacity,
    /// Link of port 0; the other ports follow.
    first_link: u32,
    me: u32,
    ports: Box<PortsOf>,
}

/// Properties of the ports that only policies read.
struct PortsOf {
    count: u16,
    to_switch: PortSet,
}

impl Default for Frame {
    fn default() -> Frame {
        let (count, to_switch) = (0, PortSet::default());
        Frame {
            capacity: Capacity::Unlimited,
            first_link: 0,
            me: 0,
            ports: Box::new(PortsOf { count, to_switch }),
        }
    }
}

impl Frame {
    #[inline]
    fn link(&self, port: PortId) -> u32 {
        self.first_link + u32::from(port.0)
    }
}

impl Switch {
    /// Returns switch `me`, whose ports feed the links from `first_link` on.
    pub fn new(
        config: &SwitchConfig,
        me: u32,
        first_link: u32,
        to_switch: &[bool],
        fib: Fib,
        seed: Seed,
    ) -> Result<Switch, String> {
        let ports = to_switch.len() as u16;
        let route = (config.route.build(ports, salt(seed, me)))
            .map_err(|e| format!("route {}: {e}", config.route.name()))?;
        let ports = PortsOf {
            count: ports,
            to_switch: (0..ports)
                .filter(|&p| to_switch[usize::from(p)])
                .map(PortId)
                .collect(),
        };
        let switch = Switch::build(
            route,
            &config.buffer,
            config.capacity,
            (me, first_link, ports),
            fib,
            seed,
        )?;
        Ok(Switch {
            sent: config.sent.map(|gap| Box::new(AttainedService::new(gap))),
            ..switch
        })
    }

    /// Returns the decider of a host's NIC: a switch with one port, which feeds `link`; its packets come in by
    /// no port. Switches and NICs share one numbering, `me` included.
    pub fn nic(config: &NicConfig, me: u32, link: u32, seed: Seed) -> Result<Switch, String> {
        let ports = PortsOf {
            count: 1,
            to_switch: PortSet::default(),
        };
        let (buffer, capacity) = (&config.buffer, config.capacity);
        let route = AnyRoute::build("single", &Values::default(), 1, 0)?;
        Switch::build(
            route,
            buffer,
            capacity,
            (me, link, ports),
            Fib::default(),
            seed,
        )
    }

    fn build(
        route: AnyRoute,
        buffer: &buffer::Chosen,
        capacity: Capacity,
        (me, first_link, ports): (u32, u32, PortsOf),
        fib: Fib,
        seed: Seed,
    ) -> Result<Switch, String> {
        let buffer = (buffer.build(ports.count, salt(seed, me)))
            .map_err(|e| format!("buffer {}: {e}", buffer.name()))?;
        let streams = Streams::of(|what| seed.stream((what, u64::from(me))));
        let decider = Decider::new(route, buffer, streams, ports.count);
        Ok(Switch {
            fast_limits: decider.fast_limits(capacity),
            decider,
            fib,
            frame: Frame {
                capacity,
                first_link,
                me,
                ports: Box::new(ports),
            },
            sent: None,
            evicted: Vec::new(),
        })
    }

    /// Copies the place in the network and the next hops from `built`, the same switch before the run, which
    /// must have the same policies.
    pub fn restore_constants(&mut self, built: Switch) -> Result<(), String> {
        let me = built.frame.me;
        (self.decider.is_like(&built.decider)).map_err(|why| format!("switch {me}: {why}"))?;
        if self.sent.is_some() != built.sent.is_some() {
            return Err(format!(
                "switch {me}: saved counts of flows do not match the scenario"
            ));
        }
        (self.frame, self.fib) = (built.frame, built.fib);
        self.fast_limits = self.decider.fast_limits(self.frame.capacity);
        Ok(())
    }

    /// Returns the kind of a custom policy here, if there is any: its state cannot be saved.
    pub fn custom(&self) -> Option<&'static str> {
        self.decider.custom()
    }

    /// Returns the link of port 0; those of the other ports follow.
    pub fn first_link(&self) -> u32 {
        self.frame.first_link
    }

    /// Returns its next hops.
    pub fn fib(&self) -> &Fib {
        &self.fib
    }

    /// Returns its next hops, and the ports that it believes lead to another switch, mutable.
    pub fn known(&mut self) -> (&mut Fib, &mut PortSet) {
        (&mut self.fib, &mut self.frame.ports.to_switch)
    }

    /// Counts a packet lost behind `port`, whose link is down.
    pub fn lost(&mut self, port: PortId) {
        self.decider.count_drop(port, DropReason::LinkDown);
    }

    /// Replaces the configured buffer policy by a custom one.
    pub fn set_buffer(&mut self, buffer: AnyBuffer) {
        self.decider.set_buffer(buffer);
        self.fast_limits = self.decider.fast_limits(self.frame.capacity);
    }

    /// Replaces the configured route by a custom one.
    pub fn set_route(&mut self, route: AnyRoute) {
        self.decider.set_route(route);
    }

    /// Returns the counts of one port.
    pub fn counts(&self, port: PortId) -> &Counts {
        self.decider.counts(port)
    }

    /// Returns the counts of all ports.
    pub fn total(&self) -> Counts {
        self.decider.total()
    }

    /// Prefetches what [`Switch::forward`] reads of the switch and of the path to `dst`.
    #[inline]
    pub fn fetch(&self, dst: Attachment) {
        self.fib.fetch(dst.switch);
        let at = std::ptr::from_ref(self).cast::<u8>();
        fetch(at.wrapping_add(64));
    }

    /// Returns the link that a packet for `dst` will want, if that can be told before it arrives.
    #[inline]
    pub fn predict_link(&self, packet: &Packet, dst: Attachment) -> Option<u32> {
        let port = if dst.switch == self.frame.me {
            dst.port
        } else {
            self.decider
                .predict_port(packet, self.fib.hops(dst.switch))?
        };
        Some(self.frame.link(port))
    }

    /// Forwards a parcel that has just come over the link `from` and goes to `dst`. `INNER`: the network has
    /// pauses or switch fabrics, or switches count ranks. Returns the parcel's event, after those of
    /// [`Switch::evicted`], unless the parcel joins the queue it wanted, evicts nothing and need not be `told`.
    #[inline(always)]
    pub fn forward<A: Agenda, const INNER: bool, W: Witness>(
        &mut self,
        fabric: &mut Fabric<A>,
        (from, parcel, dst): (u32, u32, Attachment),
        told: bool,
        witness: &mut W,
    ) -> Option<Event> {
        let ttl = &mut fabric.pool.get_mut(parcel).packet.ttl;
        *ttl = ttl.saturating_sub(1);
        let crowded = INNER && !fabric.lets_in(from, parcel);
        if INNER && let Some(sent) = &mut self.sent {
            rank(sent, fabric.now, &mut fabric.pool.get_mut(parcel).packet);
        }
        let mut event = None;
        let mut at_hand = CurrentParcel::<A, INNER> {
            fabric,
            frame: &self.frame,
            from,
            parcel,
            told,
            event: &mut event,
            evicted: &mut self.evicted,
        };
        let wanted = match dst.switch == self.frame.me {
            true => dst.port,
            false => (self.decider).route(&mut at_hand, self.fib.hops(dst.switch), witness),
        };
        let plain = !crowded && !told;
        if plain && (self.decider).admit_fast(&mut at_hand, &self.fast_limits, wanted) {
            return None;
        }
        self.admit::<A, INNER, W>(fabric, from, parcel, wanted, (crowded, told), witness)
    }

    /// Forwards a parcel that wants the port `wanted`, where one look at the queue there is not enough.
    // Not inlined: the loop over hops keeps its registers.
    #[inline(never)]
    fn admit<A: Agenda, const INNER: bool, W: Witness>(
        &mut self,
        fabric: &mut Fabric<A>,
        from: u32,
        parcel: u32,
        wanted: PortId,
        (crowded, told): (bool, bool),
        witness: &mut W,
    ) -> Option<Event> {
        let mut event = None;
        let at_hand = CurrentParcel::<A, INNER> {
            fabric,
            frame: &self.frame,
            from,
            parcel,
            told,
            event: &mut event,
            evicted: &mut self.evicted,
        };
        let kept = self.decider.admit(at_hand, wanted, crowded, witness);
        debug_assert!(kept, "the pool grows");
        event
    }

    /// Sends a parcel of the host by the NIC's only port, and always returns its event.
    #[cold]
    #[inline(never)]
    pub fn send<A: Agenda, W: Witness>(
        &mut self,
        fabric: &mut Fabric<A>,
        parcel: u32,
        witness: &mut W,
    ) -> Event {
        let told = (false, true);
        let event = self.admit::<A, false, W>(fabric, NONE, parcel, PortId(0), told, witness);
        event.expect("it is told of")
    }
}

/// Gives a data packet the rank that the switch counts itself.
#[cold]
#[inline(never)]
fn rank(sent: &mut AttainedService, now: Time, packet: &mut Packet) {
    if packet.kind() == Kind::Data {
        packet.set_rank(sent.rank(now, packet.hash, packet.len));
    }
}

/// Returns the scheduler of one of the `ports` ports of switch or NIC `me`.
pub(crate) fn make_sched(
    sched: &sched::Chosen,
    me: u32,
    ports: u16,
    seed: Seed,
) -> Result<AnySched, String> {
    (sched.build(ports, salt(seed, me))).map_err(|e| format!("sched {}: {e}", sched.name()))
}

/// Returns the hash salt of the policies of switch `me`.
pub fn salt(seed: Seed, me: u32) -> u64 {
    seed.salt(("ecmp", u64::from(me)))
}

/// Parcel that a switch decides about.
struct CurrentParcel<'a, A, const INNER: bool> {
    fabric: &'a mut Fabric<A>,
    frame: &'a Frame,
    from: u32,
    parcel: u32,
    /// True if its event is wanted in any case.
    told: bool,
    event: &'a mut Option<Event>,
    evicted: &'a mut Vec<(u32, Event)>,
}

impl<A: Agenda, const INNER: bool> Carrier for CurrentParcel<'_, A, INNER> {
    type Ports<'a>
        = Outputs<'a>
    where
        Self: 'a;

    #[inline(always)]
    fn at_hand(&mut self) -> (&Packet, Outputs<'_>) {
        let outputs = Outputs::of(self.fabric, self.frame, self.from);
        (&outputs.pool.get(self.parcel).packet, outputs)
    }

    #[inline(always)]
    fn packet_mut(&mut self) -> &mut Packet {
        &mut self.fabric.pool.get_mut(self.parcel).packet
    }

    fn trim(&mut self) -> bool {
        self.fabric.trim(self.parcel);
        true
    }

    #[inline(always)]
    fn enqueue(&mut self, port: PortId) -> bool {
        let link = self.frame.link(port);
        if INNER {
            self.fabric.take_in(self.from, link, self.parcel);
        } else {
            self.fabric.enqueue(link, self.parcel);
        }
        true
    }

    fn take(&mut self, port: PortId) -> u32 {
        self.fabric.evict(self.frame.link(port))
    }

    fn held(&mut self, held: u32) -> (Packet, Outputs<'_>) {
        let outputs = Outputs::of(self.fabric, self.frame, NONE);
        (outputs.pool.get(held).packet, outputs)
    }

    fn held_mut(&mut self, held: u32) -> &mut Packet {
        &mut self.fabric.pool.get_mut(held).packet
    }

    fn put(&mut self, held: u32, port: PortId) {
        // It has already crossed the fabric, if there is one.
        self.fabric.enqueue(self.frame.link(port), held);
    }

    #[inline(always)]
    fn tell(&mut self, held: Option<u32>, event: Event) {
        if let Some(held) = held {
            self.evicted.push((held, event));
            self.told = true;
            return;
        }
        let plain = matches!(event, Event::Enqueue(joined) if !joined.detoured());
        if self.told || !plain {
            *self.event = Some(event);
        }
    }
}

/// Ports of a switch at the present.
struct Outputs<'a> {
    now: Time,
    links: &'a mut Table<Link>,
    wiring: &'a mut Wiring,
    pool: &'a Pool,
    unbuffered: u32,
    frame: &'a Frame,
    /// Link that the packet came over; [`NONE`] for one already queued here.
    from: u32,
}

impl<'a> Outputs<'a> {
    /// Returns the ports of a switch of `fabric`, for a packet that came over the link `from`.
    #[inline(always)]
    fn of<A>(fabric: &'a mut Fabric<A>, frame: &'a Frame, from: u32) -> Outputs<'a> {
        Outputs {
            now: fabric.now,
            links: &mut fabric.links,
            wiring: &mut fabric.wiring,
            pool: &fabric.pool,
            unbuffered: fabric.unbuffered,
            frame,
            from,
        }
    }
}

impl Ports for Outputs<'_> {
    type Store = Pool;

    fn count(&self) -> u16 {
        self.frame.ports.count
    }

    #[inline(always)]
    fn now(&self) -> Time {
        self.now
    }

    #[inline(always)]
    fn capacity(&self) -> Capacity {
        self.frame.capacity
    }

    #[inline(always)]
    fn unbuffered(&self) -> u32 {
        self.unbuffered
    }

    fn to_switch(&self) -> PortSet {
        self.frame.ports.to_switch
    }

    fn ingress(&self) -> Option<PortId> {
        (self.from != NONE).then(|| self.wiring.ingress[self.from])
    }

    #[inline(always)]
    fn line(&mut self, port: PortId) -> (&mut Line, &Pool) {
        (&mut self.links[self.frame.link(port)].line, self.pool)
    }

    fn store(&self) -> &Pool {
        self.pool
    }

    #[inline(always)]
    fn line_as_it_is(&self, port: PortId) -> &Line {
        &self.links[self.frame.link(port)].line
    }

    fn wire(&self, port: PortId) -> &Wire {
        &self.wiring.wires[self.links[self.frame.link(port)].wire]
    }

    fn ranked(&self, port: PortId) -> Option<&Ranked> {
        self.wiring.ranked(self.frame.link(port))
    }

    fn ranked_mut(&mut self, port: PortId) -> Option<&mut Ranked> {
        self.wiring.ranked_mut(self.frame.link(port))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::mem::offset_of;

    /// A restored run must use the fast path again: otherwise all results would be right, but slow.
    #[test]
    fn a_switch_that_was_kept_decides_by_one_look_again() {
        let config = NicConfig {
            buffer: buffer::choose("droptail", &Values::default()).unwrap(),
            sched: sched::choose("fifo", &Values::default()).unwrap(),
            capacity: Capacity::Unlimited,
        };
        let built = || Switch::nic(&config, 0, 0, Seed(1)).expect("a NIC");
        let (mut kept, as_built) = (built(), built().fast_limits);
        kept.fast_limits = FastLimits::default();
        kept.restore_constants(built()).expect("the same switch");
        assert_eq!(kept.fast_limits, as_built);
        assert_ne!(as_built, FastLimits::default());
    }

    #[test]
    fn a_hop_touches_two_cache_lines_of_a_switch() {
        assert!(offset_of!(Switch, decider) + Decider::FAST_PATH_END <= 128);
    }
}
