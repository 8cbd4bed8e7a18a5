//! One run: a network, a plan and settings, driven event by event.
//!
//! Links, switches and hosts own their state and meet only through packets on links, so a
//! run can be cut between any of them. Everything that is shared, the plan and the
//! settings, does not change.

use crate::agenda::{Agenda, WheelAgenda};
use crate::checks::{check_plan, check_settings};
use crate::config::WorldConfig;
use crate::fabric::{Fabric, Far, Happening, flow_hashes};
use crate::fib::{Attachment, Ports};
use crate::host::{Alarm, Host, ReceivingEnd, Seen, SendingEnd};
use crate::indexed::Table;
use crate::layout::{LinkEnds, lay_inner, lay_links, rank_ports};
use crate::network::{End, Network};
use crate::outcome::{ClassOutcome, FlowOutcome, Outcome, PortOutcome, Totals, TraceEvent};
use crate::packets::{ack_packet, arrival, data_packet};
use crate::pfc::Deadlock;
use crate::plan::{FlowPlan, Plan, Start};
use crate::switching::{Action, Switch};
use crate::trace::Tracer;
use sidestep_switch::sched::AnySched;
use sidestep_switch::{AnyBuffer, DropReason};
use sidestep_transport::{Ack, AnyReceiver, AnySender, Receiver, Sender, TcpReceiver, TcpSender};
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

    /// What has been counted so far; `in_flight`, `retransmits` and `timeouts` only by [`World::finish`].
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

    /// Ends the run at the present and says what became of everything.
    pub fn finish(mut self) -> Outcome {
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
            pauses: self.fabric.pfc.as_ref().map_or(0, |pfc| pfc.pauses),
            ..self.totals
        };
        let mut ports: Vec<(usize, PortOutcome)> = (self.ends.iter().enumerate())
            .map(|(link, ends)| (ends.place, self.port_outcome(link as u32, ends)))
            .collect();
        ports.sort_unstable_by_key(|p| p.0);
        let deadlocks = self.deadlocks();
        Outcome {
            ports: ports.into_iter().map(|p| p.1).collect(),
            flows: self.flows,
            classes: self.classes,
            totals,
            deadlocks,
            end: self.fabric.now,
            trajectory_hash: self.fabric.hash,
            traces: self.tracer.finish(),
        }
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
            marks: counts.marks,
            detours_in: counts.detours_in,
            detours_out: counts.detours_out,
            drops: counts.drops,
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
    fn at_switch(&mut self, switch: u32, ingress: u32, parcel: u32) {
        let packet = &self.fabric.pool.get(parcel).packet;
        let dst = self.attachments[packet.dst.0];
        let traced = packet.traced();
        if traced {
            self.tracer.look(&mut self.fabric, &self.switches[switch]);
        }
        let (here, fabric) = (&mut self.switches[switch], &mut self.fabric);
        let done = if fabric.inner {
            here.forward::<A, true>(fabric, ingress, parcel, dst)
        } else {
            here.forward::<A, false>(fabric, ingress, parcel, dst)
        };
        match done.action {
            Action::Queued { port, marked, .. } => {
                self.totals.marks += u64::from(marked);
                if port != done.wanted {
                    self.count_detour(parcel);
                }
            }
            Action::Dropped(reason) => self.count_drop(parcel, reason),
        }
        if traced {
            self.tracer
                .switched(self.fabric.now, parcel, SwitchId(switch), &done);
        }
    }

    #[inline(never)]
    fn count_detour(&mut self, parcel: u32) {
        self.totals.detours += 1;
        let packet = &self.fabric.pool.get(parcel).packet;
        if packet.carries_data() {
            self.classes[packet.class as usize].detours += 1;
        }
    }

    /// Counts a drop and frees the packet.
    #[inline(never)]
    fn count_drop(&mut self, parcel: u32, reason: DropReason) {
        self.totals.drops[reason as usize] += 1;
        let packet = &self.fabric.pool.get(parcel).packet;
        if packet.carries_data() {
            self.flows[packet.flow.0 as usize].drops += 1;
            self.classes[packet.class as usize].dropped += 1;
        }
        self.fabric.pool.free(parcel);
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
        let ack = Ack {
            ack: packet.seq(),
            ece: packet.ece(),
            syn: packet.kind() == Kind::SynAck,
            sack: packet.sack,
        };
        end.sender.on_ack(now, ack);
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
        let data = packet.carries_data();
        if data {
            let class = &mut self.classes[packet.class as usize];
            class.delivered += 1;
            class.detoured += u64::from(packet.detours > 0);
            class.marked += u64::from(packet.ce());
        }
        if self.receivers[f].is_none() {
            if self.flows[f].finished.is_some() {
                return self.on_late_segment(packet);
            }
            self.open_receiver(flow);
        }
        let end = self.receivers[f].as_deref_mut().expect("just opened");
        if data {
            end.see(packet);
        }
        end.receiver.on_segment(now, arrival(packet));
        let finished = end.receiver.delivered() >= end.size;
        self.drive_receiver(flow);
        if finished {
            self.flow_delivered(flow);
        }
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
        let end = ReceivingEnd {
            receiver: AnyReceiver::Tcp(TcpReceiver::new(self.config.transport.clone())),
            armed: Time::MAX,
            src: plan.src,
            dst: plan.dst,
            hash: flow_hashes(self.flow_salt, flow.0).1,
            class: plan.class,
            size: plan.size,
            next_expected: 0,
            seen: Seen::default(),
        };
        self.receivers[flow.0 as usize] = Some(Box::new(end));
    }

    fn start_flow(&mut self, flow: FlowId) {
        let plan = &self.plan.flows[flow.0 as usize];
        let size = (!plan.is_endless()).then_some(plan.size);
        let end = SendingEnd {
            sender: AnySender::Tcp(TcpSender::new(self.config.transport.clone(), size)),
            armed: Time::MAX,
            src: plan.src,
            dst: plan.dst,
            hash: flow_hashes(self.flow_salt, flow.0).0,
            class: plan.class,
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
            outcome.reordered += end.seen.reordered;
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
            end.sender.on_timeout(now);
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

impl ReceivingEnd {
    #[inline]
    fn see(&mut self, packet: &Packet) {
        self.seen.marks += u32::from(packet.ce());
        self.seen.detours += u32::from(packet.detours);
        self.seen.max_detours = self.seen.max_detours.max(packet.detours);
        if !packet.retransmit() {
            if packet.seq() < self.next_expected {
                self.seen.reordered += 1;
            } else {
                self.next_expected = packet.seq() + u64::from(packet.len);
            }
        }
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
    let traced = tracer.wants(number, packet.flow);
    packet.set_traced(traced);
    let parcel = fabric.pool.put(packet);
    if traced {
        tracer.open(fabric.now, parcel, number, &packet);
    }
    fabric.enqueue(id.0, parcel);
}
