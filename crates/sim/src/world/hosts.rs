//! The host half of a run: the ends of flows, their timers, and what they count.

use super::World;
use crate::agenda::Agenda;
use crate::fabric::{Fabric, flow_hashes};
use crate::layout::Far;
use crate::host::{Alarm, Host, ReceivingEnd, Seen, SendingEnd};
use crate::lost::{Lost, SYN};
use crate::order::Order;
use crate::outcome::TraceEvent;
use crate::packets::{ack, ack_packet, arrival, data_packet};
use crate::plan::{FlowPlan, Start};
use crate::trace::Tracer;
use sidestep_transport::{Ack, AnyReceiver, AnySender, Receiver, Segment, Sender};
use sidestep_types::{FlowId, HostId, Kind, Packet, Time};
use std::cmp::Reverse;

impl<A: Agenda> World<A> {
    #[inline]
    pub(super) fn at_host(&mut self, host: u32, parcel: u32) {
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
        if self.unfinished == 0 {
            self.end = now;
        }
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
    pub(super) fn close_sender(&mut self, f: usize) {
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
    pub(super) fn close_receiver(&mut self, f: usize) {
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
    pub(super) fn wake(&mut self, host: u32) {
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

    pub(super) fn hand_out_starts(&mut self) {
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
pub(super) struct Machines {
    pub(super) sender: Box<Make<AnySender>>,
    pub(super) receiver: Box<Make<AnyReceiver>>,
}

pub(super) type Make<End> = dyn FnMut(FlowId, &FlowPlan) -> End + Send;

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
