//! One run: a network, a plan and settings, driven event by event.
//!
//! Links, switches and hosts own their state and meet only through packets on links, so a
//! run can be cut between any of them. Everything that is shared, the plan and the
//! settings, does not change.

use crate::agenda::{Agenda, WheelAgenda};
use crate::checks::{check_plan, check_settings};
use crate::config::WorldConfig;
use crate::counts::Totals;
use crate::fabric::{Fabric, Far, Happening, flow_hashes};
use crate::fib::{Attachment, Ports};
use crate::host::{Alarm, Host, ReceivingEnd, Seen, SendingEnd};
use crate::indexed::Table;
use crate::layout::{LinkEnds, lay_inner, lay_links, rank_ports};
use crate::lost::{Lost, SYN};
use crate::network::{End, Network};
use crate::order::Order;
use crate::outcome::{ClassOutcome, FlowOutcome, Outcome, PortOutcome, TraceEvent};
use crate::packets::{ack, ack_packet, arrival, data_packet};
use crate::pfc::Deadlock;
use crate::plan::{FlowPlan, Plan, Start};
use crate::switching::{Action, Done, Switch};
use crate::trace::Tracer;
use crate::watch::{DetourSeen, Watched, Watching};
use sidestep_switch::sched::AnySched;
use sidestep_switch::{AnyBuffer, AnyRoute, Depth, DropReason, Verdict};
use sidestep_transport::{Ack, AnyReceiver, AnySender, Receiver, Segment, Sender};
use sidestep_types::{FlowId, HostId, Kind, Packet, PortId, SwitchId, Time};
use std::cmp::Reverse;
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
    flows: Vec<FlowOutcome>,
    classes: Vec<ClassOutcome>,
    totals: Totals,
    /// Finite flows whose last byte has not been delivered, and endless ones.
    unfinished: u64,
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
        let inner = config.switch.pfc.is_some() || config.switch.cioq.is_some();
        let mut fabric = Fabric::new(&links, network.hosts, config.framing, config.seed, inner);
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
            rank_ports(&mut fabric, &config, first, to_switch.len() as u32)?;
            first += to_switch.len() as u32;
        }
        lay_inner(&mut fabric, &config, &ends);
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
            flows: vec![FlowOutcome::default(); flows],
            classes: vec![ClassOutcome::default(); plan.classes.len()],
            totals: Totals::default(),
            unfinished: flows as u64,
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

    /// Serves events up to and including `limit`. Says whether every flow has been delivered,
    /// in which case it stops there and then.
    pub fn run_until(&mut self, limit: Time) -> bool {
        while self.unfinished > 0 {
            let Some(happening) = self.fabric.next(limit) else {
                return false;
            };
            self.totals.events += 1;
            match happening {
                Happening::Arrival { link, parcel } => {
                    self.totals.packet_hops += 1;
                    match self.fabric.links[link].far() {
                        Far::Switch(s) => self.at_switch(s, link, parcel),
                        Far::Host(h) => self.at_host(h, parcel),
                    }
                }
                Happening::Wake { host } => self.wake(host),
                Happening::Sent => {}
            }
        }
        true
    }

    /// The time of the last event.
    pub fn now(&self) -> Time {
        self.fabric.now
    }

    /// Flows not yet delivered, endless ones included.
    pub fn unfinished(&self) -> u64 {
        self.unfinished
    }

    /// What has been counted so far; `in_flight` and what senders count only by [`World::finish`].
    pub fn totals(&self) -> &Totals {
        &self.totals
    }

    /// How many packets wait on each link now, in the order of the outcome's ports.
    pub fn queue_lengths(&mut self) -> Vec<u32> {
        let mut lengths = vec![0; self.ends.len()];
        for (link, ends) in self.ends.iter().enumerate() {
            lengths[ends.place] = self.fabric.depth(link as u32).packets;
        }
        lengths
    }

    /// How full the queue before each link is at `at`, in the order of the outcome's ports. `at` is
    /// not before [`World::now`] nor after the limit of the last [`World::run_until`].
    pub fn queue_depths(&mut self, at: Time) -> Vec<Depth> {
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
        for f in 0..self.flows.len() {
            self.close_sender(f);
            self.close_receiver(f);
        }
        let sum = |count: fn(&FlowOutcome) -> u32| -> u64 {
            self.flows.iter().map(|f| u64::from(count(f))).sum()
        };
        let totals = Totals {
            in_flight: u64::from(self.fabric.pool.live()),
            sent: self.hosts.iter().map(|h| h.sent).sum(),
            retransmits: sum(|f| f.retransmits),
            timeouts: sum(|f| f.timeouts),
            spurious_retransmits: sum(|f| f.spurious_retransmits),
            spurious_timeouts: sum(|f| f.spurious_timeouts),
            pauses: self.fabric.pfc.as_ref().map_or(0, |pfc| pfc.pauses),
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
            flows: self.flows,
            classes: self.classes,
            totals,
            deadlocks,
            end: self.fabric.now,
            trajectory_hash: self.fabric.hash,
            traces,
        };
        (outcome, watched)
    }

    fn port_outcome(&self, link: u32, ends: &LinkEnds) -> PortOutcome {
        let l = &self.fabric.links[link];
        let counts = match ends.from {
            End::Switch(s) => self.switches[s.0].counts[ends.port.index()],
            End::Host(_) => Default::default(),
        };
        let pfc = self.fabric.pfc.as_ref();
        let (pauses, paused) =
            pfc.map_or_else(Default::default, |pfc| pfc.seen(link, self.fabric.now));
        PortOutcome {
            from: ends.from,
            port: ends.port,
            to: ends.to,
            rate: self.fabric.wire(link).rate,
            packets: l.packets,
            wire_bytes: l.wire_bytes,
            counts,
            peak_packets: l.peak.packets,
            peak_bytes: l.peak.bytes,
            pauses,
            paused,
            input_peak_bytes: self.fabric.input_peak(link),
        }
    }

    fn deadlocks(&self) -> Vec<Deadlock> {
        let place = |link: &u32| self.ends[*link as usize].place as u32;
        let found = self.fabric.pfc.iter().flat_map(|pfc| &pfc.deadlocks);
        let told = |(at, cycle): &(Time, Vec<u32>)| Deadlock {
            at: *at,
            ports: cycle.iter().map(place).collect(),
        };
        found.map(told).collect()
    }

    #[inline]
    fn at_switch(&mut self, switch: u32, link: u32, parcel: u32) {
        let packet = &self.fabric.pool.get(parcel).packet;
        let dst = self.attachments[packet.dst.0];
        let traced = packet.traced();
        if traced {
            self.tracer.look(&mut self.fabric, &self.switches[switch]);
        }
        let (here, fabric) = (&mut self.switches[switch], &mut self.fabric);
        let mut done = if fabric.inner {
            here.forward::<A, true>(fabric, link, parcel, dst)
        } else {
            here.forward::<A, false>(fabric, link, parcel, dst)
        };
        match done.action {
            Action::Queued { port, marked, .. } => {
                self.totals.marks += u64::from(marked);
                if port != done.wanted {
                    self.count_detour(parcel, SwitchId(switch), done.wanted, port);
                }
            }
            Action::Dropped(reason) => self.count_drop(parcel, reason),
            Action::Pending(verdict) => {
                done.action = self.squeeze(switch, link, parcel, done.wanted, verdict);
            }
        }
        if traced {
            let trimmed = self.fabric.pool.get(parcel).packet.is_trimmed_data();
            let (now, switch) = (self.fabric.now, SwitchId(switch));
            self.tracer.switched(now, parcel, switch, done, trimmed);
        }
    }

    /// Lets the switch evict or trim, and counts that.
    #[cold]
    #[inline(never)]
    fn squeeze(
        &mut self,
        switch: u32,
        link: u32,
        parcel: u32,
        wanted: PortId,
        verdict: Verdict,
    ) -> Action {
        let s = &mut self.switches[switch];
        let action = s.squeeze(&mut self.fabric, link, parcel, wanted, verdict);
        self.totals.trims += u64::from(verdict == Verdict::Trim);
        self.count_evicted(switch, wanted);
        match action {
            Action::Dropped(reason) => self.count_drop(parcel, reason),
            Action::Queued { marked, .. } => self.totals.marks += u64::from(marked),
            Action::Pending(_) => {}
        }
        action
    }

    #[inline(never)]
    fn count_detour(&mut self, parcel: u32, switch: SwitchId, wanted: PortId, taken: PortId) {
        self.totals.detours += 1;
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
    fn count_evicted(&mut self, switch: u32, port: PortId) {
        let done = Done {
            wanted: port,
            action: Action::Dropped(DropReason::Evicted),
        };
        while let Some(parcel) = self.switches[switch].evicted.pop() {
            if self.fabric.pool.get(parcel).packet.traced() {
                let (now, switch) = (self.fabric.now, SwitchId(switch));
                self.tracer.switched(now, parcel, switch, done, false);
            }
            self.count_drop(parcel, DropReason::Evicted);
        }
    }

    /// Counts a drop and frees the packet.
    #[inline(never)]
    fn count_drop(&mut self, parcel: u32, reason: DropReason) {
        self.totals.drops[reason as usize] += 1;
        let packet = &self.fabric.pool.get(parcel).packet;
        if packet.carries_data() || packet.is_trimmed_data() {
            self.flows[packet.flow.0 as usize].drops += 1;
            self.classes[packet.class as usize].dropped += 1;
        }
        let packet = *packet;
        self.lose(&packet);
        self.fabric.pool.free(parcel);
    }

    /// The network has lost what `packet` carries: its sender's next attempt is needed.
    fn lose(&mut self, packet: &Packet) {
        let Some(end) = &mut self.senders[packet.flow.0 as usize] else {
            return;
        };
        let (seq, len) = (packet.seq(), u64::from(packet.len));
        match packet.kind() {
            Kind::Syn => end.lost.add(SYN, SYN + 1),
            // Cut or whole.
            Kind::Data if len > 0 => end.lost.add(seq, seq + len),
            Kind::Data | Kind::Ack | Kind::SynAck => {}
        }
    }

    #[inline]
    fn at_host(&mut self, host: u32, parcel: u32) {
        let packet = self.fabric.pool.get(parcel).packet;
        assert!(
            packet.dst.0 == host,
            "a packet reached a host it does not go to: a buffer policy detoured it there"
        );
        self.fabric.pool.free(parcel);
        self.totals.delivered += 1;
        self.totals.detoured += u64::from(packet.detours > 0);
        if packet.traced() {
            self.tracer
                .step(self.fabric.now, parcel, TraceEvent::Delivered);
            self.tracer.close(parcel);
        }
        match packet.kind() {
            Kind::Data | Kind::Syn => self.on_segment(&packet),
            Kind::Ack | Kind::SynAck => self.on_ack(&packet),
        }
    }

    #[inline]
    fn on_ack(&mut self, packet: &Packet) {
        let now = self.fabric.now;
        let flow = packet.flow;
        let Some(end) = &mut self.senders[flow.0 as usize] else {
            return;
        };
        end.sender.on_ack(now, ack(packet));
        self.drive_sender(flow);
    }

    /// Sends what the sender of `flow` will send now, and sees to its timer and its end.
    #[inline]
    fn drive_sender(&mut self, flow: FlowId) {
        let now = self.fabric.now;
        let Some(end) = self.senders[flow.0 as usize].as_deref_mut() else {
            return;
        };
        let (src, dst, hash, class) = (end.src, end.dst, end.hash, end.class);
        while let Some(segment) = end.sender.poll_send(now) {
            let packet = data_packet(segment, flow, dst, hash, class, &self.config);
            self.classes[class as usize].sent += u64::from(segment.len > 0);
            if segment.retransmit && !end.was_lost(&segment) {
                self.flows[flow.0 as usize].spurious_retransmits += 1;
            }
            let host = &mut self.hosts[src.0];
            send(&mut self.fabric, &mut self.tracer, host, src, packet);
        }
        if end.sender.is_done() {
            self.close_sender(flow.0 as usize);
            return;
        }
        if let Some(due) = end.sender.deadline()
            && due < end.armed
        {
            end.armed = due;
            let host = src;
            self.set_alarm(host, due, flow, Alarm::Sender);
        }
    }

    #[inline]
    fn on_segment(&mut self, packet: &Packet) {
        let now = self.fabric.now;
        let flow = packet.flow;
        let f = flow.0 as usize;
        let data = packet.carries_data() && !packet.trimmed();
        if data {
            let class = &mut self.classes[packet.class as usize];
            class.delivered += 1;
            class.marked += u64::from(packet.ce());
            if packet.detours > 0 {
                self.count_detoured(packet);
            }
        } else if packet.trimmed() {
            self.classes[packet.class as usize].trimmed += 1;
            self.lose(packet);
        }
        if self.receivers[f].is_none() {
            if self.flows[f].finished.is_some() {
                return self.on_late_segment(packet);
            }
            self.open_receiver(flow);
        }
        let end = self.receivers[f].as_deref_mut().expect("just opened");
        if data && let Some(n) = end.see(packet) {
            let class = &mut self.classes[packet.class as usize];
            class.reordered += 1;
            class.n_reordering.count(n);
        }
        end.receiver.on_segment(now, arrival(packet));
        let finished = end.receiver.delivered() >= end.size;
        self.drive_receiver(flow);
        if finished {
            self.flow_delivered(flow);
        }
    }

    /// A data packet has arrived that was detoured: how often, and how far out of its way.
    #[inline(never)]
    fn count_detoured(&mut self, packet: &Packet) {
        let f = packet.flow.0 as usize;
        let known = self.receivers[f].as_deref().map_or(0, |end| end.shortest);
        let shortest = if known > 0 { known } else { self.shortest(f) };
        if let Some(end) = &mut self.receivers[f] {
            end.shortest = shortest;
        }
        let crossed = self.config.ttl - packet.ttl;
        let class = &mut self.classes[packet.class as usize];
        class.detoured += 1;
        class.detours_each.add(usize::from(packet.detours), 1);
        let (shortest, crossed) = (usize::from(shortest), usize::from(crossed));
        if class.extra_hops.len() <= shortest {
            class.extra_hops.resize_with(shortest + 1, Default::default);
        }
        class.extra_hops[shortest].add(crossed - shortest, 1);
    }

    /// The switches on a shortest path of flow `f`'s data; a time to live is enough for it.
    fn shortest(&self, f: usize) -> u8 {
        let flow = &self.plan.flows[f];
        let mut at = self.attachments[flow.src.0].switch;
        let to = self.attachments[flow.dst.0].switch;
        let mut switches = 1u8;
        while at != to {
            let link = self.switches[at].toward(to);
            let Far::Switch(next) = self.fabric.links[link].far() else {
                panic!("a host on the way from switch to switch");
            };
            at = next;
            switches += 1;
        }
        switches
    }

    /// Sends the acknowledgements that the receiver of `flow` has ready, and sees to its timer.
    #[inline]
    fn drive_receiver(&mut self, flow: FlowId) {
        let now = self.fabric.now;
        let end = self.receivers[flow.0 as usize]
            .as_deref_mut()
            .expect("an open receiver");
        let (me, peer, hash, class) = (end.dst, end.src, end.hash, end.class);
        while let Some(ack) = end.receiver.poll_ack(now) {
            let packet = ack_packet(&ack, flow, peer, hash, class, &self.config);
            let host = &mut self.hosts[me.0];
            send(&mut self.fabric, &mut self.tracer, host, me, packet);
        }
        if let Some(due) = end.receiver.deadline()
            && due < end.armed
        {
            end.armed = due;
            self.set_alarm(me, due, flow, Alarm::Receiver);
        }
    }

    /// A segment of a flow that is complete: its sender missed the acknowledgement, unless it
    /// is the last packet of the handshake, overtaken by all the data.
    #[cold]
    fn on_late_segment(&mut self, packet: &Packet) {
        if packet.kind() == Kind::Data && packet.len == 0 {
            return;
        }
        let flow = packet.flow;
        let f = &self.plan.flows[flow.0 as usize];
        let outcome = &mut self.flows[flow.0 as usize];
        outcome.detours += u32::from(packet.detours);
        outcome.max_detours = outcome.max_detours.max(packet.detours);
        outcome.marks += u32::from(packet.ce());
        let ack = Ack {
            ack: f.size,
            ece: packet.ce(),
            syn: packet.kind() == Kind::Syn,
            sack: Default::default(),
            cut: false,
        };
        let hash = flow_hashes(self.flow_salt, flow.0).1;
        let reply = ack_packet(&ack, flow, f.src, hash, f.class, &self.config);
        let me = f.dst;
        let host = &mut self.hosts[me.0];
        send(&mut self.fabric, &mut self.tracer, host, me, reply);
    }

    /// The last byte of `flow` has been delivered in order.
    fn flow_delivered(&mut self, flow: FlowId) {
        let now = self.fabric.now;
        self.flows[flow.0 as usize].finished = Some(now);
        self.unfinished -= 1;
        let end = self.receivers[flow.0 as usize]
            .as_deref_mut()
            .expect("an open receiver");
        // A delayed acknowledgement is still owed: the receiver stays until it is sent.
        end.size = FlowPlan::ENDLESS;
        if end.receiver.deadline().is_none() {
            self.close_receiver(flow.0 as usize);
        }
        let first = self.followers.partition_point(|f| f.0 < flow);
        let here = self.plan.flows[flow.0 as usize].dst;
        for i in first..self.followers.len() {
            let (other, follower, wait) = self.followers[i];
            if other != flow {
                break;
            }
            self.set_alarm(here, now + wait, follower, Alarm::Start);
        }
    }

    fn open_receiver(&mut self, flow: FlowId) {
        let plan = &self.plan.flows[flow.0 as usize];
        let receiver = match &mut self.machines {
            None => self.config.transport.receiver(),
            Some(own) => (own.receiver)(flow, plan),
        };
        let end = ReceivingEnd {
            receiver,
            armed: Time::MAX,
            src: plan.src,
            dst: plan.dst,
            hash: flow_hashes(self.flow_salt, flow.0).1,
            class: plan.class,
            size: plan.size,
            shortest: 0,
            order: Order::default(),
            seen: Seen::default(),
        };
        self.receivers[flow.0 as usize] = Some(Box::new(end));
    }

    fn start_flow(&mut self, flow: FlowId) {
        let plan = &self.plan.flows[flow.0 as usize];
        let size = (!plan.is_endless()).then_some(plan.size);
        let sender = match &mut self.machines {
            None => self.config.transport.sender(size),
            Some(own) => (own.sender)(flow, plan),
        };
        let end = SendingEnd {
            sender,
            armed: Time::MAX,
            src: plan.src,
            dst: plan.dst,
            hash: flow_hashes(self.flow_salt, flow.0).0,
            class: plan.class,
            lost: Lost::default(),
        };
        self.flows[flow.0 as usize].started = Some(self.fabric.now);
        self.senders[flow.0 as usize] = Some(Box::new(end));
        self.drive_sender(flow);
    }

    /// Keeps the sender's counts and lets it go.
    fn close_sender(&mut self, f: usize) {
        if let Some(end) = self.senders[f].take() {
            let counters = end.sender.counters();
            let outcome = &mut self.flows[f];
            outcome.segments = counters.segments;
            outcome.retransmits = counters.retransmits;
            outcome.timeouts = counters.timeouts;
            outcome.fast_retransmits = counters.fast_retransmits;
        }
    }

    /// Keeps what the receiver saw and lets it go.
    fn close_receiver(&mut self, f: usize) {
        if let Some(end) = self.receivers[f].take() {
            let outcome = &mut self.flows[f];
            outcome.delivered_bytes = end.receiver.delivered();
            outcome.reordered += end.order.reordered;
            outcome.reordering_extent = end.order.extent;
            outcome.n_reordering = end.order.n;
            outcome.marks += end.seen.marks;
            outcome.detours += end.seen.detours;
            outcome.max_detours = outcome.max_detours.max(end.seen.max_detours);
        }
    }

    /// Something is due at `host`.
    fn wake(&mut self, host: u32) {
        let now = self.fabric.now;
        self.hosts[host].wake_at = Time::MAX;
        while let Some(&(at, flow)) = self.hosts[host].starts.last() {
            if at > now {
                break;
            }
            self.hosts[host].starts.pop();
            self.start_flow(flow);
        }
        while let Some(&Reverse((at, flow, alarm))) = self.hosts[host].due.peek() {
            if at > now {
                break;
            }
            self.hosts[host].due.pop();
            match alarm {
                Alarm::Start => self.start_flow(flow),
                Alarm::Sender => self.sender_alarm(flow, at),
                Alarm::Receiver => self.receiver_alarm(flow, at),
            }
        }
        self.plan_wake(host);
    }

    fn sender_alarm(&mut self, flow: FlowId, at: Time) {
        let now = self.fabric.now;
        let Some(end) = self.senders[flow.0 as usize].as_deref_mut() else {
            return;
        };
        if end.armed != at {
            return;
        }
        end.armed = Time::MAX;
        if end.sender.deadline().is_some_and(|due| due <= now) {
            let spurious = end.times_out(now);
            self.flows[flow.0 as usize].spurious_timeouts += u32::from(spurious);
        }
        self.drive_sender(flow);
    }

    fn receiver_alarm(&mut self, flow: FlowId, at: Time) {
        let now = self.fabric.now;
        let Some(end) = self.receivers[flow.0 as usize].as_deref_mut() else {
            return;
        };
        if end.armed != at {
            return;
        }
        end.armed = Time::MAX;
        if end.receiver.deadline().is_some_and(|due| due <= now) {
            end.receiver.on_timeout(now);
        }
        let owes = end.receiver.deadline().is_some();
        self.drive_receiver(flow);
        if !owes && self.flows[flow.0 as usize].finished.is_some() {
            self.close_receiver(flow.0 as usize);
        }
    }

    fn set_alarm(&mut self, host: HostId, at: Time, flow: FlowId, alarm: Alarm) {
        self.hosts[host.0].due.push(Reverse((at, flow, alarm)));
        self.plan_wake(host.0);
    }

    /// Sees that the host's slot goes off when the earliest thing is due.
    #[inline]
    fn plan_wake(&mut self, host: u32) {
        let h = &mut self.hosts[host];
        let due = h.next_due();
        if due >= h.wake_at {
            return;
        }
        let planned = h.wake_at != Time::MAX;
        h.wake_at = due;
        h.wakes += 1;
        let due = due.max(self.fabric.now);
        self.fabric.wake(host, due, h.wakes, planned);
    }

    fn hand_out_starts(&mut self) {
        let plan = self.plan.clone();
        for (f, flow) in plan.flows.iter().enumerate() {
            let id = FlowId(f as u32);
            match flow.start {
                Start::At(at) => self.hosts[flow.src.0].starts.push((at, id)),
                Start::After { flow: other, wait } => self.followers.push((other, id, wait)),
            }
        }
        self.followers.sort_unstable();
        for host in 0..self.hosts.len() as u32 {
            self.hosts[host].starts.sort_unstable_by(|a, b| b.cmp(a));
            self.plan_wake(host);
        }
    }
}

/// What makes the ends of flows, when they are the caller's.
struct Machines {
    sender: Box<Make<AnySender>>,
    receiver: Box<Make<AnyReceiver>>,
}

type Make<End> = dyn FnMut(FlowId, &FlowPlan) -> End + Send;

impl SendingEnd {
    /// Was any of this retransmission lost since it was last sent? A SYN is no data and never
    /// counts as spurious.
    #[cold]
    fn was_lost(&mut self, segment: &Segment) -> bool {
        if segment.syn {
            self.lost.take(SYN, SYN + 1);
            return true;
        }
        let end = segment.seq + u64::from(segment.len);
        self.lost.take(segment.seq, end)
    }

    /// The timer is due. Was it a timeout, and the oldest byte waited for not lost?
    fn times_out(&mut self, now: Time) -> bool {
        let before = self.sender.counters();
        let head = if before.segments == 0 {
            SYN
        } else {
            self.sender.acknowledged()
        };
        self.sender.on_timeout(now);
        self.sender.counters().timeouts > before.timeouts && !self.lost.holds(head)
    }
}

impl ReceivingEnd {
    /// Takes note of data that arrived; the n of a reordered packet.
    #[inline]
    fn see(&mut self, packet: &Packet) -> Option<u32> {
        self.seen.marks += u32::from(packet.ce());
        self.seen.detours += u32::from(packet.detours);
        self.seen.max_detours = self.seen.max_detours.max(packet.detours);
        let (seq, len) = (packet.seq(), u64::from(packet.len));
        if packet.retransmit() || self.order.in_order(seq, len) {
            return None;
        }
        self.order.out_of_order(seq, len, self.receiver.delivered())
    }
}

/// Puts a packet on its host's NIC.
#[inline]
fn send<A: Agenda>(
    fabric: &mut Fabric<A>,
    tracer: &mut Tracer,
    host: &mut Host,
    id: HostId,
    mut packet: Packet,
) {
    let number = u64::from(id.0) << 32 | host.sent;
    host.sent += 1;
    fabric.depth(id.0);
    let traced = tracer.wants(number, &packet);
    packet.set_traced(traced);
    let parcel = fabric.pool.put(packet);
    if traced {
        tracer.open(fabric.now, parcel, number, &packet);
    }
    fabric.enqueue(id.0, parcel);
}
