//! A world that explains what one packet meets.

use super::World;
use crate::agenda::Agenda;
use crate::config::TraceFilter;
use crate::fabric::{Fabric, Inside};
use crate::fib::Attachment;
use crate::layout::Far;
use crate::network::{End, Network};
use crate::switching::Switch;
use crate::why::{Account, Decided, Explained, Judged, Known, Met, for_receiver};
use sidestep_switch::{Asked, Event};
use sidestep_types::{HostId, Packet, SwitchId, Time};

/// The number of no packet.
const NOBODY: u64 = u64::MAX;

impl<A: Agenda> World<A> {
    /// Keeps an account of packet `number`, of the network that this world is of: its path is the only one
    /// that is kept then. Costs time, changes nothing that happens.
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
        self.fabric.inside = Inside::Watched;
        let only = TraceFilter::Ids(vec![number]);
        self.observers.explain(Account::new(number, names), only);
    }

    /// Remembers which packet a switch decides about, and by which number its host sent it, for [`World::deciding`]:
    /// the numbers of all packets are kept then, and the paths of those alone that have more detours than any has. Costs time, changes nothing that happens.
    pub fn remember_deciding(&mut self) {
        assert!(self.tally.is_fresh(), "remembering begins with the run");
        self.fabric.inside = Inside::Watched;
        let none = TraceFilter::Detoured(u8::MAX);
        (self.observers).explain(Account::new(NOBODY, Vec::new()), none);
    }

    /// The packet about which a switch was deciding when a policy of the caller's unwound, and the number that
    /// [`World::explain`] takes; `None` outside a decision, and where nobody remembers.
    pub fn deciding(&self) -> Option<(Packet, Option<u64>)> {
        self.observers.account.as_ref()?.deciding
    }

    /// The account, as far as it goes; `None` when nobody asked for one.
    pub fn explained(&mut self) -> Option<Explained> {
        let account = self.observers.account.take()?;
        let host = (account.number >> 32) as usize;
        Some(Explained {
            steps: account.steps,
            sent_by_host: self.hosts.get(host).map_or(0, |host| host.sent),
        })
    }

    /// Forwards a packet, and asks why where it is the one that is explained.
    #[cold]
    #[inline(never)]
    pub(super) fn forward_asked(
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
        let mut asked = about.then(|| Asked::new(&account.names[switch as usize]));
        // Without a witness it is called in `at_switch` alone: a second call takes it out of line there, which
        // costs 1.6 % of a run with pauses.
        let at_hand = (link, parcel, dst);
        let event = here.forward::<A, true, _>(fabric, at_hand, true, &mut asked);
        let event = event.expect("it is told of");
        account.deciding = None;
        let Some(asked) = asked else {
            return event;
        };
        let judged = judged(asked, event, here, fabric.pool.get(parcel).packet.wire);
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
            paused_before: fabric.paused(link).1,
            paused: out.map_or(Time::ZERO, |out| fabric.paused(out).1),
        };
        account.tell(fabric.now, Met::Decided(Box::new(decided)));
        event
    }

    /// A traced packet has reached `host`.
    pub(super) fn tell_arrival(&mut self, host: u32, parcel: u32, packet: &Packet) {
        let account = self.observers.account.as_ref();
        if account.is_none_or(|account| account.parcel != Some(parcel)) {
            return;
        }
        let known = self.known(packet);
        let at = self.attachments[host];
        let link = self.switches[at.switch].first_link() + u32::from(at.port.0);
        debug_assert!(self.fabric.links[link].far() == Far::Host(host));
        let (now, paused) = (self.fabric.now, self.fabric.paused(link).1);
        if let Some(account) = &mut self.observers.account {
            account.tell(now, Met::Arrived { known, paused });
        }
    }

    /// The shims of a host have just let a traced packet go on to the transport.
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
            account.tell(now, Met::Handed { known, passed });
        }
    }

    /// The shims of a host have just dropped a traced packet.
    #[cold]
    #[inline(never)]
    pub(super) fn tell_withheld(&mut self, host: HostId, packet: &Packet) {
        let now = self.fabric.now;
        let shims = self.hosts[host.0].shims.as_deref();
        let (shim, why) = shims.expect("every host has shims").stack.why(packet);
        if let Some(account) = &mut self.observers.account
            && account.is_about(packet)
        {
            account.tell(now, Met::Withheld { shim, why });
        }
    }

    /// What the end of its flow that the packet goes to knows.
    fn known(&self, packet: &Packet) -> Known {
        let f = packet.flow.0 as usize;
        if for_receiver(packet) {
            return match &self.receivers[f] {
                Some(end) if end.endpoint.is_complete() => Known::Complete,
                Some(end) => Known::Expected(end.endpoint.expected(packet.subflow())),
                None if self.flows[f].finished.is_some() => Known::Complete,
                None => Known::Expected(Packet::first_of(packet.subflow())),
            };
        }
        match &self.senders[f] {
            Some(end) => Known::Acknowledged(end.endpoint.acknowledged_of(packet.subflow())),
            None => Known::Done,
        }
    }
}

/// Joins the reasons with what the switch, or NIC, did just now with the packet at hand, which has so many bytes of link
/// time from here on.
fn judged(asked: Asked, event: Event, here: &Switch, wire: u16) -> Judged {
    let mut reasons = asked.reasons;
    if event.joined().is_none() {
        reasons.sched = None;
    }
    Judged {
        reasons,
        event,
        displaced: here.evicted.len() as u32,
        wire,
    }
}

/// The explained packet has been put on the NIC of `host`, which had so much in its queue.
#[cold]
#[inline(never)]
pub(super) fn tell_sent<A: Agenda>(
    fabric: &mut Fabric<A>,
    account: &mut Account,
    host: u32,
    packet: &Packet,
) {
    let (ahead, paused) = (fabric.depth(host), fabric.paused(host).1);
    account.sent(fabric.now, packet, ahead, paused);
}

/// Sends a packet by a NIC, and asks why where it is the one that is explained.
#[cold]
#[inline(never)]
pub(super) fn send_asked<A: Agenda>(
    fabric: &mut Fabric<A>,
    account: &mut Account,
    nic: &mut Switch,
    parcel: u32,
) -> Event {
    let packet = fabric.pool.get(parcel).packet;
    account.at_hand = Some(packet);
    let about = account.parcel == Some(parcel);
    let mut asked = about.then(|| Asked::new(&["its NIC".to_string()]));
    let event = nic.send(fabric, parcel, &mut asked);
    if let Some(asked) = asked {
        let judged = judged(asked, event, nic, fabric.pool.get(parcel).packet.wire);
        account.tell(fabric.now, Met::Nic(Box::new(judged)));
    }
    event
}
