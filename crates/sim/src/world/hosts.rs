//! Host half of a run: the ends of flows, their timers, and their counts.

use super::World;
use super::nics::send_by_nic;
use super::shims::{ack_goes_past, go_down, segment_goes_past};
use super::why::tell_sent;
use crate::agenda::Agenda;
use crate::event::{PacketAction, PacketEvent};
use crate::fabric::Fabric;
use crate::host::{Alarm, Host, ReceivedCounts, ReceivingEnd, SendingEnd};
use crate::layout::FarEnd;
use crate::observers::Observers;
use crate::order::Orders;
use crate::packets::{ack, ack_packet, arrival, data_packet, data_seq, set_data_seq};
use crate::plan::Start;
use crate::tally::Tally;
use sidestep_switch::Sink;
use sidestep_transport::Endpoint;
use sidestep_transport::host::{answer_late, path_hash};
use sidestep_types::{FlowId, HostId, Kind, Packet, Time};
use std::cmp::Reverse;
use std::hint::cold_path;

impl<A: Agenda> World<A> {
    #[inline]
    pub(super) fn at_host(&mut self, host: u32, parcel: u32) {
        let packet = self.fabric.pool.get(parcel).packet;
        assert!(
            packet.dst.0 == host,
            "a packet reached a host that is not its destination: a buffer policy detoured it there"
        );
        self.fabric.pool.free(parcel);
        self.tally.delivered(&packet);
        if packet.traced() {
            self.trace_arrival(host, parcel, &packet);
        }
        match packet.kind() {
            Kind::Data | Kind::Syn => self.on_segment(&packet),
            Kind::Ack | Kind::SynAck => self.on_ack(&packet, false),
        }
    }

    /// Reports that a traced packet has reached `host`, where its path ends.
    #[cold]
    #[inline(never)]
    fn trace_arrival(&mut self, host: u32, parcel: u32, packet: &Packet) {
        self.look_at_senders();
        self.tell_arrival(host, parcel, packet);
        self.observers.observe(&PacketEvent {
            at: self.fabric.now,
            parcel,
            packet,
            what: PacketAction::Delivered,
        });
    }

    /// Handles an acknowledgement that has arrived. `handed`: it has passed the shims.
    // Inlined, it takes registers from the loop over hops: 5 instructions a hop.
    #[inline(never)]
    pub(super) fn on_ack(&mut self, packet: &Packet, handed: bool) {
        let now = self.fabric.now;
        let flow = packet.flow;
        let Some(end) = &mut self.senders[flow.0 as usize] else {
            cold_path();
            return;
        };
        if self.shimmed && !handed && !ack_goes_past(&mut self.hosts[end.src.0], now, packet) {
            let host = end.src;
            return self.go_up(host, packet);
        }
        end.endpoint.on_ack(now, ack(packet));
        self.drive_sender(flow);
    }

    /// Sends everything that the sender of `flow` may send now, sets its timer, and closes it if it is done.
    #[inline(always)]
    fn drive_sender(&mut self, flow: FlowId) {
        let now = self.fabric.now;
        let Some(end) = self.senders[flow.0 as usize].as_deref_mut() else {
            cold_path();
            return;
        };
        let (src, dst, class) = (end.src, end.dst, end.class);
        while let Some(segment) = end.endpoint.poll_send(now) {
            let hash = end.endpoint.hash(segment.subflow());
            let packet = data_packet(segment, flow, dst, hash, class, &self.config);
            let parcel = self.fabric.pool.put(packet);
            if let Some(at) = end.endpoint.data_seq() {
                cold_path();
                set_data_seq(&mut self.fabric.pool.get_mut(parcel).packet, at);
            }
            self.tally.sent(now, flow, class, &segment);
            if segment.retransmit {
                cold_path();
                self.observers.sends_again(now, flow, &end.endpoint);
            }
            let host = &mut self.hosts[src.0];
            send(
                &mut self.fabric,
                &mut self.observers,
                &mut self.tally,
                host,
                src,
                parcel,
            );
        }
        if end.endpoint.is_done() {
            cold_path();
            self.sent_all(flow);
            return;
        }
        if let Some(due) = end.endpoint.next_alarm() {
            cold_path();
            self.set_alarm(src, due, flow, Alarm::Sender);
        }
    }

    // Inlined, it takes registers from the loop over hops as well: 2 instructions a hop.
    #[inline(never)]
    fn on_segment(&mut self, packet: &Packet) {
        let now = self.fabric.now;
        let flow = packet.flow;
        let f = flow.0 as usize;
        let data = packet.carries_data() && !packet.trimmed();
        if data {
            self.tally.data_delivered(packet);
            if packet.detours > 0 {
                self.count_detoured(packet);
            }
        } else if packet.trimmed() {
            cold_path();
            self.tally.cut(now, packet);
        }
        if self.receivers[f].is_none() {
            cold_path();
            if self.flows[f].finished.is_some() {
                return self.on_late_segment(packet, false);
            }
            self.open_receiver(flow);
        }
        let end = self.receivers[f].as_deref_mut().expect("just opened");
        if data && let Some(n) = end.see(packet) {
            self.tally.reordered(packet, n);
            if end.handed.is_none() {
                self.tally.transport_reordered(packet);
            }
        }
        if self.shimmed && !segment_goes_past(end, &mut self.hosts, now, packet) {
            return self.segment_goes_up(packet);
        }
        let data = || data_seq(packet);
        let complete = (end.endpoint).on_mapped_segment(now, arrival(packet, &self.config), data);
        self.drive_receiver(flow);
        if complete {
            cold_path();
            self.flow_delivered(flow);
        }
    }

    /// Handles a segment that has arrived before and has now passed the shims.
    pub(super) fn on_handed_segment(&mut self, packet: &Packet) {
        let flow = packet.flow;
        let Some(end) = self.receivers[flow.0 as usize].as_deref_mut() else {
            return self.on_late_segment(packet, true);
        };
        if packet.carries_data() && end.see_handed(packet) {
            self.tally.transport_reordered(packet);
        }
        let (now, data) = (self.fabric.now, || data_seq(packet));
        let complete = (end.endpoint).on_mapped_segment(now, arrival(packet, &self.config), data);
        self.drive_receiver(flow);
        if complete {
            self.flow_delivered(flow);
        }
    }

    /// Counts a detoured data packet: its detours, and the length of its path beyond the shortest.
    #[inline(never)]
    fn count_detoured(&mut self, packet: &Packet) {
        let f = packet.flow.0 as usize;
        let known = self.receivers[f].as_deref().map_or(0, |end| end.shortest);
        let shortest = if known > 0 { known } else { self.shortest(f) };
        if let Some(end) = &mut self.receivers[f] {
            end.shortest = shortest;
        }
        let crossed = self.config.ttl - packet.ttl;
        self.tally.data_detoured(packet, shortest, crossed);
    }

    /// Returns the number of switches on a shortest path of flow `f`'s data; it fits into a time to live.
    fn shortest(&self, f: usize) -> u8 {
        let flow = &self.plan.flows[f];
        let mut at = self.attachments[flow.src.0].switch;
        let to = self.attachments[flow.dst.0].switch;
        let mut switches = 1u8;
        while at != to {
            let link = self.toward(at, to);
            let FarEnd::Switch(next) = self.fabric.links[link].far() else {
                panic!("a host on the way from switch to switch");
            };
            at = next;
            switches += 1;
        }
        switches
    }

    /// Closes the sender of `flow`: everything is acknowledged.
    fn sent_all(&mut self, flow: FlowId) {
        if self.connections.any() {
            return self.pass_on(flow);
        }
        self.close_sender(flow.0 as usize);
    }

    /// Returns the link of a shortest path from switch `at` to switch `to`, in the unchanged network.
    fn toward(&self, at: u32, to: u32) -> u32 {
        let (switch, changes) = (&self.switches[at], self.changes.as_deref());
        let unchanged = changes.and_then(|changes| changes.toward(at, to));
        let port = unchanged.unwrap_or_else(|| switch.fib().hops(to).ports[0]);
        switch.first_link() + u32::from(port.0)
    }

    /// Sends the acknowledgements that the receiver of `flow` has ready, and sets its timer.
    #[inline(always)]
    pub(super) fn drive_receiver(&mut self, flow: FlowId) {
        let now = self.fabric.now;
        let end = self.receivers[flow.0 as usize]
            .as_deref_mut()
            .expect("an open receiver");
        let (me, peer, class) = (end.dst, end.src, end.class);
        while let Some(ack) = end.endpoint.poll_ack(now) {
            let hash = end.endpoint.hash(ack.subflow());
            let packet = ack_packet(&ack, flow, peer, hash, class, &self.config);
            let parcel = self.fabric.pool.put(packet);
            let host = &mut self.hosts[me.0];
            send(
                &mut self.fabric,
                &mut self.observers,
                &mut self.tally,
                host,
                me,
                parcel,
            );
        }
        if let Some(due) = end.endpoint.next_alarm() {
            cold_path();
            self.set_alarm(me, due, flow, Alarm::Receiver);
        }
    }

    /// Answers a segment of a complete flow: its sender missed the acknowledgement, or it is the last packet of
    /// the handshake, overtaken by all the data.
    #[cold]
    fn on_late_segment(&mut self, packet: &Packet, handed: bool) {
        let flow = packet.flow;
        let f = &self.plan.flows[flow.0 as usize];
        let arrival = arrival(packet, &self.config);
        // All data has been delivered; how much of it came by one subflow of a custom transport is not kept.
        let size = match self.multipath.late(flow, &arrival) {
            Some(expected) => expected,
            None if self.multipath.is_foreign(flow) => arrival.seq + u64::from(arrival.len.max(1)),
            None => f.size,
        };
        let Some(ack) = answer_late(size, &arrival) else {
            return;
        };
        if !handed {
            self.flows[flow.0 as usize].late(packet);
        }
        let hash = path_hash(self.hashes(flow).1, ack.subflow());
        let reply = ack_packet(&ack, flow, f.src, hash, f.class, &self.config);
        let me = f.dst;
        let reply = self.fabric.pool.put(reply);
        let host = &mut self.hosts[me.0];
        send(
            &mut self.fabric,
            &mut self.observers,
            &mut self.tally,
            host,
            me,
            reply,
        );
    }

    /// Completes `flow`: its last byte has been delivered in order.
    fn flow_delivered(&mut self, flow: FlowId) {
        let now = self.fabric.now;
        self.flows[flow.0 as usize].finished = Some(now);
        if self.connections.any() {
            self.keep_heard(flow);
        }
        let end = self.receivers[flow.0 as usize]
            .as_deref_mut()
            .expect("an open receiver");
        let (host, done) = (end.dst, end.endpoint.is_done());
        if self.shimmed {
            self.close_shims(host, flow);
        }
        // Otherwise a delayed acknowledgement is owed: the receiver stays until it is sent.
        if done {
            self.close_receiver(flow.0 as usize);
        }
        let own = self.plan.flows[flow.0 as usize];
        let mut looped = own.start.replaces();
        let first = self.followers.partition_point(|f| f.0 < flow);
        for i in first..self.followers.len() {
            let (other, follower, wait) = self.followers[i];
            if other != flow {
                break;
            }
            if let Start::Replace { until, .. } = self.plan.flows[follower.0 as usize].start {
                looped = true;
                if now >= until {
                    continue;
                }
            }
            self.set_alarm(own.dst, now + wait, follower, Alarm::Start);
        }
        if !looped {
            self.unfinished -= 1;
            if self.unfinished == 0 {
                self.end = now;
            }
        }
    }

    fn open_receiver(&mut self, flow: FlowId) {
        let plan = &self.plan.flows[flow.0 as usize];
        let receiver = match &mut self.custom_ends {
            None => self.config.transport_of(plan.class).receiver(),
            Some(own) => (own.receiver)(flow, plan),
        };
        let hash = self.hashes(flow).1;
        let end = ReceivingEnd {
            endpoint: Endpoint::receiving(receiver, plan.size, hash),
            src: plan.src,
            dst: plan.dst,
            class: plan.class,
            shortest: 0,
            order: Orders::default(),
            handed: self.reorders(plan.dst).then(Box::default),
            seen: ReceivedCounts::default(),
        };
        if self.shimmed {
            self.open_shims(end.dst, flow);
        }
        self.receivers[flow.0 as usize] = Some(Box::new(end));
    }

    fn start_flow(&mut self, flow: FlowId) {
        self.flows[flow.0 as usize].started = Some(self.fabric.now);
        if self.connections.any() && !self.takes_turn(flow) {
            return;
        }
        self.open_sender(flow);
    }

    pub(super) fn open_sender(&mut self, flow: FlowId) {
        let shared = match self.connections.any() {
            true => self.shared_sender(flow),
            false => None,
        };
        let plan = &self.plan.flows[flow.0 as usize];
        let size = (!plan.is_endless()).then_some(plan.size);
        let sender = match (&mut self.custom_ends, shared) {
            (Some(own), _) => (own.sender)(flow, plan),
            (None, Some(shared)) => shared,
            (None, None) => {
                let transport = self.config.transport_of(plan.class);
                transport.sender_with(plan.mss_or(transport.mss()), size)
            }
        };
        let hash = self.hashes(flow).0;
        let end = SendingEnd {
            endpoint: Endpoint::sending(sender, hash),
            src: plan.src,
            dst: plan.dst,
            class: plan.class,
        };
        if self.shimmed {
            self.open_shims_to_send(end.src, flow, size);
        }
        self.senders[flow.0 as usize] = Some(Box::new(end));
        self.drive_sender(flow);
    }

    /// Saves the sender's counts and closes it.
    pub(super) fn close_sender(&mut self, f: usize) -> Option<Box<SendingEnd>> {
        let end = self.senders[f].take()?;
        if self.shimmed {
            self.close_shims(end.src, FlowId(f as u32));
        }
        let counters = end.endpoint.counters();
        self.flows[f].sent(counters);
        self.multipath.sent(FlowId(f as u32), &end.endpoint);
        if counters.retransmits > 0 {
            self.tally.closed(self.fabric.now, FlowId(f as u32));
        }
        Some(end)
    }

    /// Saves the receiver's counts and closes it.
    pub(super) fn close_receiver(&mut self, f: usize) {
        if let Some(end) = self.receivers[f].take() {
            // A complete flow has closed its shims already.
            if self.shimmed && !end.endpoint.is_complete() {
                self.close_shims(end.dst, FlowId(f as u32));
            }
            self.multipath.received(FlowId(f as u32), &end);
            self.flows[f].received(&end);
        }
    }

    /// Handles everything that is due at `host`.
    #[inline(never)]
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
                Alarm::Shim => self.shim_alarm(HostId(host), at),
            }
        }
        self.plan_wake(host);
    }

    fn sender_alarm(&mut self, flow: FlowId, at: Time) {
        let now = self.fabric.now;
        let Some(end) = self.senders[flow.0 as usize].as_deref_mut() else {
            return;
        };
        let (timeouts, head) = (end.endpoint.counters().timeouts, end.head());
        if !end.endpoint.on_alarm(now, at) {
            return;
        }
        if end.endpoint.counters().timeouts > timeouts {
            self.tally.timed_out(now, flow, head);
        }
        self.drive_sender(flow);
    }

    fn receiver_alarm(&mut self, flow: FlowId, at: Time) {
        let now = self.fabric.now;
        let Some(end) = self.receivers[flow.0 as usize].as_deref_mut() else {
            return;
        };
        if !end.endpoint.on_alarm(now, at) {
            return;
        }
        let done = end.endpoint.is_done();
        self.drive_receiver(flow);
        if done {
            self.close_receiver(flow.0 as usize);
        }
    }

    pub(super) fn set_alarm(&mut self, host: HostId, at: Time, flow: FlowId, alarm: Alarm) {
        self.hosts[host.0].due.push(Reverse((at, flow, alarm)));
        self.plan_wake(host.0);
    }

    /// Schedules the host's wake at its earliest due time.
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
                Start::Replace { flow: other, .. } => {
                    self.followers.push((other, id, Time::ZERO));
                }
            }
        }
        self.followers.sort_unstable();
        for host in 0..self.hosts.len() as u32 {
            self.hosts[host].starts.sort_unstable_by(|a, b| b.cmp(a));
            self.plan_wake(host);
        }
    }
}

/// Sends a parcel of a host: through its shims, if they change outgoing packets, and through its NIC's buffer
/// policy, if it has one.
///
/// The packet is put into the pool first. Assembling it field by field and copying it afterwards costs as much
/// as a cache miss, since a processor cannot forward single-byte stores to a wide load.
#[inline(always)]
fn send<A: Agenda>(
    fabric: &mut Fabric<A>,
    observers: &mut Observers,
    tally: &mut Tally,
    host: &mut Host,
    id: HostId,
    parcel: u32,
) {
    if host.guarded {
        return send_guarded(fabric, observers, tally, host, id, parcel);
    }
    leave(fabric, observers, host, id, parcel);
    fabric.enqueue(id.0, parcel);
}

#[cold]
#[inline(never)]
fn send_guarded<A: Agenda>(
    fabric: &mut Fabric<A>,
    observers: &mut Observers,
    tally: &mut Tally,
    host: &mut Host,
    id: HostId,
    parcel: u32,
) {
    go_down(host, fabric.now, &mut fabric.pool.get_mut(parcel).packet);
    leave(fabric, observers, host, id, parcel);
    match &mut host.nic {
        None => fabric.enqueue(id.0, parcel),
        Some(nic) => send_by_nic(fabric, observers, tally, nic, parcel),
    }
}

/// Counts and traces a parcel of a host that is about to join the queue of its NIC.
#[inline(always)]
fn leave<A: Agenda>(
    fabric: &mut Fabric<A>,
    observers: &mut Observers,
    host: &mut Host,
    id: HostId,
    parcel: u32,
) {
    let number = u64::from(id.0) << 32 | host.sent;
    host.sent += 1;
    fabric.depth(id.0);
    if observers.wants(number, &fabric.pool.get(parcel).packet) {
        leave_traced(fabric, observers, id, number, parcel);
    }
}

#[cold]
#[inline(never)]
fn leave_traced<A: Agenda>(
    fabric: &mut Fabric<A>,
    observers: &mut Observers,
    id: HostId,
    number: u64,
    parcel: u32,
) {
    fabric.pool.get_mut(parcel).packet.set_traced(true);
    let packet = fabric.pool.get(parcel).packet;
    observers.observe(&PacketEvent {
        at: fabric.now,
        parcel,
        packet: &packet,
        what: PacketAction::Sent { number },
    });
    if let Some(account) = &mut observers.account
        && account.parcel == Some(parcel)
    {
        tell_sent(fabric, account, id.0, &packet);
    }
}
