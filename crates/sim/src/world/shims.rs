//! Shims between the transport of a host and its NIC.
//!
//! What a packet did in the network is counted before it passes them on its way up, what the transport saw
//! after. Packets of a complete flow pass no shims.

use super::World;
use crate::agenda::Agenda;
use crate::host::{Alarm, Host, ReceivingEnd, Shims};
use crate::indexed::Table;
use sidestep_transport::shim::{Counters, Stack, Up};
use sidestep_types::{FlowId, HostId, Kind, Packet, Refusal, Time};

/// Flow of an alarm that belongs to no flow: last at its instant.
const NO_FLOW: FlowId = FlowId(u32::MAX);

impl<A: Agenda> World<A> {
    /// Puts the shims of the configuration on every host.
    pub(super) fn put_shims(&mut self) -> Result<(), Refusal> {
        if self.config.shims.is_empty() {
            return Ok(());
        }
        for host in 0..self.hosts.len() as u32 {
            let stack = Stack::build(&self.config.shims)?;
            self.put_stack(host, stack);
        }
        Ok(())
    }

    /// Puts the shims returned by `make` on every host, instead of the configured ones: for custom shims. The
    /// sizes of queues and pauses do not allow for bytes that these shims add to packets.
    pub fn set_shims(&mut self, mut make: impl FnMut(HostId) -> Stack) {
        assert!(self.tally.is_fresh(), "shims are set before the run starts");
        for host in 0..self.hosts.len() as u32 {
            self.put_stack(host, make(HostId(host)));
        }
    }

    fn put_stack(&mut self, host: u32, mut stack: Stack) {
        self.shimmed = true;
        stack.framed(self.config.framing);
        let nic = self.hosts[host].nic.is_some();
        let shims = Shims {
            changes_down: stack.changes_down(),
            lets_pass: stack.lets_pass(),
            passes_acks: stack.lets_pass() && !stack.notices_acks(),
            stack,
            armed: Time::MAX,
        };
        self.hosts[host].guarded = nic || shims.changes_down;
        self.hosts[host].shims = Some(Box::new(shims));
    }

    /// Returns true if shims may hand data to the transport of `host` in another order than it arrived.
    pub(super) fn reorders(&self, host: HostId) -> bool {
        let shims = self.hosts[host.0].shims.as_deref();
        shims.is_some_and(|shims| !shims.lets_pass)
    }

    fn stack(&mut self, host: HostId) -> &mut Stack {
        let shims = self.hosts[host.0].shims.as_deref_mut();
        &mut shims.expect("every host has shims").stack
    }

    #[cold]
    #[inline(never)]
    pub(super) fn open_shims(&mut self, host: HostId, flow: FlowId) {
        self.stack(host).open(flow, None);
    }

    /// Opens the shims of `host`, which begins to send `flow`; on a shared connection, the flow has its turn.
    #[cold]
    #[inline(never)]
    pub(super) fn open_shims_to_send(&mut self, host: HostId, flow: FlowId, size: Option<u64>) {
        let message = self.connections.message(&self.plan, flow);
        self.stack(host).open_message(flow, size, message);
    }

    #[cold]
    #[inline(never)]
    pub(super) fn close_shims(&mut self, host: HostId, flow: FlowId) {
        self.stack(host).close(flow);
    }

    /// Passes a segment up through the shims of a host with an open receiver. Once the flow is complete and
    /// only an acknowledgement is owed, it bypasses the shims.
    #[cold]
    #[inline(never)]
    pub(super) fn segment_goes_up(&mut self, packet: &Packet) {
        let end = self.receivers[packet.flow.0 as usize].as_deref();
        let end = end.expect("an open receiver");
        if end.endpoint.is_complete() {
            return self.on_handed_segment(packet);
        }
        let host = end.dst;
        self.go_up(host, packet);
    }

    /// Passes a packet of an open flow, which has arrived at the NIC of `host`, up through the shims.
    #[cold]
    #[inline(never)]
    pub(super) fn go_up(&mut self, host: HostId, packet: &Packet) {
        let now = self.fabric.now;
        let mut packet = *packet;
        match self.stack(host).up(now, &mut packet) {
            Up::Pass => self.hand_over(host, &packet),
            Up::Keep | Up::Drop => self.take_from_shims(host),
        }
    }

    /// Takes the packets that the shims of `host` released or dropped, and sets their timer.
    #[inline(never)]
    fn take_from_shims(&mut self, host: HostId) {
        let now = self.fabric.now;
        while let Some(packet) = self.stack(host).poll_up(now) {
            self.hand_over(host, &packet);
        }
        while let Some(packet) = self.stack(host).poll_drop() {
            self.tally.dropped_by_shim(now, &packet);
            if packet.traced() {
                self.tell_withheld(host, &packet);
            }
        }
        let shims = self.hosts[host.0].shims.as_deref_mut();
        let shims = shims.expect("every host has shims");
        if let Some(due) = shims.stack.deadline().filter(|due| *due < shims.armed) {
            shims.armed = due;
            self.set_alarm(host, due, NO_FLOW, Alarm::Shim);
        }
    }

    /// Hands a packet to the transport, if its flow has not ended meanwhile.
    fn hand_over(&mut self, host: HostId, packet: &Packet) {
        if packet.traced() {
            self.tell_handed(host, packet);
        }
        match packet.kind() {
            Kind::Data | Kind::Syn => self.on_handed_segment(packet),
            Kind::Ack | Kind::SynAck => self.on_ack(packet, true),
        }
    }

    /// Handles the shim alarm set for `at`, unless an earlier one has replaced it.
    #[cold]
    #[inline(never)]
    pub(super) fn shim_alarm(&mut self, host: HostId, at: Time) {
        let now = self.fabric.now;
        let shims = self.hosts[host.0].shims.as_deref_mut();
        let shims = shims.expect("every host has shims");
        if shims.armed != at {
            return;
        }
        shims.armed = Time::MAX;
        shims.stack.on_timeout(now);
        self.take_from_shims(host);
    }

    /// Returns the summed counters of the shims of all hosts.
    pub(super) fn shim_counters(&self) -> Counters {
        let mut sum = Counters::default();
        let shims = self.hosts.iter().filter_map(|host| host.shims.as_ref());
        shims.for_each(|shims| sum.add(&shims.stack.counters()));
        sum
    }
}

/// Passes a packet from the transport down through the shims, if they change outgoing packets.
#[inline(always)]
pub(super) fn go_down(host: &mut Host, now: Time, packet: &mut Packet) {
    if let Some(shims) = &mut host.shims
        && shims.changes_down
    {
        shims.stack.down(now, packet);
    }
}

/// Shows an arrived packet to shims that let all packets pass. Returns true if it may go straight to the
/// transport: a traced packet always takes the normal way up, so that it is reported.
#[inline(never)]
fn go_past(host: &mut Host, now: Time, packet: &Packet) -> bool {
    let shims = host.shims.as_deref_mut().expect("every host has shims");
    if !shims.lets_pass || packet.traced() {
        return false;
    }
    shims.stack.notice(now, packet);
    true
}

/// Returns true if an acknowledgement may go straight to the transport, as `go_past` does.
#[inline]
pub(super) fn ack_goes_past(host: &mut Host, now: Time, packet: &Packet) -> bool {
    let passes = host.shims.as_ref().is_some_and(|shims| shims.passes_acks);
    passes && !packet.traced() || go_past(host, now, packet)
}

/// Returns true if a segment for `end` may go straight to the transport, as `go_past` does: shims that let all
/// pass keep no other order. A segment of a complete flow bypasses the shims.
#[inline]
pub(super) fn segment_goes_past(
    end: &ReceivingEnd,
    hosts: &mut Table<Host>,
    now: Time,
    packet: &Packet,
) -> bool {
    end.handed.is_none()
        && (end.endpoint.is_complete() || go_past(&mut hosts[end.dst.0], now, packet))
}
