//! Run in progress: a network, a plan and settings, driven event by event.
//!
//! The world is a driver: it takes the next event from the fabric and passes it to a switch (`switches`) or a
//! host (`hosts`). `finish` adds up the counts of both.
//!
//! A run can be split between any switches or hosts. They own their state and interact only through packets,
//! pauses and the delay of the link between them:
//! - a port's line, wire and scheduler belong to the switch or host that sends on it;
//! - a pause has two halves: the gate belongs to the switch where the link ends, the brake to the sender
//!   ([`crate::pfc`]);
//! - a flow's sender belongs to its source, its receiver to its destination, and a flow that
//!   follows another starts where the other ends; the two ends of a shared connection
//!   belong to their hosts (`connections`), and so do the counts of subflows (`multipath`);
//! - counts add up ([`crate::tally`]), the trajectory hash is a sum, and deadlocks are found in
//!   the final state;
//! - the run ends at an instant, that of the last delivery or its limit, not at an event.
//!
//! The plan and the settings are shared and do not change. [`crate::parts`] gives each part its own:
//! - agenda and pool; an arrival over a link that leaves the part is mail for another
//!   (`fabric/border.rs`);
//! - tally: tables of classes, which are added at the end, and a log of losses, whose entries are joined up to
//!   the time that every part has passed ([`crate::losses`]);
//! - table of flow outcomes: each end of a flow writes its own columns of the flow's row;
//! - search for the last delivery: in a window that may contain it, the parts with unfinished flows run first
//!   (`parts/windows.rs`).
//!
//! A run with any of these cannot be split yet, since each exists once per world: pauses, because the switch of
//! a gate writes into the queue of the brake ([`crate::pfc`]); changes of the network; senders and receivers
//! made by functions of the caller (`custom_ends`); paths of traced packets.

mod changes;
#[cfg(all(debug_assertions, not(test)))]
mod compiled;
mod connections;
mod custom_ends;
mod finish;
mod hosts;
mod looks;
mod multipath;
mod nics;
mod part;
mod prefetch;
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
use crate::fabric::{Fabric, FabricEvent, SwitchFeatures};
use crate::fib::{Attachment, Paths};
use crate::host::{Host, ReceivingEnd, SendingEnd};
use crate::indexed::Table;
use crate::layout::{FarEnd, LinkEnds, lay_links};
use crate::network::{End, Network};
use crate::observers::Observers;
use crate::outcome::FlowOutcome;
use crate::plan::{FlowPlan, TrafficPlan};
use crate::pool::NONE;
use crate::switching::{Switch, make_sched};
use crate::tally::Tally;
use crate::trace::Tracer;
use crate::watch::{Watching, Wires};
use changes::Changes;
use connections::Connections;
use custom_ends::CustomEnds;
use multipath::Multipath;
use prefetch::PrefetchState;
use sidestep_switch::sched::AnySched;
use sidestep_switch::{AnyBuffer, AnyRoute, Depth, Sched};
use sidestep_transport::{AnyReceiver, AnySender, shim};
use sidestep_types::{FlowId, PortId, SwitchId, Time};
use std::hint::cold_path;
use std::sync::Arc;

/// Run in progress. `A` is its agenda (queue of future events): the wheel, or the slower heap, with which tests
/// check that both give the same run.
pub struct World<A: Agenda = WheelAgenda> {
    fabric: Fabric<A>,
    switches: Table<Switch>,
    hosts: Table<Host>,
    attachments: Table<Attachment>,
    senders: Vec<Option<Box<SendingEnd>>>,
    receivers: Vec<Option<Box<ReceivingEnd>>>,
    /// Flows that start when another ends: `(flow that ends, flow that starts, delay)`, sorted.
    followers: Vec<(FlowId, FlowId, Time)>,
    connections: Connections,
    multipath: Multipath,
    /// Functions of the caller that make senders and receivers; `None` if the configured transport does.
    custom_ends: Option<CustomEnds>,
    plan: Arc<TrafficPlan>,
    config: WorldConfig,
    flow_salt: u64,
    /// Outcome of each flow so far. Each number is written by the source of the flow or by its destination, never
    /// by both.
    flows: Vec<FlowOutcome>,
    tally: Tally,
    /// Number of flows not delivered yet, plus all that the run does not wait for, delivered or not.
    unfinished: u64,
    /// Instant at which the run ends, once it is known.
    end: Time,
    /// Instant up to which events are served: a limit, or the end of the run.
    served: Time,
    observers: Observers,
    /// True if hosts have shims.
    shimmed: bool,
    /// Changes of the network, if any.
    changes: Option<Box<Changes>>,
    /// Per link: its sender, its far end, and its index in the outcome.
    ends: Vec<LinkEnds>,
    /// Look-ahead for prefetching.
    foreseen: PrefetchState,
}

impl<A: Agenda> World<A> {
    /// Builds the network and gives every host its part of the plan.
    ///
    /// Errors name the impossible part of the network, plan or settings.
    pub fn new(
        network: &Network,
        plan: Arc<TrafficPlan>,
        config: WorldConfig,
    ) -> Result<World<A>, String> {
        World::along(&Paths::of(network)?, network, plan, config)
    }

    /// Builds a world as [`World::new`] does, with the `paths` of the network already computed.
    pub(crate) fn along(
        paths: &Paths,
        network: &Network,
        plan: Arc<TrafficPlan>,
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
            fabric.switch_features.require(SwitchFeatures::Watched);
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
            custom_ends: None,
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
            foreseen: PrefetchState::default(),
            plan,
            config,
        };
        world.put_nics()?;
        world.put_shims()?;
        world.hand_out_starts();
        Ok(world)
    }

    /// Replaces the buffer policy of every switch by the result of `make`: for custom policies.
    pub fn set_buffers(&mut self, mut make: impl FnMut(SwitchId) -> AnyBuffer) {
        for (s, switch) in self.switches.iter_mut().enumerate() {
            switch.set_buffer(make(SwitchId(s as u32)));
        }
    }

    /// Replaces the route of every switch by the result of `make`: for custom policies.
    ///
    /// A run panics if such a route names a port that its switch does not have.
    pub fn set_routes(&mut self, mut make: impl FnMut(SwitchId) -> AnyRoute) {
        for (s, switch) in self.switches.iter_mut().enumerate() {
            switch.set_route(make(SwitchId(s as u32)));
        }
    }

    /// Gives every switch port an explicit queue, ordered by the scheduler that `make` returns.
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

    /// Makes ranked ports schedule an event at the end of every transmission, as with pauses. By default they do
    /// so only if another packet waits. Slower; changes nothing but the count of events.
    pub fn plan_every_end(&mut self) {
        assert!(self.tally.is_fresh(), "ends are planned from the start");
        self.fabric.plan_every_end();
    }

    /// Turns on the measurements that `watching` lists. They cost time and memory, and do not change results.
    pub fn watch(&mut self, watching: Watching) {
        assert!(self.tally.is_fresh(), "watching begins with the run");
        let wires = match watching.latency {
            Some(_) => self.wires(),
            None => Wires::new(),
        };
        self.observers.watch(watching, wires);
    }

    /// Returns the rate and delay of the link at each switch port.
    fn wires(&self) -> Wires {
        let links = (0..).zip(&self.ends);
        let wires = links.filter_map(|(link, ends)| match ends.from {
            End::Switch(switch) => Some(((switch, ends.port), *self.fabric.wire(link))),
            End::Host(_) => None,
        });
        wires.collect()
    }

    /// Gives every flow a sender and a receiver made by the caller: for custom transports.
    ///
    /// Each is made when its flow starts or its first packet arrives. The configured transport is then ignored.
    pub fn set_transport(
        &mut self,
        sender: impl FnMut(FlowId, &FlowPlan) -> AnySender + Send + 'static,
        receiver: impl FnMut(FlowId, &FlowPlan) -> AnyReceiver + Send + 'static,
    ) {
        assert!(
            self.tally.is_fresh(),
            "a transport is set before the run starts"
        );
        self.custom_ends = Some(CustomEnds {
            sender: Box::new(sender),
            receiver: Box::new(receiver),
        });
    }

    /// Serves events up to and including `limit`. Returns true if every flow has been delivered; the run ends
    /// at that instant, and all events of that instant are served too.
    pub fn run_until(&mut self, limit: Time) -> bool {
        if self.changes.is_some() {
            self.change_until(limit);
        }
        self.serve_until(limit);
        self.served = self.served.max(limit.min(self.end));
        self.unfinished == 0
    }

    /// Turns prefetching on if the network is large, then serves events up to and including `limit`.
    fn serve_until(&mut self, limit: Time) {
        self.look_ahead();
        self.serve(limit);
    }

    /// Runs the event loop of [`World::serve_until`]. Not inlined: code after the loop would take registers from it.
    #[inline(never)]
    fn serve(&mut self, limit: Time) {
        let mut limit = limit.min(self.end);
        while let Some(slot) = self.fabric.next(limit) {
            if self.foreseen.is_due() {
                cold_path();
                self.prefetch_ahead();
            }
            self.tally.event();
            match self.fabric.happens(slot) {
                FabricEvent::Arrival { link, parcel } => match self.fabric.links[link].far() {
                    FarEnd::Switch(s) => self.at_switch(s, link, parcel),
                    FarEnd::Host(h) => {
                        self.at_host(h, parcel);
                        limit = limit.min(self.end);
                    }
                },
                // The timer of a shim may make the last delivery.
                FabricEvent::Wake { host } => {
                    cold_path();
                    self.wake(host);
                    limit = limit.min(self.end);
                }
                FabricEvent::Sent { lost: NONE } => {}
                FabricEvent::Sent { lost } => {
                    cold_path();
                    self.swallowed(lost);
                }
            }
        }
    }

    /// Returns the instant up to which the run is served, whether or not anything happened just before it. In a run
    /// without a limit that has nothing left to do, this is the last event.
    pub fn now(&self) -> Time {
        match self.served {
            Time::MAX => self.fabric.latest(Time::MAX),
            served => served.max(self.fabric.now),
        }
    }

    /// Returns the number of flows not delivered yet, plus all that the run does not wait for
    /// ([`TrafficPlan::unawaited`]), delivered or not.
    pub fn unfinished(&self) -> u64 {
        self.unfinished
    }

    /// Returns the packet-hops so far: deliveries of one packet over one link.
    pub fn packet_hops(&self) -> u64 {
        self.fabric.links.iter().map(|link| link.packets).sum()
    }

    /// Returns the packets queued before each link now, in the order of the outcome's ports.
    pub fn queue_lengths(&mut self) -> Vec<u32> {
        let mut lengths = vec![0; self.ends.len()];
        for (link, ends) in self.ends.iter().enumerate() {
            lengths[ends.place] = self.fabric.depth(link as u32).packets;
        }
        lengths
    }

    /// Returns the depth at `at` of the queue before each link, in the order of the outcome's ports.
    ///
    /// Panics if `at` is before the last event, or after the latest limit of [`World::run_until`] or the end of
    /// the run: events before it have not been served.
    pub fn queue_depths(&mut self, at: Time) -> Vec<Depth> {
        let (now, served) = (self.fabric.latest(self.served), self.served);
        assert!(
            (now..=served.max(now)).contains(&at),
            "queue depths were requested at {at}, but are known only from {now} to {served}"
        );
        let mut depths = vec![Depth::default(); self.ends.len()];
        for (link, ends) in self.ends.iter().enumerate() {
            depths[ends.place] = self.fabric.depth_at(link as u32, at);
        }
        depths
    }

    /// Returns the bytes of link time that have arrived over each link, in the order of the outcome's ports.
    pub fn link_bytes(&self) -> Vec<u64> {
        let mut bytes = vec![0; self.ends.len()];
        for (link, ends) in self.ends.iter().enumerate() {
            bytes[ends.place] = self.fabric.links[link as u32].wire_bytes;
        }
        bytes
    }
}
