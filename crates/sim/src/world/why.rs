//! World that explains what happens to one packet.

use super::World;
use crate::agenda::Agenda;
use crate::config::TraceFilter;
use crate::fabric::{Fabric, SwitchFeatures};
use crate::fib::Attachment;
use crate::layout::FarEnd;
use crate::network::{End, Network};
use crate::switching::Switch;
use crate::why::{
    Account, AccountEvent, Decided, DecisionResult, EndState, Explained, for_receiver,
};
use sidestep_switch::{Event, ReasonCollector};
use sidestep_types::{HostId, Packet, SwitchId, Time};

/// Number that no packet has.
const NOBODY: u64 = u64::MAX;

impl<A: Agenda> World<A> {
    /// Keeps an account of packet `number`; `network` is that of this world. No other path is kept then. Costs
    /// time, does not change results.
    pub fn explain(&mut self, network: &Network, number: u64) {
        assert!(self.tally.is_fresh(), "explaining begins with the run");
        let mut names = vec![Vec::new(); network.switches.len()];
        for cable in &network.cables {
            for (here, there) in [(cable.a, cable.b), (cable.b, cable.a)] {
                if let End::Switch(s) = here {
                    let names: &mut Vec<String> = &mut names[s.0 as usize];
                    names.push(format!("port {} to {}", names.len(), there.name(network)));
                }
            }
        }
        self.fabric.switch_features = SwitchFeatures::Watched;
        let only = TraceFilter::Ids(vec![number]);
        self.observers.explain(Account::new(number, names), only);
    }

    /// Remembers the packet that a switch decides about, and the number its host gave it, for
    /// [`World::deciding`]. The numbers of all packets are kept then, and no paths: only those with more
    /// detours than any packet has. Costs time, does not change results.
    pub fn remember_deciding(&mut self) {
        assert!(self.tally.is_fresh(), "remembering begins with the run");
        self.fabric.switch_features = SwitchFeatures::Watched;
        let none = TraceFilter::Detoured(u8::MAX);
        (self.observers).explain(Account::new(NOBODY, Vec::new()), none);
    }

    /// Returns the packet about which a switch was deciding when a policy of the caller panicked, and its
    /// number for [`World::explain`]; `None` outside a decision, or if nothing is remembered.
    pub fn deciding(&self) -> Option<(Packet, Option<u64>)> {
        self.observers.account.as_ref()?.deciding
    }

    /// Returns the account so far; `None` if none was requested.
    pub fn explained(&mut self) -> Option<Explained> {
        let account = self.observers.account.take()?;
        let host = (account.number >> 32) as usize;
        Some(Explained {
            steps: account.steps,
            sent_by_host: self.hosts.get(host).map_or(0, |host| host.sent),
        })
    }

    /// Forwards a packet, and collects the reasons if it is the explained one.
    #[cold]
    #[inline(never)]
    pub(super) fn forward_with_reasons(
        &mut self,
        switch: u32,
        link: u32,
        parcel: u32,
        dst: Attachment,
    ) -> Event {
        let (here, fabric) = (&mut self.switches[switch], &mut self.fabric);
        let packet = fabric.pool.get(parcel).packet;
        let number = self.observers.tracer.number(parcel);
        let number = number.filter(|_| packet.traced());
        let account = (self.observers.account.as_mut()).expect("a packet is explained");
        account.at_hand = Some(packet);
        account.deciding = Some((packet, number));
        let about = number == Some(account.number);
        let mut collector = about.then(|| ReasonCollector::new(&account.names[switch as usize]));
        // Without a witness it is called in `at_switch` alone: a second call would stop it from being inlined
        // there, which costs 1.6 % of a run with pauses.
        let at_hand = (link, parcel, dst);
        let event = here.forward::<A, true, _>(fabric, at_hand, true, &mut collector);
        let event = event.expect("it is told of");
        account.deciding = None;
        let Some(collector) = collector else {
            return event;
        };
        let judged = judged(collector, event, here, fabric.pool.get(parcel).packet.wire);
        let out = judged.event.joined().map(|joined| joined.port);
        let out = out.map(|port| here.first_link() + u32::from(port.0));
        let decided = Decided {
            switch: SwitchId(switch),
            from: self.ends[link as usize].from,
            ingress: fabric.wiring.ingress[link],
            ttl: packet.ttl.saturating_sub(1),
            detours: packet.detours,
            hash: packet.hash,
            judged,
            paused_before: fabric.paused(link, fabric.now).1,
            paused: out.map_or(Time::ZERO, |out| fabric.paused(out, fabric.now).1),
        };
        account.tell(fabric.now, AccountEvent::Decided(Box::new(decided)));
        event
    }

    /// Adds to the account that the explained packet has reached `host`.
    pub(super) fn tell_arrival(&mut self, host: u32, parcel: u32, packet: &Packet) {
        let account = self.observers.account.as_ref();
        if account.is_none_or(|account| account.parcel != Some(parcel)) {
            return;
        }
        let known = self.known(packet);
        let at = self.attachments[host];
        let link = self.switches[at.switch].first_link() + u32::from(at.port.0);
        debug_assert!(self.fabric.links[link].far() == FarEnd::Host(host));
        let now = self.fabric.now;
        let paused = self.fabric.paused(link, now).1;
        if let Some(account) = &mut self.observers.account {
            account.tell(now, AccountEvent::Arrived { known, paused });
        }
    }

    /// Adds to the account that the shims of a host have just let the packet go on to the transport.
    #[cold]
    #[inline(never)]
    pub(super) fn tell_handed(&mut self, host: HostId, packet: &Packet) {
        let known = self.known(packet);
        let now = self.fabric.now;
        let shims = self.hosts[host.0].shims.as_deref();
        let passed = shims
            .expect("every host has shims")
            .stack
            .why_passed(packet);
        if let Some(account) = &mut self.observers.account
            && account.is_about(packet)
        {
            account.tell(now, AccountEvent::Handed { known, passed });
        }
    }

    /// Adds to the account that the shims of a host have just dropped the packet.
    #[cold]
    #[inline(never)]
    pub(super) fn tell_withheld(&mut self, host: HostId, packet: &Packet) {
        let now = self.fabric.now;
        let shims = self.hosts[host.0].shims.as_deref();
        let (shim, why) = shims.expect("every host has shims").stack.why(packet);
        if let Some(account) = &mut self.observers.account
            && account.is_about(packet)
        {
            account.tell(now, AccountEvent::Withheld { shim, why });
        }
    }

    /// Returns the state of the end of its flow that the packet goes to.
    fn known(&self, packet: &Packet) -> EndState {
        let f = packet.flow.0 as usize;
        if for_receiver(packet) {
            return match &self.receivers[f] {
                Some(end) if end.endpoint.is_complete() => EndState::Complete,
                Some(end) => EndState::Expected(end.endpoint.expected(packet.subflow())),
                None if self.flows[f].finished.is_some() => EndState::Complete,
                None => EndState::Expected(Packet::first_of(packet.subflow())),
            };
        }
        match &self.senders[f] {
            Some(end) => EndState::Acknowledged(end.endpoint.acknowledged_of(packet.subflow())),
            None => EndState::Done,
        }
    }
}

/// Joins the reasons with what the switch, or NIC, just did with the packet. `wire`: bytes of link time that
/// the packet takes from here on.
fn judged(collector: ReasonCollector, event: Event, here: &Switch, wire: u16) -> DecisionResult {
    let mut reasons = collector.reasons;
    if event.joined().is_none() {
        reasons.sched = None;
    }
    DecisionResult {
        reasons,
        event,
        displaced: here.evicted.len() as u32,
        wire,
    }
}

/// Adds to the account that the explained packet has joined the queue of the NIC of `host`, and the queue's
/// depth then.
#[cold]
#[inline(never)]
pub(super) fn tell_sent<A: Agenda>(
    fabric: &mut Fabric<A>,
    account: &mut Account,
    host: u32,
    packet: &Packet,
) {
    let (ahead, paused) = (fabric.depth(host), fabric.paused(host, fabric.now).1);
    account.sent(fabric.now, packet, ahead, paused);
}

/// Sends a packet by a NIC, and collects the reasons if it is the explained one.
#[cold]
#[inline(never)]
pub(super) fn send_with_reasons<A: Agenda>(
    fabric: &mut Fabric<A>,
    account: &mut Account,
    nic: &mut Switch,
    parcel: u32,
) -> Event {
    let packet = fabric.pool.get(parcel).packet;
    account.at_hand = Some(packet);
    let about = account.parcel == Some(parcel);
    let mut collector = about.then(|| ReasonCollector::new(&["its NIC".to_string()]));
    let event = nic.send(fabric, parcel, &mut collector);
    if let Some(collector) = collector {
        let judged = judged(collector, event, nic, fabric.pool.get(parcel).packet.wire);
        account.tell(fabric.now, AccountEvent::Nic(Box::new(judged)));
    }
    event
}
