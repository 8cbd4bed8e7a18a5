//! One run: a network, a plan and settings, driven event by event.
//!
//! The world is a driver: it takes the next event from the fabric and hands it to the switch or
//! host that it belongs to. `switches` and `hosts` are the two halves, `finish` joins what they
//! know.
//!
//! A run can be cut between any switches or hosts. These own their state and meet only through
//! packets, pauses and the delay of the link between them:
//! - a port's line, wire and scheduler belong to whoever sends by it, a pause's gate to the switch
//!   where the link ends, its brake to the sender ([`crate::pfc`]);
//! - a flow's sender belongs to its source, its receiver to its destination, and a flow that
//!   follows another starts where the other ends; the two ends of a connection that flows share
//!   belong to their hosts (`connections`), and so does what is kept of subflows (`multipath`);
//! - counts add up ([`crate::tally`]), the trajectory hash is a sum, and deadlocks are read off
//!   the final state;
//! - the run ends with an instant, that of the last delivery, and not with an event.
//!
//! The plan and the settings are shared and do not change. What of a world is one to a part, [`crate::parts`] splits:
//! - each part has an agenda and a pool; an arrival over a link that leaves the part is mail for another
//!   (`fabric/border.rs`);
//! - each has a tally with a table of classes, which add up, and a log of losses, which are joined up to what every part has
//!   passed ([`crate::losses`]);
//! - each has a table of what became of flows, of whose rows each end of a flow writes its own columns;
//! - parts that may reach the last delivery look for it before others go on (`parts/windows.rs`).
//!
//! Refused of a run that is cut, and one to a world still: the queue of pauses under way, which the gate's switch writes at
//! the brake ([`crate::pfc`]); changes of the network; the caller's functions that make the ends of flows (`machines`); the
//! paths of traced packets.

mod changes;
#[cfg(all(debug_assertions, not(test)))]
mod compiled;
mod connections;
mod finish;
mod foresee;
mod hosts;
mod looks;
mod machines;
mod multipath;
mod nics;
mod part;
mod record;
mod saved;
mod shims;
mod switches;
mod why;

#[cfg(all(debug_assertions, not(test)))]
pub use compiled::compiled;
pub use saved::Saved;

use crate::agenda::{Agenda, WheelAgenda};
use crate::changes::check_changes;
use crate::checks::{check_plan, check_settings};
use crate::config::WorldConfig;
use crate::fabric::{Fabric, Happening, Inside};
use crate::fib::{Attachment, Paths};
use crate::host::{Host, ReceivingEnd, SendingEnd};
use crate::indexed::Table;
use crate::layout::{Far, LinkEnds, lay_links};
use crate::network::{End, Network};
use crate::observers::Observers;
use crate::outcome::FlowOutcome;
use crate::plan::{FlowPlan, Plan};
use crate::pool::NONE;
use crate::switching::{Switch, make_sched};
use crate::tally::Tally;
use crate::trace::Tracer;
use crate::watch::{Watching, Wires};
use changes::Changes;
use connections::Connections;
use foresee::Foreseen;
use machines::Machines;
use multipath::Multipath;
use sidestep_switch::sched::AnySched;
use sidestep_switch::{AnyBuffer, AnyRoute, Depth, Sched};
use sidestep_transport::{AnyReceiver, AnySender, shim};
use sidestep_types::{FlowId, PortId, SwitchId, Time};
use std::hint::cold_path;
use std::sync::Arc;

/// A run in progress. `A` is its agenda: the wheel, or the heap to compare with.
pub struct World<A: Agenda = WheelAgenda> {
    fabric: Fabric<A>,
    switches: Table<Switch>,
    hosts: Table<Host>,
    attachments: Table<Attachment>,
    senders: Vec<Option<Box<SendingEnd>>>,
    receivers: Vec<Option<Box<ReceivingEnd>>>,
    /// Flows that start when another ends: `(the other, this one, how long after)`, sorted.
    followers: Vec<(FlowId, FlowId, Time)>,
    connections: Connections,
    multipath: Multipath,
    /// Makes the flows' ends, when they are the caller's.
    machines: Option<Machines>,
    plan: Arc<Plan>,
    config: WorldConfig,
    flow_salt: u64,
    /// What became of each flow so far. Its source writes some of the numbers and its destination the others; none is
    /// both's.
    flows: Vec<FlowOutcome>,
    tally: Tally,
    /// Flows whose last byte has not been delivered, and all that the run does not wait for.
    unfinished: u64,
    /// The instant with which the run ends, once it is known.
    end: Time,
    /// The latest instant that was served until: a limit, or the end of the run.
    served: Time,
    observers: Observers,
    /// Hosts have shims.
    shimmed: bool,
    /// What happens to the network, if anything.
    changes: Option<Box<Changes>>,
    /// Per link: whose it is, where it leads, and its place in the outcome.
    ends: Vec<LinkEnds>,
    /// What the events to come will touch.
    foreseen: Foreseen,
}

impl<A: Agenda> World<A> {
    /// Builds the network and gives every host its part of the plan.
    ///
    /// Errors name what the network, plan or settings have that cannot be.
    pub fn new(
        network: &Network,
        plan: Arc<Plan>,
        config: WorldConfig,
    ) -> Result<World<A>, String> {
        World::along(&Paths::of(network)?, network, plan, config)
    }

    /// The same where the paths of the network are known.
    pub(crate) fn along(
        paths: &Paths,
        network: &Network,
        plan: Arc<Plan>,
        config: WorldConfig,
    ) -> Result<World<A>, String> {
        check_plan(network, &plan)?;
        check_settings(&config, network.switches.len(), &plan)?;
        let mss = config.largest_mss(&plan);
        check_changes(network, &config.changes)
            .map_err(|wrong| format!("change {}: {}", wrong.change, wrong.why))?;
        let ports = &paths.ports;
        let (links, ends) = lay_links(network, ports);
        let mut fabric = Fabric::new(
            &links,
            &ends,
            network.hosts,
            &config.switch,
            config.framing,
            shim::longest(&config.shims, mss),
            config.seed,
        );
        if config.switch.sent.is_some() {
            fabric.inside.has(Inside::Watched);
        }
        let mut switches = Vec::new();
        let mut first = network.hosts;
        for (s, fib) in paths.fibs.iter().cloned().enumerate() {
            let to_switch: Vec<bool> = ports.of_switch[s]
                .iter()
                .map(|(far, _, _)| matches!(far, End::Switch(_)))
                .collect();
            let me = s as u32;
            let kind = config.others.kind(&config.switch, s);
            let named = |why| format!("switch {:?}: {why}", network.switches[s].name);
            let switch =
                Switch::new(kind, me, first, &to_switch, fib, config.seed).map_err(named)?;
            switches.push(switch);
            let next = first + to_switch.len() as u32;
            for link in first..next {
                let sched = make_sched(&kind.sched, me, to_switch.len() as u16, config.seed)
                    .map_err(named)?;
                // A port that may be paused needs an explicit queue, whatever its order.
                if !sched.is_fifo() || config.switch.pfc.is_some() {
                    fabric.rank(link, sched);
                }
            }
            first = next;
        }
        let flows = plan.flows.len();
        let mut world = World {
            fabric,
            switches: Table::new(switches),
            hosts: Table::new((0..network.hosts).map(|_| Host::new()).collect()),
            attachments: Table::new(ports.attachments.clone()),
            senders: std::iter::repeat_with(|| None).take(flows).collect(),
            receivers: std::iter::repeat_with(|| None).take(flows).collect(),
            followers: Vec::new(),
            connections: Connections::new(&plan),
            multipath: Multipath::default(),
            machines: None,
            flow_salt: config.seed.salt("flow hash"),
            flows: vec![FlowOutcome::default(); flows],
            tally: Tally::new(plan.classes.len()),
            unfinished: flows as u64,
            end: if flows == 0 { Time::ZERO } else { Time::MAX },
            served: Time::ZERO,
            observers: Observers::new(Tracer::new(config.trace.clone())),
            shimmed: false,
            changes: Changes::new(network, ports, &ends, &config.changes),
            ends,
            foreseen: Foreseen::default(),
            plan,
            config,
        };
        world.put_nics()?;
        world.put_shims()?;
        world.hand_out_starts();
        Ok(world)
    }

    /// Replaces every switch's buffer policy by one that `make` makes: for policies of your own.
    pub fn set_buffers(&mut self, mut make: impl FnMut(SwitchId) -> AnyBuffer) {
        for (s, switch) in self.switches.iter_mut().enumerate() {
            switch.set_buffer(make(SwitchId(s as u32)));
        }
    }

    /// Replaces every switch's route by one that `make` makes: for policies of your own.
    ///
    /// A run stops when such a route names a port that its switch does not have.
    pub fn set_routes(&mut self, mut make: impl FnMut(SwitchId) -> AnyRoute) {
        for (s, switch) in self.switches.iter_mut().enumerate() {
            switch.set_route(make(SwitchId(s as u32)));
        }
    }

    /// Gives every switch port an explicit queue, in the order that `make`'s scheduler says.
    pub fn set_scheds(&mut self, mut make: impl FnMut(SwitchId, PortId) -> AnySched) {
        assert!(
            self.tally.is_fresh(),
            "schedulers are set before the run starts"
        );
        for (link, ends) in self.ends.iter().enumerate() {
            if let End::Switch(switch) = ends.from {
                self.fabric.rank(link as u32, make(switch, ends.port));
            }
        }
    }

    /// Makes ranked ports plan the end of every transmission, as pauses need it, and not only where
    /// something waits behind it: costs time, changes nothing but the count of events.
    pub fn plan_every_end(&mut self) {
        assert!(self.tally.is_fresh(), "ends are planned from the start");
        self.fabric.plan_every_end();
    }

    /// Watches more closely: costs time and memory, changes nothing that happens.
    pub fn watch(&mut self, watching: Watching) {
        assert!(self.tally.is_fresh(), "watching begins with the run");
        let wires = match watching.latency {
            Some(_) => self.wires(),
            None => Wires::new(),
        };
        self.observers.watch(watching, wires);
    }

    /// The wires behind the ports of switches.
    fn wires(&self) -> Wires {
        let links = (0..).zip(&self.ends);
        let wires = links.filter_map(|(link, ends)| match ends.from {
            End::Switch(switch) => Some(((switch, ends.port), *self.fabric.wire(link))),
            End::Host(_) => None,
        });
        wires.collect()
    }

    /// Gives every flow a sender and a receiver of the caller's: for transports of your own.
    ///
    /// Each is made when its flow starts or its first packet arrives. What the configured
    /// transport says then counts for nothing.
    pub fn set_transport(
        &mut self,
        sender: impl FnMut(FlowId, &FlowPlan) -> AnySender + Send + 'static,
        receiver: impl FnMut(FlowId, &FlowPlan) -> AnyReceiver + Send + 'static,
    ) {
        assert!(
            self.tally.is_fresh(),
            "a transport is set before the run starts"
        );
        self.machines = Some(Machines {
            sender: Box::new(sender),
            receiver: Box::new(receiver),
        });
    }

    /// Serves events up to and including `limit`. Says whether every flow has been delivered; the
    /// run ends with that instant, at which whatever else happens is served as well.
    pub fn run_until(&mut self, limit: Time) -> bool {
        if self.changes.is_some() {
            self.change_until(limit);
        }
        self.serve_until(limit);
        self.served = self.served.max(limit.min(self.end));
        self.unfinished == 0
    }

    /// Serves what happens up to and including `limit`.
    fn serve_until(&mut self, limit: Time) {
        self.look_ahead();
        self.serve(limit);
    }

    /// The events until `limit`, in a function of their own: what comes after the loop would take its
    /// registers.
    #[inline(never)]
    fn serve(&mut self, limit: Time) {
        let mut limit = limit.min(self.end);
        while let Some(slot) = self.fabric.next(limit) {
            if self.foreseen.is_due() {
                cold_path();
                self.foresee();
            }
            self.tally.event();
            match self.fabric.happens(slot) {
                Happening::Arrival { link, parcel } => match self.fabric.links[link].far() {
                    Far::Switch(s) => self.at_switch(s, link, parcel),
                    Far::Host(h) => {
                        self.at_host(h, parcel);
                        limit = limit.min(self.end);
                    }
                },
                // The last delivery may be that of a shim's timer.
                Happening::Wake { host } => {
                    cold_path();
                    self.wake(host);
                    limit = limit.min(self.end);
                }
                Happening::Sent { lost: NONE } => {}
                Happening::Sent { lost } => {
                    cold_path();
                    self.swallowed(lost);
                }
            }
        }
    }

    /// When something last happened.
    pub fn now(&self) -> Time {
        self.fabric.latest(self.served)
    }

    /// Flows not yet delivered, and all that a run does not wait for ([`Plan::unawaited`]), whether
    /// they are or not.
    pub fn unfinished(&self) -> u64 {
        self.unfinished
    }

    /// Deliveries of one packet over one link so far.
    pub fn packet_hops(&self) -> u64 {
        self.fabric.links.iter().map(|link| link.packets).sum()
    }

    /// How many packets wait on each link now, in the order of the outcome's ports.
    pub fn queue_lengths(&mut self) -> Vec<u32> {
        let mut lengths = vec![0; self.ends.len()];
        for (link, ends) in self.ends.iter().enumerate() {
            lengths[ends.place] = self.fabric.depth(link as u32).packets;
        }
        lengths
    }

    /// How full the queue before each link is at `at`, in the order of the outcome's ports.
    ///
    /// Panics when `at` is before [`World::now`], or after the latest limit of
    /// [`World::run_until`] or the end of the run: events before it have not been served.
    pub fn queue_depths(&mut self, at: Time) -> Vec<Depth> {
        let (now, served) = (self.now(), self.served);
        assert!(
            (now..=served.max(now)).contains(&at),
            "queues are asked for at {at}, the run stands at {now} and is served until {served}"
        );
        let mut depths = vec![Depth::default(); self.ends.len()];
        for (link, ends) in self.ends.iter().enumerate() {
            depths[ends.place] = self.fabric.depth_at(link as u32, at);
        }
        depths
    }

    /// Bytes of link time that have arrived over each link, in the order of the outcome's ports.
    pub fn link_bytes(&self) -> Vec<u64> {
        let mut bytes = vec![0; self.ends.len()];
        for (link, ends) in self.ends.iter().enumerate() {
            bytes[ends.place] = self.fabric.links[link as u32].wire_bytes;
        }
        bytes
    }
}
