//! One run: a network, a plan and settings, driven event by event.
//!
//! Links, switches and hosts own their state and meet only through packets on links, so a
//! run can be cut between any of them. Everything that is shared, the plan and the
//! settings, does not change.

mod hosts;

use crate::agenda::{Agenda, WheelAgenda};
use crate::checks::{check_plan, check_settings};
use crate::config::WorldConfig;
use crate::fabric::{Fabric, Happening};
use crate::fib::{Attachment, Ports};
use crate::host::{Host, ReceivedFlow, ReceivingEnd, SendingEnd, SentFlow};
use crate::indexed::Table;
use crate::layout::{Far, LinkEnds, lay_links};
use crate::losses::LossLog;
use crate::network::{End, Network};
use crate::outcome::{ClassOutcome, FlowOutcome, Outcome, PortOutcome, Totals};
use crate::pfc::Deadlock;
use crate::plan::{FlowPlan, Plan};
use crate::switching::{Switch, make_sched};
use crate::trace::Tracer;
use crate::watch::{DetourSeen, Watched, Watching};
use hosts::Machines;
use sidestep_switch::ports::Counts;
use sidestep_switch::sched::AnySched;
use sidestep_switch::{Action, AnyBuffer, AnyRoute, Depth, Sched};
use sidestep_transport::{AnyReceiver, AnySender};
use sidestep_types::{FlowId, PortId, SwitchId, Time};
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
    /// Makes the flows' ends, when they are the caller's.
    machines: Option<Machines>,
    plan: Arc<Plan>,
    config: WorldConfig,
    flow_salt: u64,
    /// Each written by its flow's source alone.
    sent: Vec<SentFlow>,
    /// Each written by its flow's destination alone.
    received: Vec<ReceivedFlow>,
    /// Written by everybody, read by nobody before the end.
    losses: LossLog,
    classes: Vec<ClassOutcome>,
    totals: Totals,
    /// Finite flows whose last byte has not been delivered, and endless ones.
    unfinished: u64,
    /// The instant with which the run ends, once it is known.
    end: Time,
    /// The latest limit that was served until.
    served: Time,
    tracer: Tracer,
    /// Per link: whose it is, where it leads, and its place in the outcome.
    ends: Vec<LinkEnds>,
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
        network.validate()?;
        check_plan(network, &plan)?;
        check_settings(&config)?;
        let ports = Ports::number(network)?;
        let fibs = ports.shortest_paths(&network.switches)?;
        let (links, ends) = lay_links(network, &ports);
        let mut fabric = Fabric::new(
            &links,
            &ends,
            network.hosts,
            &config.switch,
            config.framing,
            config.transport.mss(),
            config.seed,
        );
        let mut switches = Vec::new();
        let mut first = network.hosts;
        for (s, fib) in fibs.into_iter().enumerate() {
            let to_switch: Vec<bool> = ports.of_switch[s]
                .iter()
                .map(|(far, _, _)| matches!(far, End::Switch(_)))
                .collect();
            let me = s as u32;
            let switch = Switch::new(&config.switch, me, first, &to_switch, fib, config.seed)?;
            switches.push(switch);
            let next = first + to_switch.len() as u32;
            for link in first..next {
                let sched = make_sched(&config.switch, me, to_switch.len() as u16, config.seed)?;
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
            attachments: Table::new(ports.attachments),
            senders: std::iter::repeat_with(|| None).take(flows).collect(),
            receivers: std::iter::repeat_with(|| None).take(flows).collect(),
            followers: Vec::new(),
            machines: None,
            flow_salt: config.seed.salt("flow hash"),
            sent: vec![SentFlow::default(); flows],
            received: vec![ReceivedFlow::default(); flows],
            losses: LossLog::default(),
            classes: vec![ClassOutcome::default(); plan.classes.len()],
            totals: Totals::default(),
            unfinished: flows as u64,
            end: if flows == 0 { Time::ZERO } else { Time::MAX },
            served: Time::ZERO,
            tracer: Tracer::new(config.trace.clone()),
            ends,
            plan,
            config,
        };
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
            self.totals.events == 0,
            "schedulers are set before the run starts"
        );
        for (link, ends) in self.ends.iter().enumerate() {
            if let End::Switch(switch) = ends.from {
                self.fabric.rank(link as u32, make(switch, ends.port));
            }
        }
    }

    /// Watches more closely: costs time and memory, changes nothing that happens.
    pub fn watch(&mut self, watching: Watching) {
        assert!(self.totals.events == 0, "watching begins with the run");
        self.tracer.watch(watching);
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
            self.totals.events == 0,
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
        self.served = self.served.max(limit);
        let mut limit = limit.min(self.end);
        while let Some(happening) = self.fabric.next(limit) {
            self.totals.events += 1;
            match happening {
                Happening::Arrival { link, parcel } => {
                    self.totals.packet_hops += 1;
                    match self.fabric.links[link].far() {
                        Far::Switch(s) => self.at_switch(s, link, parcel),
                        Far::Host(h) => {
                            self.at_host(h, parcel);
                            limit = limit.min(self.end);
                        }
                    }
                }
                Happening::Wake { host } => self.wake(host),
                Happening::Sent => {}
            }
        }
        self.unfinished == 0
    }

    /// The time of the last event.
    pub fn now(&self) -> Time {
        self.fabric.now
    }

    /// Flows not yet delivered, endless ones included.
    pub fn unfinished(&self) -> u64 {
        self.unfinished
    }

    /// Deliveries of one packet over one link so far.
    pub fn packet_hops(&self) -> u64 {
        self.totals.packet_hops
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
    /// [`World::run_until`]: a later event may still come before it.
    pub fn queue_depths(&mut self, at: Time) -> Vec<Depth> {
        let (now, served) = (self.fabric.now, self.served);
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

    /// Ends the run at the present and says what became of everything.
    pub fn finish(self) -> Outcome {
        self.finish_watched().0
    }

    /// [`World::finish`], with what was watched.
    pub fn finish_watched(mut self) -> (Outcome, Watched) {
        for f in 0..self.plan.flows.len() {
            self.close_sender(f);
            self.close_receiver(f);
        }
        let flows = self.join_flows();
        let sum = |count: fn(&FlowOutcome) -> u32| -> u64 {
            flows.iter().map(|f| u64::from(count(f))).sum()
        };
        let mut counts = Counts::default();
        (self.switches.iter()).for_each(|switch| counts += &switch.total());
        let totals = Totals {
            in_flight: u64::from(self.fabric.pool.live()),
            sent: self.hosts.iter().map(|h| h.sent).sum(),
            drops: counts.drops,
            detours: counts.detours_in,
            marks: counts.marks,
            trims: counts.trims,
            retransmits: sum(|f| f.retransmits),
            timeouts: sum(|f| f.timeouts),
            spurious_retransmits: sum(|f| f.spurious_retransmits),
            spurious_timeouts: sum(|f| f.spurious_timeouts),
            pauses: self.fabric.pauses(),
            ..self.totals
        };
        let mut ports: Vec<(usize, PortOutcome)> = (self.ends.iter().enumerate())
            .map(|(link, ends)| (ends.place, self.port_outcome(link as u32, ends)))
            .collect();
        ports.sort_unstable_by_key(|p| p.0);
        for class in &mut self.classes {
            class.detours_each.add(0, class.delivered - class.detoured);
        }
        let deadlocks = self.deadlocks();
        let (traces, watched) = self.tracer.finish();
        let outcome = Outcome {
            ports: ports.into_iter().map(|p| p.1).collect(),
            flows,
            classes: self.classes,
            totals,
            deadlocks,
            end: self.fabric.now,
            trajectory_hash: self.fabric.hash,
            traces,
        };
        (outcome, watched)
    }

    /// What became of every flow, from what its two ends and the network know.
    fn join_flows(&mut self) -> Vec<FlowOutcome> {
        let losses = std::mem::take(&mut self.losses).finish();
        let ends = self.sent.iter().zip(&self.received).enumerate();
        let join = |(f, (sent, received))| {
            let losses = losses.get(&FlowId(f as u32)).copied();
            FlowOutcome::join(sent, received, losses.unwrap_or_default())
        };
        ends.map(join).collect()
    }

    fn port_outcome(&self, link: u32, ends: &LinkEnds) -> PortOutcome {
        let l = &self.fabric.links[link];
        let counts = match ends.from {
            End::Switch(s) => *self.switches[s.0].counts(ends.port),
            End::Host(_) => Counts::default(),
        };
        let (pauses, paused) = self.fabric.paused(link);
        let peak = l.line.peak();
        PortOutcome {
            from: ends.from,
            port: ends.port,
            to: ends.to,
            rate: self.fabric.wire(link).rate,
            packets: l.packets,
            wire_bytes: l.wire_bytes,
            marks: counts.marks,
            detours_in: counts.detours_in,
            detours_out: counts.detours_out,
            trims: counts.trims,
            drops: counts.drops,
            peak_packets: peak.packets,
            peak_bytes: peak.bytes,
            pauses,
            paused,
            input_peak_bytes: self.fabric.input_peak(link),
        }
    }

    fn deadlocks(&self) -> Vec<Deadlock> {
        let place = |link: &u32| self.ends[*link as usize].place as u32;
        let found = self.fabric.deadlocks().into_iter();
        let told = |(at, cycle): (Time, Vec<u32>)| Deadlock {
            at,
            ports: cycle.iter().map(place).collect(),
        };
        found.map(told).collect()
    }

    #[inline]
    fn at_switch(&mut self, switch: u32, link: u32, parcel: u32) {
        let packet = &self.fabric.pool.get(parcel).packet;
        let dst = self.attachments[packet.dst.0];
        let traced = packet.traced();
        let (here, fabric) = (&mut self.switches[switch], &mut self.fabric);
        let done = if fabric.inner {
            here.forward::<A, true>(fabric, link, parcel, dst)
        } else {
            here.forward::<A, false>(fabric, link, parcel, dst)
        };
        match done.action {
            Action::Queued { port, .. } => {
                if port != done.want.port {
                    self.count_detour(parcel, SwitchId(switch), done.want.port, port);
                }
            }
            Action::Squeezed { .. } => self.count_evicted(switch, done.want.port),
            Action::Dropped(_) => {
                self.count_evicted(switch, done.want.port);
                self.count_drop(parcel);
            }
            Action::NoMemory => unreachable!("the pool grows"),
        }
        if traced {
            let trimmed = self.fabric.pool.get(parcel).packet.is_trimmed_data();
            let (now, switch) = (self.fabric.now, SwitchId(switch));
            self.tracer.switched(now, parcel, switch, &done, trimmed);
        }
    }

    #[inline(never)]
    fn count_detour(&mut self, parcel: u32, switch: SwitchId, wanted: PortId, taken: PortId) {
        self.tracer.detour(DetourSeen {
            at: self.fabric.now,
            switch,
            wanted,
            taken,
        });
        let packet = &self.fabric.pool.get(parcel).packet;
        if packet.carries_data() {
            self.classes[packet.class as usize].detours += 1;
        }
    }

    /// Counts the packets that `switch` has just evicted from the queue of `port`, and frees them.
    #[inline(never)]
    fn count_evicted(&mut self, switch: u32, port: PortId) {
        let evicted = std::mem::take(&mut self.switches[switch].evicted);
        for &parcel in &evicted {
            if self.fabric.pool.get(parcel).packet.traced() {
                let (now, switch) = (self.fabric.now, SwitchId(switch));
                self.tracer.evicted(now, parcel, switch, port);
            }
            self.count_drop(parcel);
        }
        self.switches[switch].evicted = evicted;
        self.switches[switch].evicted.clear();
    }

    /// Counts a drop and frees the packet.
    #[inline(never)]
    fn count_drop(&mut self, parcel: u32) {
        let packet = &self.fabric.pool.get(parcel).packet;
        if packet.carries_data() || packet.is_trimmed_data() {
            self.classes[packet.class as usize].dropped += 1;
        }
        self.losses.dropped(self.fabric.now, packet);
        self.fabric.pool.free(parcel);
    }
}
