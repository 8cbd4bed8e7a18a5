//! A switch of the simulator: drives the decision of `sidestep-switch` over its ports' links.

use crate::agenda::Agenda;
use crate::config::SwitchConfig;
use crate::fabric::{Fabric, Link, Wire};
use crate::fib::{Attachment, Fib};
use crate::indexed::Table;
use crate::pool::Pool;
use sidestep_switch::{
    AnyBuffer, AnyRoute, Buffer, Capacity, Depth, DropReason, Queues, Route, Verdict, Want,
};
use sidestep_types::{Bytes, Packet, PortId, PortSet, Rng, Seed, Time};

/// One switch.
pub(crate) struct Switch {
    route: AnyRoute,
    buffer: AnyBuffer,
    rng: Rng,
    capacity: Capacity,
    fib: Fib,
    me: u32,
    /// The link of port 0; the others follow.
    first_link: u32,
    ports: u32,
    to_switch: PortSet,
    /// Per port, what its link's line has no room for.
    pub counts: Vec<PortCounts>,
}

/// Counts of rarer happenings at a port.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct PortCounts {
    pub marks: u64,
    pub detours_in: u64,
    pub detours_out: u64,
    pub drops: [u64; DropReason::COUNT],
}

/// What a switch did with a packet.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Done {
    pub wanted: PortId,
    pub action: Action,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Action {
    Queued {
        port: PortId,
        ahead: Depth,
        marked: bool,
    },
    Dropped(DropReason),
}

impl Switch {
    /// Switch `me`, whose ports feed the links from `first_link` on.
    pub fn new(
        config: &SwitchConfig,
        me: u32,
        first_link: u32,
        to_switch: &[bool],
        fib: Fib,
        seed: Seed,
    ) -> Result<Switch, String> {
        let ports = to_switch.len() as u16;
        let salt = seed.salt(("ecmp", u64::from(me)));
        let (route, buffer) = (&config.route, &config.buffer);
        Ok(Switch {
            route: AnyRoute::build(&route.0, &route.1, ports, salt)
                .map_err(|e| format!("route {}: {e}", route.0))?,
            buffer: AnyBuffer::build(&buffer.0, &buffer.1, ports, salt)
                .map_err(|e| format!("buffer {}: {e}", buffer.0))?,
            rng: seed.stream(("switch", u64::from(me))),
            capacity: config.capacity,
            fib,
            me,
            first_link,
            ports: u32::from(ports),
            to_switch: (0..ports)
                .filter(|&p| to_switch[usize::from(p)])
                .map(PortId)
                .collect(),
            counts: vec![PortCounts::default(); to_switch.len()],
        })
    }

    /// The links that its ports feed, in the order of the ports.
    pub fn links(&self) -> std::ops::Range<u32> {
        self.first_link..self.first_link + self.ports
    }

    /// Puts a policy of the caller's in the place of the configured buffer.
    pub fn set_buffer(&mut self, buffer: AnyBuffer) {
        self.buffer = buffer;
    }

    /// Forwards, detours or drops a parcel for `dst` that has just arrived over link `ingress`. A dropped one is the caller's to free.
    /// `INNER`: there are pauses, or something is between inputs and outputs.
    #[inline]
    pub fn forward<A: Agenda, const INNER: bool>(
        &mut self,
        fabric: &mut Fabric<A>,
        ingress: u32,
        parcel: u32,
        dst: Attachment,
    ) -> Done {
        let ttl = &mut fabric.pool.get_mut(parcel).packet.ttl;
        *ttl = ttl.saturating_sub(1);
        let packet = &fabric.pool.get(parcel).packet;
        let bytes = u32::from(packet.wire) - fabric.unbuffered;
        let crowded = INNER && !fabric.input_has_room(ingress, bytes);
        let mut view = View {
            now: fabric.now,
            links: &mut fabric.links,
            first: self.first_link,
            ports: self.ports,
            wires: &fabric.wires,
            pool: &fabric.pool,
            unbuffered: fabric.unbuffered,
            capacity: self.capacity,
            to_switch: self.to_switch,
        };
        let wanted = if dst.switch == self.me {
            dst.port
        } else {
            let hops = self.fib.hops(dst.switch);
            self.route.pick(packet, hops, &mut view, &mut self.rng)
        };
        let want = view.want(wanted, packet);
        let verdict = if packet.ttl == 0 {
            Verdict::Drop(DropReason::Ttl)
        } else if crowded {
            Verdict::Drop(DropReason::Full)
        } else {
            self.buffer.admit(packet, want, &mut view, &mut self.rng)
        };
        let (port, ahead, mark) = match verdict {
            Verdict::Enqueue { mark } => (wanted, want.depth, mark),
            Verdict::Detour(port) => {
                self.counts[wanted.index()].detours_out += 1;
                self.counts[port.index()].detours_in += 1;
                let detours = &mut fabric.pool.get_mut(parcel).packet.detours;
                *detours = detours.saturating_add(1);
                let link = self.first_link + u32::from(port.0);
                (port, fabric.depth(link), true)
            }
            Verdict::Drop(reason) => {
                self.counts[wanted.index()].drops[reason as usize] += 1;
                let action = Action::Dropped(reason);
                return Done { wanted, action };
            }
        };
        let link = self.first_link + u32::from(port.0);
        let marked = mark && fabric.pool.get_mut(parcel).packet.mark();
        if marked {
            self.counts[port.index()].marks += 1;
        }
        if INNER {
            fabric.take_in(ingress, link, parcel);
        } else {
            fabric.enqueue(link, parcel);
        }
        let action = Action::Queued {
            port,
            ahead,
            marked,
        };
        Done { wanted, action }
    }
}

/// A switch's queues at the present, as policies see them.
struct View<'a> {
    now: Time,
    links: &'a mut Table<Link>,
    first: u32,
    ports: u32,
    wires: &'a Table<Wire>,
    pool: &'a Pool,
    unbuffered: u32,
    capacity: Capacity,
    to_switch: PortSet,
}

impl View<'_> {
    #[inline]
    fn settle(&mut self, port: PortId) -> Depth {
        self.links[self.first + u32::from(port.0)].settle(self.pool, self.now, self.unbuffered)
    }

    /// Policies of the caller's may name any port; the tables do not check.
    fn check(&self, port: PortId) {
        assert!(
            u32::from(port.0) < self.ports,
            "port {} of a switch with {}",
            port.0,
            self.ports
        );
    }

    /// Bytes that the whole switch holds.
    #[inline(never)]
    fn used(&mut self) -> u64 {
        let ports = 0..self.ports as u16;
        let held = |port| u64::from(self.settle(PortId(port)).bytes);
        ports.map(held).sum()
    }

    /// How the queue of `port` looks to `packet`.
    #[inline(always)]
    fn want(&mut self, port: PortId, packet: &Packet) -> Want {
        let depth = self.settle(port);
        let used = if self.capacity.is_shared() {
            self.used()
        } else {
            0
        };
        let bytes = u32::from(packet.wire) - self.unbuffered;
        Want {
            port,
            depth,
            fits: self.capacity.fits(depth, bytes, used),
        }
    }
}

impl Queues for View<'_> {
    fn now(&self) -> Time {
        self.now
    }

    fn depth(&mut self, port: PortId) -> Depth {
        self.check(port);
        self.settle(port)
    }

    fn open(&mut self, packet: &Packet) -> PortSet {
        let used = self.used();
        let bytes = u32::from(packet.wire) - self.unbuffered;
        let fits = |port: &PortId| {
            let depth = self.links[self.first + u32::from(port.0)].queued();
            self.capacity.fits(depth, bytes, used)
        };
        (0..self.ports as u16).map(PortId).filter(fits).collect()
    }

    fn to_switch(&self) -> PortSet {
        self.to_switch
    }

    fn empty_at(&self, port: PortId) -> Time {
        self.check(port);
        self.links[self.first + u32::from(port.0)].free_at
    }

    fn time_to_send(&self, port: PortId, bytes: Bytes) -> Time {
        self.check(port);
        self.links[self.first + u32::from(port.0)]
            .wire(self.wires)
            .rate
            .time_to_send(bytes)
    }
}
